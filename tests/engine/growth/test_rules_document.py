"""Campaign rules read from a document: what is wrong is told all at once, each with its path."""

import copy
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pytest

from engine.growth.faults import FaultyRules
from engine.growth.rules import CampaignRules, ExtraRoll
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.seasons import STATS, muster_document

Document = dict[str, Any]
MUSTER = muster_document()
READ = partial(read_rules, stats=STATS)


def faults_of(document: object, stats: tuple[str, ...] | None = STATS) -> dict[str, str]:
    with pytest.raises(FaultyRules) as caught:
        read_rules(document, stats)
    assert caught.value.field == "document"
    assert caught.value.faults[0].path in caught.value.message
    found: dict[str, str] = {}
    for fault in caught.value.faults:
        found[fault.path] = f"{found.get(fault.path, '')} {fault.code}".lstrip()
    return found


def changed(*path: Any, to: Any) -> Document:
    document = copy.deepcopy(MUSTER)
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return document


def row(least: int, most: int, effect: Document, **others: Any) -> Document:
    return {"least": least, "most": most, "name": "Row", "effect": effect, **others}


def with_rows(*rows: Document, table: str = "lasting", dice: str = "D6") -> Document:
    return changed("tables", table, to={"dice": dice, "rows": list(rows)})


def test_the_shipped_rules_are_read_whole() -> None:
    rules = read_rules(MUSTER, STATS)
    assert (rules.id, rules.version, rules.prices.currency) == (
        "muster-campaign",
        1,
        "crowns",
    )
    assert list(rules.kinds) == ["hired", "creature", "hero", "soldier"]
    assert rules.kinds["hero"].steps == (4, 8, 13, 18, 24, 30, 37, 44, 52, 60)
    assert [line.when for line in rules.income] == [
        "result", "dice", "objective", "unfought", "result",
    ]  # fmt: skip
    assert rules.income[0].amounts == {"won": 22, "drawn": 20, "lost": 18}
    assert rules.income[2].most == 3
    assert len(rules.tables) == 7
    assert len(rules.skills) == 10
    assert rules.skills["marksman"].effects == {"BS": 1}
    assert [rules.skills[key].search for key in ("pedlar", "marksman")] == [1, 0]
    assert rules.trade.goods["long-glass"].rare == 8
    assert rules.trade.search == "2D6"
    assert rules.trade.seekers == ("hero",)
    assert rules.trade.sell == (1, 2)
    assert rules.captives is not None
    assert rules.captives.least == 10
    assert rules.territories is not None
    assert rules.territories.names[0] == "The Mill"
    assert rules.successors == ("hero", "soldier")
    assert [unit.upkeep for unit in rules.hired] == [6, 7]
    assert rules.maxima.most_for("dwarfs", "thane")["M"] == 4
    assert rules.maxima.most_for("the-empire", "captain")["M"] == 8


def test_what_may_be_left_out_is_left_out() -> None:
    rules = read_rules(
        {
            "format": "campaign-rules/1",
            "id": "plain",
            "name": "Plain",
            "currencies": [{"id": "gold", "name": "gold", "start": 100}],
            "prices": {"currency": "gold"},
            "kinds": [{"id": "all", "name": "All"}],
        }
    )
    assert (rules.version, rules.systems, rules.tables) == (1, (), {})
    assert (rules.upkeep, rules.late, rules.captives, rules.territories) == (None,) * 4
    assert rules.is_gear_kept
    assert rules.trade.has_lists


def test_a_further_roll_is_of_the_warband_or_of_some_kinds() -> None:
    finds = {"id": "find", "name": "Finds", "table": "d6", "who": "warband"}
    dreams = {"id": "dream", "name": "Dreams", "table": "d6", "who": ["hero", "soldier"]}
    document = changed("rolls", to=[finds, dreams])
    document["tables"]["d6"] = {"dice": "D6", "rows": [row(1, 6, {})]}
    rolls = read_rules(document, STATS).rolls
    assert rolls == (
        ExtraRoll("find", "Finds", "d6"),
        ExtraRoll("dream", "Dreams", "d6", ("hero", "soldier")),
    )


