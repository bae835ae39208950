"""What people type stays text: no element and no attribute more than harmless words would make,
wherever it is shown.

Each hostile string goes through every text field of every form and through a roster document; then
every page and file that shows any of it is compared with the same page after a harmless string of
the same length.
"""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.urls import reverse
from pypdf import PdfReader

from accounts import requests
from accounts.operations.people import rename_person
from tests.conftest import Share, Soak
from tests.guards.cast import World
from tests.guards.corpus import INJECTIONS
from tests.guards.forms import Form, send
from tests.guards.pages import Page, admin_pages, is_html, pages_of, shape_of
from tests.guards.routes import named
from tests.guards.watching import taken_back
from warbands.models import Warband, Warrior
from warbands.pdf import press

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

MARK = "Qxzmarkwolf"
PARTS = (0, pytest.param(1, marks=pytest.mark.soak))
# Typed to say that something shall go, or checked against what is there: never shown to anybody.
UNSHOWN = {
    "warband-delete", "account_close", "account_login", "account_reauthenticate",
    "account_change_password",
}  # fmt: skip
# A seed of few signs only; and another draw takes away the games that other forms are of.
UNSHOWN |= {"round-draw"}
DOCUMENT: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "army": "the-empire",
}


def harmless(text: str) -> str:
    """As long, with blanks and commas where the text has some: what a page splits or wraps by stays
    alike.
    """
    return re.sub(r"[^\s,]", "x", text)


def typed_fields(found: dict[str, Form]) -> list[tuple[Form, str]]:
    """Every field of a form that somebody types words into and others may read."""
    kinds = {"text", "textarea"}
    return [
        (form, control.name)
        for form in found.values()
        if form.method == "post" and form.route not in UNSHOWN
        for control in form.sorts()
        if control.kind in kinds
        and (form.route, control.name) != ("warband-import", "text")
    ]


def fill_everything(world, fields, importing, text) -> list[tuple[Form, str]]:
    """Type the text into all these fields and into a document; which fields took it."""
    taken, sent_before = [], {}
    for form, name in fields:
        sent = {**sent_before.get(form.route, form.filled()), name: text}
        if send(world, form, sent).status_code == 302:
            sent_before[form.route] = sent
            taken.append((form, name))
    entry = {
        "profile": "captain",
        "name": text,
        "note": text,
        "lore": text[:100],
        "options": [text[:100]],
        "count": 2,
    }
    stranger = {"profile": text[:100] or "x"}
    document = {**DOCUMENT, "name": text, "note": text, "warriors": [entry, stranger]}
    sent = importing.filled(text=json.dumps(document))
    if send(world, importing, sent).status_code == 302:
        taken.append((importing, "text"))
    return taken


def shown(world: World, text: str) -> list[tuple[str, HttpResponse]]:
    """Every page and file that could show what was typed, by whoever may open it."""
    newest = Warband.objects.latest("pk")
    pages = [page for page in pages_of(world, "club") if page.url in SHOWING]
    token = world.warbands["club"].token
    read = [
        page
        for page in pages
        if token in page.url and page.name not in ("warrior-read", "warband-history")
    ]
    was_imported = newest.owner_id == world.warbands["club"].owner_id
    imported = [
        Page(f"{page.name} imported", page.url.replace(token, newest.token))
        for page in read
        if was_imported
    ]
    found = [
        (page.name, world.cast["owner"].client().get(page.url))
        for page in [*pages, *imported]
    ]
    found.append(
        (
            "search for it",
            world.cast["owner"].client().get(reverse("search"), {"q": text[:60]}),
        )
    )
    staff = world.cast["staff"].client()
    found += [
        (page.name, staff.get(page.url))
        for page in admin_pages(world)
        if page.name in ADMIN
    ]
    return found


SHOWING: dict[str, str] = {}
TYPED: list[tuple[Form, str]] = []
# What shows words too, but not as text to look for, or only the name at the head.
ALWAYS = {"sheet-pdf", "account_profile"}
ADMIN = {
    "admin:warbands_warband_changelist", "admin:rulesdata_scenario_changelist",
    "admin:accounts_user_changelist", "admin:account_emailaddress_changelist",
}  # fmt: skip


