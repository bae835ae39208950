"""Makes the demo club with sample warbands and a league on the first run, and prints its
organiser’s link then.

The league has nine players, three rounds played and the fourth ahead; a campaign of four of them,
whose warbands grow, is as far. All through the real operations.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import cycle
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Club, User
from accounts.operations.demo import DEMO_DOMAIN, make_demo_club, make_demo_member
from accounts.operations.people import make_link
from accounts.owner import Owner
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.results import take_step
from campaigns.models import Fixture
from campaigns.operations.demo import make_demo_campaign
from campaigns.operations.entries import add_entry
from campaigns.operations.events import create_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft, add_round, close_round, publish_round
from campaigns.queries.records import EventTerms, Outcome
from rulesdata import registry
from warbands.models import WarbandVisibility
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, create_from_starter
from warbands.operations.warriors import change_warrior
from warbands.queries.lists import starters
from warbands.queries.warbands import load_warband

SAMPLES = (
    ("the-empire", "The Ferrymen", "Otto Brandt", WarbandVisibility.PUBLIC),
    ("orcs-and-goblins", "Grukk's Mob", "Grukk Ironjaw", WarbandVisibility.CLUB),
    ("high-elves", "The Lantern Watch", "Saeriel", WarbandVisibility.LINK),
    ("skaven", "Gnaw-Tail Warren", "", WarbandVisibility.PRIVATE),
)
NAME = "Autumn Skirmish"
PLAYERS = (
    ("Hanna", "dwarfs", "Hammer of Dun"),
    ("Elif", "high-elves", "Silverreed"),
    ("Piet", "wood-elves", "Bracken Lodge"),
    ("Jonas", "orcs-and-goblins", "Gorrak’s Lads"),
    ("Marta", "tomb-kings", "The Quiet Vault"),
    ("Tom", "bretonnians", "The Orchard Guard"),
    ("Sven", "vampire-counts", "Nine Candles"),
    ("Ruth", "skaven", "The Low Warren"),
)
SCENARIOS = 4
ROUNDS, PLAYED = 5, 3
BETWEEN = timedelta(weeks=2)
WEDNESDAY, EVENING = 2, 19
# Who of the two won (None drew), how it ended, and how many each of them lost.
OUTCOMES: Sequence[tuple[int | None, str, int, int]] = (
    (0, "rout", 2, 5),
    (1, "objective", 4, 3),
    (0, "rout", 1, 6),
    (None, "drawn", 3, 3),
    (1, "rout", 6, 2),
    (0, "objective", 4, 4),
    (1, "conceded", 5, 1),
    (0, "wiped_out", 3, 8),
    (None, "drawn", 2, 2),
    (0, "rout", 0, 4),
    (1, "objective", 3, 2),
    (0, "rout", 3, 5),
)


def make_demo_league(club: Club, organiser: User, warband: str) -> str:
    """The league, in which the organiser brings the warband of this token; returns its own.

    Call it once, for a club that was just made.
    """
    runs = Owner(user_id=organiser.pk)
    system = registry.rulesets()[0]
    draft = EventTerms(
        name=NAME,
        kind="league",
        method="swiss",
        system=system.key,
        points_limit=system.usual_limit(),
        place="Harbour Street",
        description="Every other Wednesday. Guests are welcome to watch.",
        rounds_planned=ROUNDS,
        scenarios=tuple(system.scenarios)[:SCENARIOS],
    )
    token = create_event(runs, club.slug, draft)
    asked = ChangeRequest(runs, token)
    add_entry(asked, user_id=organiser.pk, warband=warband)
    for name, army, called in PLAYERS:
        member = make_demo_member(club, name)
        brought = _ready_warband(
            Owner(user_id=member.pk), club, army, called, WarbandVisibility.CLUB
        )
        add_entry(asked, user_id=member.pk, warband=brought)
    outcomes = cycle(OUTCOMES)
    for number in range(PLAYED + 1):
        _hold_round(asked, timezone.localtime() + BETWEEN * (number - PLAYED))
        if number < PLAYED:
            for fixture in _fixtures_of(token, number + 1):
                _report(asked, fixture, next(outcomes))
            close_round(asked, number + 1)
    return token


def _ready_warband(owner: Owner, club: Club, army: str, name: str, visibility: str) -> str:
    """A ready warband of a club's member; returns its token."""
    key = next(
        one.key
        for one in starters(registry.rulesets()[0].address)
        if one.sheet.army_key == army
    )
    token = create_from_starter(WriteContext(owner), key).token
    shared = WriteContext(owner, token)
    change_warband(shared, name=name, visibility=visibility, club_id=club.pk)
    return token


