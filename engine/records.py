"""Frozen values made from other values and out of plain mappings, as files hold them."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, TypeGuard, TypeVar, dataclass_transform

# Frozen values made from other values that share their field names.

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
JsonObject = dict[str, Any]
"""An object of JSON: its values by key."""
Fields = dict[str, Any]
"""Values by name: fields of a form, columns of a row, what a template draws."""
NamedValues = Mapping[str, Any]
"""Values of any type by name, which whoever is given them only reads."""
TextByKey = dict[str, str]
"""A text for each key."""
NumberByKey = Mapping[str, int]
"""A whole number for each key, which whoever is given them only reads."""
Numbers = tuple[int, ...]
"""Whole numbers in an order that means something: scores, faces, cuts."""
TextPairs = tuple[tuple[str, str], ...]
"""Keys or figures, each with the words or the value that stand beside it."""
ChoiceList = list[tuple[str, str]]
"""What may be chosen in a form: keys, each with the words that stand for it."""
Texts = tuple[str, ...]
"""Keys, names or sentences of a record, in the order of their source."""


def copy_fields(record_class: type[T], source: object, /, **others: Any) -> T:
    """Return a record whose fields are the attributes of ``source``, but for those in ``others``.

    A field that ``source`` lacks takes its default; raises TypeError where it has none.
    """
    kind: Any = record_class
    shared = {
        name: getattr(source, name)
        for name in _field_names(kind)
        if name not in others and hasattr(source, name)
    }
    return record_class(**shared, **others)


def named_values(source: object, *names: str) -> dict[str, Any]:
    """Return these attributes of ``source`` by name, in this order."""
    return {name: getattr(source, name) for name in names}


def grouped(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Return the values of each key; keys and values stay in their order."""
    groups: dict[K, list[T]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def quantity(number: int, noun: str, plural: str = "") -> str:
    """Return "1 game" or "3 games"; a plural is named where it has no "s"."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def is_int_within(value: object, least: float, most: float) -> TypeGuard[int]:
    """Return whether it is a whole number from ``least`` to ``most``."""
    # To Python true and false are whole numbers, to JSON and to people they are not.
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


@cache
def _field_names(record_class: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record_class) if field.init)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(record_class: type[T]) -> type[T]:
    """Make a dataclass whose values cannot change and take no fields beyond those declared."""
    return dataclass(frozen=True, slots=True)(record_class)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_dataclass(record_class: type[T]) -> type[T]:
    """Make the same whose values are given by name alone.

    So a class that inherits from it may add values without a default.
    """
    return dataclass(frozen=True, slots=True, kw_only=True)(record_class)


# Frozen values out of plain mappings, as files hold them: each figure checked, each fault
# told with its place.

Reader = Callable[[Any, str], Any]


def figure(read: Reader, *, default: Any = MISSING, ruling: Reader | None = None) -> Any:
    """A field of a section: how it is read, and what it is when left out.

    ``ruling`` reads a ruling of its name that may change it.
    """
    field_of: Any = field  # its signature leaves no room for a default that may be missing
    return field_of(default=default, metadata={"read": read, "ruling": ruling})


def ruling(read: Reader, *, default: Any = MISSING) -> Any:
    """A field that a ruling of its name may change to anything that the field may be."""
    return figure(read, default=default, ruling=read)


def section(cls: type[T], data: object, where: str) -> T:
    """A frozen section out of a mapping.

    Raises ValueError naming the place and what is wrong there.
    """
    content = mapping(data, where)
    known_fields = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(set(content) - set(known_fields))
    if unknown:
        raise ValueError(
            f"{where}: {unknown[0]} is not known here; there may be {', '.join(known_fields)}"
        )
    values = {}
    for name, f in known_fields.items():
        if name in content:
            values[name] = f.metadata["read"](content[name], f"{where}.{name}")
        elif f.default is MISSING:
            raise ValueError(f"{where}: {name} is missing")
    try:
        # The check of a section does not know its place, so the place is put in front.
        return cls(**values)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def mapping(data: object, where: str) -> JsonObject:
    """A mapping with its keys as texts. Raises ValueError for anything else."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: give a mapping")
    return {str(key): value for key, value in data.items()}


