"""What a club has written itself: its lists, one list, the file of it, and who may muster from
which.
"""

from collections.abc import Mapping

from django.db.models import Count, Exists, OuterRef, Q

from accounts.access import clubs_joined_by, clubs_organised_by
from accounts.errors import NotAllowed
from accounts.owner import Owner
from engine.records import Fields, frozen_dataclass
from engine.types.lists import Army, Profile
from engine.types.systems import System
from rulesdata import access, registry
from rulesdata.models import Army as ArmyRow
from rulesdata.models import ClubLevels, Scenario, ScenarioVisibility, SentCatalogue
from rulesdata.own_lists import OwnList, dump, is_own
from rulesdata.pack_files.yaml_files import yaml_text
from rulesdata.queries.lookup import (
    NotInRuleBook,
    all_systems,
    find_book,
    find_own_list,
    list_guidelines,
)
from rulesdata.queries.tables import armour_line, weapon_line

# The choice of a list in a form; nobody finds one among more.
CHOICES_MAX = 200
NOT_THEIRS = "Only organisers of the club can change its lists."


@frozen_dataclass
class ClubHead:
    """A club as its members see it, and whether this reader runs it."""

    id: int
    name: str
    slug: str
    may_write: bool


@frozen_dataclass
class ListChoice:
    """A club's list as somebody may choose it for a warband."""

    token: str
    name: str
    club: str
    base: str
    default_limit: int | None = None


def load_club(actor: Owner, slug: str) -> ClubHead:
    """The club, for its members. One query. Raises NotInRuleBook for everybody else."""
    # One query says both, that the reader is a member and whether they run the club.
    runs = Exists(clubs_organised_by(actor).filter(pk=OuterRef("pk")))
    row = clubs_joined_by(actor).filter(slug=slug).annotate(may_write=runs).first()
    if row is None:
        raise NotInRuleBook("There is no such club, or you are not in it.")
    return ClubHead(row.pk, row.name, row.slug, bool(row.may_write))


def load_club_to_write(actor: Owner, slug: str) -> ClubHead:
    """The club, for those who run it.

    Raises NotAllowed for its other members, NotInRuleBook for everybody else.
    """
    club = load_club(actor, slug)
    refuse_readers(club)
    return club


def refuse_readers(club: ClubHead) -> None:
    """Raise NotAllowed for members who do not run the club."""
    if not club.may_write:
        raise NotAllowed(NOT_THEIRS)


def load_content(actor: Owner, slug: str) -> Fields:
    """What a club has written, for its members: its lists, scenarios that members share with it,
    and how many levels it has set by system. Four queries. Raises NotInRuleBook.
    """
    club = load_club(actor, slug)
    cards = list_cards(club.id)
    scenarios = Scenario.objects.filter(
        club_id=club.id, visibility=ScenarioVisibility.CLUB, retired_at=None
    ).order_by("name", "pk")
    rows = ClubLevels.objects.filter(club_id=club.id)
    levels = dict(rows.values_list("system__key", "levels"))
    return {
        "club": club,
        "lists": [card for card in cards if not card["is_retired"]],
        "retired": [card for card in cards if card["is_retired"]],
        "scenarios": list(
            scenarios.values_list("system__key", "key", "name")[:CHOICES_MAX]
        ),
        "levels": [
            (system.key, system.name, len(levels.get(system.key, ())))
            for system in all_systems()
        ],
    }


def list_cards(club_id: int) -> tuple[Fields, ...]:
    """The lists of a club by name, the archived too. One query; who asks must be a member."""

    def count(part: str) -> Count:
        # distinct, since the three joins multiply each other's rows.
        return Count(part, filter=Q((f"{part}__retired_at", None)), distinct=True)

    rows = ArmyRow.objects.filter(club_id=club_id, token__isnull=False)
    counted = rows.select_related("collection").annotate(
        profile_count=count("profiles"), gear_count=count("weapons") + count("armour")
    )
    return tuple(
        {
            "token": row.token,
            "name": row.name,
            "stands_on": stands_on(row.collection.key, row.base),
            "systems": [system.name for system in systems_fielding(row.collection.key)],
            "profiles": row.profile_count,
            "gear": row.gear_count,
            "is_retired": row.retired_at is not None,
            "changed_at": row.changed_at,
        }
        for row in counted.order_by("name", "id")
    )


def stands_on(collection: str, base: str) -> str:
    """What a list lies over, in words."""
    try:
        shelf = registry.find_printed_lists(collection, base)
    except registry.UnknownKey:
        return base or collection
    return (
        f"Based on {shelf.army.name}"
        if shelf.army
        else f"New list, in {shelf.collection.name}"
    )


def systems_fielding(collection: str) -> tuple[System, ...]:
    """The systems that field a collection, in order, those of several texts once."""
    return tuple(system for system in all_systems() if collection in system.collections)


def load_own(actor: Owner, token: str) -> OwnList:
    """A list, for the members of its club. Two queries. Raises NotInRuleBook for everybody else."""
    if not ArmyRow.objects.filter(access.lists_read_by(actor), token=token).exists():
        raise NotInRuleBook("There is no such army list, or it is not your club's.")
    return find_own_list(token)


