"""The warbands of a campaign on its pages: the board, each warband, and each unit with its past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.growth.queries.ledger import closed_round, figures_note, warbands_of
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    award_words,
    load_campaign,
)
from campaigns.models import CampaignWarband, Fixture
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.findings.case import Finding
from engine.growth import happenings
from engine.growth.campaign import BattleLesson
from engine.growth.happenings import Happening
from engine.growth.state import WarbandGrowth, lasting_injuries
from engine.growth.tables import CharacteristicEffects
from engine.growth.warriors import GrownWarrior
from engine.records import NumberByKey, Numbers, Texts, frozen_dataclass
from engine.roster import absence_words
from engine.types.lists import Figure
from warbands.queries.warbands import load_warband, sheet_of

MARKS_MOST = 40
LEFT = "Left the warband"
ENDINGS = {
    happenings.LOST: "",
    happenings.REFUSED: "Not ransomed",
    happenings.DISMISSED: "Dismissed",
}
"""How a unit may end; a row of a table has a name of its own."""


# The head of every page of a warband


@frozen_dataclass
class WarbandHead:
    """A player of a growing campaign with the warband of theirs, or without one yet.

    ``id`` is "" before anything is founded. ``after`` is the token of the last game that counts for
    the warband, ``dues`` what it still owes in words, ``owes`` how much that is. ``may_act``: the
    reader plays it or runs the event, and the event is not over. ``has_figures``: rating,
    treasury and territories are no secret, or were stored when a round was closed. ``money`` holds
    a sum for each currency of the rules.
    """

    entry: EntryRecord
    may_act: bool
    id: str = ""
    name: str = ""
    rating: int = 0
    treasury: Texts = ()
    money: Numbers = ()
    territories: Texts = ()
    dues: Texts = ()
    owes: int = 0
    after: str = ""
    models: int = 0
    is_closed: bool = False
    has_figures: bool = True


def build_head(
    campaign: CampaignPresenter, entry: EntryRecord, row: CampaignWarband | None
) -> WarbandHead:
    """Return the head of a warband, or of a player who has founded none."""
    event = campaign.event
    may_act = (entry.is_mine or event.may_organise) and not event.is_over
    if row is None:
        return WarbandHead(entry, may_act)
    grown = campaign.state.warbands[row.token]
    return WarbandHead(
        entry=entry,
        may_act=may_act,
        id=row.token,
        name=row.name,
        rating=grown.rating,
        treasury=campaign.money(grown.treasury),
        money=tuple(
            grown.treasury.get(currency.id, 0) for currency in campaign.rules.currencies
        ),
        territories=grown.territories,
        dues=campaign.due_kinds(row.token),
        owes=sum(due.warband == row.token for due in campaign.state.open),
        after=campaign.last_game(row.token),
        models=grown.models,
        is_closed=grown.is_closed,
        has_figures=closed_round(event, row) != 0,
    )


# The board of an event's page


@frozen_dataclass
class GrowthBoard:
    """The warbands of a campaign, the highest rated first, those without one last.

    ``free`` are the territories that nobody holds, ``note`` says of when the figures of others are
    while lists are secret.
    """

    rules_name: str
    currencies: Texts
    territory_word: str
    free: Texts
    lines: tuple[WarbandHead, ...]
    note: str = ""

    @property
    def own(self) -> WarbandHead | None:
        """The reader's own line."""
        return next((line for line in self.lines if line.entry.is_mine), None)

    @property
    def has_begun(self) -> bool:
        """Whether anybody has founded a warband."""
        return any(line.id for line in self.lines)

    @property
    def has_figures(self) -> bool:
        """Whether a warband has figures that the reader may know."""
        return any(line.id and line.has_figures for line in self.lines)

    @property
    def may_remind(self) -> bool:
        """Whether somebody owes a roll who has an account to be told by."""
        return any(line.owes and line.entry.user_id is not None for line in self.lines)


def build_board(campaign: CampaignPresenter, entries: Sequence[EntryRecord]) -> GrowthBoard:
    """Return the board of a campaign whose warbands grow; no query."""
    rows = campaign.rows.values()
    # Whoever has dropped out is named as long as the campaign knows their warband.
    founders = {row.entry_id for row in rows}
    lines = [
        build_head(campaign, entry, find_current_warband(campaign, entry))
        for entry in entries
        if entry.id in founders or not entry.is_dropped
    ]
    # The highest rated first, as in the standings; whoever has none yet stands below.
    lines.sort(key=lambda line: (not line.id, -line.rating))
    ground = campaign.rules.territories
    claimed = set(chain.from_iterable(line.territories for line in lines))
    return GrowthBoard(
        rules_name=campaign.rules.name,
        currencies=tuple(
            currency.name.capitalize() for currency in campaign.rules.currencies
        ),
        territory_word=campaign.territory_word,
        free=tuple(name for name in ground.names if name not in claimed) if ground else (),
        lines=tuple(lines),
        note=figures_note(campaign.event, rows),
    )


