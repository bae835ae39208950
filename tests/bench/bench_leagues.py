"""Tables and pages of events out of the database: by the number of players, and with a season of
others beside them.

BENCH_SEASON changes the number of results of that season.
"""

import os
import random
from itertools import count

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.bench import place
from tests.bench.measure import interleaved, sized, table, verdict

SEASON = int(os.environ.get("BENCH_SEASON", sized("100000", "100")))
ROUNDS = 7
SIZES = sized((16, 64, 128, 256, 1024), (16,))
PLAYERS = sized(128, 16)
TABLE_MS = 50.0
GROWTH = 1.5  # how much more a player may take in a table of 1,024 than in one of 16
QUERIES = 10
BESIDE = 1.2
RESULTS = sized(1000, 100)
_numbers = count(1)


def main() -> None:
    place.ready()
    from campaigns.queries.event_page import load_event_page
    from campaigns.queries.standings import load_standings
    from tests.factories import make_club, make_person

    organiser = make_person()
    club = make_club(owner=organiser)
    fields = {size: fill(club.pk, size, ROUNDS) for size in SIZES}
    tasks = {
        f"{size} players": lambda token=token: load_standings(organiser, token)
        for size, token in fields.items()
    }
    times = interleaved(tasks, rounds=7)
    rows = []
    for size, token in fields.items():
        name = f"{size} players"
        growth = times.cpu[name] / size / (times.cpu["16 players"] / 16)
        asked = queries(lambda token=token: load_standings(organiser, token))
        budget, word = (
            (TABLE_MS, verdict(times[name], TABLE_MS)) if size == PLAYERS else (None, None)
        )
        rows.append(
            [
                name, asked, times[name], times.cpu[name], budget, word, growth,
                verdict(growth, GROWTH),
            ]
        )  # fmt: skip
    head = [
        f"table after {ROUNDS} rounds",
        "queries",
        "ms",
        "CPU ms",
        "budget ms",
        "",
        "x a player of 16",
        "",
    ]
    table(head, rows)

    page = fill(club.pk, 50, RESULTS // 25)
    tasks = {
        f"page with {RESULTS:,} results": lambda: load_event_page(organiser, page),
        f"table of {PLAYERS} players": lambda: load_standings(organiser, fields[PLAYERS]),
    }
    alone = interleaved(tasks, rounds=9)
    for _ in range(0, SEASON, RESULTS):
        fill(club.pk, 50, RESULTS // 25)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    beside = interleaved(tasks, rounds=9)
    rows = [
        [
            name,
            queries(task),
            alone[name],
            beside[name],
            ratio := beside[name] / alone[name],
            verdict(ratio, BESIDE),
        ]
        for name, task in tasks.items()
    ]
    table(
        [
            "",
            f"queries, budget {QUERIES}",
            "ms",
            f"ms beside {SEASON:,}",
            f"ratio, budget {BESIDE}",
            "",
        ],
        rows,
    )


def queries(task) -> int:
    with CaptureQueriesContext(connection) as asked:
        task()
    return len(asked)


def fill(club: int, players: int, rounds: int) -> str:
    """An event with so many players and rounds, each game of it a battle of eight models a side;
    returns its token.
    """
    from battles.models import Battle, BattleCombatant, BattleSide
    from campaigns.models import ClubEvent, Entry, Fixture, Round

    chance = random.Random(players)
    event = ClubEvent.objects.create(
        club_id=club,
        name=f"Season {next(_numbers)}",
        kind="league",
        method="swiss",
        system="warhammer-skirmish",
    )
    entries = Entry.objects.bulk_create(
        Entry(event=event, name=f"Player {n}") for n in range(players)
    )
    numbered = (
        Round(event=event, number=number, status="closed")
        for number in range(1, rounds + 1)
    )
    for row in Round.objects.bulk_create(numbered):
        order = chance.sample(entries, players)
        pairs = list(zip(order[::2], order[1::2], strict=False))
        battles = Battle.objects.bulk_create(
            Battle(
                club_id=club,
                system=event.system,
                fought_date=timezone.localdate(),
                status="confirmed",
                winner="a",
            )
            for _ in pairs
        )
        sides = BattleSide.objects.bulk_create(
            BattleSide(battle=battle, position=place, key=key, name=key, size=8)
            for battle in battles
            for place, key in enumerate("ab")
        )
        BattleCombatant.objects.bulk_create(
            BattleCombatant(
                battle_id=side.battle_id,
                side=side,
                position=place,
                key=f"{side.key}{place + 1}",
                name=f"Model {place}",
                warrior_id=place + 1,
                is_leader=place == 0,
                kills=chance.randint(0, 2) * (place < 2),
            )
            for side in sides
            for place in range(8)
        )
        Fixture.objects.bulk_create(
            Fixture(
                round=row,
                position=place,
                one=one,
                other=other,
                winner=chance.choice([one, other, None]),
                status="final",
                battle=battle,
                how="conceded",
                out_one=chance.randint(0, 8),
                out_other=chance.randint(0, 8),
                destroyed_one=chance.randint(0, 250),
                dice={"a": {"6-": {"1": 2, "5": 1}}},
            )
            for place, ((one, other), battle) in enumerate(zip(pairs, battles, strict=True))
        )
    return event.token
