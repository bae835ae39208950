"""Battles played at random against the table of `turns.py`: what each act of a recorder is called
in the texts, and the facts that stand at that moment, worked out from the acts that counted.
"""

import random
import uuid
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.battles.event_fold import fold
from engine.battles.types import BattleState, Combatant, Event, Field, Side
from rulesdata import registry
from tests.engine.oracle.turns import LYING, Line, judge

TEXTS = {
    "warhammer-skirmish": "S", "english-civil-war": "E", "mordheim-draft": "D",
    "mordheim-rulings A": "A", "mordheim-rulings B": "B", "mordheim-rulings C": "C",
    "d10-skirmish": "X",
}  # fmt: skip
PHASES = {
    "recovery": "recover", "movement": "move", "magic": "magic", "shooting": "shoot",
    "close-combat": "fight", "hand-to-hand": "fight", "start-of-turn": "start",
    "buy-before": "buy", "buy-after": "buy",
}  # fmt: skip
WORDS = {
    "standing": "up", "formed": "up", "ready": "up", "hidden": "up hidden", "charging": "up charged",
    "pursuing": "up charged", "knocked_down": "down", "stunned": "stunned", "down": "down",
    "stood_up_this_turn": "up risen", "rallied_this_turn": "up eased", "fleeing": "fleeing",
    "broken": "broken", "out_of_action": "out", "left_table": "out", "destroyed": "out",
    "removed": "out", "activated": "up done", "recovered": "up recovered", "immobilised": "up immobilised",
}  # fmt: skip
MARKS = {
    "has_shot": ("shoot", "shot"), "charged": ("charge", "charged"), "ran": ("run", "ran"),
    "fell_short": ("charge", "charged"), "hidden": ("hide", "hidden"), "has_cast": ("cast", ""),
    "marched": ("march", "marched"), "reformed": ("reform", "reformed"),
    "critical_used": ("critical", "critical"),
}  # fmt: skip
TESTS = {
    "rally": "rally", "rout": "rout", "injury": "injury", "injury_blunt": "injury",
    "all_alone": "all alone", "break": "break", "restraint": "hold back", "pursuit": "pursue",
    "flight": "flight", "stupidity": "stupidity", "fear": "dare", "panic": "panic",
    "command": "roll for points", "casualty": "casualty", "damage": "damage",
}  # fmt: skip
STEPS = {
    "hidden": "hide", "done": "activate", "risen": "stand up", "eased": "rally",
    "broken": "become broken", "fleeing": "run away",
}  # fmt: skip
PRICES = (0, 1, 2, 4, 7, 12, 20)


@dataclass
class Past:
    """What a warrior did, as far as a text asks for it later."""

    turn: set = field(default_factory=set)  # since a turn of his side began
    phase: set = field(default_factory=set)
    began_phase: str = "up"
    felled_by: str | None = None
    flees: bool = False


