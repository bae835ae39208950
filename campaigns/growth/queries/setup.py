"""How a growing campaign is set up: its rules, and what a warband is founded from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.growth.payloads import document_in_force
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    closed_rounds,
    has_begun,
    load_campaign_warbands,
    load_ledger,
)
from campaigns.models import GrowthRow, GrowthRowKind
from campaigns.queries.entries import PricedRoster, load_priced_choices
from campaigns.queries.records import Choices, ClubEventRecord, EntryRecord
from engine.growth.faults import FaultyRules
from engine.growth.money import founding_purse
from engine.growth.rules import CampaignRules
from engine.records import Fields, Texts, quantity
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import find_default_rules, packed_rules, read_for
from rulesdata.campaign_editor import find_differences
from rulesdata.queries.campaign_book import RulesBook, build_rules_book
from rulesdata.queries.campaign_rules import CampaignRulesRecord, load_campaign_sets
from warbands.queries.warbands import load_points_today

VERSIONS_MOST = 20
"""How many changes of the rules the page tells."""
DEAR_MOST = 5
"""How many rosters that cost too much the page links to."""


# The rules of a campaign


def load_rules_choices(actor: Owner, system: System) -> Choices:
    """Return the sets that suit a system, its own first, with their names. At most one query.

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
    default = find_default_rules(system)
    return tuple(sorted(choices, key=lambda choice: choice[0] != default))


class RulesPage:
    """The sets that an organiser chooses from, and the rules in force: None without any.

    ``current`` is the id of the set in force, "" for none.
    """

    def __init__(self, actor: Owner, event: ClubEventRecord) -> None:
        """At most two queries."""
        self.choices = load_rules_choices(actor, registry.system_of(event))
        ledger = load_ledger(event) if event.growth_position else None
        self.rules = ledger.rules if ledger else None
        self.current, self.version = ledger.rules_name if ledger else ("", 0)
        self.has_begun = bool(ledger and has_begun(ledger))


def load_campaign_book(
    event: ClubEventRecord,
) -> tuple[RulesBook, list[Fields]]:
    """Return the rules in force in a campaign, and its later versions, the last one first.

    Two queries; NotFound without any rules. Their id is "" where it is no set of the site as the
    site prints it.
    """
    ledger = load_ledger(event)
    id, version = ledger.rules_name
    packed = packed_rules().get(id)
    is_packed = packed is not None and packed.document == ledger.document
    record = CampaignRulesRecord(id if is_packed else "", version, ledger.document)
    return build_rules_book(record), [*_versions(event, ledger)][::-1][:VERSIONS_MOST]


def _versions(event: ClubEventRecord, ledger: CampaignLedger) -> Iterator[Fields]:
    """Yield since when each version of the rules holds, and what it changed. One query.

    In the order of writing; a reason is "" for who may not read it.
    """
    rows = GrowthRow.objects.filter(event_id=event.id, kind=GrowthRowKind.RULES)
    notes = {row.position: row for row in rows.only("position", "at", "reason")}
    stored = ledger.of(GrowthRowKind.RULES)
    for place, row in enumerate(stored[1:], start=1):
        before = document_in_force(stored[:place])
        after = document_in_force(stored[: place + 1])
        note = notes[row.position]
        yield {
            "name": f"{after.get('name', '')}, version {row.payload['version']}",
            "at": note.at,
            "from_start": row.payload.get("from_start"),
            "reason": note.reason if event.reads_reasons else "",
            "changes": find_differences(before, after),
        }


# Founding


def _find_purse(rules: CampaignRules, start: int, closed: int) -> tuple[int, str]:
    """Return what a warband may cost, and what of it is for joining late ("" for nothing)."""
    # Whoever joins late gets something for each round that is over, up to a most.
    if not rules.late or not closed:
        return start, ""
    extra, currency = rules.late.purse(closed), rules.late.currency
    after = quantity(closed, "closed round")
    note = f"{rules.amount(extra, currency)} of it for joining after {after}."
    return start + extra if currency == rules.prices.currency else start, note


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
        self.rules = rules = load_ledger(event).rules
        self.prices = rules.prices
        start = founding_purse(rules, event.points_limit)
        purse, self.late = _find_purse(rules, start, closed_rounds(event.id))
        self.purse, self.points = rules.amount(purse), purse // self.prices.of(1)
        self.kinds = [
            kind.name if kind.most is None else f"{kind.name} (at most {kind.most})"
            for kind in rules.kinds.values()
        ]
        self.limit = rules.limits.models
        rows = load_campaign_warbands(event.id)
        current = [
            row.token for row in rows if row.entry_id == entry.id and not row.closed_at
        ]
        self.warband = current[0] if current else ""
        # What grows in this campaign already founds nothing in it.
        copies = {row.warband.token for row in rows if row.warband}
        rosters = [
            roster
            for roster in load_priced_choices(actor, event, entry)
            if roster.token not in copies
        ]
        self._offer_rosters(rosters, purse - start, event.points_limit)
        self.usual = _find_usual(rosters, (wanted, entry.warband))

    def _offer_rosters(
        self, rosters: Iterable[PricedRoster], late: int, limit: int | None
    ) -> None:
        """Offer each roster with its price and what it leaves of its purse."""
        # Some keep the prices of before; they found at those of their lists.
        today = load_points_today(roster.token for roster in rosters)
        self.choices: list[tuple[str, str]] = []
        self.dear: list[tuple[str, str, str]] = []
        for roster in rosters:
            price = self.prices.of(today.get(roster.token, roster.points))
            left = founding_purse(self.rules, limit or roster.limit) + late - price
            rest = f"{left} left" if left >= 0 else f"{-left} more than the purse"
            label = f"{roster.name}, {self.rules.amount(price)} → {rest}"
            self.choices.append((roster.token, label))
            if left < 0:
                self.dear.append((roster.token, roster.name, self.rules.amount(-left)))
        del self.dear[DEAR_MOST:]


def _find_usual(rosters: Iterable[PricedRoster], wanted: Texts) -> str:
    """Return the roster that is chosen at first, "" for none: the first wanted one, if any."""
    # Only its player chooses a roster that is a campaign's copy.
    plain = (roster.token for roster in rosters if not roster.event)
    tokens = {roster.token for roster in rosters}
    return next((token for token in (*wanted, *plain) if token in tokens), "")
