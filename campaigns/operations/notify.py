"""Who is told what when something happens in an event.

Call these after the change, within its transaction.

Nobody is told what they did themselves, and the same thing is told once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from django.urls import reverse
from django.utils import timezone

from accounts.access import ORGANISING
from accounts.models import Membership
from accounts.owner import Owner
from battles.models import Battle, BattleSide, BattleStatus, ResultVerb
from battles.results import ResultStep as Step
from campaigns.models import ClubEvent, Decision, Entry, EntryStatus, Fixture, Round, RoundStatus
from notices.operations import NoticeDraft, send_notices

PAIR = ("one", "other", "third", "attacker")


# Rounds


def notify_round_published(event: ClubEvent, round_row: Round, actor: Owner) -> None:
    """Everybody in the round: whom they meet, when, where, on which table and over what."""
    rows = Fixture.objects.filter(round=round_row).select_related(*PAIR)
    told = [one for row in rows for one in _meeting(event, round_row, row)]
    send_notices(_except_actor(actor, told or _opened(event, round_row)), subject=event.name)


def notify_fixtures(event: ClubEvent, round_row: Round, ids: Iterable[int], actor: Owner) -> None:
    """Those of some fixtures of a published round, after they were added or changed; nobody of a
    draft.
    """
    if round_row.status != RoundStatus.PUBLISHED:
        return
    rows = Fixture.objects.filter(round=round_row, pk__in=list(ids)).select_related(*PAIR)
    told = [replace(one, key="") for row in rows for one in _meeting(event, round_row, row)]
    send_notices(_except_actor(actor, told), subject=event.name)


def notify_removed(event: ClubEvent, fixture: Fixture, actor: Owner, reason: str = "") -> None:
    """Those of a fixture that was taken out of a published round; nobody of a draft."""
    if fixture.round.status == RoundStatus.PUBLISHED:
        words = f"{event.name}, {fixture.round}: {fixture.title} is not played. {_sentence(reason)}".strip()
        path = reverse("event-read", args=[event.token])
        told = [
            NoticeDraft(entry.user_id, "round", words, path)
            for entry in fixture.sides
            if entry.user_id
        ]
        send_notices(_except_actor(actor, told), subject=event.name)


def _opened(event: ClubEvent, round_row: Round) -> list[NoticeDraft]:
    """What is told of a round without fixtures: it is there to challenge somebody in."""
    users = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE, user__isnull=False)
    words = f"{event.name}, {round_row} is open: challenge somebody."
    path, key = reverse("event-read", args=[event.token]), f"{round_row.pk} open"
    return [
        NoticeDraft(pk, "round", words, path, key)
        for pk in users.values_list("user_id", flat=True)
        if pk
    ]


def _meeting(event: ClubEvent, round_row: Round, row: Fixture) -> Iterable[NoticeDraft]:
    """One notice for each person who plays in it, a guest aside."""
    words = _bye_words if row.other_id is None else _meeting_words
    for entry in row.sides:
        if entry.user_id is not None:
            yield words(event, round_row, row, entry, entry.user_id)


def _bye_words(
    event: ClubEvent, round_row: Round, row: Fixture, entry: Entry, user_id: int
) -> NoticeDraft:
    words = f"{event.name}, {round_row}: you have a bye."
    path = reverse("event-read", args=[event.token])
    return NoticeDraft(user_id, "round", words, path, f"{round_row.pk} bye")


def _meeting_words(
    event: ClubEvent, round_row: Round, row: Fixture, entry: Entry, user_id: int
) -> NoticeDraft:
    names = " and ".join(other.name for other in row.sides if other.pk != entry.pk)
    when = _when(row.plays_at or round_row.starts_at)
    table = f"table {row.table}" if row.table else ""
    where = "".join(f", {one}" for one in (event.place, table, row.scenario_name) if one)
    words = f"{event.name}, {round_row}: you meet {names}{when}{where}."
    ids = "-".join(map(str, row.side_ids))
    key = f"{round_row.pk} {ids} {row.table or ''} {row.scenario[:20]} {row.plays_at or ''}"
    return NoticeDraft(user_id, "round", words, _path(event, row), key[:80])


# Entries and the event


def notify_entered(event: ClubEvent, entry: Entry, actor: Owner) -> None:
    """Somebody whom an organiser entered."""
    words = f"You are entered in {event.name} as {entry.name}."
    _notify_entry(event, entry, actor, "entered", words)


def notify_dropped(event: ClubEvent, entry: Entry, actor: Owner, reason: str = "") -> None:
    """Somebody whom an organiser took out."""
    why = f" {_sentence(reason)}" if reason.strip() else ""
    _notify_entry(event, entry, actor, "dropped", f"You were taken out of {event.name}.{why}")


def notify_finished(event: ClubEvent, actor: Owner) -> None:
    """Everybody who was in it to the end."""
    users = Entry.objects.filter(event=event, status=EntryStatus.ACTIVE, user__isnull=False)
    path = reverse("event-read", args=[event.token])
    words = f"{event.name} is finished. The standings are final unless a result is corrected."
    told = [
        NoticeDraft(pk, "finished", words, path, str(event.pk))
        for pk in users.values_list("user_id", flat=True)
        if pk
    ]
    send_notices(_except_actor(actor, told), subject=event.name)


def notify_challenged(event: ClubEvent, fixture: Fixture, actor: Owner, words: str) -> None:
    """Both of a challenge but whoever just asked or answered; ``words`` say what happened."""
    users = [entry.user_id for entry in fixture.sides if entry.user_id]
    path = reverse("event-read", args=[event.token])
    told = [NoticeDraft(pk, "challenge", f"{event.name}: {_sentence(words)}", path) for pk in users]
    send_notices(_except_actor(actor, told), subject=event.name)


def _notify_entry(event: ClubEvent, entry: Entry, actor: Owner, kind: str, words: str) -> None:
    if entry.user_id is not None:
        path = reverse("event-read", args=[event.token])
        send_notices(
            _except_actor(actor, [NoticeDraft(entry.user_id, kind, words, path)]),
            subject=event.name,
        )


# Results


def notify_decided(event: ClubEvent, fixture: Fixture, actor: Owner, reason: str = "") -> None:
    """Those of a fixture about which an organiser decided, or took a decision back."""
    said = (
        str(Decision(fixture.decision).label).lower()
        if fixture.decision
        else "the decision was taken back"
    )
    words = f"{event.name}, {fixture.title}: {said}. {_sentence(reason)}".strip()
    path = _path(event, fixture)
    told = [
        NoticeDraft(entry.user_id, "decided", words, path)
        for entry in fixture.sides
        if entry.user_id
    ]
    send_notices(_except_actor(actor, told), subject=event.name)


def notify_step(battle: Battle, fixture: Fixture | None, step: Step) -> None:
    """Those of a battle: a result waits for their answer, is disputed, corrected, void or back.

    Organisers of its club hear of a dispute. Two statements to find whom, none for a step that
    nobody hears of.
    """
    words = _step_words(battle, step)
    if not words:
        return
    users = _readers_of(battle, step)
    about = f"{fixture.round.event.name}, {fixture.title}" if fixture else "Your battle"
    path = (
        _path(fixture.round.event, fixture)
        if fixture
        else reverse("battle-read", args=[battle.token])
    )
    key = f"{battle.pk} {battle.results_count}"
    told = [
        NoticeDraft(pk, f"result_{step.verb}", f"{about}: {words}", path, key)
        for pk in sorted(users)
    ]
    send_notices(
        _except_actor(Owner(user_id=step.author_id), told),
        subject=fixture.round.event.name if fixture else "",
    )


def _readers_of(battle: Battle, step: Step) -> set[int]:
    """Those of its sides who do not know yet, and of a dispute its club's organisers."""
    sides = BattleSide.objects.filter(battle=battle).exclude(owner=None)
    users = {
        pk
        for side, pk in sides.values_list("key", "owner_id")
        if pk and not _knows(battle, side, pk, step)
    }
    if step.verb == ResultVerb.DISPUTE and battle.club_id is not None:
        runs = Membership.objects.filter(club_id=battle.club_id, role__in=ORGANISING)
        users |= set(runs.values_list("user_id", flat=True))
    return users


