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


@pytest.mark.parametrize("address", [CHECK, SHEET])
@pytest.mark.parametrize("key", ["format", "system", "army", "warriors"])
def test_required_key_of_the_document(post, address, key):
    body = document(warrior("captain"))
    del body[key]
    assert "missing" in refused(post(body, address), key)


def test_required_key_of_a_warrior(post):
    assert "missing" in refused(
        post(document(warrior("captain"), {"count": 1})), "warriors[1].profile"
    )


def test_empty_object_names_all_that_is_missing(post):
    fields = [error["field"] for error in post({}).json()["errors"]]
    assert fields == ["format", "system", "army", "warriors"]


@pytest.mark.parametrize(
    "body,field",
    [
        (document(version=2), "version"),
        (document(Name="x"), "Name"),
        (document(detail="x"), "detail"),
        (document({**warrior("captain"), "gear": []}), "warriors[0].gear"),
        (document({**warrior("captain"), "id": 1}), "warriors[0].id"),
        (document(house_rules={"no_such_rule": True}), "house_rules.no_such_rule"),
    ],
)
def test_unknown_key_at_every_level(post, body, field):
    refused(post(body), field)


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


TEXTS = [None, 1, 1.5, True, [], {}, ["x"]]
NUMBERS = [None, True, False, "1", "", 1.0, 1e3, [], {}, [1]]
FLAGS = [None, 0, 1, "true", "", [], {}]
LISTS = [None, {}, "x", 1, True]


@pytest.mark.parametrize(
    "field,value",
    [
        *[
            (key, value)
            for key in ("format", "system", "army", "name", "note")
            for value in TEXTS
        ],
        *[(key, value) for key in ("variant", "scenario") for value in TEXTS[1:]],
        *[("points_limit", value) for value in NUMBERS[1:]],
        *[("warriors", value) for value in LISTS],
        *[("house_rules", value) for value in (None, [], "x", 1, True)],
    ],
)
def test_wrong_type_in_the_document(post, field, value):
    refused(post(document(**{field: value})), field)


@pytest.mark.parametrize(
    "field,value",
    [
        *[(key, value) for key in ("profile", "name", "lore", "note") for value in TEXTS],
        *[("count", value) for value in NUMBERS],
        *[("leader", value) for value in FLAGS],
        *[("options", value) for value in LISTS],
    ],
)
def test_wrong_type_in_a_warrior(post, field, value):
    refused(post(with_warrior(**{field: value})), f"warriors[0].{field}")


@pytest.mark.parametrize("entry", [None, 1, "captain", [], True])
def test_warrior_is_an_object(post, entry):
    refused(post(document(warrior("captain"), entry)), "warriors[1]")


@pytest.mark.parametrize("option", [None, 1, True, [], {}])
def test_option_is_a_text(post, option):
    refused(post(with_warrior(options=["shields", option])), "warriors[0].options[1]")


@pytest.mark.parametrize("value", FLAGS)
def test_house_rule_is_true_or_false(post, value):
    body = document(house_rules={"swarms_no_injury_roll": value})
    refused(post(body), "house_rules.swarms_no_injury_roll")


@pytest.mark.parametrize(
    "body,field",
    [
        (document(*[warrior("halberdiers")] * 201), "warriors"),
        (with_warrior(count=0), "warriors[0].count"),
        (with_warrior(count=201), "warriors[0].count"),
        (with_warrior(count=-1), "warriors[0].count"),
        (with_warrior(count=2, leader=True), "warriors[0].count"),
        (document(points_limit=-1), "points_limit"),
        (document(points_limit=100_001), "points_limit"),
        (document(name="x" * 201), "name"),
        (document(note="x" * 4001), "note"),
        (with_warrior(name="x" * 201), "warriors[0].name"),
        (with_warrior(profile="x" * 101), "warriors[0].profile"),
        (with_warrior(profile=""), "warriors[0].profile"),
        (with_warrior(options=["shields"] * 101), "warriors[0].options"),
        (with_warrior(options=["x" * 101]), "warriors[0].options[0]"),
    ],
)
def test_past_a_limit(post, body, field):
    refused(post(body), field)


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
