"""Who is asked about: a warrior of a warband, of a starter, or a profile of a list, each with an
address of its own.

``w:<token>:<warrior>``, ``s:<starter>:<place>`` and ``p:<book>:<army>:<profile>``.
"""

from collections.abc import (
    Mapping,
    Sequence,
    Set,
)
from dataclasses import replace
from functools import cache
from itertools import islice

from accounts.owner import Owner
from engine.errors import Refusal
from engine.hired import with_hired
from engine.option_rules import listed_on_purchase
from engine.records import Texts, frozen_dataclass
from engine.roster import PRINTED, Agreement, Roster, RosterEntry, RosterGrowth
from engine.types.lists import (
    CHAMPION,
    Army,
    Option,
    Profile,
)
from engine.types.systems import System, system_address
from engine.words import capital
from odds.combat_profiles import CombatProfile, combat_profile_of
from odds.fight_modes import (
    UnknownSubject,
    effects,
    ruleset,
)
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries.records import (
    NO_NAME,
    Starter,
    WarbandRecord,
    WarriorChoices,
)
from warbands.queries.starters import starter
from warbands.queries.warbands import read_warband, roster_of

KEY_MAX, OPTIONS_MAX = 200, 40
_EXAMPLES = 2


@frozen_dataclass
class OddsSubject:
    """One warrior as it was chosen.

    ``book`` is the address of the rules it was made for, ``agreed`` what its warband plays there.
    """

    key: str
    book: str
    army: str
    entry: RosterEntry
    where: str
    options: tuple[Option, ...] = ()
    agreed: Agreement = PRINTED
    growth: RosterGrowth | None = None

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(self.entry.options)


@frozen_dataclass
class OddsWarband:
    """A warband for a table of everybody against everybody, stored or ready made."""

    key: str
    name: str
    book: str
    army: str
    roster: Roster

    @property
    def agreed(self) -> Agreement:
        """What it plays under its own rules."""
        return registry.agreement_of(self.roster)


def profile_under_system(source: OddsSubject, system: System) -> CombatProfile | None:
    """The warrior under a system: as that system fields its list, or by the figures of its own
    where it does not.
    """
    try:
        army = registry.fielded_army(system, source.army)
    except registry.UnknownKey:
        system = ruleset(source.book)
        army = registry.fielded_army(system, source.army)
    return combat_profile_of(source.entry, with_hired(army, source.growth), system)


def odds_warband_of(actor: Owner, key: str) -> OddsWarband:
    """The warband of a key.

    Raises Refusal for one that cannot be read, UnknownSubject where there is none to see.
    """
    kind, _, rest = key.partition(":")
    if kind == "w":
        # Three queries: dice ask for no scenario and no history.
        seen = read_warband(actor, rest)
        if seen is None:
            raise UnknownSubject("There is no such warband, or it is not shared with you.")
        return _odds_warband(key, seen[0].name or NO_NAME, roster_of(*seen))
    if kind == "s":
        found = starter(rest) if len(rest) <= KEY_MAX else None
        if found is None:
            raise UnknownSubject("There is no such starter warband.")
        return _odds_warband(key, found.name, found.roster)
    raise Refusal("A warband is written w:<its token> or s:<a starter>.", field="band")


def _odds_warband(key: str, name: str, roster: Roster) -> OddsWarband:
    address = system_address(roster.system, roster.variant)
    ruleset(address)
    return OddsWarband(key, name, address, roster.army, roster)


def members(band: OddsWarband) -> tuple[OddsSubject, ...]:
    """Everybody of a warband, in order."""
    own = ruleset(band.book)
    army = registry.load_army(own.key, band.army, own.variant)
    where = f"{band.name}, {army.name}"
    found = []
    for place, entry in enumerate(band.roster.warriors):
        # The entries of a starter are stored nowhere and have no ids.
        number = place if band.key.startswith("s:") else entry.id
        key = f"{band.key}:{number}"
        subject = OddsSubject(key, band.book, band.army, entry, where, agreed=band.agreed)
        # Hired swords are in no army list; their warband's growth says what they are.
        found.append(replace(subject, growth=band.roster.growth))
    return tuple(found)


