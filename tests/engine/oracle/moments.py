"""Battles played at random against the table of `turns.py`: what each act of a recorder is called
in the texts, and the facts that stand at that moment, worked out from the acts that counted.
"""

import random
import uuid
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.battles.event_fold import fold
from engine.battles.types import BattleState, Combatant, Event, Field, Side
from engine.roster import Agreement
from rulesdata import registry
from tests.engine.oracle.turns import LYING, Line, judge

TEXTS = {
    "warhammer-skirmish": "S", "english-civil-war": "E", "mordheim-draft": "D",
    "mordheim-rulings A": "A", "mordheim-rulings B": "B", "mordheim-rulings C": "C",
    "d10-skirmish": "X", "warhammer-skirmish house rules": "S",
    "mordheim-rulings B psychology": "B", "mordheim-rulings C rout": "C",
}  # fmt: skip
HOUSE_RULES = ("cavalry_first_wound_kills_mount", "swarms_no_injury_roll")
KINDS = {
    "S": ((), ("cavalry",), ("swarm",)),
    "E": ((), (), ("officer",)),
    "X": ((), ("big",)),
}
TRAITS = (
    (), ("stupidity",), ("frenzy",), ("royal_standard",), ("immune_to_psychology",), ("undead",),
    ("no_missile_weapon",),
)  # fmt: skip
PHASES = {
    "recovery": "recover", "movement": "move", "magic": "magic", "shooting": "shoot",
    "close-combat": "fight", "hand-to-hand": "fight", "start-of-turn": "start",
    "buy-before": "buy", "buy-after": "buy",
}  # fmt: skip
WORDS = {
    "standing": "up", "formed": "up", "ready": "up", "hidden": "up hidden", "charging": "up charged",
    "pursuing": "up charged pursuing", "knocked_down": "down", "stunned": "stunned", "down": "down",
    "stood_up_this_turn": "up risen", "rallied_this_turn": "up eased", "fleeing": "fleeing",
    "broken": "broken", "out_of_action": "out", "left_table": "out", "destroyed": "out",
    "removed": "out", "activated": "up done", "recovered": "up recovered", "immobilised": "up immobilised",
}  # fmt: skip
MARKS = {
    "has_shot": ("shoot", "shot"), "charged": ("charge", "charged"), "ran": ("run", "ran"),
    "fell_short": ("charge", "charged"), "hidden": ("hide", "hidden"), "has_cast": ("cast", ""),
    "marched": ("march", "marched"), "reformed": ("reform", "reformed"),
    "critical_used": ("critical", "critical"), "fired_once": ("fire once", ""),
    "fell": ("fall", "fallen"),
}  # fmt: skip
TESTS = {
    "rally": "rally", "rout": "rout", "injury": "injury", "injury_blunt": "injury",
    "all_alone": "all alone", "break": "break", "restraint": "hold back", "pursuit": "pursue",
    "flight": "flight", "stupidity": "stupidity", "fear": "dare", "panic": "panic", "terror": "terror",
    "feared": "face a charge",
    "command": "roll for points", "initiative": "pass initiative", "casualty": "casualty", "damage": "damage",
    "helmet": "helmet",
}  # fmt: skip
STEPS = {
    "hidden": "hide", "done": "activate", "risen": "stand up", "eased": "rally",
    "broken": "become broken", "fleeing": "run away", "down": "go down",
}  # fmt: skip
ONCE = ("rally", "rout", "command", "helmet", "fell")
AGAIN = (
    "critical",
    "fire once",
    "shoot",
)  # what a mark that stands may be set for once more
PRICES = (0, 1, 2, 4, 7, 12, 20)


@dataclass
class Past:
    """What a warrior did, as far as a text asks for it later."""

    turn: set = field(default_factory=set)  # since a turn of his side began
    phase: set = field(default_factory=set)
    began_phase: str = "up"
    felled_by: str | None = None
    flees: bool = False
    is_on_foot: bool = False
    charges_until: int = 0  # the number of the turn, counting everybody's
    failed: dict = field(default_factory=dict)  # tests of courage, by that number
    has_fallen: bool = False
    has_fired: bool = False


