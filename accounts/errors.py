"""What an operation raises when it will not do a thing: one hierarchy for every app.

No HTTP here: `config.middleware` answers pages with it and the API its calls. The base of all but
NotFound is `engine.errors.Refusal`: a sentence to show, and the field to mend where one is known.
"""

from collections.abc import Sequence

from engine.errors import Refusal as Refusal  # every app imports it from here
from engine.records import frozen_dataclass

# What changed, what its versions are called, and what to do next.
_STALE = {
    "warband": ("Somebody changed this warband", "version", " and make your change again"),
    "event": ("Somebody else changed this event", "version", ", then decide"),
    "result": ("Somebody changed the result", "step", ", then decide"),
    "season": ("Somebody else changed this season", "version", ", then decide"),
}


class NotFound(LookupError):
    """There is no such thing, or it is not this actor's to see. Both sound alike on purpose."""


class NotAllowed(Refusal):
    """Somebody who may read a thing asks for what is not theirs to do."""


class WrongState(Refusal):
    """What is asked for does not go with the state a thing is in: over, closed, published."""

    def __init__(self, message: str) -> None:
        super().__init__(message, field="status")


class ShareUsed(Refusal):
    """What one address may store in a day is used up."""


class NoRoom(Refusal):
    """There is no room left for what is to be stored, whoever stores it."""


class UnknownCode(Refusal):
    """A code that could be a club's and is none's: mistyped, void by now, or guessed."""


class KeyReused(Refusal):
    """A request key that was used before for something else."""

    def __init__(self) -> None:
        super().__init__(
            "This request key was used before for another change. Send the new change with a "
            "new key.",
            field="key",
        )


class Stale(Refusal):
    """A thing has changed since it was read: it is at ``current``, and ``expected`` was seen.

    ``what`` is warband, event, result, season, club or record. A club and a record are seen by a hash of
    their text, which tells nobody anything: they bring a ``message`` of their own.
    """

    def __init__(
        self, what: str, current: int | str, expected: int | str, message: str = ""
    ) -> None:
        self.what = what
        self.current = current
        self.expected = expected
        if not message:
            changed, unit, then = _STALE[what]
            message = (
                f"{changed} after you opened it: you saw {unit} {expected}, now it is {unit} "
                f"{current}. Reload the page{then}."
            )
        super().__init__(message)


class StaleResult(Stale):
    """The same of a battle's result, whose versions are its steps."""

    def __init__(self, current: int, expected: int) -> None:
        super().__init__("result", current, expected)


@frozen_dataclass
class Fault:
    """One thing wrong in a document: its place (``warriors[3].count``), a sentence, and its line.

    The sentence names the limit. The line counts from 1; 0 where the document has none.
    """

    path: str
    message: str
    line: int = 0

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        return ": ".join(filter(None, (line, self.path, self.message)))


class FaultyDocument(Refusal):
    """A document that cannot be taken as it is; ``faults`` lists all, the first ones first."""

    def __init__(self, faults: Sequence[Fault], message: str = "") -> None:
        self.faults = tuple(faults)
        super().__init__(message or " ".join(fault.message for fault in self.faults[:3]))