class Game:
    """One battle while it is played: its events so far, its state, what everybody did."""

    def __init__(self, rules, chance):
        self.rules, self.chance = rules, chance
        self.text = TEXTS[" ".join(filter(None, (rules.system, rules.variant)))]
        self.field = Field(tuple(self._side(key) for key in "ab"))
        self.men = {man.id: man for side in self.field.sides for man in side.combatants}
        self.past = {key: Past() for key in self.men}
        self.sides = {side.id: set() for side in self.field.sides}
        self.bought, self.has_ended = 0, False
        self.events = []
        self.state = fold(rules, self.field, [])

    def _side(self, key):
        leaders = self.chance.random() < 0.8
        men = tuple(
            Combatant(
                f"{key}{n}", key, f"{key}{n}", self.chance.choice((1, 1, 2)), 7,
                leaders and n == 1, models=self.chance.choice((1, 6, 8)),
            )
            for n in range(1, self.chance.choice((3, 4)))
        )  # fmt: skip
        return Side(key, key, len(men), None, men)

    # What stands

    def words(self, key, state=None):
        """A warrior's state in the words of the texts, the first the one that ranks."""
        return WORDS[(state or self.state).combatants[key].state].split()

    def facts(self, key):
        """All that a line may ask for of a warrior."""
        past, now = self.past[key], self.state.combatants[key]
        words = set(self.words(key)) | ({"fleeing"} if past.flees else set())
        lay = self.phase == "fight" and past.began_phase in LYING and words & LYING
        few = now.counters.get("models", 9) < 5
        return (
            {*words, *past.turn, *past.phase}
            | ({"wounds left"} if now.wounds else set())
            | ({"hidden"} if "hidden" in now.marks else set())
            | ({"under five"} if few else set())
            | ({"lay before the fight"} if lay else set())
            | ({"activated"} if "done" in words else set())
            | ({"rallied"} if "eased" in words else set())
        )

    @property
    def phase(self):
        if self.text == "X" and self.state.phase == "recovery":
            return "recovery"
        return PHASES.get(self.state.phase, self.state.phase)

    def whose(self, side):
        return "own" if self.state.side in (side, None) else "enemy"

    # What an act is

    def verdict(self, kind, payload):
        """What the table says of an act: True, False with the line, None where it is silent."""
        man = self.men.get(payload.get("combatant"))
        side = man.side if man else payload.get("side") or self.state.side or "a"
        whose, silent = self.whose(side), (None, None)
        answers = [
            judge(self.text, act, whose, self.phase, facts)
            for act, facts in self.acts(kind, payload, side)
        ]
        return next(
            (a for a in answers if a[0] is False),
            next((a for a in answers if a[0] is not None), silent),
        )

    def acts(self, kind, payload, side):
        """The acts of the texts that an event is, each with the facts it is judged by."""
        key = payload.get("combatant")
        facts = self.facts(key) if key else self.side_facts(side)
        if kind == "state":
            return [(act, facts) for act in self.changes(key, payload, facts)]
        if kind == "mark":
            act, fact = MARKS.get(payload["mark"], ("", ""))
            if act == "shoot" and self.text == "E" and self.phase == "move":
                act = "stand and shoot"
            critical = {"critical in this fight"} if self.phase == "fight" else set()
            past = critical if fact in facts and fact == "critical" else set()
            return [(act, facts | past), ("come back", facts)]
        if kind == "test":
            act = TESTS.get(payload["test"], "")
            act = "all alone" if (act, self.text) == ("panic", "A") else act
            return [(act, facts), *([("come back", facts)] if key else [])]
        if kind == "phase":
            return [("enter action", facts)] if payload["phase"] == "action" else []
        if payload.get("counter") == "bonus_dice":
            return self.dice_acts(side, payload["to"], facts)
        return [("come back", facts)] if key else []

    def changes(self, key, payload, facts):
        """What a step from one state to another is called."""
        (before, *more), (to, *new) = self.words(key), WORDS[payload["to"]].split()
        if before == "out":
            return ["come back"]
        if to == "up" and before != "up":
            is_rally, is_rise = "eased" in new, "risen" in new
            if before in LYING:
                return ["stand up" if is_rise and before == "down" else "improve"]
            return ["rally" if is_rally else "improve"]
        if to == "out":
            facts.update(self.falls(key, before, payload))
            return ["put out"]
        added = {to, *new} - {before, *more}
        acts = [act for word, act in STEPS.items() if word in added]
        if "charged" in added:
            is_own = self.whose(self.men[key].side) == "own"
            acts = [
                "clash"
                if self.phase == "fight"
                else "charge"
                if is_own
                else "counter-charge"
            ]
        return ["turn over"] if (before, to) == ("stunned", "down") else acts

    def falls(self, key, before, payload):
        """Whether somebody put out fell in this fight, and by the one who puts him out."""
        past = self.past[key]
        if self.phase != "fight" or past.began_phase in LYING or before not in LYING:
            return ()
        is_same = payload.get("by") and payload["by"] == past.felled_by
        is_barred = is_same and (self.text == "S" or before == "stunned")
        return {"fell in this fight"} | (
            {"fell by him in this fight"} if is_barred else set()
        )

    def side_facts(self, side):
        """All that a line may ask for of a side."""
        now, facts = self.state.sides[side], set(self.sides[side])
        facts.update({"round over"} if self.has_ended else ())
        voluntary = self.text == "A" and now.out >= 2
        return facts | ({"rout due"} if 4 * now.out >= now.size or voluntary else set())

    def dice_acts(self, side, to, facts):
        now = self.state.sides[side].counters
        more = to - now["bonus_dice"]
        if more <= 0:
            return [("spend dice", facts | {"dice held"})] if more else []
        total = min(6, self.bought + more)
        price = PRICES[total] - PRICES[self.bought]
        enough = self.bought + more <= 6 and price <= now["action_points"]
        return [("buy", facts | ({"points enough"} if enough else set()))]

    # Playing

    def event(self, kind, payload):
        at = "2026-03-01T19:30:00Z"
        id_ = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        return Event(id_, "phone", len(self.events) + 1, at, kind, payload)

    def attempt(self, event):
        """The state if this is recorded now, and whether it counts."""
        state = fold(self.rules, self.field, [*self.events, event])
        return state, state.verdicts[event.id] == ""

    def record(self, event, state):
        """Let an event count, and remember what a text asks for later."""
        before, self.state = self.state, state
        self.events.append(event)
        if event.kind == "turn":
            self.bought = 0
            if state.turn != before.turn:
                self.has_ended = False
            for key, past in self.past.items():
                if state.side in (self.men[key].side, None):
                    past.turn.clear()
            for side, facts in self.sides.items():
                if state.side in (side, None):
                    facts.clear()
        if event.kind in ("turn", "phase"):
            for key, past in self.past.items():
                past.phase.clear()
                past.began_phase, past.felled_by = self.words(key)[0], None
        self._remember(event, before)

    def _remember(self, event, before):
        payload = event.payload
        for key, past in self.past.items():
            old, new = self.words(key, before)[0], self.words(key)[0]
            if old in LYING and new not in LYING:
                past.turn.add("stood up")
            if (old, new) == ("stunned", "down"):
                past.turn.add("turned over")
            if old == "fleeing" and "eased" in self.words(key):
                past.turn.add("rallied")
            if (old not in LYING and new in LYING) or (old == "down" and new == "stunned"):
                past.felled_by = payload.get("by")
            if new in LYING:
                past.phase.discard("hidden")
            past.flees = new == "fleeing" or (past.flees and new in LYING)
        if event.kind == "mark" and payload.get("on", True):
            fact = MARKS.get(payload["mark"], ("", ""))[1]
            past = self.past[payload["combatant"]]
            is_longer = fact in ("ran", "charged", "marched", "reformed")
            (past.turn if is_longer else past.phase).add(fact)
        if event.kind == "state" and "charged" in WORDS[payload["to"]].split():
            self.past[payload["combatant"]].turn.add("charged")
        if event.kind == "test":
            self._remember_test(payload)
        if event.kind == "counter" and payload["counter"] == "bonus_dice":
            more = payload["to"] - before.sides[payload["side"]].counters["bonus_dice"]
            self.bought += max(0, more)

    def _remember_test(self, payload):
        if "combatant" in payload:
            past = self.past[payload["combatant"]]
            past.turn.add(f"{payload['test']} tested")
            return
        facts = self.sides[payload["side"]]
        facts.add(
            {"rout": "rout tested", "command": "points rolled"}.get(payload["test"], "")
        )
        if payload["test"] == "command" and payload["dice"] == [1]:
            self.has_ended = True


