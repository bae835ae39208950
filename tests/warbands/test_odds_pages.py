"""The pages of odds, match-ups, tests and dice: who sees what, what bad input gets, how many
queries they take.
"""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from accounts.models import User
from odds.dice_tray import KINDS, MOST_KEPT
from tests.factories import (
    make_club,
    make_legal_warband,
    make_person,
    make_warrior,
    owner_of,
)
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband

pytestmark = pytest.mark.django_db

PAIR = "/odds/?a=p:warhammer-skirmish:the-empire:captain&b=p:warhammer-skirmish:the-empire:halberdiers"
PAGES = [
    "/odds/",
    PAIR,
    f"{PAIR}&ao=great-weapon&ao=handgun&set=1&charging=1&book=mordheim-rulings.A",
    "/odds/?a=p:english-civil-war:parliament:musketeers&b=p:english-civil-war:royalists:pikemen",
    "/odds/?a=p:d10-skirmish:starter-list:sniper&b=p:d10-skirmish:starter-list:truck",
    "/odds/choose/",
    "/odds/choose/?side=b&army=the-empire&a=p:warhammer-skirmish:the-empire:captain",
    "/odds/choose/?band=s:warhammer-skirmish--the-empire",
    "/odds/match-up/",
    "/odds/match-up/?book=english-civil-war",
    "/odds/match-up/?book=d10-skirmish&measure=shot",
    "/odds/tests/",
    "/odds/tests/?book=english-civil-war&call=pursuit",
    "/odds/tests/?book=d10-skirmish",
    "/odds/dice/",
]


def first_warrior(warband: Warband) -> Warrior:
    return Warrior.objects.filter(warband=warband).earliest("position")


@pytest.mark.parametrize("url", PAGES)
def test_page_opens_for_everybody(client: Client, url: str) -> None:
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("url, status, words", [
    ("/odds/?a=q", 400, "A warband is written"),
    ("/odds/?a=p:chess:x:y", 404, ""),
    ("/odds/?a=p:warhammer-skirmish:the-empire:nobody", 404, ""),
    ("/odds/?a=w:aaaaaaaaaaaaaaaa:1", 404, ""),
    (f"{PAIR}&ao=no-such", 400, "Options: give at most"),
    (f"{PAIR}&set=1&charging=maybe", 422, "Charges: give 1 for yes or 0 for no."),
    (f"{PAIR}&set=1&state=asleep", 422, "The target is: give one of standing"),
    (f"{PAIR}&set=1&book=chess", 422, "Rules: give one of warhammer-skirmish"),
    ("/odds/?a=p:d10-skirmish:starter-list:sniper&b=p:warhammer-skirmish:the-empire:captain", 422,
     "cannot compare"),
    ("/odds/?a=p:english-civil-war:parliament:musketeers&b=p:english-civil-war:parliament:pikemen&attacks=900", 422,
     "Attacks: give a whole number from 0 to 200."),
    ("/odds/choose/?side=c", 400, "must be a or b"),
    ("/odds/choose/?link=nothing", 400, "Link: paste the whole address"),
    ("/odds/choose/?army=nowhere", 404, ""),
    ("/odds/match-up/?a=x:1", 400, "A warband is written"),
    ("/odds/match-up/?measure=luck", 422, "Chance of: give one of out, down, hurt, shot."),
    ("/odds/match-up/?book=nowhere", 404, ""),
    ("/odds/tests/?call=nothing", 404, ""),
    ("/odds/tests/?call=leadership_test&set=1&leadership=17", 422, "Leadership: give a whole number from 1 to 10."),
    ("/odds/tests/?call=leadership_test&set=1&leadership=", 422, "Leadership: this is needed."),
    ("/odds/tests/?call=all_alone&set=1&leadership=7&toughness=3&opponents=3", 422, "give a list of 2 to 10"),
    ("/odds/tests/?call=fall&set=1&height=nan&toughness=3", 422, "Height in inches: give inches"),
])  # fmt: skip
def test_bad_input_gets_a_sentence(client, url, status, words):
    answer = client.get(url)
    assert answer.status_code == status
    assert escape(words) in answer.content.decode()


def test_private_warband_is_nobody_elses_to_reckon_with(client, hanna):
    warband = make_legal_warband(actor=make_person(user=hanna), name="Hidden")
    key = f"w:{warband.token}:{first_warrior(warband).pk}"
    urls = [
        f"/odds/?a={key}",
        f"/odds/match-up/?a=w:{warband.token}",
        f"/odds/choose/?link=/warbands/{warband.token}/",
    ]
    assert [client.get(url).status_code for url in urls] == [404, 404, 404]
    client.force_login(hanna)
    assert [client.get(url).status_code for url in urls] == [200, 200, 200]
    change_warband(WriteContext(make_person(user=hanna), warband.token), visibility="link")
    assert [Client().get(url).status_code for url in urls] == [200, 200, 200]


