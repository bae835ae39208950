"""Keys made of names: always such as the packs have, and free."""

import pytest
from pydantic import TypeAdapter

from rulesdata.keys import KEY_MAX, free_key, key_from
from rulesdata.schema.base import Key

KEY = TypeAdapter(Key)


@pytest.mark.parametrize("name,key", [
    ("Boat hook", "boat-hook"),
    ("'; DROP TABLE warbands_warband; --", "drop-table-warbands-warband"),
    ("_Ferryman_", "ferryman"),
    ("Ærø’s  --  gaff", "rs-gaff"),
    ("日本語", "record"),
    ("long " * 100, "-".join(["long"] * 18)),
])  # fmt: skip
def test_key_is_one_the_packs_could_have(name: str, key: str) -> None:
    assert key_from(name, instead="record") == key
    assert KEY.validate_python(key) == key


def test_free_key_counts_on_where_others_have_it() -> None:
    known = {"own-gaff", "own-gaff-2"}
    assert free_key("Gaff", known, instead="record") == "own-gaff-3"
    assert free_key("", known, instead="record") == "own-record"
    assert len(free_key("x" * 300, known, instead="record")) <= KEY_MAX
