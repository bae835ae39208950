"""What is told of a campaign whose warbands grow: states, dues, what is set aside, the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from accounts.errors import NotAllowed, NotFound
from accounts.owner import Owner
from battles.results import GrowthChange
from campaigns.models import CampaignWarband, Fixture, GrowthRow
from campaigns.queries.events import load_event
from campaigns.queries.growth.changes import GrowthPreview, preview_of
from campaigns.queries.growth.ledger import (
    CampaignLedger,
    closed_round,
    keys_of_shown,
    load_ledger,
    of_shown,
    warbands_of,
    without_secrets,
)
from campaigns.queries.growth.names import CampaignNames
from campaigns.queries.records import ClubEventRecord
from engine.growth.acts import ActOutcome
from engine.growth.campaign import WENT_OUT_WOUNDED, GrowthNote
from engine.growth.campaign_fold import GrowthDifference
from engine.growth.dues import Due
from engine.growth.log import GrowthAct
from engine.records import JsonObject, NumberByKey, frozen_dataclass
from rulesdata import registry

OUTSIDE_WORDS = "{who} fought in {game}, but is not in the warband by then: earns nothing"
EARLIER_WORDS = "Lists are secret: only players and organisers read an earlier position."
WOUNDED_WORDS = "{who} fought in {game}, though the old wound said no"


@frozen_dataclass
class GrowthReport:
    """A campaign as this reader may know it, with what its answers name things by."""

    event: ClubEventRecord
    ledger: CampaignLedger
    warbands: tuple[CampaignWarband, ...]
    rounds: NumberByKey

    def find(self, token: str) -> CampaignWarband:
        """Return a warband that was founded by then. Raises NotFound."""
        for row in self.warbands:
            if row.token == token:
                return row
        raise NotFound("warband")

    def state(self, row: CampaignWarband) -> JsonObject:
        """Return the state of a warband as the API tells it."""
        told = self.ledger.state.warbands[row.token].to_json()
        head = {
            "id": row.token,
            "entry": row.entry.token,
            "name": row.entry.name,
            "position": self.ledger.state.position,
        }
        if self.is_hidden(row):
            number = closed_round(self.event, row) or None
            head |= {"closed_round": number}
            told |= {"rating": told["rating"] if number else None}
        return head | told

    def is_hidden(self, row: CampaignWarband) -> bool:
        """Return whether the reader is told no more of a warband than its name."""
        return self.event.hides(row.entry.token)

    def dues(self, warband: str = "") -> list[JsonObject]:
        """Return what is open, of one warband where it is named."""
        found = self.ledger.state.open
        return [self._due(one) for one in found if warband in ("", one.warband)]

    def dues_of_fixture(self, fixture: str) -> list[JsonObject]:
        """Return what is open after a game."""
        return [self._due(one) for one in self.ledger.state.open if one.fixture == fixture]

    def _due(self, due: Due) -> JsonObject:
        """Return a due as the API tells it; what it lacks is null."""
        return {
            "due": due.key,
            "warband": due.warband,
            "kind": due.kind,
            "warrior": due.warrior or None,
            "fixture": due.fixture or None,
            "round": self.rounds.get(due.fixture),
            "dice": due.dice or None,
            "faces": list(due.faces) if due.faces else None,
            "choices": [{"id": key, "name": name} for key, name in due.choices],
            "words": due.words,
        }

    @property
    def aside(self) -> list[JsonObject]:
        """What nothing asks for now, and the acts that cannot be where they stand."""
        state, answers = self.ledger.state, self.ledger.answers
        dues = [
            {
                "warband": warband,
                "due": due,
                "act": None,
                "faces": list(answers[warband, due].faces) or None,
                "why": "It is no longer called for.",
            }
            for warband, due in state.aside
        ]
        acts = [
            {
                "warband": act.warband,
                "due": None,
                "act": act.number,
                "faces": None,
                "why": act.why,
            }
            for act in state.acts_aside
        ]
        return [*dues, *acts]

    @property
    def notes(self) -> list[str]:
        """What nobody need answer, in words."""
        return [note_words(note) for note in self.ledger.state.notes]

    def to_json(self) -> JsonObject:
        """Return the whole campaign."""
        rules, version = self.ledger.rules_name
        return {
            "position": self.ledger.position,
            "rules": {"id": rules, "version": version},
            "warbands": [self.state(row) for row in self.warbands],
            "open": self.dues(),
            "aside": self.aside,
            "notes": self.notes,
        }

    def act(self, number: int) -> JsonObject:
        """Return what an act came to."""
        row = next(
            row.entry
            for row in self.ledger.log.rows
            if isinstance(row.entry, GrowthAct) and row.entry.number == number
        )
        outcome = self.ledger.state.acts.get(number)
        faces = getattr(row, "faces", ())
        joiner = getattr(row, "joiner", None)
        is_found = outcome is None or outcome.is_found
        return {
            "position": self.ledger.position,
            "act": number,
            "words": _act_words(outcome),
            "paid": outcome.paid if outcome else None,
            "warrior": joiner.key if joiner and is_found else None,
            "faces": list(faces) or None,
        }

    def change(self, moved: GrowthDifference) -> GrowthChange:
        """Return what a change would move, as this reader may know it."""
        return GrowthChange(self.preview(moved).lines, self.change_json(moved))

    def preview(self, moved: GrowthDifference) -> GrowthPreview:
        """Return what a change would move in words."""
        names = CampaignNames(self.ledger, registry.system_of(self.event), self.warbands)
        return preview_of(names, self._shown(moved))

    def change_json(self, moved: GrowthDifference) -> JsonObject:
        """Return what a change would move as plain JSON."""
        return difference_json(self._shown(moved))

    def _shown(self, moved: GrowthDifference) -> GrowthDifference:
        """Return what a change would move, without what it would of hidden warbands."""
        hidden = {row.token for row in self.warbands if self.is_hidden(row)}
        if not hidden:
            return moved
        # The reader's state has no acts of others.
        acts = self.ledger.state.acts
        return replace(
            moved,
            warbands=of_shown(moved.warbands, hidden),
            opened=of_shown(moved.opened, hidden),
            closed=of_shown(moved.closed, hidden),
            set_aside=keys_of_shown(moved.set_aside, hidden),
            counts_again=keys_of_shown(moved.counts_again, hidden),
            acts_aside=tuple(number for number in moved.acts_aside if number in acts),
            acts_again=tuple(number for number in moved.acts_again if number in acts),
        )

    def ledger_rows(self, row: CampaignWarband) -> list[JsonObject]:
        """Return the rows of a warband's log with who wrote them, the latest first. One query.

        Reasons are for those who take part. Nothing is told of a hidden warband.
        """
        if self.is_hidden(row):
            return []
        reads_reasons = self.event.reads_reasons
        rows = GrowthRow.objects.filter(warband=row).select_related("author")
        return [
            {
                "position": one.position,
                "kind": one.kind,
                "due": one.due or None,
                "act": one.act,
                "said": one.payload,
                "is_typed": one.is_typed,
                "reason": one.reason if reads_reasons else "",
                "author": one.author.display_name if one.author else None,
                "at": one.at,
            }
            for one in rows.order_by("-position")
        ]

    def answered(self, row: CampaignWarband, dues: Iterable[str]) -> list[JsonObject]:
        """Return what became of some answers of a warband."""
        state, kept = self.ledger.state, self.ledger.answers
        # A choice that came later repeats the faces of a roll, typed or not.
        typed = set(
            GrowthRow.objects.filter(
                warband=row, due__in=list(dues), kind="answer", is_typed=True
            ).values_list("due", flat=True)
        )
        found = []
        for due in dues:
            key = row.token, due
            if key not in kept:
                continue
            rolled, answer = state.rolled.get(key), kept[key]
            found.append(
                {
                    "due": due,
                    "faces": list(answer.faces) or None,
                    "is_typed": due in typed,
                    "row": rolled.least if rolled else None,
                    "words": rolled.name if rolled else "",
                    "state": state.answers[key],
                }
            )
        return found


def note_words(note: GrowthNote) -> str:
    """Return a note in words."""
    words = WOUNDED_WORDS if note.why == WENT_OUT_WOUNDED else OUTSIDE_WORDS
    return words.format(who=f"{note.warband}/{note.warrior}", game=note.fixture)


# Loading


def load_growth(actor: Owner, token: str, *, at: int | None = None) -> GrowthReport:
    """Return the campaign of an event as this person may read it, also as it was at a position.

    At most five queries. Raises NotFound, NotAllowed for the past of somebody else's secrets.
    """
    event = load_event(actor, token)
    if event is None:
        raise NotFound("event")
    # A past position of a campaign is folded anew, which gives strangers nothing here.
    if at is not None and event.hides_lists and not event.mine:
        raise NotAllowed(EARLIER_WORDS)
    return growth_of(event, at=at)


def growth_of(event: ClubEventRecord, *, at: int | None = None) -> GrowthReport:
    """Return the campaign of an event as its reader may know it. Four queries. Raises NotFound."""
    ledger = load_ledger(event, upto=at)
    founded = ledger.state.warbands
    rows = tuple(row for row in warbands_of(event.id) if row.token in founded)
    numbers = Fixture.objects.filter(round__event_id=event.id).order_by()
    rounds = dict(numbers.values_list("token", "round__number"))
    return GrowthReport(event, without_secrets(event, ledger, rows), rows, rounds)


def load_preview(event: ClubEventRecord, moved: GrowthDifference) -> GrowthPreview:
    """Return what a change of a campaign would move, as its reader may know it. Four queries."""
    return growth_of(event).preview(moved)


# Previews


def difference_json(moved: GrowthDifference) -> JsonObject:
    """Return what a change would move, as plain JSON."""
    return {
        "warbands": [
            {
                "warband": one.warband,
                "figures": {key: list(pair) for key, pair in one.figures.items()},
                "warriors": [
                    {
                        "warrior": other.key,
                        "name": other.name,
                        "changed": {k: list(v) for k, v in other.changed.items()},
                    }
                    for other in one.warriors
                ],
            }
            for one in moved.warbands
        ],
        "opened": [{"warband": one.warband, "due": one.key} for one in moved.opened],
        "closed": [{"warband": one.warband, "due": one.key} for one in moved.closed],
        "set_aside": [{"warband": w, "due": due} for w, due in moved.set_aside],
        "counts_again": [{"warband": w, "due": due} for w, due in moved.counts_again],
        "acts_aside": list(moved.acts_aside),
        "acts_again": list(moved.acts_again),
    }


def _act_words(outcome: ActOutcome | None) -> str:
    """Return what became of an act, "" where it simply counts."""
    if outcome is None:
        return "Taken back."
    return outcome.why if outcome.is_found else "Nothing was found."
