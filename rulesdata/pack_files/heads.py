"""The names in an army's file, read without building the whole list.

To find the army of somebody's list, the names of every army are compared; reading all lists for
that takes a quarter of a second.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from engine.records import TextByKey, frozen_dataclass
from rulesdata.pack_files.yaml_files import ReadingError
from rulesdata.schema.equipment import MOUNT

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNIT = ("units", "")
_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


@frozen_dataclass
class ArmyHead:
    """An army's name, and by key the names of its units and of their models, without mounts."""

    name: str
    units: Mapping[str, tuple[str, str]]


def read_head(path: Path) -> ArmyHead:
    """Return the names in an army's file; raises ReadingError where it is missing or no YAML."""
    name, unit = "", dict[str, str]()
    found: list[TextByKey] = []
    for place, value in _checked_texts(path):
        if place == ("name",):
            name = value
        elif place == (*_UNIT, "id"):
            unit = {"id": value}
            found.append(unit)
        elif place[:-1] == _UNIT:
            unit[place[-1]] = value
    return ArmyHead(
        name, dict(_named(one) for one in found if one.get("category") != MOUNT)
    )


def _named(unit: TextByKey) -> tuple[str, tuple[str, str]]:
    """Return a unit's key and its names."""
    return unit["id"], (unit["name"], unit.get("model_name", ""))


def _checked_texts(path: Path) -> list[tuple[tuple[str, ...], str]]:
    """Return all plain values of a file; raises ReadingError."""
    try:
        return list(_texts(path.read_bytes()))
    except (OSError, yaml.YAMLError) as error:
        raise ReadingError(path.name, f"cannot be read: {error}") from None


def _texts(raw: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each plain value with its place: keys of mappings, "" for each list on the way."""
    # The key that is open in each mapping; "" in a list, None where a key comes next.
    place: list[str | None] = []
    for event in yaml.parse(raw, Loader=_LOADER):
        if isinstance(event, _OPENING):
            place.append(None if isinstance(event, yaml.MappingStartEvent) else "")
        elif isinstance(event, _CLOSING):
            place.pop()
            _end_value(place)
        elif isinstance(event, yaml.ScalarEvent) and place[-1] is None:
            place[-1] = event.value
        elif isinstance(event, yaml.ScalarEvent):
            yield tuple(str(step) for step in place), event.value
            _end_value(place)


def _end_value(place: list[str | None]) -> None:
    """Say that the value of the open key is over, so that the next text is a key again."""
    if place and place[-1] != "":
        place[-1] = None
