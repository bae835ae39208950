"""Processes to be killed: they do jobs of the kind "slow", one part for each line they are sent.

`python -m tests.jobs.worker` is a server's thread without the server; as `tests.jobs.worker:app` it
is Celery's.
"""

import os
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django.setup()

from jobs import queue, runner  # noqa: E402
from jobs.handlers import JobResult, Work, add_handler, write_file  # noqa: E402

STEP = 0.05  # seconds between two looks for the next line


def slow(work: Work) -> JobResult:
    """Each part is written once, after the file `go` of the folder holds at least as many signs."""
    total = work.payload["to"]
    for number in range(1, total + 1):
        part = work.folder / f"{number}.part"
        if not part.exists():
            _wait(work, number)
            write_file(part, str(os.getpid()).encode())
            with (work.folder / "written").open("a") as written:
                written.write(f"{number} ")
        work.progress(number, total)
    return JobResult(words="All parts are there.")


def _wait(work: Work, number: int) -> None:
    go: Path = work.folder / "go"
    while not go.exists() or len(go.read_text()) < number:
        time.sleep(STEP)


add_handler("slow", slow)
app = runner.celery_app()
app.conf.broker_transport_options["global_keyprefix"] = os.environ.get("TEST_PREFIX", "")

if __name__ == "__main__":
    queue.SECONDS = STEP
    queue.JOB_THREAD.run()
