"""What prices of catalogues depend on, and the command that measures a folder of them."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rulesdata.foreign.catalogues import close, read_catalogue_file
from rulesdata.foreign.files import OpenedFile
from rulesdata.foreign.subsets import (
    BEYOND,
    LIST,
    MODELS,
    NOTHING,
    OWN_OPTIONS,
    STATIC,
    UNCONDITIONAL,
    PriceLevels,
    measure,
)
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogue_traps import CHANGES, MIRE, change, condition, repeat
from tests.foreign.test_catalogues import NAMES


def measured(changes: str) -> PriceLevels:
    """The Mire, where the boat has these changes of its price."""
    mire = (MADE / MIRE).read_text().replace(CHANGES, f"<modifiers>{changes}</modifiers>")
    texts = {NAMES[0]: (MADE / NAMES[0]).read_text(), MIRE: mire}
    files = [
        read_catalogue_file(OpenedFile(name, "xml", text)) for name, text in texts.items()
    ]
    return measure(close(files[1], files))


def asked(*words: str, **others: str) -> str:
    return change(f"<conditions>{condition(*words, **others)}</conditions>")


@pytest.mark.parametrize(
    "changes, level",
    [
        ("", NOTHING),
        (change(""), UNCONDITIONAL),
        (asked("always", ""), UNCONDITIONAL),
        (asked("instanceOf", "cat-gang", scope="ancestor"), STATIC),
        (asked("atLeast", "e-nothing"), STATIC),
        (asked("atLeast", "force-gang", field="forces", scope="roster"), STATIC),
        (asked("atLeast", "e-a"), OWN_OPTIONS),
        (asked("atLeast", "model"), MODELS),
        (asked("atLeast", "m-rower"), MODELS),
        (change(repeat("e-a")), MODELS),
        (change(repeat("e-nothing")), STATIC),
        (asked("atLeast", "u-eel", scope="roster"), LIST),
        (asked("atLeast", "e-a", scope="an-id-elsewhere"), LIST),
        (asked("atLeast", "e-a", field="coin"), BEYOND),
        (asked("before", "e-a"), BEYOND),
        (change("", "prepend"), BEYOND),
        (change("") + asked("atLeast", "e-a"), OWN_OPTIONS),
    ],
)
def test_each_price_needs_a_subset(changes: str, level: int) -> None:
    unchanged, found = measured(""), measured(changes)
    # One place is the boat's, and the unit needs what it needs.
    new = found.places - unchanged.places
    assert new == ({level: 1} if changes else {})
    assert found.places.total() == unchanged.places.total()
    assert found.places[level] > 0
    assert found.units[level] >= 1


def test_the_command_prints_the_shares(tmp_path: Path) -> None:
    for name in (NAMES[0], MIRE):
        (tmp_path / name).write_bytes((MADE / name).read_bytes())
    (tmp_path / "notes.txt").write_text("No catalogue.")
    out = io.StringIO()
    call_command("measure_catalogue", str(tmp_path), stdout=out)
    assert out.getvalue().splitlines() == [
        "catalogues: 1, units: 4, options: 11",
        "S0 nothing: 75.0 % of units, 81.82 % of options",
        "S1 changes without conditions: 75.0 % of units, 90.91 % of options",
        "S2 what is static: 100.0 % of units, 100.00 % of options",
        "S3 own options: 100.0 % of units, 100.00 % of options",
        "S4 models, and repeats: 100.0 % of units, 100.00 % of options",
        "S5 the rest of the list: 100.0 % of units, 100.00 % of options",
    ]


def test_the_command_needs_a_catalogue(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no catalogue with units"):
        call_command("measure_catalogue", str(tmp_path))
    (tmp_path / "a.cat").write_text("<roster/>")
    with pytest.raises(CommandError, match="is no catalogue"):
        call_command("measure_catalogue", str(tmp_path))
