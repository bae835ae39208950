"""A campaign warband on pages: its units as they have grown, and what it owns."""

from __future__ import annotations

from dataclasses import replace

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.models import CampaignWarband
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.growth.careers import end_of, end_words
from campaigns.queries.growth.heads import WarbandHead, head_of
from campaigns.queries.growth.ledger import figures_note, warbands_of
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.findings.case import Finding
from engine.growth.state import WarbandGrowth, lasting_injuries
from engine.growth.warriors import GrownWarrior
from engine.records import Numbers, Texts, frozen_dataclass
from engine.roster import absence_words
from engine.types.lists import Figure
from warbands.queries.warbands import load_warband, sheet_of

MARKS_MOST = 40


# What the page shows


@frozen_dataclass
class GrownStat:
    """A characteristic: what the profile has, and what it is now.

    Advances, injuries, skills and gear all change it. Nothing and dice count as 0; ``printed`` is
    what the profile has in their place.
    """

    name: str
    base: int
    now: int
    printed: Figure = 0

    @property
    def shown(self) -> Figure:
        """What a stat line shows: as printed while nothing has changed it."""
        return self.now if self.is_changed else self.printed

    @property
    def is_changed(self) -> bool:
        """Whether growth has changed it."""
        return self.base != self.now


@frozen_dataclass
class UnitSkill:
    """A skill with what it says."""

    name: str
    words: str


@frozen_dataclass
class GrownUnit:
    """A unit of a campaign warband, ``one`` as it stands, with names for people.

    ``next_step`` is the experience at which the next advance is due, None where there is none.
    ``marks`` tell of games to miss, old wounds and captivity, ``ended`` how somebody ended.
    ``price_unit`` is what the army list counts its price in.
    """

    one: GrownWarrior
    title: str
    profile_name: str
    kind_name: str
    next_step: int | None
    figures: tuple[GrownStat, ...]
    talents: tuple[UnitSkill, ...]
    injuries: Texts
    pieces: Texts
    marks: Texts
    price_unit: str
    ended: str = ""

    @property
    def stat_line(self) -> dict[str, Figure]:
        """The characteristics as they are now, in the order of the profile."""
        return {one.name: one.shown for one in self.figures}

    @property
    def changed(self) -> Texts:
        """The names of those that growth has changed."""
        return tuple(one.name for one in self.figures if one.is_changed)

    @property
    def bases(self) -> str:
        """What the changed ones were before: "WS 4, BS 3"."""
        told = (f"{one.name} {one.base}" for one in self.figures if one.is_changed)
        return ", ".join(told)


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


# Loading


def load_warband_page(actor: Owner, token: str, entry: str) -> CampaignWarbandPage | None:
    """Return the warband of an entry as this person may read it; None where none can grow here.

    At most eleven queries.
    """
    event = load_event(actor, token)
    if event is None or not event.growth_position:
        return None
    record = load_entry(actor, event, entry)
    if record is None:
        return None
    names, row = load_names(event, record)
    head = head_of(event, record, row, names)
    # Before anything is founded there is nothing to hide.
    if row is None:
        return CampaignWarbandPage(event, head)
    if event.hides(record.token):
        return CampaignWarbandPage(
            event,
            head,
            figures_note(event, [row]),
            territory_word=names.territory_word,
        )
    page = _page(event, head, names)
    return replace(page, issues=_issues(actor, page.roster)) if page.roster else page


def load_names(
    event: ClubEventRecord, entry: EntryRecord
) -> tuple[CampaignNames, CampaignWarband | None]:
    """Return a campaign with what its keys are called, and the last warband of an entry.

    Two queries.
    """
    names = load_campaign_names(event)
    # Whoever disbanded and founded anew has several: the last is the one that goes on.
    own = [row for row in names.rows.values() if row.entry_id == entry.id]
    return names, own[-1] if own else None


def find_own_warband(
    event: ClubEventRecord, entry: EntryRecord
) -> tuple[CampaignNames, CampaignWarband]:
    """Return the same. Raises NotFound where the entry has no warband that goes on."""
    if not event.growth_position:
        raise NotFound("growth")
    names, row = load_names(event, entry)
    if row is None or row.closed_at is not None:
        raise NotFound("warband")
    return names, row


