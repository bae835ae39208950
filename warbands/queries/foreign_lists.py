"""A list of another tool beside the armies of a rule system, before anything is stored."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from django.db.models import Q

from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import ChoiceList, frozen_dataclass
from engine.roster import Roster
from engine.types.systems import System
from interchange.tree import ForeignRoster
from jobs.personal_data import DataFile
from rulesdata import registry
from rulesdata.own_lists import is_own
from rulesdata.queries.clubs import list_choices, prepare_lists
from rulesdata.schema.lists import OwnListFile, unit_names
from warbands.exchange.foreign.export import OutgoingRoster
from warbands.exchange.foreign.matches import (
    Aliases,
    ArmyChoice,
    ArmyIndex,
    ArmyNames,
    rank_armies,
)
from warbands.exchange.foreign.preview import LineChoice, Preview, build_preview
from warbands.models import LearnedName


@frozen_dataclass
class ListWishes:
    """What somebody wants of a list: the rules by their address, an army ("" finds it), and what
    was decided line by line.
    """

    rules: str
    army: str = ""
    choices: Mapping[int, LineChoice] = field(default_factory=dict)


@frozen_dataclass
class ListPreview:
    """A list beside an army; ``preview`` is None while the army is not known."""

    tree: ForeignRoster
    system: System
    armies: tuple[ArmyChoice, ...]
    army: str
    preview: Preview | None
    price_unit: str = "pts"


def load_list_preview(
    actor: Owner,
    tree: ForeignRoster,
    wishes: ListWishes,
) -> ListPreview:
    """Return a list beside an army of these rules, or beside a list of one of the actor's clubs.

    Three queries for a person, none for a visitor. Raises Refusal that names the field for rules
    that are not there.
    """
    system = _system(wishes.rules)
    known = {one.key: one for one in _armies(actor, system)}
    found, armies = rank_armies(tree, known.values())
    # Other rules may not field the army that was chosen under the ones before.
    army = wishes.army if wishes.army in known else found
    preview, price_unit = None, "pts"
    if army:
        aliases = _with_learned(known[army].aliases, actor, army)
        chosen = registry.load_army(system.key, army, system.variant)
        preview = build_preview(tree, system, ArmyIndex(chosen, aliases), wishes.choices)
        price_unit = chosen.currency.short
    return ListPreview(tree, system, armies, army, preview, price_unit)


def army_choices(actor: Owner) -> ChoiceList:
    """Return every army of every system by name, and the lists of the actor's clubs."""
    names: dict[str, str] = {}
    for key in registry.systems():
        names |= registry.army_names(key)
        names |= {one.token: f"{one.name} ({one.club})" for one in list_choices(actor, key)}
    return sorted(names.items(), key=lambda pair: pair[1])


def _system(address: str) -> System:
    """Return the rules of an address, a variant included; other rules are not read."""
    key, _, variant = address.partition(".")
    try:
        return registry.load_system(key, variant or None)
    except registry.UnknownKey:
        raise Refusal("Choose one of the rule systems.", field="rules") from None


def _armies(actor: Owner, system: System) -> Iterator[ArmyNames]:
    """Yield what the printed armies of a system are called, then the lists of the actor's clubs."""
    printed = {}
    for key in registry.armies_of(system.key):
        collection = registry.collection_of(system.key, key)
        printed_file = registry.army_file(collection, key)
        aliases = _aliases(collection, key)
        printed[collection, key] = ArmyNames(
            key, printed_file.name, collection, unit_names(printed_file.units), aliases
        )
    yield from printed.values()
    choices = list_choices(actor, system.key)
    prepare_lists(one.token for one in choices)
    for choice in choices:
        own = registry.own_list(choice.token)
        base = printed.get((own.collection, own.base))
        file = own.file
        units = dict(base.units) if base else {}
        units |= unit_names(file.units)
        yield ArmyNames(
            own.token,
            f"{choice.name} ({choice.club})",
            own.collection,
            units,
            _with_origins(replace(base.aliases, known_as=()) if base else Aliases(), file),
            base is not None,
        )


def _aliases(collection: str, key: str) -> Aliases:
    """Return what other tools call a printed army and its units."""
    file = registry.aliases_of(collection, key)
    return Aliases(tuple(file.known_as), file.origins, file.names, file.options)


def _with_origins(aliases: Aliases, file: OwnListFile) -> Aliases:
    """Return the aliases with the ids that a club's list has from the catalogue it came from.

    The entry's own id stands last; one of two units names neither for certain.
    """
    seen: Counter[str] = Counter()
    units: dict[str, str] = {}
    options: dict[tuple[str, str], str] = {}
    for unit in file.units:
        seen.update(unit.origins)
        units |= dict.fromkeys(unit.origins, unit.id)
        for option in unit.options:
            options |= {(unit.id, origin): option.id for origin in option.origins}
    origins = {origin: key for origin, key in units.items() if seen[origin] == 1}
    known = {**aliases.origins, **origins}
    return replace(aliases, origins=known, option_origins=options)


def _with_learned(
    aliases: Aliases,
    actor: Owner,
    army: str,
) -> Aliases:
    """Return the aliases with what the actor chose before, and in a club's list its members.

    The actor's own choice goes before another member's, a later one before an earlier.
    """
    if not actor.is_person:
        return aliases
    of_club = Q() if is_own(army) else Q(person_id=actor.user_id)
    rows = LearnedName.objects.filter(of_club, army=army)
    units: dict[str, str] = {}
    options: dict[tuple[str, str], str] = {}
    for row in sorted(rows, key=lambda one: one.person_id == actor.user_id):
        if row.profile:
            options[row.profile, row.name] = row.key
        else:
            units[row.name] = row.key
    return replace(aliases, learned=units, learned_options=options)


def outgoing_roster(roster: Roster) -> OutgoingRoster:
    """Return a roster with its system and army, ready to be written for another tool."""
    system, army = registry.load_ruleset(roster)
    if is_own(roster.army):
        aliases = _with_origins(Aliases(), registry.own_list(roster.army).file)
    else:
        aliases = _aliases(registry.collection_of(roster.system, roster.army), roster.army)
    return OutgoingRoster(roster, system, army, aliases)


def learned_files(user_id: int) -> Iterator[DataFile]:
    """Yield what is remembered of somebody's imports; nothing where nothing is."""
    rows = LearnedName.objects.filter(person=user_id)
    found: list[Any] = list(rows.values("army", "profile", "name", "key", "at"))
    if found:
        yield "names-of-other-apps", found
