"""A side without a list, taken by the player who brings one; and visitors who meet by link and code."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.owner import Owner
from battles.access import BattleCall
from battles.combatants import SideLineup
from battles.models import Battle, BattleCombatant
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import (
    LockedSide,
    QuickSide,
    WarbandSide,
    number_same_names,
    take_side,
)
from tests.battles.ledger import faults
from tests.battles.pages import browser_of, page, url
from tests.battles.steps import append_events
from tests.factories import (
    battle_record,
    make_event,
    make_legal_warband,
    make_owner,
    make_person,
)
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband

pytestmark = pytest.mark.django_db
SYSTEM = "warhammer-skirmish"


@pytest.fixture
def visitor() -> Owner:
    return make_owner()


@pytest.fixture
def battle(visitor: Owner) -> Battle:
    """A visitor's warband against so many models."""
    warband = make_legal_warband(actor=visitor, name="The Ferrymen")
    sides = [WarbandSide(warband.token), QuickSide("Foes", 7, 6)]
    opened = open_battle(visitor, BattleDraft(SYSTEM, sides))
    return Battle.objects.get(token=opened.token)


def guest_warband(name: str = "Night Watch") -> tuple[Owner, Warband]:
    guest = make_owner()
    return guest, make_legal_warband(actor=guest, name=name)


def test_visitor_brings_a_warband_for_a_side_without_a_list(battle: Battle) -> None:
    guest, warband = guest_warband()
    take_side(BattleCall(guest, battle.token, battle.key), "b", warband.token)
    record = battle_record(battle, actor=guest)
    taken = record.sides[1]
    assert (taken.name, taken.is_mine, taken.is_quick) == ("Night Watch", True, False)
    assert taken.size == len(taken.fighters) == warband.miniatures
    assert taken.snapshot_id is not None
    assert record.may_record, "by the session, without the code"
    battle.refresh_from_db()
    assert faults(battle) == []
    assert (
        BattleCombatant.objects.filter(battle=battle, side__key="b").count() == taken.size
    )


def test_second_warband_of_the_same_name_is_numbered(battle: Battle) -> None:
    guest, warband = guest_warband("The Ferrymen")
    take_side(BattleCall(guest, battle.token, battle.key), "b", warband.token)
    names = [side.name for side in battle_record(battle, actor=guest).sides]
    assert names == ["The Ferrymen", "The Ferrymen (2)"]


def test_what_cannot_be_taken(battle: Battle, visitor: Owner) -> None:
    guest, warband = guest_warband()
    keyed = BattleCall(guest, battle.token, battle.key)
    with pytest.raises(NotAllowed):
        take_side(BattleCall(guest, battle.token), "b", warband.token)
    with pytest.raises(Refusal, match="already has a list"):
        take_side(keyed, "a", warband.token)
    other = make_legal_warband(actor=make_person(), visibility="link")
    with pytest.raises(Refusal, match="your own"):
        take_side(keyed, "b", other.token)
    own = Warband.objects.get(name="The Ferrymen")
    with pytest.raises(Refusal, match="another side"):
        take_side(BattleCall(visitor, battle.token), "b", own.token)
    append_events(
        visitor, battle.token, events=[make_event("turn", seq=1, number=1, side="a")]
    )
    with pytest.raises(WrongState):
        take_side(keyed, "b", warband.token)


def test_visitors_find_a_battle_by_its_code_and_bring_a_warband(battle: Battle) -> None:
    guest, warband = guest_warband()
    client, find = browser_of(guest), reverse("battle-find")
    assert reverse("battle-find") in page(client, reverse("battle-list"))
    wrong = client.post(find, {"key": "ABCD-EFGH-JKLM"})
    assert (wrong.status_code, "No battle has this code" in wrong.content.decode()) == (
        400,
        True,
    )
    assert client.post(find, {"key": battle.key.lower(), "to": "read"})["Location"] == url(
        "battle-read", battle
    )
    html = page(client, url("battle-read", battle))
    assert "Bring warband" in html
    assert warband.token in html
    sent = {"side": "b", "warband": warband.token}
    assert client.post(url("battle-side", battle), sent).status_code == 302
    html = page(client, url("battle-read", battle))
    assert "Night Watch" in html
    assert "Bring warband" not in html


def test_visitor_shares_by_link_alone(visitor: Owner) -> None:
    warband = make_legal_warband(actor=visitor)
    address = reverse("warband-read", args=[warband.token])
    assert Client().get(address).status_code == 404
    context = WriteContext(visitor, warband.token)
    with pytest.raises(Refusal, match="share a warband by link only"):
        change_warband(context, visibility="public")
    change_warband(context, visibility="link")
    html = page(Client(), address)
    assert "Make my own copy" in html
    assert "Will be deleted" not in html, "that is told to its owner"
    assert "Will be deleted" in page(browser_of(visitor), address)
    against = [WarbandSide(warband.token), QuickSide("Foes", 3)]
    assert open_battle(make_owner(), BattleDraft(SYSTEM, against)).token


def test_sides_of_one_name_are_numbered_within_the_column() -> None:
    def named(*names: str) -> list[str]:
        sides = [LockedSide(SideLineup("a", name, ())) for name in names]
        return [side.lineup.name for side in number_same_names(sides)]

    assert named("Orcs", "Elves", "Orcs") == ["Orcs (1)", "Elves", "Orcs (2)"]
    assert named("x" * 200) == ["x" * 200]
    assert named("x" * 191, "x" * 191) == [f"{'x' * 190} (1)", f"{'x' * 190} (2)"]
