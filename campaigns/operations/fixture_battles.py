"""The battle of a fixture: set up with its sides, and what the fixture comes to by it."""

from dataclasses import replace
from datetime import date, datetime

from django.db.models import F
from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import NOBODY, Owner
from battles.combatants import quick_lineup, sheet_lineup
from battles.intake import log_of, rules_of
from battles.models import (
    Battle,
    BattleStatus,
    BattleVisibility,
    ResultEntry,
    Snapshot,
)
from battles.operations.setup import checked_system, insert_battle
from battles.operations.sides import BattleTerms, LockedSide, lock_roster, number_same_names
from battles.queries.battles import load_locked_sheet
from battles.results import ResultStep, outcome_words
from campaigns.fixture_totals import (
    SIDES,
    Faces,
    entries_by_side,
    fixture_columns,
    side_entries,
    thrown_faces,
)
from campaigns.growth.operations.results import (
    EVERYBODY,
    FieldChoice,
    GrownSides,
    check_choice,
    load_grown_sides,
    record_result,
)
from campaigns.list_checks import is_of_system
from campaigns.models import ClubEvent, Entry, Fixture
from campaigns.models.rounds import moment_of
from campaigns.operations.log import ChangeRequest, LockedEvent
from campaigns.queries.table_packs import load_lists_of
from engine.records import Fields, NumberByKey, named_values
from rulesdata import registry
from warbands.exchange.document import parse_stored
from warbands.models import Warband
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of_roster

PAIR = ("round__event", "one", "other", "third")
# Models of a side without a list, where nobody says how many it has.
QUICK_MODELS = 10


def create_fixture_battle(
    change: LockedEvent,
    fixture: Fixture,
    sizes: NumberByKey,
    choice: FieldChoice = EVERYBODY,
) -> Battle:
    """The battle of a fixture: agreed as the event says, a side of each entry, whose person it
    belongs to.

    ``sizes`` maps an entry's token to its models where it brings no list, ``choice`` says who of a
    campaign's warbands fights. Call it within a transaction. Raises Refusal, NotAllowed.
    """
    event = change.event
    check_choice(change, fixture, choice)
    grown = load_grown_sides(event)
    checked_system(event.system, event.variant or None)
    lists = load_lists_of(fixture)
    sides: list[LockedSide] = []
    taken: set[int] = set()
    for key, entry in entries_by_side(fixture).items():
        side = _grown_side(event, len(sides), entry, grown, choice)
        if side is None:
            side = _brought_side(event, len(sides), entry, lists.get(entry.pk), taken)
        if side is None:
            models = sizes.get(entry.token, QUICK_MODELS)
            lineup = quick_lineup(key, entry.name, models, None)
            side = LockedSide(lineup, owner=Owner(user_id=entry.user_id))
        sides.append(side)
    attackers = {pk: key for key, pk in side_entries(fixture).items()}
    columns = {
        **named_values(
            event, "system", "variant", "club_id", "confirm_days", "confirmation"
        ),
        **named_values(fixture, "scenario", "scenario_name"),
        "house_rules": dict(event.house_rules),
        "ruling_layers": dict(event.ruling_layers),
        "attacker": attackers.get(fixture.attacker_id or 0, ""),
        "visibility": BattleVisibility.LINK,
        "fought_date": _day(moment_of(fixture, fixture.round)),
    }
    return insert_battle(change.actor, columns, number_same_names(sides))


def _grown_side(
    event: ClubEvent,
    place: int,
    entry: Entry,
    grown: GrownSides | None,
    choice: FieldChoice,
) -> LockedSide | None:
    """The side of the warband that grows in a campaign, None where an entry has none."""
    found = grown.find_roster(entry, choice) if grown else None
    if found is None:
        return None
    # Whose side it is follows from the entry: a guest's copy belongs to an organiser.
    record, roster = found
    terms = BattleTerms(event.ruling_layers, event.house_rules)
    side = lock_roster(place, roster, record, terms)
    return replace(side, owner=Owner(user_id=entry.user_id))


def _brought_side(
    event: ClubEvent, place: int, entry: Entry, snapshot: Snapshot | None, taken: set[int]
) -> LockedSide | None:
    """The side of a list or a warband, None where neither can be read or fielded any more.

    A warband stands on one side only; ``taken`` holds those that do, and this one after it.
    """
    owner = Owner(user_id=entry.user_id)
    if snapshot is not None and snapshot.warband_id not in taken:
        side = _listed(place, snapshot, owner)
        if side is not None:
            taken.add(snapshot.warband_id or 0)
            return side
    record = _warband(event, entry.warband, taken)
    if record is None:
        return None
    # One warband cannot stand on two sides of a battle.
    taken.add(record.id)
    terms = BattleTerms(event.ruling_layers, event.house_rules)
    return replace(lock_roster(place, record.roster, record, terms), owner=owner)


