"""One battle with everything in it: five queries, one more with a person's own scenario, one with a
club.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils import timezone

from accounts.access import clubs_joined_by, is_club_member, owns
from accounts.errors import FaultyDocument, Refusal
from accounts.owner import Owner
from accounts.tokens import is_token
from battles import access, result_rules
from battles.combatants import SideLineup, build_field
from battles.hooks import battle_follower
from battles.intake import ResultRows, build_result_context, rules_of, to_event
from battles.models import (
    Battle,
    BattleEvent,
    BattleSide,
    BattleStatus,
    ResultEntry,
    ResultVerb,
    Snapshot,
)
from battles.queries.index import (
    BattleRecord,
    BattleSideRecord,
    EventRecord,
    ResultRecord,
    ResultStepRecord,
)
from battles.result_rules import Claim, ResultContext
from battles.results import ResultStep
from battles.secret_lists import (
    hide_lists,
    may_hide,
    visible_lineups,
    visible_state,
    without_figures,
)
from engine.battles.event_fold import BattleLog
from engine.battles.rules import BattleRules
from engine.battles.types import BattleState, Event
from engine.records import copy_fields
from rulesdata import registry
from rulesdata.agreements import played_rulings
from rulesdata.queries.scenarios import load_carried_scenario
from warbands.exchange.document import parse_stored
from warbands.models import WarbandVisibility
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet.frozen import SnapshotMismatch, from_json
from warbands.sheet.structure import RosterSheet

_COLUMNS = attrgetter("id", "device", "seq", "at", "kind", "payload")


class BattleRows(NamedTuple):
    """A battle's rows, all of the same moment; ``hidden`` are sides whose list is no reader's."""

    battle: Battle
    sides: list[BattleSide]
    steps: list[ResultEntry]
    context: ResultContext
    hidden: frozenset[str]

    @property
    def lineups(self) -> tuple[SideLineup, ...]:
        """Who stands on the table, as the battle is folded for this reader."""
        return visible_lineups(self.battle, self.hidden)


def load_battle(
    actor: Owner, token: str, key: str = "", *, shows_lists: bool = False
) -> BattleRecord | None:
    """The battle, or None where there is none or the actor may not see it (both are a 404).

    ``shows_lists``: it is known already that secret lists may be read.
    """
    rows = find_battle(actor, token, key, shows_lists=shows_lists)
    if rows is None:
        return None
    battle, context = rows.battle, rows.context
    events = list(_event_rows(battle))
    log = BattleLog(
        rules_of(battle), build_field(rows.lineups), tuple(map(to_event, events))
    )
    bare = _bare(battle, rows.hidden, rows.lineups, may_record=context.takes_part)
    state = visible_state(log.state_with(), bare)
    system = registry.system_of(battle)
    scenario = battle.scenario or None
    return copy_fields(
        BattleRecord,
        battle,
        key=battle.key if context.takes_part else "",
        variant=battle.variant or None,
        system_name=system.full_name,
        scenario=scenario,
        scenario_record=load_carried_scenario(battle.system, scenario),
        house_rule_names=system.house_rules_in(battle.house_rules),
        played_rulings=played_rulings(system, battle.ruling_layers),
        owner_name=battle.owner.display_name if battle.owner else "",
        club_name=battle.club.name if battle.club else "",
        position=battle.events_count,
        sides=_sides(rows, state, bare),
        rules=log.rules,
        field=log.field,
        events=tuple(
            _event(row, event, state.verdicts.get(event.id, ""))
            for row, event in zip(events, log.events, strict=True)
        ),
        state=state,
        result=build_result(rows, log.rules),
        may_record=context.takes_part,
        may_share=access.is_keeper(context.actor, battle, context.key),
    )


def find_battle(
    actor: Owner, token: str, key: str = "", *, shows_lists: bool = False
) -> BattleRows | None:
    """The rows without the events, or None as above. Three queries, and up to two of a club."""
    if not is_token(token):
        return None
    rows = Battle.objects.filter(token=token).select_related("owner", "club").order_by()
    battle = next(iter(rows), None)
    if battle is None:
        return None
    sides = list(_side_rows(battle).select_related("owner", "warband"))
    if not access.may_see(actor, battle, sides, key):
        return None
    steps = battle.results.select_related("author").order_by("number")
    result = _result_rows(battle, sides, steps)
    context = build_result_context(actor, key, result, timezone.now())
    hides = may_hide(battle) and not shows_lists
    hidden = hide_lists(actor, sides) if hides else frozenset()
    return BattleRows(*result, context, hidden)


def load_results(
    actor: Owner, battles: Sequence[Battle], *, may_organise: bool
) -> Mapping[int, BattleRows]:
    """The other rows of battles at hand that the actor may see, for their results alone, by id.

    ``may_organise``: the actor runs the battles' club. Nobody is asked which lists are secret,
    for none is read. Two queries.
    """
    now, loaded = timezone.now(), {}
    steps = ResultEntry.objects.select_related("author").order_by("number")
    ordered = BattleSide.objects.order_by("position")
    parts = Prefetch("sides", ordered), Prefetch("results", steps)
    prefetch_related_objects(battles, *parts)
    for battle in battles:
        rows = _result_rows(battle, battle.sides.all(), battle.results.all())
        if may_organise or access.may_see(actor, battle, rows.sides):
            context = build_result_context(actor, "", rows, now, may_organise=may_organise)
            loaded[battle.pk] = BattleRows(*rows, context, frozenset())
    return loaded


def _result_rows(
    battle: Battle, sides: Iterable[BattleSide], steps: Iterable[ResultEntry]
) -> ResultRows:
    """The rows of a result with its steps as far as the battle's row at hand knows them."""
    # Its columns are what these steps come to, so no later step is read.
    read = [step for step in steps if step.number <= battle.results_count]
    return ResultRows(battle, list(sides), read)


