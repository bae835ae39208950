"""What an operation says when it will not do a thing, the same in every app.

No HTTP here: the edges answer with it.

The impossible itself is `engine.refusal.Refusal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import Refusal as Refusal  # every app imports it from here


class NotFound(LookupError):
    """There is no such thing, or it is not this actor's to see. Both sound alike on purpose."""


class NotAllowed(Refusal):
    """Somebody who may read a thing asks for what is not theirs to do."""


class UnknownCode(Refusal):
    """A code that could be a club's and is none's: mistyped, void by now, or guessed."""


class StaleClub(Refusal):
    """Somebody else changed what a club says about itself since it was read."""


class KeyReused(Refusal):
    """A request key that was used before for something else."""

    def __init__(self) -> None:
        super().__init__(
            (
                "This request key was used before for another change. Send the new change with a "
                "new key."
            ),
            field="key",
        )


class StaleVersion(Exception):
    """The warband has changed since it was read: ``current`` is its version now, ``expected`` the
    one asked for.
    """

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"This warband was changed in the meantime (you saw version {expected}, it is "
            f"now at {current}). "
            "Look at it as it is now and make your change again."
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a document: where (``warriors[3].count``), and a sentence that names it
    and the limit.
    """

    path: str
    message: str


class DocumentError(Exception):
    """A document that is not a roster; ``faults`` lists what is wrong, the first ones first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(" ".join(f.message for f in self.faults[:3]))


class StaleResult(Exception):
    """The result has changed since it was read: ``current`` entries there are, ``expected`` were
    seen.
    """

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"The result was changed in the meantime (you saw step {expected}, it is now at "
            f"{current}). "
            "Look at it as it is now, then decide."
        )
        super().__init__(self.message)


class StaleEvent(Exception):
    """The event has changed since it was read: it is at version ``current``, ``expected`` was seen."""

    def __init__(self, current: int, expected: int) -> None:
        self.current = current
        self.expected = expected
        self.message = (
            f"Somebody else changed this event in the meantime (you saw version {expected}, "
            f"it is now at {current}). "
            "Look at it as it is now, then decide."
        )
        super().__init__(self.message)
