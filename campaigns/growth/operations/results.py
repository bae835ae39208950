"""What a game of a campaign brings: who fights, who was put out, objectives, and its result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, WrongState
from accounts.owner import NOBODY, Owner
from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.intake import load_log, rules_of
from battles.models import Battle, BattleStatus
from campaigns import access
from campaigns.fixture_totals import side_keys
from campaigns.growth.operations.ledger import build_row, check_grows_on, open_growth
from campaigns.growth.operations.notices import open_dues
from campaigns.growth.payloads import from_payload
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    load_campaign_warbands,
    load_ledger,
)
from campaigns.growth.queries.lineups import FieldedSide, load_fielded_sides
from campaigns.growth.queries.presenter import CampaignPresenter
from campaigns.growth.queries.results import counted_result, result_payload
from campaigns.models import (
    CampaignWarband,
    ClubEvent,
    Entry,
    Fixture,
    FixtureStatus,
    GrowthRow,
    GrowthRowKind,
)
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    lock_event_row,
    organised_event,
    readable_event,
)
from campaigns.operations.rows import check_running, playable_fixture
from campaigns.queries.fixtures import status_now
from campaigns.queries.records import Outcome
from engine.battles.event_fold import fold
from engine.errors import Refusal
from engine.growth.state import list_lineup
from engine.records import (
    JsonObject,
    NamedValues,
    TextByKey,
    Texts,
    frozen_dataclass,
)
from engine.roster import Roster
from notices.operations import send_notices
from warbands.exchange.document import shown
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband

OUT_MOST = 400
OBJECTIVES_MOST = 20
OBJECTIVE_MAX = 40
TAKEN_MOST = 100
CHOSEN_MOST = 200
Fates = Mapping[str, Sequence[NamedValues]]
"""By an entry's token: who of its models was put out, and by whom."""


# Who fights


@frozen_dataclass
class FieldChoice:
    """Who stays away, and who fights though they should miss the battle, by the entry's token."""

    absent: Mapping[str, Texts] = field(default_factory=dict)
    fielded: Mapping[str, Texts] = field(default_factory=dict)


EVERYBODY = FieldChoice()


@frozen_dataclass
class GrownSides:
    """The campaign of an event, and the warband that each entry has in it now."""

    ledger: CampaignLedger
    rows: Mapping[int, CampaignWarband]

    def find_roster(
        self, entry: Entry, choice: FieldChoice
    ) -> tuple[WarbandRecord, Roster] | None:
        """Return an entry's warband with the roster that fights, None where it has founded none.

        Raises Refusal where nobody is left to fight.
        """
        row = self.rows.get(entry.pk)
        if row is None or row.warband is None:
            return None
        owner = Owner(row.warband.owner_id, row.warband.owner_key)
        record = load_warband(owner, row.warband.token)
        if record is None:
            return None
        grown = self.ledger.state.warbands[row.token]
        sent = choice.fielded.get(entry.token, ())
        counts = {}
        for key in list_lineup(grown, choice.absent.get(entry.token, ()), sent):
            warrior = grown.warriors[key]
            # A group fights with those of its models that miss nothing; whoever should miss the
            # battle is sent by choice alone.
            counts[row.rows[key]] = warrior.count if key in sent else warrior.fit
        if not counts:
            raise Refusal(f"{entry.name} has no model left to fight.", field="absent")
        fighting = tuple(
            replace(warrior, count=counts[warrior.id])
            for warrior in record.roster.warriors
            if warrior.id in counts
        )
        return record, replace(record.roster, warriors=fighting)


def load_grown_sides(event: ClubEvent) -> GrownSides | None:
    """Return who may fight for a campaign; None where warbands do not grow."""
    if not event.growth_position:
        return None
    rows = {
        row.entry_id: row
        for row in load_campaign_warbands(event.pk)
        if row.closed_at is None
    }
    return GrownSides(load_ledger(event), rows)


def check_choice(change: LockedEvent, fixture: Fixture, choice: FieldChoice) -> None:
    """Raise Refusal for a choice that names others than those who meet, or too many.

    Raises NotAllowed where a player chooses for somebody else.
    """
    playing = {entry.token for entry in fixture.sides}
    for name, units in (("absent", choice.absent), ("fielded", choice.fielded)):
        if not playing >= units.keys():
            raise Refusal("Name the entries that meet here.", field=name)
        if any(len(keys) > CHOSEN_MOST for keys in units.values()):
            raise Refusal(f"Name at most {CHOSEN_MOST} units.", field=name)
    if not access.may_organise(change.actor, change.event):
        entries = [entry for entry in fixture.sides if access.plays_as(change.actor, entry)]
        if not {entry.token for entry in entries} >= {*choice.absent, *choice.fielded}:
            message = "Choose who fights of your own warband. The others choose for theirs."
            raise NotAllowed(message)


