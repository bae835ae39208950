"""Bodies, answers and their fields: strict about types, with the sentences that programs know.

A limit of a field (``max_length``, ``min_value``, ``choices``) stands in the OpenAPI document; it
is an operation that refuses what is beyond it, for pages show the same sentence. A text far beyond
its limit is refused here, before an operation takes a lock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import UTC, date, datetime
from functools import cached_property, partial
from typing import Any, NoReturn

from django.utils.dateparse import parse_datetime
from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers
from rest_framework.fields import empty

from engine.records import JsonObject

TEXT_MAX = 10_000  # what no text of a body needs; each has its own, lower limit
FAR_BEYOND = 5  # times a text's own limit
ITEMS_MOST = 1000  # what no list of texts and no object needs


def path_of(field: serializers.Field[Any, Any, Any, Any]) -> str:
    """Return where the field stands in the body that is read: ``sides[1].quick.name``."""
    above: Any = field.parent
    if above is None:
        return ""
    if isinstance(above, ListOf):
        return f"{path_of(above)}[{above.index}]"
    return f"{path_of(above)}.{field.field_name}".removeprefix(".")


TOO_MANY = f"{{name}} has more than {ITEMS_MOST:,} items, or one that is too long."


def is_too_much(items: Sequence[Any], child: Any) -> bool:
    """Return whether these are more items, or longer texts, than any part of a body needs."""
    most = far_beyond(child)
    texts = (item for item in items if isinstance(item, str))
    return len(items) > ITEMS_MOST or any(len(text) > most for text in texts)


def far_beyond(field: Any) -> int:
    """Return how long a text of this field may be before it is refused at sight."""
    return min(TEXT_MAX, FAR_BEYOND * (getattr(field, "max_length", None) or TEXT_MAX))


class DeclaredField(serializers.Field[Any, Any, Any, Any]):
    """What all our fields share: sentences that name the place, limits that are only declared."""

    default_error_messages = {"null": "{name} must not be null: leave it out."}

    def __init__(self, help_text: str | None = None, **options: Any) -> None:
        """``help_text`` is what the OpenAPI document says of it."""
        super().__init__(help_text=help_text, **options)

    def fail(self, key: str, **values: Any) -> NoReturn:
        """Raise the ValidationError of this sentence."""
        super().fail(key, **{"name": path_of(self), **values})

    def run_validators(self, value: Any) -> None:
        """Leave the limits to the operation."""

    def to_representation(self, value: Any) -> Any:
        """Return the value of a record as it is; "" is nothing where nothing is null."""
        return None if self.allow_null and value == "" else value


class ScalarField(DeclaredField):
    """Reads a value of one type of JSON, ``kind``, which ``kinds`` names in sentences."""

    kind: type
    kinds: str

    def to_internal_value(self, data: Any) -> Any:
        if not has_json_type(self.kind, data):
            self.fail("invalid")
        return data


class TextReading(ScalarField):
    """Reads a text. Null is the empty text, unless the key ``refuses_null``."""

    kind = str
    kinds = "texts"
    default_error_messages = {
        "invalid": "{name} must be a text.",
        "too_long": "{name} must have at most {limit:,} characters, not {length:,}.",
    }

    def __init__(
        self, help_text: str | None = None, *, refuses_null: bool = False, **options: Any
    ) -> None:
        super().__init__(help_text, **options)
        self.refuses_null = refuses_null

    def run_validation(self, data: Any = empty) -> Any:
        """Return the text; the stock CharField would trim it and refuse an empty one first."""
        if data is None and not self.refuses_null:
            return ""
        return serializers.Field.run_validation(self, data)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        if len(text) > far_beyond(self):
            limit = getattr(self, "max_length", None) or TEXT_MAX
            self.fail("too_long", limit=limit, length=len(text))
        return text


class Text(TextReading, serializers.CharField):
    """A text."""


class OneOf(TextReading, serializers.ChoiceField):
    """A text that is one of a few."""


class Whole(ScalarField, serializers.IntegerField):
    """A whole number."""

    kind = int
    kinds = "whole numbers"
    default_error_messages = {"invalid": "{name} must be a whole number, or null."}


class Flag(ScalarField, serializers.BooleanField):
    """True or false."""

    kind = bool
    kinds = "true and false"
    default_error_messages = dict.fromkeys(
        ("invalid", "null"), "{name} must be true or false."
    )


class Moment(DeclaredField, serializers.DateTimeField):
    """A moment with its offset from UTC."""

    default_error_messages = {
        "invalid": (
            "{name} must be a moment with its offset, such as 2026-05-01T19:30:00+01:00, or null."
        )
    }

    def to_internal_value(self, value: Any) -> datetime:
        # The longest moment that ISO 8601 writes is shorter than 40 characters.
        is_short = isinstance(value, str) and len(value) <= 40
        try:
            moment = parse_datetime(value) if is_short else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            self.fail("invalid")
        try:
            # PostgreSQL takes no offset of 16 hours and more.
            return moment.astimezone(UTC)
        except OverflowError:
            self.fail("invalid")


class Day(DeclaredField, serializers.DateField):
    """A day of the calendar."""

    default_error_messages = {
        "invalid": "{name} must be a day such as 2025-05-01.",
        "no_text": "{name} must be a text.",
    }

    def to_internal_value(self, value: Any) -> date:
        if not isinstance(value, str):
            self.fail("no_text")
        try:
            # ISO 8601 knows shorter ways to write a day, which are none of ours.
            day = date.fromisoformat(value) if len(value) == len("2025-05-01") else None
        except ValueError:
            day = None
        if day is None:
            self.fail("invalid")
        return day


class Texts(DeclaredField, serializers.ListField):
    """A list of texts; whatever is wrong in it, one sentence tells of the whole list."""

    child = Text()
    default_error_messages = {
        "invalid": "{name} must be a list of texts.",
        "null": "{name} must be a list of texts.",
        "too_many": TOO_MANY,
    }

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
            self.fail("invalid")
        if is_too_much(data, self.child):
            self.fail("too_many")
        return tuple(data)


class ObjectOf(DeclaredField, serializers.DictField):
    """An object whose values are all of a kind, that of ``child``, under keys of the caller's.

    One that is not ``is_strict`` leaves its values to the operation and is left out, never null.
    """

    default_error_messages = {
        "invalid": "{name} must be an object of {words}.",
        "too_many": TOO_MANY,
    }

    def __init__(
        self, help_text: str | None = None, *, is_strict: bool = True, **options: Any
    ) -> None:
        super().__init__(help_text, **options)
        self.is_strict = is_strict

    def run_validation(self, data: Any = empty) -> Any:
        """Return the object; null is none."""
        is_null = data is None and self.is_strict
        return self.to_internal_value(None) if is_null else super().run_validation(data)

    def to_internal_value(self, data: Any) -> Any:
        child: Any = self.child
        is_of_kind = isinstance(data, dict) and (
            not self.is_strict
            or all(has_json_type(child.kind, value) for value in data.values())
        )
        if not is_of_kind:
            self.fail("invalid", words=child.kinds)
        if is_too_much([*data, *data.values()], child):
            self.fail("too_many")
        return data

    def to_representation(self, value: Any) -> Any:
        return asdict(value) if is_dataclass(value) else dict(value)  # type: ignore[arg-type]


class Anything(DeclaredField, serializers.JSONField):
    """Any value of JSON."""

    def to_internal_value(self, data: Any) -> Any:
        return data


class AnyObject(DeclaredField, serializers.DictField):
    """Any object of JSON."""

    def to_internal_value(self, data: Any) -> Any:
        return data


class WholeDocument(AnyObject):
    """A whole document, an object of JSON whose keys are read elsewhere."""

    default_error_messages = dict.fromkeys(
        ("invalid", "null"), "{name} must be an object of JSON."
    )

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data


class ListOf(DeclaredField, serializers.ListField):
    """A list whose items are read one after the other, up to the first that is wrong."""

    index = 0

    def run_child_validation(self, data: Any) -> list[Any]:
        items = []
        for self.index, item in enumerate(data):
            try:
                items.append(self.child.run_validation(item))
            except serializers.ValidationError as error:
                fault: Any = {self.index: error.detail}
                raise serializers.ValidationError(fault) from None
        return items


def is_whole(value: Any) -> bool:
    """Return whether this is a whole number; true and false are none."""
    return has_json_type(int, value)


def has_json_type(kind: type, value: Any) -> bool:
    """Return whether a value of JSON is of this type, in which a truth value is no number."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


