"""The printed documents, warm, beside a warm Chromium that prints the very same HTML and beside a
naive design.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.measure import interleaved, peak_mib, sized, table, verdict
from tests.bench.naive_sheet import naive_html
from tests.bench.place import ROOT
from tests.warbands.print_sheets import horde, mixed, print_html, watch
from warbands.pdf import kept_roster_pdf, roster_pdf, warm_up
from warbands.pdf.render import ASSETS
from warbands.sheet.structure import RosterSheet

ROUNDS = 15
ROSTERS, REPEATS, DOCUMENTS = sized((20, 3, 100), (2, 1, 2))
OURS, CHROMIUM = "two-page PDF of 15 warriors", "Chromium, warm, the same HTML"
BUDGET, GOAL, NAIVE_SHARE = 1.5, 1.2, 0.2
Printer = Callable[[str], bytes]


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
    print()
    few = replace(sheet, warriors=sheet.warriors[:1])
    naive = seconds_of(lambda: naive_pdf(sized(sheet, few))) * 1000
    table(
        ["against the naive design", "ms", "share", "budget", ""],
        [
            ["cards of nested flex on a grid", naive, 1.0, None, None],
            [OURS, ours, ours / naive, NAIVE_SHARE, verdict(ours, NAIVE_SHARE * naive)],
        ],
    )
    return ours


def naive_pdf(sheet: RosterSheet) -> bytes:
    from weasyprint import HTML

    return bytes(HTML(string=naive_html(sheet)).write_pdf())


def seconds_of(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def many(one: float, count: int = ROSTERS) -> None:
    """Threads, and the largest roster there may be."""
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
    """Another process that prints."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.pdf_worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def begin(self, count: int) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()

    def end(self) -> tuple[float, float, float, float]:
        """Seconds taken, seconds of its own work, MiB grown, peak MiB."""
        seconds, cpu, grown, peak = map(float, self._line().split())
        return seconds, cpu, grown, peak

    def stop(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def processes(count: int = ROSTERS, rounds: int = REPEATS) -> None:
    """Twenty in one process against one, two processes against one, memory over a hundred
    documents.
    """
    workers = [Worker(), Worker()]
    ones: list[tuple[float, float]] = []
    alone: list[tuple[float, float]] = []
    together: list[tuple[float, float]] = []
    for _ in range(rounds):
        for how_many, kept in (*[(1, ones)] * 5, (count, alone)):
            workers[0].begin(how_many)
            kept.append(workers[0].end()[:2])
        start = time.perf_counter()
        for worker in workers:
            worker.begin(count)
        work = max(worker.end()[1] for worker in workers)
        together.append((time.perf_counter() - start, work))
    workers[0].begin(DOCUMENTS)
    *_, grown, peak = workers[0].end()
    for worker in workers:
        worker.stop()
    rows: list[list[Any]] = []
    for place, words in enumerate(("", ", by CPU")):
        one, twenty, both = (
            statistics.median(t[place] for t in taken) for taken in (ones, alone, together)
        )
        times, gain = twenty / one, 2 * twenty / both
        rows.append(
            [
                f"{count} rosters in one process, x one roster{words}",
                times,
                f"under {count}",
                verdict(times, count),
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
    rows += [
        ["memory grown over 100 documents, MiB", grown, "none", verdict(grown, 2)],
        ["peak memory of the process, MiB", peak, "under 150", verdict(peak, 150)],
    ]
    table(["processes", "measured", "budget", ""], rows)


@contextmanager
def chromium_printer(sheet: RosterSheet) -> Iterator[Printer | None]:
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