def _side_rows(battle: Battle) -> QuerySet[BattleSide]:
    return BattleSide.objects.filter(battle=battle).order_by("position")


def tokens_of_key(key: str) -> list[str]:
    """The tokens of the battles that this key is for: mostly one, none for what cannot be a key.

    One query, none for what is no key.
    """
    battles = Battle.objects.filter(access.keyed_by(key)).order_by()
    return list(battles.values_list("token", flat=True))


def load_positions(tokens: Collection[str]) -> Mapping[str, tuple[int, int]]:
    """How many events each of these battles has, and its version. One query."""
    rows = Battle.objects.filter(token__in=tokens)
    columns = rows.values_list("token", "events_count", "version")
    return {token: (count, version) for token, count, version in columns}


def load_events(
    actor: Owner, token: str, key: str = "", *, after: int = 0
) -> tuple[tuple[EventRecord, ...], int] | None:
    """The events that arrived after that position, and how many there are.

    Verdicts are left out: who folds finds them.

    Two queries, and one or two where only a side or a club lets the actor in. None as for
    ``load_battle``.
    """
    battle = _readable_battle(actor, token, key)
    if battle is None:
        return None
    rows = _event_rows(battle).filter(position__gt=max(0, after))
    return tuple(_event(row, to_event(row)) for row in rows), battle.events_count


def load_state(actor: Owner, token: str, key: str = "") -> BattleState | None:
    """The fold of a battle's events and no more. Two queries, and one or two as above.

    One more for a battle of a club, whose lists may be secret. None as for ``load_battle``.
    """
    battle = _readable_battle(actor, token, key)
    if battle is None:
        return None
    sides = list(_side_rows(battle)) if may_hide(battle) else []
    hidden = hide_lists(actor, sides)
    lineups = visible_lineups(battle, hidden)
    events = tuple(map(to_event, _event_rows(battle)))
    state = BattleLog(rules_of(battle), build_field(lineups), events).state_with()
    may_record = access.may_record(actor, battle, sides, key)
    return visible_state(state, _bare(battle, hidden, lineups, may_record=may_record))


def _readable_battle(actor: Owner, token: str, key: str) -> Battle | None:
    """The row alone, where its visibility or the key opens it without looking at its sides."""
    if not is_token(token):
        return None
    battle = next(iter(Battle.objects.filter(token=token).defer("state").order_by()), None)
    if battle is None or access.is_open_to(actor, battle) or access.holds_key(battle, key):
        return battle
    sides = list(_side_rows(battle))
    return battle if access.may_see(actor, battle, sides, key) else None


def _event_rows(battle: Battle) -> QuerySet[BattleEvent]:
    rows = BattleEvent.objects.filter(battle=battle, position__lte=battle.events_count)
    return rows.select_related("author").order_by("position")


def _event(row: BattleEvent, event: Event, verdict: str = "") -> EventRecord:
    """Return a stored event with its position, verdict and author's name."""
    # A battle has thousands of events, so this names no field twice and looks none up.
    return EventRecord(
        *_COLUMNS(event), position=row.position, author=_author(row), verdict=verdict
    )


def _author(row: BattleEvent | ResultEntry) -> str:
    return row.author.display_name if row.author else row.author_name


def _bare(
    battle: Battle,
    hidden: Collection[str],
    lineups: Sequence[SideLineup],
    *,
    may_record: bool,
) -> tuple[SideLineup, ...]:
    """Return the hidden lineups without the figures of the fold, where the reader is not told them.

    Who records a battle that has begun cannot go on without them.
    """
    if may_record and battle.events_count:
        return ()
    return tuple(without_figures(lineup) for lineup in lineups if lineup.key in hidden)