def _listed(place: int, snapshot: Snapshot, owner: Owner) -> LockedSide | None:
    """Return the side of a handed-in list, None where it can be read no more."""
    try:
        roster = parse_stored(snapshot.document)
        sheet = load_locked_sheet(snapshot.sheet) or sheet_of_roster(roster)
        _, army = registry.load_ruleset(roster)
        return LockedSide(
            sheet_lineup(SIDES[place], sheet, army), snapshot=snapshot, owner=owner
        )
    except (Refusal, registry.UnknownKey):
        return None


def _warband(
    event: ClubEvent, warband: Warband | None, taken: set[int]
) -> WarbandRecord | None:
    """What somebody means to bring, where it can be fielded here.

    It was entered, so its own owner lets it be read.
    """
    if warband is None or warband.pk in taken or warband.archived_at is not None:
        return None
    record = load_warband(Owner(warband.owner_id, warband.owner_key), warband.token)
    if record is None or not is_of_system(record.roster, event):
        return None
    return record if record.roster.warriors else None


def _day(moment: datetime | None) -> date:
    """The day it was played on, as far as anybody knows: the day agreed on, but not one that is
    still to come.
    """
    today = timezone.localdate()
    return min(timezone.localtime(moment).date(), today) if moment else today


# What a fixture comes to


def refresh_fixture(
    battle: Battle, author: int | None = None, *, tells: bool = True
) -> Fixture | None:
    """The totals of the fixture this battle is played for; returns it, None where there is none.

    A campaign whose warbands grow is told what it came to, in the name of ``author``; ``tells``:
    so are its players.

    Call it within a transaction that holds the battle's lock, with the row as it was written last.
    One query, and up to three more where there is a fixture.
    """
    rows = Fixture.objects.select_for_update(of=("self",)).filter(battle_id=battle.pk)
    fixture = rows.select_related(*PAIR).order_by().first()
    if fixture is not None:
        write_fixture(fixture, battle)
        record_result(fixture, battle, author, tells=tells)
    return fixture


def write_fixture(fixture: Fixture, battle: Battle | None) -> bool:
    """Write what the fixture comes to, and its next version, where it is something else; returns
    whether it was.
    """
    wanted = totals_of(fixture, battle)
    # A fixture that says the same keeps its version: no page of it becomes stale.
    changed = {
        name: value for name, value in wanted.items() if getattr(fixture, name) != value
    }
    if not changed:
        return False
    Fixture.objects.filter(pk=fixture.pk).update(**changed, version=F("version") + 1)
    for name, value in changed.items():
        setattr(fixture, name, value)
    fixture.version += 1
    return True


def totals_of(fixture: Fixture, battle: Battle | None) -> Fields:
    """What the columns that hold totals should say. Up to two queries."""
    if battle is None or battle.status == BattleStatus.OPEN:
        return fixture_columns(fixture, battle, None, {})
    # The first report is the day of a game that was not recorded live.
    first = (
        ResultEntry.objects.filter(battle=battle)
        .order_by("number")
        .values_list("at", flat=True)
        .first()
    )
    return fixture_columns(fixture, battle, first, _thrown_faces(battle))


def _thrown_faces(battle: Battle) -> Faces:
    """Return the faces of the dice that a battle's events tell, by side and die.

    Without events it makes no query.
    """
    if not battle.events_count:
        return {}
    log = log_of(battle)
    return thrown_faces(log.rules, log.field, log.events)


def log_step(fixture: Fixture, battle: Battle, entry: ResultStep) -> None:
    """A line of the event's log about one step of a fixture's result: who, what, why."""
    actor = Owner(user_id=entry.author_id) if entry.author_id else NOBODY
    if not entry.how:
        outcome = ""
    else:
        won = entries_by_side(fixture).get(entry.winner)
        ending = rules_of(battle).endings.get(entry.how)
        outcome = f": {outcome_words(ending, won.name if won else '')}"
    words = f"{entry.title}: {fixture.title}, round {fixture.round.number}{outcome}."
    changes = (
        {"winner": entry.winner, "how": entry.how, "status": battle.status}
        if entry.how
        else {}
    )
    event = fixture.round.event
    asked = ChangeRequest(
        actor, event.token, reason="" if entry.is_silent else entry.reason
    )
    change = LockedEvent(asked, event)
    change.log(f"result_{entry.verb}", words, subject=fixture.token, changes=changes)