class Trial(NamedTuple):
    """An act tried in a game: the state after it, whether it counts, whether it should (None
    where the text is silent), and the line that says so.
    """

    game: Game
    event: Event
    state: BattleState
    counts: bool
    should: bool | None
    line: Line | None


def rules_of(name):
    key, _, variant = name.partition(" ")
    return registry.battle_rules(key, variant or None)


def choices(game):
    """Every act that a recorder may try now, but turns."""
    rules, chance = game.rules, game.chance
    by = chance.choice(list(game.men))
    for key in game.men:
        yield from (
            ("state", {"combatant": key, "to": to} | ({"by": by} if by != key else {}))
            for to in rules.states
            if to != game.state.combatants[key].state
        )
        yield from (("mark", {"combatant": key, "mark": mark}) for mark in rules.marks)
        if game.state.combatants[key].wounds:
            yield "wounds", {"combatant": key, "to": game.state.combatants[key].wounds - 1}
    for side in game.sides:
        for counter in rules.counters.values():
            if counter.of == "side":
                count = game.state.sides[side].counters[counter.id]
                yield (
                    "counter",
                    {"side": side, "counter": counter.id, "to": min(6, count + 1)},
                )
    for test in rules.tests.values():
        for who in game.sides if test.of == "side" else game.men:
            yield "test", {test.of: who, "test": test.id} | throw(chance, test)
    for phase in rules.phases:
        if phase.id != game.state.phase:
            yield "phase", {"phase": phase.id}


