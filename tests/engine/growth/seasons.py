"""Plays a season out of a document (`muster-season/1`) through the engine, item by item.

A season holds rosters and a timeline; what each item comes to is compared after it. This is what a
site does with its rows, without any.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from engine.growth.acts import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    GiveAct,
    GrowthAct,
    RecruitAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    VOID,
    CampaignLog,
    DocumentChange,
    FixtureResult,
    Founding,
    LogEntry,
    LogRow,
    ModelPutOut,
    RulesChange,
    TakeBack,
    read_versions,
)
from engine.growth.rules import CampaignRules
from engine.growth.state import CampaignState, list_lineup
from engine.growth.warriors import GearPiece, Joiner
from rulesdata.campaign_documents import read_rules

Item = dict[str, Any]
STATS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")
HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
MUSTER = ROOT / "rulesdata" / "packs" / "campaigns" / "muster-campaign.yaml"


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)


def muster_document() -> Item:
    """The shipped rules, as a document of one's own to change."""
    return copy.deepcopy(_shipped_document())


@cache
def _shipped_document() -> Item:
    return load(MUSTER)


def joiner_of(spec: Mapping[str, Any]) -> Joiner:
    return Joiner(
        key=spec["key"],
        profile=spec["profile"],
        price=spec["price"],
        stats=dict(zip(STATS, spec["stats"], strict=True)),
        name=spec.get("name", ""),
        category=spec.get("category", ""),
        troop_type=spec.get("troop_type", "infantry"),
        count=spec.get("count", 1),
        gear=tuple(GearPiece(one["id"], one["paid"]) for one in spec.get("gear", [])),
        is_leader=spec.get("leader", False),
        is_hired=spec.get("hired", False),
        upkeep=spec.get("upkeep", 0),
    )


def founding_of(band: Mapping[str, Any]) -> Founding:
    joiners = tuple(map(joiner_of, band["warriors"]))
    return Founding(band["id"], band["army"], joiners, band.get("late_rounds", 0))


@dataclass
class Player:
    """A season as far as it has been played: the log that a site would keep."""

    document: Item
    log: CampaignLog
    acts: int = 1000
    changes: list[DocumentChange] = field(default_factory=list)
    results: dict[str, FixtureResult] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)

    @classmethod
    def of(cls, season: Item, document: Item) -> Player:
        log = CampaignLog(read_rules(document, STATS))
        return cls(document, log.with_entries(*map(founding_of, season["bands"])))

    @property
    def state(self) -> CampaignState:
        return fold(self.log)

    def play(self, item: Item) -> CampaignState:
        """Write an item down and return what the season comes to."""
        for verb in VERBS:
            if verb in item:
                for entry in VERBS[verb](self, item):
                    self.log = self.log.with_entries(entry)
        for warband, told in item.get("answers", {}).items():
            self.log = self.log.with_entries(*_answers(warband, told))
        state = self.state
        self._keep_paid(state)
        return state

    def battle(self, item: Item) -> Iterator[LogEntry]:
        state = self.state
        item = dict(item)
        if "fought" not in item:
            item["fought"] = {
                side: list_lineup(
                    state.warbands[side],
                    item.get("absent", {}).get(side, []),
                    item.get("fielded", {}).get(side, []),
                )
                for side in item["sides"]
            }
        self.items[item["battle"]] = item
        yield self._result(item["battle"])

    def correct(self, item: Item) -> Iterator[LogEntry]:
        key = item["correct"]
        self.items[key].update(
            {k: v for k, v in item.items() if k not in ("correct", "answers")}
        )
        yield self._result(key)

    def void(self, item: Item) -> Iterator[LogEntry]:
        self.items[item["void"]]["status"] = VOID
        yield self._result(item["void"])

    def restore(self, item: Item) -> Iterator[LogEntry]:
        del self.items[item["restore"]]["status"]
        yield self._result(item["restore"])

    def act(self, item: Item) -> Iterator[LogEntry]:
        yield act_of(item)

    def unfought(self, item: Item) -> Iterator[LogEntry]:
        self.acts += 1
        yield UnfoughtAct(self.acts, item["band"], item["as"])

    def join(self, item: Item) -> Iterator[LogEntry]:
        yield founding_of(item["join"])

    def take_back(self, item: Item) -> Iterator[LogEntry]:
        if "due" in item:
            yield TakeBack(item["take_back"], item["due"])
        else:
            yield TakeBack("", act=item["take_back"])

    def rules(self, item: Item) -> Iterator[LogEntry]:
        position = self.log.rows[-1].position + 1
        change = DocumentChange(position, item["rules"], item["from"] == "start")
        self.changes.append(change)
        versions = read_versions(
            self.document, self.changes, partial(read_rules, stats=STATS)
        )
        self.log = log_under(versions, self.log)
        if not change.from_start:
            yield RulesChange(versions[1][position])

    def _result(self, key: str) -> FixtureResult:
        self.results[key] = result_of(key, self.items[key])
        return self.results[key]

    def _keep_paid(self, state: CampaignState) -> None:
        """What was paid is kept with the purchase, as a site writes it into the row."""
        self.log = replace(
            self.log, rows=tuple(_with_paid(row, state) for row in self.log.rows)
        )


