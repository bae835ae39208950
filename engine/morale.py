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
    models = total_models(selections)
    able = [s for s in selections if s.leadership is not None]
    leaders = [s for s in able if s.entry.is_leader]
    # Of equals the first in the roster: max keeps it.
    best = max(leaders or able, key=lambda s: s.leadership or 0, default=None)
    others = [s.leadership or 0 for s in able if s is not best]
    fallback = max(others, default=None) if leaders else None
    return RoutThreshold(
        rout_from(models, rout),
        best.leadership if best else None,
        best.label if best else "",
        rout.dice,
        None if best and fallback == best.leadership else fallback,
    )
