"""Lists of other apps through the API: in and out, with nothing stored."""

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from accounts.owner import Owner
from tests.factories import EMPIRE, SYSTEM, make_club, make_person
from tests.foreign.lantern_gangs import made
from tests.foreign.test_import_page import TEXT
from tests.rulesdata.own_lists import make_list, make_profile
from warbands.exchange.foreign.export import FORMS
from warbands.models import LearnedName, Warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DOCUMENT: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": SYSTEM,
    "army": EMPIRE,
    "name": "The Watch",
    "points_limit": 150,
    "note": "Tuesday",
    "scenario": "border-skirmish",
    "warriors": [
        {"profile": "captain", "name": "Otto", "leader": True, "options": ["halberd"]},
        {"profile": "halberdiers", "count": 4, "options": ["shields"]},
    ],
}


def post(url: str, body: dict[str, Any], status: int = 200) -> Any:
    answer = Client().post(f"/api/v1/convert/{url}/", body, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()


def bring(status: int = 200, **body: Any) -> Any:
    return post("in", {"system": SYSTEM, **body}, status)


def test_text_becomes_lines_prices_and_a_document() -> None:
    found = bring(text=TEXT)
    assert (found["form"], found["army"]) == ("chat-text", EMPIRE)
    assert found["armies"][0] == {"key": EMPIRE, "name": "The Empire", "share": 2}
    line = found["lines"][0]
    assert (line["line"], line["name"], line["how"]) == (1, "Captain", "name")
    assert (line["points_theirs"], line["points_ours"]) == ("54", 54)
    assert line["parts"][0]["how"] == "name"
    assert line["ours"][0]["profile"] == "captain"
    assert found["lines"][3]["how"] == "none"
    assert found["totals"] == {"stated": None, "sum": "396", "ours": 78}
    assert [one["profile"] for one in found["document"]["warriors"]] == [
        "captain",
        "halberdiers",
    ]
    assert "Dragon" in found["document"]["note"]
    assert found["tree"]["units"][3]["name"] == "Dragon"
    assert not Warband.objects.exists()


def test_choices_are_taken_and_not_remembered() -> None:
    choices = {"3": {"profile": "halberdiers"}, "1": {"options": {"0": None}}}
    found = bring(text=TEXT, army=EMPIRE, choices=choices)
    assert found["lines"][2]["how"] == "chosen"
    assert found["lines"][0]["ours"][0]["options"] == []
    # A line that says null of its unit is a note.
    left = bring(text=TEXT, army=EMPIRE, choices={"1": {"profile": None}})
    assert left["lines"][0]["ours"] == []
    assert not LearnedName.objects.exists()


def test_file_of_an_army_we_do_not_have_is_read_and_left_open() -> None:
    for name in ("gang.ros", "gang.newrecruit.json", "gang.owb.json"):
        found = bring(content=b64encode(made(name)).decode(), file_name=name)
        assert (found["army"], found["document"], found["lines"]) == (None, None, [])
        assert len(found["tree"]["units"]) > 2
        assert found["totals"]["ours"] is None


@pytest.mark.parametrize("form", sorted(FORMS))
def test_what_goes_out_comes_back(form: str) -> None:
    out = post("out", {"document": DOCUMENT, "to": form})
    assert out["file_name"].startswith("roster.")
    assert b64decode(out["content"])
    assert "The scenario." in out["lost"]
    assert out["complete"] is False
    back = bring(content=out["content"])
    assert (back["army"], {line["how"] for line in back["lines"]}) == (EMPIRE, {"id"})
    document = back["document"]
    assert [(one["profile"], one.get("count", 1)) for one in document["warriors"]] == [
        ("captain", 1),
        ("halberdiers", 4),
    ]
    # What the form does not keep is what it says that it loses.
    same = [key for key in DOCUMENT if key not in {"warriors", "scenario"}]
    assert {key: document[key] for key in same} == {key: DOCUMENT[key] for key in same}
    assert document["scenario"] is None


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "text", "Send the list as text, or its file as content."),
    ({"text": "x", "content": "eA=="}, "text", "Send the list as text"),
    ({"content": "no base64!"}, "content", "must be the file in base64"),
    ({"content": "eA=="}, "content", "no units"),
    ({"text": "<!DOCTYPE a><a/>"}, "text", "document type or entities"),
    ({"text": TEXT, "system": "chess"}, "system", "Choose one of the rule systems."),
    ({"text": TEXT, "choices": {"a": {}}}, "choices", "must be numbers"),
    ({"text": TEXT, "choices": {"1": []}}, "choices", "must be an object"),
    ({"text": TEXT, "choices": {"1": {"name": ""}}}, "choices", "must be an object"),
    ({"text": TEXT, "choices": {"1": {"profile": 4}}}, "choices", "must name keys"),
    ({"text": TEXT, "choices": {"1": {"options": 4}}}, "choices", "must name keys"),
    ({"text": TEXT, "choices": {"1": {"options": {"x": ""}}}}, "choices", "be numbers"),
    ({"text": "\ud800"}, "text", "no units"),
]


