"""Whole games as players play them who know the text: what they record, what they try that the text
forbids, and what they must be asked for.

A file of ``games/`` says what is played (``system``, and ``rulings``) and who fights, a line for each
side: ``a Reiklanders: Captain W2 Ld8 I4 leader, Ogre W3 Ld7 stupidity, Rider flight3``. Below
``---`` each line is one of

    A a3 test panic 4 6 cause=shot_at     phone A records an event: combatant or side, kind, what
    A a3 mark ran ! It cannot run now.    the same, which the rules refuse with this reason
    A a3 mark ran !! It cannot run now.   refused, and recorded anyway
    ? The stupid test :: a2               the phase asks for this (its beginning), of these and no others;
                                          with nobody behind the colons it does not ask
    = a3 fleeing                          how somebody stands then
"""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.battles.rules import BattleRules
from engine.battles.types import Combatant, Event, Field, Side
from engine.roster import Agreement
from rulesdata import registry

FOLDER = Path(__file__).parent / "games"
WHY = "Agreed at the table."
_FIGURES = {
    "W": "wounds",
    "Ld": "leadership",
    "I": "initiative",
    "flight": "flight",
    "models": "models",
}
_WORD = {
    "state": "to",
    "mark": "mark",
    "test": "test",
    "counter": "counter",
    "wounds": "to",
}
_KINDS = ("cavalry", "officer", "big", "swarm")


@dataclass(frozen=True)
class Step:
    """One line. ``phone`` records ``payload``; or, without one, ``prompt`` is asked of ``who``, or
    ``who`` stands in the state ``prompt``.
    """

    line: str
    phone: str = ""
    kind: str = ""
    payload: dict[str, Any] = field(default_factory=dict)
    refusal: str = ""
    is_forced: bool = False
    prompt: str = ""
    who: tuple[str, ...] = ()


@dataclass(frozen=True)
class Game:
    name: str
    system: str
    variant: str | None
    rulings: dict[str, int]
    rules: BattleRules
    field: Field
    steps: tuple[Step, ...]

    def logs(self) -> Iterator[tuple[Step, list[Event]]]:
        """Each line with the log as it stands then, its own act last; what the rules refuse stays
        in the log and does nothing.
        """
        log: list[Event] = []
        for step in self.steps:
            if step.kind:
                log.append(_event(step.kind, step.payload, len(log) + 1))
            yield step, [*log]
            if step.is_forced:
                payload = {**step.payload, "forced": True, "note": WHY}
                log.append(_event(step.kind, payload, len(log) + 1))


def games() -> Iterator[Game]:
    for path in sorted(FOLDER.glob("*.txt")):
        head, _, body = path.read_text(encoding="utf-8").partition("---\n")
        pairs = (line.split(": ", 1) for line in head.strip().splitlines())
        says = dict(pairs)
        key, _, variant = says.pop("system").partition(" ")
        chosen = (pair.split("=") for pair in says.pop("rulings", "").split())
        rulings = {ref: int(place) for ref, place in chosen}
        agreed = Agreement(tuple(sorted(rulings.items())))
        sides = tuple(_side(name, men) for name, men in says.items())
        lines = (line.partition("#")[0].strip() for line in body.splitlines())
        yield Game(
            path.stem,
            key,
            variant or None,
            rulings,
            registry.battle_rules(key, variant or None, agreed),
            Field(sides),
            tuple(_step(line) for line in lines if line),
        )


def _side(title: str, men: str) -> Side:
    key, name = title.split(" ", 1)
    fighters = tuple(
        _combatant(key, place, words) for place, words in enumerate(men.split(", "), 1)
    )
    return Side(key, name, len(fighters), None, fighters)


def _combatant(side: str, place: int, text: str) -> Combatant:
    name, *words = text.split()
    figures: dict[str, Any] = {}
    for word in words:
        figure = re.fullmatch(r"(W|Ld|I|flight|models)(\d+)", word)
        if figure:
            figures[_FIGURES[figure[1]]] = int(figure[2])
        elif word == "leader":
            figures["is_leader"] = True
        else:
            of = "kinds" if word in _KINDS else "traits"
            figures[of] = (*figures.get(of, ()), word)
    return Combatant(f"{side}{place}", side, name, **figures)


def _step(line: str) -> Step:
    if line.startswith("? "):
        prompt, _, who = line[2:].partition(" :: ")
        return Step(line, prompt=prompt, who=tuple(who.split()))
    if line.startswith("= "):
        who, state = line[2:].split()
        return Step(line, prompt=state, who=(who,))
    act, mark, refusal = re.fullmatch(r"(.*?)(?: (!!?) (.*))?", line).groups()
    phone, first, *words = act.split()
    payload: dict[str, Any] = {}
    if first in ("turn", "phase", "end"):
        kind = first
        names = {"turn": ("number", "side"), "phase": ("phase",), "end": ("how", "winner")}
        payload = dict(zip(names[first], words, strict=False))
        if "number" in payload:
            payload["number"] = int(payload["number"])
    else:
        payload["combatant" if first[1:] else "side"] = first
        kind, what, *rest = words
        payload[_WORD[kind]] = int(what) if kind == "wounds" else what
        named = dict(word.split("=") for word in rest if "=" in word)
        numbers = [int(word) for word in rest if "=" not in word]
        if kind == "test":
            payload["dice"] = numbers
        if kind == "counter":
            payload["to"] = numbers[0]
        if "modifier" in named:
            payload["modifier"] = int(named.pop("modifier"))
        payload |= {
            "lent_by" if key == "lent" else key: value for key, value in named.items()
        }
    return Step(line, phone, kind, payload, refusal or "", mark == "!!")


def _event(kind: str, payload: dict[str, Any], seq: int) -> Event:
    id_ = str(uuid.UUID(int=seq, version=4))
    return Event(id_, "p", seq, "2026-03-01T19:30:00Z", kind, payload)
