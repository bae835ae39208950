"""What an app above offers to do with a roster, such as founding a warband of a campaign with it.

Rosters know no campaigns. An app that takes rosters registers a function with `offer_uses` in its
``AppConfig.ready``.
"""

from collections.abc import Callable

from accounts.owner import Owner
from engine.records import frozen_dataclass
from engine.roster import Roster


@frozen_dataclass
class RosterUse:
    """Something that a roster can be used for: a sentence, and the page that does it."""

    words: str
    label: str
    address: str


RosterUses = Callable[[Owner, str, Roster], tuple[RosterUse, ...]]
"""What is offered to an actor for the roster of a warband, which a token names."""

# Filled when the apps are ready, and never changed afterwards.
_OFFERS: list[RosterUses] = []


def offer_uses(uses: RosterUses) -> None:
    """Register what an app offers for a roster. Call it once, when the app is ready."""
    _OFFERS.append(uses)


def load_uses(actor: Owner, token: str, roster: Roster) -> tuple[RosterUse, ...]:
    """Return all that is offered to an actor for a roster. One query at most for each app."""
    return tuple(use for uses in _OFFERS for use in uses(actor, token, roster))
