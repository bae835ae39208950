"""The warbands of a campaign on its pages: the board, each warband, and each unit with its past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.growth.queries.ledger import (
    closed_round,
    figures_note,
    load_campaign_warbands,
)
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    award_words,
    load_campaign,
)
from campaigns.models import CampaignWarband
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth import happenings
from engine.growth.happenings import Happening
from engine.growth.state import WarbandGrowth, lasting_injuries, name_injury
from engine.growth.warriors import GrownWarrior
from engine.records import NumberByKey
from engine.roster import absence_words
from engine.types.lists import Figure
from warbands.queries.warbands import load_warband, sheet_of

MARKS_MOST = 40
ENDINGS = {
    happenings.LOST: "",
    happenings.REFUSED: "Not ransomed",
    happenings.DISMISSED: "Dismissed",
}
"""How a unit may end; a row of a table has a name of its own."""


class WarbandHead:
    """A player of a growing campaign with the warband of theirs, or without one yet.

    ``id`` is "" before anything is founded. ``after`` is the token of the last game that counts for
    the warband, ``dues`` what it still owes in words, ``owes`` how much that is. ``may_act``: the
    reader plays it or runs the event, and the event is not over. ``has_figures``: rating,
    treasury and territories are no secret, or were stored when a round was closed. ``money`` holds
    a sum for each currency of the rules.
    """

    def __init__(
        self, campaign: CampaignPresenter, entry: EntryRecord, row: CampaignWarband | None
    ) -> None:
        """``row`` is the warband, None for a player who has founded none."""
        event, state = campaign.event, campaign.state
        self.entry = entry
        self.may_act = (entry.is_mine or event.may_organise) and not event.is_over
        self.id, self.name = (row.token, row.name) if row else ("", "")
        grown = state.warbands.get(self.id) or WarbandGrowth("", {}, 0, {}, {})
        self.rating, self.models = grown.rating, grown.models
        self.territories, self.is_closed = grown.territories, grown.is_closed
        self.treasury = campaign.money(grown.treasury)
        self.money = [
            grown.treasury.get(currency.id, 0) for currency in campaign.rules.currencies
        ]
        self.dues = campaign.due_kinds(self.id)
        self.owes = sum(due.warband == self.id for due in state.open)
        self.after = campaign.last_game(self.id)
        self.has_figures = row is None or closed_round(event, row) != 0


# The board of an event's page


class GrowthBoard:
    """The warbands of a campaign, the highest rated first, those without one last.

    ``own`` is the reader's line, ``free`` are the territories that nobody holds, ``note`` says of
    when the figures of others are while lists are secret. ``has_begun``: somebody has founded,
    ``may_remind``: somebody owes a roll who has an account to be told by.
    """

    def __init__(self, campaign: CampaignPresenter, entries: Sequence[EntryRecord]) -> None:
        """No query."""
        rows, rules = campaign.rows.values(), campaign.rules
        self.lines = _list_heads(campaign, entries)
        self.mine = next((line for line in self.lines if line.entry.is_mine), None)
        founded = [line for line in self.lines if line.id]
        self.has_begun = bool(founded)
        self.has_figures = any(line.has_figures for line in founded)
        self.may_remind = any(line.owes and line.entry.user_id for line in self.lines)
        self.rules_name = rules.name
        self.currencies = [currency.name.capitalize() for currency in rules.currencies]
        self.territory_word = campaign.territory_word
        claimed = set(chain(*(line.territories for line in self.lines)))
        ground = getattr(rules.territories, "names", ())
        self.free = [name for name in ground if name not in claimed]
        self.note = figures_note(campaign.event, rows)


def _list_heads(
    campaign: CampaignPresenter, entries: Iterable[EntryRecord]
) -> list[WarbandHead]:
    """Return the players with their warbands, as in the standings the highest rated first.

    Whoever has none yet stands below.
    """
    # Whoever has dropped out is named as long as the campaign knows their warband.
    founders = {row.entry_id for row in campaign.rows.values()}
    heads = [
        WarbandHead(campaign, entry, _find_current(campaign, entry))
        for entry in entries
        if entry.id in founders or not entry.is_dropped
    ]
    return sorted(heads, key=lambda head: (not head.id, -head.rating))


def _find_current(
    campaign: CampaignPresenter, entry: EntryRecord
) -> CampaignWarband | None:
    """Return the last warband of an entry; None where it is known to be disbanded."""
    # A warband that was disbanded makes room for another one, where that is no secret.
    rows = [row for row in campaign.rows.values() if row.entry_id == entry.id]
    is_hidden = campaign.event.hides(entry.token)
    current = [row for row in rows if is_hidden or row.closed_at is None]
    return current[-1] if current else None


# A unit


class GrownUnit:
    """A unit of a campaign warband, ``warrior`` as it stands, with names for people.

    ``next_step`` is the experience at which the next advance is due, None where there is none.
    ``stat_line`` is that of now, ``changed`` names what growth has changed of it and ``bases`` says
    what that was before: "WS 4, BS 3". ``marks`` tell of games to miss, old wounds and captivity,
    ``ended`` how somebody ended. ``price_unit`` is what the army list counts its price in.
    """

    def __init__(
        self, campaign: CampaignPresenter, grown: WarbandGrowth, warrior: GrownWarrior
    ) -> None:
        self.warrior = warrior
        kind = campaign.rules.kinds[warrior.kind]
        self.kind_name = kind.name
        learns = warrior.joined.learns
        self.next_step = kind.next_step(warrior.experience) if learns else None
        self.title = campaign.joiner(grown.id, warrior.joined)
        profile = campaign.profile(grown.id, warrior.joined)
        self.profile_name = profile.name if profile else ""
        # The characteristics of a unit, whose profile may have left the lists.
        base, changes = warrior.joined.stats, grown.stats.get(warrior.key, {})
        printed = profile.lines[0].stats if profile and profile.lines else {}
        self.stat_line = shown_stats(base, changes, printed)
        self.changed = tuple(
            stat for stat in base if changes.get(stat, base[stat]) != base[stat]
        )
        self.bases = ", ".join(f"{stat} {base[stat]}" for stat in self.changed)
        skills = campaign.rules.skills
        self.talents = [skills[key] for key in warrior.skills if key in skills]
        self.injuries = [
            name_injury(row, campaign.effect(row.effect))
            for row in lasting_injuries(campaign.state, grown.id, warrior.key)
        ]
        self.pieces = campaign.pieces(grown.id, warrior.gear)
        self.marks = absence_marks(campaign, warrior)
        self.price_unit = campaign.unit_of_price(grown.id)
        self.ended = ""
        if warrior.gone:
            self.ended, _ = find_end(campaign.list_happenings(grown.id, warrior.key))


def shown_stats(
    base: NumberByKey, changes: NumberByKey, printed: Mapping[str, Figure]
) -> dict[str, Figure]:
    """Return a stat line: as printed while nothing has changed it.

    In ``base`` nothing and dice count as 0; ``printed`` is what the profile has in their place.
    """
    return {
        stat: changes[stat]
        if changes.get(stat, figure) != figure
        else printed.get(stat, figure)
        for stat, figure in base.items()
    }


def absence_marks(campaign: CampaignPresenter, warrior: GrownWarrior) -> list[str]:
    """Return what keeps a unit from the next battle, in words."""
    captor = campaign.warband(warrior.captor) if warrior.captor else ""
    absence = absence_words(captor, warrior.misses, warrior.count)
    marks = [absence] if absence else []
    if warrior.old_wounds:
        marks.append("Old wound: roll before each game")
    return marks


def find_end(events: Iterable[Happening]) -> tuple[str, Happening | None]:
    """Return how somebody ended who is gone; without a happening the last of a group, promoted."""
    ends = [event for event in events if event.what in ENDINGS]
    if not ends:
        return "Left the warband", None
    return ends[-1].row or ENDINGS[ends[-1].what], ends[-1]


def leader_first(grown: WarbandGrowth) -> list[GrownWarrior]:
    """Return the units of a warband, its leader first."""
    # Former ones fell before somebody else got their key.
    units = [*grown.warriors.values(), *grown.former]
    return sorted(units, key=lambda unit: not (unit.is_leader and not unit.gone))


# The page of a warband


class CampaignWarbandPage:
    """The warband of a player in a campaign.

    ``ratings`` are what it was worth before its first battle, after each, and now. ``roster`` is
    the token of its copy where the reader may open it, ``issues`` what is found there, without
    notes. What is hidden from the reader is missing; ``note`` says from when the figures are then.
    """

    def __init__(
        self,
        actor: Owner,
        campaign: CampaignPresenter,
        entry: EntryRecord,
        row: CampaignWarband | None,
    ) -> None:
        """Load the roster's issues; ``row`` is None before anything is founded."""
        event = self.event = campaign.event
        self.head = WarbandHead(campaign, entry, row)
        self.territory_word = campaign.territory_word
        self.note = ""
        self.ratings: list[int] = []
        if row is None:
            return
        if event.hides(entry.token):
            self.note = figures_note(event, [row])
            return
        grown, army = campaign.state.warbands[row.token], campaign.army(row.token)
        self.units: list[GrownUnit] = []
        self.fallen: list[GrownUnit] = []
        for warrior in leader_first(grown):
            units = self.fallen if warrior.gone else self.units
            units.append(GrownUnit(campaign, grown, warrior))
        self.ratings = _list_ratings(campaign, grown)
        self.army_name = army.name if army else ""
        self.stash = campaign.pieces(row.token, grown.stash)
        self.captives = campaign.held_by(row.token)
        self.roster = entry.warband
        copy = load_warband(actor, self.roster) if self.roster else None
        findings = sheet_of(copy).findings if copy else ()
        self.issues = [finding for finding in findings if finding.level != "note"]