# The result


def lock_campaign(token: str) -> None:
    """Lock the event of a battle whose result a campaign counts, before the battle is locked.

    Whoever reports a result locks the event first; the battle's own steps do the same.
    """
    rows = ClubEvent.objects.select_for_update(of=("self",), no_key=True).filter(
        growth_position__gt=0, rounds__fixtures__battle__token=token
    )
    list(rows.order_by())


def record_result(
    fixture: Fixture,
    battle: Battle | None,
    author: int | None,
    *,
    tells: bool = True,
) -> None:
    """Append what a fixture came to, where its campaign does not know it yet.

    ``tells``: players get notices of what that changes.

    Call it within the transaction that changed the result, under the battle's lock.
    """
    if not fixture.round.event.growth_position:
        return
    rows = GrowthRow.objects.filter(fixture=fixture, kind=GrowthRowKind.RESULT)
    last = rows.order_by("-position").first()
    # Silence and a confirmation change nothing here: a result counts from its first report.
    result = counted_result(fixture, battle)
    previous = last.payload if last else None
    payload = result_payload(result, previous)
    if payload is None:
        return
    is_same = payload == previous
    # Events told it already, in nobody's name: the step behind them brings the notices.
    if last and is_same and not (tells and last.author_id is None):
        return
    event = lock_event_row(fixture.round.event_id)
    actor = Owner(user_id=author) if author else NOBODY
    growth = open_growth(LockedEvent(ChangeRequest(actor, event.token), event))
    if last and is_same:
        growth.tell_players(growth.ledger)
        # It has been told now: without a name the next row would tell it once more.
        GrowthRow.objects.filter(pk=last.pk).update(author_id=author)
        return
    if growth.may_retell(fixture.token, tells=tells):
        entry = from_payload(GrowthRowKind.RESULT, payload)
        growth.append([build_row(entry, fixture=fixture)], tells=tells)


# Casualties


def after_battle_report(
    fixture: Fixture, battle: Battle, fates: Fates, winner: str | None, how: str
) -> AfterBattleReport:
    """Return the form that says these fates; models of entries that are left out stay as they are.

    Raises Refusal naming the field.
    """
    rules = rules_of(battle)
    if not rules.can_record:
        raise Refusal(f"{rules.name} records no casualties.", field="fates")
    log = load_log(battle)
    state = fold(log.rules, log.field, log.events)
    # A system may know several states that are out; a report tells no more than that.
    out = next(key for key, fate in rules.states.items() if fate.is_out)
    casualties = {}
    for key, (is_out, by) in _read_fates(fixture, battle, fates).items():
        current = state.combatants[key]
        # A model that is not out is as it is, or as it began.
        back = rules.begins if current.is_out else current.state
        casualties[key] = ReportedCasualty(out, by) if is_out else ReportedCasualty(back)
    return AfterBattleReport(
        seen=battle.events_count,
        turns=state.turn,
        fates=casualties,
        winner=winner,
        how=how.replace("-", "_"),
    )


def _read_fates(
    fixture: Fixture, battle: Battle, fates: Fates
) -> dict[str, tuple[bool, str | None]]:
    """Return for each model of the sides that are told of whether it is out, and by which model."""
    sides = {side.row.entry.token: side for side in load_fielded_sides(battle).values()}
    playing = {entry.token for entry in fixture.sides}
    models: dict[str, tuple[bool, str | None]] = {}
    for token, lines in fates.items():
        if token not in playing:
            raise Refusal(f"{shown(token)} does not play in this game.", field="fates")
        side = sides.get(token)
        if side is None:
            raise Refusal("This side has no warband in the campaign.", field="fates")
        check_reported(lines, "fates")
        # All of a side are told of: who is not named is not out.
        models |= dict.fromkeys((model.id for model in side.models), (False, None))
        for place, line in enumerate(lines):
            at = f"fates.{token}[{place}]"
            who = line.get("who")
            if not isinstance(who, str):
                raise Refusal("who must be a text.", field=f"{at}.who")
            model = side.find(who)
            if model is None:
                raise Refusal(f"{shown(who)} does not fight here.", field=f"{at}.who")
            models[model.id] = True, _find_attacker(sides, line.get("by"), f"{at}.by")
    return models


