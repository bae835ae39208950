"""Challenges of a campaign: asked in the round that is open, then accepted, declined or taken back."""

from datetime import datetime

from django.db.models import Max, Q

from accounts.errors import NotAllowed, Refusal
from accounts.tokens import get_row
from campaigns import access
from campaigns.models import (
    ClubEvent,
    EventKind,
    Fixture,
    FixtureStatus,
    Round,
    RoundStatus,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from campaigns.operations.notify import notify_challenged
from campaigns.operations.rows import (
    check_playing,
    find_entry,
    own_entry,
    update_row,
)
from campaigns.queries.fixtures import NO_RESULT

PAIR = ("one", "other", "round")


def create_challenge(
    request: ChangeRequest, other: str, *, plays_at: datetime | None = None
) -> str:
    """Challenge another player of a campaign in the round that is open.

    Returns the fixture's token.

    The same pair is asked once at a time: whoever asks back accepts. Raises Refusal naming the
    field, NotFound, NotAllowed for who is not in it.
    """
    with readable_event(request) as change:
        event = change.event
        entry = own_entry(change)
        if entry is None:
            raise NotAllowed("Only players of this campaign can challenge. Join first.")
        round_row = _open_round(event)
        opponent = find_entry(event, other)
        if entry.pk == opponent.pk:
            raise Refusal("Challenge another player.", field="other")
        for player in (entry, opponent):
            check_playing(player, "other")
        # Whoever asked is side one, so a pair is looked for both ways round. Two who challenge each
        # other at once get one game: the event is locked, and the second meets the first.
        pair = Q(one=entry, other=opponent) | Q(one=opponent, other=entry)
        games = Fixture.objects.filter(round=round_row)
        existing = games.filter(pair, third=None, status__in=NO_RESULT)
        game = existing.select_related(*PAIR).first()
        if game and game.status == FixtureStatus.OPEN:
            raise Refusal(
                f"You already have a game with {opponent.name}. Play that first.",
                field="other",
            )
        if game:
            # The same challenge again is the same one.
            if game.other_id == entry.pk:
                _answer(change, game, "accept")
            return game.token
        last = games.aggregate(last=Max("position"))["last"]
        sentence = f"{entry.name} challenged {opponent.name}."
        row = Fixture.objects.create(
            round=round_row,
            # Challenges stand in the order in which they were made.
            position=0 if last is None else last + 1,
            one=entry,
            other=opponent,
            asked_by=entry,
            status=FixtureStatus.ASKED,
            reason=sentence,
            plays_at=plays_at,
        )
        _log(change, row, "challenge", sentence)
        return row.token


def _open_round(event: ClubEvent) -> Round:
    """The latest round that is published and not closed. Raises Refusal without one."""
    if event.kind != EventKind.CAMPAIGN:
        raise Refusal(
            "Challenges are for campaigns. This event has pairings in its rounds.",
            field="event",
        )
    if event.is_over:
        raise Refusal(
            "This campaign is finished. It takes no new challenges.", field="event"
        )
    rounds = Round.objects.filter(event=event, status=RoundStatus.PUBLISHED)
    row = rounds.order_by("-number").first()
    if row is None:
        raise Refusal(
            "No round is open. Wait until an organiser opens the next one.", field="round"
        )
    return row


ANSWERS = {
    "accept": "{other} accepted the challenge of {one}.",
    "decline": "{other} declined the challenge of {one}.",
    "withdraw": "{one} withdrew the challenge of {other}.",
}
"""What may become of a challenge, as the log tells it."""


def answer_challenge(request: ChangeRequest, fixture: str, answer: str) -> None:
    """Accept or decline a challenge, or withdraw it; one that is no game stays in the log alone.

    By whoever was challenged, for a guest by an organiser; withdrawn by whoever asked, or by an
    organiser. Raises Refusal where it was answered already, NotFound, NotAllowed.
    """
    with readable_event(request) as change:
        actor, event, answers = change.actor, change.event, answer != "withdraw"
        rows = Fixture.objects.filter(round__event=event, asked_by__isnull=False)
        row = get_row(rows.select_related(*PAIR), fixture, "fixture")
        player = row.other if answers else row.one
        is_guest = player is not None and player.user_id is None
        if not (player and access.plays_as(actor, player)) and not (
            (is_guest or not answers) and access.may_organise(actor, event)
        ):
            raise NotAllowed(
                "Only the challenged player can answer a challenge."
                if answers
                else "Only the player who sent a challenge can withdraw it."
            )
        if row.status != FixtureStatus.ASKED:
            raise Refusal("This challenge was already answered.", field="fixture")
        _answer(change, row, answer)


def _answer(change: LockedEvent, row: Fixture, answer: str) -> None:
    """Make of a challenge what its answer says."""
    if answer == "accept":
        update_row(row, status=FixtureStatus.OPEN)
    else:
        Fixture.objects.filter(pk=row.pk).delete()
    other = row.other.name if row.other else "nobody"
    _log(change, row, answer, ANSWERS[answer].format(one=row.one.name, other=other))


def _log(change: LockedEvent, row: Fixture, verb: str, sentence: str) -> None:
    """Into the log, and to both players but whoever did it."""
    change.write(verb, sentence, subject=row.token)
    notify_challenged(change, row, verb)
