"""What the readers hand out, and how many statements they take."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.owner import Owner
from engine.selection import points_over
from rulesdata import registry
from rulesdata.models import Scenario, System
from rulesdata.queries.scenarios import scenario_choices
from tests.database import statements
from tests.factories import (
    EMPIRE,
    SYSTEM,
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    archive_warband,
    change_warband,
    duplicate_warband,
    undo_last_change,
)
from warbands.operations.warriors import add_option, apply_fix, set_leader
from warbands.queries.lists import (
    WarbandFilter,
    club_warbands,
    public_warbands,
    search_warbands,
    starter,
    starters,
    warbands_of,
)
from warbands.queries.profile_picker import choices_for, fix_fields, load_picker
from warbands.queries.warbands import history, sheet_of
from warbands.views.presenters import first_choices, magic_left

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("warriors", [1, 3, 50])
def test_a_warband_and_its_sheet_take_three_statements(warriors: int) -> None:
    warband = make_warband(points_limit=5000)
    for _ in range(warriors):
        make_warrior(warband=warband, profile="captain", options=["halberd"])

    def read() -> None:
        record = record_of(warband)
        sheet_of(record)
        load_picker(record)
        choices_for(record, record.roster.warriors[0].id or 0)

    assert statements(read) == 3


@pytest.mark.parametrize("count", [1, 3])
def test_lists_take_one_statement(count: int) -> None:
    ada = make_person()
    for _ in range(count):
        make_legal_warband(actor=ada, visibility="public")
    assert statements(lambda: warbands_of(ada)) == 1
    assert (
        statements(lambda: public_warbands(WarbandFilter(search="the", army="the-empire")))
        == 1
    )


def test_record_holds_the_warband_as_stored() -> None:
    ada = make_person()
    club = make_club(owner=ada, name="Tower")
    warband = make_legal_warband(
        actor=ada, name="The Ferrymen", note="Meet at eight", club_id=club.pk
    )
    record = record_of(warband)
    assert (record.display_name, record.club_name) == ("The Ferrymen", "Tower")
    assert record.owner_name == f"Player {ada.user_id}"
    assert (record.points, record.models, record.version, record.undo_head is not None) == (
        102,
        8,
        warband.version,
        True,
    )
    assert (record.is_unclaimed, record.goes_at, record.may_change) == (False, None, True)
    assert record.index_of(record.roster.warriors[2].id or 0) == 2
    assert record.index_of(10**9) is None
    assert sheet_of(record, url="http://x/").url == "http://x/"


def test_own_warbands_come_last_changed_first_and_apart_from_the_archive() -> None:
    actor = make_owner()
    first, second, third = (make_warband(actor=actor, name=name) for name in "ABC")
    make_warband()
    make_warrior(warband=first)
    archive_warband(WriteContext(actor, third.token))
    assert [row.name for row in warbands_of(actor).rows] == ["A", "B"]
    assert [row.name for row in warbands_of(actor, archived=True).rows] == ["C"]
    row = warbands_of(actor).rows[1]
    assert (row.token, row.army_name, row.system_name) == (
        second.token,
        "The Empire",
        "Warhammer Skirmish",
    )
    assert row.is_unclaimed
    assert row.goes_at is not None
    assert warbands_of(Owner()).rows == ()


def test_own_warbands_are_searched_by_name_and_army_and_sorted() -> None:
    actor = make_owner()
    orcs = make_warband(actor=actor, name="Étoiles", army="orcs-and-goblins")
    make_warband(actor=actor, name="Bells", points_limit=200)
    make_warrior(warband=make_warband(actor=actor, name="The Axes"))
    make_warband(name="Bells of others")

    def names(search: str, sort: str = "", page: int = 1, **archive: bool) -> list[str]:
        return [
            row.name for row in search_warbands(actor, search, sort, page, **archive).rows
        ]

    assert names("etoile") == names("ORCS goblins") == ["Étoiles"]
    assert names("empire", "name") == ["The Axes", "Bells"]
    assert names("no such") == names("empire", page=2) == []
    assert names("", "name") == ["The Axes", "Bells", "Étoiles"]
    assert names("", "points")[0] == "The Axes"
    # Armies stand by their keys.
    assert names("", "army")[0] == "Étoiles"
    archive_warband(WriteContext(actor, orcs.token))
    assert names("orcs", archived=True) == ["Étoiles"]
    assert statements(lambda: search_warbands(actor, "empire", "", 1)) == 1


def test_pages() -> None:
    actor = make_owner()
    for number in range(5):
        make_warband(actor=actor, name=str(number))
    first = warbands_of(actor, per_page=2)
    last = warbands_of(actor, per_page=2, page=3)
    assert [row.name for row in first.rows] == ["4", "3"]
    assert (
        first.has_next(),
        first.has_previous(),
        last.has_next(),
        last.has_previous(),
    ) == (True, False, False, True)
    assert ((last.number - 1) * last.per_page, len(last.rows)) == (4, 1)
    assert warbands_of(actor, page=-5, per_page=2).number == 1
    assert warbands_of(actor, page=10**12, per_page=2).rows == ()


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"The Ferrymen", "Ferry Folk", "Stone Oath"}),
    ({"search": "ferry"}, {"The Ferrymen", "Ferry Folk"}),
    ({"search": "THE FERRYM"}, {"The Ferrymen"}),
    ({"search": "errymen"}, set()),
    ({"search": "100%_"}, set()),
    ({"search": "\x00"}, set()),
    ({"army": "dwarfs"}, {"Stone Oath"}),
    ({"army": "a\x00b"}, set()),
    ({"system": SYSTEM, "points_from": 1}, set()),
    ({"points_to": 0}, {"The Ferrymen", "Ferry Folk", "Stone Oath"}),
    ({"points_from": 10**30}, set()),
]


def test_public_list_filters() -> None:
    ada = make_person()
    make_warband(actor=ada, name="The Ferrymen", visibility="public")
    make_warband(actor=ada, name="Ferry Folk", visibility="public")
    make_warband(actor=ada, name="Stone Oath", visibility="public", army="dwarfs")
    make_warband(actor=ada, name="Ferry secret", visibility="link")
    gone = make_warband(actor=ada, name="Ferry of old", visibility="public")
    archive_warband(WriteContext(ada, gone.token))
    for filters, names in FILTERS:
        found = {row.name for row in public_warbands(WarbandFilter(**filters)).rows}
        assert found == names, filters


def test_public_list_is_in_the_order_of_its_filter() -> None:
    ada = make_person()
    for name, count in (("B", 1), ("A", 3), ("C", 2)):
        make_warrior(
            warband=make_warband(actor=ada, name=f"Band {name}", visibility="public"),
            count=count,
        )

    def names(**filters: Any) -> str:
        return "".join(
            row.name[-1] for row in public_warbands(WarbandFilter(**filters)).rows
        )

    assert (names(), names(search="band"), names(points_from=1)) == ("CAB", "ABC", "ACB")


def test_club_list_shows_members_more_than_others() -> None:
    ada, ben = make_person(), make_person()
    club = make_club(owner=ada, members=[ben])
    for visibility in ("private", "link", "club", "public"):
        make_warband(actor=ada, name=visibility, visibility=visibility, club_id=club.pk)
    assert {row.name for row in club_warbands(club.pk, is_member=True).rows} == {
        "club",
        "public",
    }
    assert {row.name for row in club_warbands(club.pk, is_member=False).rows} == {"public"}


def test_picker_offers_the_whole_list_heroes_first() -> None:
    record = record_of(make_legal_warband(points_limit=110))
    categories = load_picker(record)
    assert [category.key for category, _ in categories] == [
        "hero",
        "core",
        "special",
        "rare",
        "lord",
    ]
    profiles = {p.key: p for _, lines in categories for p in lines}
    assert len(profiles) == 27
    captain = profiles["captain"]
    assert (captain.points, captain.over, captain.is_offered) == (50, 42, True)
    assert captain.stats[0] == ("M", "4")
    assert not profiles["valten-exalted-of-sigmar"].is_offered
    assert profiles["valten-exalted-of-sigmar"].why_not


@pytest.mark.parametrize("army, first", [("reiklanders", 1), ("the-empire", 6)])
def test_a_roster_begins_with_the_leader_that_its_list_names(army: str, first: int) -> None:
    warband = make_warband(
        system="mordheim-rulings", variant="A", army=army, points_limit=500
    )
    choices = first_choices(load_picker(record_of(warband)))
    assert len(choices) == first
    assert (choices[0].key == "mercenary-captain") is choices[0].is_leader


def test_choices_of_a_warrior_carry_the_running_total() -> None:
    warband = make_warband(points_limit=110)
    warrior = make_warrior(warband=warband, profile="captain", count=2, options=["halberd"])
    choices = choices_for(record_of(warband), warrior.pk)
    assert choices is not None
    by_key = {choice.key: choice for group in choices.groups for choice in group.choices}
    assert choices.total == 108
    totals = [choices.total + by_key[key].change for key in ("shield", "great-weapon")]
    assert totals == [112, 108]
    assert [points_over(choices.limit, total) for total in totals] == [2, 0]
    magic = {choice.key: choice for _, items in choices.magic for choice in items}
    profile = choices.selection.profile
    assert profile
    assert profile.magic_allowance == 50
    assert any(choice.why_not for choice in magic.values() if choice.points > 50)
    assert choices_for(record_of(warband), 10**9) is None


def test_total_beside_an_option_gives_up_a_kept_price() -> None:
    warband = make_warband()
    warrior = make_warrior(warband=warband, profile="captain", count=2)
    Warrior.objects.filter(pk=warrior.pk).update(keeps_price=True, paid_each=40)
    Warband.objects.filter(pk=warband.pk).update(points=2 * 40)
    choices = choices_for(record_of(warband), warrior.pk)
    assert choices is not None
    found = {c.key: c for group in choices.groups for c in group.choices}
    found |= {c.key: c for _, items in choices.magic for c in items}
    assert choices.total == 2 * 40
    magic = next(key for key in found if key.startswith("magic/"))
    context = WriteContext(owner_of(warband), warband.token)
    for key in ("shield", magic):
        done = add_option(context, warrior.pk, key)
        assert done.record
        assert choices.total + found[key].change == done.record.points
        undo_last_change(context)


def test_magic_points_count_every_piece_wherever_they_are_told() -> None:
    army = registry.load_army(SYSTEM, EMPIRE)
    item = min(army.magic_items.values(), key=lambda one: one.points)
    warband, keys = make_warband(), [item.option_key] * 2
    warrior = make_warrior(warband=warband, profile="captain", options=keys)
    choices = choices_for(record_of(warband), warrior.pk)
    assert choices
    assert choices.selection.magic_spent == 2 * item.points > 0
    assert magic_left(choices) == f"{2 * item.points} of 50 points"
    magic = {choice.key: choice for _, items in choices.magic for choice in items}
    dear = next(one for one in magic.values() if one.points == 50)
    above = f"{2 * item.points} points above what it may spend on magic."
    assert dear.why_not == above


def test_fix_names_the_warrior_by_id_and_mends_the_finding() -> None:
    warband = make_warband()
    make_warrior(warband=warband, profile="halberdiers")
    captain = make_warrior(warband=warband, profile="captain")
    set_leader(WriteContext(owner_of(warband), warband.token), None)
    record = record_of(warband)
    # The first remedy chooses a leader, whatever else is wrong.
    assert record.errors == 1
    change_warband(WriteContext(owner_of(warband), warband.token), points_limit=50)
    record = record_of(warband)
    fix = sheet_of(record).findings[0].fixes[0]
    fields = fix_fields(record, fix)
    assert fields == {"action": "lead", "warrior": str(captain.pk)}
    apply_fix(
        WriteContext(owner_of(warband), warband.token),
        action=fields["action"],
        warrior_id=int(fields["warrior"]),
    )
    assert "leader.missing" not in {
        one.code for one in sheet_of(record_of(warband)).findings
    }


def test_history_tells_in_words_and_marks_what_undo_takes_back() -> None:
    warband = make_legal_warband()
    undo_last_change(WriteContext(owner_of(warband), warband.token))
    rows = history(owner_of(warband), warband.token)
    assert [row.summary for row in rows][:2] == [
        "Undid: Added 3x Crossbowman",
        "Added 3x Crossbowman",
    ]
    assert rows[0].verb == "undo_last_change"
    assert [row.version for row in rows if row.can_be_undone] == [warband.version - 1]
    assert len(history(owner_of(warband), warband.token, limit=2)) == 2


def test_starters_need_no_database() -> None:
    assert statements(starters) == 0
    found = starters(SYSTEM)
    assert len(found) == 16
    assert len({one.key for one in found}) == 16
    assert {one.key.partition("--")[0] for one in starters()} == {
        book.address for book in registry.rulesets()
    }
    empire = starter(f"{SYSTEM}--the-empire")
    assert empire is not None
    sheet = empire.sheet
    assert (sheet.name, sheet.army_name, sheet.errors) == ("River patrol", "The Empire", 0)
    assert sum(row.points for row in sheet.warriors) == sheet.points
    assert [starter(key) for key in ("", "--", "x--y", f"{SYSTEM}--x")] == [None] * 4


def make_scenario(
    *, author: Owner, visibility: str = "private", waives: list[str]
) -> Scenario:
    system, _ = System.objects.get_or_create(
        key=SYSTEM, defaults={"name": "S", "loaded_at": timezone.now()}
    )
    fields = {
        "name": "Night raid",
        "origin": "own",
        "visibility": visibility,
        "waives": waives,
    }
    return Scenario.objects.create(
        system=system, key="nightraid", author_id=author.user_id, **fields
    )


def test_own_scenario_waives_and_is_only_its_authors_to_choose() -> None:
    ada, ben = make_person(), make_person()
    scenario = make_scenario(author=ada, waives=["category.special"])
    key = f"own/{scenario.key}"
    warband = make_legal_warband(actor=ada, scenario=key, visibility="link")
    make_warrior(warband=warband, profile="greatswords")
    record = record_of(warband, actor=ben)
    assert record.scenario_record is not None
    assert record.scenario_record.name == "Night raid"
    assert (record.warnings, sheet_of(record).waived[0].code) == (0, "category.special")
    assert statements(lambda: record_of(warband)) == 4
    assert (key, "Night raid") in scenario_choices(SYSTEM, ada)
    assert key not in dict(scenario_choices(SYSTEM, ben))
    copy = Warband.objects.get(
        token=duplicate_warband(WriteContext(ben, warband.token)).token
    )
    assert copy.scenario == ""
