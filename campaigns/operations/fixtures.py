"""Single games of a round: changed, locked, added, removed; and players who change places."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import combinations, compress

from django.db.models import F, Max

from accounts.errors import Refusal, WrongState
from battles.operations.setup import checked_system
from campaigns.models import (
    SHOWN,
    ClubEvent,
    Entry,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.event_terms import checked_pool
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    changes_between,
    check_organises,
    idempotent,
    organised_event,
    readable_event,
    round_area,
)
from campaigns.operations.notify import list_users, notify_fixtures, tell
from campaigns.operations.rows import (
    PLACES,
    assign_tables,
    changed_columns,
    check_playing,
    check_running,
    entrant_names,
    find_entries,
    find_fixture,
    find_round,
    join_from_round,
    last_table,
    list_fixtures,
    organised_round,
    scenario_names,
    update_row,
)
from campaigns.queries.pairing import load_players
from engine.errors import refused_at
from engine.records import Fields, Texts, frozen_dataclass, is_int_within, named_values
from engine.tournament.types import FIRST_MEETING, Pairing, games_between
from warbands.exchange.document import shown
from warbands.operations.transaction import UNSET, Unset

NAMES = {
    "attacker_id": "attacker",
    "is_kept": "lock",
    "is_friendly": "whether it counts",
    "plays_at": "date",
    "scenario_name": "",
}
# Players are notified of these changes once the round is published.
NOTIFIED = {"table", "scenario", "plays_at"}


@frozen_dataclass
class FixtureDraft:
    """What is asked of a game.

    What is left out stays; in a new game it is as agreed at the table, and the table the lowest
    that is free. ``entries`` are the tokens of those who meet in a new one, ``attacker`` is one of
    them or "" for nobody.
    """

    entries: Texts = ()
    table: int | Unset | None = UNSET
    scenario: str | Unset = UNSET
    attacker: str | Unset = UNSET
    is_kept: bool | Unset = UNSET
    is_friendly: bool | Unset = UNSET
    plays_at: datetime | Unset | None = UNSET


def change_fixture(
    request: ChangeRequest, fixture: str, draft: FixtureDraft, *, seen: int | None = None
) -> None:
    """Where, over what and by whom a game is played.

    Who stands at the table already goes to the one that is left. Scenario and attacker stay once
    the battle is set up. Whether a published game counts is changed for a reason. ``seen`` is the
    version of the game itself that was seen. Raises Refusal naming the field, NotFound, NotAllowed,
    Stale.
    """
    with organised_event(request) as change:
        change, row = _find_game(change, fixture, seen)
        changed = _check_change(change, row, draft)
        if not changed:
            return
        if changed.get("table") is not None:
            _make_room(row, changed["table"])
        update_row(row, **changed)
        # The row in hand still holds its old values.
        names = ", ".join(filter(None, (NAMES.get(name, name) for name in changed)))
        sentence = f"Changed {names} of {entrant_names(row)}, round {row.round.number}."
        changes = changes_between(named_values(row, *changed), changed)
        change.write("change_fixture", sentence, subject=row.token, changes=changes)
        if NOTIFIED & set(changed):
            notify_fixtures(change, row.round, [row.pk])


def check_fixture_change(request: ChangeRequest, fixture: str, draft: FixtureDraft) -> None:
    """Check all that ``change_fixture`` checks and change nothing. Raises as it does."""
    with organised_event(request) as change:
        change, row = _find_game(change, fixture)
        _check_change(change, row, draft)


def _find_game(
    change: LockedEvent, fixture: str, seen: int | None = None
) -> tuple[LockedEvent, Fixture]:
    """The change within the area of a game, and its row; raises NotFound, Stale."""
    row = find_fixture(change.event, fixture)
    replace(change.request, expected=seen).check_version(row)
    return change.within(round_area(row.round.number, row.token)), row


def _check_change(change: LockedEvent, row: Fixture, draft: FixtureDraft) -> Fields:
    """Return those columns of a fixture that change. Raises Refusal."""
    columns: Fields = {}
    if draft.table is not UNSET:
        columns["table"] = _check_table(change.event, row, draft.table)
    if draft.scenario is not UNSET:
        columns |= _check_scenario(change, row, draft.scenario)
    if draft.attacker is not UNSET:
        columns["attacker_id"] = _find_attacker(row, draft.attacker)
    others = named_values(draft, "is_kept", "is_friendly", "plays_at")
    columns |= {name: value for name, value in others.items() if value is not UNSET}
    changed = changed_columns(row, columns)
    if "is_friendly" in changed:
        check_reason_given(row.round, change.request.reason)
    if row.battle_id is not None and changed.keys() & {"scenario", "attacker_id"}:
        field = "scenario" if "scenario" in changed else "attacker"
        raise Refusal(
            f"The battle of {entrant_names(row)} has started. "
            f"You can no longer change the {field}.",
            field=field,
        )
    return changed


def _printed(value: object) -> object:
    return asdict(value) if isinstance(value, FixtureDraft) else value


def add_fixture(request: ChangeRequest, number: int, draft: FixtureDraft) -> str:
    """One more game by hand between entries; returns its token.

    Who sat out and plays it has no bye any more. Where everybody plays one game a round, a second
    one is friendly. Raises WrongState for a closed round, Refusal naming the field, NotFound,
    NotAllowed, Stale, KeyReused.
    """
    # Before the lock: a list without end costs no more than this.
    if len(draft.entries) not in (2, 3):
        raise Refusal("Choose two players, or three.", field="entries")
    return _add_fixture(request, number, draft)


@idempotent("add_fixture", answer="token", lock=organised_event, printed=_printed)
def _add_fixture(change: LockedEvent, number: int, draft: FixtureDraft) -> str:
    change = change.within(round_area(number))
    event = change.event
    check_running(event)
    row = find_round(event, number)
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then add a game.")
    if len(set(draft.entries)) != len(draft.entries):
        raise Refusal("Choose two different players.", field="other")
    entries = find_entries(event, draft.entries)
    players = [entries[token] for token in draft.entries]
    _check_none_dropped(players)
    others = list_fixtures(row)
    # A friendly game may come on top of any other.
    if draft.is_friendly is not True:
        _check_free(event, row, others, players)
    Fixture.objects.filter(round=row, other=None, one__in=players).delete()
    fixture = _build_game(change, row, players, draft)
    used = [game.table for game in others]
    seated = assign_tables([Pairing("a", "b")], used, last_table(event))
    fixture.table = seated[0].table
    if draft.table is not UNSET and draft.table is not None:
        table = _check_table(event, fixture, draft.table)
        _make_room(fixture, draft.table)
        fixture.table = table
    fixture.save()
    # A round robin’s planned round is drawn from its schedule, to which this game belongs now.
    if row.status == RoundStatus.PLANNED and event.method != PairingMethod.ROBIN:
        update_row(row, status=RoundStatus.DRAFT)
    join_from_round(players, number)
    friendly = ", friendly" if fixture.is_friendly else ""
    sentence = f"Added {entrant_names(fixture)} to round {number}{friendly}."
    change.write("add_fixture", sentence, subject=fixture.token)
    notify_fixtures(change, row, [fixture.pk])
    return fixture.token


def _check_free(
    event: ClubEvent, row: Round, games: Sequence[Fixture], players: Sequence[Entry]
) -> None:
    """Raise Refusal for a second game where everybody has one game a round, friendlies aside."""
    if event.method not in (PairingMethod.ROBIN, PairingMethod.SWISS):
        return
    counted = [game for game in games if game.other_id and not game.is_friendly]
    busy = {pk for game in counted for pk in game.ids}
    for player in players:
        if player.pk in busy:
            raise Refusal(
                f"{player.name} already has a game in {row}. Make this one friendly, or swap "
                "the players.",
                field="is_friendly",
            )


def _build_game(
    change: LockedEvent, row: Round, players: Sequence[Entry], draft: FixtureDraft
) -> Fixture:
    """The row of a new game, not saved and without a table."""
    last = Fixture.objects.filter(round=row).aggregate(last=Max("position"))["last"]
    is_rematch = _have_met(change.event, row.number, players)
    fixture = Fixture(
        round=row,
        position=(last or 0) + 1,
        is_kept=True,
        is_friendly=draft.is_friendly is True,
        plays_at=None if draft.plays_at is UNSET else draft.plays_at,
        is_rematch=is_rematch,
        reason=_pairing_reason(is_rematch=is_rematch),
        **dict(zip(PLACES, players, strict=False)),
    )
    attacker = "" if draft.attacker is UNSET else draft.attacker
    fixture.attacker_id = _find_attacker(fixture, attacker)
    scenario = "" if draft.scenario is UNSET else draft.scenario
    for name, value in _check_scenario(change, fixture, scenario).items():
        setattr(fixture, name, value)
    return fixture


def remove_fixture(
    request: ChangeRequest, fixture: str, *, seen: int | None = None
) -> None:
    """Take a game out of its round, as long as nothing of it is played.

    A published one needs a reason; ``seen`` is as for a change. Raises Refusal, NotFound,
    NotAllowed, Stale.
    """
    with organised_event(request) as change:
        change, row = _find_game(change, fixture, seen)
        if row.is_begun:
            raise WrongState(
                f"The game {entrant_names(row)} has started and cannot be removed. "
                "Set it as not played, or void its result."
            )
        check_reason_given(row.round, request.reason)
        Fixture.objects.filter(pk=row.pk).delete()
        sentence = f"Removed {entrant_names(row)} from round {row.round.number}."
        change.write("remove_fixture", sentence, subject=fixture)
        # Nobody hears of a draft.
        if row.round.status == RoundStatus.PUBLISHED:
            head = f"{change.event.name}, {row.round}"
            sentence = f"{head}: your game {row.title} was cancelled. {change.why}".strip()
            tell(change, list_users(row), "round", sentence)


def _have_met(event: ClubEvent, number: int, entries: Sequence[Entry]) -> bool:
    """Whether two of them met in another round. One query."""
    players = load_players(event, number, entries)
    return any(games_between(*pair) for pair in combinations(players, 2))


def _pairing_reason(*, is_rematch: bool) -> str:
    """Why two meet whom an organiser put together."""
    return f"Paired by an organiser. {'Rematch.' if is_rematch else FIRST_MEETING}"


def check_reason_given(row: Round, reason: str) -> None:
    """What is published is changed for a reason. Raises Refusal."""
    if row.status in SHOWN and not reason.strip():
        raise Refusal(
            "The round is published. Give a reason; players can read it.", field="reason"
        )


def _check_none_dropped(entries: Sequence[Entry]) -> None:
    """Only who plays is put into a game. Raises Refusal."""
    for entry in entries:
        check_playing(entry, "other")


def _check_table(event: ClubEvent, row: Fixture, table: int | None) -> int | None:
    """Return the table, None for none; raises Refusal for one that cannot be."""
    last = last_table(event)
    if table is not None and row.other_id is None:
        raise Refusal("A bye has no table.", field="table")
    if table is not None and not is_int_within(table, 1, last):
        raise Refusal(
            f"The table must be a number from 1 to {last}, the tables of this event.",
            field="table",
        )
    return table


def _check_scenario(change: LockedEvent, row: Fixture, key: str) -> Fields:
    """Return the columns of a scenario; raises Refusal for one out of reach.

    The game keeps its own, and those of its round and event are open to it, shared or not.
    """
    event = change.event
    if key and row.other_id is None:
        raise Refusal("A bye has no scenario.", field="scenario")
    if key and key != row.scenario:
        with refused_at("scenario"):
            system = checked_system(event.system, event.variant or None)
            agreed = [*event.scenarios, *row.round.scenarios]
            checked_pool(change.actor, system, [key], current=agreed)
    return {"scenario": key, "scenario_name": scenario_names(event, [key]).get(key, "")}


def _find_attacker(row: Fixture, token: str) -> int | None:
    """Return the attacker's entry id, None for ""; raises Refusal for others."""
    if not token:
        return None
    for entry in row.sides:
        if entry.token == token and row.other_id is not None:
            return entry.pk
    raise Refusal("Choose one of the two players as attacker.", field="attacker")


