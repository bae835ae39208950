"""The pages that search engines may list: the rule book, and what is public."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from campaigns.models import ClubEvent, EventVisibility
from rulesdata.queries.book import load_systems
from rulesdata.queries.lookup import list_armies

PAGES = ("home", "rulebook", "starter-list", "warband-public", "event-public")


class SitePages(Sitemap):
    """Pages at the address of the site, whatever name somebody asked for."""

    def get_protocol(self, protocol: str | None = None) -> str:
        return urlsplit(settings.SITE_URL).scheme

    def get_domain(self, site: object = None) -> str:
        return urlsplit(settings.SITE_URL).netloc


class RuleBookPages(SitePages):
    """The front page, the lists, every system and every army of the rule book."""

    def items(self) -> Iterable[str]:
        pages = [reverse(name) for name in PAGES]
        for row in load_systems():
            book = row["book"]
            pages.append(reverse("system-detail", args=[book.address]))
            pages += [
                reverse("army-detail", args=[book.address, army.key])
                for army in list_armies(book)
            ]
        return pages

    def location(self, item: str) -> str:
        return item


class PublicEvents(SitePages):
    """Public events."""

    def items(self) -> QuerySet[ClubEvent]:
        rows = ClubEvent.objects.filter(visibility=EventVisibility.PUBLIC, archived_at=None)
        return rows.order_by("-id")

    def location(self, item: ClubEvent) -> str:
        return reverse("event-read", args=[item.token])

    def lastmod(self, item: ClubEvent) -> object:
        return item.updated_at


SITEMAPS = {"book": RuleBookPages, "events": PublicEvents}
