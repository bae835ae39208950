"""The rule book's pages: every unit draws, figures and doubts are shown, searches find, bad
addresses get words.
"""

import re
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from accounts.owner import Owner
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.search_index import KINDS, search
from rulesdata.queries.unit_pages import find_unit, load_unit
from tests.factories import make_person
from tests.rulesdata.scenarios import draft, load_systems, store
from tests.systems import in_turn, some_of, systems_with

SYSTEM = "warhammer-skirmish"
ARMIES = registry.list_army_keys(SYSTEM)
PLAIN_PAGES = [
    ("rulebook", []),
    ("search", []),
    ("unit-compare", []),
    ("system-detail", [SYSTEM]),
    ("chart-list", [SYSTEM]),
    ("weapon-list", [SYSTEM]),
    ("armour-list", [SYSTEM]),
    ("army-list", [SYSTEM]),
    ("magic-item-list", [SYSTEM, "the-empire"]),
]


def unit_url(army: str, unit: str) -> str:
    return reverse("unit-detail", args=[SYSTEM, army, unit])


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@pytest.fixture
def systems(db: None) -> None:
    load_systems()


@pytest.mark.parametrize("name,arguments", PLAIN_PAGES)
def test_page_of_the_packs_draws_without_a_query(client, name, arguments):
    # No database mark: a query would fail this test.
    assert client.get(reverse(name, args=arguments)).status_code == 200


@some_of(registry.rulesets(), of=3)
def test_page_of_every_book_escapes_a_text_once(client: Client, book: System) -> None:
    for name in ("system-detail", "chart-list", "weapon-list"):
        html = client.get(reverse(name, args=[book.address])).content.decode()
        assert not re.findall(r".{0,40}&amp;#?\w+;", html), name


@some_of(systems_with("rulings"), of=3, start=1)
def test_every_alternative_of_a_ruling_is_told(client: Client, book: System) -> None:
    html = client.get(reverse("system-detail", args=[book.address])).content.decode()
    shown = text_of(html).replace("″", '"').replace("−", "-")
    told = [words for ruling in book.rulings for words in ruling.alternatives]
    assert told
    assert [words for words in told if f"Or: {words}" not in shown] == []


@pytest.mark.parametrize("army", in_turn(ARMIES, of=5, start=1))
def test_army_page_names_every_unit_of_the_list(client: Client, army: str) -> None:
    body = unescape(
        client.get(reverse("army-detail", args=[SYSTEM, army])).content.decode()
    )
    listed = registry.load_army(SYSTEM, army)
    for profile in (*listed.profiles.values(), *listed.mounts.values()):
        assert unit_url(army, profile.key) in body
        assert profile.name in body


@pytest.mark.parametrize("army", in_turn(ARMIES, of=5))
def test_every_unit_draws_with_its_price_its_options_and_its_doubts(army: str) -> None:
    listed = registry.load_army(SYSTEM, army)
    assert listed.profiles
    for profile in (*listed.profiles.values(), *listed.mounts.values()):
        page = load_unit(find_unit(SYSTEM, army, profile.key))
        shown = text_of(render_to_string("rulesdata/unit.html", {"page": page}))
        for words in (
            page["unit"].price,
            *profile.doubts,
            *profile.special_rules,
            *(o.name for o in profile.options),
        ):
            assert " ".join(words.split())[1:] in shown, (
                f"{army}/{profile.key} does not show {words!r}"
            )


def test_unit_page_marks_the_champions_figures_and_links_the_doubt(client: Client) -> None:
    body = client.get(unit_url("orcs-and-goblins", "orc-boyz")).content.decode()
    assert body.count('class="up"') >= 3
    assert 'href="#doubt-1"' in body
    assert 'id="doubt-1"' in body


def test_unit_page_lights_the_row_and_column_asked_for(client: Client) -> None:
    boyz = find_unit(SYSTEM, "orcs-and-goblins", "orc-boyz")
    wounding = load_unit(boyz, ("4", "3"))["wounding"]
    assert (wounding["lit"].answer, wounding["lit"].odds) == ("3+", "4 in 6")
    assert [(name, when, score) for name, when, _, score in wounding["blows"]] == [
        ("Choppa", "", "4+"),
        ("Choppa", "charging", "3+"),
    ]
    body = client.get(
        unit_url("orcs-and-goblins", "orc-boyz") + "?row=4&column=3"
    ).content.decode()
    assert re.findall(r'<td class="hit">([^<]*)</td>', body) == ["3+"]


def test_unit_page_gives_htmx_only_the_chart(client: Client) -> None:
    url = unit_url("orcs-and-goblins", "orc-boyz") + "?row=4&column=3"
    part = client.get(
        url, headers={"HX-Request": "true", "HX-Target": "wounding"}
    ).content.decode()
    assert "<h1" not in part
    assert 'id="wounding"' in part


def test_guidelines_of_a_unit_leave_out_leader_and_points() -> None:
    codes = {
        f.code
        for f in load_unit(find_unit(SYSTEM, "the-empire", "steam-tank"))["unit"].findings
    }
    assert {"type.monster", "category.rare"} <= codes
    assert not any(code.startswith(("points.", "leader.", "option.")) for code in codes)
    assert find_unit(SYSTEM, "orcs-and-goblins", "orc-boyz").findings == ()


