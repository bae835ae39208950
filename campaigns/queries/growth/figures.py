"""Warbands of a growing campaign in standings, files and stories, and its units' careers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accounts.owner import Owner
from battles.results import GrownCareer
from campaigns import access
from campaigns.growth_payloads import StoredRow
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.queries.events import load_event
from campaigns.queries.growth.ledger import closed_round, figures_note, ledger_of
from campaigns.queries.growth.phrases import GAINS
from campaigns.queries.growth.presenter import CampaignPresenter, load_campaign
from campaigns.queries.growth.warbands import end_words, find_end
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.standings import (
    StandingsRecord,
    StandingWarband,
    load_standings,
)
from engine.growth import happenings
from engine.growth.effects import LASTING
from engine.growth.happenings import Happening
from engine.growth.warriors import REFUSED, GrownWarrior
from engine.records import NumberByKey, Texts, frozen_dataclass
from warbands.models import Warband

PHRASES_MOST = 8
"""What is told of a warband in a round; more of it is counted."""


@frozen_dataclass
class WarbandFigures:
    """A warband in figures. ``money`` holds a sum for each currency of the campaign.

    ``models`` and ``experience``, all of it that is in the warband, are None while the roster is
    secret; ``closed_round`` says then from when the others are, and they are None before that.
    """

    name: str
    player: str
    rating: int | None
    money: tuple[int | None, ...]
    models: int | None
    experience: int | None
    battles: int
    territories: Texts
    is_closed: bool
    closed_round: int | None = None


@frozen_dataclass
class WarriorFigures:
    """A unit of a warband: what its campaign made of it, and how it is now."""

    warband: str
    player: str
    name: str
    profile: str
    kind: str
    models: int
    experience: int
    advances: Texts
    injuries: Texts
    stats: Texts
    state: str


@frozen_dataclass
class GrowthFigures:
    """All warbands of a campaign, in the order in which they were founded, and their units.

    Units of rosters that are secret are left out. ``standing`` is by entries what stands beside
    the points, with sums of the currencies ``counted``: those that buy nothing, or all of them.
    """

    currencies: Texts
    warbands: tuple[WarbandFigures, ...]
    warriors: tuple[WarriorFigures, ...]
    standing: Mapping[int, StandingWarband]
    counted: Texts
    territory_word: str
    note: str = ""

    def beside(self, table: StandingsRecord) -> StandingsRecord:
        """Return the standings with the warband of each player."""
        rows = (replace(row, warband=self.standing.get(row.entry.id)) for row in table.rows)
        return replace(
            table,
            rows=tuple(rows),
            has_warbands=True,
            currencies=self.counted,
            territory_word=self.territory_word,
            note=self.note,
        )


def load_growth_figures(event: ClubEventRecord) -> GrowthFigures | None:
    """Return the warbands of a campaign in figures; None for an event in which none grow.

    Three queries at most.
    """
    return build_figures(load_campaign(event)) if event.growth_position else None


def load_grown_standings(actor: Owner, token: str) -> StandingsRecord | None:
    """Return the standings with the warbands of those who play; None as `load_standings`.

    Three queries, and three more at most where warbands grow.
    """
    table = load_standings(actor, token)
    grown = load_growth_figures(table.event) if table else None
    return grown.beside(table) if table and grown else table


def build_figures(campaign: CampaignPresenter) -> GrowthFigures:
    """Return the same of a campaign that is loaded; no query."""
    event, rules = campaign.event, campaign.rules
    # What is spent is a column where the event says so.
    counted = [
        currency
        for currency in rules.currencies
        if event.shows_treasury or not currency.is_spent
    ]
    warbands, warriors, standing = [], [], {}
    for token, row in campaign.rows.items():
        grown, closed = campaign.state.warbands[token], closed_round(event, row)
        warbands.append(_warband(campaign, row, closed))
        warriors += [
            _warrior(campaign, row, warrior)
            for warrior in (*grown.warriors.values(), *grown.former)
        ]
        # Whoever disbanded and founded anew is known by the last.
        if closed != 0:
            money = tuple(grown.treasury.get(one.id, 0) for one in counted)
            standing[row.entry_id] = StandingWarband(
                grown.rating, money, grown.territories, closed
            )
    return GrowthFigures(
        currencies=tuple(currency.name for currency in rules.currencies),
        warbands=tuple(warbands),
        warriors=tuple(warriors),
        standing=standing,
        counted=tuple(one.name for one in counted),
        territory_word=campaign.territory_word,
        note=figures_note(event, campaign.rows.values()),
    )


def _warband(
    campaign: CampaignPresenter, row: CampaignWarband, closed: int | None
) -> WarbandFigures:
    """Return a warband in figures, ``closed`` as `closed_round` has it."""
    grown = campaign.state.warbands[row.token]
    present = [warrior for warrior in grown.warriors.values() if warrior.is_free]
    is_open = closed is None
    return WarbandFigures(
        name=row.name,
        player=row.entry.name,
        rating=None if closed == 0 else grown.rating,
        money=tuple(
            grown.treasury.get(currency.id) for currency in campaign.rules.currencies
        ),
        models=sum(warrior.count for warrior in present) if is_open else None,
        experience=sum(warrior.experience for warrior in present) if is_open else None,
        battles=len(campaign.state.battles_of(row.token)),
        territories=grown.territories,
        is_closed=grown.is_closed,
        closed_round=closed or None,
    )


def _warrior(
    campaign: CampaignPresenter, row: CampaignWarband, warrior: GrownWarrior
) -> WarriorFigures:
    """Return a unit in figures."""
    profile = campaign.profile(row.token, warrior.joined)
    events = campaign.happenings_of(row.token, warrior.key)
    changed = campaign.state.warbands[row.token].stats.get(warrior.key, {})
    if warrior.gone:
        state = "not ransomed" if warrior.gone == REFUSED else "gone"
    elif warrior.captor:
        state = f"held by {campaign.warband(warrior.captor)}"
    else:
        state = f"misses {max(warrior.misses)}" if warrior.misses else "there"
    return WarriorFigures(
        warband=row.name,
        player=row.entry.name,
        name=warrior.joined.name,
        profile=profile.name if profile else warrior.joined.profile,
        kind=campaign.kind(warrior.kind),
        models=warrior.count,
        experience=warrior.experience,
        advances=tuple(campaign.gain(event) for event in events if event.what in GAINS),
        injuries=tuple(event.row for event in events if event.what in LASTING),
        stats=tuple(f"{stat} {figure}" for stat, figure in changed.items()),
        state=state,
    )


# Stories of rounds


def build_stories(
    campaign: CampaignPresenter, rounds: NumberByKey
) -> dict[int, list[tuple[str, str]]]:
    """Return what befell each player's warband in a sentence, by rounds.

    In the order in which they were founded; ``rounds`` are those of games.
    """
    stories: dict[int, list[tuple[str, str]]] = {}
    for token, row in campaign.rows.items():
        phrases: dict[int, list[str]] = {}
        for event in campaign.state.happenings:
            if event.warband == token:
                number = campaign.round_of(event, rounds)
                phrases.setdefault(number, []).append(campaign.happening(event))
        for number, texts in phrases.items():
            stories.setdefault(number, []).append((row.entry.name, join_phrases(texts)))
    return stories


def join_phrases(phrases: list[str]) -> str:
    """Return phrases as a sentence; those that are too many are counted."""
    more = len(phrases[PHRASES_MOST:])
    return "; ".join(phrases[:PHRASES_MOST] + [f"{more} more"] * bool(more)) + "."


# Careers


def load_grown_careers(actor: Owner, warband: Warband) -> dict[int, GrownCareer]:
    """Return what a campaign made of the warriors of its warband, by the ids of their rows.

    Two queries, one more for others than its player. Empty for other warbands, and where the
    reader may open neither the campaign nor, before lists are shown, the roster.
    """
    if not warband.is_grown:
        return {}
    rows = CampaignWarband.objects.filter(warband=warband.pk)
    row = rows.select_related("entry__event", "warband").first()
    if row is None:
        return {}
    event = row.entry.event
    if not access.plays_as(actor, row.entry):
        record = load_event(actor, event.token)
        if record is None or record.hides(row.entry.token):
            return {}
    # No names of other warbands, and no query for them: captors are not named here.
    columns = ("position", "kind", "payload", "fixture__token", "fixture__round__number")
    stored = list(
        GrowthRow.objects.filter(event=event).order_by("position").values_list(*columns)
    )
    rounds = {token: number for *_, token, number in stored if token}
    ledger = ledger_of(event, tuple(StoredRow(*columns[:3]) for columns in stored))
    campaign = CampaignPresenter(ledger, event, (row,))
    grown = campaign.state.warbands[row.token]
    return {
        row.rows[warrior.key]: _career(campaign, row.token, warrior, rounds)
        for warrior in (*grown.former, *grown.warriors.values())
        if warrior.key in row.rows
    }


def _career(
    campaign: CampaignPresenter, warband: str, warrior: GrownWarrior, rounds: NumberByKey
) -> GrownCareer:
    """Return what a warrior has become."""
    events = campaign.happenings_of(warband, warrior.key)
    group, dot, _ = warrior.key.partition(".")

    def dated(words: str, event: Happening | None) -> str:
        number = campaign.round_of(event, rounds) if event else 0
        return f"{words} (round {number})" if number else words

    # Models that a group has lost, but for the end of it.
    is_several = campaign.is_several(warband, warrior.key)
    return GrownCareer(
        kind=campaign.kind(warrior.kind),
        experience=warrior.experience,
        advances=tuple(
            dated(campaign.gain(event), event) for event in events if event.what in GAINS
        ),
        injuries=tuple(
            dated(event.row, event) for event in events if event.what in LASTING
        ),
        came_from=campaign.unit(warband, group) if dot else "",
        ended=dated(*describe_end(warrior, events)),
        lost=tuple(
            dated(event.row, event)
            for event in events
            if is_several and event.what == happenings.LOST
        ),
    )


def describe_end(
    warrior: GrownWarrior, events: Sequence[Happening]
) -> tuple[str, Happening | None]:
    """Return how a warrior ended in words, and what did it where that is known; "" for most."""
    if warrior.captor:
        captures = [event for event in events if event.what == happenings.CAPTURED]
        return "Held captive", captures[-1] if captures else None
    if warrior.gone:
        end = find_end(events)
        return end_words(end), end
    return "", None
