"""The page of a battle, its report, its lists and careers: in every state, for everybody who may
and may not read.
"""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.owner import Owner
from battles.models import Battle, BattleVisibility
from battles.operations.sides import QuickSide, RosterSide
from battles.presenters import luck_words
from battles.views import battles as views
from rulesdata import registry
from tests.battles.pages import browser_of, page, url
from tests.battles.steps import (
    append_events,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    void_result,
)
from tests.factories import (
    battle_owner,
    make_battle,
    make_club,
    make_duel,
    make_event,
    make_owner,
    make_person,
)
from tests.systems import some_of, systems_with
from warbands.exchange.document import to_document
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db

OUT = "out_of_action"
WON = {"winner": "a", "how": "objective"}
READING = ["battle-read", "battle-report", "battle-table-pack"]


def events() -> list[dict[str, object]]:
    """Two turns: somebody falls, somebody is wounded, a test is rolled, a step is forced, one is
    taken back.
    """
    told = [
        ("turn", {"number": 1, "side": "a"}),
        ("state", {"combatant": "b2", "to": OUT, "by": "a1"}),
        ("wounds", {"combatant": "a1", "to": 1}),
        ("turn", {"number": 2, "side": "b"}),
        (
            "state",
            {
                "combatant": "a3",
                "to": "left_table",
                "forced": True,
                "note": "Ran for the boats.",
                "in_phase": "movement",
            },
        ),
        ("wounds", {"combatant": "b3", "to": 0}),
        ("test", {"test": "injury", "combatant": "b3", "dice": [1], "source": "app"}),
        ("state", {"combatant": "b4", "to": OUT, "by": "a2"}),
    ]
    found = [
        make_event(kind, seq=number, **payload)
        for number, (kind, payload) in enumerate(told, 1)
    ]
    return [*found, make_event("undo", seq=9, event=found[-1]["id"])]


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# In its states


def test_battle_that_has_not_begun(ada: Owner, battle: Battle) -> None:
    told = text_of(page(browser_of(ada), url("battle-read", battle)))
    assert "Not started" in told
    assert "Nothing recorded yet." in told
    assert "Who took part" in told
    assert "8 models" in told
    assert "Record live Result" in told
    assert "Dice statistics" not in told


def test_battle_that_is_being_played(ada: Owner, battle: Battle) -> None:
    append_events(ada, battle.token, events=events())
    html = page(browser_of(ada), url("battle-read", battle))
    told = text_of(html)
    assert "Turn 2, being played 1 of 8 out against 1 of 8." in told
    assert "Out of action turn 1, by Captain" in told
    assert "Left the table turn 2" in told
    assert "Wounds left 1 of 2" in told
    assert "Turn 1 The Ferrymen" in told
    assert "“Ran for the boats.” Recorded in Movement Against the rules" in told
    assert told.count("Recorded in") == 1
    assert "1 undone or ignored" in told
    fallen = min(told.index("Out of action turn 1"), told.index("Left the table turn 2"))
    assert fallen < told.index("unharmed") < told.index("Turn by turn")
    assert (
        "Night Watch , 1 D6 rolled here Mean 1.0, by chance 3.5: too few dice to judge."
        in told
    )


def test_result_names_those_whose_last_wound_was_never_decided(ada, battle):
    lost = [
        ("wounds", {"combatant": "a1", "to": 0}),
        ("wounds", {"combatant": "b1", "to": 0}),
    ]
    found = [make_event(kind, seq=seq, **said) for seq, (kind, said) in enumerate(lost, 1)]
    found.append(
        make_event("test", seq=3, test="injury", combatant="b1", dice=[1], source="typed")
    )
    append_events(ada, battle.token, events=found)
    told = text_of(page(browser_of(ada), url("battle-read", battle)))
    assert told.count("Never decided: injury of Captain") == 1


def test_dice_are_drawn_and_stand_in_a_table(ada: Owner, battle: Battle) -> None:
    rolls = [
        make_event(
            "test",
            seq=number,
            test="initiative",
            combatant="b3",
            dice=[face],
            need=3,
            source="typed",
        )
        for number, face in enumerate([6] * 8 + [5] * 4, 1)
    ]
    append_events(ada, battle.token, events=rolls)
    html = page(browser_of(ada), url("battle-read", battle))
    figure = " ".join(html[html.index("<figure>") : html.index("</figure>")].split())
    assert "typed in" in figure
    assert "higher than in 19 of 20 series of fair dice" in figure
    bars = re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="8" height="([\d.]+)"', figure
    )
    assert [(float(y), float(height)) for _, y, height in bars] == [(30, 0)] * 4 + [
        (15, 15),
        (0, 30),
    ]
    assert re.findall(r"<td>(\d+)×</td>", figure) == ["0", "0", "0", "0", "4", "8"]
    assert 'y1="22.5" y2="22.5"' in figure  # twelve dice over six faces: two of eight


