"""Drawing PDFs in a process of its own: ``python render.py NUMBER`` serves the pipe of that number.

`warbands.pdf.press` starts this file by its path, and it imports nothing else of the site: what
draws knows no database and no secret. Only this file uses WeasyPrint. Nothing is fetched: the
fetcher answers data addresses and refuses every other, the fonts included.
"""

import base64
import gc
import io
import os
import re
import resource
import signal
import sys
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pikepdf import OutlineItem, Pdf, make_page_destination
from weasyprint import CSS, HTML, Document
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
SECONDS = 30  # for one document
MEMORY_BYTES = 1024**3
NICE = 5  # whoever reads a page goes first
KEPT_PAGES = 64
FREEZE_AFTER = 4  # documents
_FONT_ADDRESS = re.compile(r"url\((fonts/[a-z-]+\.ttf)\)")

Pages = Sequence[tuple[str, bool]]
"""HTML documents, each with whether its pages are worth keeping."""
Draw = Callable[[Pages, str], bytes]


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
    """What one process needs to draw documents, made once: one stylesheet, one set of fonts."""

    def __init__(self) -> None:
        self.fetcher = DataUrlFetcher()
        self.fonts = FontConfiguration()
        common = self._sheet(
            _with_fonts((ASSETS / "sheet.css").read_text(encoding="utf-8"))
        )
        letter = self._sheet((ASSETS / "sheet-letter.css").read_text(encoding="utf-8"))
        self.styles: dict[str, list[Any]] = {"a4": [common], "letter": [common, letter]}
        self.kept: OrderedDict[tuple[str, str], Pdf] = OrderedDict()

    def _sheet(self, css: str) -> Any:
        return CSS(string=css, font_config=self.fonts, url_fetcher=self.fetcher)

    def lay_out(self, html: str, paper: str) -> Document:
        page = HTML(string=html, url_fetcher=self.fetcher)
        return page.render(stylesheets=self.styles[paper], font_config=self.fonts)

    def kept_pdf(self, html: str, paper: str) -> Pdf:
        """The PDF drawn once for each HTML and paper, the least used forgotten."""
        key = (paper, html)
        if key not in self.kept:
            drawn = self.lay_out(html, paper).write_pdf()
            self.kept[key] = Pdf.open(io.BytesIO(drawn))
        self.kept.move_to_end(key)
        # The least used goes first.
        while len(self.kept) > KEPT_PAGES:
            self.kept.popitem(last=False)
        return self.kept[key]

    def write(self, pages: Pages, paper: str) -> bytes:
        """One PDF of several HTML documents. Title, language and author are the first one's."""
        # The first document gives the file its title, so it is always laid out anew.
        first = self.lay_out(pages[0][0], paper)
        drawn = list(first.pages)
        kept: list[tuple[int, Pdf]] = []
        for html, is_kept in pages[1:]:
            if is_kept:
                kept.append((len(drawn), self.kept_pdf(html, paper)))
            else:
                drawn += self.lay_out(html, paper).pages
        document = first.copy(drawn)
        pdf = bytes(document.write_pdf())
        if not kept:
            return pdf
        starts = [place[0] for _, place, *_ in document.make_bookmark_tree()]
        return _with_pages(pdf, kept, starts)


def _with_pages(
    pdf: bytes, others: Sequence[tuple[int, Pdf]], starts: Sequence[int]
) -> bytes:
    """A PDF with the pages of others and their bookmark put in, each before the page of that index.

    ``starts`` are the indexes of the pages its own bookmarks lead to.
    """
    saved = io.BytesIO()
    with Pdf.open(io.BytesIO(pdf)) as whole:
        with whole.open_outline() as outline:
            # From the end, so that the indexes of the pages before stay.
            for index, other in reversed(others):
                for page in reversed(other.pages):
                    whole.pages.insert(index, page)
                there = make_page_destination(whole, index)
                with other.open_outline() as theirs:
                    bookmarks = [OutlineItem(one.title, there) for one in theirs.root[:1]]
                place = bisect_left(starts, index)
                outline.root[place:place] = bookmarks
        whole.save(saved, deterministic_id=True)
    return saved.getvalue()


def _with_fonts(css: str) -> str:
    """The stylesheet with its fonts inside it."""

    def embed(match: re.Match[str]) -> str:
        data = base64.b64encode((ASSETS / match[1]).read_bytes()).decode("ascii")
        return f"url(data:font/ttf;base64,{data})"

    return _FONT_ADDRESS.sub(embed, css)


def serve(line: Connection, draw: Draw) -> None:
    """Draw what comes over the line until its other end is closed.

    Each answer is the PDF and "", or None and the name of what went wrong. A document over
    `SECONDS` or `MEMORY_BYTES` ends the process, or its drawing.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    os.nice(NICE)
    drawn = 0
    while True:
        try:
            pages, paper = line.recv()
        except EOFError:
            return
        # The system itself ends what runs on, also where the server was killed meanwhile.
        signal.alarm(SECONDS)
        line.send(_drawn(draw, pages, paper))
        signal.alarm(0)
        drawn += 1
        if drawn == FREEZE_AFTER:
            freeze_garbage()


def _drawn(draw: Draw, pages: Pages, paper: str) -> tuple[bytes | None, str]:
    try:
        return draw(pages, paper), ""
    except Exception as error:  # whatever it is, the next document may be drawn
        return None, type(error).__name__


def freeze_garbage() -> None:
    """After the first documents: what lives until the process ends is taken out of the garbage
    collector's rounds.

    A document makes and drops many small objects, so the rounds themselves come less often as well.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), Renderer().write)
