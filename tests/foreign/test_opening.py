"""Files of other tools, opened: what is refused, with the sentence that names the limit."""

import io
import json
import struct
import zipfile

import pytest

from engine.errors import Refusal
from interchange.files import FILE_MAX, MEMBERS_MAX, UNPACKED_MAX, open_file
from interchange.nodes import ELEMENTS_MAX, LEVELS_MAX, from_json, parse_xml
from tests.foreign.lantern_gangs import made
from warbands.exchange.foreign.reader import read_list, read_text


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def refused(data: bytes, name: str = "list.ros") -> str:
    """The sentence a file is refused with; it always names the field."""
    with pytest.raises(Refusal) as error:
        read_list(name, data)
    assert error.value.field == "file"
    return error.value.message


ROS = made("gang.ros")


def test_content_decides_and_not_the_name() -> None:
    forms = {name: read_list(name, ROS).form for name in ("a.ros", "a.json", "", "a.png")}
    assert set(forms.values()) == {"battlescribe"}
    assert open_file("x", zipped(("folder/gang.ros", ROS))).name == "gang.ros"
    assert read_list("x", zipped(("gang.ros", ROS))) == read_list("x", ROS)


def test_utf16_and_the_mark_of_utf8_are_read() -> None:
    text = ROS.decode().replace('encoding="UTF-8"', 'encoding="UTF-16"')
    assert read_list("x", text.encode("utf-16")) == read_list("x", ROS)
    assert read_list("x", b"\xef\xbb\xbf" + ROS) == read_list("x", ROS)


DTD = '<?xml version="1.0"?><!DOCTYPE roster [{}]><roster>&a;</roster>'
LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY a{n} "{"&a" + str(n - 1) + ";" if n else ""}">' for n in range(9)
)


@pytest.mark.parametrize("xml", [
    DTD.format(""),
    DTD.format('<!ENTITY a "b">'),
    DTD.format(LAUGHS),
    DTD.format('<!ENTITY a SYSTEM "file:///etc/passwd">'),
    '<!DOCTYPE roster SYSTEM "http://example.org/x.dtd"><roster/>',
    '<!DOCTYPE r [<!ENTITY % a SYSTEM "http://example.org/x"> %a;]><r/>',
])  # fmt: skip
def test_document_types_and_entities_are_refused(xml: str) -> None:
    assert "document type or entities" in refused(xml.encode())


def test_malformed_xml_names_line_and_column() -> None:
    sentence = refused(b"<roster>\n <forces>\n  <force//>\n")
    assert "list.ros is malformed in line 3, column 10" in sentence
    assert "inner.ros is malformed" in refused(zipped(("a/inner.ros", b"<roster")))
    assert "This XML file is malformed" in refused(b"<roster", name="")
    assert "line 1" in refused(b"<roster")
    assert "undefined entity" in refused(b"<roster>&nbsp;</roster>")


def test_levels_elements_and_values_have_limits() -> None:
    deep = "<a>" * LEVELS_MAX + "</a>" * LEVELS_MAX
    assert parse_xml(deep).name == "a"
    assert f"deeper than {LEVELS_MAX} levels" in refused(f"<a>{deep}</a>".encode())
    assert "more than 100,000 elements" in refused(
        b"<a>" + b"<b/>" * ELEMENTS_MAX + b"</a>"
    )
    assert "The attribute x has 8,193" in refused(f'<a x="{"y" * 8193}"/>'.encode())
    assert "more than 120 characters" in refused(f"<{'a' * 121}/>".encode())