def _hold_round(asked: ChangeRequest, about: datetime) -> None:
    """A round on the Wednesday evening after a moment, drawn and published."""
    day = about + timedelta(days=(WEDNESDAY - about.weekday() - 1) % 7 + 1)
    starts_at = day.replace(hour=EVENING, minute=0, second=0, microsecond=0)
    number = add_round(asked, RoundDraft(starts_at=starts_at))
    draw_round(asked, number, seed=f"demo {number}")
    publish_round(asked, number)


def _fixtures_of(token: str, number: int) -> list[Fixture]:
    """Return the games of a round in order, without byes, with warbands. One query."""
    rows = Fixture.objects.filter(
        round__event__token=token, round__number=number, other__isnull=False
    )
    return list(rows.select_related("one__warband", "other__warband").order_by("position"))


def _report(
    asked: ChangeRequest, fixture: Fixture, outcome: tuple[int | None, str, int, int]
) -> None:
    """What the organiser says is final; where they play themselves the other side confirms it."""
    won, how, *lost = outcome
    sides = fixture.sides
    winner = "" if won is None else sides[won].token
    sizes = [entry.warband.miniatures if entry.warband else 0 for entry in sides]
    figures = {
        entry.token: {"out": min(out, size)}
        for entry, out, size in zip(sides, lost, sizes, strict=True)
    }
    told = Outcome(winner=winner, how=how, figures=figures)
    done = report_result(asked, fixture.token, told)
    others = [entry for entry in sides if entry.user_id != asked.actor.user_id]
    if len(others) < len(sides):
        confirms = BattleCall(Owner(user_id=others[0].user_id), done.battle)
        take_step(confirms, ResultVerb.CONFIRM)


class Command(BaseCommand):
    help = (
        "Make a demo club with sample warbands and a running league, once. Prints its "
        "organiser’s sign-in link."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the demo club and print its organiser's link, unless it exists."""
        # All or nothing: a run that was broken off would leave a club without warbands, and nobody
        # with a link.
        with transaction.atomic():
            demo = make_demo_club()
            if not demo.is_new:
                return
            organiser = Owner(user_id=demo.organiser.pk)
            made = [self._make(organiser, demo.club, sample) for sample in SAMPLES]
            make_demo_league(demo.club, demo.organiser, made[0])
            people = User.objects.filter(email__endswith=DEMO_DOMAIN)
            members = {one.name: one for one in people}
            make_demo_campaign(demo.club, demo.organiser, members)
            link = settings.SITE_URL.rstrip("/") + reverse(
                "account_link", args=[make_link(demo.organiser.pk)]
            )
        had = f"{len(SAMPLES)} warbands, a league and a campaign (both in round 4)"
        self.stdout.write(
            f"Demo club ready: {had}. Sign in as its organiser (the link works once):\n{link}"
        )

    def _make(self, organiser: Owner, club: Club, sample: Sequence[str]) -> str:
        """Make a sample warband and return its token; name its first warrior."""
        army, name, leader, visibility = sample
        token = _ready_warband(organiser, club, army, name, visibility)
        record = load_warband(organiser, token)
        assert record is not None
        if leader and (first := record.roster.warriors[0].id):
            change_warrior(WriteContext(organiser, token), first, name=leader)
        return token
