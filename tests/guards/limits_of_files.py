"""Limits of files that come in: lists and catalogues of other apps, documents, texts."""

import io
import os
import tempfile
import zipfile
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.base import ContentFile
from pydantic import ValidationError

from config import env
from interchange import catalogues, entries, files, nodes, pasted, profiles, tree, units
from interchange import prices as catalogue_terms
from interchange.evaluation import Dependencies, StepCount
from interchange.prices import OptionPrice, OptionPrices
from jobs.models import Job
from jobs.storage import DatabaseFiles
from rulesdata.catalogue_lists import documents
from rulesdata.operations import sent_catalogues
from tests.factories import EMPIRE, SYSTEM
from tests.foreign.test_small_catalogues import crew, document_of, read
from tests.guards.limits import Row, names_of_so_many, takes
from warbands.exchange import content, document
from warbands.exchange.foreign import matches, preview
from warbands.forms import foreign_lists


def _faults(size: int) -> bool:
    with pytest.raises(ValidationError) as refusal:
        document._Document.model_validate({f"x{number}": 1 for number in range(size)})
    faults = document._list_faults(refusal.value)
    return sum("is not a key" in fault.message for fault in faults) == size


def _text_file(size: int) -> bool:
    """Whether a text of so many bytes may stand on a page."""
    with tempfile.NamedTemporaryFile() as file, patch.dict(os.environ, {"X": file.name}):
        file.write(b"x" * size)
        file.flush()
        try:
            return len(env.text_file("X")) == size
        except SystemExit:
            return False


def _finished(size: int) -> bool:
    """Whether the database takes a finished file of so many bytes, which is no job's."""
    file = ContentFile(b"x" * size)
    try:
        DatabaseFiles().save("none/file", file)
    except Job.DoesNotExist:
        return True
    except OSError:
        return False


def _foreign_elements(size: int) -> bool:
    return takes("elements", lambda: nodes.parse_xml(f"<a>{'<b/>' * (size - 1)}</a>"))


def _foreign_levels(size: int) -> bool:
    return takes("nested deeper", lambda: nodes.parse_xml("<a>" * size + "</a>" * size))


def _zip_members(size: int) -> bool:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names_of_so_many(size):
            archive.writestr(name, "x")
    return takes("are read", lambda: files.open_file("x", packed.getvalue()))


def _unpacked(size: int) -> bool:
    with patch.object(files, "RATIO_MAX", size):
        return takes("larger than", lambda: files.open_file("a", _zip_of(size)))


def _ratio(size: int) -> bool:
    """Whether a zip is opened whose file is so many times its packed size."""
    packed = 1000
    member: Any = SimpleNamespace(filename="a.ros", compress_size=packed)
    archive: Any = SimpleNamespace(open=lambda one: io.BytesIO(b"x" * packed * size))
    return takes("times its size", lambda: files.content_of(archive, member))


