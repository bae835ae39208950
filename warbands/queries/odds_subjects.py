"""Who is asked about: a warrior of a warband, of a starter, or a profile of a list, each with an
address of its own.

``w:<token>:<warrior>``, ``s:<starter>:<place>`` and ``p:<book>:<army>:<profile>``.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice

from accounts.owner import Owner
from engine.errors import Refusal
from engine.hired import with_hired
from engine.option_rules import listed_on_purchase
from engine.records import frozen_dataclass
from engine.roster import PRINTED, Agreement, Roster, RosterEntry, RosterGrowth
from engine.types.lists import CHAMPION, Army, Option, Profile
from engine.types.systems import System, system_address
from engine.words import capital
from odds.combat_profiles import CombatProfile, read_combat_profile
from odds.fight_modes import UnknownSubject, effects, ruleset
from rulesdata import registry
from rulesdata.own_lists import is_own
from warbands.queries.lists import starter
from warbands.queries.records import NO_NAME, WarbandRecord, WarriorChoices
from warbands.queries.warbands import build_roster, read_warband

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
    roster: Roster

    @property
    def book(self) -> str:
        return system_address(self.roster.system, self.roster.variant)

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
    return read_combat_profile(source.entry, with_hired(army, source.growth), system)


def find_odds_warband(actor: Owner, key: str) -> OddsWarband:
    """The warband of a key.

    Raises Refusal for one that cannot be read, UnknownSubject where there is none to see.
    """
    kind, _, rest = key.partition(":")
    if kind == "w":
        # Three queries: dice ask for no scenario and no history.
        stored = read_warband(actor, rest)
        if stored is None:
            raise UnknownSubject("There is no such warband, or it is not shared with you.")
        name, roster = stored[0].name or NO_NAME, build_roster(*stored)
    elif kind == "s":
        ready_made = starter(rest) if len(rest) <= KEY_MAX else None
        if ready_made is None:
            raise UnknownSubject("There is no such starter warband.")
        name, roster = ready_made.roster.name, ready_made.roster
    else:
        raise Refusal("A warband is written w:<its token> or s:<a starter>.", field="band")
    band = OddsWarband(key, name, roster)
    ruleset(band.book)
    return band


def members(band: OddsWarband) -> tuple[OddsSubject, ...]:
    """Everybody of a warband, in order."""
    system = ruleset(band.book)
    army = registry.load_army(system.key, band.roster.army, system.variant)
    # The entries of a starter are stored nowhere and have no ids.
    is_starter = band.key.startswith("s:")
    return tuple(
        OddsSubject(
            key=f"{band.key}:{place if is_starter else entry.id}",
            book=band.book,
            army=band.roster.army,
            entry=entry,
            where=f"{band.name}, {army.name}",
            agreed=band.agreed,
            # Hired swords are in no army list; their warband's growth says what they are.
            growth=band.roster.growth,
        )
        for place, entry in enumerate(band.roster.warriors)
    )


def find_odds_subject(
    actor: Owner,
    key: str,
    options: Sequence[str] = (),
    warbands: dict[str, OddsWarband] | None = None,
) -> OddsSubject:
    """The warrior of a key; ``warbands`` keeps those that were loaded already.

    Raises Refusal or UnknownSubject.
    """
    if not 0 < len(key) <= KEY_MAX:
        raise Refusal(f"A unit's key has 1 to {KEY_MAX} characters.", field="a")
    if key.startswith("p:"):
        return _profile_subject(key, options)
    band_key, _, place = key.rpartition(":")
    warbands = {} if warbands is None else warbands
    if band_key not in warbands:
        warbands[band_key] = find_odds_warband(actor, band_key)
    for subject in members(warbands[band_key]):
        if subject.key == key:
            return subject
    raise UnknownSubject(f"That warband has no unit {place[:20]}.")


def _profile_subject(key: str, options: Sequence[str]) -> OddsSubject:
    parts = key.split(":")
    if len(parts) != 4:
        raise Refusal("A unit is written p:<rules>:<army>:<unit>.", field="a")
    _, book, army_key, profile_key = parts
    system = ruleset(book)
    army = _load_printed_army(system, army_key)
    profile = army.profiles.get(profile_key)
    if profile is None:
        raise UnknownSubject(f"{army.name} has no unit '{profile_key[:60]}'.")
    choosable = open_options(profile)
    keys = {option.key for option in choosable}
    # The keys come from an address, which anybody may write.
    if len(options) > OPTIONS_MAX or not keys.issuperset(options):
        message = f"Options: give at most {OPTIONS_MAX}, each one of this unit's."
        raise Refusal(message, field="options")
    # What the profile has to buy and what was asked for, each once.
    bought = dict.fromkeys((*listed_on_purchase(profile), *options))
    # The smallest unit where entries are units, else one miniature.
    sizes = profile.unit_size if system.regiments else None
    count = (sizes[0] or 1) if sizes else 1
    entry = RosterEntry(
        profile_key, count=count, options=tuple(key for key in bought if key in keys)
    )
    return OddsSubject(key, book, army_key, entry, army.name, choosable)


def _load_printed_army(system: System, key: str) -> Army:
    """An army list of the packs; raises UnknownSubject for a club's."""
    if is_own(key):
        raise UnknownSubject("There is no such army list, or it is a club's.")
    try:
        return registry.load_army(system.key, key, system.variant)
    except registry.UnknownKey as error:
        raise UnknownSubject(str(error)) from None


def open_options(profile: Profile) -> tuple[Option, ...]:
    """What a profile may take that dice could feel: weapons, armour, mounts, changed figures, its
    champion.
    """
    options = [o for o in profile.options if o.items or o.mount or o.effect or o.grants]
    if profile.champion is not None:
        champion = profile.champion
        options.append(Option(CHAMPION, f"{champion.name} (champion)", champion.points))
    return tuple(options)


@cache
def example() -> tuple[str, str]:
    """Two warriors to begin with: who leads one starter, and the troops of another.

    The leader is no wizard, of whom dice have less to say.
    """
    system = registry.rulesets()[0]
    starters = (
        starter(f"{system.address}--{army}") for army in registry.army_names(system.key)
    )
    led = (
        ready_made
        for ready_made in starters
        if ready_made
        and any(w.is_leader and not w.wizard_level for w in ready_made.sheet.warriors)
    )
    bands = list(islice(led, _EXAMPLES))
    first, last = bands[0], bands[-1]
    leaders = (n for n, entry in enumerate(first.roster.warriors) if entry.is_leader)
    troops = len(last.roster.warriors) - 1
    return f"s:{first.key}:{next(leaders, 0)}", f"s:{last.key}:{troops}"


def effects_for(record: WarbandRecord, choices: WarriorChoices) -> Mapping[str, str]:
    """A line for each option that changes a figure against the system's plain opponent, by the
    option's key.
    """
    system = registry.system_of(record.roster)
    entry = choices.selection.entry
    lines = effects(system, record.roster.army, entry, choices.groups)
    return {key: f"{capital(line)}." for key, line in lines.items()}
