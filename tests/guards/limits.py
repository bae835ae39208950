"""The limits of the site, found by walking its modules, and a row for each: a call that meets it.

A limit is a whole number named `*_MAX`, `*_LEAST`, `*_MOST` or `MAX_*`. It needs a row when code
compares something with it; one that is only declared (a field's `max_length`) or cuts a list
(`found[:MOST]`) cannot be off by one. Limits of one name and one value share a row. A row's call
gets a size and tells whether that much was taken.
"""

from __future__ import annotations

import ast
import importlib
import io
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast
from unittest.mock import DEFAULT, patch

from django.http import QueryDict

from accounts import requests
from accounts.api.serializers import Text, is_too_much
from accounts.api_tokens.operations import make_token
from accounts.operations.clubs import create_club, join_club
from accounts.queries.clubs import clubs_listed
from accounts.text import clean_line
from accounts.tokens import read_code
from battles import combatants, intake
from battles import replay as battle_rows
from battles.api import serializers
from battles.forms.after_battle import AftermathForm
from battles.operations.events import check_batch
from battles.operations.sides import QuickSide
from battles.operations.terms import checked_days
from battles.queries.battles import load_battle
from campaigns import charts as event_charts
from campaigns import exports
from campaigns.models import Fixture
from campaigns.operations import entries, events, log
from campaigns.operations.growth import answers as growth_answers
from campaigns.operations.growth import casualties
from campaigns.operations.growth import lineups as growth_lineups
from campaigns.operations.growth import warbands as growth_warbands
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import RoundDraft, add_round
from campaigns.queries import chronicle, event_page, standings
from config import env
from config.api import base as api
from config.server import BattleStreams, BoundedConnection
from engine.calls import attacks
from engine.growth import document as campaign_rules
from engine.growth import log as growth_log
from engine.growth.rules import CampaignRules
from notices import mail
from odds import dice_tray, questions
from rulesdata import own_store, registry
from rulesdata.api import catalogue as book_api
from rulesdata.checks import equipment_lists
from rulesdata.foreign import (
    archives,
    catalogues,
    files,
    gear,
    magic,
    nodes,
    places,
    units,
)
from rulesdata.foreign import campaigns as catalogue_terms
from rulesdata.foreign.evaluation import StepCount, Trace
from rulesdata.foreign.prices import OptionPrice, OptionPrices
from rulesdata.forms import campaign_fields
from rulesdata.forms.fields import (
    DESCRIPTION_MAX,
    DESCRIPTIONS_MAX,
    LineField,
    LinesField,
    RuleTextsField,
)
from rulesdata.operations import campaign_drafts, scenarios, sent_catalogues
from rulesdata.operations import campaign_rules as own_rules
from rulesdata.queries import comparison, search_index
from rulesdata.schema.lists import UnitRecord
from tests.campaigns.leagues import make_entry as enter
from tests.campaigns.leagues import make_league
from tests.factories import (
    EMPIRE,
    SYSTEM,
    make_battle,
    make_club,
    make_entry,
    make_event,
    make_person,
    make_roster,
)
from tests.rulesdata.own_lists import make_books, make_list
from tests.rulesdata.scenarios import draft as draft_scenario
from warbands.exchange import document, json_text
from warbands.exchange.foreign import names, pasted, preview, tree
from warbands.forms import foreign_lists
from warbands.operations import prices
from warbands.operations.transaction import check_size
from warbands.operations.warbands import checked_limit
from warbands.operations.warriors import checked_count
from warbands.queries import odds_subjects
from warbands.queries import warbands as warband_rows
from warbands.sheet.build import build_sheet

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = re.compile(r"^_?(MAX_[A-Z0-9_]+|[A-Z0-9_]+_(MAX|LEAST|MOST))$")
NO_SOURCE = {"tests", "script", "docs", "static", "templates", "var"}
NOW = datetime(2025, 5, 2, tzinfo=UTC)

Key = tuple[str, int]


# What there is


@cache
def product_modules() -> tuple[ModuleType, ...]:
    """Every module of the product but migrations and commands."""
    importlib.import_module(
        "config.urls"
    )  # what other addresses are made of is registered there
    found = []
    for folder in sorted(ROOT.iterdir()):
        has_code = (folder / "__init__.py").exists() or (folder / "apps.py").exists()
        if not has_code or folder.name in NO_SOURCE:
            continue
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if not {"migrations", "management"} & set(parts):
                found.append(
                    importlib.import_module(".".join(parts).removesuffix(".__init__"))
                )
    return tuple(found)


