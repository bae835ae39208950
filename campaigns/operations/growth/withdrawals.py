"""Answers and acts that are taken back: they do not count any more, and nothing is forgotten."""

from __future__ import annotations

from django.db.models import Q

from accounts.errors import NotAllowed, WrongState
from battles.models import REASON_MAX, BattleSide
from campaigns.models import CampaignWarband, GrowthRow, GrowthRowKind
from campaigns.operations.growth.ledger import (
    LedgerChange,
    NewRow,
    check_grows_on,
    check_own,
    find_campaign_warband,
    idempotent,
    open_growth,
    row_of,
)
from campaigns.operations.log import ChangeRequest, LockedEvent, readable_event
from engine.errors import Refusal
from engine.growth.campaign_fold import GrowthDifference
from engine.growth.log import TakeBack
from engine.records import frozen_dataclass, is_int_within
from warbands.exchange.document import clean_text, shown

ACT_NUMBER_MOST = 10**6


@frozen_dataclass
class Withdrawal:
    """What is taken back: the answer to a due, or an act by its number."""

    due: str = ""
    act: int | None = None


@idempotent("take_back", answer="done")
def take_back(change: LockedEvent, warband: str, what: Withdrawal) -> bool:
    """Let an answer or an act of a warband not count.

    By who gave it, until the warband's next battle is locked; by organisers at any time, for a
    reason. Raises Refusal, WrongState, NotFound, NotAllowed, KeyReused.
    """
    growth, row, new = _checked(change, warband, what)
    growth.append([new], change.asked.reason)
    words = f"Took back for {row.entry.name}: {what.due or f'act {what.act}'}."
    change.log("growth_take_back", words, subject=row.entry.token)
    return True


def preview_take_back(
    request: ChangeRequest, warband: str, what: Withdrawal
) -> GrowthDifference:
    """Return what taking something back would change. Nothing is written."""
    with readable_event(request) as change:
        growth, _, new = _checked(change, warband, what)
        return growth.preview([new])


# What may be taken back, and by whom


def _checked(
    change: LockedEvent, warband: str, what: Withdrawal
) -> tuple[LedgerChange, CampaignWarband, NewRow]:
    """Return the row that takes something back. Raises as `take_back`."""
    clean_text("reason", change.asked.reason, REASON_MAX)
    growth = open_growth(change)
    row = find_campaign_warband(change, warband)
    is_organiser = check_own(growth, row.entry)
    check_grows_on(change)
    if bool(what.due) == (what.act is not None):
        raise Refusal("Name a due or an act, not both.", field="due")
    given = _given(row, what)
    is_own = given.author_id == change.actor.user_id
    if not is_organiser:
        outcome = growth.ledger.state.acts.get(what.act or 0)
        _check_players_own(
            row, given, is_own=is_own, is_aside=outcome is not None and bool(outcome.why)
        )
    elif not is_own and not change.asked.reason.strip():
        raise Refusal("Say why you take it back for somebody else.", field="reason")
    entry = TakeBack(row.token, what.due, what.act)
    return growth, row, row_of(entry, warband=row, due=what.due, act=what.act)


def _given(row: CampaignWarband, what: Withdrawal) -> GrowthRow:
    """Return the row of what is taken back. Raises WrongState for what does not count."""
    rows = GrowthRow.objects.filter(warband=row).order_by("-position")
    if what.act is not None:
        if not is_int_within(what.act, 1, ACT_NUMBER_MOST):
            raise Refusal("An act is named by its number.", field="act")
        wanted = Q(act=what.act)
    else:
        wanted = Q(due=what.due.replace("\0", ""))
    last = rows.filter(wanted).first()
    if last is None:
        raise WrongState(f"Nothing was done that {shown(what.due or str(what.act))} names.")
    # The last row of a due says whether it counts.
    if last.kind == GrowthRowKind.TAKE_BACK:
        raise WrongState("It was taken back already.")
    return last


def _check_players_own(
    row: CampaignWarband, given: GrowthRow, *, is_own: bool, is_aside: bool
) -> None:
    """Raise for what a player may not take back."""
    if not is_own:
        raise WrongState("Somebody else gave this. An organiser takes it back.")
    if is_aside:
        return
    if given.kind == GrowthRowKind.ACT and given.payload.get("act") == "search":
        raise NotAllowed("A search was thrown for. An organiser takes it back.")
    # What was fielded was fielded with it.
    later = BattleSide.objects.filter(
        warband=row.warband_id, battle__created_at__gt=given.at
    )
    if later.exists():
        raise NotAllowed("The next battle has begun since. An organiser takes it back.")
