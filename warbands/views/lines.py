"""Lines that are drawn once and kept. A change redraws the whole roll and alters a line or two of it.

A line is a frozen value of everything it says, and its template is given nothing else, so two that are equal look the
same. What makes no difference on the page (the place in the roster, the version) is not in it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from warbands.sheet import SheetLine, SheetWarrior

KEPT = 2000  # lines: about 10 MB, and 40 where each is of thirty miniatures with boxes of their own


@lru_cache(maxsize=KEPT)
def render_line(template: str, line: Hashable) -> SafeString:
    """The template with ``line``. A field holds text or markup, never now one, now the other: they compare equal."""
    return render_to_string(template, {"line": line})


@dataclass(frozen=True, slots=True)
class Badge:
    level: str
    label: str


@dataclass(frozen=True, slots=True)
class RollLine:
    """What stands in a line of the roll. ``home`` is the warband's address, ``points`` None where none are shown."""

    home: str
    token: str
    id: int | None
    profile_key: str
    title: str
    name: str
    count: int
    is_leader: bool
    subtitle: str
    gear: str
    lore: str
    has_note: bool
    badges: tuple[Badge, ...]
    points: int | None
    stats: SheetLine | None
    save: str | None

    @property
    def closed(self) -> SafeString:
        """The line of the builder with its options folded away."""
        return render_line("warbands/builder/closed.html", self)

    @property
    def reading(self) -> SafeString:
        """The line for those who only read."""
        return render_line("warbands/read_line.html", self)


def roll_line(
    warrior: SheetWarrior, badges: tuple[Badge, ...], *, token: str, home: str, is_priced: bool
) -> RollLine:
    """The line of one warrior."""
    return RollLine(
        home=home,
        token=token,
        id=warrior.id,
        profile_key=warrior.profile_key,
        title=warrior.title,
        name=warrior.name,
        count=warrior.count,
        is_leader=warrior.is_leader,
        subtitle=warrior.subtitle,
        gear=", ".join(warrior.gear).lower(),
        lore=warrior.lore,
        has_note=bool(warrior.note),
        badges=badges,
        points=warrior.points if is_priced else None,
        stats=warrior.main_line,
        save=warrior.save.shown,
    )
