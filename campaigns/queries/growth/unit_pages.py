"""The page of one unit of a campaign warband: its whole past, battle by battle."""

from __future__ import annotations

from accounts.owner import Owner
from campaigns.models import CampaignWarband, Fixture
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.growth.happenings import happening_words, round_of
from campaigns.queries.growth.heads import WarbandHead, head_of
from campaigns.queries.growth.ledger_pages import LedgerLine, load_unit_lines
from campaigns.queries.growth.names import CampaignNames, awards_words
from campaigns.queries.growth.warband_pages import GrownUnit, in_order, load_names, unit_of
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth.campaign import BattleLesson, BattleTold
from engine.growth.happenings import Happening
from engine.growth.warriors import GrownWarrior
from engine.records import NumberByKey, frozen_dataclass

# What the page shows


@frozen_dataclass
class UnitGame:
    """A game that taught a unit something: why, and its experience before and after."""

    fixture: str
    title: str
    round: int
    awards: str
    before: int
    after: int


@frozen_dataclass
class UnitEvent:
    """Something that happened to a unit, in words; ``round`` is 0 before the first game."""

    round: int
    words: str


@frozen_dataclass
class CampaignUnitPage:
    """A unit with its games, what happened to it, and the latest rows of the ledger about it."""

    event: ClubEventRecord
    head: WarbandHead
    unit: GrownUnit
    games: tuple[UnitGame, ...]
    story: tuple[UnitEvent, ...]
    lines: tuple[LedgerLine, ...]


# Loading


def load_unit_page(
    actor: Owner, token: str, entry: str, unit: str
) -> CampaignUnitPage | None:
    """Return the page of a unit of an entry's last warband.

    None where there is no such unit, or its roster is secret from this person. At most eight
    queries.
    """
    event = load_event(actor, token)
    if event is None or not event.growth_position:
        return None
    record = load_entry(actor, event, entry)
    if record is None or event.hides(record.token):
        return None
    names, row = load_names(event, record)
    one = _find(names, row, unit) if row else None
    return _page(event, record, names, row, one) if row and one else None


def _find(names: CampaignNames, row: CampaignWarband, unit: str) -> GrownWarrior | None:
    """Return a unit of a warband by its key, None where there is none."""
    units = in_order(names.ledger.state.warbands[row.token])
    return next((one for one in units if one.key == unit), None)


def _page(
    event: ClubEventRecord,
    entry: EntryRecord,
    names: CampaignNames,
    row: CampaignWarband,
    one: GrownWarrior,
) -> CampaignUnitPage:
    """Return the page of a unit that was found. Two queries."""
    games = Fixture.objects.filter(round__event=event.id)
    rounds, grown = (
        dict(games.values_list("token", "round__number")),
        names.ledger.state.warbands[row.token],
    )
    return CampaignUnitPage(
        event=event,
        head=head_of(event, entry, row, names),
        unit=unit_of(names, grown, one),
        games=_games(names, row, one.key, rounds),
        story=_story(names, row, one.key, rounds),
        lines=load_unit_lines(names, row, one.key, shows_reason=event.reads_reasons),
    )


def _games(
    names: CampaignNames, row: CampaignWarband, unit: str, rounds: NumberByKey
) -> tuple[UnitGame, ...]:
    """Return the games that taught a unit something, the first one first."""
    found: list[UnitGame] = []
    for battle in names.ledger.state.battles_of(row.token):
        own = [one for one in battle.lessons if _is_of(one, row, unit)]
        found += [_game(names, battle, one, rounds) for one in own]
    return tuple(found)


def _is_of(one: BattleLesson | Happening, row: CampaignWarband, unit: str) -> bool:
    """Return whether something is told of this unit."""
    return (one.warband, one.warrior) == (row.token, unit)


def _game(
    names: CampaignNames, battle: BattleTold, lesson: BattleLesson, rounds: NumberByKey
) -> UnitGame:
    """Return what a unit learned in a game."""
    return UnitGame(
        fixture=battle.fixture,
        title=" against ".join(names.warband(one) for one in battle.ratings),
        round=rounds.get(battle.fixture, 0),
        awards=awards_words(lesson.awards),
        before=lesson.before,
        after=lesson.before + lesson.amount,
    )


def _story(
    names: CampaignNames, row: CampaignWarband, unit: str, rounds: NumberByKey
) -> tuple[UnitEvent, ...]:
    """Return what happened to a unit, the first thing first."""
    state = names.ledger.state
    told = [one for one in state.happenings if _is_of(one, row, unit)]
    return tuple(
        UnitEvent(round_of(one, state, rounds), happening_words(names, one)) for one in told
    )
