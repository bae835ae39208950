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
from typing import Any, TypeVar

from pikepdf import Name, Object, OutlineItem, Pdf, make_page_destination
from weasyprint import CSS, HTML, Document
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
SECONDS = 30  # for one document
MEMORY_BYTES = 1024**3
NICE = 5  # whoever reads a page goes first
KEPT_PAGES = 64
KEPT_PARTS = 512
FREEZE_AFTER = 4  # documents
PT_A_MM = 72 / 25.4
_FONT_ADDRESS = re.compile(r"url\((fonts/[a-z-]+\.ttf)\)")

Parts = tuple[tuple[str, float], ...]
"""HTML that is laid out once for many pages, each with its distance from the top of the live area in
millimetres."""
Pages = Sequence[tuple[str, Parts | None]]
"""HTML documents. One with parts is a single page that is worth keeping."""
Draw = Callable[[Pages, str], bytes]
DrawnPart = tuple[Pdf, Object]
"""A form, and the file it is of, which has to stay open."""
Key = TypeVar("Key")
Value = TypeVar("Value")


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
        self.kept: OrderedDict[tuple[str, str, Parts], Pdf] = OrderedDict()
        self.parts: OrderedDict[tuple[str, str], DrawnPart] = OrderedDict()

    def _sheet(self, css: str) -> Any:
        return CSS(string=css, font_config=self.fonts, url_fetcher=self.fetcher)

    def lay_out(self, html: str, paper: str) -> Document:
        page = HTML(string=html, url_fetcher=self.fetcher)
        return page.render(stylesheets=self.styles[paper], font_config=self.fonts)

    def kept_pdf(self, html: str, parts: Parts, paper: str) -> Pdf:
        """The page drawn once for each HTML, its parts and paper, the least used forgotten."""
        key = (paper, html, parts)
        if key not in self.kept:
            pdf = _opened(self.lay_out(html, paper))
            self.add_parts(pdf, parts, paper)
            self.kept[key] = pdf
        kept = self.kept[key]
        _use(self.kept, key, KEPT_PAGES)
        return kept

    def add_parts(self, pdf: Pdf, parts: Parts, paper: str) -> None:
        """Draw parts on the first page, after what stands there."""
        drawn = self.drawn_parts([html for html, _ in parts], paper)
        page = pdf.pages[0]
        # What the page itself sets up for its drawing ends before the parts.
        page.contents_add(b"q", prepend=True)
        page.contents_add(b"Q")
        for (_, mm), (_, form) in zip(parts, drawn, strict=True):
            name = page.add_resource(pdf.copy_foreign(form), Name.XObject)
            page.contents_add(f"q 1 0 0 1 0 {-mm * PT_A_MM:.3f} cm {name} Do Q".encode())

    def drawn_parts(self, parts: Sequence[str], paper: str) -> list[DrawnPart]:
        """The parts, those not laid out yet each at the top of a page of its own."""
        missing = [html for html in dict.fromkeys(parts) if (paper, html) not in self.parts]
        if missing:
            html = f"<!DOCTYPE html><html lang='en'><body>{''.join(missing)}</body></html>"
            source = _opened(self.lay_out(html, paper))
            for part, page in zip(missing, source.pages, strict=True):
                self.parts[paper, part] = source, page.as_form_xobject()
        drawn = [self.parts[paper, html] for html in parts]
        for html in parts:
            _use(self.parts, (paper, html), KEPT_PARTS)
        return drawn

    def write(self, pages: Pages, paper: str) -> bytes:
        """One PDF of several HTML documents. Title, language and author are the first one's."""
        # The first document gives the file its title, so it is always laid out anew.
        html, parts = pages[0]
        first = self.lay_out(html, paper)
        drawn = list(first.pages)
        kept: list[tuple[int, Pdf]] = []
        for html, others in pages[1:]:
            if others is None:
                drawn += self.lay_out(html, paper).pages
            else:
                kept.append((len(drawn), self.kept_pdf(html, others, paper)))
        document = first.copy(drawn)
        if not parts and not kept:
            return bytes(document.write_pdf())
        starts = [place[0] for _, place, *_ in document.make_bookmark_tree()]
        with _opened(document) as whole:
            if parts:
                self.add_parts(whole, parts, paper)
            _insert_pages(whole, kept, starts)
            saved = io.BytesIO()
            whole.save(saved, deterministic_id=True)
        return saved.getvalue()


def _opened(document: Document) -> Pdf:
    return Pdf.open(io.BytesIO(document.write_pdf()))


def _use(kept: OrderedDict[Key, Value], key: Key, most: int) -> None:
    """Note that something was used. More than ``most`` are not kept: the least used goes first."""
    if key in kept:
        kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _insert_pages(
    whole: Pdf, others: Sequence[tuple[int, Pdf]], starts: Sequence[int]
) -> None:
    """Put the pages of others and their bookmark in, each before the page of that index.

    ``starts`` are the indexes of the pages its own bookmarks lead to.
    """
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
