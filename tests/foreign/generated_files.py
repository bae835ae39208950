"""Files by chance: lists, texts and catalogues, damaged and full of odd values.

As a program it reads so many of each in a process of its own, and prints what came of them:
`python -m tests.foreign.generated_files list 500`. Each number makes the same file every time.
"""

import io
import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import django

from engine.errors import Refusal
from engine.records import frozen_dataclass
from interchange.files import NamedBytes
from interchange.translation import ReadingWishes, read_files
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, build_frame, list_document
from rulesdata.own_lists import read_own_list
from rulesdata.pack_files.yaml_files import Document
from tests.bench.measure import peak_mib

MADE = Path(__file__).parent / "made"
SYSTEM, EMPIRE = "warhammer-skirmish", "the-empire"
NUMBERS = (
    "-1", "0", "1", "2", "5", "12", "60", "200", "201", "2147483648", "9223372036854775808",
    "9" * 5000, "1e400", "1e-400000", "NaN", "-Infinity", "true", "٣", "²", "--4", "1,5", "",
    "0.30000000000000004", "999999", "-999999", "0.0001",
)  # fmt: skip
WORDS = (
    "Captain", "Halberdiers", "Swordsmen", "Shield", "Light armour", "Champion", "Musician",
    "Dragon", "Mail Coats", "Long Hook", "Lamp Captain", "\u202eevil", "a\u200bb", "\ufeff",
    "e" + "\u0301" * 2000, "👩‍👩‍👧‍👦" * 20, "<script>alert(1)</script>", "{{7*7}}",
    "{% load x %}", "javascript:alert(1)", "x" * 9000, "=1+1", "", " ", "\u0085", "Ⅷ", "ﬁ",
)  # fmt: skip
LISTS = ("gang.ros", "gang.newrecruit.json", "gang.owb.json")
CATALOGUES = ("wardens", "guild", "mire", "bazaar", "hands")
# What holds the figures of a catalogue.
FIGURES = ("characteristic", "cost", "constraint", "modifier", "condition", "repeat")
KINDS = ("list", "text", "catalogue")
# One in so many is damaged, or left as it was made.
WHOLE = 3
SOURCE_MOST = 200


# Lists


def list_file(chance: Random) -> bytes:
    """A list of another app: a made one with odd values, or one made up, often damaged."""
    makers: tuple[Callable[[Random], bytes], ...] = (_odd_made_list, _roster, _json_list)
    data = chance.choice(makers)(chance)
    if chance.randrange(WHOLE) == 0:
        data = damaged(chance, data)
    return packed(chance, data) if chance.randrange(4) == 0 else data


def _odd_made_list(chance: Random) -> bytes:
    name = chance.choice(LISTS)
    data = (MADE / name).read_bytes()
    if name.endswith(".json"):
        return json.dumps(_odd_json(chance, json.loads(data))).encode()
    root = ElementTree.fromstring(data)
    make_odd(chance, root)
    return ElementTree.tostring(root)


def _roster(chance: Random) -> bytes:
    units = "".join(_selection(chance, 0) for _ in range(chance.choice((1, 3, 30, 200))))
    number = chance.choice(NUMBERS)
    return (
        f'<roster battleScribeVersion="2.03" name={_quoted(chance)}><costs><cost name="pts" '
        f'typeId="points" value="{number}"/></costs><forces><force name={_quoted(chance)}>'
        f"<selections>{units}</selections></force></forces></roster>"
    ).encode("utf-8", "replace")


def _selection(chance: Random, level: int) -> str:
    number = chance.choice(NUMBERS) if chance.randrange(300) == 0 else "1"
    type_ = chance.choice(("model", "unit", "upgrade", "mount", "crew", "x"))
    below = range(chance.choice((0, 0, 0, 1, 2, 5)) if level < 4 else 0)
    inner = "".join(_selection(chance, level + 1) for _ in below)
    return (
        f'<selection name={_quoted(chance)} type="{type_}" number="{number}"><costs><cost '
        f'name="pts" typeId="points" value="{chance.choice(NUMBERS[:9])}"/></costs>'
        f"<selections>{inner}</selections></selection>"
    )


