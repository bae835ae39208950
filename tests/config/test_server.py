"""What the server does of its own accord once it stands."""

import subprocess
import sys
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from config import gunicorn
from warbands.pdf import documents
from warbands.pdf.press import PdfFailed


def test_gunicorn_loads_the_worker_before_any_model() -> None:
    code = (
        "from config import gunicorn, server; print(gunicorn.worker_class, server.Worker)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_server_says_where_it_is_and_gets_ready_to_print(monkeypatch, capsys):
    begun = Event()
    monkeypatch.setattr(gunicorn, "warm_up", begun.set)
    gunicorn.post_worker_init(SimpleNamespace(age=1))
    assert begun.wait(60)
    assert "Muster Roll is at" in capsys.readouterr().out


def test_every_worker_gets_ready_and_one_says_so(monkeypatch, capsys):
    begun = Event()
    monkeypatch.setattr(gunicorn, "warm_up", begun.set)
    gunicorn.post_worker_init(SimpleNamespace(age=2))
    assert begun.wait(60)
    assert capsys.readouterr().out == ""


def test_getting_ready_draws_a_whole_warband(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(documents, "warm_up", lambda *sheets: drawn.extend(sheets))
    gunicorn.warm_up()
    (sheet,) = drawn
    assert sheet.warriors
    assert sheet.reference.charts


def test_a_server_that_cannot_draw_serves_all_the_same(monkeypatch):
    def fail(*_: object) -> None:
        raise PdfFailed("No ink.")

    monkeypatch.setattr(documents, "warm_up", fail)
    gunicorn.warm_up()
