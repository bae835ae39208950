"""What the tests of jobs share: a folder of their own, and kinds of work that can be told what to
do.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobs import handlers
from jobs.handlers import JobFailed, JobLater, JobResult, Work, write_file


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.JOBS_DIR = tmp_path


@pytest.fixture(autouse=True)
def _kinds() -> Iterator[None]:
    """“count” counts to the number it is given, “fail”, “later” and “break” do what they are
    called.
    """
    before = dict(handlers.HANDLERS)

    def raising(error: Exception) -> handlers.Handler:
        def handler(work: Work) -> JobResult:
            raise error

        return handler

    handlers.add_handler("count", count)
    handlers.add_handler("fail", raising(JobFailed("There is nobody to print.")))
    handlers.add_handler("later", raising(JobLater("The mail server does not answer.")))
    handlers.add_handler("break", raising(KeyError("secret of the house")))
    handlers.add_handler("full", raising(OSError(28, "No space left on device")))
    yield
    handlers.HANDLERS.clear()
    handlers.HANDLERS.update(before)


def count(work: Work) -> JobResult:
    total = work.payload["to"]
    for number in range(1, total + 1):
        work.progress(number, total)
    write_file(work.folder / "count.txt", str(total).encode())
    return JobResult(
        words=f"Counted to {total}.", file="count.txt", name="Count.txt", type="text/plain"
    )
