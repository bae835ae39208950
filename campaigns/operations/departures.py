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
    Fixture,
    FixtureStatus,
)
from campaigns.operations.entries import (
    fill_places,
    next_round,
    withdraw_from_fixtures,
)
from campaigns.operations.fixture_battles import write_fixture
from campaigns.operations.log import ChangeRequest, LockedEvent, lock_event_row
from campaigns.operations.notify import notify_departed
from campaigns.operations.rows import update_row

FORMER = "Former player"


def connect() -> None:
    """Listen to the accounts; called when the app is ready."""
    account_closing.connect(_leave_events, dispatch_uid="campaigns.departures.close")
    account_closing_asked.connect(_foretell, dispatch_uid="campaigns.departures.tell")


def _leave_events(sender: object, *, user: Any, **_: object) -> None:
    """Take somebody whose account is closing out of every event, in the same transaction.

    Their entries are renamed and drop out, their open games are cancelled, and that is written and
    told. Challenges not yet answered are deleted. Opponents are not told in an event that is
    finished or archived.
    """
    entries = Entry.objects.filter(user_id=user.pk).select_related("event")
    for entry in entries.order_by("event_id"):
        event = lock_event_row(entry.event_id)
        names = set(Entry.objects.filter(event=event).values_list("name", flat=True))
        number = 1
        while f"{FORMER} {number}" in names:
            number += 1
        change = LockedEvent(ChangeRequest(NOBODY, event.token), event)
        sides = ("round", "one", "other", "third", "battle")
        games = list(_open_games([entry]).select_related(*sides))
        name, entry.name = entry.name, f"{FORMER} {number}"
        columns: dict[str, Any] = {"name": entry.name, "warband": None}
        if entry.status != EntryStatus.DROPPED:
            columns |= {"status": EntryStatus.DROPPED, "dropped": next_round(event)}
        update_row(entry, **columns)
        withdraw_from_fixtures(entry)
        Fixture.objects.filter(_games_with([entry]), status=FixtureStatus.ASKED).delete()
        for game in games:
            game.decision = Decision.UNPLAYED
            Fixture.objects.filter(pk=game.pk).update(decision=game.decision)
            write_fixture(game, game.battle)
        _forget_name(event, entry, name)
        sentence = f"{entry.name} deleted their account."
        if games:
            plural = "" if len(games) == 1 else "s"
            sentence = f"{sentence} Cancelled: {len(games)} open game{plural}."
        change.write("depart", sentence, subject=entry.token)
        fill_places(change)
        if not event.is_over:
            opponents = {side.user_id for game in games for side in game.sides}
            notify_departed(change, sentence, opponents - {entry.user_id})


def _foretell(sender: object, *, user_id: int, **_: object) -> list[str]:
    """What closing the account would mean for events, in sentences. Two queries."""
    entries = Entry.objects.filter(user_id=user_id)
    latest = entries.order_by("-event__updated_at")
    names = list(latest.values_list("event__name", flat=True))
    if not names:
        return []
    events = ", ".join(names[:3])
    if len(names) > 3:
        events = f"{events} and {len(names) - 3} more"
    sentences = [
        f"You are in {events}. Your results stay in the standings. "
        f"Your name is replaced by “{FORMER}” and a number, on public pages too.",
    ]
    games = _open_games(entries.filter(event__archived_at=None)).count()
    if games:
        plural = "game is" if games == 1 else "games are"
        sentences.append(
            f"Your {games} open {plural} cancelled. The organisers and your opponents are told."
        )
    return [*sentences, "Your battles stay for your opponents, without your name."]


def _games_with(entries: Iterable[Entry]) -> Q:
    return Q(one__in=entries) | Q(other__in=entries) | Q(third__in=entries)


def _open_games(entries: Any) -> Any:
    """The games of published rounds that have no result yet."""
    return Fixture.objects.filter(
        _games_with(entries), status=FixtureStatus.OPEN, round__status__in=SHOWN
    )


def _forget_name(event: ClubEvent, entry: Entry, name: str) -> None:
    """Their name in what the event says in words, and in sides that bear it."""
    pattern = re2.compile(rf"(^|[^\pL\pN_]){re2.escape(name)}")

    def rename(match: Any) -> str:
        following = match.string[match.end() :][:1]
        is_word = following.isalnum() or following == "_"
        return match[0] if is_word else f"{match[1]}{entry.name}"

    lines = EventLog.objects.filter(event=event)
    for line in lines.filter(words__contains=name):
        sentence = pattern.sub(rename, line.words)
        EventLog.objects.filter(pk=line.pk).update(words=sentence)
    # A line may name them in its changes alone, where they were called otherwise before.
    lines.filter(subject=entry.token).update(changes={})
    games = Fixture.objects.filter(round__event=event)
    for game in games.filter(reason__contains=name):
        reason = pattern.sub(rename, game.reason)
        Fixture.objects.filter(pk=game.pk).update(reason=reason)
    # A side without a list is called as its player was.
    sides = BattleSide.objects.filter(
        battle__in=games.values("battle"), owner_id=entry.user_id, is_quick=True
    )
    for side in sides.select_related("battle"):
        BattleSide.objects.filter(pk=side.pk).update(name=entry.name)
        locked = dict(side.battle.locked)
        for lineup in locked.get("sides", ()):
            if side.key in (lineup.get("key"), lineup.get("id")):
                lineup["name"] = entry.name
        Battle.objects.filter(pk=side.battle_id).update(locked=locked)
