"""A club's editor of campaign rules as its organiser uses it: pages are opened and sent."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from accounts.owner import Owner
from rulesdata.models import CampaignRulesDraft
from tests.factories import make_club, make_person

Inputs = dict[str, list[str]]


class Editor:
    """The pages of one club's campaign rules, in the browser of its organiser."""

    def __init__(self, owner: Owner | None = None) -> None:
        self.owner = owner or make_person()
        self.club = make_club(owner=self.owner)
        self.client = Client()
        self.client.force_login(User.objects.get(pk=self.owner.user_id))
        self.home = f"/rules/clubs/{self.club.slug}/campaign-rules/"
        self.draft = ""

    def begin(self, name: str, start: str = "") -> None:
        """Create a draft by the form."""
        sent = self.client.post(f"{self.home}new/", {"name": name, "start": start})
        assert sent.status_code == 302, sent.content
        self.draft = sent["Location"]

    @property
    def document(self) -> dict[str, Any]:
        """What the draft holds."""
        token = self.draft.rstrip("/").rpartition("/")[2]
        return CampaignRulesDraft.objects.get(token=token).document

    def open(self, section: str) -> Inputs:
        """Open a page; return what its form would send."""
        return inputs_in(self.client.get(self.address(section)).content.decode())

    def address(self, section: str) -> str:
        """Return the address of a page."""
        return f"{self.draft}pages/{section}/"

    def send(self, section: str, inputs: Mapping[str, Any]) -> HttpResponse:
        """Send a page."""
        return self.client.post(self.address(section), dict(inputs))

    def type(self, section: str, *, part: int = 0, **fields: Any) -> None:
        """Type into the fields of a part that is no list, and save the page."""
        inputs = self.open(section)
        inputs |= {f"p{part}-{name}": as_texts(one) for name, one in fields.items()}
        assert self.send(section, inputs).status_code == 302

    def rows(self, section: str, *rows: Mapping[str, Any], part: int = 0) -> None:
        """Type rows in place of those that a list has, and save the page."""
        inputs = self.open(section)
        prefix = f"p{part}-"
        kept = {name: one for name, one in inputs.items() if not name.startswith(prefix)}
        kept[f"{prefix}count"] = [str(len(rows))]
        for number, row in enumerate(rows):
            for name, one in row.items():
                kept[f"{prefix}{number}-{name}"] = as_texts(one)
        assert self.send(section, kept).status_code == 302

    def table(self, name: str, dice: str, *rows: Mapping[str, Any]) -> None:
        """Add a table by its form, and type its rows."""
        added = self.client.post(self.address("tables"), {"name_text": name, "dice": dice})
        assert added.status_code == 302, added.content
        self.rows(f"tables/{name.replace(' ', '-')}", *rows, part=1)

    def skills(self, name: str, *rows: Mapping[str, Any]) -> None:
        """Add a list of skills by its form, and type them."""
        added = self.client.post(self.address("skills"), {"name_text": name})
        assert added.status_code == 302, added.content
        self.rows(f"skills/{name}", *rows)

    def save(self) -> HttpResponse:
        """Save the draft as a version."""
        return self.client.post(f"{self.draft}save/")


def as_texts(value: Any) -> list[str]:
    """Return what one input sends."""
    return list(value) if isinstance(value, list | tuple) else [str(value)]


def inputs_in(page: str) -> Inputs:
    """Return what the form of a page sends, as a browser would."""
    found: Inputs = {}
    form = page[page.index('name="seen"') - 400 :]
    for tag in re.finditer(r"<input\b([^>]*)>", form):
        told = attributes(tag[1])
        is_box = told.get("type") in ("checkbox", "radio")
        if "name" in told and (not is_box or "checked" in told):
            found.setdefault(told["name"], []).append(
                told.get("value", "on" if is_box else "")
            )
    for tag in re.finditer(r"<textarea\b([^>]*)>\n?(.*?)</textarea>", form, re.DOTALL):
        found[attributes(tag[1])["name"]] = [html.unescape(tag[2])]
    for tag in re.finditer(r"<select\b([^>]*)>(.*?)</select>", form, re.DOTALL):
        options = re.findall(r"<option\b([^>]*)>", tag[2])
        chosen = [one for one in map(attributes, options) if "selected" in one]
        if chosen:
            found[attributes(tag[1])["name"]] = [chosen[0]["value"]]
    found.pop("csrfmiddlewaretoken", None)
    return found


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag; those without a value are empty."""
    pairs = re.findall(r'([a-z-]+)(?:="([^"]*)")?', tag)
    return {name: html.unescape(value) for name, value in pairs}
