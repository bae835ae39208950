"""What an event is asked to be, and the columns that come of it once every field has been looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.owner import Owner
from campaigns.errors import Refusal
from campaigns.models import (
    EVENT_NAME_MAX,
    NOTE_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EventKind,
    EventVisibility,
    OddNumber,
    PairingMethod,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX, default_ties
from campaigns.operations.opening import checked_days, checked_rules, played_system
from campaigns.policies import checked_levels, policy_fault
from engine.events.scores import Scoring
from engine.events.steps import read_steps, to_json
from engine.events.ties import TIE_BREAKS
from engine.types import System
from warbands import scenarios
from warbands.exchange.limits import clean_text, shown
from warbands.operations.warbands import checked_limit

SCENARIOS_MAX = 50
METHODS: Mapping[str, tuple[str, ...]] = {
    EventKind.LEAGUE: (PairingMethod.ROBIN, PairingMethod.SWISS),
    EventKind.NIGHT: (PairingMethod.PRESENT,),
    EventKind.CAMPAIGN: (
        PairingMethod.CHALLENGE,
        PairingMethod.PRESENT,
        PairingMethod.SWISS,
        PairingMethod.ROBIN,
    ),
}
"""How the fixtures of each kind may come about, the usual way first."""


@dataclass(frozen=True, slots=True)
class EventDraft:
    """All that an event agrees on, unchecked. ``points_limit`` None is without limit, ``rounds_planned`` 0 open-ended.

    ``variant`` "" is for systems that have none. ``levels`` maps a guideline's code to error, warning, note or off;
    what it leaves out stays as the system has it. ``tie_breaks`` in their order.
    """

    name: str
    kind: str
    method: str
    system: str
    variant: str = ""
    points_limit: int | None = None
    description: str = ""
    place: str = ""
    legs: int = 1
    rounds_planned: int = 0
    odd: str = OddNumber.BYE
    tables: int = 0
    visibility: str = EventVisibility.CLUB
    scenarios: Sequence[str] = ()
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    needs_list: bool = False
    is_secret: bool = True
    has_core: bool = False
    steps: Mapping[str, Any] = field(default_factory=dict)
    scoring: Scoring = field(default_factory=Scoring)
    tie_breaks: Sequence[str] = field(default_factory=default_ties)
    confirm_days: int = 3


def checked_columns(
    actor: Owner, draft: EventDraft, *, kept_scenarios: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of the event's row. Raises Refusal naming the first field that cannot be, and its limit.

    ``kept_scenarios`` are in the pool already: they may stay, whoever shared them.
    """
    system = played_system(draft.system, draft.variant or None)
    limit = checked_limit(draft.points_limit)
    levels = checked_levels(system, draft.levels)
    if fault := policy_fault(system, limit, levels):
        raise Refusal(fault.sentence, field=fault.field)
    return {
        "name": _checked_name(draft.name),
        "description": clean_text("description", draft.description, NOTE_MAX, many_lines=True),
        "place": clean_text("place", draft.place, PLACE_MAX),
        "system": system.key,
        "variant": system.variant or "",
        "points_limit": limit,
        "levels": levels,
        "house_rules": checked_rules(system, draft.house_rules),
        "scenarios": checked_pool(actor, system, draft.scenarios, kept=kept_scenarios),
        "visibility": _choice("visibility", draft.visibility, EventVisibility.values),
        **_checked_shape(draft),
        **_checked_lists(draft),
        **_checked_scoring(draft.scoring),
        "tie_breaks": _checked_ties(draft.tie_breaks),
        "confirm_days": checked_days(draft.confirm_days),
    }


def checked_pool(
    actor: Owner, system: System, keys: Sequence[str], *, kept: Sequence[str] = ()
) -> list[str]:
    """The scenarios fixtures draw from, each once; Refusal for one the actor is not offered."""
    if len(keys) > SCENARIOS_MAX:
        raise Refusal(
            f"A pool holds at most {SCENARIOS_MAX} scenarios, not {len(keys)}.", field="scenarios"
        )
    for key in keys:
        if key not in kept and not (
            isinstance(key, str) and scenarios.may_choose_scenario(actor, system.key, key)
        ):
            raise Refusal(
                f"{system.name} has no scenario {shown(key)}. Choose from its list.",
                field="scenarios",
            )
    return list(dict.fromkeys(keys))


