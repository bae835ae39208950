"""The kinds of jobs there are, and what their handlers are given, return and raise.

An app that has kinds of its own registers their handlers here when it is ready.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import field
from datetime import timedelta
from pathlib import Path

from engine.records import NamedValues, frozen_dataclass


class JobFailed(Exception):
    """The job cannot be done: a sentence for the person, who may change something and retry."""


class JobLater(Exception):
    """The job cannot be done now and needs nobody: it is tried again after a while.

    ``seconds`` is the least that this while lasts.
    """

    def __init__(self, sentence: str, seconds: int = 0) -> None:
        super().__init__(sentence)
        self.seconds = seconds


class JobStopped(Exception):
    """The job is not this worker's any more: somebody stopped it, or another took it up.

    Raised into handlers by ``progress``, and let through by them.
    """


@frozen_dataclass
class Work:
    """What a handler is given. ``folder`` keeps what is finished from one attempt to the next.

    The handler calls ``progress(done, total)`` at the latest every 30 seconds. It raises
    JobStopped where the job is not to be continued.
    """

    token: str
    payload: NamedValues
    folder: Path
    progress: Callable[[int, int], None] = field(repr=False)


@frozen_dataclass
class JobResult:
    """The end of a job: ``words`` for the person, and a file of the job's folder.

    ``name`` and ``type`` are the file's name and media type when it is downloaded.
    """

    words: str = ""
    file: str = ""
    name: str = ""
    type: str = "application/octet-stream"


Handler = Callable[[Work], JobResult]
# Filled when the apps are ready, and never changed afterwards.
HANDLERS: dict[str, Handler] = {}
REGULAR: dict[str, tuple[str, timedelta]] = {}
"""The title of each regular kind, and the time between two jobs."""
ONCE: set[str] = set()
"""The kinds whose jobs use up what they work on."""


def add_handler(kind: str, handler: Handler, *, is_once: bool = False) -> None:
    """Register ``handler`` for the jobs of this kind.

    A job may be done twice, when a worker dies late: the second time must change nothing more.
    ``is_once``: it uses up what it works on, so nobody is offered to try it again. What came of it
    stands where it was asked for, and its page leads there.
    """
    HANDLERS[kind] = handler
    if is_once:
        ONCE.add(kind)


def add_regular(kind: str, handler: Handler, *, title: str, every: timedelta) -> None:
    """Register ``handler`` for work that the site asks itself for again and again."""
    add_handler(kind, handler)
    REGULAR[kind] = (title, every)


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or none. Raises OSError as `open` does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Under another name first: after a crash, half a file would be taken for a finished part.
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
