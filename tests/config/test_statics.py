"""Static files as a release serves them: modules import each other by names that say what is in
them.
"""

import json
import re
from pathlib import Path

from tests.reliability.server import gather_statics

IMPORTED = re.compile(r'(?:from|import)\s*\(?\s*["\'](\.[^"\']*)["\']')


def test_modules_of_a_release_import_only_files_of_that_release(tmp_path: Path) -> None:
    gather_statics(tmp_path)
    folder = tmp_path / "static"
    named: dict[str, str] = json.loads((folder / "staticfiles.json").read_text())["paths"]
    served = set(named.values())
    modules = {
        name: folder / path for name, path in named.items() if name.startswith("js/battle/")
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