def checked_int(field_name: str, label: str, value: Any, least: int, most: int) -> int:
    """A whole number within its limits; Refusal with both limits for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        low = str(least).replace("-", "−")
        raise Refusal(f"{label} must be a whole number from {low} to {most:,}.", field=field_name)
    return value


def _checked_name(name: str) -> str:
    cleaned = clean_text("name", name, EVENT_NAME_MAX)
    if not any(sign.isalnum() for sign in cleaned):
        raise Refusal("Give it a name: at least one letter or figure.", field="name")
    return cleaned


def _choice(field_name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise Refusal(f"{shown(value)} is none of {', '.join(known)}.", field=field_name)
    return value


def _checked_shape(draft: EventDraft) -> dict[str, Any]:
    """Kind and method, and what depends on them."""
    kind = _choice("kind", draft.kind, EventKind.values)
    method = _choice("method", draft.method, PairingMethod.values)
    if method not in METHODS[kind]:
        ways = " or ".join(f"“{PairingMethod(one).label}”" for one in METHODS[kind])
        raise Refusal(f"A {EventKind(kind).label.lower()} is paired by {ways}.", field="method")
    legs = checked_int("legs", "The legs", draft.legs, 1, 2)
    if legs == 2 and method != PairingMethod.ROBIN:
        raise Refusal(
            "Two legs are for a round robin. Choose one leg, or a round robin.", field="legs"
        )
    odd = _choice("odd", draft.odd, OddNumber.values)
    if odd == OddNumber.THREE_PLAYER_TABLE and method != PairingMethod.PRESENT:
        sentence = f"A table of three is for “{PairingMethod.PRESENT.label}”. Choose a bye for odd numbers."
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


def _checked_lists(draft: EventDraft) -> dict[str, Any]:
    if draft.has_core and not draft.needs_list:
        sentence = "A core that must stay needs lists that are handed in. Ask for lists too, or leave the core out."
        raise Refusal(sentence, field="has_core")
    if draft.steps and draft.kind != EventKind.CAMPAIGN:
        raise Refusal(
            "Steps after a battle are for campaigns. Leave them out, or make it a campaign.",
            field="steps",
        )
    flags = {name: getattr(draft, name) for name in ("needs_list", "is_secret", "has_core")}
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise Refusal(f"{name} must be true or false.", field=name)
    return {**flags, "steps": to_json(read_steps(draft.steps))}


def _checked_scoring(scoring: Scoring) -> dict[str, int]:
    columns = {
        "points_win": checked_int(
            "points_win", "The points for a win", scoring.win, -POINTS_MAX, POINTS_MAX
        ),
        "points_draw": checked_int(
            "points_draw", "The points for a draw", scoring.draw, -POINTS_MAX, POINTS_MAX
        ),
        "points_loss": checked_int(
            "points_loss", "The points for a loss", scoring.loss, -POINTS_MAX, POINTS_MAX
        ),
        "points_bye": checked_int(
            "points_bye", "The points for a bye", scoring.bye, -POINTS_MAX, POINTS_MAX
        ),
        "points_unplayed": checked_int(
            "points_unplayed",
            "The points for a game not played",
            scoring.unplayed,
            -POINTS_MAX,
            POINTS_MAX,
        ),
    }
    if not scoring.win >= scoring.draw >= scoring.loss:
        sentence = "A draw must be worth at most as much as a win, and at least as much as a loss."
        raise Refusal(sentence, field="points_draw")
    return columns


def _checked_ties(keys: Sequence[str]) -> list[str]:
    for key in keys:
        if key not in TIE_BREAKS:
            raise Refusal(
                f"{shown(key)} is no tie-break; they are {', '.join(TIE_BREAKS)}.",
                field="tie_breaks",
            )
    if len(set(keys)) != len(keys):
        raise Refusal("A tie-break may stand in the order once.", field="tie_breaks")
    return list(keys)
