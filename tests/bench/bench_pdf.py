"""The printed documents, warm, beside a warm Chromium that prints the very same HTML."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from engine.starters import build_starter
from rulesdata import registry
from tests.bench.measure import (
    interleaved,
    now_mib,
    peak_mib,
    sized,
    table,
    verdict,
    worked_seconds,
)
from tests.warbands.print_sheets import DETAILS, SYSTEM, horde, mixed, print_html, watch
from warbands.pdf.documents import kept_roster_pdf, roster_pages, roster_pdf, warm_up
from warbands.pdf.press import RENDERER, SECONDS, Pages, Printer
from warbands.pdf.render import ASSETS
from warbands.sheet.build import build_sheet
from warbands.sheet.structure import RosterSheet

ROUNDS = 15
ROSTERS, REPEATS, DOCUMENTS = sized((20, 3, 100), (1, 1, 1))
OURS, CHROMIUM = "two-page PDF of 15 warriors", "Chromium, warm, the same HTML"
BUDGET, TWENTY = 1.5, 14
ChromiumPrinter = Callable[[str], bytes]


def main() -> None:
    one = single()
    print()
    many(one)
    print()
    processes()


def single() -> float:
    """One document at a time. Returns the milliseconds of ours."""
    sheet, other = watch(), mixed()
    warm_up()
    with chromium_printer(sheet) as print_it:
        tasks: dict[str, Callable[[], object]] = {
            OURS: lambda: roster_pdf(sheet),
            "the same, the reference page drawn anew": lambda: roster_pdf(
                sheet, parts=("reference", "roster")
            ),
            "a second download of the same": lambda: kept_roster_pdf(sheet),
            "another warband, mounts and machines": lambda: roster_pdf(other),
            "the HTML alone": lambda: print_html(sheet),
            "cards": lambda: roster_pdf(sheet, parts=("cards",)),
            "big print": lambda: roster_pdf(sheet, big=True),
        }
        if print_it:
            html = print_html(sheet, styles="sheet.css")
            tasks[CHROMIUM] = lambda: print_it(html)
        times = interleaved(tasks, ROUNDS)
    floor, ours = times.get(CHROMIUM), times[OURS]
    rows: list[list[Any]] = []
    for name, ms in times.items():
        word = verdict(ms, BUDGET * floor) if floor and name == OURS else None
        rows.append(
            [name, ms, ms / floor if floor else None, BUDGET if word else None, word]
        )
    if not floor:
        print("There is no Chromium here to compare with.")
    table(["one document, warm", "ms", "x Chromium", "budget", ""], rows)
    return ours


def seconds_of(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def many(one: float, count: int = ROSTERS) -> None:
    sheet = watch()
    start = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(roster_pdf, [sheet] * count))
    threads = (time.perf_counter() - start) * 1000
    large = seconds_of(lambda: roster_pdf(sized(horde, mixed)()))
    table(
        ["many at once", "ms", "x one"],
        [
            [f"{count} rosters, eight threads", threads, threads / one],
            ["200 entries of 200, the largest roster", large * 1000, large * 1000 / one],
        ],
    )
    print(
        "Peak memory of this process, Chromium's driver and the largest roster included: "
        f"{peak_mib():.0f} MiB"
    )


class Worker:
    """A printer's process that has read its fonts, and nothing else."""

    def __init__(self) -> None:
        self.printer = Printer(RENDERER)
        self.draw([roster_pages(watch())])
        assert self.printer.process
        self.number = self.printer.process.pid

    def draw(self, rosters: Iterable[Pages]) -> None:
        for pages in rosters:
            self.printer.draw(pages, "a4", SECONDS)

    def taken(self, rosters: Iterable[Pages]) -> tuple[float, float]:
        """Return the seconds that these rosters took, and those that the process worked."""
        start, work = time.perf_counter(), worked_seconds(self.number)
        self.draw(rosters)
        return time.perf_counter() - start, worked_seconds(self.number) - work


@contextmanager
def worker() -> Iterator[Worker]:
    started = Worker()
    yield started
    started.printer.stop()


def starters() -> Iterator[Pages]:
    """The starter of every army list, at each of two limits: all different."""
    system = registry.load_system(SYSTEM)
    for limit in (250, 200):
        for key in registry.list_army_keys(SYSTEM):
            army = registry.load_army(SYSTEM, key)
            roster = replace(
                build_starter(system, army, limit), name=f"{army.name} {limit}"
            )
            yield roster_pages(replace(build_sheet(roster, system, army), **DETAILS))


def processes(count: int = ROSTERS, rounds: int = REPEATS) -> None:
    """Twenty different rosters in one process against one, two processes against one, memory over
    a hundred documents.
    """
    rosters = list(islice(starters(), count))
    # Each by itself, as the first that a process draws.
    ones = [first_taken([pages]) for pages in rosters]
    alone = [first_taken(rosters) for _ in range(rounds)]
    together = [both_taken(rosters) for _ in range(rounds)]
    rows: list[list[Any]] = []
    for place, words in enumerate(("", ", by CPU")):
        one = statistics.mean(times[place] for times in ones)
        twenty, both = (
            statistics.median(times[place] for times in taken)
            for taken in (alone, together)
        )
        times, gain = twenty / one, 2 * twenty / both
        rows.append(
            [
                f"{count} different rosters in one process, x one{words}",
                times,
                f"at most {TWENTY}",
                verdict(times, TWENTY),
            ]
        )
        rows.append(
            [
                f"two processes, x the rosters of one{words}",
                gain,
                "at least 1.8",
                verdict(-gain, -1.8),
            ]
        )
    grown, peak = memory(list(islice(cycle(rosters), DOCUMENTS)))
    rows += [
        ["memory grown over 100 documents, MiB", grown, "none", verdict(grown, 2)],
        ["peak memory of the process, MiB", peak, "under 150", verdict(peak, 150)],
    ]
    table(["processes", "measured", "budget", ""], rows)


def first_taken(rosters: Sequence[Pages]) -> tuple[float, float]:
    """Return what rosters take a process that drew none of them before."""
    with worker() as one:
        return one.taken(rosters)


def both_taken(rosters: Sequence[Pages]) -> tuple[float, float]:
    """Return what they take two processes that draw them at once: seconds, the most worked."""
    with worker() as one, worker() as other, ThreadPoolExecutor(2) as pool:
        start = time.perf_counter()
        taken = list(pool.map(lambda each: each.taken(rosters), (one, other)))
        return time.perf_counter() - start, max(work for _, work in taken)


def memory(rosters: Sequence[Pages]) -> tuple[float, float]:
    """Return the MiB that a process grows by when it draws all once more, and its peak."""
    with worker() as one:
        one.draw(rosters)
        before = now_mib(one.number)
        one.draw(rosters)
        return now_mib(one.number) - before, peak_mib(one.number)


@contextmanager
def chromium_printer(sheet: RosterSheet) -> Iterator[ChromiumPrinter | None]:
    """A function that prints HTML beside our stylesheet and fonts in one open page, or None without
    a Chromium.
    """
    from tests.conftest import chromium

    path = chromium()
    if not path:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "print.html"
        home.write_text(
            print_html(sheet, styles=(ASSETS / "sheet.css").as_uri()), encoding="utf-8"
        )
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(home.as_uri())

        def print_it(html: str) -> bytes:
            page.set_content(
                html.replace("sheet.css", (ASSETS / "sheet.css").as_uri()),
                wait_until="load",
            )
            return page.pdf(prefer_css_page_size=True)

        yield print_it
        browser.close()
