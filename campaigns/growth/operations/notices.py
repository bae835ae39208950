"""Who is told what when somebody changes a growing campaign: open rolls, captives, corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from django.urls import reverse

from campaigns.growth.payloads import StoredRow
from campaigns.growth.queries.ledger import CampaignLedger, has_begun, warbands_of
from campaigns.growth.queries.presenter import CampaignPresenter, count_phrases
from campaigns.growth.queries.reports import change_phrases
from campaigns.models import CampaignWarband, ClubEvent, EventStatus, GrowthRowKind
from engine.growth import happenings
from engine.growth.campaign_fold import GrowthDifference, difference
from engine.growth.dues import RANSOM
from engine.growth.log import COUNTED
from notices.operations import NoticeDraft

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
    def campaign(self) -> CampaignPresenter:
        """The campaign as it is now. One query."""
        return CampaignPresenter(self.after, self.event, warbands_of(self.event.pk))

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
        if GrowthRowKind.RULES in {row.kind for row in self.rows}:
            return "other campaign rules changed your warband"
        results = [row.payload for row in self.rows if row.kind == GrowthRowKind.RESULT]
        if not results:
            return "a correction changed your warband"
        result = results[-1]
        previous = [
            row.payload["status"]
            for row in self.before.of(GrowthRowKind.RESULT)
            if row.payload["fixture"] == result["fixture"]
        ]
        if result["status"] != COUNTED:
            change = "does not count now"
        else:
            change = "was corrected" if previous[-1] == COUNTED else "counts again"
        sides = " against ".join(map(self.campaign.warband, result["sides"]))
        return f"the result of {sides} {change}, which changed your warband"

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
    players = (row for row in changed.campaign.rows.values() if row.entry.user_id)
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
        yield from open_dues(changed.event, changed.campaign, row) if opened else ()
    elif changed.is_correction:
        yield from _moves(changed, row, changed.cause)
    elif changed.is_act:
        yield from _moves(changed, row, "an organiser changed your warband")


def open_dues(
    event: ClubEvent, campaign: CampaignPresenter, row: CampaignWarband
) -> list[NoticeDraft]:
    """Return the notice of what a warband owes; none where it owes nothing or is a guest's."""
    dues = campaign.due_kinds(row.token)
    # After the end organisers answer.
    is_over = event.status == EventStatus.FINISHED
    if not dues or row.entry.user_id is None or is_over:
        return []
    warband = row.token
    battles = campaign.state.battles_of(warband)
    others = [one for one in battles[-1].ratings if one != warband] if battles else []
    against = " and ".join(map(campaign.warband, others))
    game = f"after your game against {against}, " if against else ""
    words = (
        f"{event.name}: {game}your warband has rolls or choices open: {', '.join(dues)}."
    )
    # The same is told once, until somebody changes the campaign.
    key = f"{event.pk} dues {campaign.ledger.position}"
    path = _path(event, row, campaign.last_game(row.token))
    return [NoticeDraft(row.entry.user_id, "growth_dues", words, path, key)]


def _path(event: ClubEvent, row: CampaignWarband, game: str) -> str:
    """Return where a player answers: after a game, else at their warband."""
    if game:
        return reverse("fixture-after", args=[event.token, game])
    return reverse("campaign-warband", args=[event.token, row.entry.token])


# Captives


def _captives(changed: ChangedCampaign, row: CampaignWarband) -> Iterator[NoticeDraft]:
    """Yield who of a warband is held since and what a ransom costs, and whom it holds itself.

    To who took it a captive is unnamed: lists are secret.
    """
    event, campaign = changed.event, changed.campaign
    for due in changed.moved.opened:
        if due.kind != RANSOM:
            continue
        captive = changed.after.state.warbands[due.warband].warriors[due.warrior]
        key = f"{event.pk} {due.key}"
        if due.warband == row.token:
            who, captor = (
                campaign.unit(row.token, due.warrior),
                campaign.warband(captive.captor),
            )
            price = f"{due.choices[0][1]} {campaign.currency()}"
            words = f"{event.name}: {who} is held by {captor}. Pay {price} or refuse."
            path = _path(event, row, captive.captured_in)
            yield _notice(row, "growth_captive", words, path, key)
        elif captive.captor == row.token:
            player = campaign.warband(due.warband)
            words = f"{event.name}: you hold a captive of {player}, who pays a ransom or refuses."
            path = _path(event, row, "")
            yield _notice(row, "growth_captive", words, path, f"{key} taken")


