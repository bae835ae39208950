"""Challenges of a campaign: asked in the round that is open, then accepted, declined or taken back."""

from datetime import datetime

from django.db.models import Max, Q

from accounts.errors import NotAllowed, Refusal
from accounts.owner import Owner
from campaigns import access
from campaigns.models import (
    ClubEvent,
    Entry,
    EntryStatus,
    EventKind,
    EventStatus,
    Fixture,
    FixtureStatus,
    Round,
    RoundStatus,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.operations.notify import notify_challenged
from campaigns.operations.rows import find_by_token, find_entry, own_entry, update_row

PAIR = ("one", "other", "round")
NOT_PLAYED = (FixtureStatus.ASKED, FixtureStatus.OPEN)


def create_challenge(
    asked: ChangeRequest, other: str, *, plays_at: datetime | None = None
) -> str:
    """Challenge another player of a campaign in the round that is open.

    Returns the fixture's token.

    The same pair is asked once at a time: whoever asks back accepts. Raises Refusal naming the
    field, NotFound, NotAllowed for who is not in it.
    """
    with readable_event(asked) as change:
        event = change.event
        mine = own_entry(change)
        if mine is None:
            raise NotAllowed("Only players of this campaign can challenge. Join first.")
        round_row = _open_round(event)
        theirs = find_entry(event, other)
        _check_pair(mine, theirs)
        # Two who challenge each other at once get one game: the event is locked, and the second meets
        # the first.
        if (there := _open_fixture_between(round_row, mine, theirs)) is not None:
            return _repeat_challenge(change, there, mine, theirs)
        last = Fixture.objects.filter(round=round_row).aggregate(last=Max("position"))[
            "last"
        ]
        words = f"{mine.name} challenged {theirs.name}."
        row = Fixture.objects.create(
            round=round_row,
            # Challenges stand in the order in which they were made.
            position=0 if last is None else last + 1,
            one=mine,
            other=theirs,
            asked_by=mine,
            status=FixtureStatus.ASKED,
            reason=words,
            plays_at=plays_at,
        )
        _tell(change, row, "challenge", words)
        return row.token


def accept_challenge(asked: ChangeRequest, fixture: str) -> None:
    """To be played from now on. By whoever was challenged, for a guest by an organiser.

    Raises as `decline_challenge` does.
    """
    with readable_event(asked) as change:
        _accept(change, _waiting_challenge(change, fixture, answers=True))


def decline_challenge(asked: ChangeRequest, fixture: str) -> None:
    """No game; the log keeps that it was asked.

    By whoever was challenged, for a guest by an organiser.

    Raises Refusal where it was answered already, NotFound, NotAllowed.
    """
    with readable_event(asked) as change:
        row = _waiting_challenge(change, fixture, answers=True)
        words = f"{_name(row.other)} declined the challenge of {row.one.name}."
        _remove_challenge(change, row, "decline", words)


def withdraw_challenge(asked: ChangeRequest, fixture: str) -> None:
    """Taken back by whoever asked, or by an organiser. Raises as above."""
    with readable_event(asked) as change:
        row = _waiting_challenge(change, fixture, answers=False)
        words = f"{row.one.name} withdrew the challenge of {_name(row.other)}."
        _remove_challenge(change, row, "withdraw", words)


def _open_round(event: ClubEvent) -> Round:
    """The latest round that is published and not closed. Raises Refusal without one."""
    if event.kind != EventKind.CAMPAIGN:
        raise Refusal(
            "Challenges are for campaigns. This event has pairings in its rounds.",
            field="event",
        )
    if event.status == EventStatus.FINISHED or event.archived_at is not None:
        raise Refusal(
            "This campaign is finished. It takes no new challenges.", field="event"
        )
    row = (
        Round.objects.filter(event=event, status=RoundStatus.PUBLISHED)
        .order_by("-number")
        .first()
    )
    if row is None:
        raise Refusal(
            "No round is open. Wait until an organiser opens the next one.", field="round"
        )
    return row


def _check_pair(mine: Entry, theirs: Entry) -> None:
    """Raise Refusal where both are the same player or one of them dropped out."""
    if mine.pk == theirs.pk:
        raise Refusal("Challenge another player.", field="other")
    for one in (mine, theirs):
        if one.status == EntryStatus.DROPPED:
            raise Refusal(f"{one.name} dropped out.", field="other")


def _open_fixture_between(round_row: Round, mine: Entry, theirs: Entry) -> Fixture | None:
    """A fixture of the two in this round that is not played yet."""
    # Whoever asked is side one, so a pair is looked for both ways round.
    pair = Q(one=mine, other=theirs) | Q(one=theirs, other=mine)
    rows = Fixture.objects.filter(pair, round=round_row, third=None, status__in=NOT_PLAYED)
    return rows.select_related(*PAIR).first()


def _repeat_challenge(change: LockedEvent, row: Fixture, mine: Entry, theirs: Entry) -> str:
    """The same challenge again is the same one; asking back accepts it."""
    if row.status == FixtureStatus.OPEN:
        raise Refusal(
            f"You already have a game with {theirs.name}. Play that first.", field="other"
        )
    if row.other_id == mine.pk:
        _accept(change, row)
    return row.token


def _waiting_challenge(change: LockedEvent, fixture: str, *, answers: bool) -> Fixture:
    """A challenge that waits, for who may answer it, or with ``answers`` False take it back."""
    actor, event = change.actor, change.event
    rows = Fixture.objects.filter(round__event=event, asked_by__isnull=False)
    row = find_by_token(rows.select_related(*PAIR), fixture, "fixture")
    whose = row.other if answers else row.one
    is_theirs = whose is not None and access.plays_as(actor, whose)
    if not is_theirs and not _may_stand_in(actor, event, whose, answers=answers):
        raise NotAllowed(
            "Only the challenged player can answer a challenge."
            if answers
            else "Only the player who sent a challenge can withdraw it."
        )
    if row.status != FixtureStatus.ASKED:
        raise Refusal("This challenge was already answered.", field="fixture")
    return row


def _may_stand_in(
    actor: Owner, event: ClubEvent, whose: Entry | None, *, answers: bool
) -> bool:
    """Organisers answer for guests, and take any challenge back."""
    is_guest = whose is not None and whose.user_id is None
    return (is_guest or not answers) and access.may_organise(actor, event)


def _accept(change: LockedEvent, row: Fixture) -> None:
    """Open the game of a challenge, and tell that it was accepted."""
    update_row(row, status=FixtureStatus.OPEN)
    _tell(
        change,
        row,
        "accept",
        f"{_name(row.other)} accepted the challenge of {row.one.name}.",
    )


def _remove_challenge(change: LockedEvent, row: Fixture, verb: str, words: str) -> None:
    Fixture.objects.filter(pk=row.pk).delete()
    _tell(change, row, verb, words)


def _tell(change: LockedEvent, row: Fixture, verb: str, words: str) -> None:
    """Into the log, and to both players but whoever did it."""
    change.write(verb, words, subject=row.token)
    notify_challenged(change, row, verb)


def _name(entry: Entry | None) -> str:
    return entry.name if entry else "nobody"
