"""Form fields with their label, help and error wired for readers."""

from collections.abc import Iterable
from typing import Any

from django.forms import BaseForm, BoundField, CheckboxInput
from django.template import Context, Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.ui.buttons import (
    TagContext,
    attributes,
    csrf_field,
    dom_id,
    draw,
    form_opening,
    hidden_fields,
    icon_tag,
    one_of,
    optional,
)
from config.ui.figures import signed
from engine.records import NamedValues

register = Library()


@register.simple_block_tag(takes_context=True)
def versioned_form(
    context: Context,
    content: str,
    *,
    version: object = "",
    key: str = "",
    action: str = "",
    css: str = "",
    novalidate: bool = False,
    **attrs: Any,
) -> SafeString:
    """A form that brings the version its page was drawn from, the page's request key, or both.

    Without an action it is sent to its own page. With any htmx attribute, its request follows.
    """
    sent = {"version": version, "key": key}
    fields = {name: value for name, value in sent.items() if value != ""}
    if not fields:
        raise ValueError(
            "a versioned form needs a version or a key; is its variable misspelt?"
        )
    if any(name.startswith("hx_") for name in attrs):
        attrs.setdefault("hx_post", action)
    plain = optional(method="post", action=action, class_=css, novalidate=novalidate)
    hidden = csrf_field(context) + hidden_fields(fields)
    return format_html("<form{}{}>{}{}</form>", plain, attributes(attrs), hidden, content)


def _described_by(identity: str, help_text: object, error: object) -> str:
    """Return the ids of the help and the error below a field, as aria-describedby takes them."""
    parts = (("help", help_text), ("error", error))
    return " ".join(f"{identity}_{part}" for part, text in parts if text)


@register.inclusion_tag("ui/field.html")
def field(
    *,
    field: BoundField,
    label: str = "",
    help: str = "",
    hide_label: bool = False,
    asked: bool = False,
) -> TagContext:
    """A field of a Django form. Radio buttons and groups of boxes become cards in a fieldset.

    ``asked``: the form asks for it all the same, so it is not called optional.
    """
    help_text = help or field.help_text
    identity = field.auto_id or dom_id("f", field.html_name)
    described = _described_by(identity, help_text, field.errors)
    widget_attrs: TagContext = {"aria-describedby": described} if described else {}
    grouped = bool(field.use_fieldset)
    return {
        "field": field,
        "id": identity,
        "label": label or field.label,
        "help": help_text,
        "hide_label": hide_label,
        "described": described,
        "is_group": grouped,
        "is_tick": isinstance(field.field.widget, CheckboxInput),
        "widget": "" if grouped else field.as_widget(attrs=widget_attrs),
        "options": field.subwidgets if grouped else (),
        "is_optional": not (field.field.required or asked),
    }


@register.inclusion_tag("ui/form_errors.html")
def form_errors(*, form: BaseForm) -> TagContext:
    """What is wrong with a form, above it, each line a link to its field."""
    visible = [
        (
            bound.id_for_label or bound.auto_id,
            bound.label,
            [str(error).removeprefix(f"{bound.label}: ") for error in bound.errors],
        )
        for bound in form.visible_fields()
        if bound.errors
    ]
    hidden = [(bound.label, bound.errors) for bound in form.hidden_fields() if bound.errors]
    return {"general": form.non_field_errors(), "fields": visible, "hidden": hidden}


@register.inclusion_tag("ui/input_field.html")
def input_field(
    *,
    name: str,
    label: str,
    value: object = "",
    type: str = "text",
    id: str = "",
    help: str = "",
    error: str = "",
    placeholder: str = "",
    required: bool = False,
    autocomplete: str = "",
    **attrs: Any,
) -> TagContext:
    """A field that belongs to no Django form, such as a search."""
    identity = id or dom_id("f", name)
    return {
        "name": name,
        "label": label,
        "value": "" if value is None else value,
        "type": type,
        "id": identity,
        "help": help,
        "error": error,
        "placeholder": placeholder,
        "required": required,
        "autocomplete": autocomplete,
        "described": _described_by(identity, help, error),
        "attrs": attributes(attrs),
    }


# Controls to choose with: steppers, option lines, cards, segments, tabs.


@register.simple_tag(takes_context=True)
def stepper(
    context: Context,
    *,
    action: str,
    label: str,
    value: int,
    minimum: int = 0,
    maximum: int | None = None,
    name: str = "count",
    fields: NamedValues | None = None,
    method: str = "post",
    **attrs: Any,
) -> SafeString:
    """Minus, figure, plus: a form whose two buttons send the next value as ``name``.

    At an end the button locks.
    """
    opening, hidden = form_opening(context, action, method, fields, attrs)

    def step_button(step: int, word: str, picture: str, *, stops: bool) -> SafeString:
        return format_html(
            '<button type="submit" name="{}" value="{}" aria-label="{}"{}>{}</button>',
            name,
            value + step,
            f"One {label} {word}" if method == "post" else f"{label} {word}",
            optional(disabled=stops),
            icon_tag(name=picture),
        )

    down, up = ("fewer", "more") if method == "post" else ("down", "up")
    less = step_button(-1, down, "minus", stops=value <= minimum)
    more = step_button(1, up, "plus", stops=maximum is not None and value >= maximum)
    figure = format_html('<output aria-label="{}">{}</output>', f"{label}: {value}", value)
    return format_html(
        '<form class="step"{}>{}{}{}{}</form>', opening, hidden, less, figure, more
    )


@register.inclusion_tag("ui/opt.html")
def opt(
    *,
    name: str,
    value: object,
    label: str,
    price: int | None,
    total: int | None = None,
    kind: str = "radio",
    checked: bool = False,
    why: str = "",
    over: int = 0,
    included: bool = False,
    priced: bool = True,
    detail: str = "",
    **attrs: Any,
) -> TagContext:
    """An option line: its price, and the warband's ``total`` with it or by how much it is over.

    ``detail`` are a few words behind the label. An option that is not ``priced`` (where points are
    not counted) shows neither figure.
    """
    shown_price = "" if price is None or not priced else signed(price)
    return {
        "id": dom_id("opt", name, value),
        "name": name,
        "value": value,
        "label": label,
        "detail": detail,
        "price": "included" if included else shown_price,
        "total": total if priced else None,
        "kind": one_of(("radio", "checkbox"), kind, "kind"),
        "checked": checked,
        "why": why,
        "over": over,
        "attrs": attributes(attrs),
    }


@register.simple_block_tag
def opt_out(
    content: str, *, label: str, why: str, price: int | None = None, detail: str = ""
) -> SafeString:
    """An unavailable option with its reason; the content is the button that makes room for it."""
    price_text = "" if price is None else signed(price)
    return draw(
        "opt_out", label=label, why=why, price=price_text, detail=detail, content=content
    )


@register.inclusion_tag("ui/seg.html")
def seg(
    *,
    legend: str,
    name: str,
    choices: Iterable[tuple[Any, str]],
    value: Any = "",
    hide_legend: bool = True,
    **attrs: Any,
) -> TagContext:
    """A row of radio buttons as one control; ``choices`` are pairs of value and label."""
    options = [(key, label, str(key) == str(value)) for key, label in choices]
    return {
        "legend": legend,
        "name": name,
        "options": options,
        "hide_legend": hide_legend,
        "attrs": attributes(attrs),
    }


@register.inclusion_tag("ui/tabs.html")
def tabs(*, label: str, items: Iterable[NamedValues]) -> TagContext:
    """Links to the parts of one thing: mappings of label, url and current."""
    return {"label": label, "items": items}