def _archived_records(own_list: OwnList) -> list[tuple[str, str, str]]:
    """The part, key and name of each record that the list offers no more."""
    return [
        (part, record.id, record.name)
        for part in ("units", "weapons", "armour")
        for record in getattr(own_list.archived, part)
    ]


def load_list(actor: Owner, slug: str, token: str) -> Fields:
    """The page of one list, under the first system that fields it. Raises NotInRuleBook.

    ``units`` are those it writes, each with its category and the army's own that it corrects.
    """
    club, own_list = load_club_list(actor, slug, token)
    system, army, printed = read_own(own_list)
    names = {category.key: category.name for category in army.categories}
    units = filter(None, (army.ridden(unit.id) for unit in own_list.file.units))
    written = {unit.id for unit in own_list.file.units}
    # Only who may write may read the report of a list that was made from catalogues.
    may_have_report = club.may_write and own_list.file.catalogues
    reports = SentCatalogue.objects.filter(army__token=token, taken_at__isnull=False)
    return {
        "club": club,
        "own": own_list,
        "system": system,
        "army": army,
        "stands_on": stands_on(own_list.collection, own_list.base),
        "systems": systems_fielding(own_list.collection),
        "units": [(u, names.get(u.category, ""), printed.get(u.key)) for u in units],
        "archived": _archived_records(own_list),
        "weapons": [
            weapon_line(army.weapons[record.id]) for record in own_list.file.weapons
        ],
        "armour": [armour_line(army.armour[record.id]) for record in own_list.file.armour],
        "printed": [(k, unit.name) for k, unit in printed.items() if k not in written],
        "has_report": bool(may_have_report) and reports.exists(),
    }


def load_list_to_write(actor: Owner, slug: str, token: str) -> tuple[ClubHead, OwnList]:
    """One list, for those who run its club.

    Raises NotAllowed for its other members, else NotInRuleBook.
    """
    club, own_list = load_club_list(actor, slug, token)
    refuse_readers(club)
    return club, own_list


def load_place_to_write(
    actor: Owner, slug: str, token: str
) -> tuple[ClubHead, OwnList | None]:
    """The club and its list of that token, None for a new one. Raises as load_list_to_write."""
    if token:
        return load_list_to_write(actor, slug, token)
    return load_club_to_write(actor, slug), None


def load_club_list(actor: Owner, slug: str, token: str) -> tuple[ClubHead, OwnList]:
    """A club and one of its lists, for its members.

    Raises NotInRuleBook, also for another club's list.
    """
    club = load_club(actor, slug)
    own_list = load_own(actor, token)
    if own_list.club_id != club.id:
        raise NotInRuleBook("There is no such army list, or it is not your club's.")
    return club, own_list


def read_own(own_list: OwnList) -> tuple[System, Army, Mapping[str, Profile]]:
    """The system a list is shown under, its army there, and the records of the army it lies over by
    key.
    """
    system = next(
        (s for s in registry.rulesets() if own_list.collection in s.collections), None
    )
    if system is None:
        raise NotInRuleBook(
            f"No rule system fields the collection '{own_list.collection[:60]}'."
        )
    army = registry.load_army(system.key, own_list.token, system.variant)
    base = (
        registry.load_army(system.key, own_list.base, system.variant)
        if own_list.base
        else None
    )
    printed = {**base.profiles, **base.mounts} if base else {}
    return system.with_list_columns(army), army, printed


def load_file(actor: Owner, slug: str, token: str) -> tuple[str, str]:
    """The name and the text of a list's file, as an upload takes it; what was put away stays out.

    Raises NotInRuleBook.
    """
    _, own_list = load_club_list(actor, slug, token)
    return f"{own_list.file.army}.yaml", yaml_text(
        {k: value for k, value in dump(own_list.file).items() if value is not None}
    )


def list_choices(actor: Owner, system_key: str) -> tuple[ListChoice, ...]:
    """The lists this person may muster from under a system, by club and name.

    One query, none for visitors.
    """
    if not actor.is_person:
        return ()
    collections = registry.load_base(system_key).collections
    rows = ArmyRow.objects.filter(
        access.lists_read_by(actor), retired_at=None, collection__key__in=collections
    )
    values = rows.order_by("club__name", "name", "id").values_list(
        "token", "name", "club__name", "base", "data__default_limit"
    )
    return tuple(ListChoice(str(token), *others) for token, *others in values[:CHOICES_MAX])


def may_muster_from(actor: Owner, system_key: str, army_key: str) -> bool:
    """Whether this actor may give a warband this army: one of the system's, or a list of a club of
    theirs.
    """
    if not is_own(army_key):
        return army_key in registry.list_army_keys(system_key)
    return any(choice.token == army_key for choice in list_choices(actor, system_key))


def load_levels(actor: Owner, slug: str, system_key: str) -> Fields:
    """The guidelines of a system with the level a club gives each: (code, title, the system's
    level, the club's). Raises NotInRuleBook.
    """
    club = load_club(actor, slug)
    system = find_book(system_key)
    rows = ClubLevels.objects.filter(club_id=club.id, system__key=system_key)
    # Code to level, only what differs.
    changed = rows.values_list("levels", flat=True).first() or {}
    lines = [
        (g.code, g.title or g.code, g.level, changed.get(g.code, g.level))
        for g in list_guidelines(system)
    ]
    return {"club": club, "system": system, "lines": lines}
