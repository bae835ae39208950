"""The press: processes that draw PDFs, two at a time on a machine, and the queue before them.

A process is started when it is first needed, stays for the next document, and is killed and
replaced where a document takes too long.
"""

import atexit
import fcntl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import Empty, Queue
from threading import BoundedSemaphore
from typing import Literal

import structlog
from django.conf import settings

Paper = Literal["a4", "letter"]
Parts = tuple[tuple[str, float], ...]
"""HTML that many pages share, each with its distance in mm from the top of the live area."""
Pages = Sequence[tuple[str, Parts | None]]
"""HTML documents, each with the shared parts of a page that is worth keeping, or None."""
PAPERS: tuple[Paper, ...] = ("a4", "letter")
RENDERER = Path(__file__).with_name("render.py")
AT_ONCE = 2  # documents, on one machine
SECONDS = 30.0  # for one document, waiting included
RETRY_SECONDS = 10
LOOK_SECONDS = 0.05
NOT_DRAWN = "We could not create this document. Please tell us which warband it was."
TOO_MUCH = "This document needs too much memory, so we stopped it."

logger = structlog.get_logger(__name__)


class PdfFailed(Exception):
    """The document could not be made; asking again later may work."""


class PdfBusy(PdfFailed):
    """Too many documents are asked for at once."""

    def __init__(self) -> None:
        super().__init__(
            "Too many documents are being made at once. "
            f"Please try again in {RETRY_SECONDS} seconds."
        )


class PdfTooLarge(PdfFailed):
    """The roster is larger than any printed document may be."""


class Printer:
    """One process that draws, used by one thread at a time."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.process: subprocess.Popen[bytes] | None = None
        self.line: Connection | None = None

    def draw(self, pages: Pages, paper: Paper, seconds: float) -> bytes:
        """Return the PDF. Raises PdfFailed; a process that was too slow is gone then."""
        line = self._line()
        try:
            line.send((pages, paper))
            if not line.poll(max(0, seconds)):
                raise TimeoutError
            pdf, fault = line.recv()
        except TimeoutError:
            self.stop()
            raise PdfFailed(
                f"This document took longer than {SECONDS:.0f} seconds, so we stopped it."
            ) from None
        except (EOFError, OSError):
            pdf, fault = None, "died"
        if pdf is None:
            self.stop()
            logger.error("document_not_drawn", fault=fault)
            raise PdfFailed(TOO_MUCH if fault == "MemoryError" else NOT_DRAWN)
        return bytes(pdf)

    def _line(self) -> Connection:
        """The line to a process that lives."""
        if self.process is not None and self.process.poll() is not None:
            self.stop()
        if self.line is None:
            self.line, theirs = Pipe()
            number = theirs.fileno()
            with theirs:
                self.process = subprocess.Popen(  # noqa: S603  (our own file)
                    # -P: this folder's modules may not stand in for a library's.
                    [sys.executable, "-P", str(self.program), str(number)],
                    pass_fds=[number],
                    stdin=subprocess.DEVNULL,
                )
        return self.line

    def stop(self) -> None:
        """End the process; the next document starts another."""
        if self.line is not None:
            self.line.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.line = self.process = None


class Press:
    """The printers of this process, and how many requests may be at them."""

    def __init__(self, printers: int, places: int, program: Path = RENDERER) -> None:
        self.printers = [Printer(program) for _ in range(printers)]
        self.places = BoundedSemaphore(places)
        self._idle: Queue[Printer] = Queue()
        for printer in self.printers:
            self._idle.put(printer)

    def write(self, pages: Pages, paper: Paper, seconds: float = SECONDS) -> bytes:
        """One PDF of several HTML documents.

        Title, language and author are the first one's. Raises PdfFailed after half a minute,
        waiting included, or when the drawing itself fails.
        """
        end = time.monotonic() + seconds
        try:
            printer = self._idle.get(timeout=max(0, end - time.monotonic()))
        except Empty:
            raise PdfBusy from None
        try:
            with hold_machine(end):
                return printer.draw(pages, paper, end - time.monotonic())
        finally:
            self._idle.put(printer)

    def close(self) -> None:
        """End the processes."""
        for printer in self.printers:
            printer.stop()


@contextmanager
def hold_machine(end: float) -> Iterator[None]:
    """Hold one of the machine's turns to draw, whichever process of the site it is for.

    Raises PdfBusy where none is free before ``end``, seconds of the monotonic clock.
    """
    with ExitStack() as stack:
        files = [
            stack.enter_context((settings.DATA_DIR / f"press-{number}.lock").open("a"))
            for number in range(AT_ONCE)
        ]
        while not any(is_locked(file.fileno()) for file in files):
            if time.monotonic() > end:
                raise PdfBusy
            time.sleep(LOOK_SECONDS)
        yield


def is_locked(number: int) -> bool:
    """Lock an open file, until it is closed; return whether nobody else has it."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@cache
def own_press() -> Press:
    """Return the press of this process.

    Requests may hold half of its threads, so that pages are answered while documents are made.
    """
    printers = max(1, AT_ONCE // settings.PROCESSES)
    press = Press(printers, places=max(1, settings.THREADS // 2))
    atexit.register(press.close)
    return press


@contextmanager
def hold_place() -> Iterator[None]:
    """Hold a place for a request, from before it loads what it prints. Raises PdfBusy."""
    places = own_press().places
    if not places.acquire(blocking=False):
        raise PdfBusy
    try:
        yield
    finally:
        places.release()


def write(pages: Pages, paper: Paper) -> bytes:
    """Draw with this process's press, as `Press.write` says."""
    return own_press().write(pages, paper)
