"""Icons, buttons, badges.

Pages use them by the hundred, so they are put together here and not in a template.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from django.template import Context, Library
from django.templatetags.static import static
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from config.ui.html import EMPTY, attributes, form_opening, icon_names, one_of, optional

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
    fields: Mapping[str, Any] | None = None,
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