def find_current_warband(
    campaign: CampaignPresenter, entry: EntryRecord
) -> CampaignWarband | None:
    """Return the last warband of an entry; None where it is known to be disbanded."""
    # A warband that was disbanded makes room for another one, where that is no secret.
    is_hidden = campaign.event.hides(entry.token)
    current = [
        row
        for row in campaign.rows.values()
        if row.entry_id == entry.id and (is_hidden or row.closed_at is None)
    ]
    return current[-1] if current else None


# A unit


@frozen_dataclass
class GrownUnit:
    """A unit of a campaign warband, ``one`` as it stands, with names for people.

    ``next_step`` is the experience at which the next advance is due, None where there is none.
    ``stat_line`` is that of now, ``changed`` names what growth has changed of it and ``bases`` says
    what that was before: "WS 4, BS 3". ``marks`` tell of games to miss, old wounds and captivity,
    ``ended`` how somebody ended. ``price_unit`` is what the army list counts its price in.
    """

    one: GrownWarrior
    title: str
    profile_name: str
    kind_name: str
    next_step: int | None
    stat_line: Mapping[str, Figure]
    changed: Texts
    bases: str
    talents: tuple[CharacteristicEffects, ...]
    injuries: Texts
    pieces: Texts
    marks: Texts
    price_unit: str
    ended: str = ""


def build_unit(
    campaign: CampaignPresenter, grown: WarbandGrowth, warrior: GrownWarrior
) -> GrownUnit:
    """Return a unit as its page shows it."""
    kind = campaign.rules.kinds[warrior.kind]
    profile = campaign.profile(grown.id, warrior.joined)
    skills = (campaign.rules.skills.get(key) for key in warrior.skills)
    # The characteristics of a unit, whose profile may have left the lists.
    base, changes = warrior.joined.stats, grown.stats.get(warrior.key, {})
    changed = tuple(stat for stat in base if changes.get(stat, base[stat]) != base[stat])
    printed = profile.lines[0].stats if profile and profile.lines else {}
    injuries = lasting_injuries(campaign.state, grown.id, warrior.key)
    events = campaign.happenings_of(grown.id, warrior.key)
    return GrownUnit(
        one=warrior,
        title=campaign.joiner(grown.id, warrior.joined),
        profile_name=profile.name if profile else "",
        kind_name=kind.name,
        next_step=kind.next_step(warrior.experience),
        stat_line=shown_stats(base, changes, printed),
        changed=changed,
        bases=", ".join(f"{stat} {base[stat]}" for stat in changed),
        talents=tuple(skill for skill in skills if skill),
        injuries=tuple(f"{row.name} ({campaign.effect(row.effect)})" for row in injuries),
        pieces=campaign.pieces(grown.id, warrior.gear),
        marks=tuple(absence_marks(campaign, warrior)),
        price_unit=campaign.unit_of_price(grown.id),
        ended=end_words(find_end(events)) if warrior.gone else "",
    )


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
    away = absence_words(captor, warrior.misses, warrior.count)
    wounds = "Old wound: roll before each game" if warrior.old_wounds else ""
    return [words for words in (away, wounds) if words]


def find_end(events: Iterable[Happening]) -> Happening | None:
    """Return what ended somebody who is gone; None for the last of a group, who was promoted."""
    ends = [event for event in events if event.what in ENDINGS]
    return ends[-1] if ends else None


def end_words(end: Happening | None) -> str:
    """Return an end in words."""
    return (end.row or ENDINGS[end.what]) if end else LEFT


def leader_first(grown: WarbandGrowth) -> list[GrownWarrior]:
    """Return the units of a warband, its leader first."""
    # Former ones fell before somebody else got their key.
    units = [*grown.warriors.values(), *grown.former]
    return sorted(units, key=lambda unit: not (unit.is_leader and not unit.gone))


# The page of a warband


@frozen_dataclass
class CampaignWarbandPage:
    """The warband of a player in a campaign.

    ``ratings`` are what it was worth before its first battle and after each. ``roster`` is the
    token of its copy where the reader may open it, ``issues`` what is found there, without notes.
    What is hidden from the reader is empty; ``note`` says from when the figures are then.
    """

    event: ClubEventRecord
    head: WarbandHead
    note: str = ""
    ratings: Numbers = ()
    units: tuple[GrownUnit, ...] = ()
    fallen: tuple[GrownUnit, ...] = ()
    stash: Texts = ()
    territory_word: str = ""
    captives: Texts = ()
    issues: tuple[Finding, ...] = ()
    roster: str = ""
    army_name: str = ""


