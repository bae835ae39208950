"""The forms of a page of campaign rules: filled from a draft, read back, faults beside fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.form_fields import TickField
from accounts.forms import RefusalForm
from accounts.requests import parse_int
from engine.errors import Refusal
from engine.growth.faults import RulesFault
from engine.records import ChoiceList, Fields, NamedValues, Texts
from rulesdata.campaign_editor.parts import ROWS_SHOWN, EditorPage, RuleField, RulesPart
from rulesdata.campaign_editor.phrases import place_words, row_words
from rulesdata.campaign_editor.values import MISSING, SHAPES, value_at, with_value
from rulesdata.forms.campaign_fields import (
    Choices,
    as_sent,
    inputs_of,
    is_filled,
    texts_of,
    value_of,
)
from rulesdata.keys import key_from
from rulesdata.queries.campaign_rules import seen_of
from rulesdata.schema.campaigns import ROWS_MOST

SENT_ROWS_MAX = ROWS_SHOWN + ROWS_MOST
PLACE, GONE, COUNT = "place", "gone", "count"
LAST = 10**6
SEEN_MOST = 64
Change = tuple[Texts, Any]
"""A place of a document, and what is to stand there."""
Sent = MultiValueDict[str, str]


class PartForm(RefusalForm):
    """The fields of a mapping, or of one row of a list."""

    def __init__(
        self, data: Sent, *, part: RulesPart, prefix: str, choices: Choices
    ) -> None:
        """Build the inputs of a part of the rules; rows also have a position and a tick."""
        super().__init__(data, prefix=prefix)
        self.use_required_attribute = False
        self.part = part
        for one in part.fields:
            self.fields |= inputs_of(one, _choices_of(one, choices, data, prefix))
        if part.is_rows and not part.order_by:
            self.fields[PLACE] = forms.IntegerField(
                label="Position",
                required=False,
                min_value=0,
                max_value=LAST,
                widget=forms.NumberInput({"inputmode": "numeric"}),
            )
        if part.is_rows:
            self.fields[GONE] = TickField(f"Delete this {part.noun}")

    def values(self) -> list[tuple[RuleField, Any]]:
        """Return each field of a valid form with its value."""
        found = [(one, value_of(one, self.cleaned_data)) for one in self.part.fields]
        by_key = {one.key: value for one, value in found}
        return [
            (one, by_key[one.same_as] if one.same_as and value is MISSING else value)
            for one, value in found
        ]

    @property
    def is_row(self) -> bool:
        """Whether a valid row holds something, and is not to be deleted."""
        if self.cleaned_data.get(GONE):
            return False
        return any(is_filled(one, value) for one, value in self.values())

    def entry(self) -> Fields:
        """Return the row of a valid form."""
        entry: Fields = {}
        for one, value in self.values():
            if value is not MISSING:
                entry = with_value(entry, one.path, value)
        return entry

    @property
    def title(self) -> str:
        """What the row is called: its name, its id, or that it is new."""
        for key in ("name", "id", "currency", "of", "from"):
            if text := self.data.get(f"{self.prefix}-{key}"):
                return str(text)
        return (
            f"New {self.part.noun}" if not self.is_filled else self.part.noun.capitalize()
        )

    @property
    def is_filled(self) -> bool:
        """Whether the row stands in the document, or was sent with a place."""
        return bool(self.data.get(f"{self.prefix}-{PLACE}"))

    @property
    def has_place(self) -> bool:
        """Whether the order of the rows is asked for."""
        return PLACE in self.fields

    @property
    def place_field(self) -> forms.BoundField:
        """The input of the row's place."""
        return self[PLACE]

    @property
    def gone_field(self) -> forms.BoundField:
        """The input that deletes the row."""
        return self[GONE]

    @property
    def bound_fields(self) -> list[forms.BoundField]:
        """The inputs but for those of the row itself."""
        return [one for one in self if one.name not in (PLACE, GONE)]


def _choices_of(one: RuleField, choices: Choices, data: Sent, prefix: str) -> ChoiceList:
    """Return what may be chosen for a field; what is chosen already is among it."""
    if one.shape == "effect":
        return []
    named, chosen = one.names, data.getlist(f"{prefix}-{one.name}")
    known = list(choices.get(named, ())) if isinstance(named, str) else list(named)
    if one.shape == "pick":
        words = {"": "None" if isinstance(named, str) else "Choose", **dict(known)}
        return list(
            {
                **words,
                **{key: words.get(key, f"{key} (not here)") for key in chosen},
            }.items()
        )
    # What is ticked comes first, in the order in which the document has it.
    words = dict(known)
    first = [(key, words.get(key, f"{key} (not here)")) for key in chosen]
    return [*first, *(pair for pair in known if pair[0] not in chosen)]


