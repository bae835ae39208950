"""Single games of a round: changed, locked, added, removed.

Swapping players between them is in `swaps`.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from django.db.models import F, Max
from django.utils import timezone

from accounts.errors import Refusal, WrongState
from battles.operations.setup import checked_system
from campaigns.models import (
    SHOWN,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.events import checked_pool
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    logged_value,
    organised_event,
    round_area,
)
from campaigns.operations.notify import notify_fixtures, notify_removed
from campaigns.operations.rows import (
    assign_tables,
    check_running,
    entrant_names,
    find_entries,
    find_fixture,
    find_round,
    fixtures_of,
    join_from_round,
    last_table,
    scenario_names,
    update_row,
)
from campaigns.queries.pairing import load_players
from engine.errors import refused_at
from engine.records import (
    Fields,
    Texts,
    frozen_dataclass,
    is_int_within,
    named_values,
)
from engine.tournament.types import FIRST_MEETING, Pairing, games_between
from warbands.operations import transaction
from warbands.operations.transaction import UNSET, Unset

NEEDS_REASON = "The round is published. Give a reason; players can read it."
NAMES = {
    "attacker_id": "attacker",
    "is_kept": "lock",
    "is_friendly": "whether it counts",
    "plays_at": "date",
    "scenario_name": "",
}
# What those who play are told of, once the round is published.
TOLD = {"table", "scenario", "plays_at"}


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
    asked: ChangeRequest, fixture: str, draft: FixtureDraft, *, seen: int | None = None
) -> None:
    """Where, over what and by whom a game is played.

    Who stands at the table already goes to the one that is left. Scenario and attacker stay once
    the battle is set up. Whether a published game counts is changed for a reason. ``seen`` is the
    version of the game itself that was seen. Raises Refusal naming the field, NotFound, NotAllowed,
    Stale.
    """
    with organised_event(asked) as change:
        change, row = _found_game(change, fixture, seen)
        changed = _checked_change(change, row, draft)
        if not changed:
            return
        if changed.get("table") is not None:
            _make_room(row, changed["table"])
        update_row(row, **changed)
        # The row in hand must still hold its old values.
        told = ", ".join(filter(None, (NAMES.get(name, name) for name in changed)))
        words = f"Changed {told} of {entrant_names(row)}, round {row.round.number}."
        changes = {
            name: [logged_value(getattr(row, name)), logged_value(value)]
            for name, value in changed.items()
        }
        change.write("change_fixture", words, subject=row.token, changes=changes)
        if TOLD & set(changed):
            notify_fixtures(change, row.round, [row.pk])


def check_fixture_change(asked: ChangeRequest, fixture: str, draft: FixtureDraft) -> None:
    """Ask all that ``change_fixture`` asks and change nothing. Raises as it does."""
    with organised_event(asked) as change:
        change, row = _found_game(change, fixture)
        _checked_change(change, row, draft)


def _found_game(
    change: LockedEvent, fixture: str, seen: int | None = None
) -> tuple[LockedEvent, Fixture]:
    """The change within the area of a game, and its row; raises NotFound, Stale."""
    row = find_fixture(change.event, fixture)
    replace(change.asked, expected=seen).check_version(row)
    return change.within(round_area(row.round.number, row.token)), row


def _checked_change(change: LockedEvent, row: Fixture, draft: FixtureDraft) -> Fields:
    """Those columns of a fixture that change."""
    columns: Fields = {}
    if draft.table is not UNSET:
        columns["table"] = _checked_table(change.event, row, draft.table)
    if draft.scenario is not UNSET:
        columns |= _checked_scenario(change, row, draft.scenario)
    if draft.attacker is not UNSET:
        columns["attacker_id"] = _checked_attacker(row, draft.attacker)
    given = named_values(draft, "is_kept", "is_friendly", "plays_at")
    columns |= {name: value for name, value in given.items() if value is not UNSET}
    changed = {
        name: value for name, value in columns.items() if getattr(row, name) != value
    }
    if "is_friendly" in changed:
        check_reason_given(row.round, change.asked.reason)
    if row.battle_id is not None and changed.keys() & {"scenario", "attacker_id"}:
        field = "scenario" if "scenario" in changed else "attacker"
        raise Refusal(
            f"The battle of {entrant_names(row)} has started. "
            f"You can no longer change the {field}.",
            field=field,
        )
    return changed


def add_fixture(asked: ChangeRequest, number: int, draft: FixtureDraft) -> str:
    """One more game by hand between entries; returns its token.

    Who sat out and plays it has no bye any more. Where everybody plays one game a round, a second
    one is friendly. Raises Refusal naming the field, NotFound, NotAllowed, Stale, KeyReused.
    """
    # Before the lock: a list without end costs no more than this.
    if len(draft.entries) not in (2, 3):
        raise Refusal("Choose two players, or three.", field="entries")
    printed = transaction.fingerprint("add_fixture", asked.token, number, asdict(draft))
    with organised_event(asked, round_area(number)) as change:
        # The lock comes first: of the same game sent twice at once, the second finds the answer.
        earlier = transaction.stored_answer(asked.actor, asked.key, printed)
        if earlier is not None:
            return str(earlier["token"])
        token = _add_game(change, number, draft)
        transaction.store_answer(asked.actor, asked.key, printed, {"token": token})
        return token


def _add_game(change: LockedEvent, number: int, draft: FixtureDraft) -> str:
    """Add a game by hand to a round, tell its players, and return its token.

    Raises WrongState for a closed round, Refusal for players or a table that cannot be.
    """
    event = change.event
    check_running(event)
    row = find_round(event, number)
    if row.status == RoundStatus.CLOSED:
        raise WrongState(f"{row} is closed. Reopen it, then add a game.")
    players = _checked_players(event, draft.entries)
    ids = [player.pk for player in players]
    others = fixtures_of(row)
    # A friendly game may come on top of any other.
    if draft.is_friendly is not True:
        _check_once(event, row, others, players)
    # Whoever sat out and plays now has no bye any more.
    Fixture.objects.filter(round=row, other=None, one__in=ids).delete()
    fixture = _fixture_by_hand(change, row, players, draft)
    table = None if draft.table is UNSET else draft.table
    fixture.table = (
        _free_table(event, others)
        if table is None
        else _checked_table(event, fixture, table)
    )
    if fixture.table is not None:
        _make_room(fixture, fixture.table)
    fixture.save()
    # A round robin’s planned round is drawn from its schedule, to which this game belongs now.
    if row.status == RoundStatus.PLANNED and event.method != PairingMethod.ROBIN:
        update_row(row, status=RoundStatus.DRAFT)
    join_from_round(players, number)
    friendly = ", friendly" if fixture.is_friendly else ""
    words = f"Added {entrant_names(fixture)} to round {number}{friendly}."
    change.write("add_fixture", words, subject=fixture.token)
    notify_fixtures(change, row, [fixture.pk])
    return fixture.token


def _fixture_by_hand(
    change: LockedEvent, row: Round, players: Sequence[Entry], draft: FixtureDraft
) -> Fixture:
    """The row of a new game, not saved and without a table."""
    last = Fixture.objects.filter(round=row).aggregate(last=Max("position"))["last"]
    fixture = Fixture(
        round=row,
        position=(last or 0) + 1,
        is_kept=True,
        is_friendly=draft.is_friendly is True,
        plays_at=None if draft.plays_at is UNSET else draft.plays_at,
        is_rematch=have_met(change.event, row.number, players),
    )
    for place, player in zip(("one", "other", "third"), players, strict=False):
        setattr(fixture, place, player)
    fixture.reason = manual_pairing_reason(is_rematch=fixture.is_rematch)
    attacker = "" if draft.attacker is UNSET else draft.attacker
    fixture.attacker_id = _checked_attacker(fixture, attacker)
    scenario = "" if draft.scenario is UNSET else draft.scenario
    for name, value in _checked_scenario(change, fixture, scenario).items():
        setattr(fixture, name, value)
    return fixture


def remove_fixture(asked: ChangeRequest, fixture: str, *, seen: int | None = None) -> None:
    """Take a game out of its round, as long as nothing of it is played.

    A published one needs a reason; ``seen`` is as for a change. Raises Refusal, NotFound,
    NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        change, row = _found_game(change, fixture, seen)
        if row.is_begun:
            names = entrant_names(row)
            sentence = (
                f"The game {names} has started and cannot be removed. "
                "Set it as not played, or void its result."
            )
            raise WrongState(sentence)
        check_reason_given(row.round, asked.reason)
        words = f"Removed {entrant_names(row)} from round {row.round.number}."
        Fixture.objects.filter(pk=row.pk).delete()
        change.write("remove_fixture", words, subject=fixture)
        notify_removed(change, row)