def _sides(
    rows: BattleRows, state: BattleState, bare: Sequence[SideLineup]
) -> tuple[BattleSideRecord, ...]:
    """Return the sides of a battle, linking to warbands the reader may open."""
    lineups = {lineup.key: lineup for lineup in (*rows.lineups, *bare)}
    opened = _open_warbands(rows)
    return tuple(
        copy_fields(
            BattleSideRecord,
            row,
            warband=row.warband.token if row.warband and row.warband_id in opened else "",
            owner_name=row.owner.display_name if row.owner else "",
            models=lineups[row.key].models,
            fighters=lineups[row.key].fighters,
            state=state.sides[row.key],
            is_mine=owns(rows.context.actor, row),
            is_secret=row.key in rows.hidden,
        )
        for row in rows.sides
    )


def _open_warbands(rows: BattleRows) -> set[int]:
    """Return the warbands whose address may be told.

    Public ones, the actor's, their clubs', and by link those they fought. One query where a club
    shares one, none otherwise.
    """
    actor = rows.context.actor
    visibilities = {WarbandVisibility.PUBLIC}
    if access.takes_part(actor, rows.battle, rows.sides):
        visibilities.add(WarbandVisibility.LINK)
    opened: set[int] = set()
    by_club: dict[int, int | None] = {}
    for warband in filter(None, (side.warband for side in rows.sides)):
        is_link = warband.visibility == WarbandVisibility.LINK
        # A warband that nobody has claimed is shared by link alone.
        is_shared = warband.visibility in visibilities and (is_link or warband.owner_id)
        if owns(actor, warband) or is_shared:
            opened.add(warband.pk)
        elif warband.visibility == WarbandVisibility.CLUB:
            by_club[warband.pk] = warband.club_id
    return opened | _shared_by_clubs(actor, by_club)


def _shared_by_clubs(actor: Owner, by_club: Mapping[int, int | None]) -> set[int]:
    """Return those of these warbands that a club of the actor shares. At most one query."""
    if not by_club or not actor.is_person:
        return set()
    clubs = clubs_joined_by(actor).filter(pk__in=set(by_club.values()))
    joined = set(clubs.values_list("pk", flat=True))
    return {pk for pk, club_id in by_club.items() if club_id in joined}


def build_result(rows: BattleRows, rules: BattleRules) -> ResultRecord:
    """The result as it is now, with its history and what this reader may do next."""
    context, standing = rows.context, rows.context.standing
    # A void result still shows what it was, struck through.
    latest = standing
    if standing.status == BattleStatus.VOID and standing.previous:
        latest = standing.previous
    ending = rules.endings.get(latest.how)
    # The steps the rules of results would let this reader take.
    steps: dict[str, ResultStep] = {}
    for verb in result_rules.PLANS:
        with suppress(Refusal):
            steps[verb] = result_rules.plan(verb, context, Claim(reason="-"))
    confirmation = steps.get(ResultVerb.CONFIRM)
    may = {verb: verb in steps for verb in result_rules.PLANS}
    return ResultRecord(
        status=standing.status,
        winner=latest.winner or None,
        winner_name=context.name(latest.winner) if latest.winner else "",
        how=latest.how,
        how_name=ending.name if ending else latest.how,
        side=latest.side,
        confirm_by=standing.confirm_by,
        number=len(rows.steps),
        steps=_steps(rows),
        may=may | {"accept": bool(confirmation and not confirmation.side)},
    )


def _steps(rows: BattleRows) -> tuple[ResultStepRecord, ...]:
    """The history of a result; strangers read what was done, not why.

    Two queries at most.
    """
    context, battle = rows.context, rows.battle
    # Nobody is asked about a club or an event where there is nothing to read.
    is_readable = any(row.reason for row in rows.steps) and (
        context.takes_part
        or context.may_organise
        or is_club_member(context.actor, battle.club_id)
        or battle_follower().reads_reasons(context.actor, battle)
    )
    return tuple(
        copy_fields(
            ResultStepRecord,
            row,
            winner=row.winner or None,
            author=_author(row),
            reason=row.reason if is_readable else "",
        )
        for row in rows.steps
    )


# The roster sheets that were locked


def load_locked_sheet(data: object) -> RosterSheet | None:
    """Return a snapshot's sheet, None where this release cannot read it any more."""
    try:
        return from_json(data, RosterSheet)
    except SnapshotMismatch:
        return None


def load_sheets(record: BattleRecord) -> Mapping[str, RosterSheet]:
    """Return the locked sheet of each side by the side's key; quick sides have none. One query.

    A sheet that this release cannot read any more is built again from its roster, by the rules of
    today.
    """
    sheets: dict[int | None, RosterSheet] = {}
    ids = [side.snapshot_id for side in record.sides if side.snapshot_id]
    for row in Snapshot.objects.filter(pk__in=ids):
        sheet = load_locked_sheet(row.sheet)
        if sheet is None:
            with suppress(FaultyDocument):
                sheet = sheet_of_roster(parse_stored(row.document))
        if sheet is not None:
            sheets[row.pk] = sheet
    return {
        side.key: sheets[side.snapshot_id]
        for side in record.sides
        if side.snapshot_id in sheets
    }
