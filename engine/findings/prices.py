"""Prices that a roster keeps from before its list changed. No guideline's affair, so no system may leave it out."""

from __future__ import annotations

from collections.abc import Iterable

from engine.findings.cases import Finding, Fix
from engine.selection import Selection, price_kept

CODE = "price.kept"


def kept_prices(selections: Iterable[Selection]) -> list[Finding]:
    """One note about the entries that paid another price than their list asks today; none without such an entry."""
    found = [selection for selection in selections if price_kept(selection)]
    if not found:
        return []
    words = [
        f"{s.label} paid {s.points_each} each, the list asks {s.points_each - price_kept(s)} now"
        for s in found
    ]
    fixes = [
        Fix(
            f"Take the new price of {s.label}, {_signed(-price_kept(s) * s.entry.count)}",
            "take_price",
            s.index,
        )
        for s in found[:3]
    ]
    return [
        Finding(
            code=CODE,
            level="note",
            message=f"Prices kept from before: {'; '.join(words)}.",
            warriors=tuple(s.index for s in found),
            source="What was paid stands until the new price is taken",
            fixes=tuple(fixes),
            title="Price kept",
            is_waivable=False,
        )
    ]


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}"