def _zip_of(size: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.ros", b"x" * size)
    return packed.getvalue()


def _catalogue_elements(size: int) -> bool:
    game = catalogues.CatalogueFile("a.cat", nodes.Node("catalogue", {"id": "a"}), "", size)
    return takes("elements together", lambda: catalogues.close(game, [game]))


def _named_beside(size: int) -> bool:
    """Whether a limit names the unit that it is counted by, as a text of this size."""
    fields = {"least": None, "most": 1, "is_limit_open": False, "heading": "", "name": "A"}
    other: Any = SimpleNamespace(
        key="a" * (size - len("each:1-of:")), origins=("p",), every=None, **fields
    )
    unit: Any = SimpleNamespace(key="b", origins=(), every=(1, "p"), **fields)
    *_, limit = documents._unit_limits([other, unit])
    return "per" in limit


def _catalogue_sent(size: int) -> bool:
    return takes("together they are", lambda: files.open_archives([("a.gst", b"x" * size)]))


def _catalogue_unpacked(size: int) -> bool:
    with patch.object(files, "SENT_MAX", size):
        return takes("larger than", lambda: files.open_archives([("a.gst", b"x" * size)]))


def _catalogue_place(way: int, count: int) -> bool:
    """Whether the next place may stand so deep, and be the so manieth."""
    unfolding: Any = SimpleNamespace(count=count - 1)
    node = nodes.Node("selectionEntry", {"name": "A"})
    return takes(
        "“A” is nested" if way else "places where",
        lambda: entries.Unfolding._check(unfolding, node, "a", ("b",) * way),
    )


def _price_keys(size: int) -> bool:
    """Whether a price that hangs on so many other options is worked out."""
    others: Any = {f"place-{n}": f"option-{n}" for n in range(size)}
    notes: list[str] = []
    table: Any = SimpleNamespace(
        _difference=lambda *_: 0,
        kind=SimpleNamespace(note=lambda *words: notes.append(words[1])),
    )
    price: Any = OptionPrice(1, "model", Dependencies(options=set(others)))
    nothing: Any = None
    OptionPrices.points_if(table, nothing, "A", price, others)
    return not notes


def _own_weapons(size: int) -> bool:
    """Whether a catalogue may bring along so many weapons."""
    table = profiles.ArmyItems({})
    keys = [
        table._weapon_key(name, {"range": "", "strength": ""})
        for name in names_of_so_many(size)
    ]
    return all(keys)


def _own_magic(size: int) -> bool:
    """Whether a catalogue may bring along so many magic items."""
    items = profiles.ArmyItems({})
    return all(items.add_magic(_bare_place(name), 1) for name in names_of_so_many(size))


def _bare_place(name: str) -> Any:
    return SimpleNamespace(name=name, parent=None, list_limits=lambda kind: [])


def _foreign_parts(size: int) -> bool:
    parts = tuple(map(tree.ForeignPart, names_of_so_many(size)))
    return takes(
        "options; at most", lambda: tree.check_unit(tree.ForeignUnit(1, "A", parts=parts))
    )


def _note_of_a_list(size: int) -> bool:
    """Whether a note of so many characters is kept whole."""
    found: Any = SimpleNamespace(note="n" * size, settings=())
    return not preview._roster_note(found, ())[1]


def _held_list(size: int) -> bool:
    """Whether a preview may send back so many characters."""
    empty = tree.ForeignRoster("", tree.Source(""))
    with patch.object(foreign_lists.signing, "dumps", return_value="x" * size):
        return takes("are possible", lambda: foreign_lists.hold_list(empty))


def _army_lead(size: int) -> bool:
    """Whether an army that has so many units more than the next is taken."""
    units = tuple(tree.ForeignUnit(number, f"u{number}") for number in range(3))
    known = {f"k{number}": (f"u{number}", "") for number in range(size)}
    armies = [matches.ArmyNames("a", "a", "", known), matches.ArmyNames("b", "b", "", {})]
    found = tree.ForeignRoster("", tree.Source(""), units=units)
    return matches.rank_armies(found, armies)[0] == "a"


def _growth(size: int) -> bool:
    """A unit with so much experience, as an export of a campaign tells it."""
    return _reads_growth({"experience": size}, "a number beyond")


def _growth_text(size: int) -> bool:
    """Growth of so many characters, the braces and the key of its one text among them."""
    return _reads_growth({"kind": "x" * (size - len('{"kind": ""}'))}, "at most 20,000")


def _reads_growth(growth: dict[str, Any], fault: str) -> bool:
    entry = {"profile": "captain", "growth": growth}
    data = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": EMPIRE,
        "warriors": [entry],
    }
    return takes(fault, lambda: document.parse(data))


