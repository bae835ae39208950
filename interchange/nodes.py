"""A tree of named nodes, made of XML or of the JSON that some tools write in its place.

What people send is read within limits: no DTD, no entities, nothing from elsewhere.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from engine.records import NamedValues, TextByKey
from interchange.files import refusal

ELEMENTS_MAX = 100_000
LEVELS_MAX = 64
ATTRIBUTE_MAX = 8192
ELEMENT_NAME_MAX = 120
TEXT_KEPT = 4096
_TEXT_KEY = "$text"
# What the dialects 2.00 and 2.01 call an attribute; their figures are attributes too.
_OLD_NAMES = {
    "costTypeId": "typeId",
    "profileTypeId": "typeId",
    "profileTypeName": "typeName",
    "characteristicTypeId": "typeId",
}


@dataclass(slots=True)
class Node:
    """An element: its name without namespace, its attributes, what it holds."""

    name: str
    attributes: TextByKey = field(default_factory=dict)
    children: list["Node"] = field(default_factory=list)
    text: str = ""

    def get(self, key: str, default: str = "") -> str:
        """Return an attribute without blanks around it."""
        return self.attributes.get(key, default).strip()

    def listed(self, wrapper: str, name: str) -> Iterator["Node"]:
        """Yield the nodes of this name within the wrappers of that name."""
        for child in self.children:
            if child.name == wrapper:
                yield from (node for node in child.children if node.name == name)

    def walk(self) -> Iterator["Node"]:
        """Yield this node and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


class _Counter:
    """Counts elements and levels while a tree is made."""

    def __init__(self) -> None:
        self.elements = 0

    def node(self, name: str, level: int) -> Node:
        """Return a new element; refuse one too many, one too deep, and a name that is too long."""
        self.elements += 1
        if self.elements > ELEMENTS_MAX:
            raise refusal(
                f"This file has more than {ELEMENTS_MAX:,} elements, which no list has."
            )
        if level > LEVELS_MAX:
            raise refusal(f"This file is nested deeper than {LEVELS_MAX} levels.")
        if len(name) > ELEMENT_NAME_MAX:
            raise refusal(
                f"A name of an element in this file has more than {ELEMENT_NAME_MAX} characters."
            )
        return Node(name)


class _TreeTarget:
    """What the XML parser tells each element to."""

    def __init__(self) -> None:
        self.counter = _Counter()
        self.open: list[Node] = []
        self.root: Node | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element below the one that is open."""
        node = self.counter.node(_local(tag), len(self.open) + 1)
        for key, value in attributes.items():
            name = _local(key)
            node.attributes[_OLD_NAMES.get(name, name)] = _checked_value(name, value)
        if node.name == "characteristic":
            node.text = node.get("value")
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, tag: str) -> None:
        """Close the element that is open."""
        self.open.pop()

    def data(self, text: str) -> None:
        """Keep the text of the element that is open."""
        # Longer texts are rules, which are not kept.
        if len(self.open[-1].text) < TEXT_KEPT:
            self.open[-1].text += text

    def close(self) -> Node:
        """Return the whole tree; the parser has refused a file without any element."""
        assert self.root is not None
        return self.root


def _local(name: str) -> str:
    """Return a name without the namespace in front of it."""
    return name.rpartition("}")[2]


def _checked_value(key: str, value: str) -> str:
    """Return the value of an attribute; refuse one that is longer than any name or note."""
    if len(value) > ATTRIBUTE_MAX:
        raise refusal(
            f"The attribute {key[:60]} has {len(value):,} characters; at most {ATTRIBUTE_MAX:,} "
            "are read."
        )
    return value


def parse_xml(text: str, name: str = "") -> Node:
    """Return the tree of an XML file.

    Raises Refusal with its name, line and column where it is malformed.
    """
    # The text was decoded before, so what its first line declares does not count.
    parser = DefusedXMLParser(target=_TreeTarget(), encoding="utf-8", forbid_dtd=True)
    try:
        parser.feed(text.encode("utf-8", "replace"))
        return parser.close()
    except DefusedXmlException:
        raise refusal(
            "This file declares a document type or entities (DTD), which no list needs. Remove the "
            "DOCTYPE lines, or save the list again."
        ) from None
    except ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise refusal(
            f"{name or 'This XML file'} is malformed in line {line:,}, column {column + 1:,}: "
            f"{reason}. Save the list again and send the new file."
        ) from None


# JSON in the place of XML: what a list's wrapper holds.
ONE_OF = {
    "categories": "category",
    "costLimits": "costLimit",
    "costs": "cost",
    "forces": "force",
    "profiles": "profile",
    "selections": "selection",
}


def from_json(name: str, data: NamedValues) -> Node:
    """Return the same tree of a JSON object; wrappers may be there or have fallen away."""
    return _object_node(_Counter(), name, data, 1)


def _object_node(counter: _Counter, name: str, data: NamedValues, level: int) -> Node:
    """Return the node of a JSON object: its lists are wrappers, what is plain an attribute.

    Other objects and lists within it are rules and texts, which are not read.
    """
    node = counter.node(name, level)
    for key, value in data.items():
        if key in ONE_OF:
            wrapper = counter.node(key, level + 1)
            node.children.append(wrapper)
            # A list stands there itself or in a wrapper's object.
            inner = value.get(ONE_OF[key]) if isinstance(value, dict) else value
            for item in inner if isinstance(inner, list) else [inner]:
                if isinstance(item, dict):
                    child = _object_node(counter, ONE_OF[key], item, level + 2)
                    wrapper.children.append(child)
        elif key == _TEXT_KEY:
            node.text = str(value)
        elif isinstance(value, str | int | float):
            # As XML would have it, without half of a character, which JSON may hold.
            text = value if isinstance(value, str) else json.dumps(value)
            plain = text.encode("utf-8", "replace").decode()
            node.attributes[key] = _checked_value(key, plain)
    return node
