"""Drawing PDFs in a process of its own: ``python render.py NUMBER`` serves the pipe of that number.

`warbands.pdf.press` starts this file by its path, and it imports nothing else of the site: what
draws knows no database and no secret. Only this file uses WeasyPrint. Nothing is fetched: the
fetcher answers data addresses and refuses every other, the fonts included.
"""

import base64
import gc
import io
import os
import resource
import signal
import sys
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import re2
from pikepdf import (
    Dictionary,
    Name,
    Object,
    ObjectStreamMode,
    OutlineItem,
    Page,
    Pdf,
    make_page_destination,
    parse_content_stream,
)
from weasyprint import CSS, HTML, Document
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
SECONDS = 30  # for one document
MEMORY_BYTES = 1024**3
NICE = 5  # whoever reads a page goes first
KEPT_PAGES = 64
KEPT_PARTS = 1024
# What parts are usually written with: parts laid out at different times then have equal fonts.
ALPHABET = "".join(map(chr, range(0x20, 0x7F))) + "–−″’“”…·× fi fl ff ffi ffl"
_LETTERS = "".join(f"<{tag}>{escape(ALPHABET)}</{tag}>" for tag in ("p", "b", "h2"))
FREEZE_AFTER = 4  # documents
PT_A_MM, PT_A_PIXEL = 72 / 25.4, 0.75
_FONT_ADDRESS = re2.compile(r"url\((fonts/[a-z-]+\.ttf)\)")