def test_what_happens_otherwise_is_checked_as_the_effect_is() -> None:
    rows = row(1, 6, {"raise": ["WS"]}, otherwise={"table": "nowhere"})
    faults = faults_of(with_rows(rows, table="hero-advance"))
    assert faults["tables.hero-advance.rows[0].otherwise.table"] == "unknown"
    several = [{"gone": True}, {"table": "nowhere"}, {"dies": True}]
    rows = row(1, 6, {"raise": ["WS"]}, otherwise=several)
    faults = faults_of(with_rows(rows, table="hero-advance"))
    assert faults == {
        "tables.hero-advance.rows[0].otherwise[1].table": "unknown",
        "tables.hero-advance.rows[0].otherwise[2].dies": "extra_forbidden",
    }
    several = [{"gone": True}] * 7
    faults = faults_of(with_rows(row(1, 6, {"raise": ["WS"]}, otherwise=several)))
    assert faults["tables.lasting.rows[0].otherwise"] == "too_long"


# What names something of the document is in test_cross_checks.py, numbers are in BOUNDS.
ONE_FAULT: list[tuple[Document, str, str]] = [
    (with_rows(row(1, 4, {}), row(6, 6, {})), "tables.lasting.rows", "no_row"),
    (with_rows(row(1, 6, {}), row(6, 6, {})), "tables.lasting.rows", "several_rows"),
    (with_rows(row(1, 7, {})), "tables.lasting.rows[0]", "beyond_dice"),
    (with_rows(row(4, 3, {}), row(1, 6, {})), "tables.lasting.rows[0].most", "below_least"),
    (with_rows(row(1, 6, {"dies": True})), "tables.lasting.rows[0].effect.dies", "extra_forbidden"),
    (with_rows(row(1, 6, {"gone": True, "misses": 1})), "tables.lasting.rows[0].effect", "several_verbs"),
    (with_rows(row(1, 6, {"gone": False})), "tables.lasting.rows[0].effect.gone", "literal_error"),
    (with_rows(row(1, 6, {"raise": []})), "tables.lasting.rows[0].effect.raise", "empty"),
    (with_rows(row(1, 6, {"misses": "D7"})), "tables.lasting.rows[0].effect.misses", "int_type"),
    (
        with_rows(row(1, 6, {"gain": {"currency": "gold", "amount": 2}})), "tables.lasting.rows[0].effect",
        "unknown",
    ),
    (with_rows(row(1, 6, {}, otherwise={"gone": True})), "tables.lasting.rows[0].otherwise", "needless"),
    (with_rows(row(1, 6, {"lower": "Luck"})), "tables.lasting.rows[0].effect.lower", "unknown_stat"),
    (
        with_rows(row(1, 6, {"raise": ["Luck"]}), table="hero-advance"),
        "tables.hero-advance.rows[0].effect.raise", "unknown_stat",
    ),
    (changed("kinds", 0, "id", to="hero"), "kinds[2].id", "repeated"),
    (changed("kinds", 2, "lists", to=["arms", "arms"]), "kinds[2].lists", "twice"),
    (changed("systems", to=[f"s{n}" for n in range(61)]), "systems", "too_long"),
    (changed("prices", "currency", to="gold"), "prices.currency", "unknown"),
    (changed("upkeep", "currency", to="gold"), "upkeep.currency", "unknown"),
    (changed("late", "currency", to="gold"), "late.currency", "unknown"),
    (changed("kinds", 0, "advances", to="x"), "kinds[0].advances", "unknown"),
    (changed("kinds", 0, "injuries", to="x"), "kinds[0].injuries", "unknown"),
    (changed("kinds", 0, "lists", to=["x"]), "kinds[0].lists", "unknown"),
    (changed("experience", 0, "kinds", to=["x"]), "experience[0].kinds", "unknown"),
    (changed("underdog", 1, "kinds", to=["x"]), "underdog[1].kinds", "unknown"),
    (changed("rating", 0, "kinds", to=["x"]), "rating[0].kinds", "unknown"),
    (changed("leader", "successors", to=["hero", "x"]), "leader.successors", "unknown"),
    (changed("trade", "search", "who", to=["x"]), "trade.search.who", "unknown"),
    (changed("trade", "goods", 0, "kinds", to=["x"]), "trade.goods[0].kinds", "unknown"),
    (changed("limits", "kinds", to=["x"]), "limits.kinds", "unknown"),
    (
        changed("sales", to=[{"currency": "x", "paid_in": "crowns", "models": [], "rows": [[1]]}]),
        "sales[0].currency", "unknown",
    ),
    (changed("marks", to=[{"id": "m", "name": "M", "lists": ["x"]}]), "marks[0].lists", "unknown"),
    (changed("lists_for", to=[{"promoted": True, "choose": 1, "of": ["x"]}]), "lists_for[0].of", "unknown"),
    (changed("income", 0, "currency", to="gold"), "income[0].currency", "unknown"),
    (changed("territories", "income", "currency", to="gold"), "territories.income.currency", "unknown"),
    (changed("territories", "names", to=["A", "A"]), "territories.names", "twice"),
    (changed("underdog", 1, "from", to=20), "underdog[1].from", "not_rising"),
    (changed("rating", 0, "times", to=[1, 0]), "rating[0].times", "no_share"),
    (changed("rating", 0, "times", to=[1001, 1]), "rating[0].times[0]", "less_than_equal"),
    (changed("maxima", "gain", "king", to={"WS": 1}), "maxima.gain", "unknown"),
    (changed("maxima", "gain", "hero", "Luck", to=1), "maxima.gain.hero", "unknown_stat"),
    (changed("maxima", "most", "Luck", to=1), "maxima.most", "unknown_stat"),
    (changed("maxima", "for", 0, "most", to={"Luck": 1}), "maxima.for[0].most", "unknown_stat"),
    (changed("skills", "eye", 0, "id", to="fleet"), "skills.road[0].id", "repeated"),
    (changed("skills", "eye", 0, "effects", to={"Luck": 1}), "skills.eye[0].effects", "unknown_stat"),
    (changed("trade", "goods", 1, "id", to="physick"), "trade.goods[1].id", "repeated"),
    (changed("trade", "goods", 1, "effects", to={"Luck": 1}), "trade.goods[1].effects", "unknown_stat"),
    (changed("hired", 0, "stats", to={"Luck": 1}), "hired[0].stats", "unknown_stat"),
    (changed("hired", 1, "id", to="pikeman"), "hired[1].id", "repeated"),
    (changed("currencies", 1, "id", to="crowns"), "currencies[1].id", "repeated"),
    (changed("rolls", to=[{"id": "a", "name": "A", "who": "warband", "table": "x"}]), "rolls[0].table", "unknown"),
    (changed("rolls", to=[{"id": "a", "name": "A", "who": ["king"], "table": "lasting"}]), "rolls[0].who", "unknown"),
    (
        changed("rolls", to=[{"id": "a", "name": "A", "who": "all", "table": "lasting"}]),
        "rolls[0].who", "literal_error",
    ),
    (changed("id", to="Not an id"), "id", "string_pattern_mismatch"),
    (changed("version", to=True), "version", "int_type"),
    (changed("limits", to=[]), "limits", "model_type"),
    (changed("hired", to={}), "hired", "list_type"),
    (changed("currencies", 0, "is_spent", to="yes"), "currencies[0].is_spent", "bool_type"),
    (changed("skills", "eye", 0, "to hit.", to=None), "skills.eye[0].to hit.", "no_value"),
]  # fmt: skip


