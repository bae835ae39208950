"""Components with content and the parts of a page: findings, sections, dialogs, menus, messages."""

from collections.abc import Hashable
from urllib.parse import quote

from django.core.paginator import Page
from django.http import QueryDict
from django.template import Context, Library
from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from config.ui.buttons import (
    EMPTY,
    TagContext,
    dom_id,
    draw,
    icon_names,
    icon_tag,
    one_of,
    optional,
)
from warbands.views.presenters import render_line

register = Library()

LEVEL_WORDS = {
    "error": "Error.",
    "warning": "Warning.",
    "note": "Note.",
    "waived": "Waived.",
    "acknowledged": "Acknowledged.",
    "good": "",
}


@register.simple_tag
def draw_line(template: str, line: Hashable, form: str = "") -> SafeString:
    """Draw a template from ``line`` alone, or take what was drawn of an equal one before.

    ``form`` is the id of the form that its buttons send.
    """
    return render_line(template, line, form)


@register.simple_block_tag
def finding(
    content: str, *, level: str, message: str, title: str = "", source: str = ""
) -> SafeString:
    """A finding: its level as shape and word, its sentence and source; the content holds its fixes.

    The title stands before the sentence, unless that begins with it, and gets the full stop it
    lacks.
    """
    one_of(LEVEL_WORDS, level, "level")
    if title and message.startswith(title.rstrip(".")):
        title = ""
    return draw(
        "finding",
        level=level,
        word=LEVEL_WORDS[level],
        title=f"{title}." if title and title[-1] not in ".:?!" else title,
        message=message,
        source=source,
        content=content,
    )


@register.simple_tag(takes_context=True)
def return_query(context: Context) -> str:
    """Return the query that leads from sign-in back to this page, "" where there is no way back."""
    request = context.get("request")
    if request is None or request.method != "GET":
        return ""
    if context.get("status", 200) not in (200, 403, 404):
        return ""
    # An address that is none: nothing to come back to, and it may hold a secret.
    is_none = request.resolver_match is None
    if is_none or request.path == "/" or request.path.startswith("/accounts/"):
        return ""
    return f"?next={quote(request.get_full_path(), safe='')}"


@register.simple_block_tag
def section(
    content: str,
    *,
    title: str,
    id: str = "",
    aside: str = "",
    aside_url: str = "",
    level: int = 2,
    css: str = "",
) -> SafeString:
    """A part of a page under a double rule; ``aside`` stands at the end of the heading's line."""
    one_of(("2", "3"), str(level), "level")
    return draw(
        "section",
        title=title,
        id=id or dom_id("s", title),
        aside=aside,
        aside_url=aside_url,
        level=level,
        css=css,
        content=content,
    )


@register.simple_block_tag
def empty_state(content: str, *, text: str) -> SafeString:
    """Empty ruled lines with a sentence; the content is what one can do about it."""
    return draw("empty_state", text=text, content=content)


@register.simple_block_tag
def breadcrumb(content: str) -> SafeString:
    """The way back up: the content is links, the highest first."""
    return draw("breadcrumb", content=content)


@register.simple_block_tag
def page_head(content: str, *, title: str, lead: str = "") -> SafeString:
    """The head of a page: the content is its breadcrumb, then the heading and a sentence."""
    if not title:
        raise ValueError("a page needs a title; is its variable misspelt?")
    sentence = format_html('<p class="mute">{}</p>', lead) if lead else EMPTY
    return format_html(
        '<header class="head"><div>{}<h1>{}</h1>{}</div></header>', content, title, sentence
    )


@register.simple_tag(takes_context=True)
def nav_link(
    context: Context, *, label: str, name: str, icon: str = "", item: bool = False
) -> SafeString:
    """A link to a page by URL name, marked as current there and below; "" for an unknown name."""
    try:
        url = reverse(name)
    except NoReverseMatch:
        return EMPTY
    path = getattr(context.get("request"), "path", "")
    is_below = url != "/" and path.startswith(url)
    current = optional(**{"aria-current": "page" if path == url else is_below and "true"})
    face = (icon_tag(name=icon) if icon else EMPTY) + conditional_escape(label)
    link = format_html('<a href="{}"{}>{}</a>', url, current, face)
    return format_html("<li>{}</li>", link) if item else link


@register.simple_block_tag
def menu(
    content: str, *, label: str, icon: str = "", hide_label: bool = False
) -> SafeString:
    """A list of links and post buttons behind a summary; the content is ``<li>`` elements."""
    if icon:
        one_of(icon_names(), icon, "icon")
    return draw("menu", label=label, icon=icon, hide_label=hide_label, content=content)


@register.inclusion_tag("ui/toast.html")
def toast(*, message: object, level: str = "plain") -> TagContext:
    """A short message; Django's message levels are understood too."""
    return {
        "message": message,
        "level": level if level in ("warning", "error") else "plain",
    }


@register.inclusion_tag("ui/pagination.html", takes_context=True)
def pagination(context: Context, *, page: Page, label: str = "Pages") -> TagContext:
    """Earlier and later pages of a list; keeps the rest of the address's query."""

    request = context.get("request")
    query = request.GET.copy() if request else QueryDict(mutable=True)

    def link(number: int) -> str:
        query["page"] = str(number)
        return f"?{query.urlencode()}"

    return {
        "page": page,
        "label": label,
        "previous": link(page.number - 1) if page.has_previous() else "",
        "next": link(page.number + 1) if page.has_next() else "",
    }


# The first that a browser's name for itself holds counts: most of them also claim to be the ones
# below.
BROWSERS = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "CrOS": "Chromebook",
    "Linux": "Linux",
}


@register.filter
def browser_name(user_agent: str) -> str:
    """Return "Firefox on Windows" for a User-Agent header, its beginning if nothing is known."""
    browser = next((name for sign, name in BROWSERS.items() if sign in user_agent), "")
    system = next((name for sign, name in SYSTEMS.items() if sign in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or user_agent[:60] or "Unknown"
