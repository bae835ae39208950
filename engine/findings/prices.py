"""Prices that a roster keeps from before its list changed; a note of every system."""

from __future__ import annotations

from collections.abc import Iterable

from engine.findings.cases import FIXES_SHOWN, Finding, Fix
from engine.selection import Selection, price_kept

# No guideline has this code, so no system and no event can leave the note out.
CODE = "price.kept"


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
            code=CODE,
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