def read_int(low: int, high: int) -> Reader:
    """A whole number within a range."""

    def read(value: Any, where: str) -> int:
        if not is_int_within(value, low, high):
            raise ValueError(f"{where}: give a whole number from {low} to {high}")
        return value

    return read


def flag(value: Any, where: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise ValueError(f"{where}: give true or false")
    return value


def one_of(*choices: str) -> Reader:
    """One of a few words."""

    def read(value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"{where}: give one of {', '.join(choices)}")
        return value

    return read


def word(value: Any, where: str) -> str:
    """Any word."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where}: give a word")
    return value


def optional(read: Reader) -> Reader:
    """None (or the word none), or what the other reader reads."""
    return lambda value, where: (
        None if value is None or value == "none" else read(value, where)
    )


def listed(read: Reader, count: int | None = None) -> Reader:
    """Several values in order, as a tuple; exactly ``count`` of them where given."""

    def read_all(value: Any, where: str) -> tuple[Any, ...]:
        """Return the items read; raise ValueError for no list or a wrong length."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f"{where}: give a list")
        if count is not None and len(value) != count:
            raise ValueError(f"{where}: {len(value)} figures, {count} are needed")
        return tuple(
            read(item, f"{where} {place}") for place, item in enumerate(value, start=1)
        )

    return read_all


def numbered(read: Reader, count: int) -> Reader:
    """Read rows numbered 1 to ``count``, as a tuple; a heading such as 1–3 stands for several."""

    def read_rows(value: Any, where: str) -> tuple[Any, ...]:
        """Return rows 1 to ``count``; ValueError where one is missing or stands twice."""
        rows: dict[int, Any] = {}
        for heading, row in mapping(value, where).items():
            for number in _numbers(heading, where):
                if number in rows:
                    raise ValueError(f"{where}: {number} stands twice")
                rows[number] = read(row, f"{where} {heading}")
        missing = sorted(set(range(1, count + 1)) - rows.keys())
        if missing or len(rows) != count:
            raise ValueError(
                f"{where}: give each number from 1 to {count} once; "
                f"{missing or sorted(rows)} does not fit"
            )
        return tuple(rows[n] for n in range(1, count + 1))

    return read_rows


def _numbers(heading: str, where: str) -> range:
    """Return the numbers of a heading such as "3" or "1–3"; ValueError for others."""
    first, _, last = heading.replace("-", "–").partition("–")
    if not (
        first.isascii()
        and first.isdigit()
        and (not last or (last.isascii() and last.isdigit()))
    ):
        raise ValueError(f"{where}: '{heading}' is not a number")
    return range(int(first), int(last or first) + 1)


def by_name(read: Reader) -> Reader:
    """Values by name, as a dictionary."""
    return lambda value, where: {
        name: read(item, f"{where}.{name}") for name, item in mapping(value, where).items()
    }


def made(cls: type[T]) -> Reader:
    """A section within a section."""
    return lambda value, where: section(cls, value, where)


def by_face(rows: Reader, sides: int) -> Reader:
    """A table rolled on, given as records with ``first`` and ``last``, as one value for each face
    of the die.
    """

    def read_table(value: Any, where: str) -> tuple[Any, ...]:
        """Return one value for each face; raise ValueError for gaps and overlaps."""
        faces: dict[int, Any] = {}
        for place, record in enumerate(listed(mapping)(value, where), start=1):
            spot = f"{where} {place}"
            first = read_int(1, sides)(record.pop("first", None), f"{spot}.first")
            last = read_int(first, sides)(record.pop("last", None), f"{spot}.last")
            row = rows(record, spot)
            for face in range(first, last + 1):
                if face in faces:
                    raise ValueError(f"{spot}: two rows for a roll of {face}")
                faces[face] = row
        if len(faces) != sides:
            raise ValueError(
                f"{where}: no row for a roll of {min(set(range(1, sides + 1)) - set(faces))}"
            )
        return tuple(faces[face] for face in range(1, sides + 1))

    return read_table
