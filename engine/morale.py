"""Rout: when a side must test to stay, and on whose Leadership."""

from collections.abc import Sequence

from engine.records import frozen_dataclass
from engine.selection import Selection, total_models
from engine.types.mechanics import Rout


@frozen_dataclass
class RoutThreshold:
    """The first Rout test of a side.

    It is due with ``out`` models out of action and taken with ``dice`` on the ``leadership`` of the
    warrior that ``taken_on`` names. None: there are no models, or nobody has Leadership.
    ``fallback`` is the best without a leader who is out or stunned; None: as good, or nobody's.
    """

    out: int | None
    leadership: int | None
    taken_on: str
    dice: str = "2D6"
    fallback: int | None = None


def rout_from(models: int, rout: Rout) -> int | None:
    """Return how many models out call the test, or None where there are no models.

    Source: Warhammer Skirmish, THE ROUT TEST: a quarter of the models that began (ruling G20).
    """
    if models <= 0:
        return None
    # Rounded up: of 10 models two are not yet a quarter, three are.
    return -(-models * rout.numerator // rout.denominator)


def rout_threshold(selections: Sequence[Selection], rout: Rout) -> RoutThreshold:
    """Return when the first test is due, and on whose Leadership it is taken.

    That is the leader's, or the best there is while nobody leads.

    Source: Warhammer Skirmish, THE ROUT TEST; Mordheim, version A, The phases.
    """
    out = rout_from(total_models(selections), rout)
    # Of equals the first in the roster leads, then whoever has the highest Leadership.
    able = [s for s in selections if s.leadership is not None]
    able.sort(key=lambda s: (s.entry.is_leader, s.leadership), reverse=True)
    if not able:
        return RoutThreshold(out, None, "", rout.dice)
    best, second = able[0], able[1].leadership if able[1:] else None
    if not best.entry.is_leader or second == best.leadership:
        second = None
    return RoutThreshold(out, best.leadership, best.label, rout.dice, second)
