"""A warband goes out as a document and comes back as the same one, whatever is in it."""

import json
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from engine.text import text_fault
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import open_rulings
from tests.factories import SYSTEM
from tests.guards.cast import World
from tests.guards.watching import taken_back
from warbands.models import NAME_MAX, NOTE_MAX
from warbands.roster_fields import DOCUMENT_FIELDS

pytestmark = pytest.mark.django_db


def texts(maximum: int, *, lines: bool = False) -> st.SearchStrategy[str]:
    """Whatever a document may hold as words: any script, signs, markup; never what the format
    refuses.
    """
    found = st.text(max_size=60) | st.sampled_from(
        ["<b>&amp;", "=1+1", "{{7*7}}", "Ümläut 日本語 🐺", "e\u0301", "\u200d"]
    )
    return found.filter(lambda text: not text_fault(text, maximum, many_lines=lines))


@st.composite
def warriors(draw: st.DrawFn, book: System, army: str) -> dict[str, Any]:
    profiles = registry.load_army(book.key, army, book.variant).profiles
    key = draw(st.sampled_from(sorted(profiles)) | st.just("no-such-profile"))
    known = [option.key for option in profiles[key].all_options] if key in profiles else []
    options = st.sampled_from(
        [
            *known, "champion", "musician", "standard-bearer", "no-such-option",
            "magic/no-such-item",
        ]
    )  # fmt: skip
    entry = {
        name: draw(value_of(one, key, options)) for name, one in DOCUMENT_FIELDS.items()
    }
    if entry["leader"]:
        entry["count"] = 1
    return {
        name: value
        for name, value in entry.items()
        if value or not DOCUMENT_FIELDS[name].is_optional
    }


def value_of(one, profile, options) -> st.SearchStrategy[Any]:
    forms = {
        "key": st.just(profile),
        "text": texts(one.limit),
        "lines": texts(one.limit, lines=True),
        "count": st.integers(1, 200),
        "flag": st.booleans(),
        "keys": st.lists(options, max_size=8),
        "growth": st.none(),  # it comes in as notes
    }
    return forms[one.form]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    book = draw(st.sampled_from(registry.rulesets()))
    army = draw(st.sampled_from(registry.list_army_keys(book.key)))
    switches = [rule.key for rule in book.house_rules]
    document = {
        "format": "muster-roll/1",
        "system": book.key,
        "variant": book.variant,
        "army": army,
        "name": draw(texts(NAME_MAX)),
        "points_limit": draw(st.none() | st.integers(0, 100_000)),
        "scenario": draw(st.sampled_from([None, *book.scenarios])),
        "house_rules": draw(st.dictionaries(st.sampled_from(switches), st.booleans()))
        if switches
        else {},
        "warriors": draw(st.lists(warriors(book, army), max_size=8)),
    }
    refs = [one.ref for one in open_rulings(book)]
    if rulings := draw(
        st.dictionaries(st.sampled_from(refs), st.integers(0, 1), max_size=5)
    ):
        document["rulings"] = rulings
    if book.tags and (
        tags := draw(st.lists(st.sampled_from([tag.key for tag in book.tags]), unique=True))
    ):
        document["tags"] = tags
    if note := draw(st.just("") | texts(NOTE_MAX, lines=True)):
        document["note"] = note
    return document


def test_generated_warbands_come_back_the_same(world, soak):
    client = world.cast["owner"].client(raise_request_exception=True)
    seen: dict[str, Any] = {"warriors": 0, "cases": 0, "books": set()}

    @seed(2026)
    @settings(
        max_examples=soak(20, 1000),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )
    @given(document=documents())
    def there_and_back(document: dict[str, Any]) -> None:
        with taken_back():
            first = bring_in(document)
            second = bring_in(first)
        assert first == document
        assert second == first
        seen["warriors"] += len(document["warriors"])
        seen["cases"] += 1
        seen["books"].add((document["system"], document["variant"]))

    def bring_in(document: dict[str, Any]) -> Any:
        sent = {"text": json.dumps(document, ensure_ascii=False)}
        answer = client.post(reverse("warband-import"), sent)
        assert answer.status_code == 302, answer.content.decode()
        return json.loads(client.get(f"{answer.headers['Location']}roster.json").content)

    there_and_back()
    assert seen["cases"] >= soak(20, 1000)
    assert seen["warriors"] > seen["cases"] // 2
    books = {(book.key, book.variant) for book in registry.rulesets()}
    assert seen["books"] <= books
    assert len(seen["books"]) >= soak(3, len(books))  # few cases may leave one out


# What an option takes off the price, listed once as it should be and again as nobody should.
DISCOUNTED = [("steam-tank", "mortar-and-swivel-guns", times) for times in (1, 2, 8)]


@pytest.mark.parametrize("profile, option, times", DISCOUNTED)
def test_discount_is_kept_and_read_everywhere(world, profile, option, times):
    army = registry.load_army(SYSTEM, "the-empire")
    assert (
        next(
            found for found in army.profiles[profile].all_options if found.key == option
        ).points
        < 0
    )
    entry = {
        "profile": profile,
        "name": "",
        "count": 1,
        "leader": False,
        "options": [option] * times,
    }
    document = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": "the-empire",
        "warriors": [entry],
    }
    client = world.cast["owner"].client(raise_request_exception=True)
    home = client.post(reverse("warband-import"), {"text": json.dumps(document)}).headers[
        "Location"
    ]
    (found,) = json.loads(client.get(f"{home}roster.json").content)["warriors"]
    assert {**found, **entry} == found
    for page in (
        "", "sheet/", "sheet/cards/", "sheet.pdf", "roster.txt", "roster.md", "compact.txt",
        "history/",
    ):  # fmt: skip
        assert client.get(home + page).status_code == 200, page
    for page in (reverse("warband-list"), reverse("home")):
        assert client.get(page).status_code == 200, page


def test_what_the_cast_has_comes_back_the_same(world: World) -> None:
    """Warbands made in the builder, not only those that came as documents."""
    client, compared = world.cast["owner"].client(), 0
    for name in ("private", "link", "club", "public", "archived"):
        url = reverse("roster-json", args=[world.warbands[name].token])
        document = json.loads(client.get(url).content)
        answer = client.post(reverse("warband-import"), {"text": json.dumps(document)})
        assert (
            json.loads(client.get(f"{answer.headers['Location']}roster.json").content)
            == document
        )
        compared += 1
    assert compared == 5
