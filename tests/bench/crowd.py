"""A database with very many warbands, put in directly: the only place outside `operations` that
writes such rows.
"""

import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from django.db import connection
from django.utils import timezone

from accounts.models import Club, User
from accounts.operations.clubs import OWNED_MAX, create_club
from rulesdata import registry
from warbands.models import Warband, WarbandEvent, Warrior, WarriorOption, name_key

SYSTEM, EMPIRE = "warhammer-skirmish", "the-empire"
WORDS = (
    "Wolves", "Ravens", "Guard", "Watch", "Company", "Blades", "Kin", "Host", "Band",
    "Sons",
)  # fmt: skip
FEW, BATCH, WITH_WARRIORS, SIZE = 100, 2000, 10_000, 8
OWN = 40


def fill(user: User, count: int) -> None:
    """``count`` warbands: of the first hundred 40 are this person's and 60 public, all of the
    Empire and all named alike, so that every page shows as many rows whether there are more or
    not. The rest is everybody else's.
    """
    people = _people(max(2 * FEW, count // 20))
    clubs = _clubs(user, people, max(1, count // 500))
    rows = _warbands(user, people, clubs, count)
    while batch := list(islice(rows, BATCH)):
        Warband.objects.bulk_create(batch)
    _warriors(WITH_WARRIORS)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _people(count: int) -> list[User]:
    people = [
        User(email=f"crowd{n}@example.org", name=f"Player {n}", password="!")
        for n in range(count)
    ]
    return User.objects.bulk_create(people, batch_size=BATCH)


def _clubs(user: User, people: list[User], count: int) -> list[Club]:
    """This person's club, and so many of other people's, each of whom owns as many as one may."""
    names = {"First Club": user} | {
        f"Club {n}": people[n // OWNED_MAX] for n in range(count)
    }
    made = [create_club(name=name, owner_id=owner.pk) for name, owner in names.items()]
    return [Club.objects.get(pk=club.pk) for club in made]


def _warbands(
    user: User, people: list[User], clubs: list[Club], count: int
) -> Iterator[Warband]:
    chance, now = random.Random(1), timezone.now()
    armies = registry.list_army_keys(SYSTEM)
    for number in range(count):
        is_ours, is_first = number < OWN, number < FEW
        name = (
            f"Ostmark {number}"
            if is_first
            else f"The {chance.choice(WORDS)} of {chance.randrange(10**6)}"
        )
        kind = (
            "public"
            if is_first
            else chance.choice(("private", "private", "link", "club", "public", "public"))
        )
        unclaimed = not is_first and chance.random() < 0.2
        yield Warband(
            owner=None if unclaimed else user if is_ours else chance.choice(people),
            owner_key=f"{number:032d}" if unclaimed else "",
            club=clubs[0]
            if is_first
            else chance.choice(clubs[1:])
            if kind == "club"
            else None,
            system=SYSTEM,
            army=EMPIRE if is_first else chance.choice(armies),
            name=name,
            name_key=name_key(name),
            points_limit=150,
            visibility="private" if unclaimed else kind,
            points=140 if is_first else chance.randrange(60, 260),
            miniatures=12,
            warnings=1,
            archived_at=now if not is_first and chance.random() < 0.1 else None,
            updated_at=now
            - timedelta(minutes=number if is_first else chance.randrange(200, 500_000)),
        )


def _warriors(count: int) -> None:
    """Warriors, one option each and one event for the first ``count`` warbands without any."""
    changed = WarbandEvent.objects.values("warband_id")
    bare = Warband.objects.exclude(pk__in=changed).order_by("pk")
    ids = list(bare.values_list("pk", flat=True)[:count])
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        made = Warrior.objects.bulk_create(
            Warrior(warband_id=pk, position=place, profile="halberdiers", paid_each=5)
            for pk in part
            for place in range(SIZE)
        )
        WarriorOption.objects.bulk_create(
            WarriorOption(warrior=w, position=0, key="shields", paid=1) for w in made
        )
        WarbandEvent.objects.bulk_create(
            WarbandEvent(warband_id=pk, version=1, verb="x", summary="x") for pk in part
        )
