"""What is checked of a battle that is set up: its rules, place and time."""

from collections.abc import Mapping
from datetime import date

from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import Owner
from battles.combatants import SIDE_KEYS
from battles.models import CONFIRM_DAYS_MAX
from engine.records import TextByKey, is_int_within
from engine.types.systems import PART, System
from rulesdata import registry
from warbands import rulebook
from warbands.exchange.document import shown

EARLIEST = date(1980, 1, 1)


def recorded_system(key: str, variant: str | None) -> System:
    """Return a system whose battles can be recorded, in the variant asked for. Raises Refusal."""
    found = checked_system(key, variant)
    try:
        registry.battle_rules(key, variant)
    except registry.NoBattles as error:
        raise Refusal(str(error), field="system") from None
    return found


def checked_system(key: str, variant: str | None) -> System:
    """Return a system in the variant asked for. Raises Refusal where there is none."""
    try:
        base = registry.load_base(key)
    except registry.UnknownKey:
        known = ", ".join(registry.systems())
        raise Refusal(
            f"There is no rule system {shown(key)}; the systems are {known}.",
            field="system",
        ) from None
    try:
        return registry.load_system(key, variant)
    except registry.UnknownVariant:
        known = (
            f"choose one of {', '.join(base.variant_keys)}"
            if base.variants
            else "it has none"
        )
        asked = "no variant" if variant is None else shown(variant)
        raise Refusal(
            f"{asked} cannot be played with {base.name}; {known}.", field="variant"
        ) from None


def checked_rules(system: System, rules: Mapping[str, bool]) -> dict[str, bool]:
    """House rules of the system, each on or off; Refusal for any other."""
    known = {rule.key for rule in system.house_rules}
    for key, flag in rules.items():
        if key not in known:
            words = (
                f"the house rules are {', '.join(sorted(known))}"
                if known
                else "it has none"
            )
            raise Refusal(
                f"{system.name} has no house rule {shown(key)}; {words}.",
                field="house_rules",
            )
        if not isinstance(flag, bool):
            raise Refusal(
                f"The house rule {shown(key)} must be true or false.", field="house_rules"
            )
    return dict(rules)


# Places, days and the scenario


def checked_place(field: str, place: int | None, count: int) -> str:
    """Return the key of the side at a place, or ""; Refusal outside."""
    if place is None:
        return ""
    if not is_int_within(place, 0, count - 1):
        raise Refusal(
            f"{field} must be the place of a side, from 0 to {count - 1}, or null.",
            field=field,
        )
    return SIDE_KEYS[place]


def checked_date(day: date | None) -> date:
    """Return the day of a battle; Refusal where it lies in the future, or too long ago."""
    today = timezone.localdate()
    if day is None:
        return today
    # A day's grace: where the players are it may be tomorrow already.
    if day < EARLIEST or (day - today).days > 1:
        raise Refusal(
            f"The day of the battle must lie between {EARLIEST.isoformat()} and today.",
            field="fought_date",
        )
    return day


def checked_days(days: int) -> int:
    """The days the other side has to answer; Refusal outside 1 to 60."""
    if not is_int_within(days, 1, CONFIRM_DAYS_MAX):
        raise Refusal(
            f"The days to answer must be a whole number from 1 to {CONFIRM_DAYS_MAX}.",
            field="confirm_days",
        )
    return days


def checked_scenario(actor: Owner, system: System, key: str | None) -> TextByKey:
    """Return the columns of a scenario, {} for none; Refusal for an unknown one."""
    if not key:
        return {}
    # A battle is of the whole scenario; a warband alone plays one side of it.
    if PART in key or not rulebook.may_choose_scenario(actor, system.key, key):
        sentence = (
            f"{system.name} has no scenario {shown(key)}. Choose one of its list, or none."
        )
        raise Refusal(sentence, field="scenario")
    found = rulebook.load_scenario(system.key, key)
    return {"scenario": key, "scenario_name": found.name if found else ""}
