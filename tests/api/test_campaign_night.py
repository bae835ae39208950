"""A challenge campaign by the API alone: its making, secret lists, challenges, battles, its end."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.owner import Owner
from tests.api.conftest import Call, document, warrior
from tests.factories import SYSTEM, make_person, make_user

pytestmark = pytest.mark.django_db

RIDERS = document(
    warrior("captain", "halberd", leader=True),
    warrior("pistoliers", count=3),
    name="The Ferrymen",
    points_limit=200,
)
PLAYERS = ("Ada", "Ben", "Cleo")
TERMS = {
    "club": "the-quay", "name": "River war", "kind": "campaign", "method": "challenge",
    "system": SYSTEM, "points_limit": 200, "needs_list": True, "is_secret": True,
}  # fmt: skip


class Campaign:
    """The programs of an organiser and of three players, and the campaign they play."""

    def __init__(self, caller: Callable[[Owner], Call]) -> None:
        people = {name: make_person(user=make_user(name=name)) for name in PLAYERS}
        self.olga = caller(make_person(user=make_user(name="Olga")))
        self.programs = {name: caller(person) for name, person in people.items()}
        self.warbands: dict[str, str] = {}
        self.entries: dict[str, str] = {}
        self.event = ""

    def begin(self) -> None:
        """A club by its second code, the campaign, and everybody in it with a warband."""
        first = self.olga("POST", "clubs/", {"name": "The Quay"}, 201).json()["code"]
        code = self.olga("POST", "clubs/the-quay/code/").json()["code"]
        ada = self.programs["Ada"]
        ada("POST", "clubs/join/", {"code": first}, 400)
        for call in self.programs.values():
            call("POST", "clubs/join/", {"code": code})
        ada("POST", "clubs/the-quay/code/", status=403)
        made = self.olga("POST", "events/", TERMS, 201).json()
        self.event = f"events/{made['id']}/"
        for name, call in self.programs.items():
            told = call("POST", "warbands/", {**RIDERS, "name": f"{name}’s own"}, 201)
            self.warbands[name] = told.json()["id"]
            sent = {"me": True, "warband": self.warbands[name]}
            entry = call("POST", f"{self.event}entries/", sent, 201).json()
            self.entries[name] = entry["id"]

    def hand_in(self, name: str) -> Any:
        sent = {"warband": self.warbands[name]}
        return self.programs[name]("POST", f"{self.event}rounds/1/lists/", sent).json()

    def challenge(self, by: str, other: str) -> str:
        sent = {"other": self.entries[other]}
        told = self.programs[by]("POST", f"{self.event}challenges/", sent, 201).json()
        assert told["status"] == "asked"
        assert [one["name"] for one in told["entries"]] == [by, other]
        return str(told["id"])

    def answer(self, name: str, game: str, answer: str, status: int = 200) -> Any:
        address = f"{self.event}challenges/{game}/{answer}/"
        return self.programs[name]("POST", address, {}, status).json()

    def etag(self, address: str) -> str:
        return str(self.olga("GET", address).headers["ETag"])


@pytest.fixture
def campaign(caller: Callable[[Owner], Call]) -> Campaign:
    made = Campaign(caller)
    made.begin()
    return made


def test_campaign_from_the_code_of_its_club_to_its_end(campaign: Campaign) -> None:
    olga, event = campaign.olga, campaign.event
    ada, ben, cleo = (campaign.programs[name] for name in PLAYERS)
    olga("POST", f"{event}rounds/", {"name": "Spring"}, 201)
    round_ = f"{event}rounds/1/"
    told = olga("PATCH", round_, {"name": "First moves"}, If_Match=campaign.etag(round_))
    assert told.json()["name"] == "First moves"

    # Lists are handed in, and are secret until the organiser reveals them.
    for name in PLAYERS:
        assert campaign.hand_in(name)["entry"] == campaign.entries[name]
    lists = f"{round_}lists/"
    lines = {one["name"]: one for one in ben("GET", lists).json()["results"]}
    assert [one["has_list"] for one in lines.values()] == [True] * 3
    assert {name: one["is_open"] for name, one in lines.items()} == {
        "Ada": False,
        "Ben": True,
        "Cleo": False,
    }
    assert (lines["Ada"]["warband"], lines["Ada"]["points"]) == ("", 0)
    of_ada = f"{lists}{campaign.entries['Ada']}/"
    ben("GET", of_ada, status=404)
    assert ada("GET", of_ada).json()["roster"]["name"] == "Ada’s own"

    # What the organiser waives is named beside the finding.
    before = {one["code"]: one for one in lines["Ben"]["findings"]}
    code = next(one for one in before if before[one]["level"] != "note")
    waivers = f"{event}entries/{campaign.entries['Ben']}/waivers/"
    sent = {"code": code, "reason": "He has no others."}
    ben("POST", waivers, sent, 403)
    waiver = olga("POST", waivers, sent, 201).json()
    assert (waiver["code"], waiver["by"], waiver["revoked_at"]) == (code, "Olga", None)
    mine = next(one for one in ben("GET", lists).json()["results"] if one["is_mine"])
    assert {one["waived_by"] for one in mine["findings"] if one["code"] == code} == {"Olga"}
    olga("DELETE", f"{waivers}{code}/", status=204)
    assert ben("GET", waivers).json()["results"][0]["revoked_at"] is not None
    olga("DELETE", f"{waivers}{code}/", status=400)

    shown = olga("POST", f"{round_}reveal/", {}, If_Match="*").json()
    assert shown["lists_published_at"] is not None
    assert ben("GET", of_ada).json()["roster"]["name"] == "Ada’s own"
    ada("POST", lists, {"warband": campaign.warbands["Ada"]}, 400)
    unlocked = olga("POST", f"{of_ada}unlock/").json()
    assert (unlocked["name"], unlocked["is_unlocked"]) == ("Ada", True)
    campaign.hand_in("Ada")

    # The round opens; one challenge is accepted, one declined, one withdrawn.
    olga("POST", f"{round_}publish/", {}, If_Match="*")
    game = campaign.challenge("Ada", "Ben")
    campaign.answer("Ada", game, "accept", 403)
    assert campaign.answer("Ben", game, "accept") == {"id": game, "status": "accepted"}
    declined = campaign.challenge("Cleo", "Ada")
    assert campaign.answer("Ada", declined, "decline")["status"] == "declined"
    withdrawn = campaign.challenge("Cleo", "Ben")
    assert campaign.answer("Cleo", withdrawn, "withdraw")["status"] == "withdrawn"
    cleo("GET", f"fixtures/{withdrawn}/", status=404)
    second = campaign.challenge("Cleo", "Ada")
    campaign.answer("Ada", second, "accept")

    # Its battle is set up with the lists, recorded with its key, and reported.
    fixture = f"fixtures/{game}/"
    cleo("POST", f"{fixture}battle/", {}, 403)
    opened = ada("POST", f"{fixture}battle/", {}).json()
    assert ben("POST", f"{fixture}battle/", {}).json() == opened
    assert opened["key"]
    battle = ada("GET", f"battles/{opened['battle']}/").json()
    assert [one["name"] for one in battle["sides"]] == ["Ada’s own", "Ben’s own"]
    out = {
        "id": "6f1d3c1e-2f4b-4f0e-9a57-0d5b8a3f6c21",
        "device": "phone",
        "seq": 1,
        "at": "2026-11-23T19:30:00Z",
        "kind": "state",
        "payload": {"combatant": "b2", "to": "out_of_action", "by": "a1"},
    }
    ada("POST", f"battles/{opened['battle']}/events/", {"events": [out]})
    told = {"winner_entry": campaign.entries["Ada"], "how": "rout"}
    for call in (ada, ben):
        done = call("POST", f"{fixture}result/", told, If_Match="*").json()
    assert done["status"] == "confirmed"
    read = olga("GET", fixture).json()
    assert read["figures"][campaign.entries["Ben"]]["out"] == 1

    # The other game is decided by the organiser, reversed, and decided again.
    decide = f"fixtures/{second}/decide/"
    walkover = {
        "decision": "walkover",
        "decided_for": campaign.entries["Cleo"],
        "reason": "Ada did not come.",
    }
    etag = campaign.etag(f"fixtures/{second}/")
    cleo("POST", decide, walkover, 403, If_Match=etag)
    asked = f"{decide}?decision=walkover&decided_for="
    olga("GET", f"{asked}{campaign.entries['Ben']}", status=400)
    olga("GET", f"{decide}?decision=lost", status=400)
    told = olga("GET", f"{asked}{campaign.entries['Cleo']}").json()["changes"]
    assert [
        (one["name"], one["points_after"]) for one in told if one["name"] == "Cleo"
    ] == [("Cleo", 3)]
    assert olga("GET", f"{decide}?decision=none").json() == {"changes": []}
    assert campaign.etag(f"fixtures/{second}/") == etag
    decided = olga("POST", decide, walkover, If_Match=etag).json()
    assert (decided["decision"], decided["winner_entry"]) == (
        "walkover",
        campaign.entries["Cleo"],
    )
    olga("POST", decide, walkover, 412, If_Match=etag)
    back = {"decision": None, "reason": "She came after all."}
    assert olga("POST", decide, back, If_Match="*").json()["decision"] is None
    olga("POST", decide, back, 400, If_Match="*")
    olga("POST", decide, walkover, If_Match="*")

    # It ends, is put away, and comes back.
    olga("POST", f"{round_}close/", {}, If_Match="*")
    etag = campaign.etag(event)
    ada("POST", f"{event}finish/", status=403, If_Match=etag)
    for step, key, value in (
        ("finish", "status", "finished"),
        ("archive", "is_archived", True),
        ("restore", "is_archived", False),
        ("reopen", "status", "running"),
        ("finish", "status", "finished"),
    ):
        answer = olga("POST", f"{event}{step}/", If_Match=etag)
        etag = answer.headers["ETag"]
        assert answer.json()[key] == value, step
    sent = {"other": campaign.entries["Ben"]}
    ada("POST", f"{event}challenges/", sent, 400)
    table = ada("GET", f"{event}standings/").json()["results"]
    assert {row["entry"]["name"]: row["points"] for row in table} == {
        "Ada": 3,
        "Cleo": 3,
        "Ben": 0,
    }


def test_event_step_needs_a_known_word_and_the_version(campaign: Campaign) -> None:
    campaign.olga("POST", f"{campaign.event}end/", status=404, If_Match="*")
    campaign.olga("POST", f"{campaign.event}finish/", status=428)
    campaign.olga("PATCH", campaign.event, {"place": "Upstairs"}, If_Match="*")
    campaign.olga("POST", f"{campaign.event}finish/", If_Match='"1"')
    campaign.olga("POST", f"{campaign.event}reopen/", status=412, If_Match='"1"')


def test_entry_is_renamed_and_brings_another_warband(campaign: Campaign) -> None:
    entry = f"{campaign.event}entries/{campaign.entries['Ada']}/"
    ada, ben, olga = campaign.programs["Ada"], campaign.programs["Ben"], campaign.olga
    told = ada("PATCH", entry, {"name": "Ada of the Quay", "warband": ""}).json()
    assert (told["name"], told["warband"]) == ("Ada of the Quay", None)
    told = ada("PATCH", entry, {"warband": campaign.warbands["Ada"]}).json()
    assert (told["name"], told["warband"]) == ("Ada of the Quay", campaign.warbands["Ada"])
    ben("PATCH", entry, {"name": "Somebody"}, 403)
    ada("PATCH", entry, {"name": "Ben"}, 400)
    ada("PATCH", entry, {"warband": campaign.warbands["Ben"]}, 400)
    ada("PATCH", entry, {"play_off": 1}, 403)
    assert olga("PATCH", entry, {"play_off": 1}).json()["name"] == "Ada of the Quay"
    olga("PATCH", entry, {"play_off": 0}, 400)
    olga("PATCH", entry, {"play_off": None})