def text_of(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")


def is_limit(name: str, value: object) -> bool:
    return LIMIT.match(name) is not None and isinstance(value, int)


def all_limits() -> set[Key]:
    """Every limit of the product, by its name and value."""
    return {
        (name, value)
        for module in product_modules()
        for name, value in vars(module).items()
        if is_limit(name, value)
    }


def compared_names(tree: ast.Module) -> Iterator[str]:
    """The last names of what stands in a comparison."""
    for compare in ast.walk(tree):
        if isinstance(compare, ast.Compare):
            for node in ast.walk(compare):
                if isinstance(node, ast.Name | ast.Attribute):
                    yield node.id if isinstance(node, ast.Name) else node.attr


def compared_limits() -> set[Key]:
    """Every limit that some code compares something with."""
    values: dict[str, set[int]] = {}
    for name, value in all_limits():
        values.setdefault(name, set()).add(value)
    found: set[Key] = set()
    for module in product_modules():
        for name in set(compared_names(ast.parse(text_of(module)))) & values.keys():
            held = getattr(module, name, None)
            # One that is read through another module may be any of its name.
            found |= {
                (name, value) for value in ({held} if held is not None else values[name])
            }
    return found


# The rows


@dataclass(frozen=True, slots=True)
class Row:
    """A limit and the call that meets it; `lowered` is what it is set to where its own size would
    take too long.
    """

    name: str
    value: int
    takes: Callable[[int], bool]
    lowered: int = 0
    is_least: bool = False

    @property
    def size(self) -> int:
        return self.lowered or self.value


def takes(sentence: str, call: Callable[[], Any]) -> bool:
    """Whether a call does not fail with this sentence; how it fails beyond the limit does not
    matter.
    """
    try:
        call()
    except Exception as error:
        return sentence not in f"{error} {getattr(error, 'message', '')} {_detail(error)}"
    return True


def _detail(error: Exception) -> str:
    return str(getattr(error, "detail", "")) + str(getattr(error, "faults", ""))


def _tokens(size: int) -> bool:
    user = make_person().user_id or 0
    return takes(
        "tokens, the maximum", lambda: [make_token(user, name=f"t{n}") for n in range(size)]
    )


def _token(size: int = 30, key: str = "") -> None:
    make_token(make_person().user_id or 0, name="t", days=size, request_key=key)


def _clubs(size: int) -> bool:
    owner = make_person().user_id or 0
    made = [f"Club {n}" for n in range(size)]
    return takes("the maximum", lambda: [create_club(name=n, owner_id=owner) for n in made])


def _members(size: int) -> bool:
    club = make_club()
    return takes(
        "the maximum",
        lambda: [join_club(make_person(), club.code) for _ in range(size - 1)],
    )


def _entries(size: int) -> bool:
    league = make_league(players=0)

    def call() -> None:
        for number in range(size):
            enter(event=league.event, organiser=league.organiser, name=f"Guest {number}")

    return takes("at most", call)


def _rounds(size: int) -> bool:
    league = make_league(players=0)
    return takes(
        "rounds. Create another",
        lambda: [
            add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
            for _ in range(size)
        ],
    )


def _play_off(place: int) -> bool:
    league = make_league(players=0)
    asked = log.ChangeRequest(league.organiser, league.token)
    change = log.LockedEvent(asked, league.event)
    return takes(
        "must be from 1 to",
        lambda: entries._checked_play_off(change, place),
    )


def _sides(size: int) -> bool:
    """Both where a program sends them and where a battle is opened."""
    sides = [QuickSide(f"Side {n}", 1) for n in range(size)]
    return takes(
        "must be a list of", lambda: serializers.Sides().run_validation([{}] * size)
    ) and takes("A battle has", lambda: make_battle(sides=sides))


def _models(size: int) -> bool:
    roster = make_roster(warriors=[make_entry(count=100), make_entry(count=size - 100)])
    sheet = build_sheet(roster, *registry.load_ruleset(roster))
    army = registry.load_army(SYSTEM, EMPIRE)
    return takes(
        "A side may have at most", lambda: combatants.sheet_lineup("A", sheet, army)
    )


def _connections(size: int) -> bool:
    connection = BoundedConnection.__new__(BoundedConnection)
    connection.connections = set(range(size))  # type: ignore[arg-type]
    connection.address = ""
    return not connection._is_one_too_many()


def _streams(size: int) -> bool:
    streams = BattleStreams(_streams)  # type: ignore[arg-type]
    streams.listeners["x"] = set(range(size - 1))  # type: ignore[arg-type]
    return not streams.is_full


def _batch(size: int) -> bool:
    return takes("At most 500 events", lambda: check_batch([{}] * size))


def _kind(size: int) -> bool:
    return takes(
        "kind must be one of",
        lambda: intake.read_event({**make_event(), "kind": "k" * size}, NOW),
    )


def _change(size: int) -> bool:
    name = "n" * (size - len(" from 1 to 2"))
    return log._change_words(name, 1, 2) != name


def _marks(size: int) -> bool:
    text = "x" + "\u0301" * size
    return takes("marks on one", lambda: clean_line(text, field="x", limit=99)) and not (
        document.text_fault(text, 99)
    )


def _depth(size: int) -> bool:
    nested = "[" * (size - 1) + "]" * (size - 1)
    return takes(
        "deeper than", lambda: api.decode(f'{{"a": {nested}}}'.encode())
    ) and takes("deeper than", lambda: json_text.decode(f'{{"a": {nested}}}'))


def _digits(size: int) -> bool:
    number = "1" * size
    return takes("digits", lambda: api.decode(f'{{"a": {number}}}'.encode())) and takes(
        "digits", lambda: json_text.decode(number)
    )


def _faults(size: int) -> bool:
    reader = document._Reader(None, None)  # type: ignore[arg-type]
    for number in range(size):
        reader.fault(f"x{number}", "is wrong")
    return len(reader.faults) == size


def _search(size: int) -> bool:
    request: Any = SimpleNamespace(query_params={"search": "a" * size})
    return takes("At most", lambda: book_api._search(request))


def _note_of_a_hit(size: int) -> bool:
    note = "n" * size
    return (
        search_index.SearchResult(
            kind="unit", name="x", note=note, place=("x", ())
        ).short_note
        == note
    )


def _source(size: int) -> bool:
    key = f"p:{SYSTEM}:{EMPIRE}:captain"
    options = ["shield"] * size
    return takes(
        "Options: give", lambda: odds_subjects.odds_subject_of(make_person(), key, options)
    )


def _request_key(size: int) -> bool:
    request: Any = SimpleNamespace(POST=QueryDict(f"key={'k' * size}"), path="/")
    return takes("must have at most", lambda: requests.request_key(request))


def _subject(size: int) -> bool:
    words = "w" * size
    one: Any = SimpleNamespace(words=words)
    return mail._subject(one) == words


def _fight(size: int) -> bool:
    attackers: Any = [SimpleNamespace(attacks=size)]
    return takes("attacks together", lambda: attacks._fight(None, attackers, None))  # type: ignore[arg-type]


def _scenario_side(points: int) -> bool:
    side = {"name": "Attacker", "points": points}
    return takes("points: a whole number", lambda: scenarios._sides([side]))


def _entries_of_a_warband(size: int) -> bool:
    roster = make_roster(warriors=[make_entry()] * size)
    return takes("may have at most", lambda: check_size(roster))


def _options_of_a_warrior(size: int) -> bool:
    roster = make_roster(warriors=[make_entry(options=["shield"] * size)])
    return takes("can have at most", lambda: check_size(roster))


def _names(size: int) -> list[str]:
    return [f"Name {n}" for n in range(size)]


def _detailed(size: int) -> bool:
    """Whether so many combatants of a battle are each asked for."""
    owner = make_person()
    sides = [QuickSide("Many", 60), QuickSide("More", size - 60)]
    record = load_battle(owner, make_battle(actor=owner, sides=sides).token)
    assert record
    return AftermathForm(None, record=record, owner=owner).is_detailed


def _fixtures_to_come(size: int) -> bool:
    """Whether a summary names so many fixtures one by one."""
    record = SimpleNamespace(is_bye=False, status="open")
    fixture = SimpleNamespace(record=record, round=SimpleNamespace(is_shown=True))
    event = SimpleNamespace(name="League")
    schedule = SimpleNamespace(event=event, rounds=(), fixtures=[fixture] * size)
    files: Any = SimpleNamespace(schedule=schedule, standings=SimpleNamespace(rows=()))
    told = {
        "_facts": lambda of: (),
        "_planned": lambda of: "Ada, Ben",
        "_when": lambda of: 0,
    }
    with patch.multiple(exports, **told):
        return " more" not in exports.as_markdown(files)


def _lists(size: int) -> bool:
    owner = make_person()
    club = make_club(owner=owner)
    return takes(
        "lists, the maximum",
        lambda: [make_list(club=club, actor=owner, name=name) for name in _names(size)],
    )


def _rules_drafts(size: int) -> bool:
    owner = make_person()
    slug = make_club(owner=owner).slug

    def begin() -> None:
        for name in _names(size):
            campaign_drafts.begin_draft(owner, slug, name=name, start="")

    return takes("at most", begin)


def _chosen(size: int) -> bool:
    return takes("choose from", lambda: campaign_fields.check_chosen("Kinds", "x" * size))


def _own_scenarios(size: int) -> bool:
    owner = make_person()
    make_books()
    drafts = [draft_scenario(name=name) for name in _names(size)]
    return takes(
        "scenarios, the maximum",
        lambda: [scenarios.create_scenario(owner, SYSTEM, draft) for draft in drafts],
    )


def _kept_lists(size: int) -> bool:
    """Whether so many lists are kept at once; one above the limit, and all are forgotten."""
    plain = {"stamp": "", "club": None, "retired_at": None}
    rows: list[Any] = [SimpleNamespace(token=name, **plain) for name in _names(size)]
    kept: dict[str, Any] = {}
    with patch.multiple(
        own_store, _kept=kept, own_list_of=lambda row: SimpleNamespace(stamp="")
    ):
        for row in rows:
            own_store._cached_list(row)
    return len(kept) == size


def _page(number: int) -> bool:
    """Whether this page is shown, of a list that goes on for ever."""
    for name in _names(4):
        create_club(name=name, owner_id=make_person().user_id or 0, is_public=True)
    return clubs_listed(make_person(), page=number, per_page=1).number == number


def _candidates(size: int) -> bool:
    with patch.object(comparison, "_candidates", return_value=[None] * size):
        return not comparison.load_comparison("", "").has_more


def _chart(entries: int, rounds: int) -> bool:
    """Whether a chart of these sizes is worked out at all."""
    standing = [SimpleNamespace(entry=None)] * entries
    table: Any = SimpleNamespace(
        rows=standing, event=SimpleNamespace(scoring=None, tie_breaks=())
    )
    with (
        patch.multiple(
            standings, results_of=DEFAULT, rounds_met=lambda results: [1] * rounds
        ),
        patch.object(standings, "entrants_of", side_effect=LookupError("worked out")),
    ):
        return not takes("worked out", lambda: standings.courses_of(table, ()))


def _name_in_a_chart(size: int) -> bool:
    name = "n" * size
    course: Any = SimpleNamespace(
        entry=SimpleNamespace(name=name, is_mine=False), places=(1,)
    )
    return event_charts._line(course, (0,), "A", 10).label.endswith(name)


def _climb(places: int) -> bool:
    """Whether it is told that somebody rose by so many places."""
    teller = chronicle._RoundWriter(None, (), None)  # type: ignore[arg-type]
    teller.names, teller.places = {1: "Ada"}, {1: {1: 5 + places}, 2: {1: 5}}
    return teller._headline(2, ())[0] is not None


def _games_told(size: int) -> bool:
    teller = chronicle._RoundWriter(None, (), None)  # type: ignore[arg-type]
    game = SimpleNamespace(status=next(iter(chronicle.SETTLED)), is_bye=False)
    with (
        patch.object(chronicle, "game_words", return_value="Ada beat Ben."),
        patch.object(chronicle._RoundWriter, "_people", return_value=[]),
    ):
        return "more battles" not in str(teller.round(1, [game] * size))  # type: ignore[list-item]


_DECODED = len('{"a":""}')


def _text_file(size: int) -> bool:
    """Whether a text of so many bytes may stand on a page."""
    with tempfile.NamedTemporaryFile() as file, patch.dict(os.environ, {"X": file.name}):
        file.write(b"x" * size)
        file.flush()
        try:
            return len(env.text_file("X")) == size
        except SystemExit:
            return False


def _foreign_elements(size: int) -> bool:
    return takes("elements", lambda: nodes.parse_xml(f"<a>{'<b/>' * (size - 1)}</a>"))


def _foreign_levels(size: int) -> bool:
    return takes("nested deeper", lambda: nodes.parse_xml("<a>" * size + "</a>" * size))


def _zip_members(size: int) -> bool:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in _names(size):
            archive.writestr(name, "x")
    return takes("are read", lambda: files.open_file("x", packed.getvalue()))


def _unpacked(size: int) -> bool:
    with patch.object(files, "RATIO_MAX", size):
        return takes("larger than", lambda: files._unpacked(_zip_of(size)))


def _ratio(size: int) -> bool:
    """Whether a zip is opened whose file is so many times its packed size."""
    packed = 1000
    member: Any = SimpleNamespace(compress_size=packed)
    archive: Any = SimpleNamespace(open=lambda one: io.BytesIO(b"x" * packed * size))
    return takes("times its size", lambda: files.content_of(archive, member))


def _zip_of(size: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ros", b"x" * size)
    return packed.getvalue()


def _catalogue_elements(size: int) -> bool:
    game: Any = [SimpleNamespace(size=size)]
    return takes("elements together", lambda: catalogues._check_size(game))


def _catalogue_sent(size: int) -> bool:
    return takes(
        "together they are", lambda: archives.open_archives([("a.gst", b"x" * size)])
    )


def _catalogue_unpacked(size: int) -> bool:
    with patch.object(archives, "SENT_MAX", size):
        return takes(
            "larger than", lambda: archives.open_archives([("a.gst", b"x" * size)])
        )


def _catalogue_place(way: int, count: int) -> bool:
    """Whether the next place may stand so deep, and be the so manieth."""
    unfolding: Any = SimpleNamespace(count=count - 1)
    node = nodes.Node("selectionEntry", {"name": "A"})
    return takes(
        "“A” is nested" if way else "places where",
        lambda: places.Unfolding._check(unfolding, node, "a", ("b",) * way),
    )


def _price_keys(size: int) -> bool:
    """Whether a price that hangs on so many other options is worked out."""
    others: Any = {f"place-{n}": f"option-{n}" for n in range(size)}
    notes: list[str] = []
    table: Any = SimpleNamespace(
        _special_prices=lambda place, asked, points: iter(()),
        kind=SimpleNamespace(note=lambda *words: notes.append(words[1])),
    )
    price: Any = OptionPrice(1, "model", Trace(options=set(others)))
    nothing: Any = None
    OptionPrices.points_if(table, nothing, "A", price, others)
    return not notes


def _own_weapons(size: int) -> bool:
    """Whether a catalogue may bring along so many weapons."""
    table = gear.GearTable({})
    keys = [table._weapon_key(name, {"range": "", "strength": ""}) for name in _names(size)]
    return all(keys)


def _own_magic(size: int) -> bool:
    """Whether a catalogue may bring along so many magic items."""
    items = magic.MagicItems()
    return all(items.add(_bare_place(name), 1) for name in _names(size))


def _bare_place(name: str) -> Any:
    return SimpleNamespace(name=name, parent=None, elements=())


def _equipment_places(size: int) -> bool:
    """Whether a list is taken whose units buy so many options of equipment lists together."""
    faults: list[str] = []
    spot: Any = SimpleNamespace(at=lambda *steps: SimpleNamespace(fault=faults.append))
    shared: Any = SimpleNamespace(options=range(size // 2))
    rest: Any = SimpleNamespace(options=range(size - size // 2))
    unit: Any = SimpleNamespace(
        equipment=[SimpleNamespace(shared="a"), SimpleNamespace(shared="b")]
    )
    equipment_lists.check_places(spot, [unit], {"a": shared, "b": rest})
    return not faults


def _foreign_parts(size: int) -> bool:
    parts = tuple(map(tree.ForeignPart, _names(size)))
    return takes(
        "options; at most", lambda: tree._check_unit(tree.ForeignUnit(1, "A", parts=parts))
    )


def _note_of_a_list(size: int) -> bool:
    """Whether a note of so many characters is kept whole."""
    found: Any = SimpleNamespace(note="n" * size, settings=())
    return not preview._roster_note(found, ())[1]


def _held_list(size: int) -> bool:
    """Whether a preview may send back so many characters."""
    empty = tree.ForeignRoster("", tree.Source(""))
    with patch.object(foreign_lists.signing, "dumps", return_value="x" * size):
        return takes("are possible", lambda: foreign_lists.hold_list(empty))


def _rule_words(size: int) -> bool:
    field = RuleTextsField("x", limit=size, most=DESCRIPTIONS_MAX)
    return takes("at most", lambda: field.clean("a" * size))


def _rule_texts(size: int) -> bool:
    """Whether a unit may describe so many special rules."""
    texts = dict.fromkeys(_names(size), "x")
    return takes(
        "should have at most", lambda: UnitRecord.model_validate({"rule_texts": texts})
    )


def _army_lead(size: int) -> bool:
    """Whether an army that has so many units more than the next is taken."""
    units = tuple(tree.ForeignUnit(number, f"u{number}") for number in range(3))
    known = {f"k{number}": (f"u{number}", "") for number in range(size)}
    armies = [names.ArmyNames("a", "a", "", known), names.ArmyNames("b", "b", "", {})]
    found = tree.ForeignRoster("", tree.Source(""), units=units)
    return names.rank_armies(found, armies)[0] == "a"


def _rules_document(size: int) -> bool:
    document = {"a": "x" * (size - len('{"a": ""}'))}
    return takes("is larger than", lambda: campaign_rules.check_document_size(document))


def _campaign_skills(size: int) -> bool:
    """Skills are counted over all lists together."""
    names = [{"id": f"s{number}", "name": "S"} for number in range(size)]
    document = {"skills": {"one": names[:100], "other": names[100:]}}
    return takes("is the most", lambda: campaign_rules.read_rules(document))


def _answers(dues: list[str], faces: tuple[int, ...] | None = None) -> bool:
    given = [growth_answers.GivenAnswer(due, faces) for due in dues]
    sentence = "whole numbers from 1" if faces else "answers at once"
    return takes(sentence, lambda: growth_answers.check_shape(given))


def _objectives(taken: dict[str, int]) -> bool:
    sentence = "n objective is taken" if "loot" in taken else "objectives, each named"
    return takes(sentence, lambda: casualties.check_objectives(taken))


def _chosen_warriors(size: int) -> bool:
    game = cast(Fixture, SimpleNamespace(sides=[SimpleNamespace(token="a")]))
    choice = growth_lineups.FieldChoice(absent={"a": ("w1",) * size})
    return takes("Name at most", lambda: growth_lineups.check_choice(game, choice))


def _growth_log(what: str, size: int) -> bool:
    """A log of so many warbands, battles or rows."""
    entries: dict[str, Callable[[int], growth_log.LogEntry]] = {
        "warbands": lambda number: growth_log.Founding(f"b{number}", "x", ()),
        "battles": lambda number: growth_log.FixtureResult(f"f{number}", ()),
        "rows": lambda number: growth_log.TakeBack("b1", "due"),
    }
    log = growth_log.CampaignLog(cast(CampaignRules, None))
    log = log.with_entries(*map(entries[what], range(size)))
    sentence = {"warbands": "at most 32", "battles": "at most 400", "rows": "at most 20000"}
    return takes(sentence[what], lambda: growth_log.check_size(log))


def _growth(size: int) -> bool:
    """A unit with so much experience, as an export of a campaign tells it."""
    return _reads_growth({"experience": size}, "a number beyond")


def _growth_text(size: int) -> bool:
    """Growth of so many characters, the braces and the key of its one text among them."""
    return _reads_growth({"kind": "x" * (size - len('{"kind": ""}'))}, "at most 20,000")


def _reads_growth(growth: dict[str, Any], fault: str) -> bool:
    entry = {"profile": "captain", "growth": growth}
    data = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": EMPIRE,
        "warriors": [entry],
    }
    return takes(fault, lambda: document.parse(data))


ROWS = (
    Row("GROWTH_FIGURE_MOST", 1_000_000, _growth),
    Row("GROWTH_MAX", 20_000, _growth_text),
    Row(
        "FILE_MAX",
        4_194_304,
        lambda n: takes("larger than", lambda: files.open_file("x", b"x" * n)),
    ),
    Row("UNPACKED_MAX", 16_777_216, _unpacked),
    Row("RATIO_MAX", 100, _ratio),
    Row("MEMBERS_MAX", 60, _zip_members),
    Row("ELEMENTS_MAX", 100_000, _foreign_elements),
    Row("ALL_ELEMENTS_MAX", 600_000, _catalogue_elements),
    Row(
        "FILES_MAX",
        10,
        lambda n: takes("choose 1 to", lambda: archives.open_archives([("a", b"x")] * n)),
    ),
    Row("SENT_MAX", 4_508_876, _catalogue_sent),
    Row("ALL_UNPACKED_MAX", 33_554_432, _catalogue_unpacked),
    Row("UNFOLD_LEVELS_MAX", 14, lambda n: _catalogue_place(n, 1)),
    Row("PLACES_MAX", 100_000, lambda n: _catalogue_place(0, n)),
    Row(
        "STEPS_MAX",
        5_000_000,
        lambda n: takes("steps to work out", lambda: StepCount().take(n)),
    ),
    Row("PRICE_KEYS_MAX", 4, _price_keys),
    Row("OWN_ITEMS_MAX", 200, _own_weapons),
    Row("OWN_MAGIC_MAX", 400, _own_magic),
    Row("ITEM_POINTS_MAX", 1000, lambda n: magic.MagicItems().add(_bare_place("A"), n)),
    Row(
        "RANGE_MAX",
        120,
        lambda n: "range" in gear.weapon_record("A", {"range": str(n), "strength": ""}),
    ),
    Row(
        "READINGS_MAX",
        20,
        lambda n: takes("the maximum", lambda: sent_catalogues.check_readings(n)),
    ),
    Row("EQUIPMENT_PLACES_MAX", 60_000, _equipment_places),
    Row(
        "OWN_UNITS_MAX",
        300,
        lambda n: takes("the most of a list", lambda: units.check_unit_count(n)),
    ),
    Row("LEVELS_MAX", 64, _foreign_levels),
    Row(
        "ATTRIBUTE_MAX",
        8192,
        lambda n: takes("characters", lambda: nodes.parse_xml(f'<a b="{"x" * n}"/>')),
    ),
    Row(
        "ELEMENT_NAME_MAX",
        120,
        lambda n: takes("characters", lambda: nodes.parse_xml(f"<{'a' * n}/>")),
    ),
    Row("PARTS_MAX", 100, _foreign_parts),
    Row("HELD_MAX", 400_000, _held_list),
    Row("NOTE_MAX", 4000, _note_of_a_list),
    Row("PRICE_MAX", 100_000, lambda n: tree.read_price(n) is not None),
    Row(
        "TEXT_LINES_MAX",
        2000,
        lambda n: takes("lines; at most", lambda: pasted.read_pasted("\n" * (n - 1))),
    ),
    Row("LEAD_LEAST", 2, _army_lead, is_least=True),
    Row("RARITY_LEAST", 2, lambda n: bool(catalogue_terms.rarity_terms(n)), is_least=True),
    Row("RARITY_MOST", 12, lambda n: bool(catalogue_terms.rarity_terms(n))),
    Row("TEXT_FILE_MAX", 100_000, _text_file),
    Row("TYPED_MAX", 200, lambda n: takes("far longer", lambda: read_code("x" * n))),
    Row("MARKS_MAX", 4, _marks),
    Row("DAYS_MAX", 365, lambda n: takes("A token works", lambda: _token(n))),
    Row("REQUEST_KEY_MAX", 40, lambda n: takes("request key", lambda: _token(key="k" * n))),
    Row("LIVE_MAX", 20, _tokens),
    Row("OWNED_MAX", 50, _clubs, lowered=3),
    Row("MEMBERS_MAX", 2000, _members, lowered=3),
    Row("ITEMS_MOST", 1000, lambda size: not is_too_much(["x"] * size, Text())),
    Row(
        "TEXT_MAX",
        10_000,
        lambda n: takes("at most", lambda: Text().run_validation("a" * n)),
    ),
    Row("SUBJECT_MAX", 110, _subject),
    Row("SHOWN_MAX", 60, _change),
    Row("CONFIRM_DAYS_MAX", 60, lambda n: takes("days to answer", lambda: checked_days(n))),
    Row(
        "QUICK_MODELS_MAX",
        200,
        lambda n: takes(
            "The models must", lambda: combatants.quick_lineup("A", "x", n, None)
        ),
    ),
    Row(
        "QUICK_LEADERSHIP_MAX",
        10,
        lambda n: takes("The Leadership", lambda: combatants.quick_lineup("A", "x", 1, n)),
    ),
    Row("MODELS_MAX", 200, _models),
    Row("SIDES_LEAST", 2, _sides, is_least=True),
    Row("SIDES_MOST", 8, _sides),
    Row("WORD_MAX", 40, _kind),
    Row(
        "PAYLOAD_MAX",
        4096,
        lambda n: takes(
            "payload must", lambda: intake._payload({"a": "x" * (n - _DECODED)})
        ),
    ),
    Row("BATCH_MAX", 500, _batch),
    Row("CONNECTIONS_MAX", 2000, _connections),
    Row("STREAMS_MAX", 1000, _streams),
    Row(
        "EVENTS_MAX",
        10_000,
        lambda n: not intake._limit_reason(n - 1, 0, SimpleNamespace(seq=1)),  # type: ignore[arg-type]
    ),
    Row(
        "SCENARIOS_MAX",
        50,
        lambda n: takes(
            "A pool holds",
            lambda: events.checked_pool(
                make_person(), registry.load_system(SYSTEM), ["x"] * n
            ),
        ),
    ),
    Row("PLAY_OFF_MAX", 128, _play_off),
    Row("ENTRIES_MAX", 128, _entries, lowered=3),
    Row("ROUNDS_MAX", 60, _rounds, lowered=3),
    Row(
        "TOKEN_MAX",
        40,
        lambda n: battle_rows.is_token("t" * n) and warband_rows.is_token("t" * n),
    ),
    Row("MAX_DEPTH", 24, _depth),
    Row("MAX_DIGITS", 20, _digits),
    Row(
        "MAX_DIGITS",
        9,
        lambda n: takes("whole number", lambda: requests.parse_int("1" * n, "x")),
    ),
    Row(
        "MAX_BYTES",
        1_048_576,
        lambda n: takes("larger than", lambda: json_text.decode(f'"{"a" * (n - 2)}"')),
    ),
    Row(
        "MAX_BODY",
        1_048_576,
        lambda n: takes(
            "larger than", lambda: api.decode(f'{{"a":"{"x" * (n - _DECODED)}"}}'.encode())
        ),
    ),
    Row("MAX_COUNT", 200, lambda n: takes("number of models", lambda: checked_count(n))),
    Row("MAX_LIMIT", 100_000, lambda n: takes("points limit", lambda: checked_limit(n))),
    Row("MAX_ENTRIES", 200, _entries_of_a_warband),
    Row("MAX_OPTIONS", 100, _options_of_a_warrior),
    Row("MAX_FAULTS", 50, _faults),
    Row("ALL_ATTACKS_MAX", 30, _fight),
    Row("DOCUMENT_MAX", 262_144, _rules_document),
    Row("SKILLS_MOST", 200, _campaign_skills),
    Row(
        "SETS_MAX",
        40,
        lambda n: takes("sets of campaign", lambda: own_rules.check_room(n, 1)),
    ),
    Row(
        "VERSIONS_MAX",
        200,
        lambda n: takes("versions", lambda: own_rules.check_room(1, n)),
    ),
    Row("ANSWERS_MAX", 60, lambda n: _answers([f"due-{one}" for one in range(n)])),
    Row("FACES_MOST", 4, lambda n: _answers(["due"], (1,) * n)),
    Row("LATE_MOST", 60, lambda n: takes("missed", lambda: growth_warbands.check_late(n))),
    Row("CHOSEN_MOST", 200, _chosen_warriors),
    Row(
        "OUT_MOST",
        400,
        lambda n: takes("at most", lambda: casualties.check_told([None] * n, "fates")),
    ),
    Row("OBJECTIVES_MOST", 20, lambda n: _objectives(dict.fromkeys(_names(n), 1))),
    Row("OBJECTIVE_MAX", 40, lambda n: _objectives({"o" * n: 1})),
    Row("TAKEN_MOST", 100, lambda n: _objectives({"loot": n})),
    Row("WARBANDS_MAX", 32, lambda n: _growth_log("warbands", n)),
    Row("FIXTURES_MAX", 400, lambda n: _growth_log("battles", n)),
    Row("LOG_ROWS_MAX", 20_000, lambda n: _growth_log("rows", n)),
    Row("MAX_SEARCH", 100, _search),
    Row(
        "DICE_MAX", 2000, lambda n: takes("at most", lambda: questions._read_faces([1] * n))
    ),
    Row(
        "LINES_MAX",
        40,
        lambda n: takes(
            "lines; there are", lambda: LinesField(label="x").clean("\n".join(_names(n)))
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
    Row("RULES_MAX", 12, lambda n: takes("at most", lambda: scenarios._rules(_names(n)))),
    Row(
        "SIDES_MAX",
        4,
        lambda n: takes("a scenario has", lambda: scenarios._sides([{"name": "A"}] * n)),
    ),
    Row(
        "WANTED_MAX",
        100,
        lambda n: takes("at most", lambda: comparison.load_comparison("", "", "a" * n)),
    ),
    Row("NOTE_MAX", 70, _note_of_a_hit),
    Row("QUERY_MAX", 100, lambda n: takes("at most", lambda: search_index.search("a" * n))),
    Row(
        "KEY_MAX",
        200,
        lambda n: takes(
            "key has 1 to", lambda: odds_subjects.odds_subject_of(make_person(), "p" * n)
        ),
    ),
    Row("OPTIONS_MAX", 40, _source),
    Row(
        "WHY_MAX",
        100,
        lambda n: takes("What for", lambda: dice_tray._checked("D6", 1, "w" * n)),
    ),
    Row(
        "TAKEN_MAX",
        200,
        lambda n: takes(
            "Choose 1 to",
            lambda: prices.take_prices(make_person(), "x", 1, dict.fromkeys(_names(n), 1)),
        ),
    ),
    Row("KEY_MAX", 100, _request_key),
    Row("DETAILED_MAX", 120, _detailed),
    Row("NEXT_MOST", 20, _fixtures_to_come),
    Row("LISTS_MAX", 40, _lists, lowered=3),
    Row("DRAFTS_MAX", 40, _rules_drafts, lowered=3),
    Row("CHOSEN_MAX", 6000, _chosen),
    Row("OWN_MAX", 200, _own_scenarios, lowered=3),
    Row("KEPT_MAX", 500, _kept_lists),
    Row("PAGES_MAX", 100, _page, lowered=2),
    Row("PICKED_MAX", 80, _candidates),
    Row("ENTRIES_MOST", 32, lambda n: _chart(n, 2)),
    Row("PLACES_MOST", 800, lambda n: _chart(1, n)),
    Row("NAME_MOST", 14, _name_in_a_chart),
    Row("CLIMB_LEAST", 2, _climb, is_least=True),
    Row("GAMES_MOST", 8, _games_told),
    Row("NAMED_MOST", 3, lambda n: "more" not in event_page._listed(_names(n))),
    Row(
        "NAMED_MOST",
        4,
        lambda n: not standings._shared_sentence(_names(n), 1).startswith("These"),
    ),
)
