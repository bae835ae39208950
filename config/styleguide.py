"""Every component in every state on one page, with figures from the army lists.

Served while developing only.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.ui.html import icon_names

STATS = ("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld")
CAPTAIN = (4, 5, 5, 4, 4, 2, 5, 3, 8)
PRIEST = (4, 4, 3, 4, 4, 2, 4, 2, 8)
SOLDIER = (4, 3, 3, 3, 3, 1, 3, 1, 7)
SERGEANT = (4, 3, 3, 3, 3, 1, 3, 2, 7)
ORC = (4, 3, 3, 3, 4, 1, 2, 1, 7)
BOSS = (4, 4, 3, 4, 4, 1, 2, 2, 7)
COLOURS = "paper sheet wash rule edge ink-2 ink pen pen-wash orange sky vermilion green".split()  # noqa: SIM905
ARMIES = (("empire", "The Empire"), ("orcs", "Orcs and Goblins"))
SHARING = (("private", "Private"), ("link", "By link"), ("public", "Public"))


class ExampleForm(forms.Form):
    """One field of each kind, sent with faults so that they show."""

    name = forms.CharField(
        label="Warband name", max_length=80, help_text="Shown on the sheet and to your opponent."
    )
    points_limit = forms.IntegerField(label="Points limit", min_value=100, max_value=250)
    army = forms.ChoiceField(label="Army list", choices=ARMIES)
    sharing = forms.ChoiceField(label="Who may see it", choices=SHARING, widget=forms.RadioSelect)
    notes = forms.CharField(label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 3}))
    keep = forms.BooleanField(label="Keep me signed in on this device", required=False)


def _line(values: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(STATS, values, strict=True))


def _to_wound() -> list[tuple[int, list[str | None]]]:
    def needed(strength: int, toughness: int) -> str | None:
        score = max(2, 4 - strength + toughness)
        return f"{min(score, 6)}+" if score <= 7 else None

    return [
        (strength, [needed(strength, toughness) for toughness in range(1, 11)])
        for strength in range(1, 11)
    ]


def _roll() -> list[dict[str, object]]:
    entries: tuple[tuple[Any, ...], ...] = (
        (1, "Captain", "Ostwin Brandt", "Halberd, light armour", CAPTAIN, "6+", 56),
        (1, "Warrior Priest", "Brother Anselm", "Great weapon, light armour", PRIEST, "6+", 101),
        (1, "Sergeant", "Lutz", "Halberd, light armour, shield", SERGEANT, "5+", 17),
        (3, "Halberdier", "", "Halberd, light armour, shield", SOLDIER, "5+", 21),
        (3, "Archer", "", "Bow, hand weapon", SOLDIER, "", 24),
    )
    names = ("count", "name", "own", "gear", "stats", "save", "points")
    rows = [dict(zip(names, entry, strict=True)) for entry in entries]
    return [
        row | {"stats": list(zip(STATS, row["stats"], strict=True)), "leads": row is rows[0]}
        for row in rows
    ]


def styleguide(request: HttpRequest) -> HttpResponse:
    """The page of all components."""
    form = ExampleForm(
        {
            "name": "The Ferrymen of Altwasser",
            "points_limit": "90",
            "army": "empire",
            "sharing": "link",
        }
    )
    context = {
        "form": form,
        "formats": [("text", "Text"), ("markdown", "Markdown"), ("compact", "Compact")],
        "tabs": [
            {"label": "Roster", "url": "#s-choosing", "current": True},
            {"label": "Quick reference", "url": "#s-choosing"},
            {"label": "Cards", "url": "#s-choosing"},
        ],
        "states": [
            ("standing", "Standing"),
            ("down", "Knocked down"),
            ("stunned", "Stunned"),
            ("out", "Out of action"),
        ],
        "icons": sorted(icon_names()),
        "captain": _line(CAPTAIN),
        "changed": ["WS"],
        "plate_rows": [
            {"name": "Orc", "stats": _line(ORC), "extra": [("Save", "6+"), ("Pts", 5)]},
            {
                "name": "Orc Boss",
                "note": "champion",
                "stats": _line(BOSS),
                "changed": ["WS", "S", "A"],
                "extra": [("Save", "6+"), ("Pts", "+13")],
            },
        ],
        "chart_columns": list(range(1, 11)),
        "chart_rows": _to_wound(),
        "colours": COLOURS,
        "page": Paginator(range(70), 10).page(2),
        "stat_names": STATS,
        "roll": _roll(),
    }
    return render(request, "styleguide.html", context)