def _quoted(chance: Random) -> str:
    return quoteattr(chance.choice(WORDS)[:8000])


def _json_list(chance: Random) -> bytes:
    kept = ("characters", "core", "special", "rare", "x")
    units = {key: [_owb_unit(chance) for _ in range(chance.randrange(9))] for key in kept}
    return json.dumps({"army": chance.choice(WORDS), "points": 2000, **units}).encode()


def _owb_unit(chance: Random) -> dict[str, Any]:
    lists = ("options", "equipment", "armor", "mounts", "command", "items", "detachments")
    unit: dict[str, Any] = {"name_en": chance.choice(WORDS)}
    for key in ("points", "strength", "minimum"):
        unit[key] = _json_value(chance)
    for key in lists:
        choices = range(chance.choice((0, 1, 3)))
        unit[key] = [
            {
                "name_en": chance.choice(WORDS),
                "active": True,
                "points": _json_value(chance),
                "perModel": chance.choice((True, False, None)),
                "selected": [{"name_en": "Sword", "points": _json_value(chance)}],
            }
            for _ in choices
        ]
    return unit


def _json_value(chance: Random) -> Any:
    odd = (None, True, -1, 0, 1e300, 2**63, "7", "²", [], {}, [[]])
    never = (float("nan"), 10**400)
    values = (range(60), odd, never)[chance.choice((0,) * 400 + (1,) * 20 + (2,))]
    return chance.choice(values)


def _odd_json(chance: Random, value: Any) -> Any:
    if chance.randrange(200) == 0:
        return chance.choice((_json_value(chance), chance.choice(WORDS), "\ud800"))
    if isinstance(value, dict):
        return {key: _odd_json(chance, one) for key, one in value.items()}
    if isinstance(value, list):
        times = chance.choice((1, 1, 1, 1, 3))
        return [_odd_json(chance, one) for one in value * times]
    return value


# Texts


def text_file(chance: Random) -> bytes:
    """A list as somebody pastes it: lines of all shapes, mixed and damaged."""
    lines = [_line(chance) for _ in range(chance.choice((1, 5, 40, 400, 2000)))]
    if not chance.randrange(3):
        # One of our own: the text, or the table.
        size = chance.choice(("{n} / 150 pts · 3 models", "3 models")).format(
            n=chance.choice(NUMBERS)
        )
        head = f"The Empire · Warhammer Skirmish · {size}"
        table = ["# A list", "", head, "", "| Unit | Gear | Pts |", "|:--|:--|--:|"]
        lines[:0] = chance.choice((["A list", head, ""], table))
    data = chance.choice(("\n", "\r\n", "\r", "\u2028")).join(lines)
    whole = data.encode("utf-8", "surrogatepass")
    return whole if chance.randrange(WHOLE) else damaged(chance, whole)


def _line(chance: Random) -> str:
    shapes = (
        "{n} {name} - {p} pts", "{n}x {name} ({p} points)", "{name} x{n}", "- {name}, {name}",
        "++ {name} [{p}pts] ++", "+ {name} +", "• {n}x {name}: {n} with {name}", "Total {p}",
        ". {n}x {name}: {n}x {name}, {name} ({name})", "{name} “{name}” (leader) - {p} pts",
        "{name} ({name}, {p}/{p}): {n}x {name} [{name}], {name} *", "=== {name}", "{p}",
        "| {name} | {n} | {name} |", "Char{n}: {name}", "{name}", "({name}[{{,;:", "    {name}",
        "- {n} {name} ({p})", "{n}. {name} - {p}", "{name} {n}/{p} pts", "[{name}: {name}]", "{name}:",
        "    with {n}x {name}; {name}", "    carries {name}", "# {name}", "",
    )  # fmt: skip
    name = chance.choice(WORDS)[: chance.choice((20, 20, 300))]
    numbers = [chance.choice(NUMBERS)[:30] for _ in range(2)]
    return chance.choice(shapes).format(n=numbers[0], p=numbers[1], name=name)


