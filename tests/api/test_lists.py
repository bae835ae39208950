"""The rule books in pages: complete, filtered, few queries, and clear about what they do not take."""

from functools import cache

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rulesdata import registry
from tests.api.conftest import is_refusal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_books")]

API = "/api/v1/"
SYSTEM = "warhammer-skirmish"
LISTS = ("systems", "armies", "profiles", "weapons", "armour", "scenarios")
# As the lists were counted, units without mounts
OF_ONE = {"armies": 16, "profiles": 465, "scenarios": 12}
every_list = pytest.mark.parametrize("name", LISTS)


@pytest.fixture
def read(program):
    """The JSON of a list, which must be there."""

    def ask(address):
        answer = program.get(address if address.startswith("http") else API + address)
        assert answer.status_code == 200, answer.content[:300]
        return answer.json()

    return ask


def books():
    return [
        registry.printed_army(system, key)
        for system in registry.systems()
        for key in registry.list_army_keys(system)
    ]


@cache
def totals():
    """How many there are of what one file or record each is written for."""
    # Several systems may field the same list.
    found = {book.key: book for book in books()}.values()
    return {
        "systems": len(registry.systems()),
        "armies": len(found),
        "profiles": sum(len(book.profiles) for book in found),
        "scenarios": sum(
            len(registry.load_base(key).scenarios) for key in registry.systems()
        ),
    }


@every_list
def test_list_has_the_promised_shape(read, name):
    page = read(f"{name}/")
    assert list(page) == ["count", "next", "previous", "results"]
    assert page["count"] == totals().get(name, page["count"]) > 0
    assert len(page["results"]) == min(50, page["count"])
    assert page["previous"] is None
    assert (page["next"] is None) == (page["count"] <= 50)


@every_list
def test_pages_walk_through_everything_once(read, name):
    size = 7 if name != "profiles" else 50
    page = read(f"{name}/?page_size={size}")
    rows = list(page["results"])
    while page["next"]:
        page = read(page["next"])
        assert page["previous"]
        rows += page["results"]
    keys = [
        (row.get("army") or row.get("system") or row.get("collection"), row["key"])
        for row in rows
    ]
    assert len(keys) == len(set(keys)) == page["count"]
    if name == "profiles":
        assert set(keys) == {(book.key, key) for book in books() for key in book.profiles}
    if name in ("weapons", "armour"):
        assert set(keys) == {
            (book.collection, key) for book in books() for key in getattr(book, name)
        }


@every_list
@pytest.mark.parametrize("filters", ["", f"system={SYSTEM}&"])
def test_at_most_three_queries_for_one_row_or_fifty(program, name, filters):
    if name == "systems" and filters:
        return  # the list of systems has no filter
    counts = []
    for size in (1, 50):
        with CaptureQueriesContext(connection) as queries:
            answer = program.get(f"{API}{name}/?{filters}page_size={size}")
        assert answer.status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 3


def test_all_filters_together_take_no_more_queries(program):
    with CaptureQueriesContext(connection) as queries:
        answer = program.get(
            f"{API}profiles/?system={SYSTEM}&army=the-empire&search=knight"
        )
    assert answer.json()["count"] == 2
    assert len(queries) == 2  # the count and the rows


