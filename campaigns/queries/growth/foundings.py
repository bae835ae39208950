"""Where a roster could found a warband: what its builder offers to players who have none yet."""

from django.db.models import Exists, OuterRef
from django.urls import reverse

from accounts.owner import Owner
from campaigns.models import CampaignWarband, Entry, EntryStatus, EventKind
from engine.roster import Roster
from warbands.hooks import RosterUse

OFFERED_MOST = 3
"""How many campaigns the page of a roster names; whoever plays in more begins at theirs."""


def load_founding_uses(actor: Owner, token: str, roster: Roster) -> tuple[RosterUse, ...]:
    """Return the campaigns of a roster's system in which this player has no warband. One query.

    The latest first. Nothing, and no query, without an account.
    """
    if actor.user_id is None:
        return ()
    living = CampaignWarband.objects.filter(entry=OuterRef("pk"), closed_at=None)
    rows = Entry.objects.filter(
        ~Exists(living),
        user_id=actor.user_id,
        event__kind=EventKind.CAMPAIGN,
        event__growth_position__gt=0,
        event__archived_at=None,
        event__system=roster.system,
        event__variant=roster.variant or "",
    ).exclude(status=EntryStatus.DROPPED)
    found = rows.order_by("-event__created_at", "-id").values_list(
        "token", "event__token", "event__name"
    )
    return tuple(
        RosterUse(
            words=f"You play in {name} and have no warband there yet.",
            label="Found your warband with this roster",
            address=f"{reverse('warband-found', args=[event, entry])}?warband={token}",
        )
        for entry, event, name in found[:OFFERED_MOST]
    )
