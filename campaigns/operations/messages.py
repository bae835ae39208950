"""Messages of organisers to players: a notice for each, and a mail as each chose."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.errors import Refusal, ShareUsed, WrongState
from campaigns.models import SHOWN, Entry, EntryStatus, EventLog, Fixture, Round
from campaigns.operations.log import ChangeRequest, LockedEvent, organised_event
from campaigns.operations.notify import tell
from campaigns.operations.rows import check_not_archived, find_round
from campaigns.queries.round_lists import choose_round, entries_without_list
from warbands.exchange.document import clean_text, shown
from warbands.operations import transaction

MESSAGE_MAX = 400
MESSAGES_MOST = 20
DAY = timedelta(days=1)
RECIPIENTS: Final = {
    "all": "all players",
    "round": "the players of {}",
    "lists_missing": "players without a list for {}",
}
"""To whom a message may go, as its line of the log names them."""


def send_message(
    request: ChangeRequest, to: str, text: str, *, number: int | None = None
) -> int:
    """Tell all players something, those of a round, or those who have handed in no list for one.

    By organisers. Without a ``number`` the round is the latest that is published, and for lists the
    first that is not closed. Returns how many have an account to read it; the same ``key`` sends it
    once. The log keeps the text as the reason, which members and players read. Raises Refusal
    naming the field, WrongState where nobody could read it, ShareUsed for too many in a day,
    NotFound, NotAllowed, KeyReused.
    """
    printed = transaction.fingerprint("send_message", request.token, to, text, number)
    with organised_event(request) as change:
        stored = transaction.stored_answer(request.actor, request.key, printed)
        if stored is not None:
            return int(stored["recipients"])
        event = change.event
        check_not_archived(event)
        text = clean_text("text", " ".join(text.split()), MESSAGE_MAX)
        if not text:
            raise Refusal("Enter a message.", field="text")
        entries, round_name = _find_recipients(change, to, number)
        since = timezone.now() - DAY
        sent = EventLog.objects.filter(event=event, verb="message", at__gt=since).count()
        if sent >= MESSAGES_MOST:
            sentence = (
                f"An event sends at most {MESSAGES_MOST} messages a day. Try tomorrow."
            )
            raise ShareUsed(sentence, field="text")
        users = {user for user in entries.values_list("user_id", flat=True) if user}
        users.discard(request.actor.user_id)
        if not users:
            raise WrongState("Nobody with an account would get this message.")
        tell(change, sorted(users), "message", f"{event.name}: {text}")
        sentence = f"Message to {RECIPIENTS[to].format(round_name)}."
        change = replace(change, request=replace(request, reason=text))
        change.log("message", sentence, subject=to)
        answer = {"recipients": len(users)}
        transaction.store_answer(request.actor, request.key, printed, answer)
        return len(users)


def _find_recipients(
    change: LockedEvent, to: str, number: int | None
) -> tuple[QuerySet[Entry], str]:
    """The entries a message goes to, and the name of the round it is about, "" for none."""
    event = change.event
    playing = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE).order_by()
    rounds = Round.objects.filter(event=event).order_by("number")
    if to == "lists_missing":
        row = choose_round(event, [*rounds], number)
        return entries_without_list(event, row).order_by(), str(row)
    if to == "round":
        shown_rounds = rounds.filter(status__in=SHOWN)
        latest: Any = shown_rounds.last() if number is None else find_round(event, number)
        if latest is None or latest.status not in SHOWN:
            raise WrongState("No such round is published. Write to all players.")
        games = Fixture.objects.filter(round=latest)
        players = [pk for game in games for pk in game.ids]
        return playing.filter(Q(pk__in=players)), str(latest)
    if to not in RECIPIENTS:
        names = ", ".join(RECIPIENTS)
        raise Refusal(f"{shown(to)} is none of {names}.", field="to")
    if number is not None:
        raise Refusal("A message to all players names no round.", field="round")
    return playing, ""
