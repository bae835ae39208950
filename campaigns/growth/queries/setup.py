"""How a growing campaign is set up: its rules, and what a warband is founded from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.growth.payloads import document_in_force, read_change
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    closed_rounds,
    has_begun,
    load_ledger,
)
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.queries.entries import load_priced_choices
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth.faults import FaultyRules
from engine.records import frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import packed_rules, read_for
from rulesdata.campaign_editor import RulesDifference, differences_of
from rulesdata.queries.campaign_book import RulesBook, book_of
from rulesdata.queries.campaign_rules import CampaignRulesRecord, load_campaign_sets
from warbands.queries.prices import load_points_today

VERSIONS_MOST = 20
"""How many changes of the rules the page tells."""
DEAR_MOST = 5
"""How many rosters that cost too much the page links to."""


# The rules of a campaign


def load_rules_choices(actor: Owner, system: System) -> Choices:
    """Return the sets that suit a system, each with its name. At most one query.

    One that names a characteristic that the system lacks cannot be played in it.
    """
    choices = []
    for rules in load_campaign_sets(actor):
        # What was read once is kept, so the sets of a club cost little here.
        try:
            read_for(system, rules.document)
        except FaultyRules:
            continue
        version = f", version {rules.version}" if rules.club else ""
        choices.append((rules.id, f"{rules.name}{version}"))
    return tuple(choices)


@frozen_dataclass
class RulesPage:
    """The sets on offer, and the one in force: its id, name and version ("" and 0 for none)."""

    choices: Choices
    current: str = ""
    name: str = ""
    version: int = 0
    summary: str = ""
    has_begun: bool = False


def load_rules_page(actor: Owner, event: ClubEventRecord) -> RulesPage:
    """Return what an organiser chooses campaign rules from. At most two queries."""
    choices = load_rules_choices(actor, registry.system_of(event))
    if not event.growth_position:
        return RulesPage(choices)
    ledger = load_ledger(event)
    current, version = ledger.rules_name
    name, summary = ledger.rules.name, ledger.rules.summary
    return RulesPage(choices, current, name, version, summary, has_begun(ledger))


@frozen_dataclass
class RulesVersionLine:
    """A version of the rules in a campaign: since when, for which games, and what it changed.

    ``reason`` is "" for who may not read it.
    """

    name: str
    at: datetime
    from_start: bool
    reason: str
    changes: tuple[RulesDifference, ...]


def load_campaign_book(
    event: ClubEventRecord,
) -> tuple[RulesBook, list[RulesVersionLine]]:
    """Return the rules in force in a campaign, and its later versions, the last one first.

    Two queries; NotFound without any rules. Their id is "" where it is no set of the site as the
    site prints it.
    """
    ledger = load_ledger(event)
    id, version = ledger.rules_name
    rules, packed = ledger.rules, packed_rules().get(id)
    is_packed = packed is not None and packed.document == ledger.document
    record = CampaignRulesRecord(
        id if is_packed else "", version, rules.name, rules.summary, (), ledger.document
    )
    return book_of(record), [*_versions(event, ledger)][::-1][:VERSIONS_MOST]


def _versions(event: ClubEventRecord, ledger: CampaignLedger) -> Iterator[RulesVersionLine]:
    """Yield what each change of the rules changed, in the order of writing. One query."""
    rows = GrowthRow.objects.filter(event_id=event.id, kind=GrowthRowKind.RULES)
    notes = {row.position: row for row in rows.only("position", "at", "reason")}
    stored = ledger.of(GrowthRowKind.RULES)
    for place, row in enumerate(stored[1:], start=1):
        before = document_in_force(stored[:place])
        after = document_in_force(stored[: place + 1])
        note = notes[row.position]
        yield RulesVersionLine(
            name=f"{after.get('name', '')}, version {row.payload['version']}",
            at=note.at,
            from_start=read_change(row).from_start,
            reason=note.reason if event.reads_reasons else "",
            changes=differences_of(before, after),
        )


# Founding


class FoundingPage:
    """The rosters that somebody may found with, and what they may cost.

    ``usual`` is chosen at first. ``purse`` tells the sum with what late joiners get on top,
    ``points`` how many it buys. ``kinds`` say who grows how, ``limit`` how many models the rules
    advise at most. ``dear`` are rosters that cost too much: token, name, and by how much.
    ``warband`` is the one they have, or "".
    """

    def __init__(
        self, actor: Owner, event: ClubEventRecord, entry: EntryRecord, wanted: str = ""
    ) -> None:
        """``wanted`` is the roster that somebody came from.

        Five queries, two more where a roster keeps a price. Raises NotFound where none grow.
        """
        if not event.growth_position:
            raise NotFound("growth")
        rules, closed = load_ledger(event).rules, closed_rounds(event.id)
        prices, money = rules.prices, rules.currency_name(rules.prices.currency)
        purse = next(
            currency.start
            for currency in rules.currencies
            if currency.id == prices.currency
        )
        self.late = ""
        # Whoever joins late gets something for each round that is over, up to a most.
        if rules.late and closed:
            extra = rules.late.purse(closed)
            rounds = "1 closed round" if closed == 1 else f"{closed} closed rounds"
            name = rules.currency_name(rules.late.currency)
            self.late = f"{extra} {name} of it for joining after {rounds}."
            if rules.late.currency == prices.currency:
                purse += extra
        self.purse, self.points = f"{purse} {money}", purse // prices.of(1)
        self.kinds = [
            kind.name if kind.most is None else f"{kind.name} (at most {kind.most})"
            for kind in rules.kinds.values()
        ]
        self.limit = rules.limits.models
        rows = CampaignWarband.objects.filter(entry__event_id=event.id)
        warbands = list(
            rows.values_list("entry_id", "closed_at", "token", "warband__token")
        )
        current = [token for pk, at, token, _ in warbands if (pk, at) == (entry.id, None)]
        self.warband = current[0] if current else ""
        # What grows in this campaign already founds nothing in it.
        copies = {copy for *_, copy in warbands}
        rosters = [
            roster
            for roster in load_priced_choices(actor, event, entry)
            if roster.token not in copies
        ]
        # Some keep the prices of before; they found at those of their lists.
        today = load_points_today(roster.token for roster in rosters)
        names, dear = {}, []
        for roster in rosters:
            price = prices.of(today.get(roster.token, roster.points))
            left = purse - price
            if left >= 0:
                rest = f"{left} left"
            else:
                rest = f"{-left} more than the purse"
                dear.append((roster.token, roster.name, f"{-left} {money}"))
            names[roster.token] = f"{roster.name}, {price} {money} → {rest}"
        self.choices, self.dear = tuple(names.items()), dear[:DEAR_MOST]
        # Only its player chooses a roster that is a campaign's copy.
        plain = [roster.token for roster in rosters if not roster.event]
        usual = [token for token in (wanted, entry.warband, *plain) if token in names]
        self.usual = usual[0] if usual else ""
