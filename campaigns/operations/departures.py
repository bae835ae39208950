"""What events keep of somebody who deletes their account: results without a name, no open games.

Their entries stay, as "Former player" with a number, so that the standings of the others stay as
they are.
"""

from collections.abc import Iterable
from typing import Any

import re2
from django.db.models import Q

from accounts.owner import NOBODY
from accounts.signals import account_closing, account_closing_asked
from battles.models import Battle, BattleSide
from campaigns.models import (
    SHOWN,
    ClubEvent,
    Decision,
    Entry,
    EntryStatus,
    EventLog,
    EventStatus,
    Fixture,
    FixtureStatus,
)
from campaigns.operations.entries import next_round, withdraw_from_fixtures
from campaigns.operations.fixture_battles import write_fixture
from campaigns.operations.log import ChangeRequest, LockedEvent, lock_event_row
from campaigns.operations.notify import notify_departed
from campaigns.operations.rows import update_row

FORMER = "Former player"


def leave_events(user_id: int) -> int:
    """Take somebody whose account is closing out of every event; returns of how many.

    Call it within the transaction that closes the account.
    """
    entries = (
        Entry.objects.filter(user_id=user_id).select_related("event").order_by("event_id")
    )
    for entry in entries:
        _leave(entry)
    return len(entries)


def departure_told(user_id: int) -> list[str]:
    """What closing the account would mean for events, in sentences. Two queries."""
    entries = Entry.objects.filter(user_id=user_id)
    names = list(
        entries.order_by("-event__updated_at").values_list("event__name", flat=True)
    )
    if not names:
        return []
    told = [
        f"You are in {_counted(names)}. Your results stay in the standings. "
        f"Your name is replaced by “{FORMER}” and a number, on public pages too.",
    ]
    games = _open_games(entries.filter(event__archived_at=None)).count()
    if games:
        plural = "game is" if games == 1 else "games are"
        told.append(
            f"Your {games} open {plural} cancelled. The organisers and your opponents are told."
        )
    told.append("Your battles stay for your opponents, without your name.")
    return told


def connect() -> None:
    """Listen to the accounts; called when the app is ready."""
    account_closing.connect(_close, dispatch_uid="campaigns.departures.close")
    account_closing_asked.connect(_tell, dispatch_uid="campaigns.departures.tell")


def _close(sender: object, *, user: Any, **_: object) -> None:
    leave_events(user.pk)


def _tell(sender: object, *, user_id: int, **_: object) -> list[str]:
    return departure_told(user_id)


def _counted(names: list[str]) -> str:
    named = ", ".join(names[:3])
    return f"{named} and {len(names) - 3} more" if len(names) > 3 else named


def _leave(entry: Entry) -> None:
    """Rename the entry, drop it out, cancel its open games, and write and tell so.

    Its challenges not yet answered are deleted. Opponents are not told in an event that is
    finished or archived.
    """
    event = lock_event_row(entry.event_id)
    taken = set(Entry.objects.filter(event=event).values_list("name", flat=True))
    number = 1
    while f"{FORMER} {number}" in taken:
        number += 1
    name = f"{FORMER} {number}"
    change = LockedEvent(ChangeRequest(NOBODY, event.token), event)
    games = list(
        _open_games([entry]).select_related("round", "one", "other", "third", "battle")
    )
    was, entry.name = entry.name, name
    columns: dict[str, Any] = {"name": name, "warband": None}
    if entry.status == EntryStatus.ACTIVE:
        columns |= {"status": EntryStatus.DROPPED, "dropped": next_round(event)}
    update_row(entry, **columns)
    withdraw_from_fixtures(entry)
    Fixture.objects.filter(_of([entry]), status=FixtureStatus.ASKED).delete()
    for game in games:
        game.decision = Decision.UNPLAYED
        Fixture.objects.filter(pk=game.pk).update(decision=game.decision)
        write_fixture(game, game.battle)
    _forget_name(event, entry, was)
    words = f"{name} deleted their account."
    if games:
        words = (
            f"{words} Cancelled: {len(games)} open game{'' if len(games) == 1 else 's'}."
        )
    change.write("depart", words, subject=entry.token)
    if event.status != EventStatus.FINISHED and event.archived_at is None:
        opponents = {one.user_id for game in games for one in game.sides} - {entry.user_id}
        notify_departed(change, words, opponents)


def _of(entries: Iterable[Entry]) -> Q:
    return Q(one__in=entries) | Q(other__in=entries) | Q(third__in=entries)


def _open_games(entries: Any) -> Any:
    """The games of published rounds that have no result yet."""
    return Fixture.objects.filter(
        _of(entries), status=FixtureStatus.OPEN, round__status__in=SHOWN
    )


def _forget_name(event: ClubEvent, entry: Entry, name: str) -> None:
    """Their name in what the event says in words, and in sides that bear it."""
    word = re2.compile(rf"(^|[^\pL\pN_]){re2.escape(name)}")

    def renamed(found: Any) -> str:
        after = found.string[found.end() :][:1]
        return found[0] if after.isalnum() or after == "_" else f"{found[1]}{entry.name}"

    lines = EventLog.objects.filter(event=event)
    for line in lines.filter(words__contains=name):
        told = word.sub(renamed, line.words)
        EventLog.objects.filter(pk=line.pk).update(words=told)
    # A line may name them in its changes alone, where they were called otherwise before.
    lines.filter(subject=entry.token).update(changes={})
    for row in Fixture.objects.filter(round__event=event, reason__contains=name):
        reason = word.sub(renamed, row.reason)
        Fixture.objects.filter(pk=row.pk).update(reason=reason)
    games = Fixture.objects.filter(round__event=event)
    sides = BattleSide.objects.filter(
        battle__in=games.values("battle"), owner_id=entry.user_id, is_quick=True
    )
    for side in sides.select_related("battle"):
        _rename_side(side, entry.name)


def _rename_side(side: BattleSide, name: str) -> None:
    """A side without a list is called as its player was."""
    BattleSide.objects.filter(pk=side.pk).update(name=name)
    locked = dict(side.battle.locked)
    for one in locked.get("sides", ()):
        if one.get("key") == side.key or one.get("id") == side.key:
            one["name"] = name
    Battle.objects.filter(pk=side.battle_id).update(locked=locked)
