"""Who looks at the pages of one growing campaign, and what they send."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from accounts.owner import Owner
from tests.battles.pages import browser_of
from tests.campaigns.growing import Campaign


class Visitor:
    """Somebody at the pages of one campaign."""

    def __init__(self, campaign: Campaign, owner: Owner) -> None:
        self.campaign, self.client = campaign, browser_of(owner)

    def url(self, name: str, *args: str) -> str:
        return reverse(name, args=[self.campaign.league.token, *args])

    def get(self, name: str, *args: str, status: int = 200) -> str:
        answer = self.client.get(self.url(name, *args))
        assert answer.status_code == status
        return answer.content.decode()

    def post(self, name: str, *args: str, **sent: Any) -> HttpResponse:
        return self.client.post(self.url(name, *args), {"key": "k", **sent}, follow=True)


def visit(campaign: Campaign, name: str) -> Visitor:
    return Visitor(campaign, campaign.league.player(name))


def organise(campaign: Campaign) -> Visitor:
    return Visitor(campaign, campaign.league.organiser)
