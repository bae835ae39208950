"""The kinds of jobs there are. An app that has some names its functions here when it is ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Work:
    """What a handler is given. ``folder`` keeps what is finished from one attempt to the next.

    ``progress(done, total)`` says how far it is, at the latest every 30 seconds; it raises Stopped
    into the handler where the job is not to be gone on with, and that is let through.
    """

    token: str
    payload: Mapping[str, Any]
    folder: Path
    progress: Callable[[int, int], None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class JobResult:
    """What came of it: ``words`` for the person, and a file of the job's folder with the name and
    type it goes by.
    """

    words: str = ""
    file: str = ""
    name: str = ""
    type: str = "application/octet-stream"


Handler = Callable[[Work], JobResult]
_HANDLERS: dict[str, Handler] = {}
_REGULAR: dict[str, tuple[str, timedelta]] = {}


def add_handler(kind: str, handler: Handler) -> None:
    """``handler`` does the jobs of this kind.

    What it does it may be asked to do twice, with the effect of once.
    """
    _HANDLERS[kind] = handler


def add_regular(kind: str, handler: Handler, *, title: str, every: timedelta) -> None:
    """The same for work that the site asks itself for again and again."""
    add_handler(kind, handler)
    _REGULAR[kind] = (title, every)


def handler_of(kind: str) -> Handler | None:
    """Who does the jobs of this kind; None for one that this release does not know."""
    return _HANDLERS.get(kind)


def regular() -> Mapping[str, tuple[str, timedelta]]:
    """What comes round again: kind to its title and how often."""
    return dict(_REGULAR)