def _make_room(row: Fixture, table: int) -> None:
    """Whoever stands at the table goes to the one that becomes free."""
    Fixture.objects.filter(round=row.round, table=table).exclude(pk=row.pk).update(
        table=row.table, version=F("version") + 1
    )


# Two players of a round change places; a preview comes of the same function.


@frozen_dataclass
class SwapResult:
    """What a swap comes to: who met whom before and who does now, and which of these met before.

    ``left`` is who is in no game any more because the other one was in none.
    """

    before: Texts
    after: Texts
    rematches: Texts
    left: str = ""


def swap_entries(
    request: ChangeRequest,
    number: int,
    one_entry: str,
    other_entry: str,
    *,
    is_preview: bool = False,
) -> SwapResult:
    """Two players change places in a round: their opponents, tables, attacks.

    One may be in no game yet. A published round needs a reason. ``is_preview`` tells what would
    come of it and changes nothing. Raises Refusal for games that have begun, NotFound, NotAllowed,
    Stale.
    """
    with organised_round(request, number) as (change, row):
        return _swap(change, row, (one_entry, other_entry), is_preview=is_preview)


def swap_in_fixture(
    request: ChangeRequest,
    fixture: str,
    leaving: str,
    other: str,
    *,
    is_preview: bool = False,
) -> SwapResult:
    """The same for somebody ``leaving`` this fixture, whose version is the one expected."""
    with readable_event(request) as change:
        check_organises(change)
        game = find_fixture(change.event, fixture)
        request.check_version(game)
        if leaving not in [entry.token for entry in game.sides]:
            raise Refusal(f"{shown(leaving)} does not play in this game.", field="one")
        # The version seen was the fixture's, so it says nothing of the round's other changes.
        change = replace(change, area=round_area(game.round.number))
        return _swap(change, game.round, (leaving, other), is_preview=is_preview)


