"""What becomes of the figures of a club's list: uncertain ones acknowledged, and prices
after a change.
"""

from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet

from accounts.errors import Refusal
from accounts.owner import Owner
from engine.records import NumberByKey, Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import select, select_all
from rulesdata import registry
from rulesdata.own_lists import OwnList
from warbands.access import repriced_by
from warbands.models import AcknowledgedFigure, Warband, Warrior
from warbands.operations.transaction import (
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
    open_locked_warband,
    write_result,
)
from warbands.queries.prices import options_by_warrior, uncertain_figures
from warbands.queries.records import NO_NAME

# Uncertain figures of a warband: acknowledged by its owner, who then reads no warning of
# them.


def acknowledge_figures(context: WriteContext) -> ChangeResult:
    """Keep that the owner knows of every uncertain figure of the roster as it is now.

    An uncertain figure that joins later is a warning again. Raises Refusal where there is none,
    NotFound, Stale, KeyReused.
    """

    def work(draft: LockedWarband) -> WriteResult:
        pairs = uncertain_figures(select_all(draft.army, draft.roster.warriors))
        if not pairs:
            raise Refusal("No figure of this roster is uncertain.", field="figures")
        known = set(_rows(draft).values_list("profile", "figure"))
        AcknowledgedFigure.objects.bulk_create(
            AcknowledgedFigure(
                warband=draft.warband,
                profile=profile,
                figure=figure,
                author_id=draft.actor.user_id,
            )
            for profile, figure in pairs
            if (profile, figure) not in known
        )
        words = "Acknowledged the uncertain figures."
        return WriteResult(draft.roster, words, is_beside=not known >= set(pairs))

    return apply_change(context, "acknowledge_figures", (), work)


def withdraw_acknowledgement(context: WriteContext) -> ChangeResult:
    """Read the warning of uncertain figures again.

    Nothing changes where none is acknowledged. Raises NotFound, Stale, KeyReused.
    """

    def work(draft: LockedWarband) -> WriteResult:
        count, _ = _rows(draft).delete()
        words = "Withdrew the acknowledgement of uncertain figures."
        return WriteResult(draft.roster, words, is_beside=bool(count))

    return apply_change(context, "withdraw_acknowledgement", (), work)


def _rows(draft: LockedWarband) -> QuerySet[AcknowledgedFigure]:
    return AcknowledgedFigure.objects.filter(warband=draft.warband)


# What becomes of prices when a club changes its list: what was paid is kept, and new
# prices are taken when asked.

TAKEN_MAX = 200


@frozen_dataclass
class RenewedPrices:
    """The names of the warbands that took the new prices, and of those left alone because they
    changed meanwhile.
    """

    changed: Texts
    stale: Texts


def keep_prices(before: OwnList, after: OwnList) -> int:
    """Let every warrior of a list go on counting what it counted before the list changed; returns
    how many differ.

    What a price says is not a change of a warband: no new version, no event. One that is back at
    its earlier price keeps nothing any more. Call it within the transaction that changes the list;
    three queries and one for each batch.
    """
    mustered = Warband.objects.filter(army=after.token)
    # Locked in order of their keys, as everywhere, so that two lists cannot wait for each other.
    locked = (
        mustered.select_for_update().order_by("pk").values_list("pk", "system", "variant")
    )
    played = {pk: (system, variant or None) for pk, system, variant in locked}
    options = options_by_warrior(warrior__warband__army=after.token)
    changed: list[Warrior] = []
    for row in Warrior.objects.filter(warband__army=after.token).order_by("pk"):
        if row.warband_id not in played:
            continue
        was, now = _prices(
            row, tuple(options.get(row.pk, ())), played[row.warband_id], before, after
        )
        paid = row.paid_each if row.keeps_price else was
        # Nothing to write: a list cannot say, or the row says so already.
        if paid is None or now is None or (paid != now) == row.keeps_price:
            continue
        row.keeps_price, row.paid_each = paid != now, paid
        changed.append(row)
    Warrior.objects.bulk_update(changed, ["keeps_price", "paid_each"], batch_size=200)
    return len(changed)


def _prices(
    row: Warrior,
    options: Texts,
    played: tuple[str, str | None],
    before: OwnList,
    after: OwnList,
) -> tuple[int | None, int | None]:
    """What one miniature costs in points under the list as it was and as it is; None where a list
    cannot say.
    """
    entry = RosterEntry(row.profile, options=options)
    found: list[int | None] = []
    for own in (before, after):
        try:
            selection = select(registry.own_list_under_system(own, *played), entry)
        except registry.UnknownKey:
            return None, None
        found.append(selection.points_each if selection.profile else None)
    return found[0], found[1]


def take_prices(
    actor: Owner, list_token: str, club_id: int, chosen: NumberByKey
) -> RenewedPrices:
    """Today's prices for the chosen warbands of a club's list: token to the version it was chosen
    at.

    Each becomes a new version with an event that its owner can take back. One that has changed
    since is left alone and named. Raises Refusal where nothing is chosen, or one is not this
    actor's to price anew.
    """
    if not 0 < len(chosen) <= TAKEN_MAX:
        raise Refusal(f"Choose 1 to {TAKEN_MAX} warbands to update.", field="warband")
    changed: list[str] = []
    stale: list[str] = []
    with transaction.atomic():
        wanted = Warband.objects.filter(
            repriced_by(actor, club_id), army=list_token, token__in=list(chosen)
        )
        rows = list(
            Warband.objects.select_for_update(of=("self",))
            .filter(pk__in=wanted.values("pk"), archived_at=None)
            .select_related("owner", "club")
            .order_by("pk")
        )
        # All or nothing: one that is not the actor's stops the others too.
        if len(rows) != len(chosen):
            raise Refusal(
                "One of these warbands is not there, or not yours to price anew. Nothing was "
                "changed."
            )
        for warband in rows:
            name = warband.name or NO_NAME
            # Its owner changed it while the organiser looked at the page.
            if warband.version != chosen[warband.token]:
                stale.append(name)
                continue
            draft = open_locked_warband(actor, warband)
            warriors = tuple(replace(entry, kept=None) for entry in draft.roster.warriors)
            done = write_result(
                draft,
                WriteResult(replace(draft.roster, warriors=warriors), "Prices updated"),
                "take_prices",
            )
            if done.changed:
                changed.append(name)
    return RenewedPrices(tuple(changed), tuple(stale))
