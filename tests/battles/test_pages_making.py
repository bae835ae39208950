"""Setting a battle up on its page: own warbands, links, quick sides, what is agreed, and what is
refused.
"""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape, strip_tags

from accounts.owner import Owner
from battles.models import Battle
from tests.battles.pages import browser_of, fields, page
from tests.factories import (
    battle_record,
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
)
from tests.guards.forms import forms_in
from tests.rulebooks import load_books
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband

pytestmark = pytest.mark.django_db
NEW = "/battles/new/"
QUICK = {
    "side1-kind": "quick",
    "side1-quick_name": "Bracken Lodge",
    "side1-quick_models": "9",
}


@pytest.fixture
def client(ada: Owner) -> Client:
    return browser_of(ada)


def post(client: Client, asked: str = "", **changes: str) -> Any:
    html = page(client, NEW + asked)
    return client.post(NEW, {**fields(html, NEW), **changes})


def made() -> Battle:
    return Battle.objects.get()


def test_address_is_the_one_of_the_test() -> None:
    assert reverse("battle-new") == NEW


def test_one_warband_against_a_quick_side(ada: Owner, client: Client) -> None:
    """With one warband of one's own two fields are enough."""
    warband = make_legal_warband(actor=ada, name="The Ferrymen")
    answer = post(client, **QUICK, **{"side1-quick_leadership": "7"})
    battle = made()
    assert answer["Location"] == reverse("battle-read", args=[battle.token])
    record = battle_record(battle)
    assert [side.name for side in record.sides] == ["The Ferrymen", "Bracken Lodge"]
    assert (record.sides[0].warband, record.sides[1].leadership, record.sides[1].size) == (
        warband.token,
        7,
        9,
    )
    assert (record.visibility, record.fought_date) == ("link", timezone.localdate())


def test_their_warband_by_its_link(ada: Owner, client: Client) -> None:
    make_legal_warband(actor=ada, name="The Ferrymen")
    theirs = make_legal_warband(actor=make_person(), name="Night Watch", visibility="link")
    for link in (
        theirs.token,
        f"https://club.example.org/warbands/{theirs.token}/",
        f"/warbands/{theirs.token}/sheet/?a=1",
    ):
        post(client, **{"side1-kind": "link", "side1-link": link})
        battle = made()
        assert battle_record(battle).sides[1].name == "Night Watch"
        battle.delete()


def test_everything_that_can_be_agreed(ada: Owner, client: Client) -> None:
    load_books()
    club = make_club(members=[ada])
    make_legal_warband(actor=ada)
    html = page(client, NEW)
    rule = next(
        name
        for name in fields(html, NEW) | dict.fromkeys(_ticks(html))
        if name.startswith("rule-")
    )
    sent = {
        "scenario": "border-skirmish", "attacker": "1", "first": "0",
        "fought_date": "2025-04-03", "visibility": "private", "club": str(club.pk),
        "note": "One hour.\r\nNo mounts.", rule: "on",
    }  # fmt: skip
    post(client, **QUICK, **sent)
    record = battle_record(made())
    assert (record.scenario, record.attacker, record.first) == ("border-skirmish", "b", "a")
    assert (str(record.fought_date), record.visibility, record.club_id) == (
        "2025-04-03",
        "private",
        club.pk,
    )
    assert record.note == "One hour.\nNo mounts."
    assert record.house_rules[rule.removeprefix("rule-")] is True


def _ticks(html: str) -> list[str]:
    return [
        name
        for form in forms_in(html, NEW, "")
        for name, one in form.controls.items()
        if one.kind == "checkbox"
    ]


def test_from_a_warbands_page(ada: Owner, client: Client) -> None:
    """One's own is one's side; somebody else's is theirs."""
    mine = make_legal_warband(actor=ada)
    make_legal_warband(actor=ada, name="Another")
    theirs = make_legal_warband(actor=make_person(), name="Night Watch", visibility="link")
    assert (
        fields(page(client, f"{NEW}?warband={mine.token}"), NEW)["side0-own"] == mine.token
    )
    shown = fields(page(client, f"{NEW}?warband={theirs.token}"), NEW)
    assert (shown["side0-kind"], shown["side1-kind"], shown["side1-link"]) == (
        "own",
        "link",
        theirs.token,
    )
    assert "side0-own" not in shown
    hidden = make_legal_warband(actor=make_person(), name="Secret")
    assert "side1-link" not in fields(page(client, f"{NEW}?warband={hidden.token}"), NEW)


def test_warbands_of_another_system_are_not_offered(ada: Owner, client: Client) -> None:
    mine = make_legal_warband(actor=ada, name="The Ferrymen")
    make_warband(actor=ada, name="Empty")
    assert mine.token not in page(client, f"{NEW}?system=d10-skirmish")
    html = page(client, NEW)
    assert "The Ferrymen" in html
    assert "Empty" not in html


def test_another_side_keeps_what_was_typed(ada: Owner, client: Client) -> None:
    make_legal_warband(actor=ada)
    answer = post(client, **QUICK, sides_to="3", note="One hour.", attacker="1")
    html = answer.content.decode()
    assert (answer.status_code, Battle.objects.count()) == (200, 0)
    assert "Not saved" not in html
    shown = fields(html, NEW)
    assert {name: shown[name] for name in QUICK} == QUICK
    assert (shown["sides"], shown["note"], shown["attacker"], shown["side2-kind"]) == (
        "3", "One hour.", "1", "link",
    )  # fmt: skip
    third = {"side2-kind": "quick", "side2-quick_name": "Greens", "side2-quick_models": "4"}
    assert client.post(NEW, {**shown, **third}).status_code == 302
    assert [side.size for side in battle_record(made()).sides] == [8, 9, 4]


