"""Every page there is to open, and what is in its HTML."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tests.guards.cast import World
from tests.guards.routes import Route, routes

# Addresses that only differ by what they are asked, each drawing something of its own. What stands
# in braces is the
# object's the page is asked for, as in an address.
ASKED = {
    "search": ["?q=captain", "?q=qxz", "?q=" + "x" * 200],
    "unit-compare": [
        "?a=warhammer-skirmish/the-empire/captain&b=warhammer-skirmish/the-empire/halberdiers",
        "?q=cap",
    ],
    "chart-list": ["?chart=to-wound&row=3&column=4"],
    "army-detail": ["?q=hal"],
    "scenario-list": ["?show=own", "?show=archived"],
    "own-profile-new": ["?from=captain"],
    "scenario-create": ["?from=border-skirmish"],
    "warband-list": ["?archived=1", "?page=99999999"],
    "warband-public": ["?search=Band", "?points_from=200&points_to=100", "?points_from=x"],
    "starter-list": ["?army=the-empire", "?system=english-civil-war"],
    "warband-read": ["?pane=army"],
    "warband-new": [
        "?system=mordheim-draft",
        "?system=mordheim-draft&army=the-empire",
        "?system=mordheim-rulings&army=the-empire",
    ],
    "odds-read": [
        "?a=w:{token}:{warrior_id}",
        "?a=p:english-civil-war:parliament:musketeers&charging=x",
    ],
    "odds-choose": [
        "?band=w:{token}", "?link={token}", "?army=the-empire", "?side=b&book=d10-skirmish",
    ],
    "match-up-read": ["?a=w:{token}", "?b_link={token}", "?book=english-civil-war"],
    "club-list": ["?search=Quay", "?page=x"],
    "club-read": ["?findings=error", "?points_from=x"],
    "event-list": ["?show=clubs", "?show=archived", "?page=99999999"],
    "event-new": [
        "?kind=league",
        "?kind=one_day",
        "?kind=night&system=english-civil-war",
        "?kind=campaign&system=mordheim-rulings.A",
    ],
    "test-read": ["?book=d10-skirmish", "?call=leadership_test&set=1&leadership=11"],
}  # fmt: skip
# Addresses that lead nowhere, each to another of the error pages.
WRONG = [
    "/nothing/", "/warbands/nothing/", "/rules/nothing/", "/rules/search/?q=%00",
    "/api/v1/nothing/",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """Somebody's address to open."""

    name: str
    url: str


def is_admin(route: Route) -> bool:
    return route.template.startswith("admin/")


def pages_of(world: World, visibility: str = "public") -> list[Page]:  # noqa: C901  (one case for each kind of page)
    """Every address of the site's own pages, for the objects of one visibility, with what each may
    be asked.
    """
    found = []
    for route in routes():
        if is_admin(route):
            continue
        is_scenario = route.name.startswith("scenario") and "token" in route.arguments
        values = world.scenario_arguments(
            visibility if visibility != "unclaimed" else "public"
        )
        if not is_scenario:
            values = world.arguments(visibility)
            if route.name.startswith("battle-") and "token" in route.arguments:
                values = world.battle_arguments(
                    visibility if visibility in world.battles else "public"
                )
            if route.template.startswith(
                ("leagues/{token}", "api/v1/events/{token}", "api/v1/fixtures/")
            ):
                of = visibility if visibility in world.events else "public"
                values = world.event_arguments(of)
                if "number" in route.arguments:
                    found.append(
                        Page(route.name, route.url(world.event_arguments(of, number=2)))
                    )
            if route.name.startswith(
                ("content-", "own-", "levels-", "api-own-", "rules-", "campaign-own")
            ):
                values = world.content_arguments(route.name)
            if "gear" in route.name:
                found.append(
                    Page(
                        route.name, route.url(world.content_arguments(route.name, "armour"))
                    )
                )
            if route.name.startswith(("job-", "api-job")):
                values["token"] = world.job
            if route.name == "account_link":
                values["token"] = world.link
            if route.name == "api-system-read":
                values["key"] = values["system"]
        if route.name == "warrior-read":
            others = [
                route.url({**values, "warrior_id": pk})
                for pk in world.warrior_ids(visibility)
            ]
            found += [Page(route.name, url) for url in others]
            continue
        url = route.url(values)
        found += [Page(route.name, url), *asked_of(route, values)]
    return found


def asked_of(route: Route, values: Mapping[str, object]) -> list[Page]:
    return [
        Page(route.name, route.url(values) + asked.format(**values))
        for asked in ASKED.get(route.name, ())
    ]


def asked_for_a_warband(values: Mapping[str, object]) -> list[Page]:
    asking = [
        route
        for route in routes()
        if any("{token}" in asked for asked in ASKED.get(route.name, ()))
    ]
    return [
        page
        for route in asking
        for page in asked_of(route, values)
        if str(values["token"]) in page.url
    ]


def admin_pages(world: World) -> list[Page]:
    """The administration: each list, each form, each object that exists."""
    ids = {"object_id": str(world.warbands["private"].pk), "content_type_id": "1"}
    return [
        Page(route.name, route.url({**world.arguments(), **ids}))
        for route in routes()
        if is_admin(route)
    ]


def wrong_pages() -> list[Page]:
    return [Page("wrong", url) for url in WRONG]


def is_html(answer: object) -> bool:
    return str(answer["Content-Type"]).startswith("text/html")


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
        # JSON in a script element is data; nothing runs it, and the policy has nothing to refuse.
        is_data = tag == "script" and given.get("type") == "application/json"
        if tag == "style" or (tag == "script" and "src" not in given and not is_data):
            self.faults.append(f"an inline <{tag}>")
        for name, value in given.items():
            is_code = name in _ADDRESSES and _CODE.match(_UNSEEN.sub("", value))
            if name == "style" or name.startswith(("on", "hx-on")) or is_code:
                self.faults.append(f"<{tag} {name}={value[:40]!r}>")

    def handle_comment(self, data: str) -> None:
        self.comments += 1


_ADDRESSES = {
    "href", "src", "action", "formaction", "data", "poster", "srcdoc", "xlink:href",
    "hx-get", "hx-post",
}  # fmt: skip
_CODE = re.compile(r"(javascript|vbscript|data:(?!image/)|file:)", re.IGNORECASE)
_UNSEEN = re.compile(r"[\x00-\x20]")


def shape_of(html: str) -> Shape:
    """The elements of a page, with what the content security policy would have to refuse."""
    shape = Shape()
    shape.feed(html)
    shape.close()
    return shape
