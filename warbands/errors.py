"""What an operation says when it will not do a thing. No HTTP here: the edges turn these into answers.

The impossible itself is `engine.refusal.Refusal`, and what is not this actor's `accounts.errors.NotFound`, the same in
every app.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.errors import NotFound
from engine.refusal import Refusal

__all__ = ["DocumentError", "Fault", "KeyReused", "NotFound", "Refusal", "StaleVersion"]


class KeyReused(Refusal):
    """A request key that was used before for something else."""

    def __init__(self) -> None:
        super().__init__(
            "This request key was used before for another change. Send the new change with a new key.",
            field="key",
        )


class StaleVersion(Exception):
    """The warband has changed since it was read: ``current`` is its version now, ``expected`` the one asked for."""

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"This warband was changed in the meantime (you saw version {expected}, it is now at {current}). "
            "Look at it as it is now and make your change again."
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a document: where (``warriors[3].count``), and a sentence that names it and the limit."""

    path: str
    message: str


class DocumentError(Exception):
    """A document that is not a roster; ``faults`` lists what is wrong, the first ones first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(" ".join(f.message for f in self.faults[:3]))