def _ransoms(changed: ChangedCampaign, row: CampaignWarband) -> Iterator[NoticeDraft]:
    """Yield which captives were ransomed or refused since, unnamed: lists are secret."""
    event, campaign = changed.event, changed.campaign
    # An end's position tells it from no other: until a game or an act follows the answer, it is
    # that of the last row.
    known = Counter(
        (end.what, end.warband, end.warrior) for end in _ends(changed.before, row)
    )
    for end in _ends(changed.after, row):
        name = end.what, end.warband, end.warrior
        if known[name]:
            known[name] -= 1
            continue
        words = RANSOMS[end.what].format(player=campaign.warband(end.warband))
        words = f"{event.name}: {words}"
        if paid := _ransom_money(changed.after, row) - _ransom_money(changed.before, row):
            words += f" You get {paid} {campaign.currency()}."
        key = f"{event.pk} {end.position} {end.warband} {end.warrior}"
        yield _notice(row, "growth_ransom", words, _path(event, row, ""), key)


def _ends(ledger: CampaignLedger, row: CampaignWarband) -> list[happenings.Happening]:
    """Return how captivities with a captor ended."""
    return [
        event
        for event in ledger.state.happenings
        if event.other == row.token and event.what in RANSOMS
    ]


RANSOMS = {
    happenings.RANSOMED: "{player} ransomed your captive.",
    happenings.REFUSED: "{player} refused to ransom your captive, who is gone.",
}
"""What a captor is told of the end of a captivity."""


def _ransom_money(ledger: CampaignLedger, row: CampaignWarband) -> int:
    """Return all that a warband got for captives so far."""
    return sum(
        move.amount
        for move in ledger.state.moves
        if move.warband == row.token
        and move.why in ("ransom", "refused")
        and move.amount > 0
    )


# Corrections


def _moves(
    changed: ChangedCampaign, row: CampaignWarband, head: str
) -> Iterator[NoticeDraft]:
    """Yield the notice of what of a warband is other than before, if anything is."""
    phrases = _list_changes(changed, row.token)
    if not phrases:
        return
    # A notice becomes a mail and a line on a phone, so it does not list everything.
    if more := len(phrases[PHRASES_MOST:]):
        phrases[PHRASES_MOST:] = [f"{more} more"]
    words = f"{changed.event.name}: {head}: {'; '.join(phrases)}."
    if changed.reason:
        words = f"{words} Reason: {changed.reason}"
    path = _path(changed.event, row, "")
    yield _notice(row, "growth_changed", words, path, f"{row.pk} {changed.after.position}")


def _list_changes(changed: ChangedCampaign, token: str) -> list[str]:
    """Return what of a warband is other than before: figures, units, then dues."""
    campaign, moved = changed.campaign, changed.moved
    phrases = [
        phrase
        for change in moved.warbands
        if change.warband == token
        for phrase in change_phrases(campaign, change)
    ]
    # Dues are counted by what they ask.
    for name, keys in (
        ("to roll or choose", [due.key for due in moved.opened if due.warband == token]),
        ("no longer called for", [key for owner, key in moved.set_aside if owner == token]),
    ):
        if keys:
            dues = count_phrases(campaign.due(token, key)[1] for key in keys)
            phrases.append(f"{name}: {', '.join(dues)}")
    return phrases


def _notice(
    row: CampaignWarband, kind: str, words: str, path: str, key: str
) -> NoticeDraft:
    """Return a notice for the player of a warband."""
    assert row.entry.user_id
    return NoticeDraft(row.entry.user_id, kind, words, path, key[:80])