# Catalogues


def catalogue_files(chance: Random) -> list[NamedBytes]:
    """Files of a game: some of the made ones with odd values, moved and repeated elements."""
    lists = chance.sample(CATALOGUES, chance.choice((1, 1, 2)))
    names = ["lantern-gangs.gst", "lantern-armoury.cat"]
    names += [f"lantern-{name}.cat" for name in lists]
    sent = [(name, _odd_catalogue(chance, name)) for name in names]
    if chance.randrange(3) == 0:
        place = chance.randrange(len(sent))
        name, data = sent[place]
        sent[place] = (name, packed(chance, data))
    return sent


def _odd_catalogue(chance: Random, name: str) -> bytes:
    root = ElementTree.parse(MADE / name).getroot()
    if chance.randrange(WHOLE):
        make_odd(chance, root)
    data = ElementTree.tostring(root)
    return damaged(chance, data) if chance.randrange(12) == 0 else data


def make_odd(chance: Random, root: ElementTree.Element) -> None:
    """Give elements odd values, change, repeat or nest some of them, and take some away."""
    every = list(root.iter())
    figures = [one for one in every if _tag(one) in FIGURES] or every
    values = [value for one in every for value in one.attrib.values()]
    for _ in range(chance.choice((1, 2, 5, 30))):
        element = chance.choice(chance.choice((every, figures)))
        change = chance.randrange(7)
        if change < 3 and element.attrib:
            pool = (NUMBERS, WORDS, values)[change]
            key = chance.choice(sorted(element.attrib))
            element.set(key, _printable(chance.choice(pool))[:8000])
        elif change == 3 and not len(element):
            element.text = _printable(chance.choice(NUMBERS))
        elif change == 4:
            _repeat(chance, chance.choice(every), element)
        elif change == 5:
            _add_change(chance, element, values)
        elif len(element):
            element.remove(chance.choice(list(element)))


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _add_change(
    chance: Random, element: ElementTree.Element, values: Sequence[str]
) -> None:
    space = element.tag.rpartition("}")[0]
    within = f"{space}}}" if space else ""
    kinds = (
        "set", "increment", "decrement", "multiply", "divide", "set-primary", "replace",
    )  # fmt: skip
    around = ElementTree.SubElement(element, f"{within}modifiers")
    change = ElementTree.SubElement(around, f"{within}modifier")
    for key in ("field", "value"):
        change.set(key, chance.choice((chance.choice(values), chance.choice(NUMBERS))))
    change.set("type", chance.choice(kinds))
    if chance.randrange(2):
        name = chance.choice(("condition", "repeat"))
        asked = ElementTree.SubElement(change, f"{within}{name}s")
        asked = ElementTree.SubElement(asked, f"{within}{name}")
        asked.set("type", chance.choice(("atLeast", "lessThan", "instanceOf", "equalTo")))
        for key in ("scope", "childId", "field", "value", "repeats"):
            asked.set(key, chance.choice((*values, "selections", "parent", "roster", "1")))


def _repeat(
    chance: Random, source: ElementTree.Element, target: ElementTree.Element
) -> None:
    """Add copies of a small element to another one, which may be within it."""
    size = sum(1 for _ in source.iter())
    if size <= SOURCE_MOST:
        copies = [deepcopy(source) for _ in range(chance.choice((1, 2, 50)))]
        target.extend(copies)


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign >= " " or sign in "\t\n")


# Damage


def damaged(chance: Random, data: bytes) -> bytes:
    """The file with a part cut, changed, repeated or put elsewhere."""
    whole = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 9))):
        start = chance.randrange(len(whole) + 1)
        end = min(len(whole), start + chance.choice((1, 4, 60, 900)))
        part = whole[start:end]
        if (change := chance.randrange(5)) == 0:
            del whole[start:]
        elif change == 1:
            whole[start:end] = chance.randbytes(chance.randrange(9))
        elif change == 2:
            whole[start:start] = part * chance.choice((1, 2, 99))
        elif change == 3:
            whole[start:end] = chance.choice(NUMBERS).encode()
        else:
            del whole[start:end]
    return bytes(whole)


