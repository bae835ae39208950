"""The files of a collection of army lists: collection.yaml, common.yaml, armies/*.yaml and
magic-items/*.yaml.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.types import lists
from engine.types.lists import (
    OWN_COLUMNS_MAX,
    OWN_ITEMS_MAX,
    OWN_MAGIC_MAX,
    OWN_UNITS_MAX,
    STARTING_EXPERIENCE_MOST,
    UPKEEP_MOST,
)
from rulesdata.schema.base import (
    Count,
    Figure,
    FiguresOnly,
    Key,
    Marked,
    Name,
    NamedRecord,
    NonEmpty,
    Number,
    PairRecord,
    Points,
    PrintedFigure,
    Save,
    Sentence,
    StatKey,
    StrictModel,
    refers_to,
)
from rulesdata.schema.equipment import (
    MOUNT,
    ArmourRecord,
    Category,
    Flag,
    Item,
    OptionRecord,
    Origin,
    Origins,
    ProfileLine,
    Rarity,
    SourceKey,
    StatLineRecord,
    TroopType,
    UnitPriceBeside,
    WeaponRecord,
    price_terms,
)
from rulesdata.schema.list_terms import UNIT_EQUIPMENT_MAX, ListBasics, UnitEquipment


class ChampionRecord(StrictModel):
    """The champion of a regiment.

    ``changes`` repeats where its line differs: [rank and file, champion].
    """

    engine_class = lists.Champion
    name: Name
    points: Points
    profile: StatLineRecord | None = None
    changes: dict[str, list[Figure]] = {}
    source: SourceKey | None = None
    options: list[OptionRecord] = []
    always_present: Marked = None

    def build(self, **others: Any) -> Any:
        """Make the champion; of a group of its options only one is taken, as its list prints."""
        options = (
            option.build(
                is_champions=True, is_exclusive=option.exclusive or bool(option.group)
            )
            for option in self.options
        )
        stats = self.profile.stats if self.profile else None
        return super().build(stats=stats, options=tuple(options), **others)


class CommandRecord(StrictModel):
    musician: Points | None = None
    standard_bearer: Points | None = None


class UnitSize(PairRecord):
    min: Count | None = None
    max: Count | None = None


class CategoryWhen(PairRecord):
    category: Category
    when: NonEmpty[Name]


class ProfileWhen(StrictModel):
    when: Name
    stat: StatKey
    value: Number


class FiguresRecord(FiguresOnly):
    armour_save: Save | None = None
    natural_armour: Save | None = None
    ward_save: Save | None = None
    magic_resistance: Annotated[int, Field(ge=1, le=3)] | None = None
    unit_strength: Count | None = None
    impact_hits: PrintedFigure | None = None


class Correction(StrictModel):
    """A figure that was changed: where, what it was, what it is now, and why."""

    where: Name
    field: Name
    was: int | Name | None
    now: int | Name | None
    why: Sentence

    def build(self, **others: Any) -> Any:
        now, was = (
            "a dash" if figure is None else figure for figure in (self.now, self.was)
        )
        return f"{self.where}, {self.field.replace('_', ' ')}: {now}, was {was}. {self.why}"


class HireRecord(StrictModel):
    """What a hired sword costs after each battle of a campaign."""

    upkeep: Annotated[int, Field(ge=0, le=UPKEEP_MOST)] = 0


ArmyKey = Annotated[Key, refers_to("army of this collection", "armies")]
Race = Annotated[Key, refers_to("race of maxima.yaml", "races", is_listed=True)]
SkillList = Annotated[Key, refers_to("skill list of skills.yaml", "skill_lists")]
# How many special rules of a unit may be described.
RULE_TEXTS_MAX = 40


class UnitRecord(NamedRecord):
    """One kind of model of an army list. ``points`` buys one entry of ``miniatures`` figures.

    ``description`` and ``rule_texts``, by the name of a special rule, are a club's own words.
    ``unique``: a list has at most one. ``leader``: it leads unless another is chosen. ``hired_by``:
    no other army may hire it. ``rarity``, ``hired``, ``starting_experience``, ``race``,
    ``skill_lists``, ``gains_experience`` and ``promotable`` count in campaigns.
    """

    engine_class = lists.Profile
    model_name: Name | None = None
    category: Category
    troop_type: TroopType
    faction: Literal["mortal", "beast", "daemon"] | None = None
    special_character: Marked = None
    unique: Marked = None
    leader: Marked = None
    regiment_of_renown: Marked = None
    hired_as: Category | None = None
    upgrade_of: list[Key] = []
    offered: Literal[False] | None = None
    not_offered_because: Sentence | None = None
    points: Points
    points_printed: Points | None = None
    points_basis: Name
    points_include: Points | None = None
    points_if: Annotated[list[UnitPriceBeside], Field(max_length=20)] = []
    second: Points | None = None
    miniatures: Count | None = None
    prices: dict[Category, Points | list[Points]] = {}
    mount_prices: dict[Category, Points] = {}
    unit_size: UnitSize | None = None
    army_max: Count | None = None
    army_max_depends: Marked = None
    requires_army: list[Name] = []
    requires_big_game: Marked = None
    hidden_in_source: Marked = None
    category_when: list[CategoryWhen] = []
    profiles: list[ProfileLine]
    profile_source: Annotated[str, Field(pattern=r"^second$|^first/[a-z-]+$")] | None = None
    profile_when: list[ProfileWhen] = []
    champion: ChampionRecord | None = None
    command: CommandRecord | None = None
    wizard: Marked = None
    wizard_level: Annotated[int, Field(ge=0, le=4)] | None = None
    lores: list[Name] = []
    magic_allowance: Points | None = None
    must_ride: Marked = None
    barded: Marked = None
    default_equipment: list[Item]
    equipment_source: Annotated[
        str, Field(pattern=r"^(first|second|rule|hand|none)(\+(first|second|rule|hand))*$")
    ]
    armour_save_stated: Annotated[int, Field(ge=1, le=6)] | None = None
    default_upgrades: list[Name] = []
    options: list[OptionRecord]
    equipment: Annotated[list[UnitEquipment], Field(max_length=UNIT_EQUIPMENT_MAX)] = []
    flags: list[Annotated[Flag, refers_to("flag", "flags")]]
    figures: FiguresRecord | None = None
    special_rules: list[Name]
    mount_rules: list[Name] = []
    incomplete: list[Sentence] = []
    doubts: list[Sentence] = []
    corrected: list[Correction] = []
    description: Sentence | None = None
    rule_texts: Annotated[dict[Name, Sentence], Field(max_length=RULE_TEXTS_MAX)] = {}
    rarity: Rarity | None = None
    hired: HireRecord | None = None
    hired_by: list[ArmyKey] = []
    race: Race | None = None
    skill_lists: list[SkillList] = []
    gains_experience: Literal[False] | None = None
    promotable: Literal[False] | None = None
    starting_experience: Annotated[int, Field(ge=1, le=STARTING_EXPERIENCE_MOST)] | None = (
        None
    )
    origins: Origins = []

    def build(self, **others: Any) -> Any:
        """Make the profile; ``others`` are what it has of its list."""
        command, hired = self.command, self.hired
        return super().build(
            base_terms=price_terms(self.points_if, self.second),
            musician_points=command.musician if command else None,
            standard_bearer_points=command.standard_bearer if command else None,
            joining=self.to_engine(
                lists.JoiningTerms,
                experience=self.starting_experience or 0,
                upkeep=hired.upkeep if hired else None,
            ),
            **others,
        )


class ArmyFile(ListBasics):
    """armies/<army>.yaml: an army list."""

    army: Key
    name: Name
    edition: int
    army_rules: list[Name]
    units: NonEmpty[UnitRecord]


class MagicItemRecord(NamedRecord):
    engine_class = lists.MagicItem
    type: Key
    points: Annotated[int, Field(ge=1, le=1_000)]
    one_per_army: Marked = None


class MagicItemsFile(StrictModel):
    """magic-items/<army>.yaml: name, type and price of an army's magic items."""

    army: Key
    items: list[MagicItemRecord]


