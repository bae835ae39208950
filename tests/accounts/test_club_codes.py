"""Codes of clubs as people type them."""

import pytest

from accounts.tokens import CODE_ALPHABET, LOOK_ALIKES, read_code, spelt_code
from engine.errors import Refusal

CODE = "QNRW7C"


@pytest.mark.parametrize("typed", [
    "QNRW7C", "qnrw7c", " qnr w7c ", "Qnr-W7C", "q n r w 7 c", "QNR.W7C",
    "https://example.org/clubs/join/qnrw7c/?x=1",
])  # fmt: skip
def test_code_is_read_however_it_is_typed(typed: str) -> None:
    assert read_code(typed) == CODE


@pytest.mark.parametrize("typed, says", [
    ("", "six characters"), ("   ", "six characters"),
    ("QNRW7", "You entered five characters"),
    ("QNRW7CC", "You entered seven characters"),
    ("Q", "one character."),
    ("QNRW70", ("Club codes never use “0”. Check the code: it may be C, D, G or Q.")),
    ("onrw7c", "“O”"), ("QNRW2C", "it may be 7."),
    ("QNRW7É", "Club codes never use “É”. Check"),
    ("QNRW7\x00", "“?”"), ("\ud800", "“?”"), ("\u202eQNRW7C", "“?”"), ("²", "“²”"),
    ("x" * 5000, "far longer"),
    ("https://example.org/clubs/join//", "six characters"),
])  # fmt: skip
def test_what_can_be_no_code_is_explained(typed: str, says: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_code(typed)
    assert says in refused.value.message
    assert refused.value.field == "code"


def test_every_sign_that_looks_like_another_names_those_it_may_be() -> None:
    letters_and_figures = set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    assert set(LOOK_ALIKES) == letters_and_figures - set(CODE_ALPHABET)
    assert set("".join(LOOK_ALIKES.values())) <= set(CODE_ALPHABET)


def test_code_is_spelt_in_two_groups() -> None:
    assert spelt_code(CODE) == "QNR W7C"
    assert read_code(spelt_code(CODE)) == CODE