def test_one_system_takes_no_query(program, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = program.get(f"{API}systems/{SYSTEM}/")
    body = answer.json()
    assert body["key"] == SYSTEM
    assert len(body["armies"]) == 16
    assert len(body["scenarios"]) == 12
    assert {
        "phases", "states", "charts", "tables", "guidelines", "house_rules", "rulings",
    } <= set(body)  # fmt: skip


# --- Filters ---------------------------------------------------------------------------------------------------------


def test_filters_of_the_profiles(read):
    empire = read("profiles/?army=the-empire&page_size=200")["results"]
    assert len(empire) == 27
    assert {row["army"] for row in empire} == {"the-empire"}
    captain = next(row for row in empire if row["key"] == "captain")
    assert (captain["points"], captain["category"], captain["offered"]) == (
        50, "hero", True,
    )  # fmt: skip
    assert captain["lines"][0]["Ld"] == 8
    assert "halberd" in [option["id"] for option in captain["options"]]
    assert captain["special_character"] is False
    assert [row["key"] for row in read("profiles/?search=WHITE+wolf")["results"]] == [
        "knights-of-the-white-wolf"
    ]
    assert read(f"profiles/?system={SYSTEM}")["count"] == 465


@pytest.mark.parametrize("name", OF_ONE)
def test_one_system_lists_its_own(read, name):
    assert read(f"{name}/?system={SYSTEM}")["count"] == OF_ONE[name] < totals()[name]


def test_piece_of_the_systems_own_is_of_no_collection(read):
    pistols = {
        row["collection"]: row
        for row in read("weapons/?search=pistol")["results"]
        if row["key"] == "pistol"
    }
    assert set(pistols) >= {"whfb6", "ecw", "d10"}
    (own,) = (
        row
        for row in read("weapons/?system=d10-skirmish&search=pistol")["results"]
        if row["key"] == "pistol"
    )
    assert own["collection"] == ""
    assert own["traits"] != pistols["d10"]["traits"]


def test_search_of_weapons_and_armour(read):
    assert "halberd" in [row["key"] for row in read("weapons/?search=HALB")["results"]]
    assert [row["save"] for row in read("armour/?search=plate+armour")["results"]] == [4]
    assert read("armour/?search=armour+plate") == read("armour/?search=plate+armour") | {
        "next": None
    }


def test_empty_filters_are_none(read):
    assert read("profiles/?system=&army=&search=")["count"] == totals()["profiles"]
    assert read("armies/?system=")["count"] == totals()["armies"]


@pytest.mark.parametrize(
    "value", ["chess", "Warhammer-Skirmish", "%20", "the-empire", "x" * 3000, "ä"]
)
@pytest.mark.parametrize("name", [name for name in LISTS if name != "systems"])
def test_unknown_system_in_a_filter_is_named(program, name, value):
    answer = program.get(f"{API}{name}/?system={value}")
    assert answer.status_code == 400
    assert is_refusal(answer)
    (error,) = answer.json()["errors"]
    assert error["field"] == "system"
    assert value == "%20" or value[:60] in error["message"]


@pytest.mark.parametrize("value", ["the-empires", "../x", "warhammer-skirmish", "x" * 3000])
def test_unknown_army_in_a_filter_is_named(program, value):
    answer = program.get(f"{API}profiles/?army={value}")
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["field"] == "army"
    assert value[:60] in error["message"]


@pytest.mark.parametrize(
    "words",
    ["%", "_", "%25", "\\", "'", '"', "';--", "%F0%9F%91%8D", "%E2%80%AE", "ß", "İ",
     "*", "(", "[", "^", "$", "\\Z", "+", "%E0%A4%A"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["profiles", "weapons", "armour"])
def test_search_takes_any_letters(program, name, words):
    answer = program.get(f"{API}{name}/?search={words}")
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        assert is_refusal(answer)
    elif words in ("%", "_", "%25", "\\", "*", "^", "$", "\\Z"):  # no wildcards
        assert answer.json()["count"] == 0


def test_search_has_a_limit(program):
    assert program.get(f"{API}profiles/?search={'x' * 100}").status_code == 200
    answer = program.get(f"{API}profiles/?search={'x' * 101}")
    assert answer.status_code == 400
    assert "100" in answer.json()["detail"]
    assert program.get(f"{API}profiles/?search={'+'.join('x' * 50)}").status_code == 200


# --- Pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field,value,status", [
    ("page_size", 200, 200), ("page_size", 201, 400), ("page_size", 1, 200),
    ("page", 19, 200), ("page", 20, 404), ("page", 2147483647, 404),
    ("page", 9_999_999_999_999, 404),
    ("page", "9" * 5000, 404),
    ("page_size", "9" * 5000, 400),
    ("page_size", 2147483648000, 400),
    ("page", "00", 400), ("page", 999_999_999, 404),
])  # fmt: skip
def test_edges_of_the_pages(program, field, value, status):
    answer = program.get(f"{API}profiles/?{field}={value}")
    assert answer.status_code == status
    assert status == 200 or is_refusal(answer)


def test_first_page_of_nothing_is_empty(read):
    assert read("profiles/?search=zzzz") == {
        "count": 0,
        "next": None,
        "previous": None,
        "results": [],
    }


def test_filters_stay_in_the_links(read):
    page = read(f"profiles/?system={SYSTEM}&search=e&page_size=5&page=2")
    assert all(
        part in page["next"]
        for part in (f"system={SYSTEM}", "search=e", "page_size=5", "page=3")
    )
    assert "page=3" not in page["previous"]
