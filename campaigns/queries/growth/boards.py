"""What an event shows of a growing campaign: its board, its rules, and what founding takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.growth_payloads import change_of, document_in_force
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.queries.entries import PricedRoster, load_priced_choices
from campaigns.queries.growth.changes import GrowthPreview, preview_of
from campaigns.queries.growth.heads import WarbandHead, head_of
from campaigns.queries.growth.ledger import (
    CampaignLedger,
    closed_rounds,
    figures_note,
    has_begun,
    load_ledger,
    warbands_of,
)
from campaigns.queries.growth.names import CampaignNames
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth.campaign_fold import GrowthDifference
from engine.growth.faults import FaultyRules
from engine.growth.rules import CampaignRules
from engine.records import Numbers, Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import packed_rules, read_for
from rulesdata.campaign_editor.differences import RulesDifference, differences_of
from rulesdata.queries.campaign_book import RulesBook, book_of
from rulesdata.queries.campaign_rules import CampaignRulesRecord, load_campaign_sets
from warbands.queries.prices import load_points_today

VERSIONS_MOST = 20
"""How many changes of the rules the page tells."""

# The board of an event's page


@frozen_dataclass
class BoardLine:
    """A player of a campaign. ``money`` holds a sum for each currency of the board."""

    head: WarbandHead
    money: Numbers = ()


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
    lines: tuple[BoardLine, ...]
    note: str = ""

    @property
    def own(self) -> WarbandHead | None:
        """The reader's own line."""
        own = (line.head for line in self.lines if line.head.entry.is_mine)
        return next(own, None)

    @property
    def has_begun(self) -> bool:
        """Whether anybody has founded a warband."""
        return any(line.head.id for line in self.lines)

    @property
    def has_figures(self) -> bool:
        """Whether a warband has figures that the reader may know."""
        return any(line.head.id and line.head.has_figures for line in self.lines)

    @property
    def may_remind(self) -> bool:
        """Whether somebody owes a roll who has an account to be told by."""
        heads = [line.head for line in self.lines]
        return any(one.owes and one.entry.user_id is not None for one in heads)


def board_of(
    event: ClubEventRecord, entries: Sequence[EntryRecord], names: CampaignNames
) -> GrowthBoard:
    """Return the board of a campaign whose warbands grow; no query."""
    rows = names.rows.values()
    # Whoever has dropped out is named as long as the campaign knows their warband.
    known = {row.entry_id for row in rows}
    shown = [one for one in entries if one.id in known or not one.is_dropped]
    lines = [_line(event, one, names) for one in shown]
    # The highest rated first, as in the standings; whoever has none yet stands below.
    lines.sort(key=lambda line: (not line.head.id, -line.head.rating))
    ground = names.rules.territories
    taken = set(chain.from_iterable(line.head.territories for line in lines))
    free = tuple(name for name in ground.names if name not in taken) if ground else ()
    return GrowthBoard(
        rules_name=names.rules.name,
        currencies=tuple(one.name.capitalize() for one in names.rules.currencies),
        territory_word=names.territory_word,
        free=free,
        lines=tuple(lines),
        note=figures_note(event, rows),
    )


def _line(event: ClubEventRecord, entry: EntryRecord, names: CampaignNames) -> BoardLine:
    """Return a player's line, without sums before a warband is founded."""
    own = [row for row in names.rows.values() if row.entry_id == entry.id]
    # A warband that was disbanded makes room for another one, where that is no secret.
    is_hidden = event.hides(entry.token)
    row = next((one for one in own[::-1] if is_hidden or one.closed_at is None), None)
    head = head_of(event, entry, row, names)
    if row is None:
        return BoardLine(head)
    treasury = names.ledger.state.warbands[row.token].treasury
    currencies = names.rules.currencies
    return BoardLine(head, tuple(treasury.get(one.id, 0) for one in currencies))


# The rules of a campaign


def load_rules_choices(actor: Owner, system: System) -> Choices:
    """Return the sets that suit a system, each with its name. At most one query."""
    return tuple(
        (one.id, f"{one.name}, version {one.version}" if one.club else one.name)
        for one in load_campaign_sets(actor)
        if _suits(one, system)
    )