@pytest.mark.parametrize("sides, thrown, mean, words", [
    (6, 11, 6.0, "too few dice to judge"),
    (6, 12, 3.5, "within the usual range"),
    (6, 12, 4.4, "within the usual range"),
    (6, 12, 4.6, "higher than in 19 of 20 series of fair dice"),
    (6, 12, 2.4, "lower than in 19 of 20 series of fair dice"),
    (20, 100, 11.6, "within the usual range"),
    (20, 100, 11.8, "higher than in 19 of 20 series of fair dice"),
])  # fmt: skip
def test_luck(sides: int, thrown: int, mean: float, words: str) -> None:
    """A D6 has a standard deviation of 1.708, so twelve of them a standard error of 0.493; a D20
    5.766 and 0.577.
    """
    assert luck_words(sides, thrown, mean) == words


def test_result_in_every_state(ada: Owner, ben: Owner, battle: Battle) -> None:
    reader, mine, theirs = browser_of(), browser_of(ada), browser_of(ben)
    here = url("battle-read", battle)
    append_events(ada, battle.token, events=[make_event("end", **WON)])
    assert "Ended. Report the result The Ferrymen won, objective." in text_of(
        page(mine, here)
    )
    assert ">Result</a>" in page(mine, here)
    propose_result(ada, battle.token)
    assert "The Ferrymen won Objective in turn 1." in text_of(page(reader, here))
    assert "Confirm" in page(theirs, here)
    assert "/result/confirm/" not in page(mine, here)
    dispute_result(ben, battle.token, reason="You left early.", winner="b", how="conceded")
    told = text_of(page(reader, here))
    assert (
        "Disputed 0 of 8 out against 0 of 8. It does not count until both players agree."
        in told
    )
    assert "Night Watch won, conceded." in told
    assert "You left early" not in told
    assert "Night Watch won, conceded. “You left early.”" in text_of(page(mine, here))
    assert "Won" not in re.findall(r"Night Watch (\w+)|Ferrymen (\w+)", told)
    correct_result(ada, battle.token, reason="So we did.", winner="b", how="conceded")
    confirm_result(ben, battle.token)
    told = text_of(page(reader, here))
    assert "Night Watch won Conceded in turn 1." in told
    assert "Result history (4)" in told
    assert "Record live" not in page(mine, here)
    void_result(ada, battle.token, reason="Played by last year's rules.")
    assert "Void It does not count." in text_of(page(reader, here))
    assert "/result/restore/" in page(mine, here)
    assert "/result/restore/" not in page(reader, here)


def test_four_sides(ada: Owner) -> None:
    sides = [QuickSide(name, 3, 7) for name in ("Reds", "Blues", "Greens", "Greys")]
    battle = make_battle(actor=ada, sides=sides)
    append_events(
        ada, battle.token, events=[make_event("state", combatant="c1", to=OUT, by="d2")]
    )
    told = text_of(page(browser_of(ada), url("battle-read", battle)))
    assert "0 of 3 out against 0 of 3, 1 of 3, 0 of 3." in told


@some_of(systems_with("battle"), of=3, start=2)
def test_every_system_is_told_in_its_own_words(ada: Owner, book: object) -> None:
    rules = registry.battle_rules(book.key, book.variant)
    found = list(starters(book.address))[:2]
    sides = [
        *(RosterSide(to_document(one.roster)) for one in found),
        QuickSide("Night Watch", 5),
    ][:2]
    battle = make_battle(actor=ada, sides=sides, system=rules.system, variant=rules.variant)
    out = next(key for key, rule in rules.states.items() if rule.is_out)
    fallen = make_event(
        "state", seq=2, combatant="b1", to=out, by="a1", forced=True, note="-"
    )
    append_events(
        ada, battle.token, events=[make_event("turn", seq=1, number=2, side="a"), fallen]
    )
    for name in ("battle-read", "battle-report"):
        told = text_of(page(browser_of(ada), url(name, battle)))
        assert f"{rules.turn_name} 2" in told
        assert f"{rules.states[out].name} {rules.turn_name.lower()} 2, by" in told
        assert f"{rules.turn_name} by {rules.turn_name.lower()}" in told


