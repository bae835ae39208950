"""Making an event, changing what it agrees on, and its states: finished, archived, and back."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from django.utils import timezone

from accounts.access import is_club_member, may_organise_club, may_see_club
from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Club
from accounts.owner import Owner
from accounts.queries.clubs import load_club_rulings
from battles.models import Battle
from campaigns.models import (
    SHOWN,
    ClubEvent,
    Entry,
    EventKind,
    EventStatus,
    Fixture,
    ListLock,
    Round,
    RoundStatus,
)
from campaigns.operations.conflicts import SETTINGS, STATUS, values_kept
from campaigns.operations.event_terms import checked_columns
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    change_sentence,
    changes_between,
    organised_event,
    write_event,
)
from campaigns.operations.notify import notify_finished
from campaigns.operations.round_lists import EndedTerms, recheck_lists, reread_lists
from campaigns.queries.records import EventTerms
from engine.records import NamedValues, NumberByKey, TextByKey, named_values
from engine.tournament.types import Scoring
from engine.types.systems import system_address
from warbands.operations import request_keys

NOT_ORGANISER = "Only organisers of the club can create its events."
# What stays as it is once a round is published: everything played was played by it.
FIXED_TERMS = ("system", "variant", "kind", "method")
# What the lists of an event are checked and printed with.
REREAD = frozenset({"ruling_layers", "points_limit", "house_rules", "scenarios"})


def create_event(
    actor: Owner, club_slug: str, draft: EventTerms, *, request_key: str = ""
) -> str:
    """A new league, club night or campaign of a club, by its organisers; returns its token.

    Raises NotFound for a club the actor cannot see, NotAllowed for those who do not run it, Refusal
    naming field and limit, KeyReused. The same ``request_key`` gives the same event.
    """
    club = _organised_club(actor, club_slug)
    columns = checked_columns(
        actor,
        draft,
        club=load_club_rulings(club.pk, system_address(draft.system, draft.variant)),
    )
    # Fingerprints are stored for a week: what goes into one stays as it is.
    printed = request_keys.fingerprint("create_event", club.pk, asdict(draft))

    def make() -> TextByKey:
        """Insert the event with its first line in the log, and return the token."""
        event = ClubEvent.objects.create(club=club, author_id=actor.user_id, **columns)
        change = LockedEvent(ChangeRequest(actor, event.token), event)
        change.log("make", f"Created the {EventKind(event.kind).label.lower()}.")
        return {"token": event.token}

    answer, _ = request_keys.answer_once(actor, request_key, printed, make)
    return str(answer["token"])


def change_event(asked: ChangeRequest, draft: EventTerms) -> None:
    """The event as the draft says; its log keeps what was and what became.

    What others changed since it was seen, and this draft did not, stays as they have it.

    Once a round is published, system, variant, kind and method stay. With another system the
    warbands that entries meant to bring are taken off, for they cannot be played. Raises Refusal,
    NotFound, NotAllowed, Stale.
    """
    with organised_event(asked) as change:
        event = change.event
        held = {"club": _rulings_of_club(event, draft), "kept_scenarios": event.scenarios}
        columns = checked_columns(asked.actor, draft, **held)
        # What others changed in the meantime stays, and is checked together with this.
        if kept := values_kept(event, asked.expected, columns):
            merged = _with_columns(draft, kept)
            columns = checked_columns(asked.actor, merged, **held)
        before = named_values(event, *columns)
        changed = {name: value for name, value in columns.items() if value != before[name]}
        if not changed:
            return
        _check_settled(event, changed)
        # Nobody can play a warband of another system here.
        if "system" in changed or "variant" in changed:
            Entry.objects.filter(event=event).update(warband=None)
        write_event(event, **changed)
        _follow_change(event, before, changed)
        changes = changes_between(before, changed)
        change = replace(change, area=SETTINGS)
        change.log("change", change_sentence(changes), changes=changes)


def _follow_change(event: ClubEvent, before: NamedValues, changed: NamedValues) -> None:
    """What has to follow a change of these columns: lists that are in, games that are played."""
    # Lists that are in already are told anew, for all of this changes what is found in them.
    if REREAD & changed.keys():
        # Other terms look for other things, so what was found before is not enough.
        rules = before["house_rules"].keys() - event.house_rules.keys()
        is_limit_gone = "points_limit" in changed and event.points_limit is None
        reread_lists(event, ended=EndedTerms(rules, is_limit_gone))
    elif "levels" in changed:
        recheck_lists(event)
    # Games that are being played are confirmed the new way too.
    if "confirmation" in changed:
        games = Fixture.objects.filter(round__event=event)
        battles = Battle.objects.filter(pk__in=games.values("battle"))
        battles.update(confirmation=changed["confirmation"])


def _with_columns(draft: EventTerms, kept: Mapping[str, Any]) -> EventTerms:
    """The draft with these columns of the event in the place of its own."""
    points = {
        name.removeprefix("points_"): value
        for name, value in kept.items()
        if name.removeprefix("points_") in Scoring.__dataclass_fields__
    }
    others = {
        name: value
        for name, value in kept.items()
        if name in EventTerms.__dataclass_fields__
    }
    return replace(draft, **others, scoring=replace(draft.scoring, **points))


def _rulings_of_club(event: ClubEvent, draft: EventTerms) -> NumberByKey:
    """The club's rulings as the event began with them; as they are now under another system."""
    if (event.system, event.variant) == (draft.system, draft.variant):
        kept: NumberByKey = event.ruling_layers.get("club", {})
        return kept
    return load_club_rulings(event.club_id, system_address(draft.system, draft.variant))


