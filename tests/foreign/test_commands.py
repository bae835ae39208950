"""Commands: a list in, a warband out."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.factories import EMPIRE, SYSTEM, make_legal_warband
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_import_page import TEXT
from warbands.exchange.foreign.reader import read_list
from warbands.models import Warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    path = tmp_path / "list.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_list_is_printed_line_by_line(pasted: Path) -> None:
    told = run("read_roster", pasted, "--system", SYSTEM).splitlines()
    assert told[:3] == [
        "The Watch, chat-text, army the-empire",
        "Captain (54): name, Captain, 54",
        "    halberd: name Halberd",
    ]
    assert "Dragon (300): none, a note" in told
    assert told[-1] == "2 of 4 lines matched; theirs 396, ours 78"
    assert not Warband.objects.exists()


def test_list_becomes_our_document(pasted: Path) -> None:
    told = run("read_roster", pasted, "--system", SYSTEM, "--army", EMPIRE, "--json")
    assert [one["profile"] for one in json.loads(told)["warriors"]] == [
        "captain",
        "halberdiers",
    ]


def test_what_cannot_be_read_is_said(pasted: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Choose one of the rule systems"):
        run("read_roster", pasted, "--system", "chess")
    with pytest.raises(CommandError, match="Choose one with --army: bretonnians"):
        run("read_roster", MADE / "gang.ros", "--system", SYSTEM)
    with pytest.raises(CommandError, match="No such file"):
        run("read_roster", tmp_path / "none.ros", "--system", SYSTEM)
    broken = tmp_path / "broken.ros"
    broken.write_text("<roster>\n<", encoding="utf-8")
    with pytest.raises(CommandError, match=r"broken\.ros is malformed in line 2"):
        run("read_roster", broken, "--system", SYSTEM)


def test_warband_is_written_and_says_what_is_lost(tmp_path: Path) -> None:
    warband, out = make_legal_warband(scenario="border-skirmish"), tmp_path / "list.ros"
    told = run("write_roster", warband.token, "--to", "ros", "--out", out)
    assert told.splitlines() == [f"Wrote {out}.", "Not kept: The scenario."]
    assert read_list("list.ros", out.read_bytes()).units
    with pytest.raises(CommandError, match="no such warband"):
        run("write_roster", "x" * 16, "--to", "ros", "--out", out)
    with pytest.raises(CommandError, match="Is a directory"):
        run("write_roster", warband.token, "--to", "ros", "--out", tmp_path)
