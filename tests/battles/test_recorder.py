"""The recorder's page, its shell and its worker, as the server hands them out."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.owner import NOBODY
from battles.models import Battle, BattleVisibility
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide
from battles.views import recorder
from engine.battles.rules import BattleRules
from rulesdata import registry
from tests.factories import make_person, make_user

pytestmark = pytest.mark.django_db
DATA = re.compile(r'<script id="battle" type="application/json">(.*?)</script>', re.DOTALL)


def a_battle(**more: object) -> Battle:
    sides = [QuickSide("The Ferrymen", 3, 8), QuickSide("</script><b>Gorrak", 4, 7)]
    return open_battle(NOBODY, BattleDraft("warhammer-skirmish", sides, **more))  # type: ignore[arg-type]


def page_of(client: Client, battle: Battle, **headers: str) -> dict[str, object]:
    answer = client.get(f"/battles/{battle.token}/record/", headers=headers)
    assert answer.status_code == 200
    found = DATA.search(answer.content.decode())
    assert found
    return dict(json.loads(found[1]))


def test_page_holds_the_battle_and_what_its_reader_may(client: Client) -> None:
    battle = a_battle()
    watching = page_of(client, battle)
    assert (watching["may_record"], watching["key"]) == (False, "")
    recording = page_of(client, battle, **{"X-Battle-Key": battle.key})
    assert (recording["may_record"], recording["key"]) == (True, battle.key)
    bundle = recording["bundle"]
    assert isinstance(bundle, dict)
    assert [side["name"] for side in bundle["sides"]] == [
        "The Ferrymen",
        "</script><b>Gorrak",
    ]
    assert bundle["rules"] == json.loads(json.dumps(rules().to_json()))
    links = recording["links"]
    assert isinstance(links, dict)
    assert links["battle"] == f"/battles/{recorder.ANY_TOKEN}/"
    assert links["api"] == f"/api/v1/battles/{recorder.ANY_TOKEN}/"


def rules() -> BattleRules:
    return registry.battle_rules("warhammer-skirmish")


def test_private_battle_is_not_there_for_strangers(client: Client) -> None:
    owner = make_user()
    sides = [QuickSide("A", 1), QuickSide("B", 1)]
    draft = BattleDraft("warhammer-skirmish", sides, visibility=BattleVisibility.PRIVATE)
    battle = open_battle(make_person(user=owner), draft)
    url = f"/battles/{battle.token}/record/"
    assert client.get(url).status_code == 404
    client.force_login(owner)
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("models", [1, 30])
def test_page_asks_the_database_as_often_for_few_as_for_many(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries, models: int
) -> None:
    sides = [QuickSide("A", models), QuickSide("B", models)]
    battle = open_battle(NOBODY, BattleDraft("warhammer-skirmish", sides))
    with django_assert_num_queries(4):
        client.get(f"/battles/{battle.token}/record/")


def test_shell_is_the_same_for_everybody_and_asks_nothing(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    battle = a_battle()
    with django_assert_num_queries(0):
        visitor = client.get("/battles/offline/")
    assert not visitor.cookies
    client.get(f"/battles/{battle.token}/record/", headers={"X-Battle-Key": battle.key})
    client.force_login(make_user())
    assert client.get("/battles/offline/").content == visitor.content
    assert battle.token not in visitor.content.decode()
