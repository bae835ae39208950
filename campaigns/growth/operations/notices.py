"""Who is told what when somebody changes a growing campaign: open rolls, captives, corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property

from django.urls import reverse

from campaigns.growth.queries.ledger import (
    CampaignLedger,
    has_begun,
    load_campaign_warbands,
)
from campaigns.growth.queries.presenter import (
    CampaignPresenter,
    count_phrases,
    join_phrases,
)
from campaigns.growth.queries.reports import change_phrases
from campaigns.models import CampaignWarband, ClubEvent, EventStatus, GrowthRowKind
from engine.growth import happenings
from engine.growth.differences import GrowthDifference, difference
from engine.growth.dues import RANSOM
from engine.growth.log import COUNTED
from notices.operations import NoticeDraft

PHRASES_MOST = 6
"""What is told of a changed warband in one notice; more of it is counted."""
RANSOMS = {
    happenings.RANSOMED: "{player} ransomed your captive.",
    happenings.REFUSED: "{player} refused to ransom your captive, who is gone.",
    happenings.RELEASED: "{player} set {who} free.",
}
"""What is told of the end of a captivity: to the captor, or to who gets somebody back."""


class ChangedCampaign:
    """A campaign before and after rows were appended to its log, and what players are told of it.

    ``is_first_result``: a game's result was told for the first time. ``is_correction``: the rows
    change what was before: a result, the rules, something taken back.
    """

    def __init__(
        self,
        event: ClubEvent,
        before: CampaignLedger,
        after: CampaignLedger,
        reason: str = "",
    ) -> None:
        """``reason`` is why the rows were appended, "" where nobody gave one."""
        self.event, self.before, self.after = event, before, after
        self.reason = " ".join(reason.split())
        rows = after.rows[len(before.rows) :]
        kinds = {row.kind for row in rows}
        self.has_rules = GrowthRowKind.RULES in kinds
        results = [row.payload for row in rows if row.kind == GrowthRowKind.RESULT]
        games = {row.payload["fixture"] for row in before.of(GrowthRowKind.RESULT)}
        self.result = results[-1] if results else None
        self.is_first_result = any(result["fixture"] not in games for result in results)
        self.is_correction = (
            not self.is_first_result
            if results
            else self.has_rules or GrowthRowKind.TAKE_BACK in kinds
        )
        self.rows = rows

    @cached_property
    def acted(self) -> Collection[str]:
        """The warbands that somebody acted for; all after a ruling, which may touch anybody."""
        if any(row.payload.get("row") is not None for row in self.rows):
            return self.after.state.warbands
        acts = (row for row in self.rows if row.kind == GrowthRowKind.ACT)
        return {row.payload["warband"] for row in acts}

    @cached_property
    def moved(self) -> GrowthDifference:
        """What the rows move."""
        return difference(self.before.state, self.after.state)

    @cached_property
    def campaign(self) -> CampaignPresenter:
        """The campaign as it is now. One query."""
        return CampaignPresenter(
            self.after, self.event, load_campaign_warbands(self.event.pk)
        )

    def notices(self, author: int | None) -> list[NoticeDraft]:
        """Return what players are told, but for the author of the change; guests have no account.

        One query, none where nothing moves.
        """
        # Before anybody has founded there is nobody to tell. A ransom that is named moves nothing.
        if not has_begun(self.before) or not (self.moved or self.acted):
            return []
        return [
            notice
            for row in self.campaign.rows.values()
            if row.entry.user_id and row.entry.user_id != author
            for notice in self._list_notices(row)
        ]

    def _list_notices(self, row: CampaignWarband) -> Iterator[NoticeDraft]:
        """Yield what the player of a warband is told."""
        # Whatever brought it about, a captive and a ransom are told to those whom they concern.
        yield from self._captives(row)
        yield from self._exchanges(row)
        yield from self._ransoms(row)
        if self.is_first_result:
            # What the result itself came to stands on the page that this notice leads to.
            if any(due.warband == row.token for due in self.moved.opened):
                yield from open_dues(self.event, self.campaign, row)
        elif self.is_correction:
            yield from self._moves(row, self._describe_cause())
        elif row.token in self.acted:
            yield from self._moves(row, "an organiser changed your warband")

    def _draft(
        self, row: CampaignWarband, kind: str, text: str, key: str, game: str = ""
    ) -> NoticeDraft:
        """Return a notice for the player of a warband, which leads to it or to a game."""
        assert row.entry.user_id
        text, path = f"{self.event.name}: {text}", _path(self.event, row, game)
        return NoticeDraft(row.entry.user_id, kind, text, path, key[:80])

    def _captives(self, row: CampaignWarband) -> Iterator[NoticeDraft]:
        """Yield who of a warband is held since and what a ransom costs, and whom it holds itself.

        To who took it a captive is unnamed: lists are secret.
        """
        campaign = self.campaign
        prices = {(due.warband, due.key): due.choices for due in self.before.state.open}
        for due in self.after.state.open:
            # The dice of a sale are a ransom's too, and offer no choice.
            if due.kind != RANSOM or not due.choices:
                continue
            # What is asked for already is told again with another price.
            if prices.get((due.warband, due.key)) == due.choices:
                continue
            captive = self.after.state.warbands[due.warband].warriors[due.warrior]
            key = f"{self.event.pk} {due.key}"
            if due.warband == row.token:
                who = campaign.unit(row.token, due.warrior)
                captor = campaign.warband(captive.captor)
                price = campaign.rules.amount(int(due.choices[0][1]))
                text = f"{who} is held by {captor}. Pay {price} or refuse."
                key += f" {captive.demand}" if captive.demand else ""
                yield self._draft(row, "growth_captive", text, key, captive.captured_in)
            elif captive.captor == row.token:
                player = campaign.warband(due.warband)
                text = f"you hold a captive of {player}, who pays a ransom or refuses."
                rule = self.after.rules.captives
                if rule and rule.is_named:
                    text += " Name the ransom, or set the captive free."
                game = captive.captured_in
                yield self._draft(row, "growth_captive", text, f"{key} taken", game)

    def _exchanges(self, row: CampaignWarband) -> Iterator[NoticeDraft]:
        """Yield which units others would let go for a captive, who is unnamed like the others."""
        grown = self.after.state.warbands.get(row.token)
        for unit in grown.warriors.values() if grown else ():
            if unit.captor and unit.exchange:
                who = self.campaign.unit(row.token, unit.key)
                player = self.campaign.warband(unit.captor)
                text = f"{player} offers {who} in exchange for a captive of yours."
                key = f"{self.event.pk} {unit.exchange} {unit.captured_in} {unit.key}"
                yield self._draft(row, "growth_captive", text, key)

    def _ransoms(self, row: CampaignWarband) -> Iterator[NoticeDraft]:
        """Yield which captives were ransomed or refused since, unnamed: lists are secret."""
        # An end's position tells it from no other: until a game or an act follows the answer, it
        # is that of the last row.
        endings = Counter(
            (end.what, end.warband, end.warrior) for end in _ends(self.before, row)
        )
        for end in _ends(self.after, row):
            name = end.what, end.warband, end.warrior
            if endings[name]:
                endings[name] -= 1
                continue
            is_back = end.warband == row.token
            player = self.campaign.warband(end.other if is_back else end.warband)
            who = self.campaign.unit(row.token, end.warrior) if is_back else ""
            text = RANSOMS[end.what].format(player=player, who=who)
            paid = _ransom_money(self.after, row) - _ransom_money(self.before, row)
            if paid:
                text += f" You get {self.campaign.rules.amount(paid)}."
            key = f"{self.event.pk} {end.position} {end.warband} {end.warrior}"
            yield self._draft(row, "growth_ransom", text, key)

    def _describe_cause(self) -> str:
        """Return what brought a correction about, in words that stand before what it changed."""
        if self.has_rules:
            return "other campaign rules changed your warband"
        result = self.result
        if result is None:
            return "a correction changed your warband"
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

    def _moves(self, row: CampaignWarband, head: str) -> Iterator[NoticeDraft]:
        """Yield the notice of what of a warband is other than before, if anything is.

        Figures and units, then dues, counted by what they ask.
        """
        changes = {change.warband: change for change in self.moved.warbands}
        change = changes.get(row.token)
        phrases = change_phrases(self.campaign, change) if change else []
        opened = [due.key for due in self.moved.opened if due.warband == row.token]
        closed = [key for warband, key in self.moved.superseded if warband == row.token]
        for name, keys in (("to roll or choose", opened), ("no longer called for", closed)):
            if keys:
                dues = count_phrases(self.campaign.due(row.token, key)[1] for key in keys)
                phrases.append(f"{name}: {', '.join(dues)}")
        if not phrases:
            return
        # A notice becomes a mail and a line on a phone, so it does not list everything.
        text = f"{head}: {join_phrases(phrases, PHRASES_MOST)}"
        if self.reason:
            text = f"{text} Reason: {self.reason}"
        yield self._draft(row, "growth_changed", text, f"{row.pk} {self.after.position}")


def open_dues(
    event: ClubEvent, campaign: CampaignPresenter, row: CampaignWarband
) -> list[NoticeDraft]:
    """Return the notice of what a warband owes; none where it owes nothing or is a guest's."""
    dues = campaign.due_kinds(row.token)
    # After the end organisers answer.
    is_over = event.status == EventStatus.FINISHED
    if not dues or row.entry.user_id is None or is_over:
        return []
    battles = campaign.state.list_battles(row.token)
    ratings = battles[-1].ratings if battles else {}
    others = [campaign.warband(warband) for warband in ratings if warband != row.token]
    game = f"after your game against {' and '.join(others)}, " if others else ""
    text = f"{event.name}: {game}your warband has rolls or choices open: {', '.join(dues)}."
    # The same is told once, until somebody changes the campaign.
    key = f"{event.pk} dues {campaign.ledger.position}"
    path = _path(event, row, campaign.last_game(row.token))
    return [NoticeDraft(row.entry.user_id, "growth_dues", text, path, key)]


def _path(event: ClubEvent, row: CampaignWarband, game: str) -> str:
    """Return where a player answers: after a game, else at their warband."""
    if game:
        return reverse("fixture-after", args=[event.token, game])
    return reverse("campaign-warband", args=[event.token, row.entry.token])


def _ends(ledger: CampaignLedger, row: CampaignWarband) -> list[happenings.Happening]:
    """Return how captivities ended that a warband is told of."""
    return [
        event
        for event in ledger.state.happenings
        if event.what in RANSOMS
        and row.token
        == (event.warband if event.what == happenings.RELEASED else event.other)
    ]


def _ransom_money(ledger: CampaignLedger, row: CampaignWarband) -> int:
    """Return all that a warband got for captives so far."""
    return sum(
        move.amount
        for move in ledger.state.moves
        if move.warband == row.token
        and move.why in ("ransom", "refused")
        and move.amount > 0
    )