def _suits(one: CampaignRulesRecord, system: System) -> bool:
    """Return whether a set can be played in a system: it names no characteristic that this lacks.

    What was read once is kept, so the sets of a club cost little here.
    """
    try:
        read_for(system, one.document)
    except FaultyRules:
        return False
    return True


@frozen_dataclass
class RulesPage:
    """The sets on offer, and the one in force: its id, name and version ("" and 0 for none)."""

    choices: Choices
    current: str = ""
    name: str = ""
    version: int = 0
    summary: str = ""
    has_begun: bool = False
    names: CampaignNames | None = None

    def preview_words(self, moved: GrowthDifference) -> GrowthPreview:
        """Return what other rules would move."""
        assert self.names
        return preview_of(self.names, moved)


def load_rules_page(actor: Owner, event: ClubEventRecord) -> RulesPage:
    """Return what an organiser chooses campaign rules from. At most three queries."""
    system = registry.system_of(event)
    choices = load_rules_choices(actor, system)
    if not event.growth_position:
        return RulesPage(choices)
    ledger = load_ledger(event)
    current, version = ledger.rules_name
    return RulesPage(
        choices=choices,
        current=current,
        name=ledger.rules.name,
        version=version,
        summary=ledger.rules.summary,
        has_begun=has_begun(ledger),
        names=CampaignNames(ledger, system, tuple(warbands_of(event.id))),
    )


@frozen_dataclass
class RulesVersionLine:
    """A version of the rules in a campaign: since when, for which games, and what it changed.

    ``reason`` is "" for who may not read it.
    """

    number: int
    name: str
    at: datetime
    from_start: bool
    reason: str
    changes: tuple[RulesDifference, ...]


@frozen_dataclass
class CampaignBook:
    """The rules in force in a campaign, with its later versions, the last one first."""

    book: RulesBook
    versions: tuple[RulesVersionLine, ...]


def load_campaign_book(event: ClubEventRecord) -> CampaignBook:
    """Return the rules in force in a campaign, explained. Two queries; NotFound without any.

    Their id is "" where it is no set of the site as the site prints it.
    """
    ledger = load_ledger(event)
    id, version = ledger.rules_name
    rules, packed = ledger.rules, packed_rules().get(id)
    is_packed = packed is not None and packed.document == ledger.document
    record = CampaignRulesRecord(
        id if is_packed else "", version, rules.name, rules.summary, (), ledger.document
    )
    return CampaignBook(
        book_of(record), tuple(_versions(event, ledger))[::-1][:VERSIONS_MOST]
    )


def _versions(event: ClubEventRecord, ledger: CampaignLedger) -> Iterator[RulesVersionLine]:
    """Yield what each change of the rules changed, in the order of writing. One query."""
    told = GrowthRow.objects.filter(event_id=event.id, kind=GrowthRowKind.RULES)
    notes = {row.position: row for row in told.only("position", "at", "reason")}
    stored = ledger.of(GrowthRowKind.RULES)
    for number in range(2, len(stored) + 1):
        row = stored[number - 1]
        before = document_in_force(stored[: number - 1])
        after = document_in_force(stored[:number])
        note = notes[row.position]
        yield RulesVersionLine(
            number=number,
            name=f"{after.get('name', '')}, version {row.payload['version']}",
            at=note.at,
            from_start=change_of(row).from_start,
            reason=note.reason if event.reads_reasons else "",
            changes=differences_of(before, after),
        )


# Founding

DEAR_MOST = 5
"""How many rosters that cost too much the page links to."""


@frozen_dataclass
class DearRoster:
    """A roster that costs more than the purse, and by how much in words."""

    token: str
    name: str
    excess: str


@frozen_dataclass
class FoundingPage:
    """The rosters that somebody may found with, and what they may cost.

    ``purse`` tells the sum with what late joiners get on top, ``points`` how many it buys.
    ``kinds`` say who grows how, ``limit`` how many models the rules advise at most, ``dear`` which
    rosters cost too much. ``warband`` is the one they have, or "".
    """

    choices: Choices
    dear: tuple[DearRoster, ...]
    usual: str
    purse: str
    points: int
    late: str
    kinds: Texts
    limit: int | None
    warband: str