def _swap(
    change: LockedEvent, row: Round, tokens: tuple[str, str], *, is_preview: bool
) -> SwapResult:
    """Exchange two players of a round and return the games before and after.

    With ``is_preview`` nothing is stored, logged or notified. Raises WrongState for a closed
    round.
    """
    event, number = change.event, row.number
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then swap.")
    if not is_preview:
        check_reason_given(row, change.request.reason)
    entries = find_entries(event, tokens)
    if len(entries) < len(tokens):
        raise Refusal("Choose two different players.", field="other")
    pair = (entries[tokens[0]], entries[tokens[1]])
    fixtures = _fixtures_to_swap(row, pair)
    before = tuple(map(entrant_names, fixtures))
    _exchange(fixtures, pair)
    # Each fixture in hand holds who would meet now; nothing is stored yet.
    rematches = [_have_met(event, number, fixture.sides) for fixture in fixtures]
    after = tuple(map(entrant_names, fixtures))
    if not is_preview:
        for fixture, is_rematch in zip(fixtures, rematches, strict=True):
            _write_pair(event, fixture, is_rematch=is_rematch)
        join_from_round(pair, number)
        names = f"{pair[0].name} and {pair[1].name}"
        sentence = f"Swapped {names} in round {number}: {'; '.join(after)}."
        change.write("swap", sentence, subject=fixtures[0].token)
        notify_fixtures(change, row, [fixture.pk for fixture in fixtures])
    playing = {pk for fixture in fixtures for pk in fixture.ids}
    left = [entry.name for entry in pair if entry.pk not in playing]
    return SwapResult(before, after, tuple(compress(after, rematches)), "".join(left[:1]))


