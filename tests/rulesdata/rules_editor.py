"""A club's editor of campaign rules as its organiser uses it: the page of a draft is opened and sent."""

import html
import re
from typing import Any

import yaml
from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from accounts.owner import Owner
from rulesdata.models import CampaignRulesDraft
from tests.factories import make_club, make_person

Inputs = dict[str, str]


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
        sent = self.client.post(f"{self.home}new/", {"name": name, "start": start})
        assert sent.status_code == 302, sent.content
        self.draft = sent["Location"]

    @property
    def text(self) -> str:
        token = self.draft.rstrip("/").rpartition("/")[2]
        return CampaignRulesDraft.objects.get(token=token).text

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = yaml.safe_load(self.text)
        return document

    @property
    def page(self) -> str:
        answer = self.client.get(self.draft)
        assert answer.status_code == 200
        return answer.content.decode()

    def open(self) -> Inputs:
        return inputs_in(self.page)

    def send(self, inputs: Inputs | None = None, **changes: str) -> HttpResponse:
        """Send the page as it is drawn, or as it was opened before, with some inputs changed."""
        return self.client.post(self.draft, {**(inputs or self.open()), **changes})

    def save(self, **changes: str) -> HttpResponse:
        """Send the page by the button that saves it as a version."""
        return self.send(go="version", **changes)


def inputs_in(page: str) -> Inputs:
    """Return what the form of a draft sends, as a browser would."""
    inputs: Inputs = {}
    form = page[page.index('class="stack2 after-head"') :].partition("</form>")[0]
    for tag in re.finditer(r"<input\b([^>]*)>", form):
        values = attributes(tag[1])
        inputs[values["name"]] = values.get("value", "")
    for tag in re.finditer(r"<textarea\b([^>]*)>\n?(.*?)</textarea>", form, re.DOTALL):
        inputs[attributes(tag[1])["name"]] = html.unescape(tag[2]).replace("\n", "\r\n")
    for tag in re.finditer(r"<select\b([^>]*)>(.*?)</select>", form, re.DOTALL):
        options = map(attributes, re.findall(r"<option\b([^>]*)>", tag[2]))
        chosen = [option["value"] for option in options if "selected" in option]
        inputs[attributes(tag[1])["name"]] = chosen[0]
    inputs.pop("csrfmiddlewaretoken", None)
    return inputs


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag; those without a value are empty."""
    pairs = re.findall(r'([a-z-]+)(?:="([^"]*)")?', tag)
    return {name: html.unescape(value) for name, value in pairs}