def load_founding_page(
    actor: Owner, event: ClubEventRecord, entry: EntryRecord, wanted: str = ""
) -> FoundingPage:
    """Return what a warband is founded from, ``wanted`` the roster that is chosen at first.

    Five queries, two more where a roster keeps a price. Raises NotFound where none grow.
    """
    if not event.growth_position:
        raise NotFound("growth")
    ledger = load_ledger(event)
    rows = CampaignWarband.objects.filter(entry__event_id=event.id)
    grown = list(rows.values_list("entry_id", "closed_at", "token", "warband__token"))
    # What grows in this campaign already founds nothing in it.
    copies = {copy for *_, copy in grown}
    closed = closed_rounds(event.id)
    purse = _purse(ledger.rules, closed)
    rules = ledger.rules
    found = _at_prices_of_today(load_priced_choices(actor, event, entry))
    offered = [one for one in found if one.token not in copies]
    choices = tuple(
        (one.token, f"{one.name}{_paid_from(rules, purse, one.points)}") for one in offered
    )
    own = (
        token for pk, closed_at, token, _ in grown if (pk, closed_at) == (entry.id, None)
    )
    known = dict(choices)
    liked = (one for one in (wanted, entry.warband, *_plain(offered)) if one in known)
    return FoundingPage(
        choices=choices,
        dear=_dear(rules, purse, offered),
        usual=next(liked, ""),
        purse=f"{purse} {_money_name(rules)}",
        points=purse // rules.prices.of(1),
        late=_late(rules, closed),
        kinds=_kinds(rules),
        limit=rules.limits.models,
        warband=next(own, ""),
    )


def _plain(offered: Iterable[PricedRoster]) -> list[str]:
    """Return rosters that are no campaign's copy: only its player chooses one of those."""
    return [roster.token for roster in offered if not roster.event]


def _at_prices_of_today(found: Sequence[PricedRoster]) -> list[PricedRoster]:
    """Return rosters at the prices of their lists, which they found at; some keep older ones."""
    today = load_points_today(one.token for one in found)
    return [one._replace(points=today.get(one.token, one.points)) for one in found]


def _purse(rules: CampaignRules, closed: int) -> int:
    """Return what a warband may cost that is founded now."""
    money = next(one for one in rules.currencies if one.id == rules.prices.currency)
    late = rules.late
    # Whoever joins late gets something for each round that is over, up to a most.
    extra = late.purse(closed) if late and late.currency == money.id else 0
    return money.start + extra


def _money_name(rules: CampaignRules) -> str:
    """Return the currency of prices."""
    return rules.currency_name(rules.prices.currency)


def _dear(
    rules: CampaignRules, purse: int, offered: Iterable[PricedRoster]
) -> tuple[DearRoster, ...]:
    """Return the rosters that cost more than the purse, the latest few."""
    over = [(one, rules.prices.of(one.points) - purse) for one in offered]
    money = _money_name(rules)
    found = [
        DearRoster(one.token, one.name, f"{more} {money}") for one, more in over if more > 0
    ]
    return tuple(found[:DEAR_MOST])


def _paid_from(rules: CampaignRules, purse: int, points: int) -> str:
    """Return what a roster costs and leaves: ", 198 crowns → 52 left"."""
    price = rules.prices.of(points)
    left = purse - price
    told = f"{left} left" if left >= 0 else f"{-left} more than the purse"
    return f", {price} {_money_name(rules)} → {told}"


def _late(rules: CampaignRules, closed: int) -> str:
    """Return what joining late gives, "" for nothing."""
    if rules.late is None or not closed:
        return ""
    name = rules.currency_name(rules.late.currency)
    extra = rules.late.purse(closed)
    rounds = "1 closed round" if closed == 1 else f"{closed} closed rounds"
    return f"{extra} {name} of it for joining after {rounds}."


def _kinds(rules: CampaignRules) -> Texts:
    """Return the kinds of units with how many of each the rules advise."""
    return tuple(
        f"{one.name} (at most {one.most})" if one.most is not None else one.name
        for one in rules.kinds.values()
    )
