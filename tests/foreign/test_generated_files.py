"""Files by chance (R45): each is read or refused in words, within a time and memory of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.foreign.generated_files import KINDS, FilesRead

pytestmark = pytest.mark.one_database

# Seconds and MiB, which are asserted at the large size alone.
BOUNDS = {"list": (2.0, 64.0), "text": (2.0, 64.0), "catalogue": (10.0, 384.0)}


def read_in_a_process(kind: str, files: int, folder: Path, root: Path) -> FilesRead:
    told = subprocess.run(
        [sys.executable, "-m", "tests.foreign.generated_files", kind, str(files)],
        cwd=root,
        env={
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        capture_output=True,
        check=True,
    )
    return FilesRead(**json.loads(told.stdout))


@pytest.mark.parametrize("kind", KINDS)
def test_files_by_chance_are_read_or_refused_in_words(kind, soak, tmp_path, project_root):
    files = soak(24, 3334)
    found = read_in_a_process(kind, files, tmp_path, project_root)
    assert found.broken == []
    # Neither all nor none: else the files say nothing of what they are to test.
    assert min(found.read, found.refused) > files / 10
    assert found.read + found.refused == files
    if soak(0, 1):
        seconds, mib = BOUNDS[kind]
        assert found.slowest < seconds
        assert found.mib < mib
