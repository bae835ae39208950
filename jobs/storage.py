"""Where the finished files of jobs lie, by the setting `STORAGES["finished"]`.

A folder of this machine (`JobFolders`), or a bucket that every machine reaches
(`jobs.object_store`). A file's name there is the job's token, a slash and its own name. What a job
keeps from one attempt to the next stays in the folder of the machine that does it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages


class StoreAway(OSError):
    """The store of finished files does not answer, or refuses; trying again may help."""


class JobFolders(FileSystemStorage):
    """The folders of the jobs themselves: a finished file stays where it was made."""

    @property
    def base_location(self) -> str:
        return str(settings.JOBS_DIR)

    @property
    def location(self) -> str:
        """The folder now: tests set another one."""
        return str(Path(settings.JOBS_DIR).absolute())


def finished_files() -> Storage:
    """Return the storage that a person's download is read from."""
    return storages["finished"]


def folder_of(token: str) -> Path:
    """Return the job's folder below `JOBS_DIR`; it exists once something was kept in it."""
    return Path(settings.JOBS_DIR) / token


def keep_file(token: str, name: str) -> None:
    """Hand a finished file of the job's folder to the store; raises StoreAway and OSError.

    Where the store is elsewhere the folder is deleted then, with what was kept in it.
    """
    storage = finished_files()
    if isinstance(storage, JobFolders):
        return
    key = f"{token}/{name}"
    with (folder_of(token) / name).open("rb") as file:
        storage.save(key, File(file))
    shutil.rmtree(folder_of(token), ignore_errors=True)


def open_file(key: str) -> File[Any]:
    """Open a finished file; raises FileNotFoundError where it is gone, and StoreAway."""
    return finished_files().open(key, "rb")


def delete_files(token: str) -> None:
    """Delete a job's folder and its finished file; raises StoreAway. Nothing may be there."""
    shutil.rmtree(folder_of(token), ignore_errors=True)
    storage = finished_files()
    if isinstance(storage, JobFolders):
        return
    _, names = storage.listdir(token)
    for name in names:
        storage.delete(f"{token}/{name}")