VERBS = {
    "battle": Player.battle,
    "correct": Player.correct,
    "void": Player.void,
    "restore": Player.restore,
    "act": Player.act,
    "unfought": Player.unfought,
    "join": Player.join,
    "take_back": Player.take_back,
    "rules": Player.rules,
}


def _with_paid(row: LogRow, state: CampaignState) -> LogRow:
    entry = row.entry
    bought = isinstance(entry, RecruitAct | EnlargeAct | BuyAct | SearchAct)
    if not bought or entry.paid is not None or entry.number not in state.acts:
        return row
    return replace(row, entry=replace(entry, paid=state.acts[entry.number].paid))


def _answers(warband: str, told: Item) -> Iterator[DueAnswer]:
    for due, given in told.items():
        answer = given if isinstance(given, dict) else {"faces": given}
        faces = answer.get("faces")
        yield DueAnswer(
            warband, due, tuple(faces) if faces is not None else None, answer.get("choice")
        )


def result_of(key: str, item: Item) -> FixtureResult:
    return FixtureResult(
        fixture=key,
        sides=tuple(item["sides"]),
        winner=item.get("winner") or "",
        status=item.get("status", "counted"),
        fielded={side: tuple(who) for side, who in item["fought"].items()},
        out={side: tuple(map(_casualty, out)) for side, out in item.get("out", {}).items()},
        objectives=item.get("objectives", {}),
        objective_by=tuple(_split(one) for one in item.get("objective_by", [])),
    )


def _casualty(told: Item) -> ModelPutOut:
    return ModelPutOut(told["who"], _split(told["by"]) if told.get("by") else None)


def _split(told: str) -> tuple[str, str]:
    side, _, who = told.partition("/")
    return side, who


def act_of(item: Item) -> GrowthAct:
    verb, number, band = item["act"], item["id"], item["band"]
    if verb == "recruit":
        if item.get("into"):
            return EnlargeAct(number, band, item["into"], item.get("count", 1))
        return RecruitAct(number, band, joiner_of(item["warrior"]))
    if verb == "adjust" and item.get("who"):
        return AdjustExperienceAct(number, band, item["who"], item["experience"])
    return ACTS[verb](number, band, item)


ACTS = {
    "buy": lambda n, band, a: BuyAct(n, band, a["item"], a["for"], a["price"]),
    "search": lambda n, band, a: SearchAct(
        n, band, a["item"], a["for"], a.get("seeker", ""), tuple(a["faces"])
    ),
    "sell": lambda n, band, a: SellAct(n, band, a["item"], a["from"]),
    "give": lambda n, band, a: GiveAct(n, band, a["item"], a["from"], a["to"]),
    "dismiss": lambda n, band, a: DismissAct(n, band, a["who"], a.get("count", 1)),
    "disband": lambda n, band, a: DisbandAct(n, band),
    "adjust": lambda n, band, a: AdjustMoneyAct(n, band, a["currency"], a["amount"]),
}


def told(state: CampaignState) -> Item:
    choice = {True: " (choice)", False: ""}
    return {
        "bands": {key: one.to_json() for key, one in state.warbands.items()},
        "open": sorted(
            f"{due.warband}/{due.key}{choice[due.is_answered]}" for due in state.open
        ),
        "aside": sorted(
            [f"{warband}/{due}" for warband, due in state.superseded]
            + [f"{act.warband}/act {act.number}" for act in state.superseded_acts]
        ),
        "notes": [(note.warband, note.warrior, note.fixture) for note in state.notes],
    }


def log_under(
    versions: tuple[CampaignRules, dict[int, CampaignRules]], log: CampaignLog
) -> CampaignLog:
    rows = [
        replace(row, entry=RulesChange(versions[1][row.position]))
        if isinstance(row.entry, RulesChange)
        else row
        for row in log.rows
    ]
    return CampaignLog(versions[0], tuple(rows))