def load_warband_page(actor: Owner, token: str, entry: str) -> CampaignWarbandPage | None:
    """Return the warband of an entry as this person may read it.

    None where none can grow. At most eleven queries.
    """
    event = load_growing_event(actor, token)
    if event is None:
        return None
    record = load_entry(actor, event, entry)
    if record is None:
        return None
    campaign, row = load_with_warband(event, record)
    head = build_head(campaign, record, row)
    page = CampaignWarbandPage(event, head, territory_word=campaign.territory_word)
    # Before anything is founded there is nothing to hide.
    if row is None:
        return page
    if event.hides(record.token):
        return replace(page, note=figures_note(event, [row]))
    grown = campaign.state.warbands[row.token]
    units = [build_unit(campaign, grown, warrior) for warrior in leader_first(grown)]
    army, roster = campaign.army(row.token), head.entry.warband
    return replace(
        page,
        ratings=list_ratings(campaign, grown),
        army_name=army.name if army else "",
        units=tuple(unit for unit in units if not unit.one.gone),
        fallen=tuple(unit for unit in units if unit.one.gone),
        stash=campaign.pieces(row.token, grown.stash),
        captives=campaign.held_by(row.token),
        roster=roster,
        issues=load_issues(actor, roster) if roster else (),
    )


def load_growing_event(actor: Owner, token: str) -> ClubEventRecord | None:
    """Return an event in which warbands grow; None for others, and as `load_event`."""
    event = load_event(actor, token)
    return event if event and event.growth_position else None


def list_ratings(campaign: CampaignPresenter, grown: WarbandGrowth) -> Numbers:
    """Return what a warband was worth before its first battle, after each, and is worth now."""
    # A long campaign is cut at its beginning: the drawing has room for so many.
    battles = campaign.state.battles_of(grown.id)[-MARKS_MOST:]
    marks = [battle.ratings[grown.id] for battle in battles]
    if not marks:
        return ()
    return (marks[0][0], *(after for _, after in marks[:-1]), grown.rating)


def load_issues(actor: Owner, roster: str) -> tuple[Finding, ...]:
    """Return what is found in a roster, without notes; nothing where it may not be opened."""
    copy = load_warband(actor, roster)
    findings = sheet_of(copy).findings if copy else ()
    return tuple(finding for finding in findings if finding.level != "note")


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
    tokens = [row.token for row in warbands_of(event.id) if row.entry_id == entry.id]
    if not tokens:
        raise NotFound("warband")
    return token if token in tokens else tokens[-1]


# The page of a unit


@frozen_dataclass
class CampaignUnitPage:
    """A unit with its games, and what happened to it.

    ``games`` taught it something: its fixture, title, round, lesson, and what for. ``story`` are
    rounds (0 before the first game) with what happened. ``warband`` is the row of its warband.
    """

    head: WarbandHead
    unit: GrownUnit
    games: tuple[tuple[str, str, int, BattleLesson, str], ...]
    story: tuple[tuple[int, str], ...]
    campaign: CampaignPresenter
    warband: CampaignWarband


def load_unit_page(
    actor: Owner, token: str, entry: str, unit: str
) -> CampaignUnitPage | None:
    """Return the page of a unit of an entry's last warband.

    None where there is no such unit, or its roster is secret from this person. At most seven
    queries.
    """
    event = load_growing_event(actor, token)
    if event is None:
        return None
    record = load_entry(actor, event, entry)
    if record is None or event.hides(record.token):
        return None
    campaign, row = load_with_warband(event, record)
    if row is None:
        return None
    grown = campaign.state.warbands[row.token]
    warrior = next((one for one in leader_first(grown) if one.key == unit), None)
    if warrior is None:
        return None
    games = Fixture.objects.filter(round__event=event.id)
    rounds = dict(games.values_list("token", "round__number"))
    return CampaignUnitPage(
        head=build_head(campaign, record, row),
        unit=build_unit(campaign, grown, warrior),
        games=tuple(
            (
                battle.fixture,
                " against ".join(map(campaign.warband, battle.ratings)),
                rounds.get(battle.fixture, 0),
                lesson,
                award_words(lesson.awards),
            )
            for battle in campaign.state.battles_of(row.token)
            for lesson in battle.lessons
            if (lesson.warband, lesson.warrior) == (row.token, unit)
        ),
        story=tuple(
            (campaign.round_of(event, rounds), campaign.happening(event))
            for event in campaign.happenings_of(row.token, unit)
        ),
        campaign=campaign,
        warband=row,
    )