@dataclass
class PartForms:
    """A part with its forms: one, or those of its rows from number ``start`` on."""

    part: RulesPart
    forms: list[PartForm]
    start: int = 0
    prefix: str = ""
    count: int = 0

    @property
    def aside(self) -> str:
        """What stands beside the heading of rows."""
        return "Empty rows are ignored" if self.part.is_rows else ""

    def changes(self, entries: Sequence[Any]) -> Iterator[Change]:
        """Yield what valid forms put into a document that holds these entries."""
        if not self.part.is_rows:
            for one, value in self.forms[0].values():
                yield (*self.part.path, *one.path), value
            return
        rows = sorted((form for form in self.forms if form.is_row), key=self._order)
        shown = [form.entry() for form in rows]
        after = entries[self.start + ROWS_SHOWN :]
        found = [*entries[: self.start], *shown, *after]
        yield self.part.path, with_ids(found) if self.part.has_ids else found or MISSING

    def _order(self, form: PartForm) -> int:
        """Return what a row is put in order by; those without a number come last."""
        if not self.part.order_by:
            place = form.cleaned_data.get(PLACE)
            return LAST if place is None else place
        number = form.entry().get(self.part.order_by)
        return number if isinstance(number, int) else LAST


def with_ids(entries: Sequence[Any]) -> Any:
    """Return entries, each without an id named by its name; MISSING where there are none."""
    taken = {one.get("id") for one in entries if isinstance(one, Mapping)}
    found = []
    for one in entries:
        if (
            isinstance(one, Mapping)
            and "id" not in one
            and isinstance(one.get("name"), str)
        ):
            key = free_id(one["name"], taken)
            taken.add(key)
            one = {"id": key, **one}
        found.append(one)
    return found or MISSING


def free_id(name: str, taken: Any) -> str:
    """Return an id made of a name that nothing else has yet."""
    stem = key_from(name)[:36].strip("-") or "entry"
    key, number = stem, 2
    while key in taken:
        key, number = f"{stem}-{number}", number + 1
    return key