Parts = tuple[tuple[str, float], ...]
"""HTML that is laid out once for many pages, each with its distance in mm from the live area's top."""
Pages = Sequence[tuple[str, Parts | None]]
"""HTML documents. One with parts is a single page that is worth keeping."""
Draw = Callable[[Pages, str], bytes]
DrawnPart = tuple[Pdf, Object]
"""A form, and the file it is of, which has to stay open."""


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
        css, letter_css = (
            (ASSETS / name).read_text(encoding="utf-8")
            for name in ("sheet.css", "sheet-letter.css")
        )

        def embed(match: Any) -> str:
            """The address of a font with the font inside it."""
            data = base64.b64encode((ASSETS / match[1]).read_bytes()).decode("ascii")
            return f"url(data:font/ttf;base64,{data})"

        common = self._sheet(_FONT_ADDRESS.sub(embed, css))
        letter = self._sheet(letter_css)
        self.styles: dict[str, list[Any]] = {"a4": [common], "letter": [common, letter]}
        # Of each HTML, its parts and paper; the least used are forgotten. A head is a page before
        # its parts are drawn on it.
        self.head = lru_cache(KEPT_PAGES)(
            lambda html, paper: bytes(self.lay_out(html, paper).write_pdf())
        )
        self.kept_pdf = lru_cache(KEPT_PAGES)(self.draw_kept)
        self.parts: OrderedDict[tuple[str, str], DrawnPart] = OrderedDict()

    def _sheet(self, css: str) -> Any:
        return CSS(string=css, font_config=self.fonts, url_fetcher=self.fetcher)

    def lay_out(self, html: str, paper: str) -> Document:
        page = HTML(string=html, url_fetcher=self.fetcher)
        return page.render(stylesheets=self.styles[paper], font_config=self.fonts)

    def draw_kept(self, html: str, parts: Parts, paper: str) -> Pdf:
        """A page with its parts."""
        pdf = Pdf.open(io.BytesIO(self.head(html, paper)))
        self.add_parts(pdf, parts, paper)
        return pdf

    def add_parts(self, pdf: Pdf, parts: Parts, paper: str) -> None:
        """Draw parts on the first page, after what stands there."""
        # Those not laid out yet stand together at the top of one page.
        missing = [html for html in dict(parts) if (paper, html) not in self.parts]
        if missing:
            # The letters in front give the fonts of every such page the same glyphs.
            body = f"<div class='one'>{_LETTERS}</div>{''.join(missing)}"
            html = f"<!DOCTYPE html><html lang='en'><body>{body}</body></html>"
            source = _opened(self.lay_out(html, paper))
            # The first form holds those letters.
            _, *forms = _forms(source.pages[0])
            for part, form in zip(missing, forms, strict=True):
                self.parts[paper, part] = source, form
        # Read before the least used are forgotten: a page may have more parts than are kept.
        drawn = [self.parts[paper, html] for html, _ in parts]
        for html, _ in parts:
            self.parts.move_to_end((paper, html))
        while len(self.parts) > KEPT_PARTS:
            self.parts.popitem(last=False)
        page = pdf.pages[0]
        # What the page itself sets up for its drawing ends before the parts.
        page.contents_add(b"q", prepend=True)
        places = ["Q"]
        fonts: dict[bytes, Object] = {}
        for (_, mm), (_, form) in zip(parts, drawn, strict=True):
            copied = pdf.copy_foreign(form)
            # Equal fonts stand in the file once.
            named_fonts = copied.Resources.Font
            for name, font in named_fonts.items():
                file = font.DescendantFonts[0].FontDescriptor.FontFile2
                key = file.read_raw_bytes() + font.ToUnicode.read_raw_bytes()
                named_fonts[name] = fonts.setdefault(key, font)
            place_name = page.add_resource(copied, Name.XObject)
            # A form has CSS pixels from the top left of its page down.
            top = float(page.mediabox[3]) - mm * PT_A_MM
            place = f"{PT_A_PIXEL} 0 0 -{PT_A_PIXEL} 0 {top:.3f} cm"
            places.append(f"q {place} {place_name} Do Q")
        page.contents_add("\n".join(places).encode())

    def write(self, pages: Pages, paper: str) -> bytes:
        """One PDF of several HTML documents. Title, language and author are the first one's."""
        # The first document gives the file its title, so it is always laid out anew.
        html, parts = pages[0]
        first = self.lay_out(html, paper)
        drawn = list(first.pages)
        inserted: list[tuple[int, Pdf]] = []
        for html, others in pages[1:]:
            if others is None:
                drawn += self.lay_out(html, paper).pages
            else:
                inserted.append((len(drawn), self.kept_pdf(html, others, paper)))
        document = first.copy(drawn)
        if not parts and not inserted:
            return bytes(document.write_pdf())
        starts = [place[0] for _, place, *_ in document.make_bookmark_tree()]
        with _opened(document) as whole:
            if parts:
                self.add_parts(whole, parts, paper)
            with whole.open_outline() as outline:
                # Each before the page of its index, and from the end, so that the indexes of the
                # pages before stay.
                for index, other in reversed(inserted):
                    for page in reversed(other.pages):
                        whole.pages.insert(index, page)
                    there = make_page_destination(whole, index)
                    with other.open_outline() as theirs:
                        bookmarks = [
                            OutlineItem(mark.title, there) for mark in theirs.root[:1]
                        ]
                    place = bisect_left(starts, index)
                    outline.root[place:place] = bookmarks
            saved = io.BytesIO()
            whole.save(
                saved, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate
            )
        return saved.getvalue()


def _opened(document: Document) -> Pdf:
    return Pdf.open(io.BytesIO(document.write_pdf()))


def _forms(page: Page) -> Iterator[Object]:
    """The forms that a page draws, in their order, as plain ones: nothing shines through them."""
    for draw in parse_content_stream(page, "Do"):
        form = page.resources.XObject[str(draw.operands[0])]
        del form.Group
        # Black text and rules need no more.
        form.Resources = Dictionary(
            Font=form.Resources.Font, ExtGState=form.Resources.ExtGState
        )
        yield form


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
        try:
            answer: tuple[bytes | None, str] = draw(pages, paper), ""
        except Exception as error:  # whatever it is, the next document may be drawn
            answer = None, type(error).__name__
        line.send(answer)
        signal.alarm(0)
        drawn += 1
        if drawn == FREEZE_AFTER:
            freeze_garbage()


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
