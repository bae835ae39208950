"""What a battle page tells: the timeline, the casualties, the tests and the dice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.battles.descriptions import TextPart, parts_of
from engine.battles.event_fold import fold
from engine.battles.payloads import Payload, event_key
from engine.battles.rules import BattleTest
from engine.battles.state import BattleInPlay
from engine.battles.types import BattleRules, BattleState, Event, Field

__all__ = ["Casualty", "DiceCount", "Summary", "TestTaken", "TextPart", "TimelineEntry", "summary"]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line of the timeline, in the order of the fold, at the turn, side and phase it was
    recorded in.

    ``who`` is the combatant it is about. ``note`` is why a step was forced, or what was said of the
    end. ``source`` is where the rule of the step or test stands. ``verdict`` is "" for what
    counted, "undone", or why it was set aside.
    """

    event: str
    turn: int
    side: str | None
    phase: str
    kind: str
    parts: tuple[TextPart, ...]
    who: str | None
    note: str
    source: str
    verdict: str
    is_forced: bool

    @property
    def text(self) -> str:
        """The sentence without the names set apart."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Casualty:
    """A combatant that is out at the end: in which state, in which turn and phase it went, by whose
    hand.
    """

    combatant: str
    side: str
    state: str
    turn: int
    phase: str
    by: str | None


@dataclass(frozen=True, slots=True)
class TestTaken:
    """One test that counted.

    ``dice`` are the faces and ``sides`` of which dice, ``source`` "app" or "typed" ("" without
    dice). ``score`` is what they came to, ``needed`` the score needed with the modifier in it;
    ``outcome`` the name of a table's row.
    """

    __test__ = False

    event: str
    turn: int
    test: str
    name: str
    side: str
    combatant: str | None
    dice: tuple[int, ...]
    sides: tuple[int, ...]
    source: str
    score: int | None
    needed: int | None
    passed: bool | None
    outcome: str


@dataclass(frozen=True, slots=True)
class DiceCount:
    """How often each face of a kind of die fell, for the side that threw and its way of throwing
    ("app" or "typed").
    """

    side: str
    source: str
    sides: int
    faces: Mapping[int, int]

    @property
    def thrown(self) -> int:
        return sum(self.faces.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """``rounds`` is the highest turn number reached; ``kills`` combatant to how many are out by its
    hand.
    """

    state: BattleState
    timeline: tuple[TimelineEntry, ...]
    casualties: tuple[Casualty, ...]
    kills: Mapping[str, int]
    tests: tuple[TestTaken, ...]
    dice: tuple[DiceCount, ...]
    rounds: int


def summary(rules: BattleRules, field: Field, events: Iterable[Event]) -> Summary:
    """The battle as its page tells it, out of the same fold."""
    teller = _TimelineBuilder()
    state = fold(rules, field, events, teller.hear)
    return Summary(
        state=state,
        timeline=tuple(teller.timeline),
        casualties=_casualties(field, state, teller.went),
        kills={key: one.kills for key, one in state.combatants.items() if one.kills},
        tests=tuple(teller.tests),
        dice=tuple(DiceCount(*key, faces) for key, faces in sorted(teller.dice.items())),
        rounds=teller.rounds,
    )


class _TimelineBuilder:
    """Listens to a fold and writes down what is told of it."""

    def __init__(self) -> None:
        self.timeline: list[TimelineEntry] = []
        self.tests: list[TestTaken] = []
        self.dice: dict[tuple[str, str, int], dict[int, int]] = {}
        self.went: dict[str, tuple[int, str]] = {}
        self.sentences: dict[str, tuple[TextPart, ...]] = {}
        self.rounds = 1

    def hear(self, event: Event, said: Payload, verdict: str, game: BattleInPlay) -> None:
        self.rounds = max(self.rounds, game.turn)
        self.sentences[event.id] = parts = self._parts(event, said, game)
        self.timeline.append(
            TimelineEntry(
                event=event.id,
                turn=game.turn,
                side=game.side,
                phase=game.phase,
                kind=event.kind,
                parts=parts,
                who=said.get("combatant"),
                note=said.get("note", ""),
                source=_source(event, said, game) if not verdict else "",
                verdict=verdict,
                is_forced=bool(said.get("forced")),
            )
        )
        if verdict:
            return
        if game.before is not None and game.is_out(game.men[said["combatant"]]):
            self.went[said["combatant"]] = (game.turn, game.phase)
        if event.kind == "test":
            self._hear_test(event, said, game)

    def _parts(self, event: Event, said: Payload, game: BattleInPlay) -> tuple[TextPart, ...]:
        """The sentence; an undo tells what it takes back, and a second one only that it does."""
        if event.kind != "undo" or not said:
            return parts_of(game, event, said)
        undone = self.sentences.get(event_key(said["event"]), ())
        return (
            (TextPart("Undone: "), *undone)
            if undone and not undone[0].text.startswith("Undone: ")
            else (TextPart("Undo"),)
        )

    def _hear_test(self, event: Event, said: Payload, game: BattleInPlay) -> None:
        rule, result = game.rules.tests[said["test"]], game.result
        assert result
        dice: tuple[int, ...] = said.get("dice", ())
        sides = dice_of(rule, len(dice))
        side = said["side"] if rule.of == "side" else game.men[said["combatant"]].combatant.side
        source = said.get("source", "typed") if dice else ""
        self.tests.append(
            TestTaken(
                event=event.id,
                turn=game.turn,
                test=rule.id,
                name=rule.name,
                side=side,
                combatant=said.get("combatant"),
                dice=dice,
                sides=sides,
                source=source,
                score=result.score,
                needed=needed_on_dice(rule, result.need, said.get("modifier", 0)),
                passed=result.passed,
                outcome=result.row.name if result.row else "",
            )
        )
        thrower = game.men[said["by"]].combatant.side if "by" in said else side
        for face, most in zip(dice, sides, strict=True):
            faces = self.dice.setdefault(
                (thrower, source, most), dict.fromkeys(range(1, most + 1), 0)
            )
            faces[face] += 1


def dice_of(rule: BattleTest, count: int) -> tuple[int, ...]:
    """The sides of so many dice thrown for a test."""
    if not count:
        return ()
    further = (rule.dice if rule.rerolls else (rule.extra,) * count)[: count - len(rule.dice)]
    return (*rule.dice, *further)


def needed_on_dice(rule: BattleTest, need: int | None, modifier: int) -> int | None:
    """What the dice themselves had to show."""
    if need is None:
        return None
    return need + modifier if rule.passes == "at_most" else need - modifier


def _source(event: Event, said: Payload, game: BattleInPlay) -> str:
    if event.kind == "test":
        return game.rules.tests[said["test"]].source
    if event.kind == "mark":
        return game.rules.marks[said["mark"]].source
    return game.step_source


def _casualties(
    field: Field, state: BattleState, went: Mapping[str, tuple[int, str]]
) -> tuple[Casualty, ...]:
    out = ((one, state.combatants[one.id]) for side in field.sides for one in side.combatants)
    return tuple(
        Casualty(one.id, one.side, now.state, *went[one.id], by=now.put_out_by)
        for one, now in out
        if now.is_out
    )
