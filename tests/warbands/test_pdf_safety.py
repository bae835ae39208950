"""What people type stays text, nothing is fetched, and many threads may ask at once."""

import builtins
import io
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pikepdf import Pdf, Stream
from pypdf import PdfReader

from engine.roster import RosterEntry
from tests.systems import in_turn
from tests.warbands.print_sheets import DETAILS, mixed, print_html, sheet_of, watch
from warbands.pdf import measure, render
from warbands.pdf.documents import roster_pdf
from warbands.pdf.measure import clean
from warbands.pdf.render import Renderer
from warbands.sheet.structure import RosterSheet

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "</title><h1>x</h1>",
    "</style><style>*{display:none}</style>",
    "</pre></section></main><b>out</b>",
    "<!-- comment",
    "]]><x>",
    "&lt;b&gt; &amp; &#60;b&#62;",
    "<b><b><b>",
    "{{ 7*7 }} {% debug %} ${7*7}",
    "javascript:alert(1)",
    "<iframe src='http://example.org'>",
    "<link rel=attachment href='file:///etc/passwd'>",
    "<base href='http://example.org/'>",
    "<meta http-equiv=refresh content=0>",
    "<object data='file:///etc/passwd'>",
    "<a href='file:///etc/passwd'>x</a>",
    "'); DROP TABLE warbands; --",
    "=1+1",
    "@import url(http://example.org/x.css)",
    "url(file:///etc/passwd)",
    "\u202eevil\u202c",
    "\u2066\u2067nested\u2069",
    "\ud800lone",
    "tail\udfff",
    "\x00\x01\x1b[31m",
    "line\nbreak\ttab\rreturn",
    "a" * 5000,
    "wide " * 500,
    "e" + "\u0301" * 10_000,
    "\u0301" * 10_000,
    "🐺🏳️‍🌈👨‍👩‍👧‍👦",
    "日本語の戦士たち",
    "العربية",
    "עברית",
    "ไทย",
    "\ufffe\uffff",
    "\U000e0041\U000e0042",
    "\ue000private",
    "\u200b\u200c\u200d\ufeff",
    "ﷺ" * 50,
    "",
    " ",
    "​",
]


def filled(text: str) -> RosterSheet:
    details = {**DETAILS, "owner": text, "club": text}
    base = sheet_of(
        RosterEntry("captain", text, is_leader=True, note=text, lore=text, options=(text,)),
        RosterEntry("halberdiers", f"{text},{text}", 3, note=text),
        RosterEntry(text or "unknown", text),
        name=text,
        note=text,
        details=details,
    )
    return replace(base, scenario=text, house_rules=(text, "x"), leader=text)


class Shape(HTMLParser):
    """The elements of a page with their attributes' names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[tuple[str, tuple[str, ...]]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.found.add((tag, tuple(name for name, _ in attributes)))


PLAIN = frozenset({(), ("class",)})
ALLOWED = {
    "html": {("lang",)},
    "meta": {("charset",), ("name", "content")},
    "img": {("class", "alt", "src")},
    "link": {("rel", "href")},
    **dict.fromkeys(
        ("head", "title", "body", "header", "main", "section", "div", "footer"), PLAIN
    ),
    **dict.fromkeys(
        ("h1", "h2", "h3", "h4", "p", "pre", "table", "tr", "td", "b", "i", "u", "span"),
        PLAIN,
    ),
}


def test_hostile_text_adds_no_element() -> None:
    for text in HOSTILE:
        html = print_html(filled(text), ("roster", "reference", "cards"))
        for tag, attributes in Shape(html).found:
            assert attributes in ALLOWED.get(tag, set()), (text, tag, attributes)
        assert "style=" not in html.replace("&quot;", ""), text
        html.encode("utf-8")


@pytest.mark.parametrize("text", in_turn(HOSTILE, of=4), ids=range(len(HOSTILE)))
def test_hostile_text_prints(text: str) -> None:
    pages = PdfReader(io.BytesIO(roster_pdf(filled(text), parts=("roster",)))).pages
    assert 1 <= len(pages) <= 3


VECTORS = [
    "http://127.0.0.1:9/x",
    "https://127.0.0.1:9/x",
    "ftp://127.0.0.1:9/x",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "file://localhost/etc/passwd",
    "//127.0.0.1:9/x",
    "/etc/passwd",
    "../../etc/passwd",
    "jar:file:///x!/y",
    "gopher://127.0.0.1:9/",
    " file:///etc/passwd",
    "\tfile:///etc/passwd",
    "data :text/plain,x",
    "local_file:///etc/passwd",
    "",
]
PLACES = [
    "<img src='{}'/>",
    "<link rel='stylesheet' href='{}'/>",
    "<link rel='attachment' href='{}'/>",
    "<object data='{}'></object>",
    "<embed src='{}'/>",
    "<style>@import url('{}');</style>",
    "<style>@font-face{{font-family:x;src:url('{}')}}p{{font-family:x}}</style><p>x</p>",
    "<p style=\"background:url('{}')\">x</p>",
    "<style>p::before{{content:url('{}')}}</style><p>x</p>",
    "<ul style=\"list-style-image:url('{}')\"><li>x</li></ul>",
    (
        "<svg xmlns='http://www.w3.org/2000/svg'><image href='{}' width='9' height='9'/><use "
        "href='{}'/></svg>"
    ),
    "<base href='{}'/><img src='x.png'/>",
    (
        "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image "
        "href='{}'/></svg>\"/>"
    ),
]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    """What draws, here and not in its process."""
    return Renderer()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every socket and every file of the system opened while a page is drawn."""
    seen: list[str] = []
    opened = builtins.open

    def no_socket(*arguments: object, **_: object) -> None:
        seen.append(f"socket {arguments}")
        raise OSError("no sockets here")

    def watch_open(path: object, *arguments: object, **keywords: object) -> object:
        if str(path).startswith(("/etc/passwd", "/etc/hosts")):
            seen.append(f"file {path}")
        return opened(path, *arguments, **keywords)

    monkeypatch.setattr(socket.socket, "connect", no_socket)
    monkeypatch.setattr(socket, "create_connection", no_socket)
    monkeypatch.setattr(socket, "getaddrinfo", no_socket)
    monkeypatch.setattr(builtins, "open", watch_open)
    return seen


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_nothing_is_fetched(number, watched, renderer, share):
    place = PLACES[number]
    for address in share(VECTORS, 5, number):
        body = place.replace("{{", "{").replace("}}", "}").replace("{}", address)
        html = (
            "<!DOCTYPE html><html "
            f"lang='en'><head><title>x</title></head><body>{body}</body></html>"
        )
        try:
            pdf = renderer.write([(html, None)], "a4")
        except ValueError:
            continue  # refused altogether
        assert b"root:" not in pdf
        assert not PdfReader(io.BytesIO(pdf)).attachments
    assert watched == []


