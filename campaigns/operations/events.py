"""Making an event, what it agrees on and changing that, and its states: finished,
reopened, archived.
"""

from dataclasses import asdict, replace

from django.utils import timezone

from accounts.access import is_club_member, may_organise_club, may_see_club
from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Club
from accounts.owner import Owner
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
from campaigns.operations.entries import fill_places
from campaigns.operations.event_terms import SCORED, checked_columns, over_club
from campaigns.operations.log import (
    SETTINGS,
    STATUS,
    ChangeRequest,
    LockedEvent,
    change_sentence,
    changes_between,
    organised_event,
    values_kept,
    write_event,
)
from campaigns.operations.notify import notify_finished
from campaigns.operations.round_lists import recheck_lists, reread_lists
from campaigns.queries.records import EventTerms
from engine.records import (
    NamedValues,
    NumberByKey,
    TextByKey,
    named_values,
)
from engine.types.systems import system_address
from warbands.operations import transaction

# What stays as it is once a round is published: everything played was played by it.
FIXED_TERMS = ("system", "variant", "kind", "method")
# What the lists of an event are checked and printed with.
REREAD = frozenset({"ruling_layers", "points_limit", "house_rules", "scenarios"})


def create_event(
    actor: Owner, club_slug: str, draft: EventTerms, *, request_key: str = ""
) -> str:
    """A new event of a club, by its organisers; returns its token.

    It takes over the rulings, house rules and levels that the club plays, and keeps them when the
    club changes its own.

    Raises NotFound for a club the actor cannot see, NotAllowed for those who do not run it, Refusal
    naming field and limit, KeyReused. The same ``request_key`` gives the same event.
    """
    # PostgreSQL refuses text with a NUL, which is no club’s address anyway.
    club = Club.objects.filter(slug=club_slug).first() if "\0" not in club_slug else None
    if club is None or not (may_see_club(actor, club.pk) or is_club_member(actor, club.pk)):
        raise NotFound("club")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed("Only organisers of the club can create its events.")
    rulings = club.rulings.get(system_address(draft.system, draft.variant), {})
    columns = checked_columns(actor, over_club(draft, club), club=rulings)
    # Fingerprints are stored for a week: what goes into one stays as it is.
    fingerprint = transaction.fingerprint("create_event", club.pk, asdict(draft))

    def make() -> TextByKey:
        """Insert the event with its first line in the log, and return the token."""
        event = ClubEvent.objects.create(club=club, author_id=actor.user_id, **columns)
        change = LockedEvent(ChangeRequest(actor, event.token), event)
        change.log("make", f"Created the {EventKind(event.kind).label.lower()}.")
        return {"token": event.token}

    answer, _ = transaction.answer_once(actor, request_key, fingerprint, make)
    return str(answer["token"])


def change_event(request: ChangeRequest, draft: EventTerms) -> None:
    """The event as the draft says; its log keeps what was and what became.

    What others changed since it was seen, and this draft did not, stays as they have it.

    Once a round is published, system, variant, kind and method stay. With another system the
    warbands that entries meant to bring are taken off, for they cannot be played. Raises Refusal,
    NotFound, NotAllowed, Stale.
    """
    with organised_event(request) as change:
        event = change.event
        # The club's rulings stay as the event began with them, but under another system.
        if (event.system, event.variant) == (draft.system, draft.variant):
            club: NumberByKey = event.ruling_layers.get("club", {})
        else:
            address = system_address(draft.system, draft.variant)
            club = event.club.rulings.get(address, {})
            draft = over_club(draft, event.club)
        pool = event.scenarios
        columns = checked_columns(request.actor, draft, club=club, pool=pool)
        # What others changed in the meantime stays, and is checked together with this.
        if others := values_kept(event, request.expected, columns):
            merged = _with_columns(draft, others)
            columns = checked_columns(request.actor, merged, club=club, pool=pool)
        before = named_values(event, *columns)
        changed = {name: value for name, value in columns.items() if value != before[name]}
        if not changed:
            return
        _check_settled(event, changed)
        # Nobody can play a warband of another system here.
        if "system" in changed or "variant" in changed:
            Entry.objects.filter(event=event).update(warband=None)
        write_event(event, **changed)
        # Lists that are in already are checked again, for all of this changes what is found in them.
        if REREAD & changed.keys():
            # Other terms look for other things, so what was found before is not enough.
            rules = before["house_rules"].keys() - event.house_rules.keys()
            is_limit_gone = "points_limit" in changed and event.points_limit is None
            reread_lists(event, ended_rules=rules, is_limit_gone=is_limit_gone)
        elif "levels" in changed:
            recheck_lists(event)
        fill_places(change)
        # Games that are being played are confirmed the new way too.
        if "confirmation" in changed:
            games = Fixture.objects.filter(round__event=event)
            battles = Battle.objects.filter(pk__in=games.values("battle"))
            battles.update(confirmation=changed["confirmation"])
        changes = changes_between(before, changed)
        change = replace(change, area=SETTINGS)
        change.log("change", change_sentence(before, changed), changes=changes)


def _with_columns(draft: EventTerms, columns: NamedValues) -> EventTerms:
    """The draft with these columns of an event in the place of its own."""
    points = {
        name.removeprefix("points_"): value
        for name, value in columns.items()
        if name.removeprefix("points_") in SCORED
    }
    terms = EventTerms.__dataclass_fields__.keys() & columns.keys()
    return replace(
        draft,
        **{name: columns[name] for name in terms},
        scoring=replace(draft.scoring, **points),
    )


STEPS = ("finish", "reopen", "archive", "restore")


def settle_event(request: ChangeRequest, step: str) -> None:
    """Finish an event, reopen it, archive it or restore it; the same step again changes nothing.

    Once it is finished nobody enters and nothing is drawn any more; results may still be put right.
    Raises WrongState while a round is drawn and not published, NotFound, NotAllowed, Stale.
    """
    with organised_event(request, STATUS) as change:
        event = change.event
        is_finished = event.status == EventStatus.FINISHED
        if step == "finish":
            draft = event.rounds.filter(status=RoundStatus.DRAFT).order_by("number").first()
            if draft is not None:
                raise WrongState(
                    f"{draft} has a draft that is not published. Publish or discard it, "
                    "then finish the event."
                )
            if not is_finished:
                notify_finished(change)
                change.write("finish", "Finished.", status=EventStatus.FINISHED)
        elif step == "reopen" and is_finished:
            status = EventStatus.RUNNING if _has_begun(event) else EventStatus.OPEN
            change.write("reopen", "Reopened.", status=status)
        elif step == "archive" and event.archived_at is None:
            change.write("archive", "Archived.", archived_at=timezone.now())
        elif step == "restore" and event.archived_at is not None:
            change.write("restore", "Restored from the archive.", archived_at=None)


def _has_begun(event: ClubEvent) -> bool:
    """Whether any of its rounds was published. One query."""
    return Round.objects.filter(event=event, status__in=SHOWN).exists()


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
    if settled and _has_begun(event):
        raise Refusal(
            f"The {settled[0]} cannot change after a round is published. Create another event, or "
            "unpublish the rounds first.",
            field=settled[0],
        )
