"""No code of the index, of a check or of a ruling is shown to people."""

import pytest
from django.urls import reverse

from rulesdata import registry
from tests.conftest import Share
from tests.guards.books import CHAPTERS, book_pages, warband_pages
from tests.guards.cast import World
from tests.guards.codes import Words, codes_in, internal_names, words_of
from tests.guards.pages import Page
from tests.guards.routes import named

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SEARCHES = ("rout", "save", "leader", "shoot", "fight", "critical")


def pages(world: World) -> list[Page]:
    """The book of every system with a warband of each, and what a search finds in them."""
    values = world.arguments("public")
    first = [Page(name, named(name).url(values)) for name in CHAPTERS]
    found = [Page("search", f"{reverse('search')}?q={word}") for word in SEARCHES]
    return [*first, *book_pages(), *warband_pages(world), *found]


def test_no_code_is_shown_in_any_book_or_on_any_sheet(world: World, share: Share) -> None:
    """The plain run opens one page of three."""
    client, names = world.cast["owner"].client(), internal_names()
    said = {page.url: words_of(client.get(page.url)) for page in share(pages(world), 3)}
    faults = [
        f"{url}: {fault}" for url, words in said.items() for fault in codes_in(words, names)
    ]
    assert faults == []
    assert len(said) > 20
    for book in registry.rulesets():
        assert any(f"/{book.address}/" in url for url in said)
    assert sum(map(len, said.values())) > 10_000


def test_no_code_is_printed(world: World, share: Share) -> None:
    """The PDF of a warband of each system, with its quick reference."""
    urls = [page.url for page in warband_pages(world) if page.name == "sheet-read"]
    client, names, seen = world.cast["owner"].client(), internal_names(), 0
    for url in share(urls, 2):
        token = url.strip("/").split("/")[1]
        answer = client.get(reverse("sheet-pdf", args=[token]))
        words = words_of(answer)
        assert codes_in(words, names) == []
        seen += len(" ".join(words))
    assert seen > 1000


@pytest.mark.parametrize("html", [
    "<p>Warhammer Skirmish, LEADERS (F000-07)</p>",
    "<p title='Ruling G06'>Order</p>",
    "<p>Roll again (ruling C52).</p>",
    "<span>points.over_limit</span>",
    "<b>best_save is 1 or 2</b>",
    "<code>x</code><p>G10-02</p>",
])  # fmt: skip
def test_a_code_is_seen(html: str) -> None:
    """The guard's own eyes."""
    words = Words()
    words.feed(html)
    assert len(codes_in(words.said, internal_names())) == 1


@pytest.mark.parametrize("html", [
    "<li id='ruling-G06'>Leader</li>",
    "<script>G06</script><style>C52</style>",
    "<code>magic_items</code>",
    "<p>Magic items, 12 points, 2D6, S4, save 3+</p>",
])  # fmt: skip
def test_what_is_no_code_is_left_alone(html: str) -> None:
    words = Words()
    words.feed(html)
    assert codes_in(words.said, internal_names()) == []
