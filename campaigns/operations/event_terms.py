"""What an event is asked to agree on, and the columns that come of it once all was looked at."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.errors import Refusal
from accounts.owner import Owner
from battles.models import NOTE_MAX, Confirmation
from battles.operations.terms import checked_days, checked_rules, checked_system
from campaigns.list_checks import checked_levels, policy_fault
from campaigns.models import (
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EventKind,
    EventVisibility,
    OddNumber,
    PairingMethod,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX
from campaigns.queries.records import EventTerms
from engine.agreement import agreement, layered, of_layer
from engine.records import Fields, NumberByKey, Texts, is_int_within, named_values
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from warbands import rulebook
from warbands.exchange.document import clean_text, shown
from warbands.operations.warbands import checked_limit

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
