"""People at an empty site that sends mail: they create accounts, found a club and join it, by what
the pages offer.
"""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

PASSWORD = "halberd-and-lantern-7"
LINK = re.compile(r"https?://\S+")


class Person:
    """Somebody with a browser of their own and an email address."""

    def __init__(self, browser: Browser, url: str, name: str, width: int) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 844}, service_workers="block"
        )
        self.context.set_default_timeout(20_000)
        self.page: Page = self.context.new_page()
        self.url, self.name = url, name
        self.email = f"{name.lower()}@club.example"

    def go(self, address: str) -> None:
        """Type an address, or open a link that somebody sent."""
        self.page.goto(address if "//" in address else f"{self.url}{address}")

    def press(self, name: str | re.Pattern[str]) -> None:
        self.page.locator("main").get_by_role("button", name=name, exact=True).first.click()

    def follow(self, name: str | re.Pattern[str]) -> None:
        self.page.locator("main").get_by_role("link", name=name, exact=True).first.click()

    def fill(self, label: str, words: str) -> None:
        self.page.get_by_label(label, exact=True).fill(words)

    def choose(self, label: str) -> None:
        self.page.locator("main").get_by_text(label, exact=True).first.click()

    def menu(self, name: str) -> None:
        """A link at the top of the page: on a phone it stands in the menu."""
        head = self.page.locator(".mast")
        link = head.get_by_role("link", name=name, exact=True)
        if not link.locator("visible=true").count():
            head.locator("summary").locator("visible=true").last.click()
        link.locator("visible=true").first.click()

    def more(self, name: str) -> None:
        self.page.locator("main .tools summary").last.click()
        self.follow(name)

    def sees(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.locator("main").get_by_text(words).first).to_be_visible()

    def sees_not(self, words: str) -> None:
        expect(self.page.locator("main").get_by_text(words)).to_have_count(0)

    @property
    def mails(self) -> list[Any]:
        return [one for one in mail.outbox if self.email in one.to]

    def opens_mail(self, words: str = "") -> str:
        """Follow the first link of the latest mail that says so; return what it says."""
        latest = [mail for mail in self.mails if words in mail.body][-1]
        found = LINK.search(latest.body)
        assert found, latest.body
        parts = urlsplit(found[0])
        self.go(parts.path + (f"?{parts.query}" if parts.query else ""))
        return str(latest.body)

    def creates_account(self) -> None:
        self.follow("Create account")
        self.page.get_by_label("Email").fill(self.email)
        self.page.get_by_label("Password").first.fill(PASSWORD)
        self.page.get_by_label("Name").fill(self.name)
        self.press("Create account")
        self.sees("We sent you an email.")
        self.opens_mail()
        self.press("Confirm address")
        self.signs_in()

    def signs_in(self) -> None:
        self.page.get_by_label("Email address").fill(self.email)
        self.page.get_by_label("Password").first.fill(PASSWORD)
        self.press("Sign in")


class Correspondent:
    """Somebody who sends the forms of the same pages, without a browser: for events of many."""

    def __init__(self, name: str, place: int) -> None:
        """`place`: the last part of the address they send from."""
        self.client = Client(REMOTE_ADDR=f"192.0.2.{place}")
        self.name, self.email = name, f"{name.lower().replace(' ', '')}@club.example"

    def read(self, address: str) -> str:
        answer = self.client.get(address)
        assert answer.status_code == 200, answer.status_code
        return answer.content.decode()

    def send(self, address: str, **sent: object) -> HttpResponse:
        answer: HttpResponse = self.client.post(address, sent)
        assert answer.status_code == 302, answer.content.decode()[:2000]
        return answer

    def creates_account(self) -> None:
        self.send(
            reverse("account_signup"), email=self.email, password1=PASSWORD, name=self.name
        )
        latest = next(one for one in reversed(mail.outbox) if self.email in one.to)
        found = LINK.search(str(latest.body))
        assert found, latest.body
        self.send(urlsplit(found[0]).path)
        self.send(reverse("account_login"), login=self.email, password=PASSWORD)


@pytest.fixture
def mailing_site(settings: Any) -> None:
    """A site that sends mail at once, to people who have to confirm their address."""
    settings.SENDS_MAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


def found_club(organiser: Person) -> str:
    """From the front page to a club; return the link that lets others in."""
    organiser.go("/")
    organiser.menu("Sign in")
    organiser.creates_account()
    organiser.menu("Your clubs")
    organiser.follow("New club")
    organiser.fill("Name", "Harbour Street")
    organiser.press("Create club")
    return organiser.page.get_by_label("Link", exact=True).input_value()


def join_club(player: Person, invitation: str) -> None:
    player.go(invitation)
    player.creates_account()
    player.press("Join club")
