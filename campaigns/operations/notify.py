"""Who is told what when something happens in an event, and what is posted to its channel.

Call these after the change, within its transaction.

Nobody is told what they did themselves, and the same thing is told once.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from accounts.access import ORGANISING
from accounts.models import Membership, User
from battles.intake import rules_of
from battles.models import (
    Battle,
    BattleSide,
    BattleStatus,
    Confirmation,
    ResultVerb,
)
from battles.results import ResultStep as Step
from battles.results import outcome_words
from campaigns.fixture_totals import entries_by_side
from campaigns.models import (
    ClubEvent,
    Entry,
    EntryStatus,
    EventStatus,
    Fixture,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.models.leagues import DISCORD_POST, DiscordWebhook
from campaigns.models.rounds import list_deadline, play_moment
from campaigns.operations.log import LockedEvent, as_sentence
from campaigns.queries.round_lists import entries_without_list
from jobs.models import Job
from jobs.queue import JobDraft, enqueue
from notices.operations import NoticeDraft, send_notices

PAIR = ("one", "other", "third", "attacker")
# People are reminded of a list that is due within a day, or was within the last one.
NEAR = timedelta(days=1)
BEFORE_CLOSED = (RoundStatus.PLANNED, RoundStatus.DRAFT, RoundStatus.PUBLISHED)


# Rounds


def notify_round_published(change: LockedEvent, round_row: Round) -> None:
    """Everybody in the round: whom they meet, when, where, on which table and over what."""
    event = change.event
    enqueue_post(event, "pairings", round_row.number)
    if event.method != PairingMethod.CHALLENGE:
        _send(change, _game_notices(event, round_row))
        return
    sentence = f"{event.name}, {round_row} is open. You can challenge another player."
    path, key = _event_path(event), f"{round_row.pk} open"
    _send(change, _to_each(_active_users(event), "round", sentence, path, key))


def notify_fixtures(change: LockedEvent, round_row: Round, ids: Iterable[int]) -> None:
    """Those of some fixtures of a published round, after they were added or changed; nobody of a
    draft.
    """
    if round_row.status != RoundStatus.PUBLISHED:
        return
    # Without a key the same thing may be told again: what was changed twice is news twice.
    notices = _game_notices(change.event, round_row, pk__in=list(ids))
    _send(change, [replace(notice, key="") for notice in notices])


def _game_notices(event: ClubEvent, round_row: Round, **only: Any) -> Iterator[NoticeDraft]:
    """A notice for each player of a round's games: whom they meet, when, where and over what.

    The key holds players, table, scenario and time, so a change of these makes another one.
    """
    rows = Fixture.objects.filter(round=round_row, **only).select_related(*PAIR)
    for row in rows:
        if row.other_id is None:
            sentence = f"{event.name}, {round_row}: you have a bye."
            key, path = f"{round_row.pk} bye", _event_path(event)
            yield from _to_each(list_users(row), "round", sentence, path, key)
            continue
        moment = play_moment(row, round_row)
        when = f" on {timezone.localtime(moment):%a %-d %B, %H:%M}" if moment else ""
        places = (event.place, f"table {row.table}" if row.table else "", row.scenario_name)
        details = when + "".join(f", {place}" for place in places if place)
        ids, path = "-".join(map(str, row.ids)), fixture_path(event, row)
        key = f"{round_row.pk} {ids} {row.table or ''} {row.scenario[:20]} {row.plays_at or ''}"
        for entry in row.sides:
            opponents = " and ".join(e.name for e in row.sides if e.pk != entry.pk)
            sentence = f"{event.name}, {round_row}: you play {opponents}{details}."
            yield from _to_each([entry.user_id], "round", sentence, path, key[:80])


# Entries and the event


def notify_departed(
    change: LockedEvent, sentence: str, opponents: Iterable[int | None]
) -> None:
    """The club's organisers, and the opponents whose games are cancelled."""
    event = change.event
    users = filter(None, _organisers(event.club_id).union(opponents))
    tell(change, sorted(users), "departed", f"{event.name}: {sentence}")


