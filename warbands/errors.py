"""What an operation says when it will not do a thing. No HTTP here: the edges turn these into answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class NotFound(LookupError):
    """There is no such warband or warrior, or it is not this actor's. Both sound alike on purpose."""


class Refusal(Exception):
    """The impossible. ``field`` names the input (empty: the request as a whole), ``sentence`` says what to do."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence


class KeyReused(Refusal):
    """A request key that was used before for something else."""

    def __init__(self) -> None:
        super().__init__("key", "This request key was used before for another change. Send the new change with a new key.")


class StaleVersion(Exception):
    """The warband has changed since it was read. ``current`` is the version it has now."""

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.sentence = (
            f"This warband was changed in the meantime (you saw version {expected}, it is now at {current}). "
            "Look at it as it is now and make your change again."
        )
        super().__init__(self.sentence)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a document: where (``warriors[3].count``), and a sentence that names it and the limit."""

    path: str
    sentence: str


class DocumentError(Exception):
    """A document that is not a roster; ``faults`` lists what is wrong, the first ones first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(" ".join(f.sentence for f in self.faults[:3]))
