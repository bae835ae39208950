"""The page of a campaign warband: its units as they have grown, what it owns, and its rating."""

from __future__ import annotations

from dataclasses import replace

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.models import CampaignWarband
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.growth.heads import WarbandHead, head_of
from campaigns.queries.growth.ledger import load_ledger, warbands_of
from campaigns.queries.growth.names import CampaignNames
from campaigns.queries.growth.reports import hides_rosters
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth import dues
from engine.growth.state import WarbandGrowth
from engine.growth.warriors import GrownWarrior
from engine.records import Numbers, Texts, frozen_dataclass
from rulesdata import registry

MARKS_MOST = 40
LASTING = ("lower", "old_wound")


@frozen_dataclass
class GrownStat:
    """A characteristic: what the profile has, and what it is now.

    Advances, injuries, skills and gear all change it.
    """

    name: str
    base: int
    now: int

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
    ``marks`` tell of games to miss, old wounds and captivity.
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

    @property
    def stat_line(self) -> dict[str, int]:
        """The characteristics as they are now, in the order of the profile."""
        return {one.name: one.now for one in self.figures}

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
    token of its copy where the reader may open it. What is hidden from the reader is empty.
    """

    event: ClubEventRecord
    head: WarbandHead
    is_hidden: bool = False
    ratings: Numbers = ()
    units: tuple[GrownUnit, ...] = ()
    fallen: tuple[GrownUnit, ...] = ()
    stash: Texts = ()
    territory_word: str = ""
    captives: Texts = ()
    roster: str = ""
    army_name: str = ""


def load_warband_page(actor: Owner, token: str, entry: str) -> CampaignWarbandPage | None:
    """Return the warband of an entry as this person may read it; None where none can grow here.

    At most seven queries.
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
    hides = hides_rosters(event) and not record.is_mine
    return _page(event, head, names, hides=hides)


def load_names(
    event: ClubEventRecord, entry: EntryRecord
) -> tuple[CampaignNames, CampaignWarband | None]:
    """Return a campaign with what its keys are called, and the last warband of an entry.

    Two queries.
    """
    ledger = load_ledger(event)
    rows = tuple(warbands_of(event.id))
    names = CampaignNames(ledger, registry.system_of(event), rows)
    # Whoever disbanded and founded anew has several: the last is the one that goes on.
    own = [row for row in rows if row.entry_id == entry.id]
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
    event: ClubEventRecord, head: WarbandHead, names: CampaignNames, *, hides: bool
) -> CampaignWarbandPage:
    """Return the page of a warband that was founded."""
    shown = CampaignWarbandPage(
        event=event,
        head=head,
        is_hidden=hides,
        ratings=_ratings(names, head.id),
        territory_word=names.territory_word,
        army_name=names.army_name(head.id),
    )
    # Rating and treasury are no secret: the board of the event tells them too.
    if hides:
        return shown
    grown = names.ledger.state.warbands[head.id]
    units = [_unit(names, grown, one) for one in in_order(grown)]
    return replace(
        shown,
        units=tuple(unit for unit in units if not unit.one.gone),
        fallen=tuple(unit for unit in units if unit.one.gone),
        stash=names.pieces(head.id, grown.stash),
        captives=names.held_by(head.id),
        roster=head.entry.warband,
    )


def in_order(grown: WarbandGrowth) -> list[GrownWarrior]:
    """Return the units of a warband, its leader first."""
    # Former ones fell before somebody else got their key.
    units = [*grown.warriors.values(), *grown.former]
    return sorted(units, key=lambda one: not (one.is_leader and not one.gone))


def _ratings(names: CampaignNames, warband: str) -> Numbers:
    """Return the ratings of a warband: before its first battle, after each of the last, and now."""
    found = [one.ratings[warband] for one in names.ledger.state.battles_of(warband)]
    if not found:
        return ()
    # A long campaign is cut at its beginning: the drawing has room for so many.
    shown = found[-MARKS_MOST:]
    first, _ = shown[0]
    now = names.ledger.state.warbands[warband].rating
    return (first, *(after for _, after in shown[:-1]), now)


def _unit(names: CampaignNames, grown: WarbandGrowth, one: GrownWarrior) -> GrownUnit:
    """Return a unit as its page shows it."""
    kind = names.rules.kinds[one.kind]
    profile = names.profile(grown.id, one)
    # Whatever was not changed is as the profile has it.
    now = {**one.joined.stats, **grown.stats.get(one.key, {})}
    known = (names.rules.skills.get(key) for key in one.skills)
    return GrownUnit(
        one=one,
        title=names.unit_name(grown.id, one),
        profile_name=profile.name if profile else "",
        kind_name=kind.name,
        next_step=next((step for step in kind.steps if step > one.experience), None),
        figures=tuple(
            GrownStat(key, base, now[key]) for key, base in one.joined.stats.items()
        ),
        talents=tuple(UnitSkill(skill.name, skill.words) for skill in known if skill),
        injuries=_injuries(names, grown.id, one.key),
        pieces=names.pieces(grown.id, one.gear),
        marks=tuple(_marks(names, one)),
    )


def _injuries(names: CampaignNames, warband: str, key: str) -> Texts:
    """Return the lasting injuries of a unit, each with what it does.

    They are read from the rows that were rolled: a unit itself keeps only what they did to it.
    """
    found = []
    for (owner, due), row in names.ledger.state.rolled.items():
        parts = due.split("/")
        is_injury = owner == warband and parts[1:2] == [dues.INJURY]
        # A model of a group has a number behind the group's key.
        is_own = is_injury and parts[2].partition("#")[0] == key
        if is_own and row.effect.verb in LASTING:
            found.append(f"{row.name} ({names.effect(row.effect)})")
    return tuple(found)


def _marks(names: CampaignNames, one: GrownWarrior) -> list[str]:
    """Return what keeps a unit from the next battle, in words."""
    found = []
    if one.captor:
        found.append(f"Held by {names.warband(one.captor)}")
    # Each model of a group misses games for itself, so a group tells how many are away.
    if one.misses and one.count == 1:
        games = one.misses[0]
        found.append(f"Misses {games} game{'' if games == 1 else 's'}")
    elif one.misses:
        models = len(one.misses)
        found.append(f"{models} model{'' if models == 1 else 's'} missing the next game")
    if one.old_wounds:
        found.append("Old wound: roll before each game")
    return found
