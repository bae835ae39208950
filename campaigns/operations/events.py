"""Making an event, what it agrees on and changing that, and its states: finished,
reopened, archived.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.access import is_club_member, may_organise_club, may_see_club
from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Club
from accounts.owner import Owner
from battles.models import NOTE_MAX, Battle, Confirmation
from battles.operations.setup import checked_days, checked_rules, checked_system
from campaigns.list_checks import checked_levels, policy_fault
from campaigns.models import (
    ENTRIES_MAX,
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
    MissedRound,
    OddNumber,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.models.leagues import (
    PLACE_MAX,
    POINTS_MAX,
    SCORE_MAX,
    SCORE_NAME_MAX,
)
from campaigns.operations.entries import fill_places
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
from engine.findings.checks import guidelines_of
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
from engine.types.systems import System, system_address
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from rulesdata.models import ClubLevels
from rulesdata.queries.scenarios import may_choose_scenario
from warbands.exchange.document import clean_text, shown
from warbands.operations import transaction
from warbands.operations.warbands import checked_limit

SCENARIOS_MAX = 50
# Outside of these a date is a slip of the pen, and some cannot be shown in a time zone.
YEARS = (2000, 2100)
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
    EventKind.ONE_DAY: (PairingMethod.SWISS, PairingMethod.ROBIN),
}

SCORED = {
    "win": "a win",
    "draw": "a draw",
    "loss": "a loss",
    "bye": "a bye",
    "unplayed": "a game not played",
}
NUMBERS = {
    "legs": ("The legs", 1, 2),
    "rounds_planned": ("The rounds", 0, ROUNDS_MAX),
    "tables": ("The tables", 0, TABLES_MAX),
    "capacity": ("The places", 1, ENTRIES_MAX),
    "score_max": ("The most points", 1, SCORE_MAX),
}
OPTIONAL_NUMBERS = ("capacity", "score_max")
MOMENTS = ("starts_at", "entries_close_at", "lists_due_at")
FLAGS = ("needs_list", "is_secret", "has_core", "has_one_list", "shows_treasury")


def checked_columns(
    actor: Owner, draft: EventTerms, *, club: NumberByKey, pool: Sequence[str] = ()
) -> Fields:
    """The columns of the event's row.

    Raises Refusal naming the first field that cannot be, and its limit.

    ``club`` are the rulings of its club; what is in the ``pool`` of scenarios already may stay,
    whoever shared it.
    """
    system = checked_system(draft.system, draft.variant or None)
    event_rulings = checked_rulings(system, of_layer(draft.ruling_layers, "event"))
    rulings = layered(club=club, event=event_rulings)
    limit = checked_limit(draft.points_limit)
    levels = checked_levels(system, draft.levels)
    played = registry.load_system(
        system.key, system.variant, agreement(rulings, {}, system.rulings)
    )
    if fault := policy_fault(played, limit, levels):
        raise fault
    for flag in FLAGS:
        if not isinstance(getattr(draft, flag), bool):
            raise Refusal(f"{flag} must be true or false.", field=flag)
    columns = {
        "name": checked_name(draft.name),
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
        "scenarios": checked_pool(actor, system, draft.scenarios, current=pool),
        "confirm_days": checked_days(draft.confirm_days),
        **named_values(draft, *FLAGS),
        **_checked_numbers(draft),
        **{name: checked_moment(name, getattr(draft, name)) for name in MOMENTS},
        "score_name": clean_text("score_name", draft.score_name, SCORE_NAME_MAX),
        "player_score_name": clean_text(
            "player_score_name", draft.player_score_name, SCORE_NAME_MAX
        ),
    }
    for field, choices in (
        ("visibility", EventVisibility),
        ("kind", EventKind),
        ("method", PairingMethod),
        ("odd", OddNumber),
        ("missed_round", MissedRound),
        ("confirmation", Confirmation),
    ):
        columns[field] = value = getattr(draft, field)
        if value not in choices.values:
            names = ", ".join(choices.values)
            raise Refusal(f"{shown(value)} is none of {names}.", field=field)
    _check_combinations(draft)
    _check_order(draft)
    return {**columns, "tie_breaks": _checked_ties(draft.kind, draft.tie_breaks)}


def _over_club(draft: EventTerms, club: Club) -> EventTerms:
    """The draft over the house rules and levels that its club plays. One query.

    What the club chose and the system has no longer is left out.
    """
    system = checked_system(draft.system, draft.variant or None)
    rules = club.house_rules.get(system.address, {})
    offered = {rule.key for rule in system.house_rules}
    rows = ClubLevels.objects.filter(club=club, system__key=system.key)
    levels = rows.values_list("levels", flat=True).first() or {}
    waivable = {rule.code for rule in guidelines_of(system) if rule.is_waivable}
    return replace(
        draft,
        house_rules={
            **{key: is_on for key, is_on in rules.items() if key in offered},
            **draft.house_rules,
        },
        levels={
            **{code: level for code, level in levels.items() if code in waivable},
            **draft.levels,
        },
    )


def checked_pool(
    actor: Owner, system: System, keys: Sequence[str], *, current: Sequence[str] = ()
) -> list[str]:
    """The scenarios fixtures draw from, each once; Refusal for one the actor is not offered."""
    if len(keys) > SCENARIOS_MAX:
        raise Refusal(
            f"A pool holds at most {SCENARIOS_MAX} scenarios, not {len(keys)}.",
            field="scenarios",
        )
    # What is in the pool already stays, though its owner may have stopped sharing it.
    for key in keys:
        if key not in current and not (
            isinstance(key, str) and may_choose_scenario(actor, system.key, key)
        ):
            raise Refusal(
                f"{system.name} has no scenario {shown(key)}. Choose from its list.",
                field="scenarios",
            )
    return list(dict.fromkeys(keys))


def _checked_numbers(draft: EventTerms) -> Fields:
    """The columns that are whole numbers, what each result is worth among them."""
    columns = {}
    for field, (label, least, most) in NUMBERS.items():
        value = columns[field] = getattr(draft, field)
        if value is not None or field not in OPTIONAL_NUMBERS:
            _checked_int(field, label, value, least, most)
    for result, label in SCORED.items():
        points, column = getattr(draft.scoring, result), f"points_{result}"
        label = f"The points for {label}"
        columns[column] = _checked_int(column, label, points, -POINTS_MAX, POINTS_MAX)
    return columns


def checked_name(name: str) -> str:
    """The name of an event put into order; Refusal for one without a letter or digit."""
    name = clean_text("name", name, EVENT_NAME_MAX)
    if not any(sign.isalnum() for sign in name):
        raise Refusal("Enter a name with at least one letter or digit.", field="name")
    return name


def checked_moment(field: str, value: datetime | None) -> datetime | None:
    """Return the moment, None for none; raises Refusal without a time zone or past ``YEARS``."""
    first, last = YEARS
    if value is None:
        return None
    if not isinstance(value, datetime) or not timezone.is_aware(value):
        is_right = False
    else:
        is_right = first <= value.year <= last
    if not is_right:
        raise Refusal(f"Enter a date and a time between {first} and {last}.", field=field)
    return value


def _checked_int(field: str, label: str, value: Any, least: int, most: int) -> int:
    """A whole number within its limits; Refusal with both limits for anything else."""
    if not is_int_within(value, least, most):
        # A sentence shows a minus sign, not a hyphen.
        low = str(least).replace("-", "−")
        raise Refusal(
            f"{label} must be a whole number from {low} to {most:,}.", field=field
        )
    return value


def _check_combinations(draft: EventTerms) -> None:
    """Raise Refusal for the first field that does not go with another one.

    Sides are swapped in a second leg, which only a round robin keeps account of. Comparing models
    with the last list takes lists, and one for each round.
    """
    kind, method, scoring = EventKind(draft.kind), draft.method, draft.scoring
    ways = " or ".join(f"“{PairingMethod(way).label}”" for way in METHODS[kind])
    rules = (
        (
            method in METHODS[kind],
            "method",
            f"A {kind.label.lower()} uses one of these pairing methods: {ways}.",
        ),
        (
            draft.legs == 1 or method == PairingMethod.ROBIN,
            "legs",
            "Two legs are possible in a round robin only. Choose one leg, or a round robin.",
        ),
        (
            draft.odd == OddNumber.BYE or method == PairingMethod.PRESENT,
            "odd",
            f"A three-player game is possible with “{PairingMethod.PRESENT.label}” only. "
            "Choose a bye for odd numbers.",
        ),
        (
            draft.needs_list or not draft.has_core,
            "has_core",
            "To compare models with the last list, players must hand in lists. Ask for lists, or "
            "untick this.",
        ),
        (
            not (draft.has_core and draft.has_one_list),
            "has_one_list",
            "To compare models with the last list, each round needs a list. Choose a list for each "
            "round, or untick this.",
        ),
        (
            kind == EventKind.CAMPAIGN or not draft.shows_treasury,
            "shows_treasury",
            "Warbands have a treasury in campaigns only. Untick this.",
        ),
        (
            draft.needs_list or draft.lists_due_at is None,
            "lists_due_at",
            "A list deadline is possible only if players hand in lists. Ask for lists, or clear "
            "the deadline.",
        ),
        (
            draft.score_max is None or bool(draft.score_name),
            "score_max",
            "Name the points scored first, or clear the most points.",
        ),
        (
            scoring.win >= scoring.draw >= scoring.loss,
            "points_draw",
            "A draw must be worth at most as much as a win, and at least as much as a loss.",
        ),
    )
    for holds, field, sentence in rules:
        if not holds:
            raise Refusal(sentence, field=field)


def _check_order(draft: EventTerms) -> None:
    """Raise Refusal for a deadline after the start. Only a single day is not joined later."""
    deadlines = {"lists_due_at": "Lists are due"}
    if draft.kind == EventKind.ONE_DAY:
        deadlines["entries_close_at"] = "Entries close"
    for field, what in deadlines.items():
        moment = getattr(draft, field)
        if moment and draft.starts_at and moment > draft.starts_at:
            raise Refusal(
                f"{what} before the event starts at the latest. Choose an earlier date.",
                field=field,
            )


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
    columns = checked_columns(actor, _over_club(draft, club), club=rulings)
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
            draft = _over_club(draft, event.club)
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
            has_limit = "points_limit" in changed and event.points_limit is None
            reread_lists(event, ended=EndedTerms(rules, has_limit=has_limit))
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


def archive_event(request: ChangeRequest) -> None:
    """Out of the lists, kept as it is. Raises NotFound, NotAllowed, Stale."""
    with organised_event(request, STATUS) as change:
        if change.event.archived_at is None:
            change.write("archive", "Archived.", archived_at=timezone.now())


def restore_event(request: ChangeRequest) -> None:
    """Back among the others. Raises NotFound, NotAllowed, Stale."""
    with organised_event(request, STATUS) as change:
        if change.event.archived_at is not None:
            change.write("restore", "Restored from the archive.", archived_at=None)


def finish_event(request: ChangeRequest) -> None:
    """Over: nobody enters and nothing is drawn any more; results may still be put right.

    Raises Refusal while a round is drawn and not published, NotFound, NotAllowed, Stale.
    """
    with organised_event(request, STATUS) as change:
        event = change.event
        draft = event.rounds.filter(status=RoundStatus.DRAFT).order_by("number").first()
        if draft is not None:
            raise WrongState(
                f"{draft} has a draft that is not published. Publish or discard it, "
                "then finish the event."
            )
        if event.status != EventStatus.FINISHED:
            notify_finished(change)
            change.write("finish", "Finished.", status=EventStatus.FINISHED)


def reopen_event(request: ChangeRequest) -> None:
    """Goes on after all. Raises NotFound, NotAllowed, Stale."""
    with organised_event(request, STATUS) as change:
        event = change.event
        if event.status == EventStatus.FINISHED:
            status = EventStatus.RUNNING if _has_begun(event) else EventStatus.OPEN
            change.write("reopen", "Reopened.", status=status)


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
