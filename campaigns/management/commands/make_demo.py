"""Makes the demo club with sample warbands and a league on the first run, and prints its
organiser’s link then.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.urls import reverse

from accounts.operations.demo import make_demo_club
from accounts.operations.people import make_link
from accounts.owner import Owner
from campaigns.demo import make_demo_league
from rulesdata import registry
from warbands.models import WarbandVisibility
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, create_from_starter
from warbands.operations.warriors import change_warrior
from warbands.queries.starters import starters
from warbands.queries.warbands import load_warband

SAMPLES = (
    ("the-empire", "The Ferrymen", "Otto Brandt", WarbandVisibility.PUBLIC),
    ("orcs-and-goblins", "Grukk's Mob", "Grukk Ironjaw", WarbandVisibility.CLUB),
    ("high-elves", "The Lantern Watch", "Saeriel", WarbandVisibility.LINK),
    ("skaven", "Gnaw-Tail Warren", "", WarbandVisibility.PRIVATE),
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
            demo = make_demo_club()
            if not demo.is_new:
                return
            organiser = Owner(user_id=demo.organiser.pk)
            made = [self._make(organiser, *sample, demo.club.pk) for sample in SAMPLES]
            make_demo_league(demo.club, demo.organiser, made[0])
            link = settings.SITE_URL.rstrip("/") + reverse(
                "account_link", args=[make_link(demo.organiser.pk)]
            )
        had = f"{len(SAMPLES)} sample warbands and a league in its fourth round"
        self.stdout.write(f"The demo club has {had}. Sign in once as its organiser:\n{link}")

    def _make(
        self, organiser: Owner, army: str, name: str, leader: str, visibility: str, club_id: int
    ) -> str:
        key = next(
            one.key for one in starters(registry.rulesets()[0].address) if one.army_key == army
        )
        token = create_from_starter(WriteContext(organiser), key).token
        change_warband(
            WriteContext(organiser, token), name=name, visibility=visibility, club_id=club_id
        )
        record = load_warband(organiser, token)
        assert record is not None
        if leader and (first := record.roster.warriors[0].id):
            change_warrior(WriteContext(organiser, token), first, name=leader)
        return token