ROWS = (
    Row("GROWTH_FIGURE_MOST", 1_000_000, _growth),
    Row("GROWTH_MAX", 20_000, _growth_text),
    Row(
        "FILE_MAX",
        4_194_304,
        lambda n: takes("larger than", lambda: files.open_file("x", b"x" * n)),
    ),
    Row("UNPACKED_MAX", 16_777_216, _unpacked),
    Row("RATIO_MAX", 100, _ratio),
    Row("MEMBERS_MAX", 60, _zip_members),
    Row("ELEMENTS_MAX", 100_000, _foreign_elements),
    Row("ALL_ELEMENTS_MAX", 600_000, _catalogue_elements),
    Row(
        "FILES_MAX",
        10,
        lambda n: takes("choose 1 to", lambda: files.open_archives([("a", b"x")] * n)),
    ),
    Row("FINISHED_MAX", 67_108_864, _finished, lowered=1000),
    Row("SENT_MAX", 4_194_304, _catalogue_sent),
    Row("PER_MOST", 400, _named_beside),
    Row(
        "EVERY_MOST",
        99,
        lambda n: "depends" not in document_of(read(crew(1, n)))["limits"][0],
    ),
    Row("ALL_UNPACKED_MAX", 33_554_432, _catalogue_unpacked),
    Row("UNFOLD_LEVELS_MAX", 14, lambda n: _catalogue_place(n, 1)),
    Row("PLACES_MAX", 100_000, lambda n: _catalogue_place(0, n)),
    Row(
        "STEPS_MAX",
        5_000_000,
        lambda n: takes("steps to work out", lambda: StepCount().take(n)),
    ),
    Row("PRICE_KEYS_MAX", 4, _price_keys),
    Row("OWN_ITEMS_MAX", 200, _own_weapons),
    Row("OWN_MAGIC_MAX", 400, _own_magic),
    Row(
        "ITEM_POINTS_MAX",
        1000,
        lambda n: profiles.ArmyItems({}).add_magic(_bare_place("A"), n),
    ),
    Row(
        "RANGE_MAX",
        120,
        lambda n: "range" in profiles.weapon_record("A", {"range": str(n), "strength": ""}),
    ),
    Row(
        "READINGS_MAX",
        20,
        lambda n: takes("the maximum", lambda: sent_catalogues.check_readings(n - 1)),
    ),
    Row(
        "READING_SECONDS_MAX",
        1200,
        lambda n: takes("the maximum", lambda: sent_catalogues.check_readings(0, n - 1)),
    ),
    Row(
        "OWN_UNITS_MAX",
        300,
        lambda n: takes("the most of a list", lambda: units.check_unit_count(n)),
    ),
    Row("LEVELS_MAX", 64, _foreign_levels),
    Row(
        "ATTRIBUTE_MAX",
        8192,
        lambda n: takes("characters", lambda: nodes.parse_xml(f'<a b="{"x" * n}"/>')),
    ),
    Row(
        "ELEMENT_NAME_MAX",
        120,
        lambda n: takes("characters", lambda: nodes.parse_xml(f"<{'a' * n}/>")),
    ),
    Row("PARTS_MAX", 100, _foreign_parts),
    Row("HELD_MAX", 400_000, _held_list),
    Row("NOTE_MAX", 4000, _note_of_a_list),
    Row("PRICE_MAX", 100_000, lambda n: tree.read_price(n) is not None),
    Row(
        "TEXT_LINES_MAX",
        2000,
        lambda n: takes("lines; at most", lambda: pasted.read_pasted("\n" * (n - 1))),
    ),
    Row("LEAD_LEAST", 2, _army_lead, is_least=True),
    Row("RARITY_LEAST", 2, lambda n: bool(catalogue_terms.rarity_terms(n)), is_least=True),
    Row("RARITY_MOST", 12, lambda n: bool(catalogue_terms.rarity_terms(n))),
    Row("TEXT_FILE_MAX", 100_000, _text_file),
    Row(
        "MAX_BYTES",
        1_048_576,
        lambda n: takes("larger than", lambda: content.decode(f'"{"a" * (n - 2)}"')),
    ),
    Row("MAX_FAULTS", 50, _faults),
    Row(
        "CHOICES_MAX",
        100,
        lambda n: takes(
            "hold at most", lambda: document._check_number(dict.fromkeys(range(n)))
        ),
    ),
)
