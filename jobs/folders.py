"""Where a job keeps what it has finished: a folder of its own below `JOBS_DIR`, gone with the job."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from django.conf import settings


def folder_of(token: str) -> Path:
    """The folder of a job; it is there once something was kept in it."""
    return Path(settings.JOBS_DIR) / token


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or none: half a file would be taken for a finished part.

    Raises OSError as `open` does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def delete_folder(token: str) -> None:
    """Delete a job's folder; nothing happens where there is none."""
    shutil.rmtree(folder_of(token), ignore_errors=True)
