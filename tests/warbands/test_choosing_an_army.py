"""A visitor's way to a warband where a system fields armies of several collections, in taps."""

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from rulesdata import registry
from tests.rulesdata.test_mordheim import DRAFT, RULINGS
from tests.rulesdata.test_mordheim_warbands import COLLECTION, STARTERS
from warbands.models import Warband

NEW = reverse("warband-new")
pytestmark = pytest.mark.django_db


class Visitor:
    """Follows links and presses buttons that the page before has, and counts them."""

    def __init__(self) -> None:
        self.client, self.taps = Client(), 0
        self.page = unescape(self.client.get("/").content.decode())

    def follow(self, address: str) -> None:
        _, _, query = address.partition("?")
        assert f'href="{address}"' in self.page or f'href="?{query}"' in self.page
        self.taps += 1
        self.page = unescape(self.client.get(address).content.decode())

    def press(self, address: str, sent: dict[str, str]) -> None:
        for name, value in sent.items():
            assert re.search(f'name="{name}"', self.page), name
            assert f'value="{value}"' in self.page, name
        key = re.search(r'name="key" value="([^"]+)"', self.page)
        sent = sent | ({"key": key[1]} if key else {})
        self.taps += 1
        answer = self.client.post(address, sent, follow=True)
        self.page = unescape(answer.content.decode())


def test_starter_is_three_taps_from_the_front_page() -> None:
    visitor = Visitor()
    visitor.follow(NEW)
    visitor.follow(f"{NEW}?system={RULINGS}")
    visitor.press(reverse("starter-use"), {"starter": f"{RULINGS}.A--reiklanders"})
    warband = Warband.objects.get()
    assert visitor.taps == 3
    assert (warband.variant, warband.army, warband.points_limit) == (
        "A",
        "reiklanders",
        500,
    )
    assert (warband.points, warband.errors) == (493, 0)
    details = visitor.client.get(reverse("warband-change", args=[warband.token]))
    limit = details.context["form"]["limit"]
    assert (limit.value(), limit.label) == ("500", "Limit in gold crowns")


def test_legal_warband_is_at_most_24_taps_from_the_front_page() -> None:
    visitor = Visitor()
    visitor.follow(NEW)
    visitor.follow(f"{NEW}?system={RULINGS}")
    visitor.follow(f"{NEW}?system={RULINGS}&army=reiklanders")
    sent = {"system": RULINGS, "variant": "A", "army": "reiklanders", "limit": "500"}
    visitor.press(NEW, sent)
    add = reverse("warrior-add", args=[Warband.objects.get().token])
    units = {"mercenary-captain": 1, "champion": 2, "youngblood": 2, "warrior": 5}
    for unit, count in {**units, "swordsman": 5}.items():
        for _ in range(count):
            visitor.press(add, {"profile": unit})
    warband = Warband.objects.get()
    assert visitor.taps <= 24
    assert (warband.points, warband.errors, warband.warnings) == (460, 0, 0)


@pytest.mark.parametrize("system, first, army, limit", [
    (RULINGS, "reiklanders", "reiklanders", "500"),
    (RULINGS, "reiklanders", "marienburgers", "600"),
    (RULINGS, "reiklanders", "the-empire", "250"),
    (DRAFT, "the-empire", "the-empire", "250"),
    (DRAFT, "the-empire", "reiklanders", "500"),
])  # fmt: skip
def test_own_armies_of_a_system_come_first_each_with_its_limit(
    client: Client, system: str, first: str, army: str, limit: str
) -> None:
    chooser = client.get(NEW, {"system": system})
    assert reverse("warband-import") in chooser.content.decode()
    shelves = chooser.context
    keys = [key for key, *_ in shelves["first_shelf"]]
    others = [key for shelf in shelves["other_shelves"] for key, *_ in shelf]
    assert first in keys
    assert {*keys, *others} == set(registry.list_army_keys(system))
    starters = client.get(reverse("starter-list"), {"system": system}).context["starters"]
    own = [ready.sheet.army_key in keys for ready in starters]
    assert own == sorted(own, reverse=True)
    assert any(own)
    form = client.get(NEW, {"system": system, "army": army}).context["form"]
    assert (form["army"].value(), form["limit"].value()) == (army, limit)
    assert limit in dict(form.fields["limit"].choices)


def test_what_warbands_share_is_listed_with_who_may_have_it(client: Client) -> None:
    address = reverse("collection-detail", args=[f"{RULINGS}.A", COLLECTION])
    answer = client.get(address)
    page = answer.context
    assert {army.key for army in page["armies"]} == set(STARTERS)
    # Each doubt is of a figure that it names, and is read beside it.
    doubts = [doubt for unit, _, _ in page["hired"] for doubt in unit.doubts]
    assert len(doubts) == 12
    figures = "Fee|Fee and upkeep|Gear|Models|Skill lists|Stat lines|Toughness|Upkeep"
    for doubt in doubts:
        assert re.match(f"({figures}): .", doubt)
        assert doubt in answer.content.decode()
    assert {unit.id: whom for unit, _, whom in page["hired"]}["veskit"] == "Only Skaven"
    trade = {item.id: (price, whom) for item, price, whom in page["trade"]}
    assert trade["tome-of-magic"][0].replace("\u00a0", " ") == "200 + D6 × 25"
    assert trade["garlic"][1] == "All but Undead"
    assert trade["great-weapon"] == ("", "")
    unknown = reverse("collection-detail", args=[f"{RULINGS}.A", "ecw"])
    assert client.get(unknown).status_code == 404


def test_wrong_figure_of_a_unit_is_reported_from_its_page(client: Client) -> None:
    page = reverse("unit-detail", args=[f"{RULINGS}.A", "reiklanders", "champion"])
    report = f"{reverse('report-new')}?page={page.replace('/', '%2F')}&amp;reason=figure"
    assert f'href="{report}"' in client.get(page).content.decode()
    form = client.get(report.replace("&amp;", "&")).context["form"]
    assert (form["page"].value(), form["reason"].value()) == (page, "figure")
