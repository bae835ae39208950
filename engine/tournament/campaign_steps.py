"""What a campaign does after a battle, as data: a fate for those out of action, pay by result,
recruits.

All of it is a club's own agreement: no rule book is quoted, and a campaign without steps has none.
``read_steps`` is the schema: what it returns is whole, so that a roll always finds its row.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from engine.errors import Refusal
from engine.growth.tables import rolls_of
from engine.records import JsonObject, NamedValues, frozen_dataclass, is_int_within

NAME_MAX = 80
ROWS_MAX = 36
AMOUNT_MAX = 1000
RECRUITS_MAX = 10
UNIT_MAX = 20
JOINERS = "\u200c\u200d"
"""Signs without width that emoji and several scripts need."""
FATE, PAY, RECRUITS = "fate", "pay", "recruits"
KINDS = (FATE, PAY, RECRUITS)
RESULTS = ("won", "drawn", "lost")
_DICE = re.compile(r"([1-3]?)D(3|6|10|20)|D(66)", re.IGNORECASE)


@frozen_dataclass
class FateRow:
    """What befalls somebody whose roll lies from ``least`` to ``most``.

    ``is_gone``: they leave the campaign.
    """

    least: int
    most: int
    name: str
    is_gone: bool = False


@frozen_dataclass
class Fate:
    """The roll for everybody who was put out of action.

    The rows hold every roll of the ``dice`` exactly once.
    """

    dice: str
    rows: tuple[FateRow, ...]

    def row(self, roll: int) -> FateRow:
        """What a roll means. Raises Refusal for one the dice cannot come to."""
        every = rolls_of(self.dice)
        if roll not in every:
            told = f"{self.dice} gives {every[0]} to {every[-1]}, not {roll}."
            raise Refusal(told, field="roll")
        return next(row for row in self.rows if row.least <= roll <= row.most)


@frozen_dataclass
class Earnings:
    """What each result earns, in a ``unit`` of the campaign's own."""

    unit: str
    won: int
    drawn: int
    lost: int

    def of(self, result: str) -> int:
        """What a result earns: won, drawn or lost."""
        return int(getattr(self, result))


@frozen_dataclass
class Steps:
    """The steps of a campaign. None, or no recruits, leaves one out."""

    fate: Fate | None = None
    pay: Earnings | None = None
    recruits: int = 0

    def __bool__(self) -> bool:
        return bool(self.fate or self.pay or self.recruits)


EXAMPLE: NamedValues = {
    FATE: {
        "dice": "D6",
        "rows": [
            {"least": 1, "most": 1, "name": "Dead or retired", "is_gone": True},
            {"least": 2, "most": 3, "name": "Misses the next battle", "is_gone": False},
            {"least": 4, "most": 6, "name": "Full recovery", "is_gone": False},
        ],
    },
    PAY: {"unit": "gold", "won": 20, "drawn": 15, "lost": 10},
    RECRUITS: {"most": 1},
}
"""Something to start from, made up here."""


def read_steps(data: object) -> Steps:
    """The steps that an event keeps.

    Raises Refusal naming the step, the row and what is wrong with it.
    """
    told = _object(data, "The after-battle rules", KINDS)
    return Steps(
        fate=_fate(told[FATE]) if FATE in told else None,
        pay=_pay(told[PAY]) if PAY in told else None,
        recruits=_recruits(told[RECRUITS]) if RECRUITS in told else 0,
    )


def to_json(steps: Steps) -> JsonObject:
    """The steps as an event keeps them; ``read_steps`` of it gives them back."""
    kept: JsonObject = {}
    if steps.fate:
        rows = [asdict(row) for row in steps.fate.rows]
        kept[FATE] = {"dice": steps.fate.dice, "rows": rows}
    if steps.pay:
        kept[PAY] = asdict(steps.pay)
    if steps.recruits:
        kept[RECRUITS] = {"most": steps.recruits}
    return kept


def _fate(data: object) -> Fate:
    told = _object(data, "The injury table", ("dice", "rows"))
    written = _text(told.get("dice"), "The dice of the injury table", 4).upper()
    found = _DICE.fullmatch(written)
    if not found:
        raise _fault("The dice of the injury table must be D6, 2D6, D10, D66 or similar.")
    rows = told.get("rows")
    if not isinstance(rows, list | tuple) or not 1 <= len(rows) <= ROWS_MAX:
        raise _fault(f"The injury table needs 1 to {ROWS_MAX} rows.")
    fate = Fate(
        "D66" if found[3] else f"{found[1] if found[1] != '1' else ''}D{found[2]}",
        tuple(map(_row, rows)),
    )
    _check_whole(fate)
    return fate


def _row(data: object) -> FateRow:
    told = _object(data, "A row of the injury table", ("least", "most", "name", "is_gone"))
    name = _text(told.get("name"), "The name of a row of the injury table", NAME_MAX)
    least, most = (
        _whole(told.get(key), f"The roll of “{name}”", 1, 66) for key in ("least", "most")
    )
    is_gone = told.get("is_gone", False)
    if not isinstance(is_gone, bool):
        raise _fault(f"“{name}”: is_gone must be true or false.")
    if least > most:
        raise _fault(f"“{name}”: the roll must rise, not go from {least} to {most}.")
    return FateRow(least, most, name, is_gone)


def _check_whole(fate: Fate) -> None:
    """Every roll of the dice has one row, and every row a roll."""
    every = rolls_of(fate.dice)
    met: Counter[int] = Counter()
    for row in fate.rows:
        if row.least not in every or row.most not in every:
            raise _fault(f"“{row.name}”: {fate.dice} gives {every[0]} to {every[-1]}.")
        met.update(roll for roll in every if row.least <= roll <= row.most)
    # Gaps are told before doubles, and the lowest roll first.
    for roll in every:
        if not met[roll]:
            raise _fault(f"The injury table has no row for a roll of {roll}.")
    for roll in every:
        if met[roll] > 1:
            raise _fault(f"The injury table has two rows for a roll of {roll}.")


def _pay(data: object) -> Earnings:
    told = _object(data, "The income", ("unit", *RESULTS))
    unit = _text(told.get("unit"), "The currency", UNIT_MAX)
    won, drawn, lost = (
        _whole(told.get(key), f"The income for {key}", 0, AMOUNT_MAX) for key in RESULTS
    )
    return Earnings(unit, won, drawn, lost)


def _recruits(data: object) -> int:
    told = _object(data, "The recruits", ("most",))
    return _whole(told.get("most"), "The recruits after a battle", 1, RECRUITS_MAX)


def _fault(told: str) -> Refusal:
    return Refusal(told, field="steps")


def _object(data: object, what: str, known: Sequence[str]) -> NamedValues:
    if not isinstance(data, Mapping):
        raise _fault(f"{what} must be an object.")
    if strange := [str(key) for key in data if key not in known]:
        raise _fault(f"{what}: “{strange[0][:40]}” is not known; use {', '.join(known)}.")
    return data


def _text(value: object, what: str, most: int) -> str:
    line = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(line) <= most or not all(
        sign.isprintable() or sign in JOINERS for sign in line
    ):
        raise _fault(f"{what} must be a line of 1 to {most} characters.")
    return line


def _whole(value: object, what: str, low: int, high: int) -> int:
    if not is_int_within(value, low, high):
        raise _fault(f"{what} must be a whole number from {low} to {high}.")
    return value
