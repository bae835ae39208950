"""Where the finished files of jobs lie, by the setting `STORAGES["finished"]`.

The database (`DatabaseFiles`), or a bucket (`jobs.object_store`): every machine reaches both. A
file's name there is the job's token, a slash and its own name. What a job keeps from one attempt to
the next stays in the folder of the machine that does it.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import transaction

from jobs.models import Job, JobFileChunk

FINISHED_MAX = 64 * 2**20  # bytes of a finished file in the database
CHUNK = 64 * 2**10  # bytes of a row: databases are copied 500 rows at a time
MEMORY = 2**20  # bytes of a file that is read; what is over is put on this machine's disk


class StoreAway(OSError):
    """The store of finished files does not answer, or refuses; trying again may help."""


class DatabaseFiles(Storage):
    """The one finished file of each job, in rows that go with the job."""

    def exists(self, name: str) -> bool:
        return False  # a file replaces the one before

    def _save(self, name: str, content: File[Any]) -> str:
        if content.size > FINISHED_MAX:
            raise OSError(errno.EFBIG, "More than the database takes.")
        with transaction.atomic():
            # A worker that was thought dead may be saving as well.
            job = Job.objects.select_for_update().get(token=_token(name))
            job.chunks.all().delete()
            for number, chunk in enumerate(content.chunks(CHUNK)):
                JobFileChunk.objects.create(job=job, number=number, content=chunk)
        return name

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        # Read whole, so that a failure comes before the answer begins.
        file = SpooledTemporaryFile(MEMORY)  # noqa: SIM115  (whoever asked closes it)
        chunks = JobFileChunk.objects.filter(job__token=_token(name)).order_by("number")
        for content in chunks.values_list("content", flat=True).iterator(chunk_size=16):
            file.write(content)
        if not file.tell():
            # Made before files lay in the database. It is deleted with its job, after a week.
            return File((Path(settings.JOBS_DIR) / name).open("rb"))
        file.seek(0)
        return File(file, name)

    def delete(self, name: str) -> None:
        JobFileChunk.objects.filter(job__token=_token(name)).delete()


def _token(name: str) -> str:
    return name.partition("/")[0]


def job_folder(token: str) -> Path:
    """Return the job's folder below `JOBS_DIR`; it exists once something was kept in it."""
    return Path(settings.JOBS_DIR) / token


def keep_file(token: str, name: str) -> None:
    """Hand a finished file of the job's folder to the store; raises StoreAway and OSError.

    The folder is deleted then, with what was kept in it.
    """
    with (job_folder(token) / name).open("rb") as file:
        storages["finished"].save(f"{token}/{name}", File(file))
    shutil.rmtree(job_folder(token), ignore_errors=True)


def open_file(key: str) -> File[Any]:
    """Open a finished file; raises FileNotFoundError where it is gone, and StoreAway."""
    return storages["finished"].open(key, "rb")


def delete_files(token: str) -> None:
    """Delete a job's folder and its finished file; raises StoreAway. There may be none."""
    shutil.rmtree(job_folder(token), ignore_errors=True)
    storages["finished"].delete(token)