@dataclass
class RulesPageForm:
    """All forms of a page of the editor.

    ``sent`` is None for a page that is only opened: then it is filled from the document.
    """

    page: EditorPage
    document: NamedValues
    choices: Choices
    sent: Sent | None = None
    window: int = 1
    parts: list[PartForms] = field(default_factory=list)
    general: list[str] = field(default_factory=list)
    windows: int = 1

    def __post_init__(self) -> None:
        """Make the forms of every part."""
        for number, part in enumerate(self.page.parts):
            self.parts.append(self._part(part, f"p{number}"))

    def _part(self, part: RulesPart, prefix: str) -> PartForms:
        """Return the forms of a part."""
        if not part.is_rows:
            data = self.sent
            if data is None:
                data = self._filled(part, value_at(self.document, part.path), prefix)
            form = PartForm(data, part=part, prefix=prefix, choices=self.choices)
            return PartForms(part, [form], prefix=prefix)
        entries = self._entries(part)
        self.windows = max(self.windows, -(-len(entries) // ROWS_SHOWN))
        # A browser sends at most 2,000 fields, and 200 goods have more.
        start = (self.window - 1) * ROWS_SHOWN
        rows = self._rows(part, entries[start : start + ROWS_SHOWN], prefix, start)
        return PartForms(part, rows, start, prefix, len(rows))

    def _entries(self, part: RulesPart) -> list[Any]:
        """Return the entries that the document holds for a part."""
        found = value_at(self.document, part.path)
        return list(found) if isinstance(found, list | tuple) else []

    def _rows(
        self, part: RulesPart, entries: Sequence[Any], prefix: str, start: int
    ) -> list[PartForm]:
        """Return a form for each row that was sent, or for each entry and some empty rows."""
        if self.sent is not None:
            name = f"{prefix}-{COUNT}"
            datas = [self.sent] * parse_int(self.sent.get(name), name, 0, SENT_ROWS_MAX)
        else:
            filled = [
                self._filled(part, entry, f"{prefix}-{number}", start + number + 1)
                for number, entry in enumerate(entries)
            ]
            datas = filled + [
                self._filled(part, {}, f"{prefix}-{len(filled) + number}")
                for number in range(part.added)
            ]
        return [
            PartForm(data, part=part, prefix=f"{prefix}-{number}", choices=self.choices)
            for number, data in enumerate(datas)
        ]

    def _filled(self, part: RulesPart, entry: Any, prefix: str, place: int = 0) -> Sent:
        """Return the inputs of a mapping as if they had been sent."""
        found: list[tuple[str, list[str]]] = []
        for one in part.fields:
            value = value_at(entry, one.path) if part.path or entry else MISSING
            if not part.path and not part.is_rows:
                value = value_at(self.document, one.path)
            found += texts_of(one, value).items()
        if place:
            found.append((PLACE, [str(place)]))
        return as_sent([(f"{prefix}-{name}", texts) for name, texts in found])

    # What is sent

    def is_valid(self) -> bool:
        """Return whether every input can be stored, right or wrong."""
        wrong = [form for form in self._forms() if not form.is_valid()]
        return not wrong

    def _forms(self) -> Iterator[PartForm]:
        """Yield every form of the page."""
        for part in self.parts:
            yield from part.forms

    def changes(self) -> list[Change]:
        """Return what the page puts into the document."""
        found: list[Change] = []
        for part in self.parts:
            found += part.changes(self._entries(part.part))
        return found

    @property
    def seen(self) -> str:
        """What tells whether somebody else has changed the page meanwhile."""
        if self.sent is not None:
            return self.sent.get("seen", "")[:SEEN_MOST]
        return seen_of(self.document, self.page.paths)

    # What is wrong

    def add_refusal(self, refusal: Refusal) -> None:
        """Show what was refused above the page."""
        self.general.append(refusal.message)

    @property
    def wrong(self) -> bool:
        """Whether anything is wrong on the page."""
        return bool(self.general or self.field_errors)

    @property
    def field_errors(self) -> list[tuple[str, str]]:
        """Each fault of a field with the id of its input, and those of rows without one.

        What people read says which row or part it is in.
        """
        found: list[tuple[str, str]] = []
        for where, form in self._titled_forms():
            errors = [("", error) for error in form.non_field_errors()]
            for bound in form:
                errors += [(bound.id_for_label, error) for error in bound.errors]
            found += [(id, f"{where}: {error}") for id, error in errors]
        return found

    def _titled_forms(self) -> Iterator[tuple[str, PartForm]]:
        """Yield every form of the page with what its part or row is called."""
        for forms_ in self.parts:
            for number, form in enumerate(forms_.forms, forms_.start + 1):
                part = forms_.part
                is_row = part.is_rows
                yield row_words(self.page, part, number) if is_row else part.title, form

    def show_faults(self, faults: Sequence[RulesFault]) -> int:
        """Put faults beside the fields they are about; return how many are of this page."""
        known = self._places()
        # What is too long for an input is told first, then what is wrong with the rules.
        self.is_valid()
        shown = 0
        for fault in faults:
            place = fault.path
            while place and place not in known:
                place = place[: max(place.rfind("."), place.rfind("["), 0)]
            if place:
                shown += 1
                self._show(fault, *known[place])
        return shown

    def _show(
        self, fault: RulesFault, form: PartForm | None, one: RuleField | None
    ) -> None:
        """Put one fault beside its field, or above the part or page it is about."""
        if form is None:
            where = place_words(fault.path, self.document)
            self.general.append(f"{where}: {fault.message}")
        elif one is None:
            form.add_error(None, fault.message)
        else:
            name = one.name if one.shape != "effect" else f"{one.name}-with"
            shape = SHAPES.get(one.shape)
            is_unread = fault.code.endswith("_type")
            readable = shape.hint if shape and shape.hint and is_unread else fault.message
            form.add_error(name, f"{one.label}: {readable}")

    def _places(self) -> dict[str, tuple[PartForm | None, RuleField | None]]:
        """Return the form and field of each place of the document that the page shows."""
        found: dict[str, tuple[PartForm | None, RuleField | None]] = {}
        for forms_ in self.parts:
            base = forms_.part.place
            if base:
                found.setdefault(base, (None, None))
            for number, form in enumerate(forms_.forms):
                stem = f"{base}[{forms_.start + number}]" if forms_.part.is_rows else base
                if forms_.part.is_rows:
                    found[stem] = form, None
                for one in forms_.part.fields:
                    found[f"{stem}.{one.key}" if stem else one.key] = form, one
        return found