def _list_ratings(campaign: CampaignPresenter, grown: WarbandGrowth) -> list[int]:
    """Return what a warband was worth before its first battle, after each, and now."""
    # A long campaign is cut at its beginning: the drawing has room for so many.
    battles = campaign.state.list_battles(grown.id)[-MARKS_MOST:]
    marks = [battle.ratings[grown.id] for battle in battles]
    if not marks:
        return []
    return [marks[0][0], *(after for _, after in marks[:-1]), grown.rating]


def load_warband_page(actor: Owner, token: str, entry: str) -> CampaignWarbandPage:
    """Return the warband of an entry as this person may read it.

    At most eleven queries. Raises NotFound, also where none can grow.
    """
    event = load_event(actor, token)
    record = load_entry(actor, event, entry)
    campaign, row = load_with_warband(event, record)
    return CampaignWarbandPage(actor, campaign, record, row)


def load_with_warband(
    event: ClubEventRecord, entry: EntryRecord
) -> tuple[CampaignPresenter, CampaignWarband | None]:
    """Return a campaign, and the last warband of an entry. Two queries."""
    campaign = load_campaign(event)
    # Whoever disbanded and founded anew has several: the last is the one that goes on.
    rows = [row for row in campaign.rows.values() if row.entry_id == entry.id]
    return campaign, rows[-1] if rows else None