class SourceRecord(NamedRecord):
    note: Sentence


class Totals(StrictModel):
    """What the files of one army must add up to."""

    units: int
    mounts: int
    profiles: int
    options: int
    magic_items: int
    unit_points: int
    mount_points: int
    option_points: int
    champion_points: int
    command_points: int
    magic_item_points: int
    list_options: int = 0
    list_option_points: int = 0


class StatColumnRecord(StrictModel):
    """A column of the stat lines, in printed order."""

    engine_class = lists.Stat
    id: StatKey
    name: Name


class FrameRecord(StrictModel):
    """Columns that a club's list has in place of its collection's, and which say what.

    ``leadership_stat`` and ``strength_stat`` are left out where no column is theirs.
    """

    stats: Annotated[
        list[StatColumnRecord], Field(min_length=1, max_length=OWN_COLUMNS_MAX)
    ]
    leadership_stat: StatKey | None = None
    strength_stat: StatKey | None = None


class CategoryRecord(StrictModel):
    """A heading of the army lists.

    ``character``: whoever stands under it may lead, and stands alone beside units. ``flags``: every
    unit under it has them. ``alike``: a group of them buys the same for each of its models.
    """

    engine_class = lists.Category
    id: Annotated[Key, Field(max_length=20)]
    name: Name
    plural: Name | None = None
    character: Marked = None
    alike: Marked = None
    flags: list[Flag] = []

    def build(self, **others: Any) -> Any:
        return super().build(plural=self.plural or self.name)


