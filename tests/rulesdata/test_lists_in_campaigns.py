"""What a club's list says of campaigns: written in forms, read in the rule book and the builder."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from engine.choices import picker
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry, RosterGrowth
from engine.selection import select
from engine.starters import build_starter
from engine.types.lists import Army as EngineArmy
from rulesdata import registry
from rulesdata.models import Army, Profile
from rulesdata.operations.own_lists import change_own_list
from tests.factories import SYSTEM, make_club, make_person
from tests.rulesdata.own_lists import make_list, make_profile, unit_record

pytestmark = pytest.mark.django_db

OIL = {"id": "oil", "name": "Night oil", "points": 4, "kind": "other", "rarity": 8}
MAP = {"id": "map", "name": "Map", "points": 3, "per": "unit", "kind": "other"}


class Book:
    """A club's list over no army, with a boatman who may buy what campaigns sell."""

    def __init__(self, **unit: Any) -> None:
        self.organiser = make_person()
        self.club = make_club(owner=self.organiser)
        self.own = make_list(club=self.club, actor=self.organiser, base="")
        shield = unit_record()["options"][0]
        options = [shield, {**OIL, "trade_only": True}, MAP]
        self.key = make_profile(own=self.own, actor=self.organiser, options=options, **unit)

    @property
    def army(self) -> EngineArmy:
        return registry.load_army(SYSTEM, str(self.own.token))

    def client(self) -> Client:
        client = Client()
        client.force_login(User.objects.get(pk=self.organiser.user_id))
        return client

    @property
    def url(self) -> str:
        return f"/rules/clubs/{self.club.slug}/lists/{self.own.token}/profiles/{self.key}/"


def sent_of(answer: Any) -> dict[str, Any]:
    """What a browser sends of the form of a profile that nobody touched."""
    shown = [*answer.context["form"]]
    shown += [field for row in answer.context["options"] for field in row]
    shown += [*answer.context["options"].management_form]
    values = {one.html_name: one.value() for one in shown}
    return {key: value for key, value in values.items() if value not in (None, False)}


def test_a_form_writes_what_counts_in_campaigns_and_takes_it_away() -> None:
    book = Book(category="core")
    client, url = book.client(), f"{book.url}edit/"
    sent = sent_of(client.get(url))
    told = {"rarity": "12", "upkeep": "0", "starting_experience": "100"}
    option = {"options-0-rarity": "2", "options-0-trade_only": "on"}
    assert client.post(url, {**sent, **told, **option}).status_code == 302
    data = Profile.objects.get(army=book.own, key=book.key).data
    assert (data["rarity"], data["hired"], data["starting_experience"]) == (
        12,
        {"upkeep": 0},
        100,
    )
    assert (data["options"][0]["rarity"], data["options"][0]["trade_only"]) == (2, True)
    assert (data["options"][1]["rarity"], data["options"][1]["trade_only"]) == (8, True)
    # Everything empty again is everything gone, and nothing else.
    sent = {**sent_of(client.get(url)), **dict.fromkeys(told, ""), "options-0-rarity": ""}
    del sent["options-0-trade_only"]
    assert client.post(url, sent).status_code == 302
    data = Profile.objects.get(army=book.own, key=book.key).data
    assert not {"rarity", "hired", "starting_experience"} & set(data)
    assert not {"rarity", "trade_only"} & set(data["options"][0])
    assert data["options"][1] == {**OIL, "trade_only": True, "per": "model"}


@pytest.mark.parametrize("field, value, said", [
    ("rarity", "1", "Rare: a whole number from 2 to 12."),
    ("rarity", "13", "Rare: a whole number from 2 to 12."),
    ("upkeep", "1001", "Hired sword: upkeep: a whole number from 0 to 1,000."),
    (
        "starting_experience",
        "101",
        "Experience at the beginning: a whole number from 1 to 100.",
    ),
    ("options-0-rarity", "1", "Rare: a whole number from 2 to 12."),
])  # fmt: skip
def test_a_figure_outside_its_limits_is_refused(field: str, value: str, said: str) -> None:
    book = Book()
    client, url = book.client(), f"{book.url}edit/"
    answer = client.post(url, {**sent_of(client.get(url)), field: value})
    assert said in answer.content.decode()
    assert "hired" not in Profile.objects.get(army=book.own, key=book.key).data


def test_the_rule_book_tells_what_a_unit_is_in_campaigns() -> None:
    book = Book(rarity=9, hired={"upkeep": 7}, starting_experience=4)
    page = " ".join(book.client().get(book.url).content.decode().split())
    for words in (
        "Rare in campaigns: found on 9 or more.",
        "Hired sword: costs 7 after each battle of a campaign.",
        "Begins a campaign with 4 experience.",
        "sold in campaigns only; rare in campaigns: found on 8 or more",
    ):
        assert words in page


def entry(key: str, *options: str) -> RosterEntry:
    return RosterEntry(key, options=options)


def test_what_campaigns_alone_sell_is_not_on_offer_elsewhere() -> None:
    book = Book()

    def offered(*options: str) -> list[str]:
        groups = picker(select(book.army, entry(book.key, *options)), book.army)
        return [choice.key for group in groups for choice in group.choices]

    assert sorted(offered()) == ["map", "shield"]
    # Whoever has it can leave it out.
    assert sorted(offered("oil")) == ["map", "oil", "shield"]


def test_who_has_what_campaigns_alone_sell_is_told_so_outside_of_them() -> None:
    book = Book()
    roster = Roster("Gang", SYSTEM, book.army.key, warriors=(entry(book.key, "oil"),))
    system = registry.load_system(SYSTEM)

    def told(one: Roster) -> list[Any]:
        return [x for x in check(one, system, book.army) if x.code == "list.trade"]

    [note] = told(roster)
    assert (note.level, note.warriors) == ("note", (0,))
    assert note.message == "Boatman: Night oil. The army list sells this in campaigns only."
    assert [(fix.action, fix.option) for fix in note.fixes] == [("remove_option", "oil")]
    assert told(replace(roster, warriors=(entry(book.key, "shield"),))) == []
    assert told(replace(roster, growth=RosterGrowth())) == []


def test_a_group_that_buys_alike_pays_for_each_of_its_models() -> None:
    book = Book()
    plain = {one.key: one.per for one in book.army.profiles[book.key].options}
    assert plain["map"] == "unit"

    def write(data: dict[str, Any], _: dict[str, Any]) -> None:
        data["categories"] = [{"id": "crew", "name": "Crew", "alike": True}]
        data["units"][0]["category"] = "crew"

    change_own_list(book.organiser, str(book.own.token), write)
    assert Army.objects.get(pk=book.own.pk).data["categories"][0]["alike"] is True
    alike = {one.key: one.per for one in book.army.profiles[book.key].options}
    assert alike == {"shield": "model", "oil": "model", "map": "model"}
    page = book.client().get(book.url).content.decode()
    assert "A group of these buys the same for each of its models." in page


def test_a_ready_warband_has_nobody_hired_and_nothing_of_campaigns() -> None:
    assert build_starter(registry.load_system(SYSTEM), Book().army, 60).warriors
    book = Book(hired={"upkeep": 2})
    assert not build_starter(registry.load_system(SYSTEM), book.army, 60).warriors
