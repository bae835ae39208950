"""Who fights: the warbands of a campaign as they are when a battle is locked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from accounts.errors import NotAllowed
from accounts.owner import Owner
from campaigns import access
from campaigns.models import CampaignWarband, ClubEvent, Entry, Fixture
from campaigns.operations.log import LockedEvent
from campaigns.queries.growth.ledger import CampaignLedger, load_ledger, warbands_of
from engine.errors import Refusal
from engine.growth.state import lineup_of
from engine.growth.warriors import GrownWarrior
from engine.records import Texts, frozen_dataclass
from engine.roster import Roster
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband

CHOSEN_MOST = 200


@frozen_dataclass
class FieldChoice:
    """Who stays away, and who fights though they should miss the battle, by the entry's token."""

    absent: Mapping[str, Texts] = field(default_factory=dict)
    fielded: Mapping[str, Texts] = field(default_factory=dict)


EVERYBODY = FieldChoice()


@frozen_dataclass
class GrownSides:
    """The campaign of an event, and the warband that each entry has in it now."""

    ledger: CampaignLedger
    rows: Mapping[int, CampaignWarband]

    def roster_of(
        self, entry: Entry, choice: FieldChoice
    ) -> tuple[WarbandRecord, Roster] | None:
        """Return an entry's warband with the roster that fights, None where it has founded none.

        Raises Refusal where nobody is left to fight.
        """
        row = self.rows.get(entry.pk)
        if row is None or row.warband is None:
            return None
        owner = Owner(row.warband.owner_id, row.warband.owner_key)
        record = load_warband(owner, row.warband.token)
        if record is None:
            return None
        grown = self.ledger.state.warbands[row.token]
        sent = choice.fielded.get(entry.token, ())
        keys = lineup_of(grown, choice.absent.get(entry.token, ()), sent)
        if not keys:
            raise Refusal(f"{entry.name} has no model left to fight.", field="absent")
        # A group fights with those of its models that miss nothing.
        counts = {row.rows[key]: _count(grown.warriors[key], sent) for key in keys}
        fighting = tuple(
            replace(warrior, count=counts[warrior.id])
            for warrior in record.roster.warriors
            if warrior.id in counts
        )
        return record, replace(record.roster, warriors=fighting)


def _count(warrior: GrownWarrior, sent: Texts) -> int:
    """Return how many models fight; whoever should miss it is sent by choice alone."""
    return warrior.count if warrior.key in sent else warrior.fit


def load_grown_sides(event: ClubEvent) -> GrownSides | None:
    """Return who may fight for a campaign; None where warbands do not grow."""
    if not event.growth_position:
        return None
    rows = {row.entry_id: row for row in warbands_of(event.pk) if row.closed_at is None}
    return GrownSides(load_ledger(event), rows)


def check_choice(change: LockedEvent, fixture: Fixture, choice: FieldChoice) -> None:
    """Raise Refusal for a choice that names others than those who meet, or too many.

    Raises NotAllowed where a player chooses for somebody else.
    """
    known = {entry.token for entry in fixture.sides}
    for name, said in (("absent", choice.absent), ("fielded", choice.fielded)):
        if not known >= said.keys():
            raise Refusal("Name the entries that meet here.", field=name)
        if any(len(keys) > CHOSEN_MOST for keys in said.values()):
            raise Refusal(f"Name at most {CHOSEN_MOST} units.", field=name)
    if not access.may_organise(change.actor, change.event):
        own = {
            entry.token for entry in fixture.sides if access.plays_as(change.actor, entry)
        }
        if not own >= {*choice.absent, *choice.fielded}:
            raise NotAllowed(NOT_THEIR_SIDE)


NOT_THEIR_SIDE = "Choose who fights of your own warband. The others choose for theirs."
