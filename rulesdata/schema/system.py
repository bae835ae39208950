"""The files of a rule system: system, charts, guidelines, house rules, rulings with their
alternatives, and coverage.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, create_model

from engine.findings.case import Parameter, ParameterType
from engine.records import Fields
from engine.roster import MAX_LIMIT
from engine.types import mechanics, systems
from rulesdata.schema.base import (
    Code,
    Count,
    Dice,
    FiguresOnly,
    Inches,
    Key,
    Marked,
    Name,
    NamedRecord,
    NonEmpty,
    PairRecord,
    PrintedRecord,
    Save,
    Sentence,
    Setting,
    State,
    StateKey,
    StatKey,
    StrictModel,
    refers_to,
)
from rulesdata.schema.list_terms import Level
from rulesdata.schema.lists import StatColumnRecord

Choice = Annotated[
    str, Field(pattern=r"^([A-Z][0-9]{2,3}(-[0-9]{2})?\.[1-9]|[a-z0-9_]+)$", max_length=60)
]
Target = Annotated[str, Field(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$", max_length=100)]
FileName = Annotated[str, Field(pattern=r"^[a-z_]+\.yaml$", max_length=40)]


class AlternativeRecord(StrictModel):
    """What is otherwise while a choice is played: ``C03.1`` is the first alternative of ruling C03,
    a word alone a house rule.

    ``words``: in the record of that id, or in the records of that list, a phrase and the one that
    takes its place. ``sets``: by file, what is laid over it: records of a list by their id, ``drop:
    true`` for one that goes, ``after`` for one that comes behind another, null for a value that
    goes, ``first`` and ``last`` for what comes to the ends of a list without ids. ``told``: what
    only people at the table can do, so that the rules in short say it.
    """

    id: Choice
    words: dict[Target, Annotated[dict[Sentence, Sentence], Field(min_length=1)]] = {}
    sets: dict[FileName, Fields] = {}
    told: Marked = None


class AlternativesFile(StrictModel):
    alternatives: list[AlternativeRecord]


# No page reads coverage.yaml: it is checked, and `manage.py rules_coverage` prints it.

Line = Annotated[int, Field(ge=1, le=9_999)]
Lines = Annotated[list[Line], Field(min_length=2, max_length=2)]
CoverageState = Literal["worked-out", "recorded", "told", "table", "missing"]
Where = Annotated[str, Field(pattern=r"^[\w./-]+(:[\w./–-]+)?$", max_length=120)]


class TextSectionRecord(StrictModel):
    """A heading of the text and the first and last lines of the paragraphs under it.

    ``no_rules`` says why a section rules nothing.
    """

    title: Name
    lines: NonEmpty[Lines]
    no_rules: Sentence | None = None


class CoverageRowRecord(StrictModel):
    """One rule of the text in our own words.

    ``where`` names code (``engine/dice.py:at_least``), a key of a pack file
    (``rulings.yaml:C59``) or a page (``page:odds-read``).
    """

    id: Key
    lines: Lines
    rule: Sentence
    state: CoverageState
    where: list[Where] = []
    reason: Sentence | None = None


class CoverageFile(StrictModel):
    """coverage.yaml; ``text`` is the title of the text."""

    text: Name
    sections: NonEmpty[TextSectionRecord]
    rows: NonEmpty[CoverageRowRecord]


Modifier = Annotated[int, Field(ge=-9, le=0)]
Ref = Annotated[str, Field(pattern=r"^[A-Z][0-9]{2,3}(-[0-9]{2})?$")]
Needs = Literal[
    "wizard", "shooter", "mounted", "flyer", "swarm", "poison", "killing-blow", "multi-wound", "big-model",
    "frenzy", "hatred", "stupidity", "parry", "fearless",
]  # fmt: skip
Troop = Key


VariantKey = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]{0,9}$")]


class VariantRecord(StrictModel):
    """One of several texts kept apart; its files lie in variants/<id>/ and overlay the common ones.

    ``default_reason``: it is the one to begin with, and why.
    """

    engine_class = systems.Variant
    id: VariantKey
    name: Name
    summary: Sentence
    default_reason: Sentence | None = None


class TagRecord(NamedRecord, PrintedRecord):
    """A word a warband may carry; it changes no figure."""

    engine_class = systems.Tag
    summary: Sentence | None = None


class PhaseRecord(NamedRecord, PrintedRecord):
    engine_class = mechanics.Phase
    summary: Sentence


class RoutRecord(StrictModel):
    """When a side tests to stay: at ``numerator``/``denominator`` of its models out."""

    engine_class = mechanics.Rout
    numerator: Count
    denominator: Count
    dice: Dice
    stat: StatKey
    source: Name


class FlightRecord(PairRecord):
    """Dice of flight up to a Move; without ``up_to`` for everybody faster."""

    up_to: Inches | None = None
    dice: Dice


class MovementRecord(StrictModel):
    engine_class = mechanics.Movement
    move_stat: StatKey
    run: Count
    charge: Count
    spotting_stat: StatKey | None = None
    flight: list[FlightRecord] = []
    mounted_flight: Dice | None = None
    run_name: Name = "Run"


class RegimentsRecord(StrictModel):
    """Entries of a roster are units in ranks of ``frontage``; below ``smallest`` one breaks."""

    engine_class = mechanics.Regiments
    frontage: Count
    most_rank_bonus: Annotated[int, Field(ge=0, le=9)]
    smallest: Count
    source: Name


class YardstickRecord(StrictModel):
    """The plain opponent that purchases are measured against, with its armour save (6 for 6+)."""

    engine_class = mechanics.Yardstick
    name: Name
    stats: Annotated[
        dict[StatKey, Annotated[int, Field(ge=-20, le=20)]], Field(min_length=1)
    ]
    save: Save | None = None


class SavesRecord(FiguresOnly):
    """How an armour save is put together; ``modifier_by_strength``: what Strengths take off."""

    no_save: Literal[7]
    best: Annotated[int, Field(ge=1, le=6)]
    natural_one_fails: bool
    mounted: Count
    thick_skinned: Count | None = None
    thick_skinned_rule: Name | None = None
    barding: Count | None = None
    mounts_that_give_nothing: list[Troop] = []
    modifier_by_strength: dict[
        Annotated[str, Field(pattern=r"^([1-9]|10)(–([1-9]|10))?$")], Modifier
    ]
    ruling: Ref
    source: Name


class WordsRecord(StrictModel):
    """What a system calls one entry of a roster, several of them, and those it has lost."""

    engine_class = systems.SystemWords
    entry: Name = "Warrior"
    entries: Name = "Warriors"
    lost: Name = "Out of action"


FurtherAttacks = Annotated[int, Field(ge=0, le=3)]


class SystemFile(NamedRecord):
    """system.yaml: names, stats, turn, movement, saves and the collections this system fields.

    Armies of further collections stand under ``other_armies``. ``two_weapon_attacks`` and
    ``two_handed_attacks``: further attacks of a weapon in each hand, and of a two-handed one.
    """

    engine_class = systems.System
    summary: Sentence
    source: Name
    base_game: Name | None = None
    stats: NonEmpty[StatColumnRecord]
    wounds_stat: StatKey | None = None
    leadership_stat: StatKey | None = None
    initiative_stat: StatKey | None = None
    leader: Name | None = "Leader"
    points_optional: bool = False
    unit_options_paid: Literal["once", "each"] = "each"
    two_weapon_attacks: FurtherAttacks = 0
    two_handed_attacks: FurtherAttacks = 0
    default_limit: Annotated[int, Field(ge=0, le=MAX_LIMIT)] | None
    collections: list[Key]
    other_armies: Sentence | None = None
    variants: list[VariantRecord] = []
    tags: list[TagRecord] = []
    position: Annotated[int, Field(ge=1, le=1000)] = 100
    marks: list[Name] = []
    phases: NonEmpty[PhaseRecord]
    rout: RoutRecord | None = None
    movement: MovementRecord | None = None
    saves: SavesRecord | None = None
    regiments: RegimentsRecord | None = None
    yardstick: YardstickRecord | None = None
    words: WordsRecord | None = None


class FamilyFile(NamedRecord):
    """Systems known by one name, the first offered first; ``texts`` say what they are."""

    summary: Sentence
    texts: list[Sentence]
    systems: Annotated[list[Key], Field(min_length=2)]


# Charts and tables name the heading of the text they are printed under.
class PrintedTable(NamedRecord, PrintedRecord):
    note: Sentence | None = None


class ChartRecord(PrintedTable):
    """Rows by columns, null for no success; ``borrowed_from``, ``ruling``: of another text."""

    engine_class = mechanics.Chart
    row_label: Name
    column_label: Name
    columns: NonEmpty[Name]
    rows: Annotated[
        dict[Name, list[Annotated[int, Field(ge=-20, le=20)] | None]], Field(min_length=1)
    ]
    borrowed_from: Name | None = None
    ruling: Annotated[Ref, refers_to("ruling", "rulings")] | None = None
    row_stat: Name | None = None
    column_stat: Name | None = None
    user: Literal["warrior", "shooter", "blow"] | None = None
    figures: Literal["score", "modifier", "number"] | None = None


class TableRowRecord(StrictModel):
    engine_class = mechanics.TableRow
    first: Count
    last: Count
    result: Key | StateKey
    name: Name
    note: Sentence | None = None


class TableRecord(PrintedTable):
    """A table rolled on; its rows cover the die without gap or overlap.

    ``results``: states or mere effects.
    """

    engine_class = mechanics.RollTable
    die: Dice
    results: Literal["states", "effects"] = "states"
    needs: Needs | None = None
    rows: NonEmpty[TableRowRecord]


class ChartsFile(StrictModel):
    charts: list[ChartRecord]
    tables: list[TableRecord] = []


# What a figure of a guideline may be, by the type that the engine gives the parameter.
_LIMITS: dict[ParameterType, Any] = {
    ParameterType.NUMBER: Annotated[int, Field(ge=0, le=100_000)],
    ParameterType.PART: Count,
    ParameterType.SWITCH: bool,
    ParameterType.KEYS: list[Key],
    ParameterType.STATS: list[StatKey],
    ParameterType.FLAGS: list[Annotated[str, Field(pattern=r"^[a-z_]+$")]],
    ParameterType.COMMAND: list[Literal["champion", "musician", "standard-bearer"]],
    ParameterType.NAMES: list[Name],
}
_PARAMETERS = {figure.key: (_LIMITS[figure.of_type] | None, None) for figure in Parameter}


class Parameters(create_model("Parameters", __base__=FiguresOnly, **_PARAMETERS)):  # type: ignore[misc]
    """The figures that kinds of guidelines take; the checks know which takes which."""


class GuidelineRecord(PrintedRecord):
    """One thing a roster is checked for: ``kind`` names the function, ``message`` its sentence with
    {fields}.
    """

    engine_class = mechanics.Guideline
    code: Code
    kind: Setting
    level: Level
    title: Name
    message: Sentence
    parameters: Parameters = Parameters()
    refs: list[Ref] = []
    strength: Literal["must", "should", "may", "ours"] = "ours"
    is_waivable: bool = True


class GuidelinesFile(StrictModel):
    guidelines: NonEmpty[GuidelineRecord]


class HouseRuleRecord(StrictModel):
    engine_class = mechanics.HouseRule
    id: Setting
    name: Name
    summary: Sentence
    source: Name
    default: bool


class HouseRulesFile(StrictModel):
    house_rules: list[HouseRuleRecord]


class RulingRecord(StrictModel):
    """How a contradiction or gap is settled; ``outside_texts`` marks what none of the texts says.

    An agreement is what was looked for and found not to differ. A second setting of one ref has
    ``-02`` behind it.

    ``values`` are what odds and dice take under ``key``: that of the default, then one for each
    alternative, null for an alternative that no die knows.
    """

    engine_class = mechanics.Ruling
    ref: Ref
    kind: Literal["contradiction", "gap", "agreement"]
    title: Sentence
    default: Sentence
    alternatives: list[Sentence] = []
    key: Setting | None = None
    values: list[Setting | bool | Annotated[int, Field(ge=0, le=100)] | None] = []
    outside_texts: Marked = None


class RulingsFile(StrictModel):
    rulings: list[RulingRecord]


class StateRecord(PrintedRecord):
    """A state of a combatant.

    ``ticked``: the sheet prints a box for it, where the roster ``needs`` one.
    """

    engine_class = mechanics.State
    id: StateKey
    name: Name
    summary: Sentence
    pose: Name | None = None
    ticked: Marked = None
    needs: Needs | None = None


class TransitionRecord(PrintedRecord):
    engine_class = mechanics.Transition
    before: NonEmpty[State]
    after: State
    by: Sentence


class StatesFile(StrictModel):
    states: list[StateRecord]
    transitions: list[TransitionRecord]


class NoteRecord(PrintedRecord):
    """A sentence for the rule book; ``quick`` ones are printed on the quick reference where the
    roster needs them. ``rules`` are the special rules of army lists that it tells, by name.
    """

    engine_class = mechanics.RuleNote
    id: Key
    section: Name
    title: Name
    text: Sentence
    needs: Needs | None = None
    quick: bool = True
    rules: list[Name] = []


class NotesFile(StrictModel):
    notes: list[NoteRecord]


class ScenarioSideRecord(StrictModel):
    """One side of a scenario: its points limit (null: as agreed) and what it does there.

    ``id`` names its part, where rules or waivers are for that side alone.
    """

    id: Key | None = None
    name: Name
    points: Annotated[int, Field(ge=0, le=100_000)] | None
    role: Sentence
    waives: list[Code] = []

    def build(self, **others: Any) -> Any:
        return self.model_dump(exclude_defaults=True)


class ScenarioRecord(NamedRecord):
    """A scenario. ``waives`` are codes of guidelines that it lowers to notes for every side.

    ``sets``: by file, states.yaml or battle.yaml, what is laid over it in a battle of it.
    """

    engine_class = systems.Scenario
    summary: Sentence
    sides: Annotated[list[ScenarioSideRecord], Field(min_length=1, max_length=8)]
    setup: Sentence
    objectives: Sentence
    special_rules: list[Sentence] = []
    length: Sentence
    waives: list[Code] = []
    sets: dict[Literal["states.yaml", "battle.yaml"], Fields] = {}
    source: Name


class ScenariosFile(StrictModel):
    """``borrowed_from`` is the system whose scenarios are played as well."""

    borrowed_from: Key | None = None
    scenarios: list[ScenarioRecord]


class CombatFile(RootModel[Fields]):
    """combat.yaml: what odds and dice are worked out with; the engine knows its shape."""
