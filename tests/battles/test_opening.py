"""Setting a battle up: who may be in it, what is locked, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import FaultyDocument, KeyReused, Refusal
from accounts.owner import NOBODY
from battles.models import Battle, BattleCombatant, Snapshot
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide, RosterSide, WarbandSide
from battles.queries.battles import load_sheets
from clubs.operations import change_rulings
from rulesdata import registry
from tests.factories import (
    EMPIRE,
    SYSTEM,
    battle_record,
    make_battle,
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    make_warrior,
    owner_of,
)
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband, change_warband, delete_warband
from warbands.queries.warbands import load_warband, sheet_of
from warbands.sheet.difference import difference

pytestmark = pytest.mark.django_db

QUICK = QuickSide("Night Watch", 8, 7)
DOCUMENT: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": SYSTEM,
    "army": EMPIRE,
    "name": "River patrol",
    "warriors": [
        {"profile": "captain", "name": "Ostwin", "leader": True},
        {"profile": "halberdiers", "count": 3},
    ],
}


def test_battle_as_it_was_agreed() -> None:
    ada = make_person()
    club = make_club(owner=ada)
    battle = make_battle(
        actor=ada,
        scenario="border-skirmish",
        attacker=1,
        first=0,
        note="No magic.",
        visibility="private",
        club_id=club.pk,
        fought_date=date(2024, 5, 1),
        confirm_days=5,
    )
    record = battle_record(battle)
    assert (record.system, record.variant, record.scenario) == (
        SYSTEM,
        None,
        "border-skirmish",
    )
    assert record.scenario_record is not None
    assert record.scenario_name == record.scenario_record.name
    assert (record.attacker, record.first, record.note, record.visibility) == (
        "b",
        "a",
        "No magic.",
        "private",
    )
    assert (record.club_id, record.fought_date, record.confirm_days) == (
        club.pk,
        date(2024, 5, 1),
        5,
    )
    assert (record.result.status, record.position, record.version, record.is_closed) == (
        "open",
        0,
        1,
        False,
    )
    assert len(record.key) == 12
    assert len(record.token) == 16


def test_sides_are_locked_with_everybody_in_them() -> None:
    ada = make_person()
    warband = make_legal_warband(actor=ada, name="The Ferrymen")
    battle = make_battle(
        actor=ada, sides=(WarbandSide(warband.token), RosterSide(DOCUMENT), QUICK)
    )
    record = battle_record(battle)
    assert [(side.key, side.name, side.size, side.points) for side in record.sides] == [
        ("a", "The Ferrymen", 8, 102),
        ("b", "River patrol", 4, record.sides[1].points),
        ("c", "Night Watch", 8, None),
    ]
    assert [side.is_quick for side in record.sides] == [False, False, True]
    assert [side.warband for side in record.sides] == [warband.token, "", ""]
    assert [side.is_mine for side in record.sides] == [True, False, False]
    rows = BattleCombatant.objects.filter(battle=battle).order_by(
        "side__position", "position"
    )
    assert [row.key for row in rows] == [
        f.id for side in record.sides for f in side.fighters
    ]
    assert {(row.state, row.is_out, row.kills, row.put_out_by) for row in rows} == {
        ("standing", False, 0, "")
    }
    assert record.title == "The Ferrymen against River patrol against Night Watch"
    hashes = Snapshot.objects.values_list("hash", flat=True)
    assert [len(one) for one in hashes] == [64, 64]
    assert len(set(hashes)) == 2


def test_later_changes_of_a_warband_do_not_reach_the_record() -> None:
    ada = make_person()
    warband = make_legal_warband(actor=ada, name="The Ferrymen")
    battle = make_battle(actor=ada, sides=(WarbandSide(warband.token), QUICK))
    before = battle_record(battle)
    sheet = load_sheets(before)["a"]
    make_warrior(warband=warband, profile="greatswords")
    change_warband(
        WriteContext(ada, warband.token), name="The Drowned", visibility="public"
    )
    after = battle_record(battle)
    assert after.sides == before.sides
    assert load_sheets(after)["a"] == sheet
    now = load_warband(ada, warband.token)
    assert now is not None
    assert difference(sheet, sheet_of(now)) == (
        "renamed “The Drowned”",
        "+1 Greatsword",
        "12 pts more",
    )
    delete_warband(WriteContext(ada, warband.token), "The Drowned")
    gone = battle_record(battle)
    assert (gone.sides[0].warband_id, gone.sides[0].fighters) == (
        None,
        before.sides[0].fighters,
    )
    assert load_sheets(gone)["a"] == sheet


def test_same_roster_again_is_the_same_snapshot() -> None:
    ada = make_person()
    warband = make_legal_warband(actor=ada)
    for _ in range(2):
        make_battle(actor=ada, sides=(WarbandSide(warband.token), QUICK))
    change_warband(WriteContext(ada, warband.token), visibility="public")
    make_battle(actor=ada, sides=(WarbandSide(warband.token), QUICK))
    assert Snapshot.objects.count() == 1
    make_warrior(warband=warband)
    make_battle(actor=ada, sides=(WarbandSide(warband.token), QUICK))
    first, second = Snapshot.objects.order_by("pk")
    assert first.hash != second.hash
    assert (first.version, second.version) == (warband.version, warband.version + 2)
    assert (second.points, second.miniatures) == (first.points + 6, first.miniatures + 1)
    sheets = [
        load_sheets(battle_record(battle))["a"] for battle in Battle.objects.order_by("pk")
    ]
    assert sheets[0] == sheets[2]
    assert difference(sheets[0], sheets[3]) == ("+1 Halberdier", "6 pts more")


def test_two_sides_of_one_name_are_told_apart() -> None:
    battle = make_battle(sides=(QuickSide("Orcs", 3), QuickSide("Orcs", 4)))
    assert [side.name for side in battle_record(battle).sides] == ["Orcs (1)", "Orcs (2)"]


def test_somebody_elses_warband_is_locked_where_it_is_shared() -> None:
    ada, ben = make_person(), make_person()
    club = make_club(owner=ada, members=[ben])
    for visibility, shared in (
        ("link", {}),
        ("public", {}),
        ("club", {"club_id": club.pk}),
    ):
        warband = make_legal_warband(actor=ben, visibility=visibility, **shared)
        battle = make_battle(actor=ada, sides=(WarbandSide(warband.token), QUICK))
        assert [side.owner_id for side in battle.sides.order_by("position")] == [
            ben.user_id,
            None,
        ]
    hidden = make_legal_warband(actor=ben)
    unclaimed = make_legal_warband(actor=make_owner())
    for warband in (hidden, unclaimed):
        with pytest.raises(Refusal) as refused:
            make_battle(actor=ada, sides=(QUICK, WarbandSide(warband.token)))
        assert refused.value.field == "sides[1].warband"
    assert Battle.objects.count() == 3


def test_visitors_battle_is_their_sessions_and_nobodys_is_its_keys() -> None:
    visitor = make_owner()
    warband = make_legal_warband(actor=visitor)
    battle = make_battle(actor=visitor, sides=(WarbandSide(warband.token), QUICK))
    side = battle.sides.get(key="a")
    assert (battle.owner_id, battle.owner_key, side.owner_key) == (
        None,
        visitor.key,
        visitor.key,
    )
    bare = make_battle(actor=NOBODY, sides=(RosterSide(DOCUMENT), QUICK))
    assert (bare.owner_id, bare.owner_key) == (None, "")


@pytest.mark.parametrize(
    "fields,field,words",
    [
        ({"system": "chess"}, "system", "the systems are"),
        ({"variant": "A"}, "variant", "has no versions"),
        (
            {"system": "mordheim-rulings"},
            "variant",
            "version of Mordheim rulings: A, B, C.",
        ),
        ({"sides": []}, "sides", "2 to 8 sides, not 0"),
        ({"sides": [QUICK]}, "sides", "2 to 8"),
        ({"sides": [QUICK] * 9}, "sides", "2 to 8 sides, not 9"),
        ({"sides": [QUICK, QuickSide("x", 0)]}, "sides[1].quick.models", "1 to 200"),
        ({"sides": [QuickSide("x", 5, 11), QUICK]}, "sides[0].quick.leadership", "1 to 10"),
        ({"sides": [QUICK, WarbandSide("")]}, "sides[1].warband", "no such warband"),
        ({"attacker": 2}, "attacker", "from 0 to 1"),
        ({"first": -1}, "first", "from 0 to 1"),
        ({"first": True}, "first", "from 0 to 1"),
        ({"scenario": "nowhere"}, "scenario", "no scenario"),
        ({"scenario": "own/x"}, "scenario", "no scenario"),
        ({"house_rules": {"magic": True}}, "house_rules", "no house rule"),
        (
            {"house_rules": {"poison_auto_wound_may_crit": 1}},
            "house_rules",
            "must be true or false",
        ),
        ({"note": "x" * 2001}, "note", "at most 2,000"),
        ({"note": "a\x00b"}, "note", "U+0000"),
        ({"visibility": "club"}, "visibility", "private, link, public"),
        ({"club_id": 10**9}, "club_id", "clubs you belong to"),
        ({"fought_date": date(1979, 12, 31)}, "fought_date", "1980-01-01"),
        ({"fought_date": date(9999, 12, 31)}, "fought_date", "and today"),
        ({"confirm_days": 0}, "confirm_days", "1 to 60"),
        ({"confirm_days": 61}, "confirm_days", "1 to 60"),
    ],
)
def test_refused_with_the_field_and_its_limit(
    fields: dict[str, Any], field: str, words: str
) -> None:
    asked = {"system": SYSTEM, "sides": [QUICK, QUICK]}
    with pytest.raises(Refusal) as refused:
        open_battle(make_person(), BattleDraft(**{**asked, **fields}))
    assert refused.value.field == field
    assert words in refused.value.message
    assert (Battle.objects.count(), Snapshot.objects.count()) == (0, 0)


def test_sides_that_do_not_go_together_are_refused() -> None:
    ada = make_person()
    warband = make_legal_warband(actor=ada)
    empty = make_warband(actor=ada)
    put_away = make_legal_warband(actor=ada)
    archive_warband(WriteContext(owner_of(put_away), put_away.token))
    for sides, field in (
        ((WarbandSide(warband.token), WarbandSide(warband.token)), "sides[1].warband"),
        ((WarbandSide(empty.token), QUICK), "sides[0]"),
        ((WarbandSide(put_away.token), QUICK), "sides[0].warband"),
        (
            (
                QUICK,
                RosterSide({**DOCUMENT, "system": "d10-skirmish", "army": "starter-list"}),
            ),
            "sides[1].roster.system",
        ),
    ):
        with pytest.raises(Refusal) as refused:
            open_battle(ada, BattleDraft(SYSTEM, sides))
        assert refused.value.field == field
    with pytest.raises(Refusal, match="is for Warhammer Skirmish, and this battle is"):
        open_battle(ada, BattleDraft("d10-skirmish", (WarbandSide(warband.token), QUICK)))
    faulty_side = RosterSide({**DOCUMENT, "armies": 1, "points_limit": -1})
    with pytest.raises(FaultyDocument) as faulty:
        open_battle(ada, BattleDraft(SYSTEM, (QUICK, faulty_side)))
    assert [fault.path for fault in faulty.value.faults] == [
        "sides[1].roster.armies",
        "sides[1].roster.points_limit",
    ]
    assert Battle.objects.count() == 0


def test_only_somebody_with_an_account_has_a_listed_battle() -> None:
    for actor in (NOBODY, make_owner()):
        with pytest.raises(Refusal, match="Sign in first"):
            open_battle(actor, BattleDraft(SYSTEM, (QUICK, QUICK), visibility="public"))


def test_same_request_makes_one_battle_and_another_one_is_refused() -> None:
    ada = make_person()
    asked = BattleDraft(SYSTEM, (QUICK, QuickSide("Two", 3)))
    first, again = (open_battle(ada, asked, request_key="k1") for _ in range(2))
    assert first == again == Battle.objects.get()
    with pytest.raises(KeyReused):
        open_battle(ada, replace(asked, note="Rain"), request_key="k1")
    assert open_battle(make_person(), asked, request_key="k1").token != first.token
    # Nobody cannot be told from another nobody, who must not be handed this one's key.
    made = [open_battle(NOBODY, asked, request_key="k1") for _ in range(2)]
    assert len({battle.token for battle in made}) == 2


def test_system_without_battles_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(key: str, variant: str | None) -> None:
        raise registry.NoBattles(f"Battles cannot be recorded in the system '{key}'.")

    monkeypatch.setattr(registry, "battle_rules", none)
    with pytest.raises(Refusal, match="cannot be recorded") as refused:
        make_battle()
    assert refused.value.field == "system"


def test_battle_of_tomorrow_is_todays_somewhere() -> None:
    tomorrow = timezone.localdate() + timedelta(days=1)
    assert make_battle(fought_date=tomorrow).fought_date == tomorrow
    with pytest.raises(Refusal):
        make_battle(fought_date=tomorrow + timedelta(days=1))


def test_battle_locks_the_rulings_of_its_club_and_its_own() -> None:
    ada = make_person()
    club = make_club(owner=ada)
    system = registry.load_system(SYSTEM)
    change_rulings(ada, club.slug, system, {"C03": 1, "C04": 1})
    own = make_legal_warband(actor=ada)
    change_warband(WriteContext(ada, own.token), rulings={"C28": 1})
    battle = make_battle(
        actor=ada,
        sides=(WarbandSide(own.token), QUICK),
        club_id=club.pk,
        ruling_choices={"C04": 0, "C02": 1},
    )
    # What wins: text, club, battle; what the warband chose for itself does not count here.
    assert battle.ruling_layers == {
        "club": {"C03": 1, "C04": 1},
        "battle": {"C04": 0, "C02": 1},
    }
    record = battle_record(battle)
    assert [(one.ref, one.source) for one in record.played_rulings] == [
        ("C02", "battle"),
        ("C03", "club"),
    ]
    assert "critical" in record.rules.tests
    assert "critical_used" in record.rules.marks
    sheet = load_sheets(record)["a"]
    assert len(sheet.rulings) == 2
    rows = [one.chart.rows for one in sheet.reference.charts]
    assert all("A single target" in row for row in rows if "Over half range" in row)
    # A later change of the club's does not reach it.
    change_rulings(ada, club.slug, system, {})
    battle.refresh_from_db()
    assert battle.ruling_layers["club"] == {"C03": 1, "C04": 1}


@pytest.mark.parametrize("place", [2, -1])
def test_battle_refuses_an_alternative_there_is_not(place: int) -> None:
    with pytest.raises(Refusal) as caught:
        make_battle(ruling_choices={"C03": place})
    assert caught.value.field == "rulings"
