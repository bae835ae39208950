"""Scenarios written by people: the forms, what they refuse, and who sees what."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.owner import Owner
from engine.errors import Refusal
from rulesdata.models import Scenario
from rulesdata.operations.scenarios import (
    archive_scenario,
    change_scenario,
    create_scenario,
)
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.queries.scenarios import (
    PAGE_SIZE,
    load_carried_scenario,
    load_scenario,
    scenario_choices,
)
from tests.factories import make_club, make_person, make_user
from tests.rulesdata.scenarios import SYSTEM, draft, load_systems, side, store

pytestmark = pytest.mark.django_db
NEW = f"/rules/{SYSTEM}/scenarios/new/"
LIST = f"/rules/{SYSTEM}/scenarios/"


@pytest.fixture(autouse=True)
def _systems(db: None) -> None:
    load_systems()


@pytest.fixture
def user() -> User:
    return make_user(name="Hanna")


@pytest.fixture
def member(client: Client, user: User) -> Client:
    client.force_login(user)
    return client


def form(**changes: Any) -> dict[str, Any]:
    """What the form sends when somebody fills in two sides."""
    sent: dict[str, Any] = {
        "name": "Bridge at dawn", "summary": "One bridge, two bands.", "setup": "A river.",
        "objectives": "Hold the bridge.",
        "special_rules": "The water is cold.\n\nNobody swims.", "length": "Six turns",
        "waives": ["type.cavalry"], "visibility": "private", "sides-TOTAL_FORMS": "4",
        "sides-INITIAL_FORMS": "0", "sides-0-name": "Raiders", "sides-0-points": "150",
        "sides-0-role": "Cross.", "sides-1-name": "Watch",
    }  # fmt: skip
    return {**sent, **changes}


def own_url(token: str, page: str = "own") -> str:
    return reverse(f"scenario-{page}", args=[SYSTEM, token])


def test_visitor_is_sent_to_sign_in_and_comes_back(client: Client) -> None:
    response = client.get(NEW + "?from=ambush")
    assert response.status_code == 302
    assert response.headers["Location"].startswith(reverse("account_login"))
    assert "next=" in response.headers["Location"]
    assert "ambush" in response.headers["Location"]


def test_form_stores_what_was_written(member: Client) -> None:
    response = member.post(NEW, form())
    row = Scenario.objects.get(origin="own")
    assert response.headers["Location"] == own_url(row.key)
    scenario = load_scenario(SYSTEM, f"own/{row.key}", Owner(user_id=row.author_id))
    assert scenario is not None
    assert (scenario.name, scenario.origin, scenario.waives) == (
        "Bridge at dawn",
        "own",
        ("type.cavalry",),
    )
    assert scenario.sides == (
        {"name": "Raiders", "points": 150, "role": "Cross."},
        {"name": "Watch", "points": None, "role": ""},
    )
    assert scenario.special_rules == ("The water is cold.", "Nobody swims.")
    page = unescape(member.get(own_url(row.key)).content.decode())
    assert "The water is cold." in page
    assert "Mounted" in page or "type.cavalry" in page


def test_copy_of_a_rule_book_scenario_fills_the_form_and_stores_nothing(member):
    body = unescape(member.get(NEW + "?from=hunt-the-troll").content.decode())
    assert "Hunt the troll (copy)" in body
    assert "Brings the beast down." in body
    assert not Scenario.objects.filter(origin="own").exists()


def test_change_writes_the_scenario_anew(member: Client, user: User) -> None:
    token = store(Owner(user_id=user.pk), draft())
    assert "Bridge at dawn" in member.get(own_url(token, "edit")).content.decode()
    response = member.post(own_url(token, "edit"), form(name="Bridge at night", waives=[]))
    assert response.status_code == 302
    row = Scenario.objects.get(key=token)
    assert (row.name, row.waives) == ("Bridge at night", [])


def test_archive_takes_it_from_the_list_and_leaves_it_to_those_who_carry_it(member, user):
    actor = Owner(user_id=user.pk)
    token = store(actor, draft())
    member.post(own_url(token, "archive"))
    assert "Bridge at dawn" not in member.get(LIST).content.decode()
    assert "Bridge at dawn" in member.get(LIST + "?show=archived").content.decode()
    assert f"own/{token}" not in dict(scenario_choices(SYSTEM, actor))
    assert load_carried_scenario(SYSTEM, f"own/{token}") is not None
    member.post(own_url(token, "restore"))
    assert "Bridge at dawn" in member.get(LIST).content.decode()


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "Name: fill this in."),
    ({"name": "x" * 101}, "Name: at most 100 characters; this has 101."),
    ({"name": "\u202eevil"}, "Name holds a character that cannot be shown (U+202E)"),
    ({"name": "Z" + "\u0301" * 50}, "Name may have at most 4 marks on one letter."),
    ({"summary": "x" * 301}, "Summary: at most 300 characters; this has 301."),
    ({"setup": "x" * 2001}, "Setup: at most 2000 characters; this has 2001."),
    (
        {"special_rules": "\n".join("rule" for _ in range(13))},
        "Special rules: at most 12 lines; there are 13.",
    ),
    (
        {"special_rules": "x" * 301},
        "Special rules: one line may have at most 300 characters; this has 301.",
    ),
    ({"waives": ["no.such"]}, "Guidelines it waives: choose one of the list."),
    ({"visibility": "world"}, "Who can see it: choose"),
    ({"visibility": "club"}, "Who can see it: choose"),
    ({"sides-0-points": "-1"}, "Points: a whole number from 0 to 100,000."),
    ({"sides-0-points": "1e400"}, "Points: a whole number from 0 to 100,000."),
    ({"sides-0-points": "9" * 5000}, "Points: a whole number from 0 to 100,000."),
    ({"sides-0-name": ""}, "Name: fill this in."),
    (
        {"sides-0-name": "", "sides-0-points": "", "sides-0-role": "", "sides-1-name": ""},
        "at least one side",
    ),
    ({"name": "a\x00b"}, "Null characters are not allowed"),
]


def test_fault_is_told_by_field_and_limit_and_nothing_is_stored(member: Client) -> None:
    for changes, words in FAULTS:
        response = member.post(NEW, form(**changes))
        assert response.status_code == 422, changes
        assert words in unescape(response.content.decode()), changes
    for number in ("x", "9" * 20):
        assert member.post(NEW, form(**{"sides-TOTAL_FORMS": number})).status_code == 422
    assert not Scenario.objects.filter(origin="own").exists()


def test_operation_refuses_what_a_form_would_not_send() -> None:
    actor = make_person()
    bad = [
        draft(sides=()),
        draft(sides=tuple(side(f"Side {n}") for n in range(5))),
        draft(sides=(side("Raiders", True),)),
        draft(sides=(side("Raiders", 100_001),)),
        draft(waives=("profile.unknown",)),
        draft(visibility="world"),
        draft(visibility="club", club=make_club().pk),
        draft(name="\ud800"),
    ]
    for one in bad:
        with pytest.raises(Refusal):
            store(actor, one)
    with pytest.raises(Refusal):
        create_scenario(Owner(key="k" * 32), SYSTEM, draft())
    assert not Scenario.objects.filter(origin="own").exists()


def test_each_reader_sees_what_is_shared_with_them(client: Client) -> None:
    author, mate, stranger = make_user(), make_user(), make_user()
    owner = Owner(user_id=author.pk)
    club = make_club(owner=owner, members=[Owner(user_id=mate.pk)])
    tokens = {
        "private": store(owner, draft(name="Private one")),
        "link": store(owner, draft(name="Link one", visibility="link")),
        "club": store(owner, draft(name="Club one", visibility="club", club=club.pk)),
        "public": store(owner, draft(name="Public one", visibility="public")),
    }
    opens = {
        author: {"private", "link", "club", "public"},
        mate: {"link", "club", "public"},
        stranger: {"link", "public"},
        None: {"link", "public"},
    }
    lists = {
        author: opens[author],
        mate: {"club", "public"},
        stranger: {"public"},
        None: {"public"},
    }
    for reader, seen in opens.items():
        client.logout()
        if reader:
            client.force_login(reader)
        body = client.get(LIST).content.decode()
        actor = Owner(user_id=reader.pk) if reader else None
        for kind, token in tokens.items():
            assert client.get(own_url(token)).status_code == (
                200 if kind in seen else 404
            ), (reader, kind)
            assert (f"{kind.capitalize()} one" in body) == (kind in lists[reader]), (
                reader,
                kind,
            )
            assert (load_scenario(SYSTEM, f"own/{token}", actor) is not None) == (
                kind in seen
            )


def test_another_persons_scenario_is_not_there_to_change(client: Client) -> None:
    token = store(make_person(), draft(visibility="public"))
    client.force_login(make_user())
    assert client.get(own_url(token, "edit")).status_code == 404
    for page in ("edit", "archive", "restore"):
        assert client.post(own_url(token, page), form()).status_code == 404
    stranger = make_person()
    with pytest.raises(NotInRuleBook):
        change_scenario(stranger, SYSTEM, token, draft())
    with pytest.raises(NotInRuleBook):
        archive_scenario(stranger, SYSTEM, token)
    assert Scenario.objects.get(key=token).retired_at is None


def test_choices_are_the_packs_then_ones_own_then_the_clubs() -> None:
    owner, mate = make_person(), make_person()
    club = make_club(owner=owner, members=[mate])
    token = store(owner, draft(name="Club one", visibility="club", club=club.pk))
    store(make_person(), draft(name="Somebody’s", visibility="public"))
    pack = dict(scenario_choices(SYSTEM))
    assert "ambush" in pack
    assert set(dict(scenario_choices(SYSTEM, mate))) - set(pack) == {f"own/{token}"}
    assert list(dict(scenario_choices(SYSTEM, mate)))[-1] == f"own/{token}"


def test_list_takes_the_same_queries_for_one_and_three_and_goes_by_pages(
    client: Client, django_assert_num_queries: Any
) -> None:
    author = make_person()
    for number in (1, 2):
        for _ in range(number):
            store(author, draft(visibility="public"))
        with django_assert_num_queries(2):  # the count, the page with its authors
            client.get(LIST)
    for _ in range(PAGE_SIZE - 2):
        store(author, draft(visibility="public"))
    assert "Page 1 of 2" in client.get(LIST).content.decode()
    assert "Page 2 of 2" in client.get(LIST + "?page=99").content.decode()


@pytest.mark.parametrize(
    "hostile", ["<script>x</script>", "{{7*7}}", '"><img src=x>', "javascript:x"]
)
def test_hostile_text_is_shown_as_text(member: Client, hostile: str) -> None:
    member.post(
        NEW, form(name=hostile, summary=hostile, setup=hostile, special_rules=hostile)
    )
    token = Scenario.objects.get(origin="own").key
    for url in (own_url(token), own_url(token, "edit"), LIST, reverse("search") + "?q=x"):
        body = member.get(url).content.decode()
        assert "<script>x" not in body
        assert "<img src=x" not in body
