"""The rows of one warband, all of the same version, in three queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from accounts.owner import Owner
from warbands.access import may_see
from warbands.models import Warband, Warrior

TOKEN_MAX = 40


class Holding(NamedTuple):
    """One thing an entry has bought and what it paid."""

    key: str
    paid: int


@dataclass(frozen=True, slots=True)
class WarriorRows:
    """The warriors in order, their holdings in order by warrior, and the version read last; None: it is gone."""

    version: int | None
    warriors: list[Warrior]
    holdings: Mapping[int, list[Holding]]

    def keys_of(self, warrior_id: int) -> tuple[str, ...]:
        """The options of a warrior as a roster lists them."""
        return tuple(holding.key for holding in self.holdings.get(warrior_id, ()))

    @property
    def paid(self) -> dict[int, int]:
        """What one miniature of each entry paid."""
        return {row.pk: row.paid_each for row in self.warriors}


def is_token(token: str) -> bool:
    """Whether this can be the token of a warband at all."""
    return 0 < len(token) <= TOKEN_MAX and token.isascii() and token.isprintable()


def find_warband(actor: Owner, token: str) -> Warband | None:
    """The row with its owner and club, or None where there is none or the actor may not see it.

    One query, and one for a stranger who asks for what a club shares: to filter by what the actor may see
    (`readable_by`) takes a statement that is longer to put together than to run.
    """
    return _seen(actor, token, Warband.objects.all())


def read_warband(actor: Owner, token: str) -> tuple[Warband, WarriorRows] | None:
    """The warband with its warriors, or None as above.

    The statements see what is stored when each of them runs, so a change may come between them. The last one tells
    the version again; where it is another, all is read anew under the lock that every change takes.
    """
    warband = find_warband(actor, token)
    if warband is None:
        return None
    rows = load_rows(warband.pk)
    if rows.version == warband.version:
        return warband, rows
    with transaction.atomic():
        warband = _seen(actor, token, Warband.objects.select_for_update(of=("self",)))
        return (warband, load_rows(warband.pk)) if warband else None


def _seen(actor: Owner, token: str, rows: QuerySet[Warband]) -> Warband | None:
    if not is_token(token):
        return None
    found = next(iter(rows.filter(token=token).select_related("owner", "club").order_by()), None)
    return found if found and may_see(actor, found) else None


def load_rows(warband_id: int) -> WarriorRows:
    """Two queries, however many warriors there are."""
    warriors = list(Warrior.objects.filter(warband_id=warband_id).order_by("position", "pk"))
    # Joined from the warband, so that one without any holding still tells its version.
    joined = Warband.objects.filter(pk=warband_id).order_by(
        "warriors__holdings__position", "warriors__holdings__id"
    )
    found = list(joined.values_list("version", *_HOLDING))
    holdings: dict[int, list[Holding]] = {}
    for _, warrior_id, key, paid in found:
        if key is not None:
            holdings.setdefault(warrior_id, []).append(Holding(key, paid))
    return WarriorRows(found[0][0] if found else None, warriors, holdings)


_HOLDING = ("warriors__id", "warriors__holdings__key", "warriors__holdings__paid")
