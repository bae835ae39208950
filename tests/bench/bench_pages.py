"""Every page and change as a multiple of a bare page of the same fifteen rows, with the number of
its queries.
"""

import secrets
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.owner import Owner
from tests.bench import bare, place
from tests.bench.measure import Task, interleaved, sized, table, verdict
from tests.bench.rosters import stored
from tests.bench.visitor import Visitor, signed_in
from tests.factories import make_user
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import undo_last_change
from warbands.views import presenters

ROUNDS = 25
SIZES = sized((3, 15, 50), (2, 15, 16))
FLOOR, WRITE = "bare page of 15 rows", "the disk: one row updated and committed"
QUERIES, CHANGE_QUERIES = 10, 15
# name of the address: multiple of the bare page that speed.md allows for 15 rows, where it sets one
WARBAND_PAGES: dict[str, float | None] = {
    "sheet-read": 2, "sheet-opponent": None, "sheet-cards": None, "sheet-reference": None,
    "roster-text": None, "warband-change": None, "warband-share": None,
}  # fmt: skip
PAIR = "warhammer-skirmish/the-empire"
BOOK = "/rules/warhammer-skirmish"
LISTS = {
    "home": "/",
    "own list": "/warbands/",
    "public list": "/warbands/public/",
    "starters": "/warbands/starters/",
    "new": "/warbands/new/",
    "rule systems": "/rules/",
    "system": f"{BOOK}/",
    "charts": f"{BOOK}/charts/",
    "weapons": f"{BOOK}/weapons/",
    "armies": f"{BOOK}/armies/",
    "army": f"{BOOK}/armies/the-empire/",
    "unit": f"{BOOK}/armies/the-empire/units/halberdiers/",
    "magic items": f"{BOOK}/armies/the-empire/magic-items/",
    "compare": f"/rules/compare/?a={PAIR}/halberdiers&b={PAIR}/swordsmen",
    "search": "/rules/search/?q=halberd",
    "scenarios": f"{BOOK}/scenarios/",
}


class Site:
    """A person with warbands of each size, a stranger who reads them, and the bare page."""

    def __init__(self) -> None:
        user = make_user(name="Anna")
        self.owner, self.stranger = signed_in(user), Visitor()
        self.bare = signed_in(user, bare.handler())
        self.tokens = {size: stored(user, size) for size in SIZES}
        self.user = user

    def page(self, visitor: Any, address: str) -> Callable[[], object]:
        def ask() -> object:
            answer = visitor.get(address)
            assert answer.status == 200, (address, answer.status)
            return answer

        return ask