class SourceCatalogue(StrictModel):
    """A file of another list builder that a list was made of; the file itself is not kept."""

    id: Origin
    name: Name
    revision: Annotated[str, Field(max_length=20)] = ""
    game_system: Annotated[str, Field(max_length=120)] = ""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    read_on: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]


# The columns of the classic lists. A collection that says nothing of its own has these.
CLASSIC_STATS = tuple(
    StatColumnRecord(id=key, name=name)
    for key, name in (
        ("M", "Movement"), ("WS", "Weapon Skill"), ("BS", "Ballistic Skill"), ("S", "Strength"), ("T", "Toughness"),
        ("W", "Wounds"), ("I", "Initiative"), ("A", "Attacks"), ("Ld", "Leadership"),
    )
)  # fmt: skip
CLASSIC_CATEGORIES = (
    CategoryRecord(id="lord", name="Lord", plural="Lords", character=True),
    CategoryRecord(id="hero", name="Hero", plural="Heroes", character=True),
    CategoryRecord(id="core", name="Core"),
    CategoryRecord(id="special", name="Special"),
    CategoryRecord(id="rare", name="Rare"),
    CategoryRecord(id=MOUNT, name="Mount", plural="Mounts"),
)


class CollectionFile(NamedRecord):
    """collection.yaml: the collection, its sources, its armies and their totals.

    Without ``stats`` its lines are M WS BS S T W I A Ld, without ``categories`` lords, heroes,
    core, special and rare. ``note`` is told wherever its lists are shown: whose they are, where
    they are not from a book. ``defence_stat`` is the figure that armour betters, ``value_stats``
    those of its armour values: front, side and rear.
    """

    engine_class = lists.Army
    summary: Sentence
    note: Sentence | None = None
    edition: int
    stats: NonEmpty[StatColumnRecord] = list(CLASSIC_STATS)
    leadership_stat: StatKey | None = "Ld"
    strength_stat: StatKey | None = "S"
    defence_stat: StatKey | None = None
    value_stats: list[StatKey] = []
    categories: NonEmpty[CategoryRecord] = list(CLASSIC_CATEGORIES)
    sources: list[SourceRecord]
    armies: NonEmpty[Key]
    totals: dict[str, Totals]


# The limits of a club's list. All of it is read again and checked at every change.
OWN_CATEGORIES_MAX = 30
OWN_SOURCES_MAX = 60


class OwnListFile(ListBasics):
    """A club's own list.

    The file of an army (armies/<army>.yaml) is one too, of an army that lies over none.

    ``collection`` and ``base`` say whose stat lines it has and which army it lies over; records of
    the same ``id`` take the place of the army's. Its weapons, armour and magic items are its own,
    its ``categories`` stand after the collection's. The source ``first`` is the club. A list beside
    its collection may have stat lines of its own: its ``frame``.
    """

    army: Key
    name: Name
    collection: Key | None = None
    base: Key | None = None
    frame: FrameRecord | None = None
    edition: int
    army_rules: Annotated[list[Name], Field(max_length=100)] = []
    note: Sentence | None = None
    categories: Annotated[list[CategoryRecord], Field(max_length=OWN_CATEGORIES_MAX)] = []
    catalogues: Annotated[list[SourceCatalogue], Field(max_length=OWN_SOURCES_MAX)] = []
    weapons: Annotated[list[WeaponRecord], Field(max_length=OWN_ITEMS_MAX)] = []
    armour: Annotated[list[ArmourRecord], Field(max_length=OWN_ITEMS_MAX)] = []
    magic_items: Annotated[list[MagicItemRecord], Field(max_length=OWN_MAGIC_MAX)] = []
    units: Annotated[list[UnitRecord], Field(max_length=OWN_UNITS_MAX)] = []


OptionNames = Annotated[dict[Name, Key | Literal[""]], Field(max_length=500)]


class AliasesFile(StrictModel):
    """aliases/<army>.yaml: what lists of other tools and players call an army and its units.

    ``known_as`` are names of the army, "owb:<id>" its id in Old World Builder. ``catalogues`` are
    ids of catalogues, ``origins`` of their units. ``names`` and ``options`` are by name; an option
    "" is carried anyway.
    """

    army: Key
    known_as: Annotated[list[Name], Field(max_length=50)] = []
    catalogues: Annotated[list[Name], Field(max_length=50)] = []
    origins: Annotated[dict[Name, Key], Field(max_length=1000)] = {}
    names: Annotated[dict[Name, Key], Field(max_length=500)] = {}
    options: OptionNames = {}


def unit_names(units: Iterable[UnitRecord]) -> dict[str, tuple[str, str]]:
    """Return by key the names of units and of their models, without mounts."""
    return {
        unit.id: (unit.name, unit.model_name or "")
        for unit in units
        if unit.category != MOUNT
    }
