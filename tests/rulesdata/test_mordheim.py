"""The Mordheim packs: figures as their texts print them, and three texts of one system kept apart."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from engine.roster import Agreement
from engine.rules import CombatRules
from engine.types.systems import System
from rulesdata import registry
from rulesdata.checks import check_folder, check_packs
from rulesdata.pack_files.yaml_files import Document, OverlayError, overlay_document
from rulesdata.queries import book, search_index
from rulesdata.queries import tables as gear
from rulesdata.queries.lookup import NeedsVariant, find_family, find_system
from rulesdata.queries.scenarios import scenario_choices
from rulesdata.queries.unit_pages import find_path

DRAFT, RULINGS = "mordheim-draft", "mordheim-rulings"
BOOKS = [(DRAFT, None), (RULINGS, "A"), (RULINGS, "B"), (RULINGS, "C")]


def load(key: str, variant: str | None) -> System:
    return registry.load_system(key, variant)


def test_criticals_do_what_each_text_prints() -> None:
    def rows(key: str, variant: str | None) -> list[tuple[int, str, int]]:
        rules = CombatRules.from_mapping(load(key, variant).combat).criticals
        assert rules is not None
        table = rules.tables[rules.critical_mode]
        return [
            (table[face].wounds, table[face].save, table[face].injury_bonus)
            for face in (0, 2, 4)
        ]

    for key, variant in ((DRAFT, None), (RULINGS, "B"), (RULINGS, "C")):
        assert rows(key, variant) == [(1, "none", 0), (2, "each", 0), (2, "none", 2)]
    assert rows(RULINGS, "A") == [(2, "first", 0), (2, "none", 0), (2, "none", 2)]


def test_strength_10_against_armour_is_each_texts_own() -> None:
    rules = [CombatRules.from_mapping(load(*book).combat).charts for book in BOOKS]
    assert [charts and charts.save_modifier[9] for charts in rules] == [7, 6, 7, 7]


def test_four_phases_and_rout_in_text_a_alone() -> None:
    books = [load(key, variant) for key, variant in BOOKS]
    assert [[phase.name for phase in book.phases] for book in books] == [
        ["Recovery", "Movement", "Shooting", "Hand-to-hand"]
    ] * 4
    assert [book.rout is not None for book in books] == [False, True, False, False]
    assert [book.full_name for book in books] == [
        "Mordheim (White Dwarf draft)", "Mordheim rulings, version A",
        "Mordheim rulings, version B", "Mordheim rulings, version C",
    ]  # fmt: skip
    assert [tag.key for tag in books[0].tags] == ["middenheim", "reikland", "marienburg"]


WEAPONS_OF_B = {
    # range, Strength, traits besides hands and notes
    "dagger": (None, "-1", {}),
    "hammer": (None, "user", {"stun_on": "2–4"}),
    "axe": (None, "user", {"extra_save_modifier": -1}),
    "sword": (None, "user", {"parry": True}),
    "morning-star": (None, "user", {"strength_first_round": "+1", "difficult": True}),
    "spear": (None, "user", {"strikes_first": True, "strength_mounted": "+1"}),
    "duelling-pistol": (10, 4, {"save_modifier": -2, "to_hit": 1, "reload": True}),
    "blunderbuss": ("template", 3, {"once_a_game": True}),
    "throwing-star": (6, "user", {"thrown": True}),
    "throwing-knife": (6, "user", {"thrown": True}),
    "crossbow-pistol": (12, 4, {"save_modifier": -1, "hand_to_hand_to_hit": -2}),
}


def test_text_b_has_its_own_weapons_and_armour() -> None:
    army = registry.load_army(RULINGS, "the-empire", "B")
    for key, (reach, strength, traits) in WEAPONS_OF_B.items():
        weapon = army.weapons[key]
        found = {name: value for name, value in weapon.traits.items() if name != "note"}
        assert (weapon.range, weapon.strength, found) == (reach, strength, traits), key
        assert weapon.source.startswith("Mordheim rulings, version B")
    saves = {
        key: army.armour[key].save
        for key in ("dwarf-armour", "light-armour", "heavy-armour")
    }
    assert saves == {"dwarf-armour": 4, "light-armour": 6, "heavy-armour": 5}
    assert army.armour["dwarf-armour"].traits["initiative"] == "halved"
    assert army.armour["heavy-armour"].traits["move"] == -1
    assert army.armour["helmet"].traits["save_against_stunned"] == 4
    assert (army.armour["shield"].improves, dict(army.armour["buckler"].traits)) == (
        1,
        {"parry": True},
    )


def test_own_figures_change_no_other_system_and_keep_the_list() -> None:
    printed = registry.load_army("warhammer-skirmish", "the-empire")
    a, b, c = (registry.load_army(RULINGS, "the-empire", key) for key in "ABC")
    assert "buckler" not in printed.armour
    assert "buckler" not in c.armour
    assert printed.weapons["handgun"].traits["armour_piercing"]
    assert "armour_piercing" not in a.weapons["handgun"].traits
    assert a.armour["gromril-armour"].source == "Mordheim rulings, version A, Shooting"
    assert b.weapons["halberd"] is printed.weapons["halberd"]
    assert set(b.profiles) == set(printed.profiles)
    assert c.profiles["halberdiers"] is printed.profiles["halberdiers"]
    more = len(b.profiles["halberdiers"].options) - len(
        printed.profiles["halberdiers"].options
    )
    assert more == len(registry.load_system(RULINGS, "B").options) == 13
    assert len(b.profiles["great-cannon"].options) == len(
        printed.profiles["great-cannon"].options
    )


@pytest.mark.parametrize("variant", [None, "D", "a", ""])
def test_missing_or_unknown_variant_names_those_there_are(variant: str | None) -> None:
    with pytest.raises(registry.UnknownVariant, match="A, B, C"):
        registry.load_system(RULINGS, variant)
    with pytest.raises(LookupError):
        registry.load_army(RULINGS, "the-empire", variant)


def test_variant_of_a_system_without_any_is_refused() -> None:
    with pytest.raises(registry.UnknownVariant, match="no variants"):
        registry.load_system(DRAFT, "A")
    assert registry.load_base(DRAFT).variants == ()
    assert [v.key for v in registry.load_base(RULINGS).variants] == ["A", "B", "C"]
    assert registry.load_base(RULINGS).is_shared_part
    assert registry.load_base(DRAFT) is registry.load_system(DRAFT)


def test_overlay_replaces_adds_drops_and_keeps_the_order() -> None:
    common = Document(
        {
            "notes": [
                {"id": "a", "text": 1},
                {"id": "b", "text": 2},
                {"id": "c", "text": 3},
            ],
            "rout": {"x": 1},
        }
    )
    own = Document(
        {
            "drop": ["c"],
            "notes": [{"id": "d", "text": 4}, {"id": "a", "text": 9}],
            "rout": {"y": 2},
        },
        {("notes",): 2, ("notes", 0): 3, ("notes", 1): 4, ("notes", 1, "text"): 5},
    )
    both = overlay_document(common, own)
    assert both.data == {
        "notes": [{"id": "a", "text": 9}, {"id": "b", "text": 2}, {"id": "d", "text": 4}],
        "rout": {"y": 2},
    }
    assert (both.line(("notes", 0, "text")), both.line(("notes", 2))) == (5, 3)
    with pytest.raises(OverlayError, match="no z"):
        overlay_document(common, Document({"drop": ["z"]}))


def test_fault_of_a_variant_names_its_file(packs) -> None:
    packs.change(
        "systems/mordheim-rulings/variants/B/equipment.yaml",
        "save: 4, initiative",
        "save: 9, initiative",
    )
    faults = [str(fault) for fault in check_folder(packs.path("systems/mordheim-rulings"))]
    assert len(faults) == 1
    assert faults[0].startswith("mordheim-rulings/variants/B/equipment.yaml:")
    assert "dwarf-armour" in faults[0]


def test_rule_book_names_each_text_by_its_address() -> None:
    assert find_system("mordheim-rulings.B").variant == "B"
    with pytest.raises(NeedsVariant):
        find_system(RULINGS)
    unit = find_path("mordheim-rulings.B/the-empire/halberdiers")
    assert unit.path == "mordheim-rulings.B/the-empire/halberdiers"
    assert book.load_system_page(RULINGS)["system"].is_shared_part
    tables = gear.load_weapons("mordheim-rulings.B")["tables"]
    assert "Morning star" in {line.item.name for table in tables for line in table.lines}


@pytest.mark.django_db
def test_search_finds_a_list_once_and_each_texts_own() -> None:
    found = {group["kind"]: group for group in search_index.search("halberdiers")["groups"]}
    assert len([hit for hit in found["units"]["hits"] if hit.name == "Halberdiers"]) == 1
    hits = [
        hit.url
        for group in search_index.search("duelling pistol")["groups"]
        for hit in group["hits"]
    ]
    assert "/rules/mordheim-rulings.B/weapons/#item-duelling-pistol" in hits
    stupid = [
        hit.url
        for group in search_index.search("crawl holes")["groups"]
        for hit in group["hits"]
        if group["kind"] == "rules"
    ]
    assert any("mordheim-rulings.A" in url for url in stupid)
    assert not any("mordheim-rulings.C" in url for url in stupid)


@pytest.mark.django_db
def test_pages_of_every_text(client) -> None:
    for address in (
        "mordheim-draft", "mordheim-rulings.A", "mordheim-rulings.B", "mordheim-rulings.C",
    ):  # fmt: skip
        for page in ("", "charts/", "weapons/", "armour/", "armies/", "armies/dwarfs/"):
            assert client.get(f"/rules/{address}/{page}").status_code == 200, (
                address,
                page,
            )
    unit = client.get(
        "/rules/mordheim-rulings.B/armies/the-empire/units/halberdiers/"
    ).content.decode()
    assert "Duelling pistol" in unit
    page = client.get("/rules/mordheim-rulings/").content.decode()
    assert "/rules/mordheim-rulings.A/" in page
    assert "Agree on one with your opponent" in page
    assert (
        client.get("/rules/mordheim-rulings/?variant=B").url == "/rules/mordheim-rulings.B/"
    )
    assert (
        client.get("/rules/mordheim-rulings/charts/").url
        == "/rules/mordheim-rulings.A/charts/"
    )
    for wrong in (
        "mordheim-rulings.D/", "mordheim-draft.A/", "mordheim-rulings/?variant=D",
    ):  # fmt: skip
        assert client.get(f"/rules/{wrong}").status_code == 404, wrong


def said_in_common(base: System) -> Iterator[str]:
    """Everything that the page of the shared part says of rules."""
    yield from (note.text for note in base.notes)
    yield from (state.summary for state in base.states)
    yield from (move.by for move in base.transitions)
    yield from (chart.note for chart in base.charts.values())
    for ruling in base.rulings:
        yield from (ruling.default, *ruling.alternatives)


def test_what_the_texts_share_speaks_of_none_of_them() -> None:
    said = list(said_in_common(registry.load_base(RULINGS)))
    assert len(said) > 40
    assert [text for text in said if re.search(r"\btexts? [ABC]\b", text)] == []


def test_what_one_text_alone_knows_stands_there() -> None:
    refs = {v: {ruling.ref for ruling in load(RULINGS, v).rulings} for v in "ABC"}
    assert [variant for variant in "ABC" if "C43" in refs[variant]] == ["B"]
    notes = {v: {note.key: note.text for note in load(RULINGS, v).notes} for v in "ABC"}
    assert [variant for variant in "ABC" if "turn-magic" in notes[variant]] == ["B", "C"]
    lists = [
        notes[variant]["force-lists"].startswith("The page points") for variant in "ABC"
    ]
    assert lists == [True, False, False]
    base = {state.key: state.summary for state in registry.load_base(RULINGS).states}
    assert "hit in close combat" not in base["knocked_down"]


def test_each_test_names_a_heading_of_its_own_text() -> None:
    found = {v: registry.battle_rules(RULINGS, v).tests["leadership"].source for v in "ABC"}
    assert found == {
        "A": "Glossary",
        "B": "HAND TO HAND COMBAT:",
        "C": "Moving From Combat",
    }


def test_old_battles_of_text_a_are_asked_nothing_new() -> None:
    old = registry.battle_rules(RULINGS, "A", Agreement(edition=1))
    new = registry.battle_rules(RULINGS, "A")
    assert (old.tests["stupidity"].asks, new.tests["stupidity"].asks) == ("", "stupid_move")
    assert ("parting_hits" in old.marks, "parting_hits" in new.marks) == (False, True)


def test_name_stands_once_and_leads_to_every_version(client: Client, db: None) -> None:
    family = find_family(DRAFT)
    assert family is not None
    assert family is find_family(RULINGS)
    page = reverse("family-detail", args=[family.id])
    versions = [
        reverse("system-detail", args=[load(*version).address]) for version in BOOKS
    ]
    for name in ("home", "rulebook"):
        html = client.get(reverse(name)).content.decode()
        assert html.count(f'href="{page}"') == 1, name
        assert not any(f'href="{address}"' in html for address in versions), name
    html = client.get(page).content.decode()
    assert all(f'href="{address}"' in html for address in versions)
    assert client.get(reverse("family-detail", args=["skirmish"])).status_code == 404


def test_version_to_begin_with_is_chosen_for_whom_chooses_none(client: Client) -> None:
    assert registry.load_base(RULINGS).default_variant == "A"
    assert registry.load_base(DRAFT).default_variant is None
    charts = client.get(reverse("chart-list", args=[RULINGS]))
    assert charts["Location"] == reverse("chart-list", args=[f"{RULINGS}.A"])
    wishes = {"system": RULINGS, "army": "reiklanders"}
    form = client.get(reverse("warband-new"), wishes).context["form"]
    assert form["variant"].value() == "A"


def test_scenarios_of_the_draft_are_open_to_every_version() -> None:
    keys = [list(load(*version).scenarios) for version in BOOKS]
    assert len(keys[0]) == 6
    assert keys == [keys[0]] * 4
    assert [key for key, _ in scenario_choices(RULINGS)] == keys[0]
    assert load(RULINGS, "A").scenarios[keys[0][0]].system == RULINGS
    # The limit is that of the warbands or of their campaign.
    scenarios = [each for book in BOOKS for each in load(*book).scenarios.values()]
    assert {side["points"] for each in scenarios for side in each.sides} == {None}


def test_faults_of_families_and_borrowed_scenarios_are_listed(packs) -> None:
    packs.change("families/mordheim.yaml", "mordheim-rulings, ", "mordheim-lost, ")
    packs.change(
        f"systems/{RULINGS}/scenarios.yaml",
        "borrowed_from: mordheim-draft",
        "borrowed_from: lost",
    )
    faults = {(fault.file, fault.key) for fault in check_packs(packs.root)}
    assert faults == {
        ("packs/families/mordheim.yaml", "systems"),
        ("lost/scenarios.yaml", ""),
    }
