"""Every page there is to open, and what is in its HTML."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tests.guards.cast import World
from tests.guards.routes import Route, routes

# Addresses that only differ by what they are asked, each drawing something of its own.
ASKED = {
    "search": ["?q=captain", "?q=qxz", "?q=" + "x" * 200],
    "unit-compare": ["?a=warhammer-skirmish/the-empire/captain&b=warhammer-skirmish/the-empire/halberdiers", "?q=cap"],
    "chart-list": ["?chart=to-wound&row=3&column=4"],
    "army-detail": ["?q=hal"],
    "scenario-list": ["?show=own", "?show=archived"],
    "scenario-create": ["?from=border-skirmish"],
    "warband-list": ["?archived=1", "?page=99999999"],
    "warband-public": ["?search=Band", "?points_from=200&points_to=100", "?points_from=x"],
    "starter-list": ["?army=the-empire"],
    "warband-read": ["?pane=army"],
}
# Addresses that lead nowhere, each to another of the error pages.
WRONG = ["/nothing/", "/warbands/nothing/", "/rules/nothing/", "/rules/search/?q=%00", "/api/v1/nothing/"]


@dataclass(frozen=True, slots=True)
class Page:
    """Somebody's address to open."""

    name: str
    url: str


def is_admin(route: Route) -> bool:
    return route.template.startswith("admin/")


def pages_of(world: World, visibility: str = "public") -> list[Page]:
    """Every address of the site's own pages, for the objects of one visibility, with what each may be asked."""
    found = []
    for route in routes():
        if is_admin(route):
            continue
        is_scenario = route.name.startswith("scenario") and "token" in route.arguments
        values = world.scenario_arguments(visibility if visibility != "unclaimed" else "public")
        if not is_scenario:
            values = world.arguments(visibility)
            if route.name == "account_link":
                values["token"] = world.link
            if route.name == "api-system-read":
                values["key"] = values["system"]
        if route.name == "warrior-read":
            others = [route.url({**values, "warrior_id": pk}) for pk in world.warrior_ids(visibility)]
            found += [Page(route.name, url) for url in others]
            continue
        url = route.url(values)
        found += [Page(route.name, url + asked) for asked in ("", *ASKED.get(route.name, ()))]
    return found


def admin_pages(world: World) -> list[Page]:
    """The administration: each list, each form, each object that exists."""
    ids = {"object_id": str(world.warbands["private"].pk), "content_type_id": "1"}
    return [Page(route.name, route.url({**world.arguments(), **ids})) for route in routes() if is_admin(route)]


def wrong_pages() -> list[Page]:
    return [Page("wrong", url) for url in WRONG]


def is_html(answer: object) -> bool:
    return str(answer["Content-Type"]).startswith("text/html")  # type: ignore[index]


# What is in a page


@dataclass
class Shape(HTMLParser):
    """How many of which elements and attributes a document has; whatever is text is left out."""

    elements: Counter[str] = field(default_factory=Counter)
    attributes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    comments: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        given = {name: value or "" for name, value in attrs}
        self.attributes.update((tag, name) for name in given)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.faults.append(f"an inline <{tag}>")
        for name, value in given.items():
            is_code = name in _ADDRESSES and _CODE.match(_UNSEEN.sub("", value))
            if name == "style" or name.startswith(("on", "hx-on")) or is_code:
                self.faults.append(f"<{tag} {name}={value[:40]!r}>")

    def handle_comment(self, data: str) -> None:
        self.comments += 1


_ADDRESSES = {"href", "src", "action", "formaction", "data", "poster", "srcdoc", "xlink:href", "hx-get", "hx-post"}
_CODE = re.compile(r"(javascript|vbscript|data:(?!image/)|file:)", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20]")


def shape_of(html: str) -> Shape:
    """The elements of a page, with what the content security policy would have to refuse."""
    shape = Shape()
    shape.feed(html)
    shape.close()
    return shape