def test_refusals_name_the_key() -> None:
    for body, field, sentence in REFUSED:
        (error, *_) = bring(400, **body)["errors"]
        assert error["field"] == field, body
        assert sentence in error["message"], body


def test_too_large_a_body_is_413_and_a_form_nobody_knows_400() -> None:
    body = json.dumps({"system": SYSTEM, "text": "x" * 4_194_304})
    answer = Client().post("/api/v1/convert/in/", body, content_type="application/json")
    assert answer.status_code == 413
    told = post("out", {"document": DOCUMENT, "to": "pdf"}, 400)
    assert told["errors"][0]["field"] == "to"
    broken = {**DOCUMENT, "warriors": [{"profile": "captain", "count": 0}]}
    assert (
        "count" in post("out", {"document": broken, "to": "ros"}, 400)["errors"][0]["field"]
    )


def test_army_that_old_world_builder_does_not_know_is_told_what_it_can_be() -> None:
    document = {
        "format": "muster-roll/1",
        "system": "english-civil-war",
        "army": "parliament",
        "warriors": [],
    }
    told = post("out", {"document": document, "to": "owb-json"}, 400)
    assert told["errors"][0]["message"] == (
        "This army can be written as ros, rosz, newrecruit-json."
    )


def test_members_token_sees_the_lists_of_their_club() -> None:
    organiser = make_person()
    own = make_list(club=make_club(owner=organiser), actor=organiser)
    assert organiser.user_id is not None
    token = make_token(organiser.user_id, name="-", scopes=[Scope.WARBANDS]).text
    body = {"system": SYSTEM, "text": TEXT, "army": str(own.token)}
    found = Client().post(
        "/api/v1/convert/in/",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert found.json()["army"] == str(own.token)
    assert bring(text=TEXT, army=str(own.token))["army"] == EMPIRE


@pytest.mark.parametrize("address", ["check", "sheet"])
def test_check_and_sheet_know_the_lists_of_ones_own_clubs(address: str) -> None:
    organiser, other = make_person(), make_person()
    own = make_list(club=make_club(owner=organiser), actor=organiser)
    key = make_profile(own=own, actor=organiser)
    document = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": str(own.token),
        "warriors": [{"profile": key, "count": 3}],
    }

    def post(person: Owner | None) -> HttpResponse:
        headers = {}
        if person and person.user_id is not None:
            token = make_token(person.user_id, name="-", scopes=[Scope.WARBANDS]).text
            headers = {"Authorization": f"Bearer {token}"}
        return Client().post(
            f"/api/v1/{address}/",
            document,
            content_type="application/json",
            headers=headers,
        )

    answer = post(organiser)
    assert answer.status_code == 200
    if address == "check":
        assert json.loads(answer.content)["points"] == 27
    for person in (other, None):
        assert post(person).status_code == 400
        assert "is not fielded by" in post(person).content.decode()
