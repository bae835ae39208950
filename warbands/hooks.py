"""What an app above offers to do with a warband, such as founding one of a campaign with it.

Rosters know no campaigns. An app that takes rosters registers a function with `offer_uses` in its
``AppConfig.ready``.
"""

from collections.abc import Callable

from accounts.owner import Owner
from engine.records import frozen_dataclass
from warbands.queries.records import WarbandRecord


@frozen_dataclass
class RosterUse:
    """Something that a warband can be used for: a sentence, and the page that does it."""

    words: str
    label: str
    address: str


RosterUses = Callable[[Owner, WarbandRecord], tuple[RosterUse, ...]]
"""What is offered to an actor for a warband of theirs."""

# Filled when the apps are ready, and never changed afterwards.
_OFFERS: list[RosterUses] = []


def offer_uses(uses: RosterUses) -> None:
    """Register what an app offers for a warband. Call it once, when the app is ready."""
    _OFFERS.append(uses)


def load_uses(actor: Owner, record: WarbandRecord) -> tuple[RosterUse, ...]:
    """Return all that is offered to an actor for a warband. One query at most for each app.

    Nothing for a warband of somebody else, or one in the archive.
    """
    if not record.may_change or record.is_archived:
        return ()
    return tuple(use for uses in _OFFERS for use in uses(actor, record))