def _write_pair(event: ClubEvent, fixture: Fixture, *, is_rematch: bool) -> None:
    """Store who meets after a swap, and why."""
    reason = _pairing_reason(is_rematch=is_rematch)
    update_row(
        fixture,
        **named_values(fixture, *PLACES, "attacker"),
        is_rematch=is_rematch,
        # Who was put together stays together when the round is drawn again; a round robin keeps
        # to its schedule.
        is_kept=event.method != PairingMethod.ROBIN,
        reason=reason if fixture.other_id else "Bye: set by an organiser.",
    )


def _fixtures_to_swap(row: Round, pair: Sequence[Entry]) -> list[Fixture]:
    """The games the two are in, friendlies aside. Raises Refusal where a swap makes no sense."""
    _check_none_dropped(pair)
    first, second = pair
    ids = {first.pk, second.pk}
    games = [game for game in list_fixtures(row) if not game.is_friendly]
    fixtures = [game for game in games if ids & set(game.ids)]
    problem = ""
    if not fixtures:
        problem = (
            f"Neither {first.name} nor {second.name} has a game in {row}. Add one instead."
        )
    # With several games it would be a guess which of them is meant.
    elif len(fixtures) > 2:
        problem = "One of them has several games in this round. Remove one and add another."
    for fixture in fixtures:
        if ids <= set(fixture.ids):
            problem = (
                f"{first.name} and {second.name} play each other. A swap changes nothing."
            )
        elif fixture.is_begun and not problem:
            names = entrant_names(fixture)
            problem = f"{names} has started. Its players cannot be swapped."
    if problem:
        raise Refusal(problem, field="other")
    return fixtures


def _exchange(fixtures: Sequence[Fixture], pair: Sequence[Entry]) -> None:
    """Each stands where the other one stood, and attacks where the other one did."""
    first, second = pair
    swapped = {first.pk: second, second.pk: first}
    for fixture in fixtures:
        for place in (*PLACES, "attacker"):
            entry_id = getattr(fixture, f"{place}_id")
            if entry_id in swapped:
                setattr(fixture, place, swapped[entry_id])
