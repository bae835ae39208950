"""Uncertain figures of a warband: acknowledged by its owner, who then reads no warning of them."""

from django.db.models import QuerySet

from accounts.errors import Refusal
from engine.selection import select_all
from warbands.models import AcknowledgedFigure
from warbands.operations.transaction import (
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
)
from warbands.queries.figures import uncertain_figures


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