def archive_event(asked: ChangeRequest) -> None:
    """Out of the lists, kept as it is. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked, STATUS) as change:
        if change.event.archived_at is None:
            change.write("archive", "Archived.", archived_at=timezone.now())


def restore_event(asked: ChangeRequest) -> None:
    """Back among the others. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked, STATUS) as change:
        if change.event.archived_at is not None:
            change.write("restore", "Restored from the archive.", archived_at=None)


def finish_event(asked: ChangeRequest) -> None:
    """Over: nobody enters and nothing is drawn any more; results may still be put right.

    Raises Refusal while a round is drawn and not published, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked, STATUS) as change:
        event = change.event
        draft = event.rounds.filter(status=RoundStatus.DRAFT).order_by("number").first()
        if draft is not None:
            sentence = (
                f"{draft} has a draft that is not published. Publish or discard it, "
                "then finish the event."
            )
            raise WrongState(sentence)
        if event.status != EventStatus.FINISHED:
            notify_finished(change)
            change.write("finish", "Finished.", status=EventStatus.FINISHED)


def reopen_event(asked: ChangeRequest) -> None:
    """Goes on after all. Raises NotFound, NotAllowed, Stale."""
    with organised_event(asked, STATUS) as change:
        event = change.event
        if event.status == EventStatus.FINISHED:
            status = EventStatus.RUNNING if has_begun(event) else EventStatus.OPEN
            change.write("reopen", "Reopened.", status=status)


def has_begun(event: ClubEvent) -> bool:
    """Whether any of its rounds was published. One query."""
    return Round.objects.filter(event=event, status__in=SHOWN).exists()


def _organised_club(actor: Owner, slug: str) -> Club:
    """The club, for those who run it; NotFound for those who cannot see it, NotAllowed for the
    rest.
    """
    # PostgreSQL refuses text with a NUL, which is no club’s address anyway.
    club = Club.objects.filter(slug=slug).first() if "\0" not in slug else None
    if club is None or not (may_see_club(actor, club.pk) or is_club_member(actor, club.pk)):
        raise NotFound("club")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed(NOT_ORGANISER)
    return club


def _check_settled(event: ClubEvent, changed: NamedValues) -> None:
    """Raise Refusal for changed terms that lists or rounds have settled.

    Up to two queries, none where no such term changes.
    """
    if "has_one_list" in changed and ListLock.objects.filter(round__event=event).exists():
        raise Refusal(
            "Players have handed in lists. You can no longer change between one list for the event "
            "and one for each round.",
            field="has_one_list",
        )
    settled = [name for name in FIXED_TERMS if name in changed]
    if settled and has_begun(event):
        name = settled[0]
        sentence = (
            f"The {name} cannot change after a round is published. Create another event, or "
            "unpublish the rounds first."
        )
        raise Refusal(sentence, field=name)