def notify_finished(change: LockedEvent) -> None:
    """Everybody who was in it to the end."""
    event = change.event
    sentence = (
        f"{event.name} is finished. The standings are final unless a result is corrected."
    )
    path, key = _event_path(event), str(event.pk)
    _send(change, _to_each(_active_users(event), "finished", sentence, path, key))
    enqueue_post(event, "standings")


CHALLENGES = {
    "challenge": ("", "{one} challenged you. Accept or decline the challenge."),
    "accept": (
        "{other} accepted your challenge. Play the game, then report the result.",
        "",
    ),
    "decline": ("{other} declined your challenge.", ""),
    "withdraw": (
        "An organiser withdrew your challenge of {other}.",
        "The challenge of {one} was withdrawn.",
    ),
}
"""What is told of a challenge to who sent it and to who was challenged; "" where they did it."""


def notify_challenged(change: LockedEvent, fixture: Fixture, verb: str) -> None:
    """Both of a challenge but whoever just asked or answered, with where to go on."""
    event, why = change.event, change.why
    path = f"{_event_path(event)}#challenges"
    if verb == "accept":
        path = fixture_path(event, fixture)
    names = {"one": fixture.one.name, "other": fixture.other and fixture.other.name}
    notices = (
        NoticeDraft(
            pk, "challenge", f"{event.name}: {sentence.format(**names)} {why}".strip(), path
        )
        for pk, sentence in zip(list_users(fixture), CHALLENGES[verb], strict=True)
        if pk and sentence
    )
    _send(change, notices)


# Results


def notify_step(battle: Battle, fixture: Fixture | None, step: Step) -> None:
    """Those of a battle: a result waits for their answer, is disputed, corrected, void or back.

    Organisers of its club hear of a dispute. Up to four statements to find whom and what, none for
    a step that nobody hears of.
    """
    if step.is_silent or step.verb == ResultVerb.CONFIRM:
        return
    sides = BattleSide.objects.filter(battle=battle).exclude(owner=None)
    if step.verb == ResultVerb.PROPOSE:
        # The side that reported it knows.
        sides = sides.exclude(key=battle.proposed_by)
    users = set(sides.values_list("owner_id", flat=True))
    if step.verb == ResultVerb.DISPUTE and battle.club_id is not None:
        users |= _organisers(battle.club_id)
    # Whoever took the step knows of it.
    users -= {None, step.author_id}
    if not users:
        return
    title, subject = "Your battle", ""
    path = reverse("battle-read", args=[battle.token])
    if fixture is not None:
        subject = fixture.round.event.name
        title = f"{subject}, {fixture.title}"
        path = fixture_path(fixture.round.event, fixture)
    key = f"{battle.pk} {battle.results_count}"
    sentence = f"{title}: {_step_words(battle, fixture, step)}"
    kind = f"result_{step.verb}"
    send_notices(_to_each(sorted(users), kind, sentence, path, key), subject=subject)


