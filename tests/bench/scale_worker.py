"""One process on one database that times pages when it is told to: `python -m
tests.bench.scale_worker <warbands>`.

DATABASE_URL names the database, migrated and loaded. It fills it, says "ready", and for every line
it reads answers with the milliseconds of each page as JSON; "plans" prints the statements and plans
of the slow ones instead.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable

import django

django.setup()

from django.db import connection  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402

from accounts.models import Club, User  # noqa: E402
from accounts.owner import Owner  # noqa: E402
from tests.bench.crowd import fill  # noqa: E402
from tests.bench.measure import sized  # noqa: E402
from tests.bench.rosters import stored  # noqa: E402
from tests.bench.visitor import Visitor, signed_in  # noqa: E402
from tests.factories import make_user  # noqa: E402
from warbands.models import Warrior  # noqa: E402
from warbands.operations.transaction import WriteContext  # noqa: E402
from warbands.operations.warbands import undo_last_change  # noqa: E402
from warbands.queries.lists import club_warbands  # noqa: E402

BOOK = "/rules/warhammer-skirmish"
Pages = dict[str, tuple[Callable[[], object], Callable[[], object] | None]]


def pages(user: User) -> Pages:
    """Name, what is timed, what is put back afterwards."""
    staff = signed_in(
        make_user(email="staff@example.org", is_staff=True, is_superuser=True)
    )
    owner, stranger, actor = signed_in(user), Visitor(), Owner(user_id=user.pk)
    token = stored(user, 15, "public")
    warrior = Warrior.objects.filter(warband__token=token).latest("position").pk
    club = Club.objects.earliest("pk").pk

    def get(visitor: Visitor, address: str) -> tuple[Callable[[], object], None]:
        def ask() -> object:
            answer = visitor.get(address)
            assert answer.status == 200, (address, answer.status)
            return answer

        return ask, None

    def post(
        name: str, sent: dict[str, str], *more: int
    ) -> tuple[Callable[[], object], Callable[[], object]]:
        address = reverse(name, args=[token, *more])

        def ask() -> object:
            answer = owner.post(address, sent, htmx=True)
            assert answer.status == 200, (address, answer.status)
            return answer

        return ask, lambda: undo_last_change(WriteContext(actor, token))

    def club_list() -> object:
        return club_warbands(club, is_member=True)

    public = reverse("warband-public")
    found: Pages = {
        "home": get(owner, "/"),
        "own list": get(owner, reverse("warband-list")),
        "own archive": get(owner, f"{reverse('warband-list')}?archived=1"),
        "public list": get(stranger, public),
        "public list, page 2": get(stranger, f"{public}?page=2"),
        "public, one army": get(
            stranger, f"{public}?army={'warhammer-skirmish/the-empire'}"
        ),
        "public, name begins": get(stranger, f"{public}?search=ostmark"),
        "public, name begins with one letter": get(stranger, f"{public}?search=o"),
        "public, name and army": get(
            stranger, f"{public}?search=ost&army=warhammer-skirmish/the-empire"
        ),
        "public, points": get(stranger, f"{public}?points_from=100&points_to=200"),
        "public, points nobody has": get(stranger, f"{public}?points_from=5000"),
        "public, a name nobody has": get(stranger, f"{public}?search=zzzz"),
        "club's list (query)": (club_list, None),
        "builder": get(owner, reverse("warband-read", args=[token])),
        "reading page": get(stranger, reverse("warband-read", args=[token])),
        "sheet": get(stranger, reverse("sheet-read", args=[token])),
        "JSON": get(stranger, reverse("roster-json", args=[token])),
        "add a warrior": post("warrior-add", {"profile": "halberdiers"}),
        "change a warrior": post("warrior-count", {"count": "3"}, warrior),
        "rule book search": get(owner, "/rules/search/?q=halberd"),
        "army list": get(stranger, f"{BOOK}/armies/the-empire/"),
        "scenarios": get(owner, f"{BOOK}/scenarios/"),
        "API profiles": get(stranger, "/api/v1/profiles/"),
        "admin, warbands": get(staff, "/admin/warbands/warband/"),
        "admin, search": get(staff, f"/admin/warbands/warband/?q={token}"),
        "admin, people": get(staff, "/admin/accounts/user/"),
    }
    return found


def timed(found: Pages) -> dict[str, float]:
    taken = {}
    for name, (run, back) in found.items():
        start = time.perf_counter()
        run()
        taken[name] = (time.perf_counter() - start) * 1000
        if back:
            back()
    return taken


def plans(found: Pages, names: list[str]) -> str:
    lines = []
    for name in names:
        run, back = found[name]
        with CaptureQueriesContext(connection) as captured:
            run()
        if back:
            back()
        for query in captured.captured_queries:
            if not query["sql"].startswith("SELECT"):
                continue
            word = (
                "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN ANALYZE"
            )
            with connection.cursor() as cursor:
                cursor.execute(f"{word} {query['sql'].replace('%', '%%')}", [])
                plan = [str(row[-1]) for row in cursor.fetchall()]
            lines += [
                f"-- {name} ({query['time']} s): {query['sql'][:2000]}",
                *(f"   {step}" for step in plan),
            ]
    return "\n".join(lines)


def main(count: int) -> None:
    # By an address of their own: another benchmark may have left people here.
    user = make_user(email="anna@example.org", name="Anna")
    fill(user, count)
    found = pages(user)
    for _ in range(sized(2, 0)):
        timed(found)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        word, _, names = line.strip().partition(" ")
        if word == "plans":
            print(json.dumps(plans(found, json.loads(names))), flush=True)
        else:
            print(json.dumps(timed(found)), flush=True)


if __name__ == "__main__":
    import logging

    logging.disable(logging.WARNING)
    main(int(sys.argv[1]))
