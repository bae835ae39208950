"""R16 and the memory of printing: a bound ends in a sentence, and a hundred documents leave nothing
behind.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from engine.roster import MAX_COUNT, MAX_ENTRIES
from tests.factories import make_legal_warband, make_user
from tests.reliability.largest import largest
from warbands.pdf import PdfTooLarge, render, roster_pdf

ROOT = Path(__file__).resolve().parents[2]
GROWTH_MIB = 8.0  # what allocators keep back; a document that stayed would be a hundred times its own size
PEAK_MIB = 1024.0


@pytest.fixture
def reader(db: None) -> tuple[Client, str]:
    """Somebody's browser, and the address of their PDF."""
    user = make_user()
    warband = make_legal_warband()
    warband.owner, warband.owner_key = user, ""
    warband.save(update_fields=["owner", "owner_key"])
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client, reverse("sheet-pdf", args=[warband.token])


def test_press_that_is_not_free_in_time_is_a_sentence(
    reader: tuple[Client, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address = reader
    monkeypatch.setattr(render, "SECONDS", 0.0)
    with render._lock:
        answer = client.get(address)
    assert answer.status_code == 503
    assert "try again in a minute" in answer.text
    monkeypatch.undo()
    assert client.get(address).headers["Content-Type"] == "application/pdf"


@pytest.mark.parametrize(
    "fault", [MemoryError(), RecursionError(), ValueError("x"), OSError("x")]
)
def test_drawing_that_breaks_is_a_sentence(
    reader: tuple[Client, str], monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def break_down(*_: object) -> None:
        raise fault

    client, address = reader
    monkeypatch.setattr(render.Renderer, "lay_out", break_down)
    answer = client.get(address)
    assert answer.status_code == 503
    assert "could not be drawn" in answer.text
    monkeypatch.undo()
    assert client.get(address).status_code == 200


def test_roster_past_the_bounds_is_a_sentence() -> None:
    sheet = largest()
    with pytest.raises(PdfTooLarge, match=f"at most {MAX_ENTRIES}"):
        roster_pdf(replace(sheet, warriors=(*sheet.warriors, sheet.warriors[0])))
    with pytest.raises(PdfTooLarge, match=f"at most {MAX_COUNT}"):
        roster_pdf(
            replace(sheet, warriors=(replace(sheet.warriors[0], count=MAX_COUNT + 1),))
        )


def run_elsewhere(program: str) -> float:
    """What a program of its own process prints: a number."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


@pytest.mark.soak
def test_largest_roster_stays_under_a_gibibyte() -> None:
    peak = run_elsewhere(
        "from tests.reliability.largest import largest\n"
        "from tests.bench.measure import peak_mib\n"
        "from warbands.pdf import roster_pdf\n"
        "roster_pdf(largest(), parts=('roster', 'reference', 'cards'), big=True)\n"
        "print(peak_mib())"
    )
    assert peak < PEAK_MIB


def test_documents_leave_no_memory_behind(soak: Callable[[int, int], int]) -> None:
    grown = run_elsewhere(
        "import gc\n"
        "from tests.bench.measure import now_mib\n"
        "from tests.warbands.print_sheets import mixed, watch\n"
        "from warbands.pdf import roster_pdf, warm_up\n"
        "warm_up()\n"
        "sheets = [watch(), mixed()]\n"
        "for sheet in sheets * 10: roster_pdf(sheet)\n"
        "gc.collect(); before = now_mib()\n"
        f"for _ in range({soak(5, 100)}): roster_pdf(sheets[0]), roster_pdf(sheets[1])\n"
        "gc.collect(); print(now_mib() - before)"
    )
    assert grown < GROWTH_MIB