def find_warband(event: ClubEventRecord, entry: EntryRecord, token: str) -> str:
    """Return the id of a warband of an entry, the last one where it has none of this id.

    One query. Raises NotFound where it has founded none.
    """
    own = [row.token for row in warbands_of(event.id) if row.entry_id == entry.id]
    if not own:
        raise NotFound("warband")
    return token if token in own else own[-1]


def _page(
    event: ClubEventRecord, head: WarbandHead, names: CampaignNames
) -> CampaignWarbandPage:
    """Return the page of a warband that was founded."""
    grown = names.ledger.state.warbands[head.id]
    units = [unit_of(names, grown, one) for one in in_order(grown)]
    warband = head.id
    found = [one.ratings[warband] for one in names.ledger.state.battles_of(warband)]
    ratings: tuple[int, ...] = ()
    if found:
        # A long campaign is cut at its beginning: the drawing has room for so many.
        shown = found[-MARKS_MOST:]
        first, _ = shown[0]
        now = names.ledger.state.warbands[warband].rating
        ratings = (first, *(after for _, after in shown[:-1]), now)
    return CampaignWarbandPage(
        event=event,
        head=head,
        ratings=ratings,
        territory_word=names.territory_word,
        army_name=names.army_name(head.id),
        units=tuple(unit for unit in units if not unit.one.gone),
        fallen=tuple(unit for unit in units if unit.one.gone),
        stash=names.pieces(head.id, grown.stash),
        captives=names.held_by(head.id),
        roster=head.entry.warband,
    )


def _issues(actor: Owner, roster: str) -> tuple[Finding, ...]:
    """Return the errors and warnings of a roster. At most four queries."""
    record = load_warband(actor, roster)
    found = sheet_of(record).findings if record else ()
    return tuple(one for one in found if one.level != "note")


def in_order(grown: WarbandGrowth) -> list[GrownWarrior]:
    """Return the units of a warband, its leader first."""
    # Former ones fell before somebody else got their key.
    units = [*grown.warriors.values(), *grown.former]
    return sorted(units, key=lambda one: not (one.is_leader and not one.gone))


def unit_of(names: CampaignNames, grown: WarbandGrowth, one: GrownWarrior) -> GrownUnit:
    """Return a unit as its page shows it."""
    kind = names.rules.kinds[one.kind]
    profile = names.profile(grown.id, one)
    known = (names.rules.skills.get(key) for key in one.skills)
    # The characteristics of a unit, whose profile may have left the lists.
    # Whatever was not changed is as the profile has it.
    now = {**one.joined.stats, **grown.stats.get(one.key, {})}
    printed = profile.lines[0].stats if profile and profile.lines else {}
    figures = tuple(
        GrownStat(key, base, now[key], printed.get(key, base))
        for key, base in one.joined.stats.items()
    )
    warband = grown.id
    key = one.key
    rows = lasting_injuries(names.ledger.state, warband, key)
    injuries = tuple(f"{row.name} ({names.effect(row.effect)})" for row in rows)
    return GrownUnit(
        one=one,
        title=names.unit_name(grown.id, one),
        profile_name=profile.name if profile else "",
        kind_name=kind.name,
        next_step=next((step for step in kind.steps if step > one.experience), None),
        figures=figures,
        talents=tuple(UnitSkill(skill.name, skill.words) for skill in known if skill),
        injuries=injuries,
        pieces=names.pieces(grown.id, one.gear),
        marks=tuple(marks_of(names, one)),
        price_unit=names.unit_of_price(grown.id),
        ended=_end(names, grown.id, one.key) if one.gone else "",
    )


def _end(names: CampaignNames, warband: str, key: str) -> str:
    """Return how somebody who is gone ended."""
    told = names.ledger.state.happenings
    own = (one for one in told if (one.warband, one.warrior) == (warband, key))
    return end_words(end_of(own))


def marks_of(names: CampaignNames, one: GrownWarrior) -> list[str]:
    """Return what keeps a unit from the next battle, in words."""
    captor = names.warband(one.captor) if one.captor else ""
    away = absence_words(captor, one.misses, one.count)
    wounds = "Old wound: roll before each game" if one.old_wounds else ""
    return [words for words in (away, wounds) if words]