def _knows(battle: Battle, side: str, user_id: int, step: Step) -> bool:
    return user_id == step.author_id or (
        step.verb == ResultVerb.PROPOSE and side == battle.proposed_by
    )


def _step_words(battle: Battle, step: Step) -> str:
    """What a step means to those who did not take it; "" for one that is no news."""
    why = f" {_sentence(step.reason)}" if step.reason else ""
    if (
        step.verb in (ResultVerb.PROPOSE, ResultVerb.CORRECT)
        and battle.status == BattleStatus.PROPOSED
        and battle.confirm_by
    ):
        until = f"{timezone.localtime(battle.confirm_by):%-d %B, %H:%M}"
        return f"a result waits for your answer until {until}; after that it counts.{why}"
    if step.is_silent:
        return ""
    return {
        ResultVerb.DISPUTE: f"the result is disputed.{why}",
        ResultVerb.CORRECT: f"the result was corrected.{why}",
        ResultVerb.VOID: f"the result was made void.{why}",
        ResultVerb.RESTORE: f"the result counts again.{why}",
        ResultVerb.PROPOSE: "a result was entered, and it counts.",
    }.get(ResultVerb(step.verb), "")


# Words


def _path(event: ClubEvent, fixture: Fixture) -> str:
    return reverse("fixture-read", args=[event.token, fixture.token])


def _when(moment: datetime | None) -> str:
    return f" on {timezone.localtime(moment):%a %-d %B, %H:%M}" if moment else ""


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?" else f"{text}."


def _except_actor(actor: Owner, told: Iterable[NoticeDraft]) -> list[NoticeDraft]:
    """All but what the actor did themselves."""
    return [one for one in told if one.user_id != actor.user_id]
