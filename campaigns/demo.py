"""The league of the demo club: nine players, three rounds played, the fourth ahead; all through the
real operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import cycle

from django.utils import timezone

from accounts.models import Club, User
from accounts.operations.demo import make_demo_member
from accounts.owner import Owner
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.results import take_step
from campaigns.models import Fixture
from campaigns.operations.entries import add_entry
from campaigns.operations.events import EventDraft, create_event
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import add_round, close_round, publish_round
from rulesdata import registry
from warbands.models import WarbandVisibility
from warbands.operations.warbands import change_warband, create_from_starter
from warbands.queries.starters import starters

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
    draft = EventDraft(
        name=NAME,
        kind="league",
        method="swiss",
        system=system.key,
        points_limit=system.default_limit,
        place="Harbour Street",
        description="Every other Wednesday. Guests are welcome to watch.",
        rounds_planned=ROUNDS,
        scenarios=tuple(system.scenarios)[:SCENARIOS],
    )
    token = create_event(runs, club.slug, draft).token
    add_entry(runs, token, user_id=organiser.pk, warband=warband)
    for name, army, called in PLAYERS:
        member = make_demo_member(club, name)
        brought = _warband(Owner(user_id=member.pk), club, army, called)
        add_entry(runs, token, user_id=member.pk, warband=brought)
    outcomes = cycle(OUTCOMES)
    for number in range(PLAYED + 1):
        _hold_round(runs, token, timezone.localtime() + BETWEEN * (number - PLAYED))
        if number < PLAYED:
            for fixture in _fixtures_of(token, number + 1):
                _report(runs, token, fixture, next(outcomes))
            close_round(runs, token, number + 1)
    return token


def _warband(owner: Owner, club: Club, army: str, name: str) -> str:
    """A ready warband that the club may read."""
    key = next(one.key for one in starters(registry.rulesets()[0].address) if one.army_key == army)
    token = create_from_starter(owner, key).token
    change_warband(owner, token, name=name, visibility=WarbandVisibility.CLUB, club_id=club.pk)
    return token


def _hold_round(runs: Owner, token: str, about: datetime) -> None:
    """A round on the Wednesday evening after a moment, drawn and published."""
    day = about + timedelta(days=(WEDNESDAY - about.weekday() - 1) % 7 + 1)
    starts_at = day.replace(hour=EVENING, minute=0, second=0, microsecond=0)
    number = add_round(runs, token, starts_at=starts_at)
    draw_round(runs, token, number, seed=f"demo {number}")
    publish_round(runs, token, number)


def _fixtures_of(token: str, number: int) -> list[Fixture]:
    rows = Fixture.objects.filter(
        round__event__token=token, round__number=number, other__isnull=False
    )
    return list(rows.select_related("one__warband", "other__warband").order_by("position"))


def _report(
    runs: Owner, token: str, fixture: Fixture, outcome: tuple[int | None, str, int, int]
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
    done = report_result(runs, token, fixture.token, winner=winner, how=how, figures=figures)
    others = [entry for entry in sides if entry.user_id != runs.user_id]
    if len(others) < len(sides):
        confirms = BattleCall(Owner(user_id=others[0].user_id), done.battle)
        take_step(confirms, ResultVerb.CONFIRM)
