"""The careers of a campaign's warriors: what each has become, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accounts.owner import Owner
from battles.results import GrownCareer
from campaigns import access
from campaigns.growth_payloads import StoredRow
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.queries.events import load_event
from campaigns.queries.growth.happenings import (
    ADVANCES,
    INJURIES,
    gain_words,
    is_group,
    round_of,
)
from campaigns.queries.growth.ledger import ledger_of
from campaigns.queries.growth.names import CampaignNames
from engine.growth import happenings as kinds
from engine.growth.happenings import Happening
from engine.growth.warriors import GrownWarrior
from engine.records import NumberByKey, frozen_dataclass
from rulesdata import registry
from warbands.models import Warband

ENDINGS = {
    kinds.REFUSED: "Not ransomed",
    kinds.DISMISSED: "Dismissed",
}
"""How a warrior may end besides by a row of a table, which has a name of its own."""
LEFT = "Left the warband"


@frozen_dataclass
class _CareerSource:
    """A campaign as careers need it: its names, and the rounds of its games."""

    names: CampaignNames
    rounds: NumberByKey
    warband: str

    def told_of(self, key: str) -> list[Happening]:
        """Return what befell a warrior, the first first."""
        told = self.names.ledger.state.happenings
        wanted = (self.warband, key)
        return [one for one in told if (one.warband, one.warrior) == wanted]

    def dated(self, words: str, one: Happening) -> str:
        """Return words with the round in which it happened, where that is known."""
        number = round_of(one, self.names.ledger.state, self.rounds)
        return f"{words} (round {number})" if number else words


def load_grown_careers(actor: Owner, warband: Warband) -> dict[int, GrownCareer]:
    """Return what a campaign made of the warriors of its warband, by the ids of their rows.

    Two queries, one more for others than its player. Empty for other warbands, and where the
    reader may open neither the campaign nor, before lists are shown, the roster.
    """
    if not warband.is_grown:
        return {}
    rows = CampaignWarband.objects.filter(warband=warband.pk)
    own = rows.select_related("entry__event", "warband").first()
    if own is None or not _may_read(actor, own):
        return {}
    source = _load_source(own)
    grown = source.names.ledger.state.warbands[own.token]
    warriors = [*grown.former, *grown.warriors.values()]
    return {
        own.rows[one.key]: _career(source, one) for one in warriors if one.key in own.rows
    }


def _may_read(actor: Owner, own: CampaignWarband) -> bool:
    """Return whether the reader is told who is in a warband of a campaign."""
    if access.plays_as(actor, own.entry):
        return True
    event = load_event(actor, own.entry.event.token)
    return event is not None and not event.hides(own.entry.token)


def _load_source(own: CampaignWarband) -> _CareerSource:
    """Return the campaign of a warband. One query, which tells the rounds of games too."""
    event, columns = own.entry.event, ("position", "kind", "payload")
    found = GrowthRow.objects.filter(event=event).order_by("position")
    # No names of other warbands, and no query for them: captors are not named here.
    rounds: dict[str, int] = {}
    rows = []
    for *said, token, number in found.values_list(
        *columns, "fixture__token", "fixture__round__number"
    ):
        rows.append(StoredRow(*said))
        if token:
            rounds[token] = number
    ledger = ledger_of(event, tuple(rows))
    names = CampaignNames(ledger, registry.system_of(event), (own,))
    return _CareerSource(names, rounds, own.token)


# One warrior


def _career(source: _CareerSource, one: GrownWarrior) -> GrownCareer:
    """Return what a warrior has become."""
    told = source.told_of(one.key)
    group, dot, _ = one.key.partition(".")
    came_from = source.names.unit(source.warband, group) if dot else ""
    if one.captor:
        held = [each for each in told if each.what == kinds.CAPTURED]
        ended = source.dated("Held captive", held[-1]) if held else "Held captive"
    elif not one.gone:
        ended = ""
    else:
        last = end_of(told)
        ended = source.dated(end_words(last), last) if last else LEFT
    return GrownCareer(
        kind=source.names.kind(one.kind),
        experience=one.experience,
        advances=tuple(
            source.dated(gain_words(source.names, each), each)
            for each in told
            if each.what in ADVANCES
        ),
        injuries=tuple(
            source.dated(each.row, each) for each in told if each.what in INJURIES
        ),
        came_from=came_from,
        ended=ended,
        lost=tuple(_losses(source, one, told)),
    )


def _losses(
    source: _CareerSource, one: GrownWarrior, told: list[Happening]
) -> Iterator[str]:
    """Yield the models that a group has lost, but for the end of it."""
    if is_group(source.names, source.warband, one.key):
        yield from (
            source.dated(each.row, each) for each in told if each.what == kinds.LOST
        )


def end_of(told: Iterable[Happening]) -> Happening | None:
    """Return what ended somebody who is gone; None for the last of a group, who was promoted."""
    ends = [each for each in told if each.what in (kinds.LOST, *ENDINGS)]
    return ends[-1] if ends else None


def end_words(last: Happening | None) -> str:
    """Return an end in words."""
    return (last.row or ENDINGS[last.what]) if last else LEFT
