"""Icons, buttons, badges.

Pages use them by the hundred, so they are put together here and not in a template.
"""

from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import re2
from django.template import Context, Library
from django.template.loader import get_template
from django.templatetags.static import static
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.records import Fields, NamedValues

Pairs = NamedValues | Iterable[tuple[str, Any]]
TagContext = Fields
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
    context: Context, action: str, method: str, fields: NamedValues | None, attrs: Fields
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


register = Library()

VARIANTS = {
    "primary": "btn pri",
    "secondary": "btn",
    "quiet": "btn quiet",
    "icon": "btn icon",
    "danger": "btn danger",
    "add": "btn icon add",
}
LEVEL_ICONS = {
    "error": "octagon-alert",
    "warning": "triangle-alert",
    "note": "info",
    "good": "check",
    "waived": "shield",
    "acknowledged": "check",
    "plain": "",
}
SUBMIT_KINDS = ("submit", "button", "reset")


@register.simple_tag(name="icon")
def icon_tag(*, name: str, label: str = "", css: str = "") -> SafeString:
    """An icon of the sprite. With a label it speaks, without one it is hidden from readers.

    An unknown name raises.
    """
    return _icon(_sprite(), name, label, css)


@cache
def _sprite() -> str:
    """The address of the sprite.

    It cannot change while the process runs, and a page asks for it a hundred times.
    """
    return static("icons/sprite.svg")


# Typed, so that a text marked safe never stands in for the same text that is not.
@lru_cache(maxsize=1000, typed=True)
def _icon(sprite: str, name: str, label: str, css: str) -> SafeString:
    one_of(icon_names(), name, "icon")
    says = (
        format_html('role="img" aria-label="{}"', label)
        if label
        else mark_safe('aria-hidden="true"')
    )
    return format_html(
        '<svg class="i{}" {}><use href="{}#{}"/></svg>',
        f" {css}" if css else "",
        says,
        sprite,
        name,
    )


def _face(
    label: str, icon: str, variant: str, *, fold: bool
) -> tuple[SafeString, SafeString]:
    """What stands on a button, and the aria-label it needs where the label is not drawn."""
    picture = icon_tag(name=icon) if icon else EMPTY
    if variant in ("icon", "add"):
        return picture, optional(**{"aria-label": label, "title": label})
    if fold and icon:
        return picture + format_html('<span class="fold-label">{}</span>', label), EMPTY
    return picture + conditional_escape(label), EMPTY


@register.simple_tag
def button(
    *,
    label: str,
    variant: str = "secondary",
    href: str = "",
    icon: str = "",
    name: str = "",
    value: object = "",
    kind: str = "submit",
    fold: bool = False,
    **attrs: Any,
) -> SafeString:
    """A button, or with ``href`` a link that looks like one.

    ``fold`` hides the label where there is little room.
    """
    css = VARIANTS[one_of(VARIANTS, variant, "variant")]
    one_of(SUBMIT_KINDS, kind, "kind")
    face, says = _face(label, icon, variant, fold=fold)
    extra = says + attributes(attrs)
    if href:
        return format_html('<a class="{}" href="{}"{}>{}</a>', css, href, extra, face)
    sends = optional(name=name, value=str(value))
    return format_html(
        '<button class="{}" type="{}"{}{}>{}</button>', css, kind, sends, extra, face
    )


@register.simple_tag(takes_context=True)
def post_button(
    context: Context,
    *,
    action: str,
    label: str,
    variant: str = "secondary",
    icon: str = "",
    name: str = "",
    value: object = "",
    fields: NamedValues | None = None,
    **attrs: Any,
) -> SafeString:
    """A form of one button that posts the hidden ``fields`` to ``action``, with htmx attributes."""
    opening, hidden = form_opening(context, action, "post", fields, attrs)
    face = button(label=label, variant=variant, icon=icon, name=name, value=value)
    return format_html('<form class="inline"{}>{}{}</form>', opening, hidden, face)


@register.simple_tag
def copy_button(
    *,
    label: str = "Copy as text",
    url: str = "",
    target: str = "",
    text: str = "",
    variant: str = "secondary",
    icon: str = "copy",
) -> SafeString:
    """Copy the text at ``url`` (a plain link without script), of the element ``target``, or ``text``."""
    if sum(map(bool, (url, target, text))) != 1:
        raise ValueError("copy_button takes exactly one of url, target and text")
    if url:
        return button(label=label, variant=variant, icon=icon, href=url, data_copy_url=url)
    data = {"data_copy_target": target} if target else {"data_copy_text": text}
    css = VARIANTS[one_of(VARIANTS, variant, "variant")]
    face, says = _face(label, icon, variant, fold=False)
    return format_html(
        '<button class="{} js-only" type="button"{}{}>{}</button>',
        css,
        says,
        attributes(data),
        face,
    )


@register.simple_tag
def badge(
    *, level: str = "plain", label: str = "", count: int | None = None, icon: str = ""
) -> SafeString:
    """A word with its shape: a level, ``good``, ``waived`` or ``plain``.

    ``count`` words it: "2 errors".
    """
    one_of(LEVEL_ICONS, level, "level")
    if count is not None:
        label = f"{count} {label or level}{'' if count == 1 else 's'}"
    elif not label:
        label = level.capitalize()
    shape = icon or LEVEL_ICONS[level]
    picture = icon_tag(name=shape) if shape else EMPTY
    return format_html('<span class="tag is-{}">{}{}</span>', level, picture, label)
