"""Limits of warbands and rule data: units, options, lists, scenarios, searches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from rulesdata import own_store
from rulesdata.checks import lists
from rulesdata.forms.fields import (
    DESCRIPTION_MAX,
    DESCRIPTIONS_MAX,
    LineField,
    LinesField,
    RuleTextsField,
)
from rulesdata.operations import scenarios
from rulesdata.queries import search_index, unit_pages
from rulesdata.schema.lists import UnitRecord
from tests.factories import SYSTEM, make_club, make_entry, make_person, make_roster
from tests.guards.limits import Row, names_of_so_many, takes
from tests.rulesdata.own_lists import make_books, make_list
from tests.rulesdata.scenarios import draft as draft_scenario
from warbands.operations import upkeep
from warbands.operations.rows import check_size
from warbands.operations.warbands import checked_limit
from warbands.operations.warriors import checked_count


def _note_of_a_hit(size: int) -> bool:
    note = "n" * size
    return (
        search_index.SearchResult(
            kind="unit", name="x", note=note, place=("x", ())
        ).short_note
        == note
    )


def _scenario_side(points: int) -> bool:
    side = {"name": "Attacker", "points": points}
    return takes("points: a whole number", lambda: scenarios._side("Side 1", side))


def _sides_of_a_scenario(size: int) -> bool:
    owner, draft = make_person(), draft_scenario(sides=({"name": "A"},) * size)
    make_books()
    return takes("a scenario has", lambda: scenarios.create_scenario(owner, SYSTEM, draft))


def _entries_of_a_warband(size: int) -> bool:
    roster = make_roster(warriors=[make_entry()] * size)
    return takes("may have at most", lambda: check_size(roster))


def _options_of_a_warrior(size: int) -> bool:
    roster = make_roster(warriors=[make_entry(options=["shield"] * size)])
    return takes("can have at most", lambda: check_size(roster))


def _lists(size: int) -> bool:
    owner = make_person()
    club = make_club(owner=owner)
    return takes(
        "lists, the maximum",
        lambda: [
            make_list(club=club, actor=owner, name=name) for name in names_of_so_many(size)
        ],
    )


def _own_scenarios(size: int) -> bool:
    owner = make_person()
    make_books()
    drafts = [draft_scenario(name=name) for name in names_of_so_many(size)]
    return takes(
        "scenarios, the maximum",
        lambda: [scenarios.create_scenario(owner, SYSTEM, draft) for draft in drafts],
    )


def _kept_lists(size: int) -> bool:
    """Whether so many lists are kept at once; one above the limit, and all are forgotten."""
    plain = {"stamp": "", "club": None, "retired_at": None}
    rows: list[Any] = [
        SimpleNamespace(token=name, **plain) for name in names_of_so_many(size)
    ]
    kept: dict[str, Any] = {}
    with patch.multiple(
        own_store, _kept=kept, load_own_list=lambda row: SimpleNamespace(stamp="")
    ):
        for row in rows:
            own_store._cached_list(row)
    return len(kept) == size


def _candidates(size: int) -> bool:
    with patch.object(unit_pages, "list_candidates", return_value=[None] * size):
        return not unit_pages.load_comparison("", "")["has_more"]


def _equipment_places(size: int) -> bool:
    """Whether a list is taken whose units buy so many options of equipment lists together."""
    faults: list[str] = []
    spot: Any = SimpleNamespace(at=lambda *steps: SimpleNamespace(fault=faults.append))
    shared: Any = SimpleNamespace(options=range(size // 2))
    rest: Any = SimpleNamespace(options=range(size - size // 2))
    unit: Any = SimpleNamespace(
        equipment=[SimpleNamespace(shared="a"), SimpleNamespace(shared="b")]
    )
    lists.check_places(spot, [unit], {"a": shared, "b": rest})
    return not faults


def _rule_words(size: int) -> bool:
    field = RuleTextsField("x", limit=size, most=DESCRIPTIONS_MAX)
    return takes("at most", lambda: field.clean("a" * size))


def _rule_texts(size: int) -> bool:
    """Whether a unit may describe so many special rules."""
    texts = dict.fromkeys(names_of_so_many(size), "x")
    return takes(
        "should have at most", lambda: UnitRecord.model_validate({"rule_texts": texts})
    )


ROWS = (
    Row("EQUIPMENT_PLACES_MAX", 60_000, _equipment_places),
    Row("MAX_COUNT", 200, lambda n: takes("number of models", lambda: checked_count(n))),
    Row("MAX_LIMIT", 100_000, lambda n: takes("points limit", lambda: checked_limit(n))),
    Row("MAX_ENTRIES", 200, _entries_of_a_warband),
    Row("MAX_OPTIONS", 100, _options_of_a_warrior),
    Row(
        "LINES_MAX",
        40,
        lambda n: takes(
            "lines; there are",
            lambda: LinesField(label="x").clean("\n".join(names_of_so_many(n))),
        ),
    ),
    Row(
        "DESCRIPTION_MAX",
        1000,
        lambda n: takes("at most", lambda: LineField("x", DESCRIPTION_MAX).clean("a" * n)),
    ),
    Row("DESCRIPTIONS_MAX", 8_000, _rule_words),
    Row("RULE_TEXTS_MAX", 40, _rule_texts),
    Row("POINTS_MAX", 100_000, _scenario_side),
    Row(
        "RULES_MAX",
        12,
        lambda n: takes("at most", lambda: scenarios._rules(names_of_so_many(n))),
    ),
    Row("SIDES_MAX", 4, _sides_of_a_scenario),
    Row(
        "WANTED_MAX",
        100,
        lambda n: takes("at most", lambda: unit_pages.load_comparison("", "", "a" * n)),
    ),
    Row("NOTE_MAX", 70, _note_of_a_hit),
    Row("QUERY_MAX", 100, lambda n: takes("at most", lambda: search_index.search("a" * n))),
    Row(
        "TAKEN_MAX",
        200,
        lambda n: takes(
            "Choose 1 to",
            lambda: upkeep.take_prices(
                make_person(), "x", 1, dict.fromkeys(names_of_so_many(n), 1)
            ),
        ),
    ),
    Row("LISTS_MAX", 40, _lists, lowered=3),
    Row("OWN_MAX", 200, _own_scenarios, lowered=3),
    Row("KEPT_MAX", 500, _kept_lists),
    Row("PICKED_MAX", 80, _candidates),
)
