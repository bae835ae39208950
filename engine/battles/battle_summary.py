"""What a battle page tells: the timeline in sentences, the casualties, the tests and the dice."""

from collections.abc import Iterable, Iterator, Mapping

from engine.battles.event_fold import fold
from engine.battles.payloads import Payload, event_key
from engine.battles.rules import BattleRules, BattleTest
from engine.battles.state import BattleInPlay, TestResult, lowered
from engine.battles.types import BattleState, Event, Field
from engine.records import NumberByKey, Numbers, frozen_dataclass


@frozen_dataclass
class TextPart:
    """A piece of a sentence; ``combatant`` or ``side`` is the id of whose name it is."""

    text: str
    combatant: str | None = None
    side: str | None = None


@frozen_dataclass
class TimelineEntry:
    """One line of the timeline, in the order of the fold, at the turn, side and phase it was
    recorded in.

    ``who`` is the combatant it is about. ``note`` is why a step was forced, or what was said of the
    end. ``source`` is where the rule of the step or test stands. ``verdict`` is "" for what
    counted, "undone", or why it was set aside. ``other_phase`` is the name of the one that
    its device showed, "" where that is no other.
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
    other_phase: str = ""

    @property
    def text(self) -> str:
        """The sentence without the names set apart."""
        return "".join(part.text for part in self.parts)


@frozen_dataclass
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


@frozen_dataclass
class TestTaken:
    """One test that counted.

    ``dice`` are the faces and ``sides`` of which dice, ``source`` "app" or "typed" ("" without
    dice); ``thrower`` is the side that threw them. ``score`` is what they came to, ``need`` the
    score that was needed and ``needed`` the same with the modifier in it; ``outcome`` the name of
    a table's row.
    """

    __test__ = False

    event: str
    turn: int
    test: str
    name: str
    side: str
    combatant: str | None
    thrower: str
    dice: Numbers
    sides: Numbers
    source: str
    score: int | None
    need: int | None
    needed: int | None
    passed: bool | None
    outcome: str


@frozen_dataclass
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


@frozen_dataclass
class Summary:
    """``rounds`` is the highest turn number reached; ``kills`` combatant to how many are out by its
    hand.
    """

    state: BattleState
    timeline: tuple[TimelineEntry, ...]
    casualties: tuple[Casualty, ...]
    kills: NumberByKey
    tests: tuple[TestTaken, ...]
    dice: tuple[DiceCount, ...]
    rounds: int


def summary(rules: BattleRules, field: Field, events: Iterable[Event]) -> Summary:
    """The battle as its page tells it, out of the same fold."""
    teller = _TimelineBuilder()
    state = fold(rules, field, events, teller.hear)
    out = (
        (fighter, state.combatants[fighter.id])
        for side in field.sides
        for fighter in side.combatants
    )
    casualties = tuple(
        Casualty(
            fighter.id, fighter.side, now.state, *teller.went[fighter.id], by=now.put_out_by
        )
        for fighter, now in out
        if now.is_out
    )
    return Summary(
        state=state,
        timeline=tuple(teller.timeline),
        casualties=casualties,
        kills={key: now.kills for key, now in state.combatants.items() if now.kills},
        tests=tuple(teller.tests),
        dice=tuple(DiceCount(*key, faces) for key, faces in sorted(teller.dice.items())),
        rounds=teller.rounds,
    )


class _TimelineBuilder:
    """Listens to a fold and writes down what is told of it."""

    def __init__(self) -> None:
        """Begin in round 1 with an empty timeline, no tests and no dice."""
        self.timeline: list[TimelineEntry] = []
        self.tests: list[TestTaken] = []
        self.dice: dict[tuple[str, str, int], dict[int, int]] = {}
        self.went: dict[str, tuple[int, str]] = {}
        self.sentences: dict[str, tuple[TextPart, ...]] = {}
        self.rounds = 1

    def hear(
        self, event: Event, payload: Payload, verdict: str, game: BattleInPlay
    ) -> None:
        """Note one event in the timeline, and its test or casualty if it counts."""
        self.rounds = max(self.rounds, game.turn)
        self.sentences[event.id] = parts = self._parts(event, payload, game)
        device_phase = payload.get("in_phase", game.phase)
        names = (phase.name for phase in game.rules.phases if phase.id == device_phase)
        self.timeline.append(
            TimelineEntry(
                event=event.id,
                turn=game.turn,
                side=game.side,
                phase=game.phase,
                kind=event.kind,
                parts=parts,
                who=payload.get("combatant"),
                note=payload.get("note", ""),
                source=_source(event, payload, game) if not verdict else "",
                verdict=verdict,
                is_forced=bool(payload.get("forced")),
                other_phase="" if device_phase == game.phase else next(names),
            )
        )
        # Tests and casualties of what was undone or set aside did not happen.
        if verdict:
            return
        if game.before is not None and game.is_out(game.men[payload["combatant"]]):
            self.went[payload["combatant"]] = (game.turn, game.phase)
        if event.kind == "test":
            self._hear_test(event, payload, game)

    def _parts(
        self, event: Event, payload: Payload, game: BattleInPlay
    ) -> tuple[TextPart, ...]:
        """The sentence; an undo tells what it takes back, and a second one only that it does."""
        if event.kind != "undo" or not payload:
            return build_parts(game, event, payload)
        undone = self.sentences.get(event_key(payload["event"]), ())
        if not undone or undone[0].text.startswith("Undone: "):
            return (TextPart("Undo"),)
        return TextPart("Undone: "), *undone

    def _hear_test(self, event: Event, payload: Payload, game: BattleInPlay) -> None:
        """Record a test, and count its faces by side, source and size of die."""
        rule, result = game.rules.tests[payload["test"]], game.result
        assert result
        dice: Numbers = payload.get("dice", ())
        sides = rule.die_sides(len(dice))
        side = (
            payload["side"]
            if rule.of == "side"
            else game.men[payload["combatant"]].combatant.side
        )
        thrower = game.men[payload["by"]].combatant.side if "by" in payload else side
        source = payload.get("source", "typed") if dice else ""
        self.tests.append(
            TestTaken(
                event=event.id,
                turn=game.turn,
                test=rule.id,
                name=rule.name,
                side=side,
                combatant=payload.get("combatant"),
                thrower=thrower,
                dice=dice,
                sides=sides,
                source=source,
                score=result.score,
                need=result.need,
                needed=needed_on_dice(rule, result.need, payload.get("modifier", 0)),
                passed=result.passed,
                outcome=result.row.name if result.row else "",
            )
        )
        for face, most in zip(dice, sides, strict=True):
            faces = self.dice.setdefault(
                (thrower, source, most), dict.fromkeys(range(1, most + 1), 0)
            )
            faces[face] += 1


def needed_on_dice(rule: BattleTest, need: int | None, modifier: int) -> int | None:
    """What the dice themselves had to show."""
    if need is None:
        return None
    return need + modifier if rule.passes == "at_most" else need - modifier


def _source(event: Event, payload: Payload, game: BattleInPlay) -> str:
    """Return where the text has the rule of an event: a test, a mark or a step."""
    if event.kind == "test":
        return game.rules.tests[payload["test"]].source
    if event.kind == "mark":
        return game.rules.marks[payload["mark"]].source
    return game.step_source


Parts = tuple[TextPart, ...]
_DIRECTIONS = {
    "at_most": "less",
    "at_least": "more",
}  # how a test passes, and what it asks for


def build_parts(game: BattleInPlay, event: Event, payload: Payload) -> Parts:
    """The sentence of an event as the battle stands after it; ``payload`` is empty for one
    that could not be read.
    """
    if not payload:
        return (TextPart(f"Cannot be read: {str(event.kind)[:20]}"),)
    if event.kind in ("turn", "phase", "note", "end"):
        return _describe_course(game, event.kind, payload)
    whose = (
        _side_name(game, payload["side"])
        if "combatant" not in payload
        else _name(game, payload["combatant"])
    )
    sentence = TextPart(f": {_describe_change(game, event.kind, payload)}")
    by = (TextPart(", by "), _name(game, payload["by"])) if "by" in payload else ()
    is_lost = game.end is not None and game.end.event == event.id
    end = (TextPart("; the battle is lost"),) if is_lost else ()
    return whose, sentence, *by, *end


def _name(game: BattleInPlay, combatant: str) -> TextPart:
    return TextPart(game.men[combatant].combatant.name, combatant=combatant)


def _side_name(game: BattleInPlay, side: str) -> TextPart:
    return TextPart(game.flanks[side].side.name, side=side)


def _describe_course(game: BattleInPlay, kind: str, payload: Payload) -> Parts:
    """A turn, a phase, a note or the end, with the sides and combatants that it names."""
    rules = game.rules
    match kind:
        case "turn":
            text, side = f"{rules.turn_name} {payload['number']}", payload.get("side")
            before_side = ": "
        case "end":
            how = lowered(rules.endings[payload["how"]].name)
            text, side = f"The battle ends: {how}", payload.get("winner")
            before_side = ", won by "
        case "phase":
            names = (phase.name for phase in rules.phases if phase.id == payload["phase"])
            return (TextPart(next(names)),)
        case _:
            note = TextPart(payload["text"])
            if "combatant" not in payload:
                return (note,)
            return _name(game, payload["combatant"]), TextPart(": "), note
    if side is None:
        return (TextPart(text),)
    return TextPart(text + before_side), _side_name(game, side)


def _describe_change(game: BattleInPlay, kind: str, payload: Payload) -> str:
    """What became of a combatant or a side, behind its name."""
    rules = game.rules
    match kind:
        case "state":
            return game.tables.names[payload["to"]]
        case "wounds":
            most = game.men[payload["combatant"]].combatant.wounds
            return f"{payload['to']} of {most} Wounds left"
        case "mark":
            mark = lowered(rules.marks[payload["mark"]].name)
            return mark if payload.get("on", True) else f"no longer {mark}"
        case "counter":
            return f"{lowered(rules.counters[payload['counter']].name)} {payload['to']}"
    # A test: why it was taken, its result and the state after it.
    rule = rules.tests[payload["test"]]
    sentence = rule.name + "".join(
        [*_why_taken(game, rule, payload), *_came_to(rule, payload, game.result)]
    )
    if game.before is not None and "combatant" in payload:
        sentence += f"; now {game.state_name(game.men[payload['combatant']])}"
    return sentence


def _why_taken(game: BattleInPlay, rule: BattleTest, payload: Payload) -> Iterator[str]:
    """Yield what brought the test about, and whose Leadership it was taken on."""
    for cause in rule.causes:
        if cause.id == payload.get("cause"):
            yield f" ({lowered(cause.name)})"
    if "lent_by" in payload:
        yield f" on the Leadership of {game.men[payload['lent_by']].combatant.name}"


def _came_to(
    rule: BattleTest, payload: Payload, result: TestResult | None
) -> Iterator[str]:
    """Yield the dice, what was needed, and what it came to, as far as each is known."""
    dice = payload.get("dice", ())
    if dice:
        yield f", {' and '.join(map(str, dice))}"
    # Of a throw that was repeated only the last dice count, and no sum of all is told.
    is_again = rule.rerolls and len(dice) > len(rule.dice)
    is_sum = rule.takes == "sum" and len(dice) > 1 and not is_again
    if result and is_sum and result.score is not None:
        yield f" make {result.score}"
    if "modifier" in payload:
        yield f" ({payload['modifier']:+d})".replace("-", "−")
    if result:
        yield from _result_words(rule, result)


def _result_words(rule: BattleTest, result: TestResult) -> Iterator[str]:
    """Yield the score needed, the row of the table and whether the test was passed."""
    if result.need is not None and rule.passes in _DIRECTIONS:
        yield f", {result.need} or {_DIRECTIONS[rule.passes]} needed"
    if result.row:
        yield f": {lowered(result.row.name)}"
    if result.passed is not None:
        yield ": passed" if result.passed else ": failed"
