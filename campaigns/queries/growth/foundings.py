"""Where a warband leads in campaigns: to founding with it, or to the one that it belongs to."""

from django.db.models import Exists, OuterRef
from django.urls import reverse

from accounts.owner import Owner
from campaigns.models import CampaignWarband, Entry, EntryStatus, EventKind
from warbands.hooks import RosterUse
from warbands.queries.records import WarbandRecord

OFFERED_MOST = 3
"""How many campaigns the page of a roster names; whoever plays in more begins at theirs."""


def load_campaign_uses(actor: Owner, record: WarbandRecord) -> tuple[RosterUse, ...]:
    """Return the campaign of a warband, else those that it could found one in. One query.

    Nothing, and no query, without an account.
    """
    if actor.user_id is None:
        return ()
    return _own_campaign(record) if record.is_grown else _foundings(actor.user_id, record)


def _own_campaign(record: WarbandRecord) -> tuple[RosterUse, ...]:
    """Return the page of a warband in the campaign that it belongs to."""
    rows = CampaignWarband.objects.filter(warband_id=record.id)
    found = rows.values_list("entry__token", "entry__event__token", "entry__event__name")
    return tuple(
        RosterUse(
            "", f"Open it in {name}", reverse("campaign-warband", args=[event, entry])
        )
        for entry, event, name in found
    )


def _foundings(user_id: int, record: WarbandRecord) -> tuple[RosterUse, ...]:
    """Return the campaigns of a roster's system in which a player has no warband, latest first."""
    roster = record.roster
    living = CampaignWarband.objects.filter(entry=OuterRef("pk"), closed_at=None)
    rows = Entry.objects.filter(
        ~Exists(living),
        user_id=user_id,
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
            address=f"{reverse('warband-found', args=[event, entry])}?warband={record.token}",
        )
        for entry, event, name in found[:OFFERED_MOST]
    )
