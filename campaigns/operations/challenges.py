"""Challenges of a campaign: asked in the round that is open, then accepted, declined or taken back."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max, Q

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.owner import Owner
from battles.replay import is_token
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
from campaigns.operations.log import lock_event, write_event, write_log
from campaigns.operations.notify import notify_challenged
from campaigns.operations.round_lists import find_entry

PAIR = ("one", "other", "round")
NOT_PLAYED = (FixtureStatus.ASKED, FixtureStatus.OPEN)


def create_challenge(
    actor: Owner, token: str, other: str, *, plays_at: datetime | None = None
) -> str:
    """Challenge another player of a campaign in the round that is open.

    Returns the fixture's token.

    The same pair is asked once at a time: whoever asks back accepts. Raises Refusal naming the
    field, NotFound, NotAllowed for who is not in it.
    """
    with transaction.atomic():
        event = lock_event(actor, token)
        mine = _own_entry(actor, event)
        round_row = _open_round(event)
        theirs = find_entry(event, other)
        _check_pair(mine, theirs)
        if (there := _open_fixture_between(round_row, mine, theirs)) is not None:
            return _repeat_challenge(actor, event, there, mine, theirs)
        last = Fixture.objects.filter(round=round_row).aggregate(last=Max("position"))["last"]
        row = Fixture.objects.create(
            round=round_row,
            position=0 if last is None else last + 1,
            one=mine,
            other=theirs,
            asked_by=mine,
            status=FixtureStatus.ASKED,
            reason=f"{mine.name} challenged {theirs.name}.",
            plays_at=plays_at,
        )
        write_event(event)
        write_log(
            event, actor, "challenge", f"{mine.name} challenged {theirs.name}.", subject=row.token
        )
        notify_challenged(event, row, actor, f"{mine.name} challenged {theirs.name}.")
        return row.token


def accept_challenge(actor: Owner, token: str, fixture: str) -> None:
    """To be played from now on. By whoever was challenged, for a guest by an organiser.

    Raises as below.
    """
    with transaction.atomic():
        event, row = _waiting_challenge(actor, token, fixture, answers=True)
        _accept(actor, event, row)


def decline_challenge(actor: Owner, token: str, fixture: str, *, reason: str = "") -> None:
    """No game; the log keeps that it was asked.

    By whoever was challenged, for a guest by an organiser.

    Raises Refusal where it was answered already, NotFound, NotAllowed.
    """
    with transaction.atomic():
        event, row = _waiting_challenge(actor, token, fixture, answers=True)
        _remove_challenge(
            actor,
            event,
            row,
            "decline",
            f"{_name(row.other)} declined the challenge of {row.one.name}.",
            reason,
        )


def withdraw_challenge(actor: Owner, token: str, fixture: str, *, reason: str = "") -> None:
    """Taken back by whoever asked, or by an organiser. Raises as above."""
    with transaction.atomic():
        event, row = _waiting_challenge(actor, token, fixture, answers=False)
        _remove_challenge(
            actor,
            event,
            row,
            "withdraw",
            f"{row.one.name} took back the challenge of {_name(row.other)}.",
            reason,
        )


def _own_entry(actor: Owner, event: ClubEvent) -> Entry:
    row = (
        Entry.objects.filter(event=event, user_id=actor.user_id).first()
        if actor.user_id is not None
        else None
    )
    if row is None:
        raise NotAllowed("Only who is entered can challenge somebody. Enter first.")
    return row


def _open_round(event: ClubEvent) -> Round:
    """The latest round that is published and not closed. Raises Refusal without one."""
    if event.kind != EventKind.CAMPAIGN:
        raise Refusal(
            "Challenges are for campaigns; here the rounds say who meets whom.", field="event"
        )
    if event.status == EventStatus.FINISHED or event.archived_at is not None:
        raise Refusal("This is over; nobody is challenged any more.", field="event")
    row = (
        Round.objects.filter(event=event, status=RoundStatus.PUBLISHED).order_by("-number").first()
    )
    if row is None:
        raise Refusal("No round is open. An organiser opens the next one.", field="round")
    return row


def _check_pair(mine: Entry, theirs: Entry) -> None:
    if mine.pk == theirs.pk:
        raise Refusal("Challenge somebody else.", field="other")
    for one in (mine, theirs):
        if one.status == EntryStatus.DROPPED:
            raise Refusal(f"{one.name} dropped out.", field="other")


def _open_fixture_between(round_row: Round, mine: Entry, theirs: Entry) -> Fixture | None:
    """A fixture of the two in this round that is not played yet."""
    pair = Q(one=mine, other=theirs) | Q(one=theirs, other=mine)
    rows = Fixture.objects.filter(
        pair, round=round_row, third=None, status__in=NOT_PLAYED, decision=""
    )
    return rows.select_related(*PAIR).first()


def _repeat_challenge(
    actor: Owner, event: ClubEvent, row: Fixture, mine: Entry, theirs: Entry
) -> str:
    """The same challenge again is the same one; asking back accepts it."""
    if row.status == FixtureStatus.OPEN:
        raise Refusal(f"You are to play {theirs.name} already. Play that first.", field="other")
    if row.other_id == mine.pk:
        _accept(actor, event, row)
    return row.token


def _waiting_challenge(
    actor: Owner, token: str, fixture: str, *, answers: bool
) -> tuple[ClubEvent, Fixture]:
    """The event, locked, and a challenge that waits, for who may answer it, or with ``answers``
    False take it back.
    """
    event = lock_event(actor, token)
    rows = Fixture.objects.filter(
        token=fixture, round__event=event, asked_by__isnull=False
    ).select_related(*PAIR)
    row = rows.order_by().first() if is_token(fixture) else None
    if row is None:
        raise NotFound("fixture")
    whose = row.other if answers else row.one
    is_theirs = actor.is_person and whose is not None and whose.user_id == actor.user_id
    if not is_theirs and not _may_stand_in(actor, event, whose, answers=answers):
        raise NotAllowed(
            "Only who was challenged answers."
            if answers
            else "Only who asked takes a challenge back."
        )
    if row.status != FixtureStatus.ASKED:
        raise Refusal("This challenge was answered already.", field="fixture")
    return event, row


def _may_stand_in(actor: Owner, event: ClubEvent, whose: Entry | None, *, answers: bool) -> bool:
    """Organisers answer for guests, and take any challenge back."""
    is_guest = whose is not None and whose.user_id is None
    return (is_guest or not answers) and access.may_organise(actor, event)


def _accept(actor: Owner, event: ClubEvent, row: Fixture) -> None:
    Fixture.objects.filter(pk=row.pk).update(status=FixtureStatus.OPEN, version=row.version + 1)
    write_event(event)
    words = f"{_name(row.other)} accepted the challenge of {row.one.name}."
    write_log(event, actor, "accept", words, subject=row.token)
    notify_challenged(event, row, actor, words)


def _remove_challenge(
    actor: Owner, event: ClubEvent, row: Fixture, verb: str, words: str, reason: str
) -> None:
    token = row.token
    Fixture.objects.filter(pk=row.pk).delete()
    write_event(event)
    write_log(event, actor, verb, words, subject=token, reason=reason)
    notify_challenged(event, row, actor, words)


def _name(entry: Entry | None) -> str:
    return entry.name if entry else "nobody"