def test_sent_twice_is_one_battle(ada: Owner, client: Client) -> None:
    make_legal_warband(actor=ada)
    sent = {**fields(page(client, NEW), NEW), **QUICK}
    first, again = (client.post(NEW, sent)["Location"] for _ in range(2))
    assert first == again
    assert Battle.objects.count() == 1


def test_nobody_in_particular_sets_one_up() -> None:
    """The browser that did is told apart by its session, and looks after the battle."""
    client = Client()
    mine = {"side0-kind": "quick", "side0-quick_name": "We", "side0-quick_models": "5"}
    answer = post(client, **mine, **QUICK)
    assert "Record live" in page(client, answer["Location"])
    assert "Record live" not in page(Client(), answer["Location"])
    assert '<option value="public"' not in page(client, NEW)


BAD: list[tuple[dict[str, str], int | None, str]] = [
    ({"side0-kind": "friend"}, 0, "kind"),
    ({"side0-own": ""}, 0, "own"),
    ({"side0-own": "x" * 16}, 0, "own"),
    ({"side1-kind": "link", "side1-link": ""}, 1, "link"),
    ({"side1-kind": "link", "side1-link": "https://example.org/"}, 1, "link"),
    ({"side1-kind": "link", "side1-link": "A1b2C3d4E5f6G7h8"}, 1, "link"),
    ({"side1-kind": "link", "side1-link": "x" * 301}, 1, "link"),
    ({"side1-quick_name": ""}, 1, "quick_name"),
    ({"side1-quick_name": "a\u202eb"}, 1, "quick_name"),
    ({"side1-quick_name": "x" * 201}, 1, "quick_name"),
    ({"side1-quick_models": ""}, 1, "quick_models"),
    ({"side1-quick_models": "0"}, 1, "quick_models"),
    ({"side1-quick_models": "201"}, 1, "quick_models"),
    ({"side1-quick_models": "9" * 5000}, 1, "quick_models"),
    ({"side1-quick_leadership": "11"}, 1, "quick_leadership"),
    ({"scenario": "nothing-here"}, None, "scenario"),
    ({"attacker": "2"}, None, "attacker"),
    ({"first": "-1"}, None, "first"),
    ({"fought_date": "1979-12-31"}, None, "fought_date"),
    ({"fought_date": "yesterday"}, None, "fought_date"),
    ({"fought_date": "9999-12-31"}, None, "fought_date"),
    ({"visibility": "everybody"}, None, "visibility"),
    ({"note": "x" * 2001}, None, "note"),
    ({"note": "a\x07b"}, None, "note"),
]


def test_bad_input_names_its_field_and_loses_nothing(ada: Owner, client: Client) -> None:
    make_legal_warband(actor=ada)
    sent = {**fields(page(client, NEW), NEW), **QUICK, "note": "Kept."}
    for changes, form, named in BAD:
        answer = client.post(NEW, {**sent, **changes})
        assert answer.status_code == 400, changes
        checked = answer.context["form"] if form is None else answer.context["sides"][form]
        assert list(checked.errors) == [named], changes
        html = answer.content.decode()
        # A field without room for a refusal has it in the list above, behind a link's words.
        assert escape(str(checked.errors[named][0])[:20]) in strip_tags(html)
        kept = fields(html, NEW).get("side1-quick_name", "")
        assert kept == changes.get("side1-quick_name", "Bracken Lodge")
        # What is wrong in what stands folded away opens it.
        is_open = form is None and named != "scenario"
        assert f'<details class="fold further"{" open" if is_open else ""}>' in html
    assert Battle.objects.count() == 0


def test_errors_lead_to_fields_that_stand_on_the_page(ada: Owner, client: Client) -> None:
    bad = {"side0-kind": "", "side1-quick_models": "0", "fought_date": "x"}
    html = post(client, **{**QUICK, **bad}).content.decode()
    links = re.findall(r'<li><a href="#([\w-]+)"', html)
    assert {"id_side0-kind", "id_side1-quick_models", "id_fought_date"} <= set(links)
    assert [link for link in links if html.count(f'id="{link}"') != 1] == []


def test_refusals_of_the_operation_stand_at_their_side(ada: Owner, client: Client) -> None:
    mine = make_legal_warband(actor=ada)
    hidden = make_legal_warband()
    archived = make_legal_warband(actor=ada, name="Old", visibility="link")
    archive_warband(WriteContext(ada, archived.token))
    other = make_warband(
        actor=make_person(), system="d10-skirmish", army="starter-list", visibility="link"
    )
    for link in (hidden.token, archived.token, other.token, mine.token):
        answer = post(client, **{"side1-kind": "link", "side1-link": link})
        assert answer.status_code == 400
        assert list(answer.context["sides"][1].errors) == ["link"], link
    assert Battle.objects.count() == 0


def test_form_of_no_system(client: Client) -> None:
    assert client.post(NEW, {"system": "chess"}).status_code == 400
    assert (
        client.get(NEW, {"system": "chess", "sides": "99", "warband": "x"}).status_code
        == 200
    )


def test_warband_of_a_session(ada: Owner) -> None:
    guest = make_owner()
    mine = make_legal_warband(actor=guest, name="Of a session")
    assert fields(page(browser_of(guest), NEW), NEW)["side0-own"] == mine.token
    assert mine.token not in page(browser_of(ada), NEW)
