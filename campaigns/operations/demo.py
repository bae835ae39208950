"""The end of the demo club, of its events and of the people who were made up for it."""

from django.db import transaction

from accounts.models import Club, User
from accounts.operations.demo import DEMO_DOMAIN, DEMO_SLUG
from accounts.operations.people import close_account
from battles.operations.ownership import delete_battles_among
from campaigns.models import ClubEvent


def remove_demo_club() -> int:
    """Delete the demo club, its events, its people and what is theirs; returns how many people.

    What real people made stays theirs, and so do battles in which one of them has a part.
    """
    with transaction.atomic():
        people = User.objects.filter(email__endswith=DEMO_DOMAIN).order_by("pk")
        ids = list(people.values_list("pk", flat=True))
        ClubEvent.objects.filter(club__slug=DEMO_SLUG).delete()
        delete_battles_among(ids)
        for user_id in ids:
            close_account(user_id)
        Club.objects.filter(slug=DEMO_SLUG).delete()
    return len(ids)
