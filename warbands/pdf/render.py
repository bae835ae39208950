"""Warm rendering behind one lock: one stylesheet, one set of fonts, reference pages kept.

WeasyPrint's objects crash the process when two threads share them, so everything it touches happens
under one lock. Nothing is fetched: the fetcher answers data addresses and refuses every other, the
fonts included.
"""

import base64
import gc
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from weasyprint import CSS, HTML, Document
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
Face = Literal["muster-sans", "muster-sans-semibold", "muster-serif", "muster-cells"]

SANS: Face = "muster-sans"
BOLD: Face = "muster-sans-semibold"
SERIF: Face = "muster-serif"


class PdfFailed(Exception):
    """The document could not be made; asking again later may work."""


class PdfTooLarge(PdfFailed):
    """The roster is larger than any printed document may be."""


@cache
def advances(face: Face) -> Mapping[str, float]:
    """The width of each character the font has, in em."""
    with TTFont(ASSETS / "fonts" / f"{face}.ttf", lazy=True) as font:
        unit = font["head"].unitsPerEm
        metrics = font["hmtx"]
        return {
            chr(code): metrics[name][0] / unit for code, name in font.getBestCmap().items()
        }


@cache
def printable() -> frozenset[str]:
    """The characters every text font has."""
    return (
        frozenset(advances(SANS)) & frozenset(advances(BOLD)) & frozenset(advances(SERIF))
    )


Paper = Literal["a4", "letter"]
PAPERS: tuple[Paper, ...] = ("a4", "letter")
SECONDS = 30.0
KEPT_PAGES = 64
_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
_FONT_ADDRESS = re.compile(r"url\((fonts/[a-z-]+\.ttf)\)")


class DataUrlFetcher(URLFetcher):
    """Answers ``data:`` addresses and nothing else: no file, no socket, no redirection."""

    def __init__(self) -> None:
        super().__init__(allowed_protocols=("data",), allow_redirects=False)

    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        """The response for a data address. Raises ValueError for every other."""
        if not url[:5].lower() == "data:":
            raise ValueError("Only data addresses may be read.")
        return super().fetch(url, headers)


class Renderer:
    """What one process needs to draw documents, made once and used by one thread at a time."""

    def __init__(self) -> None:
        self.fetcher = DataUrlFetcher()
        self.fonts = FontConfiguration()
        common = self._sheet(
            _with_fonts((ASSETS / "sheet.css").read_text(encoding="utf-8"))
        )
        letter = self._sheet((ASSETS / "sheet-letter.css").read_text(encoding="utf-8"))
        self.styles: dict[Paper, list[Any]] = {"a4": [common], "letter": [common, letter]}
        self.kept: OrderedDict[tuple[Paper, str], Sequence[Any]] = OrderedDict()

    def _sheet(self, css: str) -> Any:
        return CSS(string=css, font_config=self.fonts, url_fetcher=self.fetcher)

    def lay_out(self, html: str, paper: Paper) -> Document:
        page = HTML(string=html, url_fetcher=self.fetcher)
        return page.render(stylesheets=self.styles[paper], font_config=self.fonts)

    def pages(self, html: str, paper: Paper) -> Sequence[Any]:
        """Pages laid out once for each HTML and paper, the least used forgotten."""
        key = (paper, html)
        if key not in self.kept:
            self.kept[key] = self.lay_out(html, paper).pages
        self.kept.move_to_end(key)
        # The least used goes first.
        while len(self.kept) > KEPT_PAGES:
            self.kept.popitem(last=False)
        return self.kept[key]


_lock = threading.Lock()
_press: Renderer | None = None


@contextmanager
def acquire_renderer() -> Iterator[Renderer]:
    """The press of this process, for one thread at a time.

    Raises PdfFailed when it is not free in time.
    """
    # Made when first needed: a worker that prints nothing reads no fonts.
    global _press
    if not _lock.acquire(timeout=SECONDS):
        raise PdfFailed(
            "Too many documents are being made at once. Please try again in a minute."
        )
    try:
        if _press is None:
            _press = Renderer()
        yield _press
    finally:
        _lock.release()


def write(pages: Sequence[tuple[str, bool]], paper: Paper) -> bytes:
    """One PDF of several HTML documents, each with whether its pages are worth keeping.

    Title, language and author are the first one's. Raises PdfFailed after half a minute, waiting
    included, or when the drawing itself fails.
    """
    end = time.monotonic() + SECONDS
    with acquire_renderer() as machine:
        try:
            return _written(machine, pages, paper, end)
        except _FAULTS as error:
            raise PdfFailed(
                "This document could not be drawn. Please tell us which warband it was."
            ) from error


def _written(
    machine: Renderer, pages: Sequence[tuple[str, bool]], paper: Paper, end: float
) -> bytes:
    first: Document | None = None
    drawn: list[Any] = []
    for html, is_kept in pages:
        if time.monotonic() > end:
            raise PdfFailed(
                f"This document took longer than {SECONDS:.0f} seconds, so it was given up."
            )
        # The first document gives the file its title, so it is always laid out anew.
        if first is not None and is_kept:
            drawn += machine.pages(html, paper)
            continue
        document = machine.lay_out(html, paper)
        first = first or document
        drawn += document.pages
    assert first is not None
    return bytes(first.copy(drawn).write_pdf())


def freeze_garbage() -> None:
    """After the first documents: what lives until the process ends is taken out of the garbage
    collector's rounds.

    A document makes and drops many small objects, so the rounds themselves come less often as well.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


def _with_fonts(css: str) -> str:
    """The stylesheet with its fonts inside it."""

    def embed(match: re.Match[str]) -> str:
        data = base64.b64encode((ASSETS / match[1]).read_bytes()).decode("ascii")
        return f"url(data:font/ttf;base64,{data})"

    return _FONT_ADDRESS.sub(embed, css)
