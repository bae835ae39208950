"""The pages of a club's equipment lists: made, named from units, changed, deleted."""

from typing import Any

import pytest

from rulesdata import registry
from rulesdata.operations.own_lists import change_own_list
from tests.factories import SYSTEM
from tests.rulesdata.test_own_list_pages import Place, profile, said

pytestmark = pytest.mark.django_db

ROW = {"id": "", "kind": "weapon", "per": "model", "item": "", "group": ""}


@pytest.fixture
def place() -> Place:
    return Place()


def sent(*options: tuple[str, str], name: str = "Armoury") -> dict[str, str]:
    """What a browser sends for a new equipment list of these options and prices."""
    rows = [{**ROW, "name": option, "points": price} for option, price in options]
    found = {
        "name": name, "options-TOTAL_FORMS": str(len(rows)), "options-INITIAL_FORMS": "0"
    }  # fmt: skip
    for number, row in enumerate(rows):
        found |= {f"options-{number}-{key}": value for key, value in row.items()}
    return found


def shown(place: Place, path: str) -> dict[str, Any]:
    """What a browser would send of a page that nobody touched."""
    context = place.client.get(f"{place.url}{path}").context
    fields = {f.html_name: said(f) for f in context["form"]}
    rows = {
        f.html_name: said(f) for row in context["options"] for f in row if f.name != "gone"
    }
    management = {f.html_name: f.value() for f in context["options"].management_form}
    return {**fields, **rows, **management}


def army(place: Place) -> Any:
    return registry.load_army(SYSTEM, str(place.own.token))


def test_list_is_made_once_and_named_from_units(place: Place) -> None:
    made = place.client.post(
        f"{place.url}equipment/new/", sent(("Boat hook", "3"), ("Net", "5"))
    )
    assert (made.status_code, made["Location"]) == (302, place.url)
    named = place.client.post(
        f"{place.url}profiles/new/", profile(equipment=["own-armoury"])
    )
    assert named.status_code == 302
    ferryman = next(p for p in army(place).profiles.values() if p.name == "Ferryman")
    bought = {option.key: option.points for option in ferryman.options}
    assert bought == {"own-cork-vest": 3, "own-boat-hook": 3, "own-net": 5}
    page = place.client.get(place.url).content.decode()
    assert page.count("Boat hook") == 1


def test_unit_form_keeps_what_a_unit_says_of_its_list(place: Place) -> None:
    place.client.post(f"{place.url}equipment/new/", sent(("Hook", "3"), ("Net", "5")))
    exception = {"list": "own-armoury", "without": ["own-net"], "prices": {"own-hook": 9}}

    def work(data: Any, away: Any) -> None:
        next(u for u in data["units"] if u["id"] == place.key)["equipment"] = [exception]

    change_own_list(place.organiser, str(place.own.token), work)
    data = shown(place, f"profiles/{place.key}/edit/")
    assert data["equipment"] == ["own-armoury"]
    place.client.post(f"{place.url}profiles/{place.key}/edit/", {**data, "points": "4"})
    unit = army(place).profiles[place.key]
    assert unit.points == 4
    assert {o.key: o.points for o in unit.options if o.key != "shield"} == {"own-hook": 9}
    data = shown(place, f"profiles/{place.key}/edit/")
    del data["equipment"]
    place.client.post(f"{place.url}profiles/{place.key}/edit/", data)
    assert [o.key for o in army(place).profiles[place.key].options] == ["shield"]


def test_changed_price_leads_to_the_warbands_that_paid_it(place: Place) -> None:
    place.client.post(f"{place.url}equipment/new/", sent(("Hook", "3")))
    data = shown(place, "equipment/own-armoury/edit/")
    answer = place.client.post(
        f"{place.url}equipment/own-armoury/edit/", {**data, "options-0-points": "4"}
    )
    assert answer["Location"] == f"/warbands/prices/{place.club.slug}/{place.own.token}/"


def test_list_that_units_name_is_not_deleted(place: Place) -> None:
    place.client.post(f"{place.url}equipment/new/", sent(("Hook", "3")))
    place.client.post(f"{place.url}profiles/new/", profile(equipment=["own-armoury"]))
    gone = f"{place.url}equipment/own-armoury/retire/"
    page = place.client.post(gone, follow=True).content.decode()
    assert "Not archived, because the list still needs it." in page
    assert "Armoury" in page
    data = shown(place, "profiles/own-ferryman/edit/")
    del data["equipment"]
    place.client.post(f"{place.url}profiles/own-ferryman/edit/", data)
    place.client.post(gone)
    assert (
        "Armoury" not in place.client.get(place.url).content.decode().split("</form>")[-1]
    )


@pytest.mark.parametrize("data, words", [
    (sent(("Hook", "3"), name=""), "Name: fill this in."),
    (sent(("Hook", "many")), "Points: a whole number"),
    (sent(("Hook", "5001")), "Points: a whole number"),
])  # fmt: skip
def test_what_cannot_be_kept_is_said_and_nothing_is_lost(place, data, words):
    answer = place.client.post(f"{place.url}equipment/new/", data)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert words in text
    assert f'value="{data["options-0-name"]}"' in text


def test_form_keeps_every_option_of_a_long_list(place: Place) -> None:
    options = [(f"Hook {number}", "1") for number in range(60)]
    place.client.post(f"{place.url}equipment/new/", sent(*options))

    def work(data: Any, away: Any) -> None:
        more = [{**data["equipment"][0]["options"][0], "id": f"x{n}"} for n in range(20)]
        data["equipment"][0]["options"] += more

    change_own_list(place.organiser, str(place.own.token), work)
    data = shown(place, "equipment/own-armoury/edit/")
    place.client.post(f"{place.url}equipment/own-armoury/edit/", {**data, "name": "Stores"})
    (shared,) = registry.own_list(str(place.own.token)).file.equipment
    assert (shared.name, len(shared.options)) == ("Stores", 80)
