"""Making an event, what it agrees on and changing that, and its states: finished,
reopened, archived.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.utils import timezone

from accounts.access import is_club_member, may_organise_club, may_see_club
from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Club
from accounts.owner import Owner
from accounts.queries.clubs import load_club_rulings
from battles.models import NOTE_MAX, Battle, Confirmation
from battles.operations.setup import checked_days, checked_rules, checked_system
from campaigns.list_checks import checked_levels, policy_fault
from campaigns.models import (
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    SHOWN,
    TABLES_MAX,
    ClubEvent,
    Entry,
    EventKind,
    EventStatus,
    EventVisibility,
    Fixture,
    ListLock,
    OddNumber,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX
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
from campaigns.operations.round_lists import EndedTerms, recheck_lists, reread_lists
from campaigns.queries.records import EventTerms
from engine.records import (
    Fields,
    NamedValues,
    NumberByKey,
    TextByKey,
    Texts,
    is_int_within,
    named_values,
)
from engine.roster import agreement, layered, of_layer
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS
from engine.tournament.types import Scoring
from engine.types.systems import System, system_address
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from warbands import rulebook
from warbands.exchange.document import clean_text, shown
from warbands.operations import transaction
from warbands.operations.warbands import checked_limit

# What an event is asked to agree on, and the columns that come of it once all was looked
# at.

SCENARIOS_MAX = 50

# How the fixtures of each kind may come about, the usual way first.
METHODS: Mapping[str, Texts] = {
    EventKind.LEAGUE: (PairingMethod.ROBIN, PairingMethod.SWISS),
    EventKind.NIGHT: (PairingMethod.PRESENT,),
    EventKind.CAMPAIGN: (
        PairingMethod.CHALLENGE,
        PairingMethod.PRESENT,
        PairingMethod.SWISS,
        PairingMethod.ROBIN,
    ),
}

SCORED = {
    "win": "a win",
    "draw": "a draw",
    "loss": "a loss",
    "bye": "a bye",
    "unplayed": "a game not played",
}


def checked_columns(
    actor: Owner,
    draft: EventTerms,
    *,
    club: NumberByKey,
    kept_scenarios: Sequence[str] = (),
) -> Fields:
    """The columns of the event's row.

    Raises Refusal naming the first field that cannot be, and its limit.

    ``club`` are the rulings of its club; ``kept_scenarios`` are in the pool already: they may stay,
    whoever shared them.
    """
    system = checked_system(draft.system, draft.variant or None)
    own = checked_rulings(system, of_layer(draft.ruling_layers, "event"))
    rulings = layered(club=club, event=own)
    limit = checked_limit(draft.points_limit)
    levels = checked_levels(system, draft.levels)
    played = registry.load_system(
        system.key, system.variant, agreement(rulings, {}, system.rulings)
    )
    if fault := policy_fault(played, limit, levels):
        raise Refusal(fault.sentence, field=fault.field)
    return {
        "name": _checked_name(draft.name),
        "description": clean_text(
            "description", draft.description, NOTE_MAX, many_lines=True
        ),
        "place": clean_text("place", draft.place, PLACE_MAX),
        "system": system.key,
        "variant": system.variant or "",
        "points_limit": limit,
        "levels": levels,
        "house_rules": checked_rules(system, draft.house_rules),
        "ruling_layers": rulings,
        "scenarios": checked_pool(actor, system, draft.scenarios, kept=kept_scenarios),
        "visibility": _choice("visibility", draft.visibility, EventVisibility.values),
        **_checked_shape(draft),
        **_checked_lists(draft),
        **_checked_treasury(draft),
        **_checked_scoring(draft.scoring),
        "tie_breaks": _checked_ties(draft.kind, draft.tie_breaks),
        "confirm_days": checked_days(draft.confirm_days),
        "confirmation": _choice("confirmation", draft.confirmation, Confirmation.values),
    }


def checked_pool(
    actor: Owner, system: System, keys: Sequence[str], *, kept: Sequence[str] = ()
) -> list[str]:
    """The scenarios fixtures draw from, each once; Refusal for one the actor is not offered."""
    if len(keys) > SCENARIOS_MAX:
        raise Refusal(
            f"A pool holds at most {SCENARIOS_MAX} scenarios, not {len(keys)}.",
            field="scenarios",
        )
    # What is in the pool already stays, though its owner may have stopped sharing it.
    for key in keys:
        if key not in kept and not (
            isinstance(key, str) and rulebook.may_choose_scenario(actor, system.key, key)
        ):
            raise Refusal(
                f"{system.name} has no scenario {shown(key)}. Choose from its list.",
                field="scenarios",
            )
    return list(dict.fromkeys(keys))


def checked_int(field_name: str, label: str, value: Any, least: int, most: int) -> int:
    """A whole number within its limits; Refusal with both limits for anything else."""
    if not is_int_within(value, least, most):
        # A sentence shows a minus sign, not a hyphen.
        low = str(least).replace("-", "−")
        raise Refusal(
            f"{label} must be a whole number from {low} to {most:,}.", field=field_name
        )
    return value


def _checked_name(name: str) -> str:
    """Return the cleaned name; raises Refusal for one without a letter or digit."""
    cleaned = clean_text("name", name, EVENT_NAME_MAX)
    if not any(sign.isalnum() for sign in cleaned):
        raise Refusal("Enter a name with at least one letter or digit.", field="name")
    return cleaned


def _choice(field_name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise Refusal(f"{shown(value)} is none of {', '.join(known)}.", field=field_name)
    return value


def _checked_shape(draft: EventTerms) -> Fields:
    """Kind and method, and what depends on them."""
    kind = _choice("kind", draft.kind, EventKind.values)
    method = _choice("method", draft.method, PairingMethod.values)
    if method not in METHODS[kind]:
        ways = " or ".join(f"“{PairingMethod(one).label}”" for one in METHODS[kind])
        raise Refusal(
            f"A {EventKind(kind).label.lower()} uses one of these pairing methods: {ways}.",
            field="method",
        )
    legs = checked_int("legs", "The legs", draft.legs, 1, 2)
    # Sides are swapped in a second leg, which only a round robin keeps account of.
    if legs == 2 and method != PairingMethod.ROBIN:
        raise Refusal(
            "Two legs are possible in a round robin only. Choose one leg, or a round robin.",
            field="legs",
        )
    odd = _choice("odd", draft.odd, OddNumber.values)
    if odd == OddNumber.THREE_PLAYER_TABLE and method != PairingMethod.PRESENT:
        sentence = (
            f"A three-player game is possible with “{PairingMethod.PRESENT.label}” only. "
            "Choose a bye for odd numbers."
        )
        raise Refusal(sentence, field="odd")
    return {
        "kind": kind,
        "method": method,
        "legs": legs,
        "odd": odd,
        "rounds_planned": checked_int(
            "rounds_planned", "The rounds", draft.rounds_planned, 0, ROUNDS_MAX
        ),
        "tables": checked_int("tables", "The tables", draft.tables, 0, TABLES_MAX),
    }


def _checked_lists(draft: EventTerms) -> Fields:
    """Return the columns about lists; raises Refusal for contradictory ticks.

    Comparing models with the last list takes lists, and one for each round.
    """
    if draft.has_core and not draft.needs_list:
        sentence = (
            "To compare models with the last list, players must hand in lists. Ask for lists, or "
            "untick this."
        )
        raise Refusal(sentence, field="has_core")
    if draft.has_core and draft.has_one_list:
        sentence = (
            "To compare models with the last list, each round needs a list. Choose a list for each "
            "round, or untick this."
        )
        raise Refusal(sentence, field="has_one_list")
    return _checked_flags(draft, "needs_list", "is_secret", "has_core", "has_one_list")


def _checked_treasury(draft: EventTerms) -> Fields:
    """Return the column about treasuries; raises Refusal if on outside campaigns."""
    if draft.shows_treasury is True and draft.kind != EventKind.CAMPAIGN:
        sentence = "Warbands have a treasury in campaigns only. Untick this."
        raise Refusal(sentence, field="shows_treasury")
    return _checked_flags(draft, "shows_treasury")


def _checked_flags(draft: EventTerms, *names: str) -> Fields:
    """Return these true or false values of the draft; raises Refusal for others."""
    flags = named_values(draft, *names)
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise Refusal(f"{name} must be true or false.", field=name)
    return flags


def _checked_scoring(scoring: Scoring) -> dict[str, int]:
    """Return the columns of league points; raises Refusal for bad ones.

    Each is from -``POINTS_MAX`` to ``POINTS_MAX``, and win, draw and loss never rise.
    """
    columns = {
        f"points_{name}": checked_int(
            f"points_{name}",
            f"The points for {what}",
            getattr(scoring, name),
            -POINTS_MAX,
            POINTS_MAX,
        )
        for name, what in SCORED.items()
    }
    if not scoring.win >= scoring.draw >= scoring.loss:
        sentence = (
            "A draw must be worth at most as much as a win, and at least as much as a loss."
        )
        raise Refusal(sentence, field="points_draw")
    return columns


def _checked_ties(kind: str, keys: Sequence[str]) -> list[str]:
    """Return the tie-breakers in order; raises Refusal for unknown or repeated ones.

    Campaign points are refused outside campaigns.
    """
    for key in keys:
        if key not in TIE_BREAKS:
            raise Refusal(
                f"{shown(key)} is no tie-breaker; they are {', '.join(TIE_BREAKS)}.",
                field="tie_breaks",
            )
    if len(set(keys)) != len(keys):
        raise Refusal("List each tie-breaker once.", field="tie_breaks")
    if CAMPAIGN_POINTS in keys and kind != EventKind.CAMPAIGN:
        raise Refusal("Campaign points are collected in campaigns.", field="tie_breaks")
    return list(keys)


# Making an event, changing what it agrees on, and its states: finished, archived, and
# back.

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
    # PostgreSQL refuses text with a NUL, which is no club’s address anyway.
    club = Club.objects.filter(slug=club_slug).first() if "\0" not in club_slug else None
    if club is None or not (may_see_club(actor, club.pk) or is_club_member(actor, club.pk)):
        raise NotFound("club")
    if not may_organise_club(actor, club.pk):
        raise NotAllowed(NOT_ORGANISER)
    columns = checked_columns(
        actor,
        draft,
        club=load_club_rulings(club.pk, system_address(draft.system, draft.variant)),
    )
    # Fingerprints are stored for a week: what goes into one stays as it is.
    printed = transaction.fingerprint("create_event", club.pk, asdict(draft))

    def make() -> TextByKey:
        """Insert the event with its first line in the log, and return the token."""
        event = ClubEvent.objects.create(club=club, author_id=actor.user_id, **columns)
        change = LockedEvent(ChangeRequest(actor, event.token), event)
        change.log("make", f"Created the {EventKind(event.kind).label.lower()}.")
        return {"token": event.token}

    answer, _ = transaction.answer_once(actor, request_key, printed, make)
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
