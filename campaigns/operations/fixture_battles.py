"""The battle of a fixture: set up with its sides, and what the fixture comes to by it."""

from dataclasses import replace
from datetime import datetime

from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import Owner
from battles.combatants import quick_lineup, sheet_lineup
from battles.intake import load_log
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
from campaigns.fixture_totals import (
    Faces,
    entries_by_side,
    fixture_columns,
    side_entries,
    thrown_faces,
)
from campaigns.growth.operations.results import (
    FieldChoice,
    check_choice,
    load_grown_sides,
)
from campaigns.models import ClubEvent, Fixture
from campaigns.models.rounds import play_moment
from campaigns.operations.log import LockedEvent
from campaigns.operations.rows import changed_columns, update_row
from campaigns.queries.table_packs import load_brought_warband, load_lists
from engine.records import NumberByKey, named_values
from rulesdata import registry
from warbands.exchange.document import parse_stored
from warbands.models import Warband
from warbands.queries.warbands import sheet_of_roster

# Models of a side without a list, where nobody says how many it has.
QUICK_MODELS = 10


def create_fixture_battle(
    change: LockedEvent,
    fixture: Fixture,
    sizes: NumberByKey,
    choice: FieldChoice,
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
    terms = BattleTerms(event.ruling_layers, event.house_rules)
    lists = load_lists(fixture)
    sides: list[LockedSide] = []
    # One warband cannot stand on two sides of a battle.
    fielded: set[int] = set()
    for place, (key, entry) in enumerate(entries_by_side(fixture).items()):
        brought = grown.find_roster(entry, choice) if grown else None
        if brought is not None:
            record, roster = brought
            side: LockedSide | None = lock_roster(place, roster, record, terms)
        else:
            side = _lock_list(key, lists.get(entry.pk), fielded)
            side = side or _lock_warband(place, event, entry.warband, fielded)
        if side is None:
            models = sizes.get(entry.token, QUICK_MODELS)
            side = LockedSide(quick_lineup(key, entry.name, models, None))
        # Whose side it is follows from the entry: a guest's copy belongs to an organiser.
        sides.append(replace(side, owner=Owner(user_id=entry.user_id)))
    attackers = {pk: key for key, pk in side_entries(fixture).items()}
    # The day agreed on, but not one that is still to come.
    now = timezone.now()
    fought = timezone.localdate(min(play_moment(fixture, fixture.round) or now, now))
    columns = {
        **named_values(
            event, "system", "variant", "club_id", "confirm_days", "confirmation"
        ),
        **named_values(fixture, "scenario", "scenario_name"),
        "house_rules": dict(event.house_rules),
        "ruling_layers": dict(event.ruling_layers),
        "attacker": attackers.get(fixture.attacker_id or 0, ""),
        "visibility": BattleVisibility.LINK,
        "fought_date": fought,
    }
    return insert_battle(change.actor, columns, number_same_names(sides))


def _lock_list(key: str, snapshot: Snapshot | None, fielded: set[int]) -> LockedSide | None:
    """Return the side of a handed-in list, None if it can be read no more or stands already."""
    if snapshot is None or snapshot.warband_id in fielded:
        return None
    try:
        roster = parse_stored(snapshot.document)
        sheet = load_locked_sheet(snapshot.sheet) or sheet_of_roster(roster)
        lineup = sheet_lineup(key, sheet, *registry.load_ruleset(roster))
        side = LockedSide(lineup, snapshot=snapshot)
    except (Refusal, registry.UnknownKey):
        return None
    fielded.add(snapshot.warband_id or 0)
    return side


def _lock_warband(
    place: int, event: ClubEvent, warband: Warband | None, fielded: set[int]
) -> LockedSide | None:
    """Return the side of a warband as it is now, None if it cannot be fielded or stands already."""
    if warband is None or warband.pk in fielded:
        return None
    record = load_brought_warband(event, warband)
    if record is None:
        return None
    fielded.add(record.id)
    terms = BattleTerms(event.ruling_layers, event.house_rules)
    return lock_roster(place, record.roster, record, terms)


# What a fixture comes to


def write_fixture(fixture: Fixture, battle: Battle | None) -> bool:
    """Write what the fixture comes to, and its next version, where it is something else; returns
    whether it was. Up to two queries to find that out.
    """
    reported_at: datetime | None = None
    faces: Faces = {}
    if battle is not None and battle.status != BattleStatus.OPEN:
        steps = ResultEntry.objects.filter(battle=battle).order_by("number")
        # The first report is the day of a game that was not recorded live.
        reported_at = steps.values_list("at", flat=True).first()
        if battle.events_count:
            log = load_log(battle)
            faces = thrown_faces(log.rules, log.field, log.events)
    columns = fixture_columns(fixture, battle, reported_at, faces)
    changed = changed_columns(fixture, columns)
    # A fixture that says the same keeps its version: no page of it becomes stale.
    if not changed:
        return False
    update_row(fixture, **changed)
    for name, value in changed.items():
        setattr(fixture, name, value)
    fixture.version += 1
    return True