def test_zip_bombs_and_sizes_that_lie() -> None:
    nothing = zipped(("a.ros", b"0" * (UNPACKED_MAX + 1)))
    assert "100 times its size" in refused(nothing)
    noise = bytes(range(256)) * (UNPACKED_MAX // 256 + 1)
    stored = zipped(("a.ros", noise), method=zipfile.ZIP_STORED)
    assert "larger than 4 MB" in refused(stored)
    # The directory says 10 bytes where there are many more.
    short = bytearray(zipped(("a.ros", ROS)))
    place = short.rindex(b"PK\x01\x02")
    short[place + 24 : place + 28] = struct.pack("<I", 10)
    assert "damaged" in refused(bytes(short))


def test_zips_within_zips_many_files_and_odd_names() -> None:
    assert "another zip file" in refused(zipped(("a.ros", zipped(("b.ros", ROS)))))
    assert "holds 2 files" in refused(zipped(("a.ros", ROS), ("b.ros", ROS)))
    assert "holds 0 files" in refused(zipped())
    many = [(f"{number}.ros", b"x") for number in range(MEMBERS_MAX + 1)]
    assert "holds 61 files; at most 60" in refused(zipped(*many))
    for name in ("/etc/list.ros", "../list.ros", "C:\\list.ros"):
        assert "leads out of its folder" in refused(zipped((name, ROS)))
    assert "packed in a way" in refused(zipped(("a.ros", ROS), method=zipfile.ZIP_LZMA))
    assert "damaged" in refused(zipped(("a.ros", ROS))[:-30])


def test_password_is_refused() -> None:
    locked = bytearray(zipped(("a.ros", ROS)))
    for sign in (b"PK\x03\x04", b"PK\x01\x02"):
        place = locked.index(sign) + (6 if sign == b"PK\x03\x04" else 8)
        locked[place] |= 1
    assert "password" in refused(bytes(locked))


def test_sizes_and_signs_of_the_file_itself() -> None:
    assert f"{FILE_MAX:,} bytes" in refused(b" " * (FILE_MAX + 1))
    assert "byte 3 fits neither" in refused(b"ab\xff")
    assert refused(b"ab\xff").startswith("list.ros is not text in UTF-8")
    assert "NUL at character 2" in refused(b"a\0b")
    assert "empty" in refused(b" \n")
    with pytest.raises(Refusal, match="larger than 4 MB"):
        read_text("x" * (FILE_MAX + 1))
    with pytest.raises(Refusal, match="Paste a list"):
        read_text(" ")


def test_other_files_are_told_apart() -> None:
    assert "is a catalogue of a game" in refused(b'<catalogue name="The Wardens"/>')
    assert "<html>" in refused(b"<html></html>")
    assert "2.00 to 2.03" in refused(b'<roster battleScribeVersion="1.15b"/>')
    assert "This JSON is no list" in refused(b'{"a": 1}')
    assert "not JSON" in refused(b'{"roster": ')
    assert "deeper than 64" in refused(b"[" * 70 + b"]" * 70)
    assert "occurs twice" in refused(b'{"roster": {"a": 1, "a": 2}}')
    assert "holds 0 lists" in refused(b"[1]")
    assert "has no units" in refused(b'<roster battleScribeVersion="2.03"/>')


def test_wrappers_of_json_may_be_there_or_not() -> None:
    bare = {"costs": [{"value": 1}], "selections": [{"name": "a", "collective": True}]}
    wrapped = {
        "costs": {"cost": [{"value": 1}]},
        "selections": {"selection": bare["selections"]},
    }
    assert from_json("roster", bare) == from_json("roster", wrapped)
    assert from_json("x", {"selections": [1, "a", None]}).children[0].children == []


def selection(**values: object) -> bytes:
    one = {"name": "Ganger", "type": "model", "number": 1, **values}
    return json.dumps({"roster": {"forces": [{"selections": [one]}]}}).encode()


def test_numbers_of_models_have_a_limit() -> None:
    assert read_list("x", selection(number=200)).units[0].count == 200
    assert "from 1 to 200, not 201" in refused(selection(number=201))
    assert "from 1 to 200, not 0" in refused(selection(number=0))
    for number in ("1e5", "-3", "9" * 12, "²"):
        assert "must be a whole number" in refused(selection(number=number))


def test_units_and_options_have_limits() -> None:
    many = [{"name": "Ganger", "type": "model"}] * 201
    data = {"roster": {"forces": [{"selections": many}]}}
    assert "more than 200 units" in refused(json.dumps(data).encode())
    options = [{"name": f"Option {number}"} for number in range(101)]
    assert "101 options; at most 100" in refused(selection(selections=options))
    assert "2,001 lines; at most 2,000" in refused(b"4 Spearmen\n" * 2000)


def test_names_are_cleaned_and_cut() -> None:
    name = "a" * 300 + "\u202e"
    units = read_list("x", selection(name=name, customName="O\u0007tto\u202e  B")).units
    assert units[0].name == "a" * 200
    assert units[0].custom == "Otto  B"
