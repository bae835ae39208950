"""The log of a campaign out of its rows, and what it comes to."""

from collections.abc import Sequence
from contextlib import suppress

from accounts.errors import NotFound
from campaigns.models import (
    CampaignWarband,
    ClubEvent,
    GrowthRow,
    GrowthRowKind,
    Round,
    RoundStatus,
)
from engine.growth.campaign_fold import fold, kept_answers
from engine.growth.dues import DueKey, KeptAnswer
from engine.growth.facts import CampaignFacts
from engine.growth.log import CampaignLog, Founding
from engine.growth.payloads import StoredRow, document_in_force, read_log
from engine.growth.rules import CampaignRules
from engine.growth.state import CampaignState
from engine.records import NamedValues, frozen_dataclass
from engine.roster import Roster
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata import registry
from rulesdata.campaign_documents import rules_reader

LATE_MOST = 60
"""The most rounds that somebody who joins late may have missed."""


@frozen_dataclass
class CampaignLedger:
    """A campaign's rows as they are stored, the log they make, and the state it comes to."""

    rows: tuple[StoredRow, ...]
    log: CampaignLog
    state: CampaignState

    @property
    def position(self) -> int:
        """The place of the last row."""
        return self.rows[-1].position

    @property
    def document(self) -> NamedValues:
        """The document of the rules in force."""
        return document_in_force(self.rows)

    @property
    def rules(self) -> CampaignRules:
        """The rules in force."""
        later = [row.entry for row in self.log.rows if hasattr(row.entry, "rules")]
        found: CampaignRules = later[-1].rules if later else self.log.rules
        return found

    @property
    def rules_name(self) -> tuple[str, int]:
        """The id of the set in force and its version, as the campaign chose them last."""
        named = [row.payload for row in self.rows if row.payload.get("rules")]
        return (named[-1]["rules"], named[-1]["version"]) if named else ("", 0)

    @property
    def answers(self) -> dict[DueKey, KeptAnswer]:
        """All that was answered, by warband and due."""
        return kept_answers(self.log)

    def of(self, kind: str) -> list[StoredRow]:
        """Return the rows of a kind."""
        return [row for row in self.rows if row.kind == kind]


def load_ledger(event: Roster | object, *, upto: int | None = None) -> CampaignLedger:
    """Return the campaign of an event, as far as a position where one is named.

    One query. Raises NotFound for an event in which warbands do not grow, or not by then.
    """
    # Rows and records of events are read alike.
    pk = getattr(event, "pk", None) or getattr(event, "id", 0)
    found = GrowthRow.objects.filter(event_id=pk).order_by("position")
    if upto is not None:
        found = found.filter(position__lte=upto)
    columns = found.values_list("position", "kind", "payload")
    rows = tuple(StoredRow(*column) for column in columns)
    return ledger_of(event, rows)


def ledger_of(event: object, rows: tuple[StoredRow, ...]) -> CampaignLedger:
    """Return what rows come to in an event. Raises NotFound where there are none."""
    if not rows:
        raise NotFound("growth")
    # No cache: a campaign of its largest size is folded in half a second.
    log = read_log(rows, rules_reader(registry.system_of(event)))
    return CampaignLedger(rows, log, fold(log))


# Rows beside the log


def warbands_of(event_id: int) -> list[CampaignWarband]:
    """Return the warbands of a campaign, in the order in which they were founded. One query."""
    rows = CampaignWarband.objects.filter(entry__event_id=event_id)
    return list(rows.select_related("entry", "warband").order_by("id"))


def closed_rounds(event_id: int) -> int:
    """Return how many rounds of an event are closed, as far as they count. One query."""
    rows = Round.objects.filter(event_id=event_id, status=RoundStatus.CLOSED)
    return min(rows.count(), LATE_MOST)


def facts_of(
    event: ClubEvent, ledger: CampaignLedger, rows: Sequence[CampaignWarband]
) -> CampaignFacts:
    """Return a campaign with the names of its warbands, which are those of their entries."""
    names = {row.token: row.entry.name for row in rows}
    armies = armies_of(registry.system_of(event), ledger.log)
    return CampaignFacts(event.name, ledger.rules, ledger.log, ledger.state, names, armies)


def armies_of(system: System, log: CampaignLog) -> dict[str, Army]:
    """Return the army list of each warband, without those that have left the packs."""
    found: dict[str, Army] = {}
    for row in log.rows:
        if isinstance(row.entry, Founding):
            # A club may have archived its list since.
            with suppress(registry.UnknownKey):
                found[row.entry.warband] = registry.fielded_army(system, row.entry.army)
    return found


def has_begun(ledger: CampaignLedger) -> bool:
    """Return whether anybody has founded a warband."""
    return bool(ledger.of(GrowthRowKind.FOUND))