def packed(chance: Random, data: bytes) -> bytes:
    """The file in a zip: whole, damaged, nested, said twice, or under a name that leads out."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            chance.choice(("a/list.ros", "list.catz", "b.cat", "../list.cat")), data
        )
        for number in range(chance.choice((0,) * 9 + (1, 70))):
            archive.writestr(f"{number}.cat", data[:2000])
    found = held.getvalue()
    change = chance.randrange(9)
    if change == 0:
        return damaged(chance, found)
    return packed(chance, found) if change == 1 else found


# Reading them


@frozen_dataclass
class FilesRead:
    """What came of generated files: how many of each, the slowest in seconds, memory in MiB.

    ``broken`` are those that were neither read nor refused in words, by number and fault.
    """

    read: int
    refused: int
    slowest: float
    slowest_number: int
    mib: float
    broken: Sequence[str]


def bring_list(data: bytes) -> None:
    """Read a list, put it beside an army and write the roster. Raises Refusal."""
    # Settings have to be there before these are imported.
    from accounts.owner import NOBODY
    from warbands.exchange.content import read_file
    from warbands.exchange.document import to_document
    from warbands.exchange.foreign.reader import tree_of_content
    from warbands.queries.foreign_lists import ListWishes, load_list_preview

    tree = tree_of_content(read_file("list", data))
    found = load_list_preview(NOBODY, tree, ListWishes(SYSTEM, EMPIRE))
    assert found.preview is not None
    json.dumps(to_document(found.preview.roster))


def bring_catalogue(files: list[NamedBytes]) -> None:
    """Read files of a game into a club's list without faults. Raises Refusal."""
    shelf = registry.find_printed_lists("whfb6", "")
    frame = build_frame(shelf.collection, shelf.common)
    answer = read_files(files, ReadingWishes(), frame)
    if answer.translation is None and answer.catalogues:
        answer = read_files(files, ReadingWishes(answer.catalogues[-1]), frame)
    if answer.translation is not None:
        document = list_document(answer.translation, ListHead("A list", shelf.collection))
        read_own_list(Document(json.loads(json.dumps(document))), shelf)
        return
    assert answer.refusal is not None
    message, field = answer.refusal
    raise Refusal(message, field=field)


def bring(kind: str, number: int) -> None:
    """Make and read one file. Raises Refusal."""
    chance = Random(f"{kind} {number}")
    if kind == "catalogue":
        bring_catalogue(catalogue_files(chance))
    else:
        bring_list(list_file(chance) if kind == "list" else text_file(chance))


def came_of(kind: str, number: int) -> str:
    """What came of a file: nothing where it was read, "refused", or what broke."""
    try:
        bring(kind, number)
    except Refusal as refusal:
        is_told = refusal.field and refusal.message.endswith(".")
        fits = len(refusal.message) < 1500
        return "refused" if is_told and fits else f"{number}: told {refusal.message[:200]}"
    except Exception as error:
        return f"{number}: {type(error).__name__}: {str(error)[:200]}"
    return ""


def read_all(kind: str, numbers: range) -> FilesRead:
    """Read so many files, and measure the slowest and what memory all of them needed."""
    came_of(kind, -1)  # the rule books are read once in a process
    before, came, times = peak_mib(), [], []
    for number in numbers:
        began = time.process_time()
        came.append(came_of(kind, number))
        times.append(time.process_time() - began)
    slowest = max(times)
    broken = tuple(one for one in came if one not in ("", "refused"))
    return FilesRead(
        read=came.count(""),
        refused=came.count("refused"),
        slowest=round(slowest, 3),
        slowest_number=numbers[times.index(slowest)],
        mib=round(peak_mib() - before, 1),
        broken=broken,
    )


def main(kind: str, count: str, first: str = "0") -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    found = read_all(kind, range(int(first), int(first) + int(count)))
    print(json.dumps({name: getattr(found, name) for name in found.__slots__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