class Body(serializers.Serializer[Any]):
    """The keys of a request's body.

    An unknown key and one that is missing are refused together, then values of another type.
    """

    def to_internal_value(self, data: Any) -> JsonObject:
        hint = f"is not a key here; the keys are {', '.join(self.fields)}."
        wrong = {str(key): [hint] for key in data if key not in self.fields}
        if not self.root.partial:
            for name, field in self.fields.items():
                if field.required and name not in data:
                    wrong[name] = [f"{name} is missing."]
        if wrong:
            raise serializers.ValidationError(wrong)
        return super().to_internal_value(data)

    def to_representation(self, instance: Any) -> Any:
        """Return a document that is answered as it is."""
        return instance

    @classmethod
    def read(cls, data: Any, *, is_partial: bool = False, **context: Any) -> JsonObject:
        """Return what a request says by key; raises ValidationError (400) with each fault."""
        sent = dict(data) if isinstance(data, Mapping) else {}
        body = cls(data=sent, partial=is_partial, context=context)
        body.is_valid(raise_exception=True)
        return body.validated_data


class Answer(serializers.Serializer[Any]):
    """The keys of an answer, read from a record by name (or ``source``).

    Nothing is worked out: values go as they are, and `get_<key>` gives what no attribute holds.
    """

    @classmethod
    def show(cls, record: Any) -> JsonObject:
        """Return the answer about this record."""
        return cls().to_representation(record)

    @cached_property
    def columns(self) -> tuple[tuple[str, str, Any, Any], ...]:
        """Each key with its source, or what finds its value, and what shows it if not as it is."""
        columns = []
        for name, field in self.fields.items():
            source = str(field.source)
            read = getattr(self, f"get_{name}", None)
            if read is None and "." in source:
                read = partial(_read_path, source.split("."))
            is_plain = type(field).to_representation is DeclaredField.to_representation
            show = None if is_plain and not field.allow_null else field.to_representation
            columns.append((name, source, read, show))
        return tuple(columns)

    def to_representation(self, record: Any) -> JsonObject:
        # This loop is most of the time of a list: nothing is called for a plain value.
        find = record.__getitem__ if isinstance(record, dict) else partial(getattr, record)
        answer = {}
        for name, source, read, show in self.columns:
            value = find(source) if read is None else read(record)
            answer[name] = value if show is None or value is None else show(value)
        return answer


class Joined:
    """A record with others beside what it holds itself, for one answer."""

    def __init__(self, record: Any, **beside: Any) -> None:
        self.__dict__.update(beside)
        self._record = record

    def __getattr__(self, name: str) -> Any:
        return getattr(self._record, name)


def _read_path(names: Sequence[str], record: Any) -> Any:
    """Return what stands at a path in a record or a mapping; None ends the path."""
    for name in names:
        if record is None:
            return None
        record = record[name] if isinstance(record, dict) else getattr(record, name)
    return record


class ClosedBody(OpenApiSerializerExtension):
    """Tells the OpenAPI document that a body takes no key but its own."""

    target_class = Body
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> JsonObject:
        shape = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**shape, "additionalProperties": False}
