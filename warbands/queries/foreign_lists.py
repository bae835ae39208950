"""A list of another tool beside the armies of a rule system, before anything is stored."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from operator import itemgetter
from typing import Any

from django.db.models import Q

from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import ChoiceList, frozen_dataclass
from engine.roster import Roster
from engine.types.systems import System
from interchange.catalogues import plain_name
from interchange.tree import ForeignRoster
from jobs.personal_data import DataFile
from rulesdata import own_store, registry
from rulesdata.own_lists import is_own
from rulesdata.queries.clubs import list_choices
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
    """What somebody wants of a list: the rules by their address and an army ("" finds either), and
    what was decided line by line.
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
    key, _, variant = (wishes.rules or find_rules(tree)).partition(".")
    try:
        system = registry.load_system(key, variant or None)
    except registry.UnknownKey:
        raise Refusal("Choose one of the rule systems.", field="rules") from None
    names = {names.key: names for names in _armies(actor, system)}
    likeliest, armies = rank_armies(tree, names.values())
    # Other rules may not field the army that was chosen under the ones before.
    army = wishes.army if wishes.army in names else likeliest
    if not army:
        return ListPreview(tree, system, armies, army, None)
    aliases = names[army].aliases
    if actor.is_person:
        # What the actor chose before, and in a club's list its members: the actor's own choice goes
        # before another member's, a later one before an earlier.
        of_club = Q() if is_own(army) else Q(person_id=actor.user_id)
        rows = LearnedName.objects.filter(of_club, army=army)
        units: dict[str, str] = {}
        options: dict[tuple[str, str], str] = {}
        for row in sorted(rows, key=lambda row: row.person_id == actor.user_id):
            if row.profile:
                options[row.profile, row.name] = row.key
            else:
                units[row.name] = row.key
        aliases = replace(aliases, learned=units, learned_options=options)
    loaded = registry.load_army(system.key, army, system.variant)
    preview = build_preview(tree, system, ArmyIndex(loaded, aliases), wishes.choices)
    return ListPreview(tree, system, armies, army, preview, loaded.currency.short)


def find_rules(tree: ForeignRoster) -> str:
    """Return the address of the rules that a list is likeliest played by: those it names, else
    those with an army that has most of its units.
    """
    books = registry.rulesets()
    game = plain_name(tree.source.game)
    for book in books:
        if game and game in (plain_name(book.full_name), plain_name(book.key)):
            return book.address
    ranked: dict[str, tuple[bool, int]] = {}
    for book in books:
        # The variants of a system field the same armies.
        if book.key not in {address.partition(".")[0] for address in ranked}:
            key, choices = rank_armies(tree, printed_names(book.key).values())
            share = max((choice.share for choice in choices), default=0)
            ranked[book.address] = (bool(key), share)
    return max(ranked, key=lambda address: ranked[address])


def army_choices(actor: Owner) -> ChoiceList:
    """Return every army of every system by name, and the lists of the actor's clubs."""
    names: dict[str, str] = {}
    for key in registry.systems():
        names |= registry.army_names(key)
        choices = list_choices(actor, key)
        names |= {choice.token: f"{choice.name} ({choice.club})" for choice in choices}
    return sorted(names.items(), key=itemgetter(1))


def _armies(actor: Owner, system: System) -> Iterator[ArmyNames]:
    """Yield what the printed armies of a system are called, then the lists of the actor's clubs."""
    printed = printed_names(system.key)
    yield from printed.values()
    choices = list_choices(actor, system.key)
    own_store.preload(choice.token for choice in choices)
    for choice in choices:
        club_list = registry.own_list(choice.token)
        base = printed.get((club_list.collection, club_list.base))
        units = dict(base.units) if base else {}
        units |= unit_names(club_list.file.units)
        aliases = replace(base.aliases, known_as=()) if base else Aliases()
        aliases = _with_origins(aliases, club_list.file)
        name = f"{choice.name} ({choice.club})"
        yield ArmyNames(
            club_list.token, name, club_list.collection, units, aliases, base is not None
        )


def printed_names(system: str) -> dict[tuple[str, str], ArmyNames]:
    """Return what the printed armies of a system are called, by collection and key."""
    printed = {}
    for key in registry.list_army_keys(system):
        collection = registry.find_collection_key(system, key)
        army, aliases = registry.army_file(collection, key), _aliases(collection, key)
        names = ArmyNames(key, army.name, collection, unit_names(army.units), aliases)
        printed[collection, key] = names
    return printed


def _aliases(collection: str, key: str) -> Aliases:
    """Return what other tools call a printed army and its units."""
    file = registry.load_aliases(collection, key)
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
    certain = {origin: key for origin, key in units.items() if seen[origin] == 1}
    origins = {**aliases.origins, **certain}
    return replace(aliases, origins=origins, option_origins=options)


def outgoing_roster(roster: Roster) -> OutgoingRoster:
    """Return a roster with its system and army, ready to be written for another tool."""
    system, army = registry.load_ruleset(roster)
    if is_own(roster.army):
        aliases = _with_origins(Aliases(), registry.own_list(roster.army).file)
    else:
        aliases = _aliases(
            registry.find_collection_key(roster.system, roster.army), roster.army
        )
    return OutgoingRoster(roster, system, army, aliases)


def learned_files(user_id: int) -> Iterator[DataFile]:
    """Yield what is remembered of somebody's imports; nothing where nothing is."""
    names = LearnedName.objects.filter(person=user_id)
    rows: Any = list(names.values("army", "profile", "name", "key", "at"))
    if rows:
        yield "names-of-other-apps", rows