def test_the_whole_corpus_prints_on_cards() -> None:
    entries = [RosterEntry("captain", text, note=text) for text in HOSTILE]
    pages = PdfReader(io.BytesIO(roster_pdf(sheet_of(*entries), parts=("cards",)))).pages
    assert len(pages) == -(-len(set(HOSTILE)) // 8)


def test_the_fetcher_answers_data_only() -> None:
    fetcher = render.DataUrlFetcher()
    assert fetcher.fetch("data:text/plain,hello").read() == b"hello"
    for address in VECTORS:
        with pytest.raises(ValueError, match="data"):
            fetcher.fetch(address)
        with pytest.raises(ValueError, match="data"):
            fetcher.open(address)


def test_eight_threads_at_once_give_the_same_pages() -> None:
    sheets = [
        watch(),
        mixed(),
        watch(is_opponents_copy=True),
        sheet_of(RosterEntry("captain")),
    ] * 4
    alone = [len(PdfReader(io.BytesIO(roster_pdf(sheet))).pages) for sheet in sheets[:4]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(roster_pdf, sheets))
    assert [len(PdfReader(io.BytesIO(pdf)).pages) for pdf in together] == alone * 4


def test_reference_pages_are_kept_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "KEPT_PAGES", 3)
    renderer = Renderer()
    drawn = []
    for number in (0, 1, 2, 3, 4, 2, 1):
        renderer.write([("<p>First</p>", None), (f"<p>Reference {number}</p>", ())], "a4")
        drawn.append(renderer.kept_pdf.cache_info().misses)
    assert drawn == [1, 2, 3, 4, 5, 5, 6]
    assert renderer.kept_pdf.cache_info().currsize == 3
    assert renderer.head.cache_info().currsize == 3


def test_a_part_is_laid_out_once_for_many_pages(renderer, monkeypatch):
    laid_out: list[str] = []
    lay_out = renderer.lay_out

    def watch_html(html: str, paper: str) -> object:
        laid_out.append(html)
        return lay_out(html, paper)

    monkeypatch.setattr(renderer, "lay_out", watch_html)
    for number, words in enumerate((["Shared", "Own"], ["Shared", "Other"], ["Own"])):
        placed = tuple((part_of(word), 20.0 * i) for i, word in enumerate(words, 1))
        pdf = renderer.write([(f"<p>{number}</p>", placed)], "a4")
        (page,) = PdfReader(io.BytesIO(pdf)).pages
        assert page.extract_text().split() == [str(number), *words]
    told = "".join(laid_out)
    assert [told.count(part_of(word)) for word in ("Shared", "Own", "Other")] == [1, 1, 1]


def part_of(text: str) -> str:
    return f"<div class='one L k70'><p class='x'>{text}</p></div>"


