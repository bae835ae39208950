"""Makes the demo club once, and prints its organiser’s link then."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.urls import reverse

from accounts.operations.people import make_demo_club, make_link
from accounts.owner import Owner
from campaigns.operations.demo import (
    SAMPLES,
    make_demo_campaign,
    make_demo_league,
    make_sample_warband,
)


class Command(BaseCommand):
    help = (
        "Make a demo club with sample warbands and a running league, once. Prints its "
        "organiser’s sign-in link."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # All or nothing: a run that was broken off would leave a club without warbands, and nobody
        # with a link.
        with transaction.atomic():
            club, person, is_new = make_demo_club()
            if not is_new:
                return
            organiser = Owner(user_id=person.pk)
            made = [make_sample_warband(organiser, club, *row) for row in SAMPLES]
            make_demo_league(club, organiser, made[0])
            make_demo_campaign(club, organiser)
            path = reverse("account_link", args=[make_link(person.pk)])
        contents = f"{len(SAMPLES)} warbands, a league and a campaign (both in round 4)"
        self.stdout.write(
            f"Demo club ready: {contents}. Sign in as its organiser (the link works once):\n"
            f"{settings.SITE_URL.rstrip('/')}{path}"
        )
