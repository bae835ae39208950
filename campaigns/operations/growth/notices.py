"""Who is told what when somebody changes a growing campaign: open rolls, captives, corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from django.urls import reverse

from campaigns.growth_payloads import StoredRow
from campaigns.models import CampaignWarband, ClubEvent, EventStatus, GrowthRowKind
from campaigns.queries.growth.changes import change_phrases
from campaigns.queries.growth.heads import counted, due_kinds, last_game
from campaigns.queries.growth.ledger import CampaignLedger, has_begun, warbands_of
from campaigns.queries.growth.names import CampaignNames
from engine.growth import happenings
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.dues import RANSOM, Due
from engine.growth.log import COUNTED
from engine.growth.warriors import GrownWarrior
from engine.records import NamedValues, Texts
from notices.operations import NoticeDraft
from rulesdata import registry

PHRASES_MOST = 6
"""What is told of a changed warband in one notice; more of it is counted."""


class ChangedCampaign:
    """A campaign before and after rows were appended to its log."""

    def __init__(
        self,
        event: ClubEvent,
        before: CampaignLedger,
        after: CampaignLedger,
        reason: str = "",
    ) -> None:
        """Keep both, and why the rows were appended, "" where nobody gave a reason."""
        self.event, self.before, self.after = event, before, after
        self.reason = " ".join(reason.split())

    @cached_property
    def moved(self) -> GrowthDifference:
        """What the rows move."""
        return difference(self.before.state, self.after.state)

    @cached_property
    def names(self) -> CampaignNames:
        """What the keys of the campaign are called now. One query."""
        rows = tuple(warbands_of(self.event.pk))
        return CampaignNames(self.after, registry.system_of(self.event), rows)

    @property
    def rows(self) -> tuple[StoredRow, ...]:
        """The rows that are new."""
        return self.after.rows[len(self.before.rows) :]

    @property
    def is_first_result(self) -> bool:
        """Whether a game's result was told for the first time."""
        told = {row.payload["fixture"] for row in self.before.of(GrowthRowKind.RESULT)}
        return any(
            row.kind == GrowthRowKind.RESULT and row.payload["fixture"] not in told
            for row in self.rows
        )

    @property
    def is_correction(self) -> bool:
        """Whether the rows change what was before: a result, the rules, something taken back."""
        kinds = {row.kind for row in self.rows}
        if GrowthRowKind.RESULT in kinds:
            return not self.is_first_result
        return bool(kinds & {GrowthRowKind.RULES, GrowthRowKind.TAKE_BACK})

    @property
    def cause(self) -> str:
        """What brought a correction about, in words that stand before what it changed."""
        kinds = {row.kind for row in self.rows}
        if GrowthRowKind.RULES in kinds:
            return "other campaign rules changed your warband"
        told = [row.payload for row in self.rows if row.kind == GrowthRowKind.RESULT]
        if not told:
            return "a correction changed your warband"
        sides = " against ".join(map(self.names.warband, told[-1]["sides"]))
        return (
            f"the result of {sides} {self._said_of(told[-1])}, which changed your warband"
        )

    def _said_of(self, result: NamedValues) -> str:
        """Return what became of a result that was told before."""
        if result["status"] != COUNTED:
            return "does not count now"
        before = [
            row.payload["status"]
            for row in self.before.of(GrowthRowKind.RESULT)
            if row.payload["fixture"] == result["fixture"]
        ]
        return "was corrected" if before[-1] == COUNTED else "counts again"

    @property
    def is_act(self) -> bool:
        """Whether somebody acted or ruled for a warband; an organiser, if not its player."""
        return any(
            row.kind == GrowthRowKind.ACT
            or (row.kind == GrowthRowKind.ANSWER and row.payload.get("row") is not None)
            for row in self.rows
        )


def growth_notices(changed: ChangedCampaign, author: int | None) -> list[NoticeDraft]:
    """Return what players are told of a change, but for its author; guests have no account.

    One query, none where nothing moves.
    """
    # Before anybody has founded there is nobody to tell.
    if not has_begun(changed.before) or not changed.moved:
        return []
    players = (row for row in changed.names.rows.values() if row.entry.user_id)
    others = [row for row in players if row.entry.user_id != author]
    return [notice for row in others for notice in _notices(changed, row)]


def _notices(changed: ChangedCampaign, row: CampaignWarband) -> Iterator[NoticeDraft]:
    """Yield what the player of a warband is told."""
    # Whatever brought it about, a captive and a ransom are told to those whom they concern.
    yield from _captives(changed, row)
    yield from _ransoms(changed, row)
    if changed.is_first_result:
        opened = [due for due in changed.moved.opened if due.warband == row.token]
        # What the result itself came to stands on the page that this notice leads to.
        yield from open_dues(changed.event, changed.names, row) if opened else ()
    elif changed.is_correction:
        yield from _moves(changed, row, changed.cause)
    elif changed.is_act:
        yield from _moves(changed, row, "an organiser changed your warband")


def open_dues(
    event: ClubEvent, names: CampaignNames, row: CampaignWarband
) -> list[NoticeDraft]:
    """Return the notice of what a warband owes; none where it owes nothing or is a guest's."""
    dues = due_kinds(names, row.token)
    # After the end organisers answer.
    is_over = event.status == EventStatus.FINISHED
    if not dues or row.entry.user_id is None or is_over:
        return []
    warband = row.token
    battles = names.ledger.state.battles_of(warband)
    others = [one for one in battles[-1].ratings if one != warband] if battles else []
    against = " and ".join(map(names.warband, others))
    game = f"after your game against {against}, " if against else ""
    words = (
        f"{event.name}: {game}your warband has rolls or choices open: {', '.join(dues)}."
    )
    # The same is told once, until somebody changes the campaign.
    key = f"{event.pk} dues {names.ledger.position}"
    path = _path(event, row, last_game(names.ledger, row.token))
    return [NoticeDraft(row.entry.user_id, "growth_dues", words, path, key)]