def _find_attacker(
    sides: Mapping[str, FieldedSide], name: object, field: str
) -> str | None:
    """Return the combatant that stands for a warrior such as <entry>/w1; None for nobody."""
    if name is None:
        return None
    entry, _, warrior = name.partition("/") if isinstance(name, str) else ("", "", "")
    side = sides.get(entry)
    model = side.find_warrior(warrior) if side else None
    if model is None:
        raise Refusal(f"{shown(name)} does not fight here.", field=field)
    return model.id


# Objectives


def tell_objectives(request: ChangeRequest, fixture: str, report: Outcome) -> None:
    """Say what was taken in a game whose result is known; the result stays as it is.

    By those who play it until the result is final, and by organisers. Raises Refusal naming the
    field, WrongState, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        row = playable_fixture(change, fixture)
        if not change.event.growth_position:
            raise NotFound("growth")
        if row.battle is None or row.battle.status == BattleStatus.OPEN:
            raise WrongState("Report the result first.")
        status = status_now(row.status, row.waits_until, timezone.now())
        if not access.may_organise(request.actor, change.event):
            check_grows_on(change)
            if status == FixtureStatus.FINAL:
                raise WrongState(
                    "The result is final. Ask an organiser of the club to change the "
                    "objectives."
                )
        # Stored by the keys of the battle's sides, as typed casualties are.
        objectives = merge_objectives(row.told, side_keys(row), report)
        if objectives == row.told:
            return
        Fixture.objects.filter(pk=row.pk).update(told=objectives)
        row.told = objectives
        record_result(row, row.battle, request.actor.user_id)
        message = f"Told the objectives of {row.title}."
        change.log("growth_objectives", message, subject=row.token)


def merge_objectives(reported: NamedValues, keys: TextByKey, report: Outcome) -> JsonObject:
    """Return what a fixture keeps of a report beside what was ``reported``, by its sides' keys.

    ``keys`` are those by the entries' tokens; what is left out stays. Raises Refusal naming the
    field.
    """
    objectives, takers = report.objectives, report.objective_by or ()
    for token, counts in (objectives or {}).items():
        if token not in keys:
            message = f"{shown(token)} does not play in this game."
            raise Refusal(message, field="objectives")
        check_objectives(counts)
    warriors = _read_takers(keys, takers)
    columns: JsonObject = dict(reported)
    for token, key in keys.items():
        # A report tells of all sides: one that it leaves out took nothing.
        if objectives is not None:
            totals = dict(objectives[token]) if token in objectives else None
            columns[key] = {**columns.get(key, {}), "objectives": totals}
        if report.objective_by is not None:
            columns[key] = {**columns.get(key, {}), "objective_by": warriors[token]}
    return columns


def _read_takers(keys: Collection[str], takers: Sequence[str]) -> dict[str, list[str]]:
    """Return which units of each entry took an objective. Raises Refusal naming the field."""
    check_reported(takers, "objective_by")
    warriors: dict[str, list[str]] = {token: [] for token in keys}
    for place, line in enumerate(takers):
        token, _, warrior = line.partition("/")
        if token not in keys or not warrior or len(warrior) > OBJECTIVE_MAX:
            message = f"{shown(line)} names no unit here: write <entry>/w1."
            raise Refusal(message, field=f"objective_by[{place}]")
        warriors[token].append(warrior)
    return warriors


def check_reported(models: Sequence[object], field: str) -> None:
    """Raise Refusal for more models than a report tells of."""
    if len(models) > OUT_MOST:
        raise Refusal(f"Tell of at most {OUT_MOST} models.", field=field)


def check_objectives(objectives: NamedValues) -> None:
    """Raise Refusal for objectives that cannot be kept."""
    longest = max(map(len, objectives), default=0)
    if len(objectives) > OBJECTIVES_MOST or longest > OBJECTIVE_MAX:
        most, letters = OBJECTIVES_MOST, OBJECTIVE_MAX
        message = f"At most {most} objectives, each named in {letters} letters."
        raise Refusal(message, field="objectives")
    if not all(0 <= number <= TAKEN_MOST for number in objectives.values()):
        raise Refusal(f"An objective is taken 0 to {TAKEN_MOST} times.", field="objectives")


# Reminders


def remind_of_dues(request: ChangeRequest) -> int:
    """Tell each player what their warband still owes; returns how many were told.

    By organisers; guests have no account to be told. The same is told once until the campaign
    changes. Raises WrongState where nobody owes anything, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        check_running(change.event)
        rows = load_campaign_warbands(change.event.pk)
        campaign = CampaignPresenter(open_growth(change).ledger, change.event, rows)
        notices = [
            notice for row in rows for notice in open_dues(change.event, campaign, row)
        ]
        if not notices:
            raise WrongState("No player owes a roll or a choice.")
        send_notices(notices, subject=change.event.name)
        return len(notices)
