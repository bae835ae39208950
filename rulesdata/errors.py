"""What an operation on a club's content says when it will not do a thing. No HTTP here."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from accounts.errors import Fault, FaultyDocument
from engine.growth.faults import FaultyRules
from rulesdata.pack_files.yaml_files import Fault as FileFault

# A record is seen by a digest, which tells nobody anything: so there is a sentence of its own.
STALE_RECORD = (
    "Somebody else changed this record in the meantime. Look at it as it is now, then send it "
    "again."
)


class FaultyList(FaultyDocument):
    """A list that cannot be kept; ``faults`` is all that is wrong with it, with place and line."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        # the file is the one that was sent: its name tells the person nothing
        listed = [Fault(fault.key, fault.message, fault.line or 0) for fault in faults]
        first = f": {listed[0]}" if listed else "."
        super().__init__(listed, f"Nothing was kept{first}")


class FaultyCampaignRules(FaultyDocument):
    """Campaign rules that cannot be kept; ``faults`` is all that is wrong with them, by path."""

    def __init__(self, error: FaultyRules) -> None:
        faults = [
            Fault(f"document.{fault.path}".rstrip("."), fault.message)
            for fault in error.faults
        ]
        super().__init__(faults, f"Nothing was kept: {error.message}")


@contextmanager
def faults_told() -> Iterator[None]:
    """Let faulty campaign rules be told as a faulty document, each fault with its path."""
    try:
        yield
    except FaultyRules as error:
        raise FaultyCampaignRules(error) from None