def _path(event: ClubEvent, row: CampaignWarband, game: str) -> str:
    """Return where a player answers: after a game, else at their warband."""
    if game:
        return reverse("fixture-after", args=[event.token, game])
    return reverse("campaign-warband", args=[event.token, row.entry.token])


# Captives


def _captives(changed: ChangedCampaign, row: CampaignWarband) -> Iterator[NoticeDraft]:
    """Yield who of a warband is held since and what a ransom costs, and whom it holds itself."""
    for due in changed.moved.opened:
        if due.kind != RANSOM:
            continue
        if due.warband == row.token:
            event, names = changed.event, changed.names
            captive = _held(changed, due)
            price = f"{due.choices[0][1]} {names.currency(names.rules.prices.currency)}"
            who, captor = names.unit(row.token, due.warrior), names.warband(captive.captor)
            words = f"{event.name}: {who} is held by {captor}. Pay {price} or refuse."
            path = _path(event, row, captive.captured_in)
            yield _notice(row, "growth_captive", words, path, f"{event.pk} {due.key}")
        elif _held(changed, due).captor == row.token:
            yield _taken(changed, row, due)


def _held(changed: ChangedCampaign, due: Due) -> GrownWarrior:
    """Return whom a due would ransom."""
    return changed.after.state.warbands[due.warband].warriors[due.warrior]


def _taken(changed: ChangedCampaign, row: CampaignWarband, due: Due) -> NoticeDraft:
    """Return the notice of a captive to who took it, unnamed: lists are secret."""
    event, player = changed.event, changed.names.warband(due.warband)
    words = f"{event.name}: you hold a captive of {player}, who pays a ransom or refuses."
    key = f"{event.pk} {due.key} taken"
    return _notice(row, "growth_captive", words, _path(event, row, ""), key)


def _ransoms(changed: ChangedCampaign, row: CampaignWarband) -> Iterator[NoticeDraft]:
    """Yield which captives were ransomed or refused since, unnamed: lists are secret."""
    event, names = changed.event, changed.names
    known = Counter(map(_end_of, _ends(changed.before, row)))
    for one in _ends(changed.after, row):
        if known[_end_of(one)]:
            known[_end_of(one)] -= 1
            continue
        words = RANSOMS[one.what].format(player=names.warband(one.warband))
        told = f"{event.name}: {words}"
        if paid := _ransom_money(changed.after, row) - _ransom_money(changed.before, row):
            told = f"{told} You get {paid} {names.currency(names.rules.prices.currency)}."
        key = f"{event.pk} {one.position} {one.warband} {one.warrior}"
        yield _notice(row, "growth_ransom", told, _path(event, row, ""), key)


def _ends(ledger: CampaignLedger, row: CampaignWarband) -> list[happenings.Happening]:
    """Return how captivities with a captor ended."""
    told = ledger.state.happenings
    return [one for one in told if one.other == row.token and one.what in RANSOMS]


def _end_of(one: happenings.Happening) -> Texts:
    """Return what tells one end from another.

    Its position does not: until a game or an act follows the answer, it is that of the last row.
    """
    return one.what, one.warband, one.warrior


RANSOMS = {
    happenings.RANSOMED: "{player} ransomed your captive.",
    happenings.REFUSED: "{player} refused to ransom your captive, who is gone.",
}
"""What a captor is told of the end of a captivity."""


def _ransom_money(ledger: CampaignLedger, row: CampaignWarband) -> int:
    """Return all that a warband got for captives so far."""
    own = (move for move in ledger.state.moves if move.warband == row.token)
    paid = [move.amount for move in own if move.why in ("ransom", "refused")]
    return sum(amount for amount in paid if amount > 0)


# Corrections


def _moves(
    changed: ChangedCampaign, row: CampaignWarband, head: str
) -> Iterator[NoticeDraft]:
    """Yield what of a warband is other than before, where anything is."""
    phrases = list(_phrases(changed, row.token))
    if not phrases:
        return
    # A notice becomes a mail and a line on a phone, so it does not list everything.
    told = phrases[:PHRASES_MOST]
    if more := len(phrases[PHRASES_MOST:]):
        told.append(f"{more} more")
    words = f"{changed.event.name}: {head}: {'; '.join(told)}."
    if changed.reason:
        words = f"{words} Reason: {changed.reason}"
    path = _path(changed.event, row, "")
    yield _notice(row, "growth_changed", words, path, f"{row.pk} {changed.after.position}")


def _phrases(changed: ChangedCampaign, warband: str) -> Iterator[str]:
    """Yield what moves of a warband: figures, units, then what is asked and set aside."""
    names, moved = changed.names, changed.moved
    for one in moved.warbands:
        if one.warband == warband:
            yield from change_phrases(names, one)
    opened = [due.key for due in moved.opened if due.warband == warband]
    aside = [key for owner, key in moved.set_aside if owner == warband]
    yield from _counted(names, warband, "to roll or choose", opened)
    yield from _counted(names, warband, "no longer called for", aside)


def _counted(
    names: CampaignNames, warband: str, head: str, keys: Iterable[str]
) -> Iterator[str]:
    """Yield the dues of a warband behind a head, counted by what they ask; none for none."""
    if told := ", ".join(counted(names.due(warband, key)[1] for key in keys)):
        yield f"{head}: {told}"


def _notice(
    row: CampaignWarband, kind: str, words: str, path: str, key: str
) -> NoticeDraft:
    """Return a notice for the player of a warband."""
    assert row.entry.user_id
    return NoticeDraft(row.entry.user_id, kind, words, path, key[:80])
