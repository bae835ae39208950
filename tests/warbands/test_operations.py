"""Each verb on a warband: what it does, what it refuses, that totals and history follow."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.owner import NOBODY, Owner
from engine.roster import MAX_ENTRIES, Entry
from tests.factories import (
    make_club,
    make_legal_warband,
    make_owner,
    make_person,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from warbands import operations as op
from warbands.errors import KeyReused, NotFound, Refusal, StaleVersion
from warbands.models import Visibility, Warband, WarbandEvent, Warrior, WarriorOption
from warbands.queries import sheet_of

pytestmark = pytest.mark.django_db


def entries(warband: Warband) -> tuple[Entry, ...]:
    return record_of(warband).roster.warriors


def profiles(warband: Warband) -> list[str]:
    return [entry.profile for entry in entries(warband)]


def assert_totals_match(warband: Warband) -> None:
    """What is stored is what the engine says of the stored roster."""
    record = record_of(warband)
    sheet = sheet_of(record)
    stored = (record.points, record.models, record.errors, record.warnings, record.notes)
    assert stored == (sheet.points, sheet.models, sheet.errors, sheet.warnings, sheet.notes)


# Making ---------------------------------------------------------------------------------------------------------------


def test_new_warband_takes_the_systems_limit_and_misses_a_leader() -> None:
    warband = make_warband(name="  The Ferrymen ")
    assert (warband.name, warband.points_limit, warband.version, warband.errors) == ("The Ferrymen", 150, 1, 1)
    assert [event.verb for event in warband.events.all()] == ["create_warband"]


@pytest.mark.parametrize(
    "fields,field",
    [
        ({"system": "chess"}, "system"),
        ({"army": "the-smurfs"}, "army"),
        ({"variant": "old"}, "variant"),
        ({"points_limit": -1}, "points_limit"),
        ({"points_limit": 100_001}, "points_limit"),
        ({"points_limit": True}, "points_limit"),
        ({"scenario": "no-such"}, "scenario"),
        ({"scenario": "own/1"}, "scenario"),
        ({"house_rules": {"fun": True}}, "house_rules"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800"}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"note": "x" * 4001}, "note"),
        ({"visibility": "world"}, "visibility"),
        ({"visibility": "public"}, "visibility"),
    ],
)
def test_create_warband_refuses_and_names_the_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        make_warband(**fields)
    assert refused.value.field == field
    assert refused.value.message.endswith(".")
    assert not Warband.objects.exists()


def test_nobody_owns_nothing() -> None:
    with pytest.raises(Refusal):
        make_warband(actor=NOBODY)


def test_starter_becomes_an_ordinary_warband() -> None:
    actor = make_owner()
    done = op.create_from_starter(actor, "warhammer-skirmish--dwarfs")
    warband = Warband.objects.get(token=done.token)
    assert warband.errors == 0
    assert warband.points > 130
    assert_totals_match(warband)
    with pytest.raises(NotFound):
        op.create_from_starter(actor, "warhammer-skirmish--smurfs")


# Warriors -------------------------------------------------------------------------------------------------------------


def test_legal_warband_has_the_totals_of_its_sheet() -> None:
    warband = make_legal_warband()
    assert (warband.points, warband.miniatures, warband.errors, warband.warnings) == (102, 8, 0, 0)
    assert_totals_match(warband)


def test_add_warrior_lists_what_must_be_paid_anyway() -> None:
    warband = make_warband(army="bretonnians")
    warrior = make_warrior(warband=warband, profile="paladin")
    assert [holding.key for holding in warrior.holdings.all()] == ["barded-warhorse"]
    assert warrior.paid_each == warband.__class__.objects.get(pk=warband.pk).points


@pytest.mark.parametrize(
    "profile,fields,field",
    [
        ("space-captain", {}, "profile"),
        ("captain", {"count": 0}, "count"),
        ("captain", {"count": 201}, "count"),
        ("captain", {"count": True}, "count"),
        ("captain", {"options": ["jetpack"]}, "option"),
        ("captain", {"name": "x" * 201}, "name"),
    ],
)
def test_add_warrior_refuses_and_changes_nothing(profile: str, fields: dict[str, object], field: str) -> None:
    warband = make_warband()
    with pytest.raises(Refusal) as refused:
        op.add_warrior(owner_of(warband), warband.token, profile, **fields)
    assert refused.value.field == field
    warband.refresh_from_db()
    assert (warband.version, warband.events.count(), warband.warriors.count()) == (1, 1, 0)


def test_two_hundred_entries_and_no_more() -> None:
    warband = make_warband()
    rows = [Warrior(warband=warband, position=i, profile="halberdiers") for i in range(MAX_ENTRIES)]
    Warrior.objects.bulk_create(rows)
    with pytest.raises(Refusal, match="200"):
        make_warrior(warband=warband)


def test_change_warrior_changes_name_count_lore_and_note() -> None:
    warband = make_warband()
    warrior = make_warrior(warband=warband, profile="battle-wizard")
    op.change_warrior(
        owner_of(warband), warband.token, warrior.pk, name="Ada", count=2, lore="Lore of Fire", note="two\nlines"
    )
    entry = entries(warband)[0]
    assert (entry.name, entry.count, entry.lore, entry.note) == ("Ada", 2, "Lore of Fire", "two\nlines")
    assert_totals_match(warband)


def test_leader_steps_out_of_a_group_and_is_the_only_one() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", is_leader=True)
    group = make_warrior(warband=warband, count=3, name="Otto, Karl, Franz")
    done = op.set_leader(owner_of(warband), warband.token, group.pk)
    found = [(e.profile, e.count, e.is_leader, e.name) for e in entries(warband)]
    assert found == [
        ("captain", 1, False, ""),
        ("halberdiers", 1, True, "Otto"),
        ("halberdiers", 2, False, "Karl, Franz"),
    ]
    assert done.warrior_id not in (captain.pk, group.pk)
    op.set_leader(owner_of(warband), warband.token, None)
    assert not any(e.is_leader for e in entries(warband))


def test_count_of_a_leader_leaves_him_alone_in_front() -> None:
    warband = make_warband()
    leader = make_warrior(warband=warband, is_leader=True, name="Otto")
    op.change_warrior(owner_of(warband), warband.token, leader.pk, count=4)
    assert [(e.count, e.is_leader, e.name) for e in entries(warband)] == [(1, True, "Otto"), (3, False, "")]


def test_move_duplicate_split_remove_and_sort() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    spear = make_warrior(warband=warband, profile="spearmen", count=2)
    lord = make_warrior(warband=warband, profile="elector-count")
    hero = make_warrior(warband=warband, profile="captain", is_leader=True)
    op.move_warrior(actor, token, hero.pk, "up")
    assert profiles(warband) == ["spearmen", "captain", "elector-count"]
    op.move_warrior(actor, token, lord.pk, 0)
    assert profiles(warband) == ["elector-count", "spearmen", "captain"]
    assert not op.move_warrior(actor, token, lord.pk, "up").changed
    op.sort_warriors(actor, token)
    assert profiles(warband) == ["captain", "elector-count", "spearmen"]
    copy = op.duplicate_warrior(actor, token, hero.pk)
    assert [(e.profile, e.is_leader) for e in entries(warband)][:2] == [("captain", True), ("captain", False)]
    op.split_warrior(actor, token, spear.pk)
    assert [e.count for e in entries(warband) if e.profile == "spearmen"] == [1, 1]
    with pytest.raises(Refusal):
        op.split_warrior(actor, token, spear.pk)
    op.remove_warrior(actor, token, copy.warrior_id or 0)
    assert profiles(warband) == ["captain", "elector-count", "spearmen", "spearmen"]
    assert_totals_match(warband)


def test_anothers_warrior_is_not_found() -> None:
    actor = make_owner()
    mine, other = make_warband(actor=actor), make_warband(actor=actor)
    warrior = make_warrior(warband=other)
    for call in (op.remove_warrior, op.duplicate_warrior, op.split_warrior, op.set_leader):
        with pytest.raises(NotFound):
            call(actor, mine.token, warrior.pk)


# Options --------------------------------------------------------------------------------------------------------------


def options_of(warrior: Warrior) -> list[str]:
    return [row.key for row in WarriorOption.objects.filter(warrior=warrior).order_by("position")]


def test_option_of_an_exclusive_group_takes_the_rivals_place() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["shield", "light-armour"])
    op.add_option(owner_of(warband), warband.token, captain.pk, "plate-armour")
    assert options_of(captain) == ["shield", "plate-armour"]
    assert not op.add_option(owner_of(warband), warband.token, captain.pk, "shield").changed


def test_free_default_only_takes_the_rival_away() -> None:
    warband = make_warband()
    count = make_warrior(warband=warband, profile="elector-count", options=["pistol"])
    op.add_option(owner_of(warband), warband.token, count.pk, "hand-weapon")
    assert options_of(count) == []


def test_pieces_are_added_and_taken_off_one_by_one() -> None:
    warband = make_warband(army="orcs-and-goblins")
    actor, token = owner_of(warband), warband.token
    goblins = make_warrior(warband=warband, profile="night-goblins")
    for _ in range(3):
        op.add_option(actor, token, goblins.pk, "fanatics")
    op.remove_option(actor, token, goblins.pk, "fanatics", all_pieces=False)
    assert options_of(goblins) == ["fanatics", "fanatics"]
    op.remove_option(actor, token, goblins.pk, "fanatics")
    assert options_of(goblins) == []


def test_choose_in_group_and_none_of_it() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    captain = make_warrior(warband=warband, profile="captain", options=["halberd", "shield"])
    op.choose_in_group(actor, token, captain.pk, "melee-weapon", "great-weapon")
    assert options_of(captain) == ["shield", "great-weapon"]
    op.choose_in_group(actor, token, captain.pk, "melee-weapon", "")
    assert options_of(captain) == ["shield"]
    for group, option, field in [("hats", "", "group"), ("armour", "halberd", "option")]:
        with pytest.raises(Refusal) as refused:
            op.choose_in_group(actor, token, captain.pk, group, option)
        assert refused.value.field == field


def test_set_and_swap_options() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    captain = make_warrior(warband=warband, profile="captain")
    op.set_options(actor, token, captain.pk, ["shield", "halberd", "magic/sword-of-might"])
    op.swap_option(actor, token, captain.pk, "shield", "battle-standard-bearer")
    assert options_of(captain) == ["halberd", "magic/sword-of-might", "battle-standard-bearer"]
    with pytest.raises(Refusal, match="knows no option"):
        op.set_options(actor, token, captain.pk, ["jetpack"])
    with pytest.raises(Refusal, match="100"):
        op.set_options(actor, token, captain.pk, ["shield"] * 101)


def test_unwise_choices_are_saved_with_their_finding() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd", "great-weapon"])
    assert options_of(captain) == ["halberd", "great-weapon"]
    warband.refresh_from_db()
    assert warband.errors == 2


def test_paid_prices_stay_with_what_was_bought() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    WarriorOption.objects.filter(warrior=captain).update(paid=99)
    Warrior.objects.filter(pk=captain.pk).update(paid_each=149)
    op.change_warrior(owner_of(warband), warband.token, captain.pk, name="Otto")
    assert Warrior.objects.get(pk=captain.pk).paid_each == 149
    op.add_option(owner_of(warband), warband.token, captain.pk, "shield")
    assert [row.paid for row in captain.holdings.all()] == [99, 2]
    assert Warrior.objects.get(pk=captain.pk).paid_each == 56


@pytest.mark.parametrize(
    "fix,check",
    [
        ({"action": "set_limit", "value": 200}, lambda w: w.points_limit == 200),
        ({"action": "remove_option", "option": "halberd"}, lambda w: w.points == 50),
        ({"action": "add_option", "option": "shield"}, lambda w: w.points == 56),
        ({"action": "swap_option", "option": "halberd", "instead": "longbow"}, lambda w: w.points == 60),
        ({"action": "lead"}, lambda w: w.errors == 0),
        ({"action": "remove_warrior"}, lambda w: w.points == 0),
    ],
)
def test_apply_fix(fix: dict[str, object], check: object) -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    op.apply_fix(owner_of(warband), warband.token, warrior_id=captain.pk, **fix)
    warband.refresh_from_db()
    assert check(warband)


def test_unknown_fix_is_refused() -> None:
    warband = make_legal_warband()
    for fields in ({"action": "dance", "warrior_id": 1}, {"action": "lead"}):
        with pytest.raises(Refusal):
            op.apply_fix(owner_of(warband), warband.token, **fields)


# The warband as a whole -----------------------------------------------------------------------------------------------


def test_change_warband_changes_what_is_given_and_keeps_the_rest() -> None:
    warband = make_legal_warband(name="Old", note="Kept")
    op.change_warband(owner_of(warband), warband.token, name="New", points_limit=None)
    warband.refresh_from_db()
    assert (warband.name, warband.points_limit, warband.note) == ("New", None, "Kept")
    assert not op.change_warband(owner_of(warband), warband.token, name="New").changed


def test_sharing_with_a_club_needs_membership() -> None:
    ada, ben = make_person(), make_person()
    club, other = make_club(owner=ada), make_club(owner=ben)
    warband = make_warband(actor=ada)
    for fields in ({"visibility": "club"}, {"visibility": "club", "club_id": other.pk}, {"club_id": 10**9}):
        with pytest.raises(Refusal):
            op.change_warband(ada, warband.token, **fields)
    op.change_warband(ada, warband.token, visibility="club", club_id=club.pk)
    warband.refresh_from_db()
    assert (warband.visibility, warband.club_id) == (Visibility.CLUB, club.pk)


def test_archive_is_read_only_until_restored() -> None:
    warband = make_legal_warband()
    actor, token = owner_of(warband), warband.token
    op.archive_warband(actor, token)
    assert not op.archive_warband(actor, token).changed
    with pytest.raises(Refusal, match="archive"):
        op.add_warrior(actor, token, "captain")
    op.restore_warband(actor, token)
    op.add_warrior(actor, token, "captain")


def test_duplicate_is_private_and_has_no_history() -> None:
    ada, ben = make_person(), make_person()
    warband = make_legal_warband(actor=ada, name="x" * 200, visibility="link")
    copy = Warband.objects.get(token=op.duplicate_warband(ben, warband.token).token)
    assert (copy.owner_id, copy.visibility, copy.points) == (ben.user_id, "private", warband.points)
    assert copy.name.endswith("(copy)")
    assert len(copy.name) == 200
    assert copy.events.count() == 1
    op.change_warband(ada, warband.token, visibility="private")
    with pytest.raises(NotFound):
        op.duplicate_warband(ben, warband.token)


def test_delete_asks_for_the_name() -> None:
    warband = make_legal_warband(name="The Ferrymen")
    with pytest.raises(Refusal):
        op.delete_warband(owner_of(warband), warband.token, "ferrymen")
    op.delete_warband(owner_of(warband), warband.token, "The Ferrymen")
    for model in (Warband, Warrior, WarriorOption, WarbandEvent):
        assert not model.objects.exists()


@pytest.mark.parametrize("token", ["", "nope", "x" * 500, "a\x00b", "\ud800", "/../"])
def test_bad_tokens_are_not_found(token: str) -> None:
    with pytest.raises(NotFound):
        op.sort_warriors(make_owner(), token)


# Versions and request keys --------------------------------------------------------------------------------------------


def test_stale_version_is_refused_and_tells_the_new_one() -> None:
    warband = make_warband()
    make_warrior(warband=warband)
    with pytest.raises(StaleVersion) as stale:
        op.add_warrior(owner_of(warband), warband.token, "captain", version=1)
    assert stale.value.current == 2
    assert profiles(warband) == ["halberdiers"]
    op.add_warrior(owner_of(warband), warband.token, "captain", version=2)


def test_same_request_twice_has_one_effect_and_the_same_answer() -> None:
    warband = make_warband()
    answers = [op.add_warrior(owner_of(warband), warband.token, "captain", version=1, key="k1") for _ in range(3)]
    assert profiles(warband) == ["captain"]
    assert [answer.is_repeat for answer in answers] == [False, True, True]
    assert {(a.token, a.version, a.warrior_id, a.summary) for a in answers} == {
        (warband.token, 2, answers[0].warrior_id, "Added Captain")
    }


def test_same_key_for_another_request_is_refused() -> None:
    warband = make_warband()
    op.add_warrior(owner_of(warband), warband.token, "captain", key="k1")
    with pytest.raises(KeyReused):
        op.add_warrior(owner_of(warband), warband.token, "captain", count=2, key="k1")
    with pytest.raises(Refusal):
        op.add_warrior(owner_of(warband), warband.token, "captain", key="k" * 101)


def test_making_a_warband_twice_makes_one() -> None:
    actor = make_owner()
    first = make_warband(actor=actor, key="k1")
    assert make_warband(actor=actor, key="k1") == first
    assert Warband.objects.count() == 1


def test_a_refused_request_leaves_its_key_free() -> None:
    warband = make_warband()
    with pytest.raises(Refusal):
        op.add_warrior(owner_of(warband), warband.token, "nobody", key="k1")
    op.add_warrior(owner_of(warband), warband.token, "captain", key="k1")


# Undo -----------------------------------------------------------------------------------------------------------------


def test_undo_walks_back_and_brings_the_same_warriors() -> None:
    warband = make_legal_warband(name="One")
    actor, token = owner_of(warband), warband.token
    before = record_of(warband)
    op.remove_warrior(actor, token, before.roster.warriors[1].id or 0)
    op.set_leader(actor, token, before.roster.warriors[2].id)
    op.change_warband(actor, token, name="Two", points_limit=100)
    op.sort_warriors(actor, token)
    for _ in range(4):
        op.undo_last_change(actor, token)
    after = record_of(warband)
    assert after.roster == before.roster
    assert after.paid == before.paid
    assert_totals_match(warband)
    assert after.version == before.version + 8


def test_undo_after_an_undo_and_a_new_change() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    for profile in ("captain", "halberdiers", "archers"):
        make_warrior(warband=warband, profile=profile)
    op.undo_last_change(actor, token)
    make_warrior(warband=warband, profile="swordsmen")
    op.undo_last_change(actor, token)
    op.undo_last_change(actor, token)
    assert profiles(warband) == ["captain"]
    op.undo_last_change(actor, token)
    with pytest.raises(Refusal, match="nothing to undo"):
        op.undo_last_change(actor, token)
    assert [e.verb for e in WarbandEvent.objects.order_by("version")].count("undo_last_change") == 4


def test_undo_leaves_the_sharing_alone() -> None:
    ada = make_person()
    warband = make_warband(actor=ada)
    make_warrior(warband=warband)
    op.change_warband(ada, warband.token, visibility="public")
    op.undo_last_change(ada, warband.token)
    warband.refresh_from_db()
    assert (warband.visibility, warband.warriors.count()) == ("public", 0)


def test_undo_puts_prices_paid_back() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    WarriorOption.objects.filter(warrior=captain).update(paid=99)
    Warrior.objects.filter(pk=captain.pk).update(paid_each=149)
    op.remove_warrior(owner_of(warband), warband.token, captain.pk)
    op.undo_last_change(owner_of(warband), warband.token)
    assert Warrior.objects.get(pk=captain.pk).paid_each == 149
    assert [row.paid for row in captain.holdings.all()] == [99]


# Ledger and statements ------------------------------------------------------------------------------------------------


def test_every_version_has_its_event() -> None:
    warband = make_legal_warband()
    assert sorted(warband.events.values_list("version", flat=True)) == list(range(1, warband.version + 1))


@pytest.mark.parametrize("warriors", [1, 30])
def test_a_change_takes_few_statements_whatever_the_size(warriors: int) -> None:
    warband = make_warband(points_limit=5000)
    for _ in range(warriors):
        make_warrior(warband=warband, profile="captain", options=["halberd"])
    with CaptureQueriesContext(connection) as queries:
        op.add_warrior(owner_of(warband), warband.token, "captain", options=["halberd"], key="k1")
    assert len([q for q in queries if not q["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"))]) == 9


def test_owner_key_is_not_shown_in_a_record() -> None:
    actor = Owner(key="secret" * 5)
    assert "secret" not in repr(record_of(make_warband(actor=actor)))