def _step_words(battle: Battle, fixture: Fixture | None, step: Step) -> str:
    """What a step means to those who did not take it: who did what, and what they can do."""
    author = User.objects.filter(pk=step.author_id).first() if step.author_id else None
    who = author.display_name if author else "Somebody"
    why = f" {as_sentence(step.reason)}" if step.reason else ""
    names = _side_names(battle, fixture)

    def describe(how: str, winner: str) -> str:
        ending = rules_of(battle).endings.get(how)
        return outcome_words(ending, names.get(winner, winner))

    result = describe(battle.how, battle.winner)
    if fixture is not None and fixture.out_one + fixture.out_other:
        lost = f"{names['a']} {fixture.out_one}, {names['b']} {fixture.out_other}"
        result = f"{result}, models lost: {lost}"
    verb = ResultVerb(step.verb)
    is_back = verb in (ResultVerb.RESTORE, ResultVerb.UNDO)
    if battle.status == BattleStatus.PROPOSED and not is_back:
        return f"{who} reported: {result}.{why} {_answer_words(battle)}"
    if verb == ResultVerb.DISPUTE:
        claim = f" {who} says: {describe(step.how, step.winner)}." if step.how else ""
        until = "both players agree"
        if battle.club_id is not None:
            until = f"{until} or an organiser decides"
        return f"{who} disputed the result.{why}{claim} It does not count until {until}."
    return {
        ResultVerb.CORRECT: f"{who} corrected the result: {result}.{why}",
        ResultVerb.VOID: f"{who} voided the result. It does not count.{why}",
        ResultVerb.RESTORE: f"{who} restored the result: {result}.{why}",
        ResultVerb.UNDO: f"{who} undid the last step of the result.{why}",
        ResultVerb.PROPOSE: f"{who} entered the result: {result}.{why}",
    }[verb]


def _side_names(battle: Battle, fixture: Fixture | None) -> Mapping[str, str]:
    """What each side is called: by its player in an event, else by its warband."""
    if fixture is not None:
        return {key: entry.name for key, entry in entries_by_side(fixture).items()}
    sides = BattleSide.objects.filter(battle=battle)
    return dict(sides.values_list("key", "name"))


def _answer_words(battle: Battle) -> str:
    """What the opponent can do about a reported result, and what happens if they do nothing."""
    if battle.confirm_by is None:
        return "Dispute it if it is wrong; otherwise an organiser accepts it."
    until = f"{timezone.localtime(battle.confirm_by):%-d %B, %H:%M}"
    if battle.confirmation == Confirmation.REPORTS:
        return f"If it is wrong, dispute it by {until}; after that it is final."
    return f"Confirm or dispute it by {until}; after that it is confirmed automatically."


# Lists that are missing


def remind_of_lists(now: datetime | None = None) -> int:
    """Remind everybody without a list, in rounds whose deadline is a day away or was over within
    the last day.

    Returns how many were to be told. Two queries for each round, whose lists are due on the same
    day.
    """
    now = now or timezone.now()
    near: Any = {"due__gt": now - NEAR, "due__lte": now + NEAR}
    is_finished = Q(event__status=EventStatus.FINISHED)
    open_rounds = Round.objects.filter(event=OuterRef("event"), status__in=BEFORE_CLOSED)
    first_open = Subquery(open_rounds.order_by("number").values("number")[:1])
    rounds = (
        Round.objects.filter(
            # The event's deadline is for the round that comes next, not for all that are planned.
            Q(lists_due_at__isnull=False) | Q(number=first_open),
            status__in=BEFORE_CLOSED,
            event__needs_list=True,
            event__archived_at=None,
        )
        .exclude(is_finished | Q(event__has_one_list=True, number__gt=1))
        .annotate(due=Coalesce("lists_due_at", "event__lists_due_at"))
    )
    # An event without a round takes lists for the first.
    events = ClubEvent.objects.filter(
        rounds=None, needs_list=True, archived_at=None, status=EventStatus.OPEN
    ).annotate(due=F("lists_due_at"))
    rows = [
        *rounds.filter(**near).select_related("event").order_by("id"),
        *(Round(event=event, number=1) for event in events.filter(**near).order_by("id")),
    ]
    count = 0
    for row in rows:
        event, due = row.event, list_deadline(row, row.event)
        missing = entries_without_list(event, row).filter(joined__lte=row.number)
        # A deadline that is moved reminds again.
        key = f"{event.pk}/{row.number} {due:%Y%m%d%H%M}"
        count += send_list_notices(row, missing, now, key)
    return count