def test_address_holds_everything(client: Client) -> None:
    """Whoever opens the address sees the same: weapon, circumstances, rules."""
    url = f"{PAIR}&ao=great-weapon&set=1&weapon=hand-weapon&charging=1&book=mordheim-draft"
    html = " ".join(client.get(url).content.decode().split())
    assert '<option value="hand-weapon" selected>' in html
    assert 'name="charging" value="1" checked' in html
    assert '<option value="mordheim-draft" selected>' in html
    assert 'value="great-weapon" checked' in html


def test_htmx_gets_the_part_it_asks_for(client: Client) -> None:
    for url, target in ((PAIR, "odds"), ("/odds/tests/", "test")):
        part = client.get(
            url, headers={"HX-Request": "true", "HX-Target": target}
        ).content.decode()
        assert part.lstrip().startswith(f'<div id="{target}"')
        assert "<html" not in part


def test_queries_are_few(client: Client, hanna: User) -> None:
    person = make_person(user=hanna)
    make_club(members=[person])
    both = [make_legal_warband(actor=person, name=name) for name in ("One", "Two")]
    for warband in both:
        make_warrior(warband=warband, profile="archers", count=5)
        assert owner_of(warband) == person
    client.force_login(hanna)
    a, b = (f"w:{w.token}:{first_warrior(w).pk}" for w in both)
    bands = [f"w:{w.token}" for w in both]
    urls = [
        f"/odds/?a={a}&b={b}",
        f"/odds/match-up/?a={bands[0]}&b={bands[1]}",
        f"/odds/choose/?b={b}",
        "/odds/dice/",
    ]
    for url in [*urls, "/odds/tests/"]:
        client.get(url)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200
        assert len(queries) <= 10, url


def test_option_lines_add_no_query(client: Client, hanna: User) -> None:
    warband = make_legal_warband(actor=make_person(user=hanna))
    client.force_login(hanna)
    url = f"/warbands/{warband.token}/warrior/{first_warrior(warband).pk}/"
    with CaptureQueriesContext(connection) as queries:
        html = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "Out of action 43" in html
    assert "against a plain warrior (WS 3, S 3, T 3, A 1, save 6+)" in html
    assert len(queries) <= 10


# --- Dice ----------------------------------------------------------------------------------------------------------


def throw(client: Client, **sent: Any) -> Any:
    return client.post("/odds/dice/", sent)


def test_dice_are_rolled_kept_and_marked(client: Client) -> None:
    for kind in KINDS:
        assert throw(client, dice=kind, why="Rout test").status_code == 302
    assert throw(client, dice="2D6", faces="3, 4", why="At the table").status_code == 302
    html = client.get("/odds/dice/").content.decode()
    assert html.count("Rolled here") == len(KINDS)
    assert html.count("Typed in") == 1
    assert "<td>7</td>" in html
    for record in client.session["dice_tray"]:
        sides = int(record["dice"].rpartition("D")[2])
        assert all(1 <= face <= sides for face in record["faces"])


def test_tray_keeps_the_last_fifty_and_can_be_emptied(client: Client) -> None:
    for place in range(MOST_KEPT + 3):
        throw(client, dice="D6", why=f"No. {place}")
    kept = client.session["dice_tray"]
    assert len(kept) == MOST_KEPT
    assert kept[0]["why"] == f"No. {MOST_KEPT + 2}"
    client.post("/odds/dice/clear/")
    assert "No rolls yet" in client.get("/odds/dice/").content.decode()


@pytest.mark.parametrize("sent, words", [
    ({"dice": "D7"}, "Dice: choose one of D3, D4, D6, 2D6, 3D6, D10, D20."),
    ({"dice": ""}, "Dice: choose one of"),
    ({"dice": "D6", "times": "21"}, "How many: give a whole number from 1 to 20."),
    ({"dice": "3D6", "times": "7"}, "How many: give a whole number from 1 to 6 for 3D6."),
    ({"dice": "2D6", "faces": "3, 7"}, "Faces: give 2 numbers, each from 1 to 6."),
    ({"dice": "D6", "faces": "3, 4"}, "Faces: give a number from 1 to 6."),
    ({"dice": "D6", "faces": "six"}, "Faces: give a number from 1 to 6."),
    ({"dice": "D6", "why": "x" * 101}, "What for: at most 100 characters."),
])  # fmt: skip
def test_bad_throw_is_refused_and_nothing_kept(client, sent, words):
    answer = throw(client, **sent)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert "dice_tray" not in client.session
