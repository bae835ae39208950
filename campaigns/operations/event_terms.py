"""What an event may agree on: its columns from the terms that its organisers ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from accounts.errors import Refusal
from accounts.models import Club
from accounts.owner import Owner
from battles.models import NOTE_MAX, Confirmation
from battles.operations.setup import checked_days, checked_rules, checked_system
from campaigns.list_checks import checked_levels, policy_fault
from campaigns.models import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EventKind,
    EventVisibility,
    MissedRound,
    OddNumber,
    PairingMethod,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX, SCORE_MAX, SCORE_NAME_MAX
from campaigns.queries.records import EventTerms
from engine.findings.checks import guidelines_of
from engine.records import (
    Fields,
    NumberByKey,
    Texts,
    is_int_within,
    named_values,
)
from engine.roster import agreement, layered, of_layer
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from rulesdata.models import ClubLevels
from rulesdata.queries.scenarios import may_choose_scenario
from warbands.exchange.document import clean_text, shown
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


def over_club(draft: EventTerms, club: Club) -> EventTerms:
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
        if key not in current and not may_choose_scenario(actor, system.key, key):
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
    """Return the moment, None for none; raises Refusal for one outside of ``YEARS``."""
    first, last = YEARS
    if value is not None and not first <= value.year <= last:
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