def send_list_notices(
    row: Round, missing: QuerySet[Entry], now: datetime, key: str = ""
) -> int:
    """Send the notice of a list that is due to each of those who have an account; returns how many.

    The channel reads it too, of a deadline once unless an organiser asks.
    """
    event, due = row.event, list_deadline(row, row.event)
    kind, head = "list_due", f"{event.name}, {row}"
    sentence = f"{head}: hand in your list."
    if due is not None and due > now:
        at = f"{timezone.localtime(due):%a %-d %B, %H:%M}"
        sentence = f"{head}: hand in your list by {at}."
    elif due is not None:
        kind = "list_missing"
        sentence = (
            f"{head}: your list is missing and the deadline is over. Ask an organiser to unlock "
            "yours."
        )
    path = reverse("list-hand-in", args=[event.token, row.number])
    users = missing.order_by().values_list("user_id", flat=True)
    notices = _to_each(users, kind, sentence, path, key)
    with transaction.atomic():
        send_notices(notices, subject=event.name)
        if notices:
            text = sentence.removeprefix(f"{event.name}, ")
            text = f"For players without a list. {text}"
            enqueue_post(event, "reminder", row.number, text=text, once=key)
    return len(notices)


# The channel


def enqueue_post(
    event: ClubEvent, kind: str, number: int = 0, *, text: str = "", once: str = ""
) -> bool:
    """Post about a round after this transaction; returns whether the event has a webhook.

    ``kind`` is test, pairings, results, standings or reminder; what has no ``text`` is drawn. With
    ``once`` the same is posted once in the days a job is kept.
    """
    key = f"{event.pk} {kind} {number} {once}"
    if not DiscordWebhook.objects.filter(event=event, is_on=True).exists():
        return False
    if not (once and Job.objects.filter(kind=DISCORD_POST, key=key).exists()):
        payload = {"event": event.pk, "post": [kind, number, text]}
        title = kind.capitalize() + (f" for round {number}" if number else "")
        enqueue(None, JobDraft(DISCORD_POST, title, payload, key=key))
    return True


def notify_webhook_off(event: ClubEvent) -> None:
    """The club's organisers, of a webhook that Discord does not know any more."""
    sentence = (
        f"{event.name}: posts to Discord have stopped, because Discord does not know the webhook "
        "any more. Enter a new address."
    )
    path = reverse("event-discord", args=[event.token])
    users = sorted(_organisers(event.club_id))
    send_notices(_to_each(users, "discord_off", sentence, path), subject=event.name)


# Words and sending


def _event_path(event: ClubEvent) -> str:
    return reverse("event-read", args=[event.token])


def fixture_path(event: ClubEvent, fixture: Fixture) -> str:
    return reverse("fixture-read", args=[event.token, fixture.token])


def _send(change: LockedEvent, notices: Iterable[NoticeDraft]) -> None:
    """Send the notices whose reader did not make the change."""
    others = [row for row in notices if row.user_id != change.actor.user_id]
    send_notices(others, subject=change.event.name)


def tell(
    change: LockedEvent,
    users: Iterable[int | None],
    kind: str,
    sentence: str,
    path: str = "",
) -> None:
    """Send the same notice to those who did not make the change; to the event's page by default."""
    _send(change, _to_each(users, kind, sentence, path or _event_path(change.event)))


def _to_each(
    users: Iterable[int | None], kind: str, sentence: str, path: str, key: str = ""
) -> list[NoticeDraft]:
    """The same notice for each person; a guest has no account and gets none."""
    return [NoticeDraft(pk, kind, sentence, path, key) for pk in users if pk]


def list_users(fixture: Fixture) -> list[int | None]:
    """The accounts of those who meet, None for a guest."""
    return [entry.user_id for entry in fixture.sides]


def _organisers(club_id: int) -> set[int]:
    members = Membership.objects.filter(club_id=club_id, role__in=ORGANISING)
    return set(members.values_list("user_id", flat=True))


def _active_users(event: ClubEvent) -> Iterable[int | None]:
    """The people who play in an event, without those who dropped out. One query."""
    entries = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE)
    return entries.values_list("user_id", flat=True)