@pytest.mark.parametrize("document, path, code", ONE_FAULT)
def test_a_fault_is_told_with_its_path(document: Document, path: str, code: str) -> None:
    faults = faults_of(document)
    assert faults[path] == code, faults


Path = tuple[Any, ...]


def mappings(place: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(place, dict):
        yield path
    for key, value in children(place):
        yield from mappings(value, (*path, key))


def leaves(place: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value of a document that holds no others, with its path."""
    if not isinstance(place, dict | list):
        yield path, place
    for key, value in children(place):
        yield from leaves(value, (*path, key))


def children(place: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(place, dict):
        return place.items()
    return enumerate(place) if isinstance(place, list) else ()


def shape(path: Path) -> Path:
    return tuple(key for key in path if not isinstance(key, int))


EVERY_VERB = [
    {"gain": {"currency": "crowns", "amount": 5}},
    {"gain": {"currency": "crowns", "dice": "D6"}},
    {"old_wound": {"dice": "D6", "at_most": 1}},
    {"experience": 2},
    {"loses": "all"},
    {"again": 2},
    {"misses": 3},
    {"misses": "D3"},
    {"item": "physick"},
    {"skill": ["arms"]},
    {"lower": "WS"},
    {"words": "Nothing much"},
]


def with_every_option() -> Document:
    rows = [row(n, n, effect) for n, effect in enumerate(EVERY_VERB[:6], start=1)]
    more = [row(n, n, effect) for n, effect in enumerate(EVERY_VERB[6:], start=1)]
    document = changed("tables", "odd", to={"dice": "D6", "rows": rows})
    document["tables"]["even"] = {"dice": "D6", "rows": more}
    document["rolls"] = [
        {"id": "find", "name": "Finds", "who": ["soldier"], "table": "odd"}
    ]
    document["trade"]["lists"] = False
    document["gone_gear"] = "lost"
    document["territories"]["word"] = "Ground"
    document["kinds"][2]["match"]["troop_types"] = ["champion"]
    document["hired"][0]["armies"] = ["the-empire"]
    return document


def without_repeats(paths: Iterable[Path]) -> list[Path]:
    return list({shape(path): path for path in paths}.values())


def test_no_mapping_takes_a_key_it_does_not_know() -> None:
    document = with_every_option()
    read_rules(document, STATS)
    paths = without_repeats(mappings(document))
    assert len(paths) > 50
    for path in paths:
        assert faults_of(altered(document, (*path, "oddity"), 1)), path


def altered(document: Document, path: Path, to: Any) -> Document:
    copied = copy.deepcopy(document)
    place: Any = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return copied


def test_no_value_of_a_document_is_overlooked() -> None:
    document = with_every_option()
    rules = read_rules(document, STATS)
    values = dict(leaves(document))
    paths = without_repeats(values)
    assert len(paths) > 120
    for path in paths:
        other = altered(document, path, another(values[path]))
        assert read(other) != rules, path


def another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}x"


def read(document: Document) -> CampaignRules | dict[str, str]:
    try:
        return READ(document)
    except FaultyRules as faulty:
        return {fault.path: fault.code for fault in faulty.faults}


AMOUNT = 100_000
# Every number of a document with its least and its most; the path of its fault is the same.
BOUNDS: list[tuple[tuple[Any, ...], int, int]] = [
    (("version",), 1, AMOUNT),
    (("currencies", 0, "start"), 0, AMOUNT),
    (("prices", "per_point"), 1, 1000),
    (("limits", "models"), 1, 200),
    (("limits", "recruits_after_battle"), 0, 200),
    (("kinds", 2, "most"), 1, 200),
    (("experience", 1, "amount"), 1, 100),
    (("experience", 1, "most"), 1, 1000),
    (("underdog", 0, "from"), 1, AMOUNT),
    (("underdog", 0, "experience"), 0, 100),
    (("underdog", 0, "amount"), 0, AMOUNT),
    (("income", 0, "won"), 0, AMOUNT),
    (("income", 1, "times"), 1, 1000),
    (("income", 2, "each"), 1, AMOUNT),
    (("income", 2, "most"), 1, 1000),
    (("income", 3, "bye"), 0, AMOUNT),
    (("upkeep", "free_models"), 0, 200),
    (("upkeep", "each"), 0, AMOUNT),
    (("maxima", "gain", "hero", "WS"), 0, 10),
    (("maxima", "most", "WS"), 0, 10),
    (("maxima", "for", 0, "most", "M"), 0, 10),
    (("captives", "ransom", "least"), 0, AMOUNT),
    (("captives", "refused"), 0, AMOUNT),
    (("skills", "eye", 2, "effects", "BS"), -10, 10),
    (("skills", "eye", 0, "search"), -10, 10),
    (("recruits", "per_experience"), 0, 1000),
    (("trade", "goods", 1, "price"), 0, AMOUNT),
    (("trade", "goods", 1, "rare"), 1, 66),
    (("trade", "goods", 1, "effects", "BS"), -10, 10),
    (("hired", 0, "price"), 0, AMOUNT),
    (("hired", 0, "upkeep"), 0, AMOUNT),
    (("hired", 0, "stats", "M"), 0, 10),
    (("late", "per_round"), 0, AMOUNT),
    (("late", "most"), 0, AMOUNT),
    (("territories", "most"), 1, 40),
    (("territories", "income", "amount"), 0, AMOUNT),
]


def named(path: tuple[Any, ...]) -> str:
    """A path as faults name it: tables.lasting.rows[3]."""
    steps = [f"[{key}]" if isinstance(key, int) else f".{key}" for key in path]
    return "".join(steps).removeprefix(".")


@pytest.mark.parametrize("path, least, most", BOUNDS)
def test_both_ends_of_every_number(path: tuple[Any, ...], least: int, most: int) -> None:
    def code(value: int) -> str:
        rules = read(changed(*path, to=value))
        return rules.get(named(path), "") if isinstance(rules, dict) else ""

    codes = [code(value) for value in (least - 1, least, most, most + 1)]
    assert codes == ["greater_than_equal", "", "", "less_than_equal"]


def test_numbers_that_are_left_out() -> None:
    document = copy.deepcopy(MUSTER)
    del (
        document["version"],
        document["upkeep"]["free_models"],
        document["hired"][0]["upkeep"],
    )
    del document["currencies"][0]["start"], document["prices"]["per_point"]
    del document["captives"]["refused"], document["captives"]["ransom"]["least"]
    document["underdog"][0] = {"from": 20}
    document["income"][0] = {"currency": "crowns", "when": "result"}
    rules = read_rules(document, STATS)
    assert (rules.version, rules.prices.per_point, rules.currencies[0].start) == (1, 1, 0)
    assert rules.upkeep is not None
    assert (rules.upkeep.free_models, rules.hired[0].upkeep) == (0, 0)
    assert rules.captives is not None
    assert (rules.captives.least, rules.captives.refused) == (0, 0)
    assert (rules.underdog[0].experience, rules.underdog[0].amount) == (0, 0)
    assert rules.income[0].amounts == {"won": 0, "drawn": 0, "lost": 0}


def test_a_share_may_be_as_large_as_1000() -> None:
    rules = read_rules(changed("rating", 0, "times", to=[1000, 1000]), STATS)
    assert rules.rating[0].times == (1000, 1000)


def test_ground_need_not_pay() -> None:
    document = changed("territories", to={"names": ["The Mill"], "most": 1})
    ground = read_rules(document, STATS).territories
    assert ground is not None
    assert (ground.word, ground.currency, ground.amount) == ("Territory", "", 0)


def test_a_warbands_own_roll_needs_no_warrior() -> None:
    roll = {"id": "a", "name": "Finds", "who": "warband", "table": "hero-injury"}
    faults = faults_of(changed("rolls", to=[roll]))
    assert faults["tables.hero-injury.rows[0].effect.gone"] == "not_of_warbands"
    assert "tables.hero-injury.rows[1].effect.again" not in faults
    # The tables below it are rolled by the warband too.
    assert "tables.lasting.rows[0].effect.lower" in faults


@pytest.mark.parametrize("effect, otherwise, is_refused", [
    ({"table": "round"}, None, True),
    ({"table": {"id": "round", "times": "D6"}}, None, True),
    ({"all": [{"again": 2}, {"table": "round"}]}, None, True),
    ({"captive": True}, {"table": "round"}, True),
    # These end by themselves: within them they count as nothing, or so many times.
    ({"again": 4}, {"again": 4}, False),
    ({"rethrow": True}, {"rethrow": True}, False),
])  # fmt: skip
def test_a_table_that_leads_back_to_itself_is_refused_in_words(
    effect: Document, otherwise: Document | None, is_refused: bool
) -> None:
    more = {"otherwise": otherwise} if otherwise else {}
    document = with_rows(row(1, 6, effect, **more), table="round")
    if not is_refused:
        assert "round" in read_rules(document, STATS).tables
        return
    with pytest.raises(FaultyRules) as caught:
        read_rules(document, STATS)
    assert caught.value.message == "tables.round: leads back to itself by its rows."


def test_a_rare_good_needs_dice_and_a_captive_a_ransom() -> None:
    document = copy.deepcopy(MUSTER)
    del document["trade"]["search"], document["captives"]
    faults = faults_of(document)
    assert faults["trade.goods[1].rare"] == "no_search"
    assert faults["tables.hero-injury.rows[6].effect.captive"] == "no_captives"


def test_a_kind_that_is_only_promoted_to_matches_nobody() -> None:
    document = changed("kinds", 2, "match", to={"hired": True})
    assert read_rules(document, STATS).kinds["hero"].match.hired


def kind(number: int) -> Document:
    match = {"profiles": [f"p{number}"]} if number else {"leader": True}
    return {"id": f"k{number}", "name": "Kind", "match": match}


def sized_kinds(count: int) -> Document:
    named = [kind(number) for number in range(count - 1)]
    kept = {"id": "all", "name": "All"}
    document = {
        "format": "campaign-rules/1",
        "id": "plain",
        "name": "Plain",
        "currencies": [{"id": "gold", "name": "gold", "start": 100}],
        "prices": {"currency": "gold"},
    }
    return {**document, "kinds": [*named, kept]}


@pytest.mark.parametrize("taken, match, is_empty", [
    ({"leader": True}, {"leader": True}, True),
    ({"leader": True}, {"hired": True}, False),
    ({"hired": True}, {"leader": True}, False),
    ({"categories": ["a", "b"]}, {"categories": ["a"]}, True),
    ({"categories": ["a"]}, {"categories": ["a", "b"]}, False),
    ({"categories": ["a"]}, {"troop_types": ["a"]}, False),
    ({"troop_types": ["a", "b"]}, {"troop_types": ["b"]}, True),
    ({"troop_types": ["a"]}, {"troop_types": ["a", "b"]}, False),
    ({"profiles": ["a", "b"]}, {"profiles": ["a", "b"]}, True),
    ({"profiles": ["a"]}, {"profiles": ["b"]}, False),
    ({"leader": True, "profiles": ["a"]}, {"leader": True, "profiles": ["a"]}, True),
    ({"leader": True}, {"leader": True, "profiles": ["a"]}, False),
])  # fmt: skip
def test_a_kind_behind_a_wider_one_matches_nobody(taken, match, is_empty):
    document = sized_kinds(1)
    first = {"id": "first", "name": "First", "match": taken}
    second = {"id": "second", "name": "Second", "match": match}
    document["kinds"] = [first, second, *document["kinds"]]
    if is_empty:
        assert faults_of(document)["kinds[1].match"] == "nobody"
    else:
        assert len(read_rules(document).kinds) == 3


@pytest.mark.parametrize("value", [1, None])
def test_a_long_key_is_told_by_its_first_40_characters(value: int | None) -> None:
    assert "k" * 40 in faults_of(changed("k" * 41, to=value))
    faults = faults_of(changed("tables", "t" * 41, to={"dice": "D6", "rows": []}))
    assert f"tables.{'t' * 40}" in faults


def test_every_fault_is_told_at_once() -> None:
    document = changed("kinds", 2, "steps", to=[9, 4])
    document["tables"]["lasting"]["rows"][0]["effect"] = {"lower": "Luck"}
    document["income"][0]["currency"] = "gold"
    document["on"] = 1
    assert set(faults_of(document)) == {
        "kinds[2].steps", "tables.lasting.rows[0].effect.lower", "income[0].currency", "on",
    }  # fmt: skip


def test_what_is_missing_is_told() -> None:
    faults = faults_of({})
    for key in ("format", "id", "name", "currencies", "prices", "kinds"):
        assert faults[key] == "missing"
    assert "" in faults_of([])


def test_without_a_system_characteristics_are_not_checked() -> None:
    document = with_rows(row(1, 6, {"lower": "Luck"}))
    assert read_rules(document).tables["lasting"].rows[0].effect.name == "Luck"
