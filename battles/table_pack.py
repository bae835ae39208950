"""What a table pack holds, whether its battle is set up already or only to be played.

No drawing here.
"""

from collections.abc import Mapping
from datetime import date

from battles.keys import spell_key
from battles.queries.records import BattleRecord
from engine.records import Texts, copy_fields, frozen_dataclass
from engine.types.systems import Scenario
from warbands.sheet.structure import RosterSheet

BY_CODE = "Enter the result for both sides at the address in the code"
CONFIRMED = "Your opponent will confirm it."


@frozen_dataclass
class PackSide:
    """A side on paper.

    ``size`` None is not known before it is fielded; without a ``sheet`` none is printed.
    """

    name: str
    size: int | None
    sheet: RosterSheet | None = None


@frozen_dataclass
class TablePack:
    """A table's papers.

    ``place`` says which table, "" for a battle of its own; ``agreed`` are sentences.

    ``code`` is the address in the code of the slip, "" for none; ``foot`` says what to do with the
    slip.
    """

    title: str
    place: str
    system_name: str
    scenario_name: str
    scenario: Scenario | None
    agreed: Texts
    day: date | None
    sides: tuple[PackSide, ...]
    has_rout: bool
    code: str = ""
    foot: str = CONFIRMED


def battle_pack(
    record: BattleRecord,
    sheets: Mapping[str, RosterSheet],
    *,
    join_url: str = "",
    place: str = "",
) -> TablePack:
    """The papers of a battle.

    ``join_url`` is what the slip's code leads to, "" for those who may not record.
    """
    agreed = (
        f"{record.side_name(record.attacker)} attacks." if record.attacker else "",
        f"{record.side_name(record.first)} goes first." if record.first else "",
        f"House rules: {', '.join(record.house_rule_names)}."
        if record.house_rule_names
        else "",
        *(f"{one.sentence}" for one in record.played_rulings),
    )
    return copy_fields(
        TablePack,
        record,
        place=place,
        scenario=record.scenario_record,
        agreed=tuple(line for line in agreed if line),
        day=record.fought_date,
        sides=tuple(
            PackSide(side.name, side.size, sheets.get(side.key)) for side in record.sides
        ),
        has_rout=record.rules.rout is not None,
        code=join_url,
        foot=f"{BY_CODE}, or type {spell_key(record.key)}. {CONFIRMED}"
        if join_url
        else CONFIRMED,
    )
