"""The odds of one pair: chosen rules, circumstances, exhibits, and the same pair under every other
system it fits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import Refusal
from engine.records import Fields, NamedValues, TextPairs, Texts, frozen_dataclass, grouped
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import PART, Circumstance, Encounter, read, ruled, switches
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, Headline
from odds.fight_modes import (
    FightMode,
    UnknownSubject,
    fight_mode_of,
    headlines_of,
    ruleset,
)
from rulesdata import registry
from warbands.queries.odds_subjects import OddsSubject, profile_under_system

NOT_COUNTED = {
    "frenzy": "frenzy",
    "hatred": "hatred",
    "causes_fear": "fear",
    "causes_terror": "terror",
    "regeneration": "regeneration",
    "ethereal": "being ethereal",
}


@frozen_dataclass
class Setting:
    """A circumstance with the value it has on the page."""

    one: Circumstance
    value: Any


@frozen_dataclass
class CircumstanceGroup:
    """The circumstances under one heading.

    ``is_folded``: they stand behind a summary while none of them is on.
    """

    title: str
    settings: tuple[Setting, ...]
    is_folded: bool = False


@frozen_dataclass
class OtherSystem:
    """The same pair under one system."""

    address: str
    name: str
    headlines: tuple[Headline, ...]
    is_shown: bool


@frozen_dataclass
class OddsPage:
    """Everything the odds page shows about two warriors."""

    first: OddsSubject
    second: OddsSubject
    attacker: CombatProfile
    target: CombatProfile
    system: System
    books: TextPairs
    weapon: Held | None
    against: Held | None
    missile: Held | None
    parts: tuple[CircumstanceGroup, ...]
    exhibits: tuple[Exhibit, ...]
    beside: tuple[OtherSystem, ...]
    notes: Texts
    faults: tuple[Refusal, ...]


@frozen_dataclass
class OddsPair:
    """Two warriors under one system that can read them both."""

    system: System
    rules: CombatRules
    bout: FightMode
    attacker: CombatProfile
    target: CombatProfile


def pairs_of(first: OddsSubject, second: OddsSubject) -> tuple[tuple[OddsPair, ...], str]:
    """The pair under every system that can read both, and why the first one's own cannot, where it
    cannot.
    """
    found, why = [], ""
    for system in registry.rulesets():
        pair = pair_under(first, second, system)
        if isinstance(pair, OddsPair):
            found.append(pair)
        elif system.address == first.book:
            why = pair
    return tuple(found), why


def pair_under(first: OddsSubject, second: OddsSubject, system: System) -> OddsPair | str:
    """The pair under a system, or a sentence why it cannot be."""
    rules = registry.combat_rules(system.key, system.variant)
    bout = fight_mode_of(rules)
    if bout is None:
        return f"{system.full_name} has no dice for two warriors."
    attacker, target = (
        profile_under_system(first, system),
        profile_under_system(second, system),
    )
    if attacker is None or target is None:
        return "One of the two is not in its army list, so it has no figures."
    return bout.lacks(attacker, target) or OddsPair(system, rules, bout, attacker, target)


def build_page(
    first: OddsSubject, second: OddsSubject, sent: Mapping[str, str], *, is_asked: bool
) -> OddsPage:
    """The odds of two warriors as a form asked for them.

    Raises NotThere where no system can read them both.
    """
    # Under every system: the page shows the pair beside itself in the others.
    pairs, why = pairs_of(first, second)
    if not pairs:
        raise UnknownSubject(
            why
            or "No rules can read both of them: their stat lines have nothing in common."
        )
    chosen, faults = _chosen_pair(pairs, sent.get("book") or "", first.book)
    asked, given, found = _asked(chosen, sent, is_asked=is_asked)
    rules = ruled(chosen.system, chosen.rules, chosen.bout.SECTIONS, given)
    attacker, target = chosen.attacker, chosen.target
    exhibits = chosen.bout.exhibits(
        Encounter(chosen.system, rules, attacker, target, given)
    )
    return OddsPage(
        first=first,
        second=second,
        attacker=attacker,
        target=target,
        system=chosen.system,
        books=tuple((pair.system.address, pair.system.full_name) for pair in pairs),
        weapon=attacker.held(given["weapon"]),
        against=target.held(given["against"]),
        missile=attacker.held(given["missile"], missile=True),
        parts=_parts(asked, given),
        exhibits=exhibits,
        beside=tuple(_other_systems(pair, chosen, given, rules) for pair in pairs),
        notes=(*_notes(attacker, target, first, chosen.system), chosen.bout.LEFT_OUT),
        faults=(*faults, *found),
    )


def _chosen_pair(
    pairs: Sequence[OddsPair], wanted: str, own: str
) -> tuple[OddsPair, list[Refusal]]:
    """The pair under the rules asked for, else under the warrior's own, else under the first; and
    a fault for rules that cannot read both.
    """
    by_address = {pair.system.address: pair for pair in pairs}
    found = by_address.get(wanted or own)
    if found is None and wanted:
        names = ", ".join(by_address)
        return pairs[0], [Refusal(f"Rules: give one of {names}.", field="book")]
    return found or pairs[0], []


def _asked(
    pair: OddsPair, sent: Mapping[str, str], *, is_asked: bool
) -> tuple[tuple[Circumstance, ...], Fields, list[Refusal]]:
    """The circumstances of a pair with their values, the weapons among them."""
    asked = (
        *pair.bout.circumstances(pair.system, pair.rules, pair.attacker, pair.target),
        *switches(pair.system, pair.rules, pair.bout.SECTIONS),
    )
    given, faults = read(asked, sent, is_asked=is_asked)
    given |= {name: sent.get(name, "")[:100] for name in ("weapon", "against", "missile")}
    return asked, given, faults


def _parts(
    asked: tuple[Circumstance, ...], given: NamedValues
) -> tuple[CircumstanceGroup, ...]:
    found = grouped((one.part, Setting(one, given[one.name])) for one in asked)
    groups = []
    for title, settings in found.items():
        is_folded = title == PART and not any(one.value for one in settings)
        groups.append(CircumstanceGroup(title, tuple(settings), is_folded))
    return tuple(groups)


def _other_systems(
    pair: OddsPair, chosen: OddsPair, given: NamedValues, rules: CombatRules
) -> OtherSystem:
    """The pair under another system in the same circumstances, as far as that system has them."""
    is_shown = pair is chosen
    if not is_shown:
        sent = {
            name: str(int(value)) if isinstance(value, bool | int) else value
            for name, value in given.items()
            if value is not None and not name.startswith("play-")
        }
        _, given, _ = _asked(pair, sent, is_asked=False)
        rules = pair.rules
    met = Encounter(pair.system, rules, pair.attacker, pair.target, given)
    lines = headlines_of(pair.bout, met)
    return OtherSystem(pair.system.address, pair.system.full_name, lines, is_shown)


def _notes(
    attacker: CombatProfile, target: CombatProfile, first: OddsSubject, system: System
) -> Texts:
    """What is not counted, and whose figures these are."""
    found = []
    # Dice are worked out up to the armour save.
    if target.save.ward:
        found.append(f"The ward save of {target.title} is not counted.")
    for who in (attacker, target):
        words = [word for flag, word in NOT_COUNTED.items() if flag in who.flags]
        if words:
            found.append(f"Not counted for {who.title}: {', '.join(words)}.")
    if attacker.address != system.address:
        found.append(
            f"The figures are those of {ruleset(first.book).full_name}; these rules have no "
            "such list."
        )
    return tuple(dict.fromkeys(found))
