"""What a table pack holds, whether its battle is set up already or only to be played.

No drawing here.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from battles.keys import spell_key
from battles.queries.records import BattleRecord
from engine.battles.rules import BattleRules
from engine.records import Texts, copy_fields, frozen_dataclass
from engine.types.systems import Scenario
from warbands.sheet.structure import RosterSheet

BY_CODE = "Scan the code to report the result for both players"
CONFIRMED = "Your opponent will confirm it."


@frozen_dataclass
class PackSide:
    """A side on paper, with its ``player`` where one is known.

    ``size`` None is not known before it is fielded; without a ``sheet`` none is printed.
    """

    name: str
    size: int | None
    sheet: RosterSheet | None = None
    player: str = ""

    @property
    def title(self) -> str:
        """The player and what the side is called."""
        both = (self.player, self.name)
        return self.name if self.player in ("", self.name) else ", ".join(both)

    @property
    def called(self) -> str:
        """The player, or the side of somebody without a name."""
        return self.player or self.name


@frozen_dataclass
class TablePack:
    """A table's papers.

    ``place`` says where and when, ``table`` which table, both "" for a battle of its own;
    ``agreed`` are sentences.

    ``endings`` are the ways to win, to tick one. ``code`` is the address in the code of the slip,
    "" for none; ``foot`` says what to do with the slip.
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
    table: str = ""
    endings: Texts = ()

    @property
    def sheets(self) -> tuple[RosterSheet, ...]:
        """The sheet of each side that has one, with its player, opponent, table and scenario."""
        return tuple(
            replace(
                side.sheet,
                owner=side.player or side.sheet.owner,
                opponent=" and ".join(o.called for o in self.sides if o is not side),
                table=self.table,
                scenario=self.scenario_name or side.sheet.scenario,
            )
            for side in self.sides
            if side.sheet is not None
        )


def ways_to_win(rules: BattleRules) -> Texts:
    """How a battle is won, in the words of its rules."""
    return tuple(one.name for one in rules.endings.values() if one.has_winner)


def battle_pack(
    record: BattleRecord,
    sheets: Mapping[str, RosterSheet],
    *,
    join_url: str = "",
    place: str = "",
    table: str = "",
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
        table=table,
        scenario=record.scenario_record,
        agreed=tuple(line for line in agreed if line),
        day=record.fought_date,
        sides=tuple(
            PackSide(side.name, side.size, sheets.get(side.key), side.owner_name)
            for side in record.sides
        ),
        has_rout=record.rules.rout is not None,
        endings=ways_to_win(record.rules),
        code=join_url,
        foot=f"{BY_CODE}, or enter the battle code {spell_key(record.key)}. {CONFIRMED}"
        if join_url
        else CONFIRMED,
    )
