"""Small campaigns of two warbands, red and blue, for one thing at a time."""

from typing import Any

from engine.growth.campaign_fold import fold
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    CampaignLog,
    FixtureResult,
    Founding,
    LogEntry,
    ModelPutOut,
    merged,
)
from engine.growth.state import CampaignState
from engine.growth.warriors import GrownWarrior, Joiner
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS, muster_document

DOCUMENT = muster_document()
LINE = [4, 3, 3, 3, 3, 1, 3, 1, 7]


def leader(**others: Any) -> Joiner:
    return joiner("w1", LINE, 40, category="hero", is_leader=True, **others)


def group(count: int = 3, **others: Any) -> Joiner:
    return joiner("w2", LINE, 6, category="core", count=count, **others)


def begin(*red: Joiner, change: dict[str, Any] | None = None) -> CampaignLog:
    """Two warbands, red with these and blue with a leader and a group."""
    rules = read_rules(merged(DOCUMENT, change or {}), STATS)
    foundings = [
        Founding("red", "the-empire", red or (leader(), group())),
        Founding("blue", "skaven", (leader(), group())),
    ]
    return CampaignLog(rules).with_entries(*foundings)


def result(fixture: str = "f1", winner: str = "", **others: Any) -> FixtureResult:
    fielded = others.pop("fielded", {"red": ("w1", "w2"), "blue": ("w1", "w2")})
    return FixtureResult(fixture, ("red", "blue"), winner, fielded=fielded, **others)


def out(*who: str, by: tuple[str, str] | None = ("blue", "w1")) -> dict[str, Any]:
    return {"red": tuple(ModelPutOut(one, by) for one in who)}


def answer(
    due: str, *faces: int, choice: str | None = None, side: str = "red"
) -> DueAnswer:
    return DueAnswer(side, due, faces or None, choice)


def play(log: CampaignLog, *entries: LogEntry) -> CampaignState:
    return fold(log.with_entries(*entries))


def red(state: CampaignState, key: str = "w1") -> GrownWarrior:
    return state.warbands["red"].warriors[key]


def crowns(state: CampaignState, side: str = "red") -> int:
    return state.warbands[side].treasury["crowns"]


def owed(state: CampaignState, side: str = "red") -> dict[str, bool]:
    """The open dues of a warband, and whether each is answered."""
    return {due.key: due.is_answered for due in state.open if due.warband == side}


def one_row(
    effect: dict[str, Any], otherwise: dict[str, Any] | None = None
) -> dict[str, Any]:
    row = {"least": 2, "most": 12, "name": "So it is", "effect": effect}
    if otherwise:
        row["otherwise"] = otherwise
    return {"tables": {"hero-injury": {"rows": [row]}}}


def injured(effect: dict[str, Any], *answers: LogEntry, **others: Any) -> CampaignState:
    log = begin(
        others.pop("red", leader()), change=one_row(effect, others.pop("otherwise", None))
    )
    fielded = {"red": ("w1",), "blue": ("w1", "w2")}
    told = result(out=out("w1", **others), fielded=fielded)
    return play(log, told, answer("f1/injury/w1", 1, 1), *answers)


def acted(*acts: LogEntry, red_has: tuple[Joiner, ...] = ()) -> CampaignState:
    return play(begin(*red_has), *acts)


def why(state: CampaignState, number: int = 1) -> str:
    return state.acts[number].why
