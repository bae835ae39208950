"""One side of `compare_versions`: runs every task once for each line it reads, and prints their times.

It runs in either checkout, so it knows only what both have in common: addresses, tables and the
fold of a battle.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

sys.path.insert(0, os.getcwd())
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

import logging  # noqa: E402

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

try:
    from engine.battles.event_fold import fold
except ImportError:  # the checkout before
    from engine.battles import fold
from tests.engine.battles import making  # noqa: E402

BOOK = "/rules/warhammer-skirmish"
ORGANISER = "organiser@demo.invalid"
DEEPER, DEEPEST = 7, 150  # calls a round


def one(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return str(cursor.fetchone()[0])


def addresses() -> dict[str, str]:
    mine = one(
        "select w.token from warbands_warband w join accounts_user u on u.id = w.owner_id "
        f"where u.email = '{ORGANISER}' order by w.id"
    )
    league = one("select token from campaigns_clubevent where name = 'Autumn Skirmish'")
    battle = one(
        "select token from campaigns_battle where status = 'confirmed' order by id"
    )
    fixture = one(
        "select f.token from campaigns_fixture f join campaigns_round r on r.id = f.round_id join "
        f"campaigns_clubevent e on e.id = r.event_id where e.token = '{league}' order by f.id"
    )
    return {
        "page home": "/",
        "page system": f"{BOOK}/",
        "page army": f"{BOOK}/armies/the-empire/",
        "page unit": f"{BOOK}/armies/the-empire/units/captain/",
        "page search": "/rules/search/?q=halberd",
        "page warbands": "/warbands/",
        "page builder": f"/warbands/{mine}/",
        "page sheet": f"/warbands/{mine}/sheet/",
        "page reference": f"/warbands/{mine}/sheet/reference/",
        "page career": f"/warbands/{mine}/career/",
        "page odds": "/odds/?system=warhammer-skirmish",
        "page battles": "/battles/",
        "page battle": f"/battles/{battle}/",
        "page league": f"/leagues/{league}/",
        "page standings": f"/leagues/{league}/standings/",
        "page round": f"/leagues/{league}/rounds/1/",
        "page fixture": f"/leagues/{league}/fixtures/{fixture}/",
        "page club": "/clubs/demo-club/",
        "page notices": "/notices/",
        "api profiles": "/api/v1/profiles/?page_size=50",
        "api weapons": "/api/v1/weapons/",
        "api battle": f"/api/v1/battles/{battle}/",
        "change": mine,
    }


def tasks() -> dict[str, Callable[[], Any]]:
    client = Client(HTTP_HOST="localhost:8000")
    client.force_login(get_user_model().objects.get(email=ORGANISER))
    found = addresses()
    mine = found.pop("change")
    document = client.get(f"/warbands/{mine}/roster.json").json()
    made: dict[str, Callable[[], Any]] = {
        name: lambda address=address: expect(client.get(address))
        for name, address in found.items()
    }

    def post(address: str, body: Any) -> Callable[[], Any]:
        return lambda: expect(client.post(address, body, content_type="application/json"))

    profile = document["warriors"][0]["profile"]
    made["change add a warrior"] = lambda: expect(
        client.post(f"/warbands/{mine}/add/", {"profile": profile})
    )
    made["change undo"] = lambda: expect(client.post(f"/warbands/{mine}/undo/"))
    made["check of a roster"] = post("/api/v1/check/", document)
    made["pdf of a roster"] = post("/api/v1/sheet/", document)
    # The seventh battle of this seed is longer in the later checkout.
    logs = list(making.battles(seed=7, count=6))
    made["fold of 6 battles"] = lambda: [fold(*one) for one in logs]
    return made


def run_deeper(calls: int, run: Callable[[], Any]) -> Any:
    """Run it under so many calls more.

    CPython 3.11 keeps its frames in pieces of 16 kB, and a call that meets the end of one may cost
    thousands of page faults in a loop. Where that happens hangs on the depth of the calls alone, so
    each round has another.
    """
    return run_deeper(calls - 1, run) if calls else run()


def expect(answer: Any) -> None:
    """Raise AssertionError for an answer that is a refusal or an error."""
    assert answer.status_code < 400, (answer.request["PATH_INFO"], answer.status_code)


def main() -> None:
    logging.disable(logging.ERROR)
    made = tasks()
    for number, _ in enumerate(sys.stdin):
        taken = {}
        for name, run in made.items():
            cache.clear()  # no rate limit of one round is met in the next
            begun = time.process_time()
            run_deeper(number * DEEPER % DEEPEST, run)
            taken[name] = (time.process_time() - begun) * 1000
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    main()