def throw(chance, test):
    """Dice for a test, low or high, with the score it needs."""
    dice = [chance.choice((1, sides, chance.randint(1, sides))) for sides in test.dice]
    return {"dice": dice} | (
        {"need": 4} if len(dice) == 1 and test.passes == "at_most" else {}
    )


def begin(rules, chance):
    """A battle in which some have already fallen, run or been hurt."""
    game = Game(rules, chance)
    begun = ("knocked_down", "stunned", "fleeing", "broken", "down", "hidden")
    for key, man in game.men.items():
        state = chance.choice([None, None, *(s for s in begun if s in rules.states)])
        if state:
            forced = {"combatant": key, "to": state, "forced": True, "note": "Before."}
            advance(game, "state", forced)
        if man.wounds and chance.random() < 0.5:
            advance(game, "wounds", {"combatant": key, "to": 0})
    advance(game, "turn", {"number": 1, "side": "a"})
    return game


def advance(game, kind, payload):
    """Record an act if it counts."""
    event = game.event(kind, payload)
    state, counts = game.attempt(event)
    if counts:
        game.record(event, state)
    return counts


def next_moment(game):
    """Go on to the next phase, or to the next turn."""
    rules, state = game.rules, game.state
    phases = [phase.id for phase in rules.phases if phase.id != rules.end_phase]
    is_over = state.phase == rules.end_phase or (state.side == "b" and not rules.end_phase)
    if state.phase in phases[:-1]:
        advance(game, "phase", {"phase": phases[phases.index(state.phase) + 1]})
    elif state.side == "b" and not is_over:
        advance(game, "phase", {"phase": rules.end_phase})
    elif is_over:
        advance(game, "turn", {"number": state.turn + 1, "side": "a"})
    else:
        advance(game, "turn", {"number": state.turn, "side": "b"})


def trials(rules, seed, count):
    """So many acts tried at moments of random battles."""
    chance = random.Random(seed)
    while count > 0:
        game = begin(rules, chance)
        while len(game.events) < 24 and not game.state.end and count > 0:
            options, accepted = list(choices(game)), []
            some = chance.sample(options, min(40, len(options)))
            # Few of all acts are open at a moment, so every open one among these is tried.
            open_acts = [option for option in some if game.verdict(*option)[0]]
            for kind, payload in some[:10] + open_acts[:4]:
                event = game.event(kind, payload)
                state, counts = game.attempt(event)
                count -= 1
                yield Trial(game, event, state, counts, *game.verdict(kind, payload))
                if counts and kind != "phase" and not state.end:
                    accepted.append((event, state))
            if accepted and chance.random() < 0.6:
                game.record(*chance.choice(accepted))
            else:
                next_moment(game)
