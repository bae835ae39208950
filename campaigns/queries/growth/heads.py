"""The head of a campaign warband: what every page of it shows at its top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from campaigns.models import CampaignWarband
from campaigns.queries.growth.ledger import CampaignLedger, closed_round
from campaigns.queries.growth.names import WHATS, CampaignNames
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.records import Texts, frozen_dataclass


@frozen_dataclass
class WarbandHead:
    """A player of a growing campaign with the warband of theirs, or without one yet.

    ``id`` is "" before anything is founded. ``after`` is the token of the last game that counts for
    the warband, ``dues`` what it still owes in words, ``owes`` how much that is. ``may_act``: the
    reader plays it or runs the event, and the event is not archived. ``has_figures``: rating,
    treasury and territories are no secret, or were stored when a round was closed.
    """

    entry: EntryRecord
    may_act: bool
    id: str = ""
    name: str = ""
    rating: int = 0
    treasury: Texts = ()
    territories: Texts = ()
    dues: Texts = ()
    owes: int = 0
    after: str = ""
    models: int = 0
    is_closed: bool = False
    has_figures: bool = True


def head_of(
    event: ClubEventRecord,
    entry: EntryRecord,
    row: CampaignWarband | None,
    names: CampaignNames,
) -> WarbandHead:
    """Return the head of a warband, or of a player who has founded none."""
    may_act = (entry.is_mine or event.may_organise) and not event.is_archived
    if row is None:
        return WarbandHead(entry, may_act)
    state = names.ledger.state
    grown = state.warbands[row.token]
    return WarbandHead(
        entry=entry,
        may_act=may_act,
        id=row.token,
        name=row.name,
        rating=grown.rating,
        treasury=names.money(grown.treasury),
        territories=grown.territories,
        dues=due_kinds(names, row.token),
        owes=sum(one.warband == row.token for one in state.open),
        after=last_game(names.ledger, row.token),
        models=grown.models,
        is_closed=grown.is_closed,
        has_figures=closed_round(event, row) != 0,
    )


# What is still to do


def last_game(ledger: CampaignLedger, warband: str) -> str:
    """Return the last game that counts for a warband, "" before there is one."""
    found = ledger.state.battles_of(warband)
    return found[-1].fixture if found else ""


def due_kinds(names: CampaignNames, warband: str) -> Texts:
    """Return what a warband owes, counted by what is asked: "2 × Injury".

    In the order of the page after a battle, whatever the keys of the games are.
    """
    owed = [one.kind for one in names.ledger.state.open if one.warband == warband]
    order = tuple(WHATS)
    owed.sort(key=lambda kind: order.index(kind) if kind in order else len(order))
    return counted(WHATS.get(kind, kind) for kind in owed)


def counted(words: Iterable[str]) -> Texts:
    """Return words once each, with how often they were there: "2 × Injury"."""
    found = Counter(words)
    return tuple(
        what if count == 1 else f"{count} × {what}" for what, count in found.items()
    )
