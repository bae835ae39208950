"""The printed documents, warm, beside a warm Chromium that prints the very same HTML."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.warbands.print_sheets import mixed, watch
from warbands.pdf import print_html, roster_pdf, warm
from warbands.pdf.fonts import ASSETS
from warbands.sheet import RosterSheet

ROUNDS = 15
Printer = Callable[[str], bytes]


def run(rounds: int = ROUNDS) -> list[tuple[str, float, str]]:
    """Rows of (what, milliseconds, remark): medians of interleaved rounds, so that ratios hold on a shared machine."""
    sheet, other = watch(), mixed()
    warm()
    with chromium_printer(sheet) as print_it:
        tasks: dict[str, Callable[[], object]] = {
            "two-page PDF of 15 warriors": lambda: roster_pdf(sheet),
            "the same, nothing in common kept": lambda: roster_pdf(sheet, parts=("reference", "roster")),
            "another warband, mounts and machines": lambda: roster_pdf(other),
            "the HTML alone": lambda: print_html(sheet),
            "cards": lambda: roster_pdf(sheet, parts=("cards",)),
            "big print": lambda: roster_pdf(sheet, big=True),
        }
        if print_it:
            html = print_html(sheet, stylesheets=("sheet.css",))
            tasks["Chromium, warm, the same HTML"] = lambda: print_it(html)
        times = interleaved(tasks, rounds)
    floor = times.get("Chromium, warm, the same HTML")
    rows = [(name, ms, f"{ms / floor:.2f} x Chromium" if floor else "no Chromium here") for name, ms in times.items()]
    return [*rows, many(sheet, times["two-page PDF of 15 warriors"])]


def interleaved(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median time of each task in milliseconds, all tasks once in every round."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            taken[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(values) for name, values in taken.items()}


def many(sheet: RosterSheet, one: float, count: int = 20) -> tuple[str, float, str]:
    """Twenty rosters asked for by eight threads."""
    start = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(roster_pdf, [sheet] * count))
    ms = (time.perf_counter() - start) * 1000
    return f"{count} rosters, eight threads", ms, f"{ms / one:.1f} x one"


@contextmanager
def chromium_printer(sheet: RosterSheet) -> Iterator[Printer | None]:
    """A function that prints HTML beside our stylesheet and fonts in one open page, or None without a Chromium."""
    from tests.conftest import chromium

    path = chromium()
    if not path:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "print.html"
        home.write_text(print_html(sheet, stylesheets=((ASSETS / "sheet.css").as_uri(),)), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(home.as_uri())

        def print_it(html: str) -> bytes:
            page.set_content(html.replace("sheet.css", (ASSETS / "sheet.css").as_uri()), wait_until="load")
            return page.pdf(prefer_css_page_size=True)

        yield print_it
        browser.close()


def main() -> None:
    for name, ms, remark in run():
        print(f"{name:42} {ms:8.1f} ms   {remark}")


if __name__ == "__main__":
    main()
