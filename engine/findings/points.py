"""Points: total against limit, limit against guideline, prices kept from before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.findings.case import FIXES_SHOWN, Case, Finding, Fix, Occurrence
from engine.findings.kinds import kind
from engine.findings.parameters import Parameter
from engine.selection import Selection, price_kept
from engine.types.mechanics import Guideline

# No guideline has this code, so no system and no event can leave the note out.
PRICE_KEPT = "price.kept"


@kind(fields={"total": int, "limit": int, "over": int})
def total_over_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that costs more points than its limit."""
    limit = case.roster.points_limit
    if limit is not None and case.total > limit:
        over = case.total - limit
        fix = Fix(f"Raise the limit to {case.total}", "set_limit", value=case.total)
        yield Occurrence({"total": case.total, "limit": limit, "over": over}, fixes=(fix,))


@kind(
    fields={"limit": int, "minimum": int, "maximum": int},
    needs=(Parameter.MINIMUM, Parameter.MAXIMUM),
)
def limit_outside(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a limit below the minimum or above the maximum."""
    limit = case.roster.points_limit
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    if limit is not None and not low <= limit <= high:
        nearest = low if limit < low else high
        fix = Fix(f"Set the limit to {nearest}", "set_limit", value=nearest)
        yield Occurrence({"limit": limit, "minimum": low, "maximum": high}, fixes=(fix,))


@kind(fields={"total": int, "limit": int, "left": int}, needs=(Parameter.PART,))
def total_under_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that leaves more of its limit unspent than a part (10: a tenth)."""
    limit = case.roster.points_limit
    if limit is not None and (limit - case.total) * guideline.parameters["part"] > limit:
        yield Occurrence({"total": case.total, "limit": limit, "left": limit - case.total})


def kept_prices(selections: Iterable[Selection]) -> list[Finding]:
    """Return one note about the entries that paid another price than today's, if any."""
    found = [selection for selection in selections if price_kept(selection)]
    if not found:
        return []
    words = "; ".join(
        f"{s.label} paid {s.points_each} each, the list asks {s.points_each - price_kept(s)} now"
        for s in found
    )
    return [
        Finding(
            code=PRICE_KEPT,
            level="note",
            message=f"Prices kept from before: {words}.",
            warriors=tuple(s.index for s in found),
            source="What was paid stands until the new price is taken",
            fixes=tuple(_new_price(s) for s in found[:FIXES_SHOWN]),
            title="Price kept",
            is_waivable=False,
        )
    ]


def _new_price(selection: Selection) -> Fix:
    """Return the remedy of paying what the list asks today."""
    change = _signed(-price_kept(selection) * selection.entry.count)
    label = f"Take the new price of {selection.label}, {change}"
    return Fix(label, "take_price", selection.index)


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}"
