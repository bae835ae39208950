"""What the component tags share: attributes escaped, names checked, templates rendered."""

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import re2
from django.template import Context
from django.template.loader import get_template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.records import NamedValues

Pairs = NamedValues | Iterable[tuple[str, Any]]
TagContext = dict[str, Any]
"""What the template of a tag is drawn with, by name."""

SPRITE = Path(__file__).resolve().parents[2] / "static" / "icons" / "sprite.svg"
HTMX = frozenset(
    {
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "target",
        "swap",
        "swap_oob",
        "select",
        "select_oob",
        "trigger",
        "include",
        "confirm",
        "vals",
        "push_url",
        "indicator",
        "sync",
        "disabled_elt",
    }
)
EMPTY = SafeString("")


@cache
def icon_names() -> frozenset[str]:
    """The names of all icons of the sprite."""
    return frozenset(
        re2.findall(r'<symbol id="([^"]+)"', SPRITE.read_text(encoding="utf-8"))
    )


def one_of(choices: Collection[str], value: str, what: str) -> str:
    if value not in choices:
        raise ValueError(f"{what} {value!r} is not one of: {', '.join(sorted(choices))}")
    return value


def attributes(values: NamedValues) -> SafeString:
    """Write htmx, data and aria attributes; raises TypeError for any other name."""
    parts = []
    for name, value in values.items():
        prefix, _, rest = name.partition("_")
        is_known = rest in HTMX if prefix == "hx" else prefix in ("data", "aria") and rest
        if not is_known:
            raise TypeError(f"unexpected argument {name!r}")
        if value is None or value is False or value == "":
            continue
        parts.append((name.replace("_", "-"), "true" if value is True else value))
    return format_html_join("", ' {}="{}"', parts)


def optional(**attributes: object) -> SafeString:
    """Write plain attributes, leaving out the empty ones; True writes the bare name."""
    parts = []
    for name, value in attributes.items():
        name = name.rstrip("_")
        if value is True:
            parts.append(format_html(" {}", name))
        elif value is not None and value is not False and value != "":
            parts.append(format_html(' {}="{}"', name, value))
    return mark_safe("".join(parts))


def draw(template: str, **context: Any) -> SafeString:
    return SafeString(get_template(f"ui/{template}.html").render(context))


def figure(value: Any) -> Any:
    return "–" if value is None or value == "" else value


def dom_id(*parts: object) -> str:
    return re2.sub(r"[^a-z0-9]+", "-", "-".join(map(str, parts)).lower()).strip("-")


def hidden_fields(fields: NamedValues | None) -> SafeString:
    return format_html_join(
        "", '<input type="hidden" name="{}" value="{}">', (fields or {}).items()
    )


def csrf_field(context: Context) -> SafeString:
    """The hidden field that proves a form to be the site's own; nothing without a request."""
    proof = context.get("csrf_token")
    if not proof or proof == "NOTPROVIDED":
        return EMPTY
    return hidden_fields({"csrfmiddlewaretoken": proof})


def form_opening(
    context: Context,
    action: str,
    method: str,
    fields: NamedValues | None,
    attrs: dict[str, Any],
) -> tuple[SafeString, SafeString]:
    """The attributes of a small form and its hidden fields.

    With any htmx attribute, its request follows the action.
    """
    one_of(("get", "post"), method, "method")
    if any(name.startswith("hx_") for name in attrs):
        attrs.setdefault(f"hx_{method}", action)
    hidden = hidden_fields(fields)
    if method == "post":
        hidden = csrf_field(context) + hidden
    return format_html(
        ' method="{}" action="{}"{}', method, action, attributes(attrs)
    ), hidden
