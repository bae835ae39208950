"""Every form there is to send, found in the HTML of the pages, with a valid value for each of its
fields.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from tests.guards.cast import PASSWORD, World
from tests.guards.pages import is_html, pages_of
from tests.guards.routes import leads_to

OWN_LIST = "army: raft\nname: The raft\nedition: 6\ncollection: whfb6\n"
# What a form needs that its page leaves empty. By route and field, or by field alone.
FILLED: dict[str, str] = {
    "account_login login": "stranger@example.org",
    "account_signup email": "newcomer@example.org",
    "account_signup password1": "banner-in-the-wind",
    "account_email email": "elsewhere@example.org",
    "account_close confirm": "owner@example.org",
    "account_change_password password1": "banner-in-the-wind",
    "account_change_password password2": "banner-in-the-wind",
    "account_tokens name": "Scoreboard",
    "club-new name": "The Mole",
    "season-new name": "Next year",
    "event-screen minutes": "90",
    "event-discord address": "https://discord.com/api/webhooks/1234567890/Abc-_1234567890",
    "event-entries guests": "Newcomer",
    "warband-new army": "the-empire",
    "warband-new variant": "A",
    "warband-import text": '{"format": "muster-roll/1", "system": "warhammer-skirmish", "army": "the-empire", '
    '"name": "Read", "warriors": [{"profile": "captain", "leader": true}]}',
    "scenario-create name": "Rescue at the mill",
    "own-list-new name": "Ferrymen",
    "own-list-new stands_on": "whfb6/the-empire",
    "own-list-upload text": OWN_LIST,
    "own-list-replace text": OWN_LIST.replace("army: raft", "army: raft\nbase: the-empire"),
    "own-profile-new name": "Ferryman",
    "own-profile-new points": "8",
    "own-gear-new name": "Boat hook",
    "own-equipment-new name": "Armoury",
    "own-gear-new save_of_its_own": "6",
    "scenario-create sides-0-name": "Attacker",
    "warrior-add profile": "halberdiers",
    "password": PASSWORD,
    "oldpassword": PASSWORD,
}
TEXTS = {"text", "search", "email", "password", "textarea", "number", "url", "tel"}
PLUMBING = {"csrfmiddlewaretoken"}
# What guards a form against being sent late or twice; a test sends many forms of one page.
KEEPING = {"version", "key"}
_CONTROLS = {"input", "select", "textarea", "button"}


@dataclass
class Control:
    """One name a form sends.

    ``kind`` is an input's type, select, textarea or button; ``choices`` what it may hold.
    """

    name: str
    kind: str
    value: str = ""
    choices: tuple[str, ...] = ()


@dataclass
class Form:
    """A form of a page. ``route`` is where it is sent."""

    route: str
    url: str
    method: str
    who: str
    controls: dict[str, Control] = field(default_factory=dict)

    def filled(self, **changes: str) -> dict[str, str]:
        """What a browser would send after filling in what is needed, with these changes."""
        sent = {}
        for control in self.controls.values():
            if control.name in KEEPING or control.kind == "file":
                continue
            value = FILLED.get(f"{self.route} {control.name}") or control.value
            if not value and control.kind in TEXTS:
                value = FILLED.get(control.name, "")
            if value or control.kind in TEXTS or control.kind == "hidden":
                sent[control.name] = value
        return {**sent, **changes}

    def sorts(self) -> list[Control]:
        """One field of each sort: of those that differ by a number only (a row's, a warrior's) the
        first.
        """
        return list(
            {
                re.sub(r"\d+", "0", c.name): c for c in reversed(self.controls.values())
            }.values()
        )


class _Finder(HTMLParser):
    """The forms of one page, as (attributes, controls)."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[dict[str, str], dict[str, Control]]] = []
        self.ids: dict[str, dict[str, Control]] = {}
        self.buttons: list[tuple[dict[str, str], dict[str, Control]]] = []
        self.open: dict[str, Control] | None = None
        self.select: Control | None = None
        self.area: Control | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.open = self.ids.setdefault(given["id"], {}) if "id" in given else {}
            self.forms.append((given, self.open))
        elif tag == "option" and self.select is not None:
            value = given.get("value", "")
            self.select.choices += (value,)
            if "selected" in given or (
                not self.select.value and len(self.select.choices) == 1
            ):
                self.select.value = value
        elif (
            tag in _CONTROLS
            and "disabled" not in given
            and (given.get("name") or "formaction" in given)
        ):
            self._control(tag, given)

    def _control(self, tag: str, given: dict[str, str]) -> None:
        form = self.ids.setdefault(given["form"], {}) if "form" in given else self.open
        if form is None:
            return
        if "formaction" in given:
            self.buttons.append((given, form))
            return
        name, value = given["name"], given.get("value", "")
        kind = given.get("type", "text") if tag == "input" else tag
        control = form.setdefault(name, Control(name, kind))
        if kind in ("radio", "checkbox", "button"):
            value = given.get("value", "on")
            control.choices += (value,)
            if "checked" in given or (kind == "button" and not control.value):
                control.value = value
        else:
            control.value = value
        self.select = control if tag == "select" else self.select
        self.area = control if tag == "textarea" else self.area

    @staticmethod
    def with_button(form: dict[str, Control], given: dict[str, str]) -> dict[str, Control]:
        """What a button with an address of its own sends: the form's hidden fields and itself."""
        sent = {name: control for name, control in form.items() if control.kind == "hidden"}
        if name := given.get("name"):
            sent[name] = Control(
                name, "button", given.get("value", ""), (given.get("value", ""),)
            )
        return sent

    def handle_data(self, data: str) -> None:
        if self.area is not None:
            self.area.value += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open = None
        elif tag == "select":
            self.select = None
        elif tag == "textarea" and self.area is not None:
            self.area.value = self.area.value.removeprefix("\n")
            self.area = None


