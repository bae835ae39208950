"""A club night by the API alone: from joining the club to the standings, with nobody at a browser."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.owner import Owner
from jobs.runner import run_job
from tests.api.conftest import Call, document, warrior
from tests.factories import SYSTEM, make_person, make_user

pytestmark = pytest.mark.django_db

ROSTER = document(
    warrior("captain", "halberd", leader=True),
    warrior("halberdiers", count=4),
    name="The Ferrymen",
)
PLAYERS = ("Ada", "Ben", "Cleo", "Dora", "Emil")


class Night:
    """The programs of an organiser and of the players, and the night they talk about."""

    def __init__(self, caller: Callable[[Owner], Call]) -> None:
        people = {name: make_person(user=make_user(name=name)) for name in PLAYERS}
        self.olga = caller(make_person(user=make_user(name="Olga")))
        self.programs = {name: caller(person) for name, person in people.items()}
        self.entries: dict[str, str] = {}
        self.event = ""

    def begin(self) -> None:
        """The club, who is in it, and the night they enter."""
        club = self.olga("POST", "clubs/", {"name": "The Quay"}, 201).json()
        code = f"{club['code'][:3].lower()} {club['code'][3:]}"
        for name, call in self.programs.items():
            call("GET", f"clubs/{club['slug']}/", status=404)
            joined = call("POST", "clubs/join/", {"code": code}).json()
            assert (joined["slug"], joined["role"]) == ("the-quay", "member"), name
        members = self.olga("GET", "clubs/the-quay/members/").json()["results"]
        assert [one["name"] for one in members] == ["Olga", *PLAYERS]
        terms = {
            "club": "the-quay",
            "name": "Thursday",
            "kind": "night",
            "method": "present",
            "system": SYSTEM,
            "confirmation": "organiser",
        }
        made = self.olga("POST", "events/", terms, 201).json()
        self.event = f"events/{made['id']}/"
        for name, call in self.programs.items():
            sent = {"me": True, "warband": self.warband(call)}
            entry = call("POST", f"{self.event}entries/", sent, 201).json()
            assert (entry["name"], entry["is_mine"]) == (name, True)
            self.entries[name] = entry["id"]

    def warband(self, call: Call) -> str:
        made = call("POST", "warbands/", ROSTER, 201)
        address = f"warbands/{made.json()['id']}/"
        etag = made.headers["ETag"]
        shared = {"visibility": "club", "club": "the-quay"}
        told = call("PATCH", address, shared, If_Match=etag).json()
        assert (told["visibility"], told["club"]) == ("club", "the-quay")
        return str(made.json()["id"])

    def step(self, step: str, body: Any = None, number: int = 1, status: int = 200) -> Any:
        address = f"{self.event}rounds/{number}/{step}/"
        return self.olga("POST", address, body or {}, status, If_Match="*").json()

    def here(self, *names: str) -> dict[str, Any]:
        return {"present": [self.entries[name] for name in names]}

    def names(self, fixture: dict[str, Any]) -> set[str]:
        return {one["name"] for one in fixture["entries"]}

    def of(self, round_: dict[str, Any], name: str) -> dict[str, Any]:
        return next(one for one in round_["fixtures"] if name in self.names(one))

    def report(self, fixture: dict[str, Any], winner: str) -> Any:
        """The winner tells it, with what the other side lost."""
        (loser,) = self.names(fixture) - {winner}
        said = {
            "winner_entry": self.entries[winner],
            "how": "rout",
            "figures": {self.entries[loser]: {"out": 3}},
        }
        address = f"fixtures/{fixture['id']}/"
        etag = self.programs[winner]("GET", address).headers["ETag"]
        done = self.programs[winner]("POST", f"{address}result/", said, If_Match=etag)
        assert done.json()["winner_entry"] == done.json()["winner"] == self.entries[winner]
        return done


@pytest.fixture
def night(caller: Callable[[Owner], Call]) -> Night:
    made = Night(caller)
    made.begin()
    return made


def test_night_from_the_code_of_the_club_to_the_standings(night: Night) -> None:
    olga = night.olga
    olga("POST", f"{night.event}rounds/", {}, 201)
    drawn = night.step("draw", {**night.here("Ada", "Ben", "Cleo", "Dora"), "seed": "a"})
    assert [len(one["entries"]) for one in drawn["fixtures"]] == [2, 2]
    night.programs["Ada"]("GET", f"fixtures/{drawn['fixtures'][0]['id']}/", status=404)

    # Ada and Ben share a car, and do not want to meet.
    mine = night.of(drawn, "Ada")
    (against,) = night.names(mine) - {"Ada"}
    other = next(one for one in ("Ben", "Cleo", "Dora") if one != against)
    swap = {"one": night.entries[against], "other": night.entries[other]}
    address = f"fixtures/{mine['id']}/"
    asked = olga("POST", f"{address}swap/?preview=1", swap, If_Match="*")
    assert (asked.json()["preview"], asked.headers["ETag"]) == (True, '"1"')
    done = olga("POST", f"{address}swap/", swap, If_Match='"1"').json()
    assert done == {**asked.json(), "preview": False}
    assert night.names(olga("GET", address).json()) == {"Ada", other}
    olga("POST", f"{address}swap/", swap, 412, If_Match='"1"')

    shown = night.step("publish")
    # Emil is late, with a guest; who has a game keeps it.
    guest = olga("POST", f"{night.event}entries/", {"name": "Fritz"}, 201).json()
    night.entries["Fritz"] = guest["id"]
    late = night.step("late", night.here("Emil", "Fritz"))
    assert [one["id"] for one in late["fixtures"]][:2] == [
        one["id"] for one in shown["fixtures"]
    ]
    assert night.names(late["fixtures"][2]) == {"Emil", "Fritz"}

    job = olga("POST", f"{night.event}rounds/1/print/", {"paper": "letter"}, 202).json()
    assert (job["status"], job["file"], job["total"]) == ("waiting", None, 3)
    run_job(job["id"])
    job = olga("GET", f"jobs/{job['id']}/").json()
    assert (job["status"], job["percent"], job["file_type"]) == (
        "done", 100, "application/pdf",
    )  # fmt: skip
    file = olga("GET", job["file"].partition("/api/v1/")[2])
    assert b"".join(file.streaming_content).startswith(b"%PDF")

    # Results are told by who won; an organiser accepts them, one and then the rest.
    for fixture, winner in ((late["fixtures"][2], "Emil"), (mine, "Ada")):
        now = olga("GET", f"fixtures/{fixture['id']}/").json()
        assert night.report(now, winner).json()["status"] == "proposed"
    table = olga("GET", f"{night.event}standings/").json()["results"]
    assert {row["entry"]["name"] for row in table if row["points"]} == {"Ada", "Emil"}
    etag = olga("GET", address).headers["ETag"]
    accepted = olga("POST", f"{address}accept/", {}, If_Match=etag).json()
    assert (accepted["status"], accepted["winner_entry"]) == ("final", night.entries["Ada"])
    night.step("accept", {"closes": True}, status=409)
    last = next(one for one in late["fixtures"] if not night.names(one) & {"Ada", "Emil"})
    winner = min(night.names(last))
    night.report(last, winner)
    closed = night.step("accept", {"closes": True})
    assert (closed["status"], {one["status"] for one in closed["fixtures"]}) == (
        "closed",
        {"final"},
    )

    # Ben goes home, and the others play on.
    ben = f"{night.event}entries/{night.entries['Ben']}/"
    gone = night.programs["Ben"]("POST", f"{ben}withdraw/", {}).json()
    assert (gone["is_dropped"], gone["dropped"]) == (True, 2)
    olga("POST", f"{night.event}rounds/", {}, 201)
    refused = night.step("draw", night.here("Ada", "Ben"), 2, 400)
    assert [one["field"] for one in refused["errors"]] == ["present"]
    night.step("draw", night.here("Ada", "Emil"), 2)
    night.report(night.step("publish", number=2)["fixtures"][0], "Ada")
    night.step("accept", number=2)

    battles = night.programs["Ada"]("GET", "battles/?status=confirmed").json()["results"]
    assert [sum(one["is_winner"] for one in row["sides"]) for row in battles] == [1, 1]
    table = night.programs["Ada"]("GET", f"{night.event}standings/").json()
    assert table["round"] == 2
    points = {row["entry"]["name"]: row["points"] for row in table["results"]}
    assert points["Ada"] == 6
    assert sum(points.values()) == 4 * 3
    first = table["results"][0]
    assert (first["entry"]["name"], first["won"], first["put_out"]) == ("Ada", 2, 6)
