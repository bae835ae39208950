"""Campaign rules for programs."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Club
from accounts.owner import Owner
from tests.api.conftest import Call
from tests.factories import SYSTEM, make_club, make_person, make_user

pytestmark = pytest.mark.django_db
Caller = Callable[[Owner], Call]
RULES = "campaign-rules/"


@pytest.fixture
def olga() -> Owner:
    return make_person(user=make_user(name="Olga"))


@pytest.fixture
def club(olga: Owner) -> Club:
    return make_club(owner=olga, name="The Quay")


def test_rules_are_listed_read_written_and_checked(caller, club, olga):
    call = caller(olga)
    row, _ = call("GET", RULES).json()["results"]
    assert (row["id"], row["club"], row["version"]) == ("muster-campaign", None, 1)
    document: dict[str, Any] = call("GET", f"{RULES}{row['id']}/").json()["document"]
    own = {**copy.deepcopy(document), "id": "quay", "name": "Quay campaign"}
    address = f"clubs/{club.slug}/campaign-rules/"
    made = call("POST", address, {"document": own}, 201).json()
    assert made["version"] == 1
    assert call("GET", f"{RULES}{made['id']}/").json()["document"] == own
    assert call("GET", RULES).json()["results"][2]["club"] == club.slug
    asked = {"document": own, "system": SYSTEM, "variant": None}
    assert call("POST", f"{RULES}check/", asked).json() == {"problems": []}


def test_every_fault_is_told_with_its_path(caller: Caller, club: Club, olga: Owner) -> None:
    call = caller(olga)
    asked = {"document": {"format": "campaign-rules/1", "name": 5}}
    problems = call("POST", f"{RULES}check/", asked).json()["problems"]
    assert {"id", "name", "kinds", "currencies"} <= {one["path"] for one in problems}
    told = call("POST", f"clubs/{club.slug}/campaign-rules/", asked, 400).json()
    assert [one["field"] for one in told["errors"]] == [
        f"document.{one['path']}" for one in problems
    ]
    told = call("POST", f"{RULES}check/", {**asked, "system": "none"}, 400).json()
    assert [one["field"] for one in told["errors"]] == ["system"]
    call("POST", f"{RULES}check/", {"document": []}, 400)
    call("GET", f"{RULES}own/nothing/", status=404)