# What others ask too


def have_met(event: ClubEvent, number: int, players: Sequence[Entry]) -> bool:
    """Whether two of them met in another round. One query."""
    known = load_players(event, number, players, timezone.now())
    pairs = [
        (one, other) for place, one in enumerate(known) for other in known[place + 1 :]
    ]
    return any(games_between(one, other) for one, other in pairs)


def manual_pairing_reason(*, is_rematch: bool) -> str:
    """Why two meet whom an organiser put together."""
    return f"Paired by an organiser. {'Rematch.' if is_rematch else FIRST_MEETING}"


def check_reason_given(row: Round, reason: str) -> None:
    """What is published is changed for a reason. Raises Refusal."""
    if row.status in SHOWN and not reason.strip():
        raise Refusal(NEEDS_REASON, field="reason")


def check_none_dropped(players: Sequence[Entry]) -> None:
    """Only who plays on is put into a game. Raises Refusal."""
    for player in players:
        if player.status == EntryStatus.DROPPED:
            raise Refusal(
                f"{player.name} dropped out. Let them rejoin first.", field="other"
            )


# Checking


def _checked_players(event: ClubEvent, tokens: Sequence[str]) -> list[Entry]:
    """Return the entries in this order; raises Refusal for one twice or dropped out.

    Raises NotFound for a token that is not in the event. One query.
    """
    if len(set(tokens)) != len(tokens):
        raise Refusal("Choose two different players.", field="other")
    found = find_entries(event, tokens)
    players = [found[token] for token in tokens]
    check_none_dropped(players)
    return players


