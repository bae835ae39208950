"""What reading a list may cost: bounds before the work, and a process that ends at its limits."""

import difflib
import sys
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.owner import NOBODY
from engine.errors import Refusal
from engine.roster import MAX_ENTRIES
from interchange import files, pasted
from interchange.files import ReadingLimits
from interchange.tree import PARTS_MAX, ForeignPart, ForeignRoster, ForeignUnit, Source
from tests.factories import EMPIRE, SYSTEM
from tests.foreign.lantern_gangs import index, made
from warbands.exchange.foreign import matches
from warbands.exchange.foreign import reader as lists
from warbands.exchange.foreign.matches import COMPARISONS_MAX, ArmyIndex
from warbands.queries.foreign_lists import ListWishes, load_list_preview

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
A1 = f"a{' ' * 900}({' ' * 1000}x"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """The number of lines and options that were taken apart."""
    calls = []
    take_line = pasted.take_line

    def counted(text: str, **more: bool) -> Any:
        calls.append(text)
        return take_line(text, **more)

    monkeypatch.setattr(pasted, "take_line", counted)
    return lambda: len(calls)


@pytest.mark.parametrize(
    "line, options",
    [("4 A", PARTS_MAX), ("4 A - 5\n- b", PARTS_MAX - 1)],
    ids=["in its line", "below it"],
)
def test_options_are_counted_before_they_are_read(line, options, work):
    tree = pasted.read_pasted(f"Name\n{line}{', b' * options}")
    assert len(tree.units[0].parts) == PARTS_MAX
    before = work()
    with pytest.raises(Refusal, match=f"at most {PARTS_MAX} are read"):
        pasted.read_pasted("\n".join([f"{line}{', b' * (options + 1)}"] * 900))
    assert work() - before < 5


def test_a_unit_is_full_as_soon_as_one_option_is_too_many(work: Callable[[], int]) -> None:
    lines = ["4 A - 5", *["- b, b"] * 1900]
    with pytest.raises(Refusal, match=f"A has {PARTS_MAX + 2} options"):
        pasted.read_pasted("\n".join(lines))
    assert work() < PARTS_MAX + 10


def test_units_are_counted_while_they_are_read(work: Callable[[], int]) -> None:
    tree = pasted.read_pasted("4 A - 5\n" * MAX_ENTRIES)
    assert len(tree.units) == MAX_ENTRIES
    before = work()
    with pytest.raises(Refusal, match=f"more than {MAX_ENTRIES} units"):
        pasted.read_pasted("4 A - 5\n" * 1900)
    assert work() - before == MAX_ENTRIES + 1


@pytest.mark.parametrize(
    "text", [A1, "\n".join(["," * 1999] * 1425)], ids=["blanks", "commas"]
)
def test_long_lines_are_answered_in_words(client: Client, text: str) -> None:
    answer = client.post(reverse("warband-import"), {"rules": SYSTEM, "text": text})
    assert 400 <= answer.status_code < 500


def like_names(units: int, first: int = 0) -> ForeignRoster:
    """Units with a hundred options each that are a little like those of the army."""
    entries = tuple(
        ForeignUnit(
            number,
            "Halberdiers",
            parts=tuple(ForeignPart(f"Lihgt shiled {number} {one}") for one in range(100)),
        )
        for number in range(first, units + first)
    )
    return ForeignRoster("battlescribe", Source("BattleScribe"), units=entries)


def test_names_are_compared_so_many_times_and_no_more(monkeypatch):
    compared = []
    closest = difflib.get_close_matches

    def counted(word: str, names: Any, *limits: Any) -> Any:
        compared.append(len(names))
        return closest(word, names, *limits)

    monkeypatch.setattr(difflib, "get_close_matches", counted)
    wishes = ListWishes(SYSTEM, EMPIRE)
    load_list_preview(NOBODY, like_names(MAX_ENTRIES), wishes)
    assert 0 < sum(compared) <= COMPARISONS_MAX


@pytest.mark.parametrize("most, suggested", [(0, []), (1, ["lamp-captain"])])
def test_suggestions_end_with_the_comparisons(monkeypatch, most, suggested):
    monkeypatch.setattr(matches, "COMPARISONS_MAX", most)
    match = ArmyIndex(index().army, index().aliases).unit(ForeignUnit(1, "Lamp Captian"))
    assert [one.key for one in match.suggestions] == suggested


STOPPED = [
    (files, "MEMORY_BYTES", 1, "MB of memory"),
    (lists, "LIMITS", ReadingLimits(0, "file", "Send a smaller list."), "0 seconds"),
]


@pytest.mark.parametrize("module, limit, least, sentence", STOPPED)
def test_a_reading_beyond_its_limits_is_refused_in_words(
    client, monkeypatch, module, limit, least, sentence
):
    monkeypatch.setattr(module, limit, least)
    # More than any process has left of what it began with.
    large = made("gang.ros") + b" " * 700_000
    file = SimpleUploadedFile("gang.ros", large)
    answer = client.post(reverse("warband-import"), {"rules": SYSTEM, "file": file})
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    body = {"system": SYSTEM, "content": b64encode(large).decode()}
    refused = client.post("/api/v1/convert/in/", body, content_type="application/json")
    assert 400 <= refused.status_code < 500
    assert sentence in refused.content.decode()


def test_lines_are_read_here_and_files_in_a_process(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert lists.read_text("4 Halberdiers - 24").units
    for read in (
        lambda: lists.read_text(made("gang.ros").decode()),
        lambda: lists.read_list("x", made("gang.owb.json")),
        lambda: lists.read_list("x.txt", b"4 Halberdiers - 24"),
    ):
        with pytest.raises(FileNotFoundError):
            read()