def queries_of(
    task: Callable[[], object], after: Callable[[], object] | None = None
) -> int:
    """How many queries one run takes, the second one: the first fills caches.

    ``after`` puts things back, uncounted.
    """
    for _ in range(sized(2, 1)):
        with CaptureQueriesContext(connection) as captured:
            task()
        if after:
            after()
    return sum(
        not q["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))
        for q in captured.captured_queries
    )


def main() -> None:
    place.ready()
    site = Site()
    floor = site.page(site.bare, f"/{site.tokens[15]}/")
    print(f"The floor takes {queries_of(floor)} queries.")
    rosters(site, floor)
    changes(site, floor)
    lists(site, floor)


def anew(page: Callable[[], object]) -> Callable[[], object]:
    """The page as the first who asks for it gets it, none of its lines drawn yet."""

    def ask() -> object:
        presenters.render_line.cache_clear()
        return page()

    return ask


def rosters(site: Site, floor: Callable[[], object]) -> None:
    pages: dict[str, tuple[Any, str, float | None]] = {
        "builder": (site.owner, "warband-read", 4),
        "reading page": (site.stranger, "warband-read", 2),
        **{name: (site.owner, name, budget) for name, budget in WARBAND_PAGES.items()},
    }
    tasks: dict[str, Callable[[], object]] = {FLOOR: floor}
    for title, (visitor, name, _) in pages.items():
        for size in SIZES:
            tasks[f"{title} {size}"] = site.page(
                visitor, reverse(name, args=[site.tokens[size]])
            )
    counted = {name: queries_of(task) for name, task in tasks.items()}
    times = interleaved(tasks, ROUNDS)
    # Apart from the others, which would find nothing kept either.
    first = interleaved(
        {FLOOR: floor} | {title: anew(tasks[f"{title} 15"]) for title in pages}, ROUNDS
    )
    rows: list[list[Any]] = [
        [FLOOR, counted[FLOOR], times[FLOOR], 1.0, 1.0, 1.0, *[None] * 4]
    ]
    for title, (_, _, budget) in pages.items():
        numbers = [counted[f"{title} {size}"] for size in SIZES]
        ratios = [times[f"{title} {size}"] / times[FLOOR] for size in SIZES]
        is_same = len(set(numbers)) == 1 and numbers[0] <= QUERIES
        shown = str(numbers[0]) if len(set(numbers)) == 1 else "/".join(map(str, numbers))
        word = verdict(ratios[1], budget) if budget else None
        work, drawn = (
            times.cpu[f"{title} 15"] / times.cpu[FLOOR],
            first.cpu[title] / first.cpu[FLOOR],
        )
        end = [work, drawn, budget, word if is_same else "QUERIES", ratios[0], ratios[2]]
        rows.append([title, shown, times[f"{title} 15"], ratios[1], *end])
    head = [
        "queries", "ms", "x floor", "x CPU", "CPU anew", "budget", "", "x with 3",
        "x with 50",
    ]  # fmt: skip
    table(["page with 15 warriors", *head], rows)


def changes(site: Site, floor: Callable[[], object]) -> None:
    """Adding and changing a warrior of fifteen as htmx asks for it; each is put back untimed."""
    token, owner = site.tokens[15], Owner(user_id=site.user.pk)
    warrior = (
        Warrior.objects.filter(warband__token=token, is_leader=False)
        .order_by("position")[3]
        .pk
    )

    def post(name: str, sent: dict[str, str], *more: int) -> Callable[[], object]:
        address = reverse(name, args=[token, *more])

        def ask() -> object:
            answer = site.owner.post(address, sent, htmx=True)
            assert answer.status == 200, (address, answer.status, answer.text[:300])
            return answer

        return ask

    def back() -> object:
        return undo_last_change(WriteContext(owner, token))

    forms: dict[str, Callable[[], object]] = {
        "add a warrior": post("warrior-add", {"profile": "halberdiers"}),
        "add, with its panel open": post(
            "warrior-add", {"profile": "halberdiers", "open": str(warrior)}
        ),
        "change how many": post("warrior-count", {"count": "3"}, warrior),
        "change an option": post("warrior-options", {"take": "champion"}, warrior),
        "name": post("warrior-change", {"name": "Ansgar"}, warrior),
        "move": post("warrior-move", {"to": "down"}, warrior),
        "lead": post("warrior-lead", {}, warrior),
        "remove": post("warrior-remove", {}, warrior),
    }
    counted = {name: queries_of(form, back) for name, form in forms.items()}
    tasks: dict[str, Callable[[], object] | Task] = {FLOOR: floor}
    tasks |= {name: Task(form, back) for name, form in forms.items()}
    tasks[WRITE] = lambda: Warband.objects.filter(token=site.tokens[SIZES[0]]).update(
        note=secrets.token_hex()
    )
    times = interleaved(tasks, ROUNDS)
    rows: list[list[Any]] = [[FLOOR, None, times[FLOOR], 1.0, 1.0, None, None]]
    rows.append(
        [
            WRITE, 1, times[WRITE], times[WRITE] / times[FLOOR],
            times.cpu[WRITE] / times.cpu[FLOOR], None, None,
        ]
    )  # fmt: skip
    for name in forms:
        ratio = times[name] / times[FLOOR]
        word = verdict(ratio, 3) if counted[name] <= CHANGE_QUERIES else "QUERIES"
        rows.append(
            [
                name, counted[name], times[name], ratio, times.cpu[name] / times.cpu[FLOOR],
                3, word,
            ]
        )  # fmt: skip
    print()
    table(
        ["change of 15 warriors", "queries", "ms", "x floor", "x CPU", "budget", ""], rows
    )


def lists(site: Site, floor: Callable[[], object]) -> None:
    tasks = {
        FLOOR: floor,
        **{name: site.page(site.owner, address) for name, address in LISTS.items()},
    }
    counted = {name: queries_of(task) for name, task in tasks.items()}
    times = interleaved(tasks, ROUNDS)
    rows = []
    for name, ms in times.items():
        word = verdict(counted[name], QUERIES)
        rows.append(
            [
                name, counted[name], ms, ms / times[FLOOR],
                times.cpu[name] / times.cpu[FLOOR], word,
            ]
        )  # fmt: skip
    print()
    table(["other pages", "queries", "ms", "x floor", "x CPU", ""], rows)