def find_warband(event: ClubEventRecord, entry: EntryRecord, token: str) -> str:
    """Return the id of a warband of an entry, the last one where it has none of this id.

    One query. Raises NotFound where it has founded none.
    """
    tokens = [
        row.token for row in load_campaign_warbands(event.id) if row.entry_id == entry.id
    ]
    if not tokens:
        raise NotFound("warband")
    return token if token in tokens else tokens[-1]


# The page of a unit


class CampaignUnitPage:
    """A unit with its games, and what happened to it.

    ``games`` taught it something: its fixture, title, round, lesson, and what for. ``story`` are
    rounds (0 before the first game) with what happened. ``warband`` is the row of its warband.
    """

    def __init__(
        self,
        campaign: CampaignPresenter,
        warband: CampaignWarband,
        entry: EntryRecord,
        warrior: GrownWarrior,
    ) -> None:
        """One query."""
        self.campaign, self.warband = campaign, warband
        state, token = campaign.state, warband.token
        self.head = WarbandHead(campaign, entry, warband)
        self.unit = GrownUnit(campaign, state.warbands[token], warrior)
        self.games = [
            (
                battle.fixture,
                " against ".join(map(campaign.warband, battle.ratings)),
                campaign.rounds.get(battle.fixture, 0),
                lesson,
                award_words(lesson.awards),
            )
            for battle in state.list_battles(token)
            for lesson in battle.lessons
            if (lesson.warband, lesson.warrior) == (token, warrior.key)
        ]
        self.story = [
            (campaign.find_round(event), campaign.happening(event))
            for event in campaign.list_happenings(token, warrior.key)
        ]


def load_unit_page(actor: Owner, token: str, entry: str, unit: str) -> CampaignUnitPage:
    """Return the page of a unit of an entry's last warband. At most seven queries.

    Raises NotFound, also where its roster is secret from this person.
    """
    event = load_event(actor, token)
    record = load_entry(actor, event, entry)
    if event.hides(entry):
        raise NotFound("entry")
    campaign, row = load_with_warband(event, record)
    units = leader_first(campaign.state.warbands[row.token]) if row else []
    warrior = next((warrior for warrior in units if warrior.key == unit), None)
    if row is None or warrior is None:
        raise NotFound("warrior")
    return CampaignUnitPage(campaign, row, record, warrior)