def _check_once(
    event: ClubEvent, row: Round, others: Sequence[Fixture], players: Sequence[Entry]
) -> None:
    """In rounds where everybody has one game, only a friendly one may come on top."""
    if event.method not in (PairingMethod.ROBIN, PairingMethod.SWISS):
        return
    games = [one for one in others if one.other_id is not None and not one.is_friendly]
    for player in players:
        if any(player.pk in one.side_ids for one in games):
            raise Refusal(
                (
                    f"{player.name} already has a game in {row}. Make this one friendly, or swap "
                    "the players."
                ),
                field="is_friendly",
            )


def _checked_table(event: ClubEvent, row: Fixture, table: int | None) -> int | None:
    """Return the table, None for none; raises Refusal for one that cannot be.

    A bye has no table, and tables count from 1.
    """
    if table is None:
        return None
    most = last_table(event)
    if row.other_id is None:
        raise Refusal("A bye has no table.", field="table")
    if not is_int_within(table, 1, most):
        raise Refusal(
            f"The table must be a number from 1 to {most}, the tables of this event.",
            field="table",
        )
    return table


def _checked_scenario(change: LockedEvent, row: Fixture, key: str) -> Fields:
    """Return the columns of a scenario; raises Refusal for one out of reach.

    The game keeps its own, and those of its round and event are open to it, shared or not.
    """
    event = change.event
    if key and row.other_id is None:
        raise Refusal("A bye has no scenario.", field="scenario")
    if key and key != row.scenario:
        known = [*event.scenarios, *row.round.scenarios]
        with refused_at("scenario"):
            system = checked_system(event.system, event.variant or None)
            checked_pool(change.actor, system, [key], kept=known)
    return {"scenario": key, "scenario_name": scenario_names(event, [key]).get(key, "")}


def _checked_attacker(row: Fixture, token: str) -> int | None:
    """Return the attacker's entry id, None for ""; raises Refusal for others."""
    if not token:
        return None
    for entry in row.sides:
        if entry.token == token and row.other_id is not None:
            return entry.pk
    raise Refusal("Choose one of the two players as attacker.", field="attacker")


def _make_room(row: Fixture, table: int) -> None:
    """Whoever stands at the table goes to the one that becomes free."""
    # Two games at one table would leave one without: they exchange tables.
    Fixture.objects.filter(round=row.round, table=table).exclude(pk=row.pk).update(
        table=row.table, version=F("version") + 1
    )


def _free_table(event: ClubEvent, others: Sequence[Fixture]) -> int | None:
    taken = [one.table for one in others]
    return assign_tables([Pairing("a", "b")], taken, last_table(event))[0].table
