"""Hostile and broken YAML files are refused with a sentence that names the limit, before anything
is built.
"""

import tracemalloc

import pytest

from rulesdata.pack_files.yaml_files import Limits, ReadingError, read_file, read_text

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)

HOSTILE = {
    "alias bomb": (BOMB, "anchors and aliases"),
    "anchor alone": ("a: &x 1\n", "anchors and aliases"),
    "a million deep in flow": ("[" * 1_000_000, "nested deeper than 16 levels"),
    "a hundred thousand mappings deep": ("{a: " * 100_000, "nested deeper than 16 levels"),
    "deep in blocks": (
        "\n".join("  " * n + "a:" for n in range(400)),
        "nested deeper than 16 levels",
    ),
    "150,000 nodes": ("[" + "1," * 150_000 + "1]", "more than 100,000 values"),
    "two million bytes": (
        "- aaaaaaaaaaaaaaaaaa\n" * 100_000,
        "larger than 1,048,576 bytes",
    ),
    "200,000 documents": ("---\n" * 200_000, "only one document"),
    "two documents": ("a: 1\n---\nb: 2\n", "only one document"),
    "python object": (
        "!!python/object/apply:os.system ['true']\n",
        "tags (!) are not used",
    ),
    "python name": ("a: !!python/name:os.system\n", "tags (!) are not used"),
    "own tag": ("a: !thing 1\n", "tags (!) are not used"),
    "a tag that is known": ("a: !!binary aGk=\n", "tags (!) are not used"),
    "duplicate keys": ("a: 1\nb: 2\na: 3\n", "the key 'a' is written twice"),
    "duplicate keys in flow": ("a: {x: 1, x: 2}\n", "the key 'x' is written twice"),
    "duplicate keys spelt differently": ("a: 1\n'a': 2\n", "the key 'a' is written twice"),
    "a list as a key": ("? [1, 2]\n: 3\n", "a key must be a plain text"),
    "5,000 digits": ("a: " + "9" * 5_000, "a text is longer than 4,000 characters"),
    "3,000 digits": ("a: " + "9" * 3_000, "more than 12 digits"),
    "NUL": ("a: x\0y\n", "U+0000"),
    "right-to-left override": ("a: x\u202ey\n", "U+202E"),
    "byte order mark in the middle": ("a: x\ufeffy\n", "U+FEFF"),
    "escaped surrogate": ('a: "\\ud800"\n', "not valid YAML"),
    "bad UTF-8": (b"a: \xff\xfe\n", "not UTF-8"),
    "UTF-16": ("a: 1\n".encode("utf-16"), "not UTF-8"),
    "half a surrogate in bytes": ("a: \ud800\n", "not UTF-8"),
    "an open bracket": ("a: [1, 2\n", "not valid YAML"),
    "a tab for indentation": ("a:\n\tb: 1\n", "not valid YAML"),
    "an unknown directive": ("%YAML 9.9\n---\na: 1\n", "not valid YAML"),
    "nothing": ("", "the file is empty"),
    "only a comment": ("# nothing\n", "the file is empty"),
    "a key without end": ("? " + "x" * 900_000, "a text is longer"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_with_its_limit(name, write_yaml):
    content, message = HOSTILE[name]
    path = write_yaml(content)
    tracemalloc.start()
    try:
        with pytest.raises(ReadingError) as caught:
            read_file(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message in str(caught.value)
    assert caught.value.fault.file == "input.yaml"
    assert peak < 64 * 1024 * 1024


def test_missing_file_is_a_fault_not_a_crash(tmp_path):
    with pytest.raises(ReadingError, match="cannot be read"):
        read_file(tmp_path / "none.yaml")


def test_fault_names_the_line():
    with pytest.raises(ReadingError) as caught:
        read_text("a: 1\nb:\n  c: 2\n  c: 3\n", "x.yaml")
    assert (caught.value.fault.line, str(caught.value)) == (
        4,
        "x.yaml:4: b: the key 'c' is written twice",
    )


@pytest.mark.parametrize(
    "text,value",
    [
        ("5", 5), ("-3", -3), ("+2", 2), ("2.5", 2.5), ("true", True), ("null", None), ("~", None), ("", None),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("2D6", "2D6"), ("D6+1", "D6+1"), ("'5'", "5"), ('"true"', "true"),
        (".nan", ".nan"), (".inf", ".inf"), ("1e400", "1e400"), ("0x10", "0x10"), ("1_000", "1_000"),
        ("2026-01-01", "2026-01-01"),
        ("٣", "٣"), ("²", "²"), ("<<", "<<"),
    ],
)  # fmt: skip
def test_only_plain_numbers_and_constants_are_turned_into_values(text, value):
    read = read_text(f"a: {text}\n", "x.yaml").data["a"]
    assert (read, type(read)) == (value, type(value))


def test_keys_are_always_texts_and_known_by_line():
    document = read_text("rows:\n  1: [4, 5]\n  true: [6]\n", "x.yaml")
    assert document.data == {"rows": {"1": [4, 5], "true": [6]}}
    assert document.line(("rows", "1", 1)) == 2
    assert document.line(("rows", "true", 9, "nowhere")) == 3


def test_limits_may_be_narrower():
    with pytest.raises(ReadingError, match="more than 3 values"):
        read_text("[1, 2, 3]", "x.yaml", Limits(nodes=3))
