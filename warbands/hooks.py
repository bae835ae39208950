"""What an app above offers to do with a warband, and what it refuses.

Rosters know no campaigns. An app that takes rosters registers functions with `offer_uses` and
`guard_names` in its ``AppConfig.ready``.
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

NameGuard = Callable[[int], None]
"""What raises WrongState where the warband of an id keeps its name and note."""

# Filled when the apps are ready, and never changed afterwards.
_OFFERS: list[RosterUses] = []
_GUARDS: list[NameGuard] = []


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


def guard_names(guard: NameGuard) -> None:
    """Register what an app asks before a warband of it is named. Call it once, when ready."""
    _GUARDS.append(guard)


def check_naming(warband_id: int) -> None:
    """Raise WrongState for a warband whose name and note stay. One query for each app."""
    for guard in _GUARDS:
        guard(warband_id)
