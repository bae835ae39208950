"""What a roster document may be: every refusal names its place, at `check/` and at `sheet/` alike."""

import pytest

from tests.api.conftest import CHECK, SHEET, document, is_refusal, warrior


def refused(answer, field):
    """It is a 400 of the one shape, and this field is among those it names."""
    assert answer.status_code == 400, answer.content[:300]
    assert is_refusal(answer)
    messages = {error["field"]: error["message"] for error in answer.json()["errors"]}
    assert field in messages, messages
    assert not field or field in messages[field]
    return messages[field]


def with_warrior(**fields):
    return document({**warrior("halberdiers"), **fields})


# tests/warbands/test_document.py has every fault of the reader that both addresses share.
@pytest.mark.parametrize("address", [CHECK, SHEET])
@pytest.mark.parametrize("body,field", [
    (document(Name="x"), "Name"), (document(name=1), "name"),
    (document(*[warrior("halberdiers")] * 201), "warriors"),
    (document({**warrior("captain"), "gear": []}), "warriors[0].gear"),
    (document(house_rules={"no_such_rule": True}), "house_rules.no_such_rule"),
    (document(house_rules={"swarms_no_injury_roll": 1}),
     "house_rules.swarms_no_injury_roll"),
    (with_warrior(options=["shields", 1]), "warriors[0].options[1]"),
    (with_warrior(count=2, leader=True), "warriors[0].count"),
])  # fmt: skip
def test_fault_is_named_by_its_place(post, address, body, field):
    refused(post(body, address), field)


def test_empty_object_names_all_that_is_missing(post):
    fields = [error["field"] for error in post({}).json()["errors"]]
    assert fields == ["format", "system", "army", "warriors"]


@pytest.mark.parametrize("field,value", [
    ("format", "muster-roll/2"), ("format", "Muster-Roll/1"), ("system", "chess"),
    ("system", ""),
    ("variant", "second-edition"),
    ("variant", ""), ("army", "the-empires"), ("army", ""), ("army", "captain"),
    ("scenario", "the-long-walk"),
    ("scenario", ""), ("scenario", "own/1"),
])  # fmt: skip
def test_unknown_format_system_variant_army_and_scenario(post, field, value):
    message = refused(post(document(**{field: value})), field)
    assert not value or value in message


@pytest.mark.parametrize("body", [
    document(*[warrior("halberdiers")] * 200),
    with_warrior(count=1), with_warrior(count=200),
    with_warrior(count=1, leader=True),
    document(points_limit=0),
    document(points_limit=100_000),
    document(points_limit=None), document(name="x" * 200),
    with_warrior(options=["x" * 100] * 100),
    document(name="Die Flußwache 🛡️ – «Ostwin»"),
    document(variant=None, scenario=None, house_rules={}),
])  # fmt: skip
def test_at_a_limit(post, body):
    assert post(body).status_code == 200


def test_all_faults_are_named_at_once(post):
    body = document(
        warrior("captain", count=0), {"leader": 1}, points_limit="150", army="x"
    )
    fields = [error["field"] for error in post(body).json()["errors"]]
    assert set(fields) == {
        "army", "points_limit", "warriors[0].count", "warriors[1].profile",
        "warriors[1].leader",
    }  # fmt: skip
    assert len(post(document(*[1] * 200)).json()["errors"]) <= 50


def test_detail_is_the_first_sentence_and_says_its_field_once(post):
    answer = post(document(points_limit=-1)).json()
    assert answer["detail"] == answer["errors"][0]["message"]
    assert answer["detail"].count("points_limit") == 1
