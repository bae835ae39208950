"""Controls to choose with: steppers, option lines, cards, segments, tabs."""

from collections.abc import Iterable
from typing import Any

from django.template import Context, Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.ui.buttons import icon_tag
from config.ui.figures import signed
from config.ui.html import (
    TagContext,
    attributes,
    dom_id,
    draw,
    form_opening,
    one_of,
    optional,
)
from engine.records import NamedValues

register = Library()


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
