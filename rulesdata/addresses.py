"""How addresses of the rule book name what a page is about."""

from __future__ import annotations


class Book:
    """A rule system, or one text of it behind a full stop: ``warhammer-skirmish``, ``mordheim-rulings.A``."""

    regex = r"[-a-zA-Z0-9_]+(?:\.[A-Z][A-Z0-9]{0,9})?"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class UrlPart(Book):
    """A part of a club's list that is written record by record."""

    regex = "units|weapons|armour"


class Gear(Book):
    """A part of a club's list that holds what may be carried or worn."""

    regex = "weapons|armour"