class Game:
    """One battle while it is played: its events so far, its state, what everybody did."""

    def __init__(self, rules, chance):
        self.rules, self.chance = rules, chance
        self.has_house_rules = any(mark == "on_foot" for mark in rules.marks)
        self.text = TEXTS[" ".join(filter(None, (rules.system, rules.variant)))]
        if self.text == "B" and "fleeing" in rules.states:
            self.text = "C"  # with the psychology of the full game B reads like C
        self.field = Field(tuple(self._side(key) for key in "ab"))
        self.men = {man.id: man for side in self.field.sides for man in side.combatants}
        self.past = {key: Past() for key in self.men}
        self.sides = {side.id: set() for side in self.field.sides}
        self.bought, self.has_ended, self.turns = 0, False, 0
        self.has_exploded = False
        self.subject = {}  # whom the latest event was about
        self.events = []
        self.state = fold(rules, self.field, [])

    def _side(self, key):
        leaders = self.chance.random() < 0.8
        men = tuple(
            Combatant(
                f"{key}{n}", key, f"{key}{n}", self.chance.choice((1, 1, 2)), 7,
                leaders and n == 1, self.chance.choice((1, 6, 8)),
                self.chance.choice(KINDS.get(self.text, ((),))),
                initiative=self.chance.choice((3, 6, 7)), flight=self.chance.choice((2, 3)),
                traits=self.chance.choice(TRAITS),
            )
            for n in range(1, self.chance.choice((3, 4)))
        )  # fmt: skip
        return Side(key, key, len(men), None, men)

    # What stands

    def words(self, key, state=None):
        """A warrior's state in the words of the texts, the first the one that ranks."""
        return WORDS[(state or self.state).combatants[key].state].split()

    def words_of_all(self, state=None):
        return [self.words(key, state) for key in self.men]

    def facts(self, key):
        past, now = self.past[key], self.state.combatants[key]
        words = set(self.words(key)) | ({"fleeing"} if past.flees else set())
        lay = self.phase == "fight" and past.began_phase in LYING and words & LYING
        man = self.men[key]
        few = now.counters.get("models", 9) < 5 and "officer" not in man.kinds
        is_rider = "cavalry" in man.kinds and not past.is_on_foot
        is_immune = {"immune_to_psychology", "undead"} & set(man.traits)
        is_frenzied = "frenzy" in man.traits and not past.has_fallen
        failed = {fact for fact, turn in past.failed.items() if turn == self.turns}
        return (
            {*words, *past.turn, *past.phase}
            | failed
            | ({"immune"} if is_immune else set())
            | ({"unarmed"} if "no_missile_weapon" in man.traits else set())
            | ({"frenzied"} if is_frenzied else set())
            | ({"wounds left"} if now.wounds else set())
            | ({"hidden", "reloading"} & {*now.marks})
            | ({"fired"} if past.has_fired else set())
            | ({"under five"} if few else set())
            | ({"lay before the fight"} if lay else set())
            | ({"activated"} if "done" in words else set())
            | ({"rallied"} if "eased" in words else set())
            | ({"in danger"} if "down" in words or self.has_exploded else set())
            | ({"swarm"} if self.has_house_rules and "swarm" in man.kinds else set())
            | ({"in the saddle"} if self.has_house_rules and is_rider else set())
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
        if kind == "turn":
            return None, None
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
            acts = self.changes(key, payload, facts)
            later = {"rally": "rally again", "stand up": "rise at once"}
            acts += [later[act] for act in acts if act in later]
            return [(act, facts) for act in acts]
        if kind == "mark":
            act, fact = MARKS.get(payload["mark"], ("", ""))
            if act == "shoot" and (self.whose(side), self.phase) == ("enemy", "move"):
                act = "stand and shoot"
            if payload["mark"] in self.state.combatants[key].marks and act not in AGAIN:
                return []
            critical = {"critical in this fight"} if self.phase == "fight" else set()
            past = critical if fact in facts and fact == "critical" else set()
            blow = [("critical blow", facts)] if act == "critical" else []
            return [(act, facts | past), ("come back", facts), *blow]
        if kind == "test":
            act = TESTS.get(payload["test"], "")
            # Who asks for a Rout test may do so when he likes (C23).
            act = "" if act == "rout" and "rout asked for" in facts else act
            act = "all alone" if (act, self.text) == ("panic", "A") else act
            if not key:
                act = "roll for initiative" if act == "pass initiative" else act
                again = [("roll again", facts)] if act == "roll for points" else []
                return [(act, facts), *again]
            facts |= self.throw_facts(payload)
            if act == "injury" and self.text in "DBC" and "felled by another hand" in facts:
                act = "injury by another"
            others = (
                "throw again",
                "come back",
                *(["rally again"] if act == "rally" else []),
            )
            return [(name, facts) for name in (act, *others)]
        if kind == "phase":
            later = {"later phase"} if self.goes_back(payload["phase"]) else set()
            entry = [("enter action", facts)] if payload["phase"] == "action" else []
            return [("go back", facts | later), *entry]
        if payload.get("counter") == "bonus_dice":
            return self.dice_acts(side, payload["to"], facts)
        return [("come back", facts)] if key else []

    def goes_back(self, phase):
        order = [known.id for known in self.rules.phases]
        return self.turns > 0 and order.index(phase) < order.index(self.state.phase)

    def throw_facts(self, payload):
        """What a line may ask for of the dice thrown for a test."""
        key, dice = payload["combatant"], payload["dice"]
        man, now = self.men[key], self.state.sides[self.men[key].side].counters
        past, by = self.past[key], payload.get("by")
        runs = 2 if past.is_on_foot else man.flight
        rule = self.rules.tests[payload["test"]]
        further = len(dice) - 1 if rule.id == "casualty" else 0
        is_again = rule.rerolls and len(dice) > len(rule.dice)
        friends = [other for other in self.men.values() if other.side == man.side]
        fell = self.phase == "fight" and past.began_phase not in LYING
        checks = {
            "felled by another hand": fell and by and past.felled_by not in (None, by),
            "dice as he moves": len(dice) == runs,
            "low enough": dice[0] <= man.initiative,
            "natural 6": dice[0] == 6,
            "helped": payload.get("modifier", 0) > 0,
            "no standard": is_again and not any(map(self.bears_standard, friends)),
            "too many dice": further > now.get("bonus_dice", 6),
        }
        return {fact for fact, holds in checks.items() if holds}

    def bears_standard(self, man):
        return "royal_standard" in man.traits and self.words(man.id)[0] != "out"

    def changes(self, key, payload, facts):
        (before, *more), (to, *new) = self.words(key), WORDS[payload["to"]].split()
        if before == "out":
            return ["come back"]
        if to == "up" and before != "up":
            is_rally, is_rise = "eased" in new, "risen" in new
            if "recovered" in new or "immobilised" in new:
                return ["recover"]
            if before in LYING:
                return ["stand up" if is_rise and before == "down" else "improve"]
            return ["rally" if is_rally else "improve"]
        if to == "out":
            facts.update(self.falls(key, before, payload))
            return ["put out"]
        if {"risen", "eased", "done"} & {*more} and to == "up":
            # Hiding is judged by its mark.
            return [] if "hidden" in new else ["shake off"]
        if (before, to) == ("broken", "fleeing"):
            return ["break away"]
        added = {to, *new} - {before, *more}
        acts = [act for word, act in STEPS.items() if word in added]
        if {"charged", "pursuing"} & added:
            is_own = self.whose(self.men[key].side) == "own"
            charge = "charge" if is_own else "counter-charge"
            acts = ["clash" if "pursuing" in new else charge]
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
        now, facts = self.state.sides[side], set(self.sides[side])
        is_due, may_ask = 4 * now.out >= now.size, self.text in "ABC" and now.out >= 2
        return (
            facts
            | ({"rout due"} if is_due else set())
            | ({"rout asked for"} if may_ask and not is_due else set())
            | ({"round over"} if self.has_ended else set())
        )

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

    def attempt(self, kind, payload):
        event = self.event(kind, payload)
        state = fold(self.rules, self.field, [*self.events, event])
        counts = state.verdicts[event.id] == ""
        return Trial(self, event, state, counts, *self.verdict(kind, payload))

    def record(self, event, state):
        """Let an event count, and remember what a text asks for later."""
        before, self.state = self.state, state
        if event.kind not in ("turn", "phase"):
            names = ("combatant", "side")
            self.subject = {
                key: event.payload[key] for key in names if key in event.payload
            }
        self.events.append(event)
        if event.kind == "turn":
            self.bought = 0
            self.turns += 1
            if state.turn != before.turn:
                self.has_ended = False
            for key, past in self.past.items():
                if state.side in (self.men[key].side, None):
                    past.turn.clear()
            for side, facts in self.sides.items():
                if state.side in (side, None):
                    facts.clear()
        if event.kind in ("turn", "phase"):
            self.has_exploded = False
            for key, past in self.past.items():
                past.phase.clear()
                past.began_phase, past.felled_by = self.words(key)[0], None
        self._remember(event, before)

    def _remember(self, event, before):
        payload = event.payload
        for key in self.past:
            self._remember_states(key, before, payload.get("by"))
        past = self.past.get(payload.get("combatant"))
        if event.kind == "mark":
            fact = MARKS.get(payload["mark"], ("", ""))[1]
            past.has_fired |= payload["mark"] == "fired_once"
            is_longer = fact in ("ran", "charged", "marched", "reformed", "fallen")
            (past.turn if is_longer else past.phase).add(fact)
        if event.kind == "state" and "charged" in WORDS[payload["to"]].split():
            past.turn.add("charged")
            past.charges_until = self.turns + (self.phase == "fight")
        if event.kind == "test":
            self._remember_test(payload)
        is_hurt = event.kind == "wounds" and self.has_house_rules
        if is_hurt or payload.get("mark") == "on_foot":
            past.is_on_foot |= "cavalry" in self.men[payload["combatant"]].kinds
        if event.kind == "counter" and payload["counter"] == "bonus_dice":
            more = payload["to"] - before.sides[payload["side"]].counters["bonus_dice"]
            self.bought += max(0, more)

    def _remember_states(self, key, before, by):
        past, words = self.past[key], self.words(key)
        old, new = self.words(key, before)[0], words[0]
        if old in LYING and new not in LYING:
            past.turn.add("stood up")
        if (old, new) == ("stunned", "down") and "fell this turn" not in past.turn:
            past.turn.add("turned over")
        if old == "fleeing" and "eased" in words:
            past.turn.add("rallied")
        past.has_fallen |= new in LYING
        if new == "stunned" and old != "stunned":
            past.phase.add("just stunned")
            past.phase.discard("helmet tried")
        is_felled, is_stunned = old not in LYING, old == "down" and new == "stunned"
        if new in LYING and (is_felled or is_stunned):
            # Whoever was felled by nobody that was named may have been felled by anybody.
            past.felled_by = by if is_felled or past.felled_by else None
            past.turn.add("fell this turn")
        if new in ("fleeing", "broken") and self.text == "E":
            past.turn.discard("charged")
        if "charged" not in words:
            past.charges_until = min(past.charges_until, self.turns - 1)
        past.flees = new == "fleeing" or (past.flees and new in LYING)

    def _remember_test(self, payload):
        if "combatant" in payload:
            key, test = payload["combatant"], payload["test"]
            self.past[key].turn.add(f"{test} tested")
            self.past[key].phase.discard("failed while big")
            if test == "helmet":
                self.past[key].phase.add("helmet tried")
            fact = {"stupidity": "stupid", "fear": "afraid"}.get(test)
            if fact and sum(payload["dice"]) > self.men[key].leadership:
                self.past[key].failed[fact] = self.turns
            if (
                test == "casualty"
                and sum(payload["dice"]) < 6
                and "big" in self.men[key].kinds
            ):
                self.past[key].phase.add("failed while big")
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
    if variant == "B psychology":
        return registry.battle_rules(key, "B", Agreement((("G07-02", 1),)))
    if variant == "C rout":
        return registry.battle_rules(key, "C", Agreement((("G52", 1),)))
    if variant == "house rules":
        return registry.battle_rules(key, None, Agreement(house_rules=HOUSE_RULES))
    return registry.battle_rules(key, variant or None)


def choices(game):
    """Every act that a recorder may try now, but turns."""
    rules, chance = game.rules, game.chance
    by = chance.choice(list(game.men))
    for key in game.men:
        hands = ({"by": by} if by != key else {}, {"by": game.past[key].felled_by})
        hand = chance.choice([hand for hand in hands if hand.get("by")] or [{}])
        yield from (
            ("state", {"combatant": key, "to": to} | hand)
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
            hand = {"by": by} if test.of == "combatant" and by != who else {}
            yield "test", {test.of: who, "test": test.id} | hand | throw(chance, test)
    for phase in rules.phases:
        if phase.id != game.state.phase:
            yield "phase", {"phase": phase.id}


def throw(chance, test):
    further = chance.randint(0, test.extra_most) if test.id != "injury" else 0
    is_again = test.rerolls and chance.random() < 0.3
    sides = test.dice * (1 + is_again) + (test.extra,) * further
    thrown = {"dice": [chance.choice((1, most, chance.randint(1, most))) for most in sides]}
    if test.id == "initiative" and test.of == "combatant":
        return thrown | {"passed": True}
    return thrown | ({"modifier": chance.choice((-2, 0, 2))} if test.id == "break" else {})


def begin(rules, chance):
    """A battle in which some have already fallen, run or been hurt."""
    game = Game(rules, chance)
    begun = ("knocked_down", "stunned", "fleeing", "broken", "down", "hidden")
    for key, man in game.men.items():
        state = chance.choice([None, None, *(s for s in begun if s in rules.states)])
        if state and "swarm" not in game.facts(key):
            forced = {"combatant": key, "to": state, "forced": True, "note": "Before."}
            advance(game, "state", forced)
        if man.wounds and chance.random() < 0.5:
            advance(game, "wounds", {"combatant": key, "to": 0})
    advance(game, "turn", {"number": 1, "side": "a"})
    phases = [phase.id for phase in rules.phases if phase.id != rules.end_phase]
    for phase in phases[1 : chance.randint(1, len(phases))]:
        advance(game, "phase", {"phase": phase})
    return game


def advance(game, kind, payload):
    trial = game.attempt(kind, payload)
    if trial.counts:
        game.record(trial.event, trial.state)


def next_moment(game):
    """The event that goes on to the next phase, or to the next turn."""
    rules, state = game.rules, game.state
    phases = [phase.id for phase in rules.phases if phase.id != rules.end_phase]
    is_over = state.phase == rules.end_phase or (state.side == "b" and not rules.end_phase)
    if game.has_ended and state.phase != rules.end_phase:
        return "phase", {"phase": rules.end_phase}
    if state.phase in phases[:-1]:
        return "phase", {"phase": phases[phases.index(state.phase) + 1]}
    if state.side == "b" and not is_over:
        return "phase", {"phase": rules.end_phase}
    if is_over:
        return "turn", {"number": state.turn + 1, "side": "a"}
    return "turn", {"number": state.turn, "side": "b"}


def trials(rules, seed, count):
    """So many acts tried at moments of random battles, which are short: many begin somewhere."""
    chance = random.Random(seed)
    while count > 0:
        game = begin(rules, chance)
        for _ in range(10):
            accepted = []
            for kind, payload in some_choices(game):
                trial = game.attempt(kind, payload)
                count -= 1
                yield trial
                if trial.counts and kind != "phase" and not trial.state.end:
                    is_once = (payload.get("test") or payload.get("mark")) in ONCE
                    tells = is_once or game.words_of_all(trial.state) != game.words_of_all()
                    accepted += [trial] * (3 if tells else 1)
            if not accepted or chance.random() < 0.4:
                accepted = [game.attempt(*next_moment(game))]
                yield accepted[0]
            trial = chance.choice(accepted)
            if not trial.counts:
                break
            game.record(trial.event, trial.state)


def some_choices(game):
    """A few acts: any, open ones (few are at a moment), and of whom the latest act was about, as
    many faults take two acts of one warrior.
    """
    options = list(choices(game))
    game.chance.shuffle(options)
    open_acts = [option for option in options[:30] if game.verdict(*option)[0]]
    same = [option for option in options if game.subject.items() <= option[1].items()]
    return options[:4] + open_acts[:4] + same[:4]
