"""What an operation on a club's content says when it will not do a thing. No HTTP here."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.errors import NotAllowed
from engine.errors import Refusal
from rulesdata.pack_files.yaml_files import Fault

__all__ = ["FaultyList", "NotAllowed", "Refusal", "StaleRecord"]


class StaleRecord(Refusal):
    """A record has changed since the form was opened."""

    def __init__(self) -> None:
        super().__init__(
            "Somebody else changed this record in the meantime. Look at it as it is now, "
            "then send it again."
        )


class FaultyList(Refusal):
    """A list that cannot be kept; ``faults`` is everything that is wrong with it, each with its
    place and line.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(
            f"Nothing was kept: {fault_sentence(self.faults[0])}" if faults else "Nothing was kept."
        )


def fault_sentence(fault: Fault) -> str:
    """A fault as a sentence without the name of the file: the line where known, the place, what was
    expected.
    """
    place = ": ".join(filter(None, (f"line {fault.line}" if fault.line else "", fault.key)))
    return f"{place}: {fault.message}" if place else fault.message