def odds_subject_of(
    actor: Owner,
    key: str,
    options: Sequence[str] = (),
    known: dict[str, OddsWarband] | None = None,
) -> OddsSubject:
    """The warrior of a key; ``known`` keeps warbands that were loaded already.

    Raises Refusal or UnknownSubject.
    """
    if not 0 < len(key) <= KEY_MAX:
        raise Refusal(f"A unit's key has 1 to {KEY_MAX} characters.", field="a")
    if key.startswith("p:"):
        return _profile_subject(key, options)
    band_key, _, who = key.rpartition(":")
    known = {} if known is None else known
    if band_key not in known:
        known[band_key] = odds_warband_of(actor, band_key)
    for one in members(known[band_key]):
        if one.key == key:
            return one
    raise UnknownSubject(f"That warband has no unit {who[:20]}.")


def _profile_subject(key: str, options: Sequence[str]) -> OddsSubject:
    parts = key.split(":")
    if len(parts) != 4:
        raise Refusal("A unit is written p:<rules>:<army>:<unit>.", field="a")
    _, book, army_key, profile_key = parts
    system = ruleset(book)
    army = _printed_army(system, army_key)
    profile = army.profiles.get(profile_key)
    if profile is None:
        raise UnknownSubject(f"{army.name} has no unit '{profile_key[:60]}'.")
    may = open_options(profile)
    listed = _listed(profile, options, {option.key for option in may})
    if not system.regiments or profile.unit_size is None:
        count = 1
    else:
        count = profile.unit_size[0] or 1
    entry = RosterEntry(profile_key, count=count, options=listed)
    return OddsSubject(key, book, army_key, entry, army.name, may)


def _printed_army(system: System, key: str) -> Army:
    """An army list of the packs; raises UnknownSubject for a club's."""
    if is_own(key):
        raise UnknownSubject("There is no such army list, or it is a club's.")
    try:
        return registry.load_army(system.key, key, system.variant)
    except registry.UnknownKey as error:
        raise UnknownSubject(str(error)) from None


def _listed(profile: Profile, asked: Sequence[str], may: Set[str]) -> Texts:
    """What the profile has to buy and what was asked for, each once; raises Refusal."""
    # The keys come from an address, which anybody may write.
    if len(asked) > OPTIONS_MAX or any(key not in may for key in asked):
        raise Refusal(
            f"Options: give at most {OPTIONS_MAX}, each one of this unit's.",
            field="options",
        )
    keys = dict.fromkeys((*listed_on_purchase(profile), *asked))
    return tuple(key for key in keys if key in may)


def open_options(profile: Profile) -> tuple[Option, ...]:
    """What a profile may take that dice could feel: weapons, armour, mounts, changed figures, its
    champion.
    """
    found = [o for o in profile.options if o.items or o.mount or o.effect or o.grants]
    if profile.champion is not None:
        champion = profile.champion
        found.append(Option(CHAMPION, f"{champion.name} (champion)", champion.points))
    return tuple(found)


@cache
def example() -> tuple[str, str]:
    """Two warriors to begin with: who leads one starter, and the troops of another."""
    system = registry.rulesets()[0]
    found = (
        starter(f"{system.address}--{army}") for army in registry.army_names(system.key)
    )
    bands = list(
        islice((one for one in found if one and _is_led_by_a_fighter(one)), _EXAMPLES)
    )
    first, last = bands[0], bands[-1]
    leaders = (
        place for place, entry in enumerate(first.roster.warriors) if entry.is_leader
    )
    troops = len(last.roster.warriors) - 1
    return f"s:{first.key}:{next(leaders, 0)}", f"s:{last.key}:{troops}"


def _is_led_by_a_fighter(one: Starter) -> bool:
    """Whether somebody leads it who is no wizard, of whom dice have more to say."""
    return any(
        warrior.is_leader and not warrior.wizard_level for warrior in one.sheet.warriors
    )


def effects_for(record: WarbandRecord, choices: WarriorChoices) -> Mapping[str, str]:
    """A line for each option that changes a figure against the system's plain opponent, by the
    option's key.
    """
    system = registry.system_of(record.roster)
    entry = choices.selection.entry
    found = effects(system, record.roster.army, entry, choices.groups)
    return {key: f"{capital(line)}." for key, line in found.items()}
