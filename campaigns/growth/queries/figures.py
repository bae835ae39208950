"""Warbands of a growing campaign in standings, files and stories, and its units' careers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accounts.owner import Owner
from battles.results import GrownCareer
from campaigns import access
from campaigns.growth.payloads import StoredRow
from campaigns.growth.queries.ledger import build_ledger, closed_round, figures_note
from campaigns.growth.queries.phrases import GAINS
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    join_phrases,
    load_campaign,
)
from campaigns.growth.queries.warbands import find_end
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.queries.events import find_event
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.standings import StandingsRecord, StandingWarband, load_standings
from engine.growth import happenings
from engine.growth.effects import LASTING
from engine.growth.warriors import REFUSED, GrownWarrior
from warbands.models import Warband

LISTED = "; "
"""What stands between several values in a cell of a file."""
PHRASES_MOST = 8
"""What is told of a warband in a round; more of it is counted."""


class GrowthFigures:
    """All warbands of a campaign beside its standings, and as rows of files.

    What is secret is left out, or from the last round that was closed, as ``note`` says.
    """

    def __init__(self, campaign: CampaignPresenter) -> None:
        """No query."""
        self.campaign = campaign
        self.currencies = [currency.name for currency in campaign.rules.currencies]
        self.note = figures_note(campaign.event, campaign.rows.values())

    def beside(self, table: StandingsRecord) -> StandingsRecord:
        """Return the standings with the warband of each player.

        What is spent is a column where the event says so.
        """
        campaign, event = self.campaign, self.campaign.event
        columns = [
            currency
            for currency in campaign.rules.currencies
            if event.shows_treasury or not currency.is_spent
        ]
        warbands = {}
        for token, row in campaign.rows.items():
            grown, as_of = campaign.state.warbands[token], closed_round(event, row)
            # Whoever disbanded and founded anew is known by the last.
            if as_of != 0:
                money = tuple(grown.treasury.get(currency.id, 0) for currency in columns)
                warbands[row.entry_id] = StandingWarband(
                    grown.rating, money, grown.territories, as_of
                )
        return replace(
            table,
            rows=tuple(
                replace(row, warband=warbands.get(row.entry.id)) for row in table.rows
            ),
            has_warbands=True,
            currencies=tuple(currency.name for currency in columns),
            territory_word=campaign.territory_word,
            note=self.note,
        )

    def warband_rows(self) -> Iterator[list[object]]:
        """Yield each warband as a row of a file, in the order in which they were founded.

        Its models and their experience are secret with the roster.
        """
        campaign = self.campaign
        for token, row in campaign.rows.items():
            grown = campaign.state.warbands[token]
            present = [warrior for warrior in grown.warriors.values() if warrior.is_free]
            as_of = closed_round(campaign.event, row)
            is_open = as_of is None
            money = [
                grown.treasury.get(currency.id) for currency in campaign.rules.currencies
            ]
            yield [
                row.name,
                row.entry.name,
                None if as_of == 0 else grown.rating,
                sum(warrior.count for warrior in present) if is_open else None,
                sum(warrior.experience for warrior in present) if is_open else None,
                len(campaign.state.list_battles(token)),
                LISTED.join(grown.territories),
                "yes" if grown.is_closed else "no",
                as_of or None,
                *money,
            ]

    def warrior_rows(self) -> Iterator[list[object]]:
        """Yield each unit that a warband has or had as a row of a file, by warbands."""
        campaign = self.campaign
        for token, row in campaign.rows.items():
            grown = campaign.state.warbands[token]
            for warrior in (*grown.warriors.values(), *grown.former):
                profile = campaign.profile(token, warrior.joined)
                events = campaign.list_happenings(token, warrior.key)
                changed = grown.stats.get(warrior.key, {})
                gains = [campaign.gain(event) for event in events if event.what in GAINS]
                injuries = [event.row for event in events if event.what in LASTING]
                yield [
                    row.name,
                    row.entry.name,
                    warrior.joined.name,
                    profile.name if profile else warrior.joined.profile,
                    campaign.kind(warrior.kind),
                    warrior.count,
                    warrior.experience,
                    LISTED.join(gains),
                    LISTED.join(injuries),
                    LISTED.join(f"{stat} {figure}" for stat, figure in changed.items()),
                    _describe_whereabouts(campaign, warrior),
                ]


def _describe_whereabouts(campaign: CampaignPresenter, warrior: GrownWarrior) -> str:
    """Return whether a unit is there, away or gone, in a word or two."""
    if warrior.gone:
        return "not ransomed" if warrior.gone == REFUSED else "gone"
    if warrior.captor:
        return f"held by {campaign.warband(warrior.captor)}"
    return f"misses {max(warrior.misses)}" if warrior.misses else "there"


def load_growth_figures(event: ClubEventRecord) -> GrowthFigures | None:
    """Return the warbands of a campaign in figures; None for an event in which none grow.

    Three queries at most.
    """
    return GrowthFigures(load_campaign(event)) if event.growth_position else None


def load_grown_standings(actor: Owner, token: str) -> StandingsRecord:
    """Return the standings with the warbands of those who play. Raises NotFound.

    Three queries, and three more at most where warbands grow.
    """
    table = load_standings(actor, token)
    figures = load_growth_figures(table.event)
    return figures.beside(table) if figures else table


# Stories of rounds


def build_stories(
    campaign: CampaignPresenter,
) -> dict[int, list[tuple[str, str]]]:
    """Return what befell each player's warband in a sentence, by rounds.

    In the order in which they were founded.
    """
    stories: dict[int, list[tuple[str, str]]] = {}
    for token, row in campaign.rows.items():
        phrases: dict[int, list[str]] = {}
        for event in campaign.state.happenings:
            if event.warband == token:
                number = campaign.find_round(event)
                phrases.setdefault(number, []).append(campaign.happening(event))
        for number, texts in phrases.items():
            line = row.entry.name, join_phrases(texts, PHRASES_MOST)
            stories.setdefault(number, []).append(line)
    return stories


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
        record = find_event(actor, event.token)
        if record is None or record.hides(row.entry.token):
            return {}
    # No names of other warbands, and no query for them: captors are not named here.
    columns = ("position", "kind", "payload", "edition")
    game = ("fixture__token", "fixture__round__number")
    log = GrowthRow.objects.filter(event=event).order_by("position")
    stored, rounds = [], {}
    for *values, fixture, number in log.values_list(*columns, *game):
        stored.append(StoredRow(*values))
        if fixture:
            rounds[fixture] = number
    campaign = CampaignPresenter(build_ledger(event, tuple(stored)), event, (row,))
    campaign.rounds = rounds
    grown = campaign.state.warbands[row.token]
    return {
        row.rows[warrior.key]: _build_career(campaign, row.token, warrior)
        for warrior in (*grown.former, *grown.warriors.values())
        if warrior.key in row.rows
    }


def _build_career(
    campaign: CampaignPresenter, warband: str, warrior: GrownWarrior
) -> GrownCareer:
    """Return what a warrior has become."""
    events = campaign.list_happenings(warband, warrior.key)
    dated, ended = campaign.add_round, ""
    advances, injuries, lost = [], [], []
    for event in events:
        if event.what in GAINS:
            advances.append(dated(campaign.gain(event), event))
        elif event.what in LASTING:
            injuries.append(dated(event.row, event))
        elif event.what == happenings.LOST:
            lost.append(dated(event.row, event))
    if warrior.captor:
        captures = [event for event in events if event.what == happenings.CAPTURED]
        ended = dated("Held captive", captures[-1] if captures else None)
    elif warrior.gone:
        ended = dated(*find_end(events))
    group, dot, _ = warrior.key.partition(".")
    return GrownCareer(
        kind=campaign.kind(warrior.kind),
        experience=warrior.experience,
        advances=tuple(advances),
        injuries=tuple(injuries),
        came_from=campaign.unit(warband, group) if dot else "",
        ended=ended,
        # Models that a group has lost, but for the end of it.
        lost=tuple(lost) if warrior.is_several else (),
    )
