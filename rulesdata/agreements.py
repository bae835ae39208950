"""Rulings chosen for a warband, a battle, an event or a club, and how they are told."""

from collections.abc import Mapping

from engine.errors import Refusal
from engine.records import NamedValues, Texts, frozen_dataclass, is_int_within
from engine.roster import TEXT, in_force, ruling_source
from engine.types.mechanics import Ruling
from engine.types.systems import System

SHOWN = 10
WORDS = {
    TEXT: "as in the rules",
    "club": "as the club plays",
    "event": "agreed for the event",
    "battle": "agreed for this battle",
    "": "agreed",
}
"""On whose word a ruling is played, as pages and papers say it."""


@frozen_dataclass
class PlayedRuling:
    """One ruling as it is played: what is played, and on whose word."""

    ref: str
    title: str
    says: str
    source: str

    @property
    def words(self) -> str:
        return WORDS[self.source]

    @property
    def sentence(self) -> str:
        return f"{self.title}: {self.says}"


def open_rulings(system: System) -> tuple[Ruling, ...]:
    """The rulings of the system that may be played otherwise."""
    return tuple(ruling for ruling in system.rulings if ruling.alternatives)


def ruling_fault(system: System, rulings: Mapping[str, object]) -> str:
    """What is wrong with choices of rulings, as a sentence; empty where nothing is."""
    offered = {ruling.ref: ruling for ruling in open_rulings(system)}
    # The first fault is enough: a form offers nothing else, and a program mends one at a time.
    for ref, place in rulings.items():
        ruling = offered.get(ref)
        if ruling is None:
            safe = "".join(sign if sign.isprintable() else "?" for sign in str(ref)[:SHOWN])
            if not offered:
                return f"{system.full_name} has no ruling to choose; leave “{safe}” out."
            names = ", ".join(sorted(offered))
            return (
                f"{system.full_name} has no ruling “{safe}” to choose; there are {names}."
            )
        most = len(ruling.alternatives)
        if not is_int_within(place, 0, most):
            return (
                f"Ruling {ref} must be a whole number from 0 to {most}: 0 plays it as the text has "
                "it, 1 the first alternative."
            )
    return ""


def checked_rulings(system: System, rulings: NamedValues) -> dict[str, int]:
    """The places of alternatives, each by the ref of a ruling there is; Refusal for others."""
    if fault := ruling_fault(system, rulings):
        raise Refusal(fault, field="rulings")
    return dict(rulings)


def played_rulings(system: System, rulings: NamedValues) -> tuple[PlayedRuling, ...]:
    """Every ruling that is not played as the text has it, and on whose word."""
    # A choice may say that the text's own way is played; nobody has to be told of that.
    chosen = in_force(rulings)
    return tuple(
        PlayedRuling(
            ruling.ref, ruling.title, ruling.ways[place], ruling_source(rulings, ruling.ref)
        )
        for ruling in open_rulings(system)
        if 0 < (place := chosen.get(ruling.ref, 0)) < len(ruling.ways)
    )


def ruling_sentences(system: System, rulings: NamedValues) -> Texts:
    """The same in a sentence each, for sheets and papers."""
    return tuple(played.sentence for played in played_rulings(system, rulings))