def test_comparison_marks_the_better_figure_on_each_side(client: Client) -> None:
    a, b = f"{SYSTEM}/orcs-and-goblins/orc-boyz", f"{SYSTEM}/the-empire/halberdiers"
    page = load_unit(find_unit(SYSTEM, "orcs-and-goblins", "orc-boyz"), beside=b)
    assert [row["changed"] for row in page["beside"]["rows"]] == [["T", "Pts"], ["I"]]
    response = client.get(reverse("unit-compare"), {"a": a, "b": b})
    assert "Halberdiers" in response.content.decode()


def test_prices_stand_under_the_lists_own_currency(client: Client) -> None:
    system, other = "mordheim-rulings.A", "mordheim-rulings.A/the-empire/halberdiers"
    page = load_unit(find_unit(system, "reiklanders", "warrior"), beside=other)
    heads = [dict(row["extra"]).keys() - {"Save"} for row in page["beside"]["rows"]]
    assert heads == [{"Gc"}, {"Pts"}]
    changed = [row["changed"] for row in page["beside"]["rows"]]
    assert not {"Gc", "Pts"}.intersection(*changed)
    answer = client.get(reverse("army-detail", args=[system, "reiklanders"]))
    assert ">Gc</th>" in answer.content.decode()


@pytest.mark.parametrize("address,status,words", [
    ("/rules/nothing/", 404, ""),
    (f"/rules/{SYSTEM}/armies/nothing/", 404, ""),
    (f"/rules/{SYSTEM}/armies/the-empire/units/nothing/", 404, ""),
    ("/rules/compare/?a=nothing", 404, ""),
    (
        f"/rules/{SYSTEM}/armies/the-empire/units/halberdiers/?row=99",
        400,
        "row: choose one of 1, 2",
    ),
    (
        f"/rules/{SYSTEM}/armies/the-empire/units/halberdiers/?column=x",
        400,
        "column: choose one of 1, 2",
    ),
    (f"/rules/{SYSTEM}/charts/?chart=nothing", 400, "chart: choose one of"),
    (f"/rules/{SYSTEM}/armies/the-empire/?q={'x' * 101}", 400, "at most 100 characters"),
    (f"/rules/search/?q={'x' * 101}", 400, "at most 100 characters"),
    ("/rules/search/?q=orc&in=nothing", 400, "choose one of"),
    ("/rules/search/?q=%00", 400, "NUL"),
    ("/rules/search/?q=%ED%A0%80", 200, ""),
    ("/rules/search/?q=%E2%80%AE%CC%81%CC%81", 200, ""),
])  # fmt: skip
@pytest.mark.django_db
def test_address_that_names_nothing_is_answered_in_words(client, address, status, words):
    response = client.get(address)
    assert response.status_code == status
    assert words in unescape(response.content.decode())


@pytest.mark.parametrize("text,kind,name", [
    ("orc boy", "units", "Orc Boyz"),
    ("ÓRC BÓYZ", "units", "Orc Boyz"),
    ("van horstmanns", "magic-items", "Van Horstmann's Speculum"),
    ("halberd", "weapons", "Halberd"),
    # By what they carry, whatever they are called.
    ("halberd stormvermin", "units", "Stormvermin"),
    ("empire crossbow", "units", "Crossbowmen"),
    ("heavy", "armour", "Heavy armour"),
    ("troll", "scenarios", "Hunt the troll"),
    ("tomb kings", "armies", "Tomb Kings"),
    ("skirmish", "systems", "Warhammer Skirmish"),
    ("to wound", "charts", "To wound"),
    ("F000-10", "guidelines", "Too many models"),
    ("stunned", "rules", "Stunned"),
])  # fmt: skip
@pytest.mark.django_db
def test_search_finds_each_kind(client: Client, text: str, kind: str, name: str) -> None:
    groups = {g["kind"]: [hit.name for hit in g["hits"]] for g in search(text)["groups"]}
    assert name in groups[kind]
    body = unescape(client.get(reverse("search"), {"q": text}).content.decode())
    assert name in body


@pytest.mark.django_db
def test_every_kind_of_hit_leads_to_a_page(client: Client) -> None:
    found = {kind: search("a", kind=kind)["groups"] for kind, _ in KINDS}
    for kind, groups in found.items():
        assert groups, f"a search finds no {kind}"
        assert client.get(groups[0]["hits"][0].url).status_code == 200


def test_search_takes_one_query(client, systems, django_assert_num_queries):
    actor = make_person()
    for number in (1, 3):
        for _ in range(number):
            store(actor, draft(name="Ford at dusk", visibility="public"))
        with django_assert_num_queries(
            1
        ):  # people's scenarios; the packs are searched in memory
            client.get(reverse("search"), {"q": "dusk"})


def test_search_shows_only_scenarios_shared_with_the_reader(systems: None) -> None:
    author = make_person()
    store(author, draft(name="Secret ford"))
    store(author, draft(name="Open ford", visibility="public"))
    store(author, draft(name="Linked ford", visibility="link"))

    def names(actor: Owner) -> list[str]:
        (group,) = search("ford", actor)["groups"]
        return [hit.name for hit in group["hits"]]

    assert names(make_person()) == ["Open ford"]
    assert sorted(names(author)) == ["Linked ford", "Open ford", "Secret ford"]
