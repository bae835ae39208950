"""What an operation on a battle says when it will not do a thing. No HTTP here: the edges turn these into answers."""

from __future__ import annotations

from accounts.errors import NotAllowed
from engine.refusal import Refusal
from warbands.errors import DocumentError, Fault, KeyReused, NotFound

__all__ = [
    "DocumentError",
    "Fault",
    "KeyReused",
    "NotAllowed",
    "NotFound",
    "Refusal",
    "StaleEvent",
    "StaleResult",
]


class StaleResult(Exception):
    """The result has changed since it was read: ``current`` entries there are, ``expected`` were seen."""

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"The result was changed in the meantime (you saw step {expected}, it is now at {current}). "
            "Look at it as it is now, then decide."
        )
        super().__init__(self.message)


class StaleEvent(Exception):
    """The event has changed since it was read: it is at version ``current``, ``expected`` was seen."""

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"Somebody else changed this event in the meantime (you saw version {expected}, it is now at {current}). "
            "Look at it as it is now, then decide."
        )
        super().__init__(self.message)
