"""Static files as a release serves them: modules import each other by names that say what is in
them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from django.core.management import call_command
from django.test import override_settings

IMPORTED = re.compile(r'(?:from|import)\s*\(?\s*["\'](\.[^"\']*)["\']')


def test_modules_of_a_release_import_only_files_of_that_release(tmp_path: Path) -> None:
    storages = {"staticfiles": {"BACKEND": "config.statics.StaticFiles"}}
    with override_settings(STATIC_ROOT=tmp_path, STORAGES=storages):
        call_command("collectstatic", interactive=False, verbosity=0)
    named: dict[str, str] = json.loads((tmp_path / "staticfiles.json").read_text())["paths"]
    served = set(named.values())
    modules = {
        name: tmp_path / path
        for name, path in named.items()
        if name.startswith("js/battle/")
    }
    imports = [
        (name, found)
        for name, path in modules.items()
        for found in IMPORTED.findall(path.read_text())
    ]
    assert len(modules) > 15
    assert len(imports) > 40
    assert [
        (name, found)
        for name, found in imports
        if f"js/battle/{found.removeprefix('./')}" not in served
    ] == []