def test_parts_are_bounded_and_may_be_longer_than_a_page(renderer, monkeypatch):
    monkeypatch.setattr(render, "KEPT_PARTS", 3)
    for parts in (range(5), range(4, 9)):
        placed = tuple((part_of(f"Row {number}"), 9.0 * number) for number in parts)
        renderer.write([("<p>One</p>", placed)], "a4")
        assert len(renderer.parts) == 3
    long = "<div class='one L k70'><pre class='g'>" + "line\n" * 500 + "</pre></div>"
    pdf = renderer.write([("<p>One</p>", ((long, 20.0), (part_of("Last"), 30.0)))], "a4")
    (page,) = PdfReader(io.BytesIO(pdf)).pages
    assert page.extract_text().split()[-1] == "Last"


def test_parts_laid_out_at_different_times_share_their_fonts(renderer: Renderer) -> None:
    for text in ("Halberd", "Bow 24″", "Büchse"):
        renderer.write([("<p>One</p>", ((part_of(text), 20.0),))], "a4")
    texts = ("Halberd", "Bow 24″")
    placed = tuple((part_of(text), 20.0 * i) for i, text in enumerate(texts))
    fonts = embedded_fonts(renderer.write([("<p>One</p>", placed)], "a4"))
    # What the usual letters do not have is in a font of its own.
    odd = ((part_of("Büchse"), 90.0),)
    more = embedded_fonts(renderer.write([("<p>One</p>", placed + odd)], "a4"))
    assert len(more) > len(fonts)
    alone = embedded_fonts(renderer.write([("<p>One</p>", placed[:1])], "a4"))
    assert len(fonts) == len(alone)


def embedded_fonts(pdf: bytes) -> list[bytes]:
    with Pdf.open(io.BytesIO(pdf)) as opened:
        return [
            bytes(one.read_raw_bytes())
            for one in opened.objects
            if isinstance(one, Stream) and "/Length1" in one
        ]


def test_clean_keeps_letters_of_all_scripts_and_drops_the_unprintable() -> None:
    assert clean("Łukasz O’Brien, 3rd") == "Łukasz O’Brien, 3rd"
    assert clean("日本 עברית") == "日本 עברית"
    assert clean("a\u202eb\x00c\ud800d\u200be") == "abcde"
    assert clean("wolf 🐺 pack") == "wolf 🐺 pack"
    assert clean("e" + "\u0323\u0301" * 5000).count("\u0323") <= 2
    assert clean("x" * 500) == "x" * 399 + "…"


def test_no_stray_files_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    roster_pdf(watch())
    assert list(tmp_path.iterdir()) == []


def test_names_of_every_script_are_drawn_or_their_signs_are_listed() -> None:
    names = ("太郎", "😎 Otto", "นักรบ", "Ἀχιλλεύς", "العربية", "देवनागरी")
    sheet = sheet_of(*(RosterEntry("halberdiers", name) for name in names), name="夜警 😎")
    undrawn = measure.undrawn_signs("".join(names) + "夜警")
    with Pdf.open(io.BytesIO(roster_pdf(sheet, parts=["roster"]))) as pdf:
        assert len(pdf.pages) == 1
    text = (
        PdfReader(io.BytesIO(roster_pdf(sheet, parts=["roster"]))).pages[0].extract_text()
    )
    for sign in "太郎😎":
        assert (sign in text) != (sign in undrawn)
    assert ("No font for" in text) == bool(undrawn)


def test_signs_without_a_font_are_named_on_the_first_page(monkeypatch):
    monkeypatch.setattr(measure, "_has_font", lambda character: character == "太")
    sheet = sheet_of(RosterEntry("halberdiers", "太郎 Ω"), name="夜" + "\u4e00\u4e01" * 2)
    html = print_html(sheet, ["roster"])
    assert "No font for U+03A9 U+4E00 U+4E01 U+591C U+90CE." in html
    many = "".join(map(chr, range(0x4E00, 0x4E0A)))
    sheet = sheet_of(RosterEntry("halberdiers", many))
    assert "U+4E07 and 2 more." in print_html(sheet, ["roster"])


def test_a_long_note_prints_whole_after_the_warriors() -> None:
    words = [f"word{i:03}" for i in range(250)]
    note = " ".join(words)[:2000]
    entries = (
        RosterEntry("halberdiers", "Otto", note=note),
        RosterEntry("halberdiers", "Emil", note="W" * 2000),
        RosterEntry("halberdiers", "Karl", note="n" * 300),
    )
    pdf = PdfReader(io.BytesIO(roster_pdf(sheet_of(*entries), parts=["roster"])))
    text = " ".join(" ".join(page.extract_text().split()) for page in pdf.pages)
    assert all(word in text for word in words[:-1])
    assert text.count("at the end") == 2
    assert "1 Otto: word000" in text
    assert text.count("W") >= 2000
