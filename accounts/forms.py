"""Fields and forms that every app builds on, and those of the account pages other than allauth's (see
`entrance.py`).
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.utils.html import escape

from accounts.errors import NoRoom, Refusal, ShareUsed, Stale
from accounts.models import NAME_MAX, User
from accounts.operations.people import rename_person
from engine.records import Fields, TextByKey
from engine.text import clean_line

NUMBER = {"inputmode": "numeric"}
UNFILLED = {"autocomplete": "off"}


CHOOSE = "choose one of the list."


class _Labelled(forms.Field):
    """A field whose label stands before what is wrong in it."""

    is_asked = False
    missing = "fill this in."

    def __init__(self, label: str, **options: Any) -> None:
        # The last two are filled in with figures, so that a label's own sign is doubled.
        name = label.replace("%", "%%")
        limit = "at most %(limit_value)s characters; this has %(show_value)s."
        messages = {
            "required": f"{label}: {self.missing}",
            "max_length": f"{name}: {limit}",
            "invalid_choice": f"{name}: {CHOOSE}",
            **options.pop("error_messages", {}),
        }
        options = {"required": self.is_asked, "error_messages": messages, **options}
        super().__init__(label=label, **options)


class TextField(_Labelled, forms.CharField):
    """One line of at most ``most`` characters."""

    def __init__(self, label: str, most: int, **options: Any) -> None:
        super().__init__(label, max_length=most, **options)


class UnfilledField(TextField):
    """A line that a browser does not fill in from what was typed elsewhere."""

    widget = forms.TextInput(UNFILLED)


class LongTextField(TextField):
    """Several lines, ``rows`` of which are shown."""

    def __init__(self, label: str, most: int, rows: int, **options: Any) -> None:
        super().__init__(label, most, widget=forms.Textarea({"rows": rows}), **options)


ECHO_BYTES = 1_000_000  # of a text that comes back with what is wrong in it
TOO_LONG = "Your text is too long to show again. Choose it as a file, or paste it again."


def show_again(text: str) -> str:
    """What was sent, to be shown again; nothing of what no page can hold."""
    return text if len(escape(text).encode()) <= ECHO_BYTES else ""


class DocumentInput(forms.Textarea):
    """Several lines for a whole document; a very long one is not shown again."""

    def format_value(self, value: Any) -> str:
        return show_again(super().format_value(value) or "")

    def get_context(self, name: str, value: Any, attrs: Any) -> Fields:
        is_left_out = bool(value) and not self.format_value(value)
        hint = {"placeholder": TOO_LONG} if is_left_out else {}
        return super().get_context(name, value, {**(attrs or {}), **hint})


class NumberField(_Labelled, forms.IntegerField):
    """A whole number from ``least`` to ``most``, which each message names; an empty one is None."""

    widget = forms.NumberInput(NUMBER)

    def __init__(self, label: str, most: int, least: int = 0, **options: Any) -> None:
        wrong = f"{label}: a whole number from {least:,} to {most:,}.".replace("%", "%%")
        kinds = ("required", "invalid", "min_value", "max_value")
        options = {"error_messages": dict.fromkeys(kinds, wrong), **options}
        super().__init__(label, **{"min_value": least, "max_value": most, **options})


class PickField(_Labelled, forms.ChoiceField):
    """One of a list."""

    missing = CHOOSE


class RadioField(PickField):
    """One of a few that are all shown; one of them has to be chosen."""

    widget = forms.RadioSelect
    is_asked = True


class TickField(_Labelled, forms.BooleanField):
    """Yes or no."""


class TicksField(_Labelled, forms.MultipleChoiceField):
    """Any of a list, each with a tick of its own."""

    widget = forms.CheckboxSelectMultiple


LOCAL = "%Y-%m-%dT%H:%M"


class MomentField(_Labelled, forms.DateTimeField):
    """A date and a time, by the clock on the wall."""

    widget = forms.DateTimeInput({"type": "datetime-local"}, format=LOCAL)
    # Browsers send seconds too where somebody typed them.
    input_formats = (LOCAL, f"{LOCAL}:%S")
    default_error_messages = {
        "invalid": "Enter a date and a time, such as 2026-11-18 19:00."
    }


PAGES_MAX = 100_000
T = TypeVar("T")


LIMIT_STATUSES = {ShareUsed: 429, NoRoom: 507}


class RefusalForm(forms.Form):
    """A form that can show what an operation refused, at the field it names.

    ``refused_fields`` gives the form's name of a field where the operation has another one.
    """

    refused_fields: TextByKey = {}
    stale_status = 409
    is_stale = False
    limit_status = 0

    def add_refusal(self, refusal: Refusal) -> None:
        """Show it at its field, or above all of them where the form has no such field."""
        self.is_stale = isinstance(refusal, Stale)
        self.limit_status = LIMIT_STATUSES.get(type(refusal), 0)
        name = self.refused_fields.get(refusal.field, refusal.field)
        self.add_error(name if name in self.fields else None, refusal.message)

    @property
    def refusal_words(self) -> str:
        """What is wrong, in its first sentence; only of a form that is not valid."""
        return str(next(iter(self.errors.values()))[0])

    @property
    def status(self) -> int:
        """The HTTP status of the page that shows it: 200 while nothing is wrong."""
        if self.is_stale:
            return self.stale_status
        return (self.limit_status or 422) if self.errors else 200


class ReasonField(forms.CharField):
    """Why something is done: one paragraph, however it was typed.

    ``required_text`` is told where it is empty; `ask_for` asks for it once the form knows more.
    """

    def __init__(self, required_text: str = "", rows: int = 2, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows})
        super().__init__(**{"label": "Reason", "widget": widget, **kwargs})
        if required_text:
            self.ask_for(required_text)

    def ask_for(self, text: str) -> None:
        """Make it required, with the sentence for an empty one."""
        self.required = True
        self.error_messages["required"] = text

    def clean(self, value: Any) -> str:
        return " ".join(super().clean(value).split())


class PageForm(forms.Form):
    """The page of a list."""

    page = forms.IntegerField(
        label="Page", required=False, min_value=1, max_value=PAGES_MAX
    )

    def load_page(self, load: Callable[..., T], *args: Any, **options: Any) -> T | None:
        """Return the page asked for, of the list that ``load`` reads; None where none can be."""
        if not self.is_valid():
            return None
        return load(*args, **options, page=self.cleaned_data["page"] or 1)


class NameForm(RefusalForm):
    """The name others see."""

    name = forms.CharField(
        label="Display name",
        required=False,
        max_length=NAME_MAX,
        help_text="Other people see this name beside your warbands. They never see your email address.",
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )

    def clean_name(self) -> str:
        try:
            return clean_line(
                self.cleaned_data["name"], field="Display name", limit=NAME_MAX
            )
        except Refusal as refusal:
            raise forms.ValidationError(refusal.message) from None


class NameAtSignUp(NameForm):
    """What signing up asks besides email address and password."""

    def signup(self, request: Any, user: User) -> None:
        """Called once the account is made."""
        rename_person(user.pk, self.cleaned_data["name"])


class EmailForm(RefusalForm):
    """A new email address, where the site cannot send mail to confirm it."""

    email = forms.EmailField(
        label="New email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class CloseAccountForm(RefusalForm):
    """Typing the own email address says that deleting is meant."""

    confirm = forms.EmailField(
        label="Type your email address to confirm",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def clean_confirm(self) -> str:
        typed: str = self.cleaned_data["confirm"]
        if typed.strip().lower() != self.email:
            raise forms.ValidationError(
                "This is not the email address of this account. Nothing was deleted."
            )
        return typed
