"""Codes of the index and of the code that no reader of a page may meet, and where they stand."""

import io
import re
from collections.abc import Iterable
from html.parser import HTMLParser

from django.http import HttpResponse
from pypdf import PdfReader

from rulesdata import registry

# What a screen shows or reads out of an element besides its text.
SPOKEN = {"alt", "aria-label", "aria-description", "label", "placeholder", "title"}
# What a file must hold is written in <code>, as a program reads it.
UNSEEN = {"script", "style", "template", "code"}
# Where a reader is a developer.
FOR_PROGRAMS = ("/api/", "/admin/")
# Sections of the rule texts and refs of rulings: F000-07, G06, C52.
SECTIONS = re.compile(r"\b(?:F\d{3}(?:-\d+)?|[CG]\d{2})\b")


class Words(HTMLParser):
    """The text of a page, and the attributes that are shown or read out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSEEN:
            self.inside.append(tag)
        self.said += [value or "" for name, value in attrs if name in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSEEN and self.inside:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.said.append(data)


def words_of(answer: HttpResponse) -> list[str]:
    """What a reader of this answer sees: of a page, of a text, of a PDF; nothing of JSON."""
    kind = str(answer["Content-Type"]).partition(";")[0]
    if kind == "application/pdf":
        file = io.BytesIO(b"".join(answer) if answer.streaming else answer.content)
        return [page.extract_text() for page in PdfReader(file).pages]
    if kind not in ("text/html", "text/plain", "text/markdown", "text/calendar"):
        return []
    text = answer.content.decode() if not answer.streaming else ""
    if kind != "text/html":
        return [text]
    words = Words()
    words.feed(text)
    words.close()
    return words.said


def internal_names() -> frozenset[str]:
    """The codes of guidelines, and the refs and keys of rulings, in every system."""
    books = registry.rulesets()
    codes = {line.code for book in books for line in book.guidelines}
    rulings = [ruling for book in books for ruling in book.rulings]
    names = {one.ref for one in rulings} | {one.key for one in rulings if "_" in one.key}
    return frozenset(codes | names)


def codes_in(said: Iterable[str], names: frozenset[str]) -> list[str]:
    """Each internal code in these texts, with what stands around it."""
    pattern = re.compile(
        rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w-])|{SECTIONS.pattern}"
    )
    return [
        f"{match[0]} in “{' '.join(text[max(0, match.start() - 40) : match.end() + 20].split())}”"
        for text in said
        for match in pattern.finditer(text)
    ]