# Looked at in every run; of the others the plain run takes one in eleven.
SHOWN = {
    "warband-list", "warband-read", "warrior-read", "sheet-read", "sheet-cards",
    "roster-text", "roster-markdown", "roster-json", "scenario-own", "scenario-list",
    "account_profile",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _showing(world: World, found: dict[str, Form], share: Share, soak: Soak) -> None:
    """Which fields take words and which pages show them: found by typing one and looking for it."""
    with taken_back():
        fields = typed_fields(found)
        taken = fill_everything(world, fields, found["warband-import post"], MARK)
        # A field that refuses a word is tried again with every text under --soak alone.
        TYPED.extend(field for field in fields if soak(0, 1) or field in taken)
        # Every page names who is signed in, at its head; that is looked at on the others.
        rename_person(world.warbands["club"].owner_id or 0, "Owner")
        pages = [page for page in pages_of(world, "club") if "?" not in page.url]
        often = [page for page in pages if page.name in SHOWN | ALWAYS]
        for page in dict.fromkeys([*often, *share(pages, 11)]):
            if page.name in ALWAYS or MARK.lower() in body_of(world, page).lower():
                SHOWING[page.url] = page.name


def body_of(world: World, page: Page) -> str:
    answer = world.cast["owner"].client().get(page.url)
    is_text = answer["Content-Type"].startswith(("text/", "application/json"))
    return (
        answer.content.decode("utf-8", "replace")
        if is_text and answer.status_code == 200
        else ""
    )


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The HTML of each document that would go to the press, which stands still."""
    seen: list[str] = []

    def write(pages: press.Pages, paper: str) -> bytes:
        seen.extend(f"{html}{parts}" for html, parts in pages)
        return b"%PDF-"

    monkeypatch.setattr(press, "write", write)
    monkeypatch.setattr(requests, "PRINT_RATES", {"pdf": "100000/5m/ip"})
    return seen


def test_the_walk_found_fields_and_pages(found: dict[str, Form]) -> None:
    assert len(INJECTIONS) == len(set(INJECTIONS)) >= 80
    assert len(TYPED) > 15
    assert set(SHOWING.values()) >= SHOWN


def picture(world, found, text, drawn) -> tuple[int, dict[str, Any]]:
    """What every page consists of after a text was typed everywhere, and how many fields took it."""
    cache.clear()  # or the sign-ups would reach their limit
    with taken_back():
        drawn.clear()
        taken = len(fill_everything(world, TYPED, found["warband-import post"], text))
        shapes: dict[str, Any] = {}
        for name, answer in shown(world, text):
            # 302: what a refused sign has kept somebody from (leaving an event, say) leads
            # elsewhere.
            assert answer.status_code in (200, 302) or name == "search for it", (
                name, answer.status_code, text,
            )  # fmt: skip
            if is_html(answer):
                shape = shape_of(answer.content.decode())
                assert name.startswith("admin:") or shape.faults == [], (name, text)
                shapes.setdefault(name, []).append(
                    (shape.elements, shape.attributes, shape.comments)
                )
            elif answer["Content-Type"].startswith("application/json"):
                json.loads(answer.content)
        # A print breaks its lines by how wide the words are, so that only what there is can be
        # compared, not how often.
        shapes["printed"] = set()
        for html in drawn:
            shape = shape_of(html)
            assert shape.faults == [], text
            shapes["printed"] |= set(shape.elements) | set(shape.attributes)
    return taken, shapes


def sort_of(text: str) -> tuple[int, bool, int]:
    """Texts a page may draw alike: as many commas, with blanks or without, within the same of the
    fields' limits.
    """
    return (
        text.count(","),
        bool(re.search(r"\s", text)),
        sum(len(text) > limit for limit in (20, 60, 80, 100)),
    )


@pytest.fixture(scope="module")
def plain() -> dict[tuple[int, bool, int], tuple[int, dict[str, Any]]]:
    """What the pages consist of after harmless text, once for each sort."""
    return {}


@pytest.mark.parametrize("first", PARTS)
def test_typed_text_adds_no_element(world, found, drawn, plain, soak, first):
    """One string through every field, all under --soak; the next test takes all through a document."""
    compared = 0
    for text in INJECTIONS[first :: soak(len(INJECTIONS), len(PARTS))]:
        sort = sort_of(text)
        if sort not in plain:
            plain[sort] = picture(world, found, harmless(text), drawn)
        taken, shapes = picture(world, found, text, drawn)
        if re.search("[\u202e\u200b]", text) or not any(sign.isalnum() for sign in text):
            continue  # some fields refuse these signs, and a name of nothing to read, so that the pages hold less
        assert taken == plain[sort][0] > 10, text
        for name, expected in plain[sort][1].items():
            if name == "search for it":
                continue  # finds other things for other words; what is inline it shows as well
            if (
                name == "printed"
            ):  # what has no sign a font can draw is left out with its place
                assert shapes[name] <= expected, text
            else:
                assert shapes[name] == expected, (name, text)
            compared += 1
    assert compared > 12


def imported(world: World, texts: list[str]) -> str:
    """A public warband of one entry for each text, which stands in every place a document has for
    words.
    """
    entries = [
        {
            "profile": "halberdiers",
            "name": text,
            "note": text,
            "lore": text[:100],
            "options": [text[:100]],
        }
        for text in texts
    ]
    strangers = [{"profile": text[:100], "name": text} for text in texts]
    document = {
        **DOCUMENT,
        "name": texts[0],
        "note": texts[1],
        "warriors": entries + strangers,
    }
    answer = (
        world.cast["owner"]
        .client()
        .post(reverse("warband-import"), {"text": json.dumps(document)})
    )
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def test_text_of_a_document_adds_no_element(world: World, drawn: list[str]) -> None:
    texts = [text for text in INJECTIONS if "\u202e" not in text]
    names = {
        page.name
        for page in pages_of(world)
        if page.name.startswith(("warband-", "sheet-", "roster-", "warrior-"))
    }
    client, compared = world.cast["owner"].client(), 0
    seen: list[dict[str, Any]] = []
    for words in (texts, [harmless(text) for text in texts]):
        with taken_back():
            token = imported(world, words).split("/")[2]
            first = Warrior.objects.filter(warband__token=token).earliest("position").pk
            answers = {
                name: client.get(named(name).url({"token": token, "warrior_id": first}))
                for name in sorted(names)
                if {"token"} <= set(named(name).arguments) <= {"token", "warrior_id"}
            }
            found = {
                name: answer
                for name, answer in answers.items()
                if answer.status_code == 200
            }
            seen.append(
                {
                    name: shape_of(answer.content.decode())
                    for name, answer in found.items()
                    if is_html(answer)
                }
            )
    hostile, plain = seen
    assert set(hostile) == set(plain)
    for name, shape in plain.items():
        assert hostile[name].faults == [], name
        assert (hostile[name].elements, hostile[name].attributes) == (
            shape.elements,
            shape.attributes,
        ), name
        compared += 1
    assert compared > 8


def pdf_of(world: World, texts: list[str]) -> PdfReader:
    """The whole document of a warband whose every entry is named and noted with one of the texts."""
    entries = [{"profile": "halberdiers", "name": text, "note": text} for text in texts]
    document = {**DOCUMENT, "name": texts[0], "note": texts[1], "warriors": entries}
    client = world.cast["owner"].client()
    with taken_back():
        answer = client.post(reverse("warband-import"), {"text": json.dumps(document)})
        url = f"{answer.headers['Location']}sheet.pdf?parts=roster,reference,cards"
        return PdfReader(BytesIO(client.get(url).content))


def links(reader: PdfReader) -> list[str]:
    notes = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    return [str(note.get("/A", {}).get("/URI", "")) for note in notes]


def test_printed_text_stays_text(world: World) -> None:
    texts = [text for text in INJECTIONS if not re.search("[\u202e\u200b]", text)]
    hostile, plain = pdf_of(world, texts), pdf_of(world, [harmless(text) for text in texts])
    assert len(plain.pages) > 5
    assert links(hostile) == links(plain)
    assert "/Names" not in hostile.trailer["/Root"]  # no script, no file inside
    words = " ".join(page.extract_text() for page in hostile.pages)
    assert "<script>alert(1)</script>" in "".join(words.replace("\0", "").split())