def test_report_tells_everybody_and_folds_nothing(ada: Owner, battle: Battle) -> None:
    append_events(ada, battle.token, events=events())
    html = page(browser_of(), url("battle-report", battle))
    assert "Unharmed: " in html
    assert "<summary>" not in html[html.index('id="sides"') :]
    assert "data-print" in html


# Who reads


def test_who_may_read(ada: Owner, ben: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "table_pack", lambda *args, **options: b"%PDF-")
    organiser = make_person()
    club = make_club(owner=organiser, members=[ada, ben])
    battle = make_duel(ada=ada, ben=ben, club_id=club.pk)
    addresses = [url(name, battle) for name in READING]
    addresses.append(url("battle-export", battle, "json"))
    takes_part = [browser_of(ada), browser_of(ben), browser_of(battle=battle)]
    always = [*takes_part, browser_of(organiser)]
    others = [browser_of(), browser_of(make_person()), browser_of(make_owner())]
    for visibility in BattleVisibility.values:
        Battle.objects.update(visibility=visibility)
        status = 404 if visibility == "private" else 200
        for address in addresses:
            assert {client.get(address).status_code for client in always} == {200}, address
            assert {client.get(address).status_code for client in others} == {status}


def test_key_is_for_those_who_record(ada: Owner, ben: Owner, battle: Battle) -> None:
    for client, has_key in (
        (browser_of(ada), True),
        (browser_of(ben), True),
        (browser_of(), False),
    ):
        html = page(client, url("battle-read", battle))
        assert ("<svg" in html and battle.key[:4] + "-" in html) is has_key
        assert ("New code" in html) is (
            client.session.get("_auth_user_id") == str(ada.user_id)
        )
        pack = client.get(url("battle-table-pack", battle)).content
        assert battle.key.encode() not in pack


def test_pages_are_kept_from_search_engines_and_caches(battle: Battle) -> None:
    for name in ("battle-read", "battle-report", "battle-join"):
        answer = browser_of().get(url(name, battle))
        assert "noindex" in answer["X-Robots-Tag"]
        assert "no-store" in answer["Cache-Control"]


def test_joining_with_the_key(battle: Battle) -> None:
    client, join = Client(), url("battle-join", battle)
    typed = f"{battle.key[:4]}-{battle.key[4:8]} {battle.key[8:].lower()}"
    wrong = client.post(join, {"key": "ABCD-EFGH-JKLM", "to": "record"})
    assert (
        wrong.status_code,
        "That is not the code of this battle" in wrong.content.decode(),
    ) == (400, True)
    assert "ABCD-EFGH-JKLM" in wrong.content.decode()
    assert client.post(join, {"key": typed, "to": "read"})["Location"] == url(
        "battle-read", battle
    )
    assert ">Result</a>" in page(client, url("battle-read", battle))
    assert client.post(join, {"key": typed, "to": "record"})["Location"] == url(
        "battle-record", battle
    )


def test_joining_tells_nothing_of_the_battle(ada: Owner, ben: Owner) -> None:
    battle = make_duel(ada=ada, ben=ben, visibility="private")
    html = page(Client(), url("battle-join", battle))
    assert "Ferrymen" not in html
    nowhere = page(Client(), reverse("battle-join", args=["x" * 16]))
    shape = re.compile(r'value="[\w-]{30,}"|battles(/|%2F)[\w-]+?(/|%2F)')
    assert shape.sub("", html) == shape.sub("", nowhere)


def test_sharing(ada: Owner, ben: Owner, battle: Battle) -> None:
    share, old = url("battle-share", battle), battle.key
    for client in (browser_of(ben), browser_of(), browser_of(battle=battle)):
        assert client.post(share, {"visibility": "private"}).status_code == 404
    mine = browser_of(ada)
    assert mine.post(share, {"visibility": "public"}).status_code == 302
    refused = mine.post(share, {"visibility": "friends"}, follow=True)
    assert "is not one of the ways to share" in refused.content.decode()
    mine.post(share, {"new_key": "1"})
    battle.refresh_from_db()
    assert (battle.visibility, battle.key != old) == (BattleVisibility.PUBLIC, True)
    client = browser_of()
    session = client.session
    session["battle_keys"] = {battle.token: old}
    session.save()
    client.cookies["session"] = str(session.session_key)
    assert "Record live" not in page(client, url("battle-read", battle))
    assert mine.get(share).status_code == 405


def test_json_of_a_battle_is_json(battle: Battle) -> None:
    append_events(battle_owner(battle), battle.token, events=events())
    data = json.loads(browser_of().get(url("battle-export", battle, "json")).content)
    assert [side["out"] for side in data["sides"]] == [1, 1]