def forms_in(html: str, page_url: str, who: str) -> list[Form]:
    finder = _Finder()
    finder.feed(html)
    found = []
    sent_by_buttons = [
        ({"method": "post", "action": given["formaction"]}, finder.with_button(form, given))
        for given, form in finder.buttons
    ]
    for given, controls in finder.forms + sent_by_buttons:
        url = given.get("action") or page_url
        method = given.get("method", "get").lower()
        found.append(
            Form(
                leads_to(url),
                url,
                method,
                who,
                {n: c for n, c in controls.items() if n not in PLUMBING},
            )
        )
    return found


# Whose pages are looked at, with objects of which visibility, and which of them: what others see
# holds few forms more.
LOOKED_AT = [
    ("owner", "club", ""),
    ("owner", "archived", "warband-|scenario-"),
    ("guest", "unclaimed", "warband-read"),
    (
        "organiser",
        "club",
        "club-|member-|season-|content-|own-|rules-|levels-|event-|round-|fixture-|entry-|list-|waiver-",
    ),
    ("stranger", "public", "warband-read|scenario-own|club-join"),
    ("nobody", "public", "account_|home"),
]
FILES = "api-|schema-|.*-pdf$|roster-|health-|ready-|robots-"


def forms_of(world: World) -> dict[str, Form]:
    """Every form by the route it is sent to, its fields put together from all pages that hold one.

    A form that is sent with a question of its page's is one for itself: other fields may follow
    from it.
    """
    found: dict[str, Form] = {}
    for who, visibility, names in LOOKED_AT:
        client = world.cast[who].client()
        for page in pages_of(world, visibility):
            if not re.match(names, page.name) or re.match(FILES, page.name):
                continue
            answer = client.get(page.url)
            if answer.status_code != 200 or not is_html(answer):
                continue
            for form in forms_in(answer.content.decode(), page.url, who):
                asked = form.url.partition("?")[2] if form.method == "post" else ""
                known = found.setdefault(
                    f"{form.route} {form.method} {asked}".rstrip(), form
                )
                known.controls = {**form.controls, **known.controls}
    return found


def send(world: World, form: Form, sent: dict[str, str]) -> object:
    client = world.cast[form.who].client()
    return (
        client.post(form.url, sent) if form.method == "post" else client.get(form.url, sent)
    )
