"""Each verb on the warriors of a warband and what they buy: what it does, what it refuses, that
totals follow.
"""

from dataclasses import replace
from typing import Any

import pytest

from accounts.errors import NotFound, Refusal
from engine.option_rules import with_option
from engine.roster import MAX_ENTRIES
from rulesdata import registry
from tests.factories import (
    EMPIRE,
    SYSTEM,
    make_entry,
    make_legal_warband,
    make_owner,
    make_warband,
    make_warrior,
    owner_of,
)
from tests.warbands.conftest import assert_totals_match, entries, profiles
from warbands.models import Warrior, WarriorOption
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import undo_last_change
from warbands.operations.warriors import (
    WarriorDraft,
    add_option,
    add_warrior,
    apply_fix,
    change_warrior,
    choose_in_group,
    duplicate_warrior,
    move_warrior,
    remove_option,
    remove_warrior,
    set_leader,
    set_options,
    sort_warriors,
    split_warrior,
    swap_option,
)
from warbands.queries.warbands import history

pytestmark = pytest.mark.django_db


# Warriors
# -------------------------------------------------------------------------------------------------------------


def test_legal_warband_has_the_totals_of_its_sheet() -> None:
    warband = make_legal_warband()
    assert (warband.points, warband.miniatures, warband.errors, warband.warnings) == (
        102,
        8,
        0,
        0,
    )
    assert_totals_match(warband)


def test_add_warrior_lists_what_must_be_paid_anyway() -> None:
    warband = make_warband(army="bretonnians")
    warrior = make_warrior(warband=warband, profile="paladin")
    assert [holding.key for holding in warrior.holdings.all()] == ["barded-warhorse"]
    assert warrior.paid_each == warband.__class__.objects.get(pk=warband.pk).points


def test_first_character_leads_and_undo_takes_it_back() -> None:
    warband = make_warband()
    context = WriteContext(owner_of(warband), warband.token)
    add_warrior(context, WarriorDraft("halberdiers"))
    assert (
        add_warrior(context, WarriorDraft("captain")).summary == "Added Captain as leader"
    )
    assert add_warrior(context, WarriorDraft("captain")).summary == "Added Captain"
    assert [one.is_leader for one in entries(warband)] == [False, True, False]
    for _ in range(2):
        undo_last_change(context)
    assert [one.is_leader for one in entries(warband)] == [False]


@pytest.mark.parametrize(
    "system, army, units, title",
    [
        ("english-civil-war", "parliament", ("colonel", "general"), "the General"),
        ("mordheim-draft", "reiklanders", ("champion", "mercenary-captain"), "leader"),
    ],
)
def test_unit_that_has_to_lead_takes_over(
    system: str, army: str, units: tuple[str, str], title: str
) -> None:
    """By its name (the unit called General is the General), or because its list says so."""
    warband = make_warband(system=system, army=army)
    context = WriteContext(owner_of(warband), warband.token)
    for unit in units:
        assert add_warrior(context, WarriorDraft(unit)).summary.endswith(f" as {title}")
    assert [one.is_leader for one in entries(warband)] == [False, True]


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
def test_add_warrior_refuses_and_changes_nothing(
    profile: str, fields: dict[str, object], field: str
) -> None:
    warband = make_warband()
    with pytest.raises(Refusal) as refused:
        add_warrior(
            WriteContext(owner_of(warband), warband.token), WarriorDraft(profile, **fields)
        )
    assert refused.value.field == field
    warband.refresh_from_db()
    assert (warband.version, warband.events.count(), warband.warriors.count()) == (1, 1, 0)


def test_two_hundred_entries_and_no_more() -> None:
    warband = make_warband()
    rows = [
        Warrior(warband=warband, position=i, profile="halberdiers")
        for i in range(MAX_ENTRIES)
    ]
    Warrior.objects.bulk_create(rows)
    with pytest.raises(Refusal, match="200"):
        make_warrior(warband=warband)


def test_change_warrior_changes_name_count_lore_and_note() -> None:
    warband = make_warband()
    make_warrior(warband=warband, profile="captain")
    warrior = make_warrior(warband=warband, profile="battle-wizard")
    change_warrior(
        WriteContext(owner_of(warband), warband.token),
        warrior.pk,
        name="Ada",
        count=2,
        lore="Lore of Fire",
        note="two\nlines",
    )
    entry = entries(warband)[1]
    assert (entry.name, entry.count, entry.lore, entry.note) == (
        "Ada",
        2,
        "Lore of Fire",
        "two\nlines",
    )
    assert_totals_match(warband)


def test_leader_steps_out_of_a_group_and_is_the_only_one() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", is_leader=True)
    group = make_warrior(warband=warband, count=3, name="Otto, Karl, Franz")
    done = set_leader(WriteContext(owner_of(warband), warband.token), group.pk)
    found = [(e.profile, e.count, e.is_leader, e.name) for e in entries(warband)]
    assert found == [
        ("captain", 1, False, ""),
        ("halberdiers", 1, True, "Otto"),
        ("halberdiers", 2, False, "Karl, Franz"),
    ]
    assert done.warrior_id not in (captain.pk, group.pk)
    set_leader(WriteContext(owner_of(warband), warband.token), None)
    assert not any(e.is_leader for e in entries(warband))


def test_count_of_a_leader_leaves_him_alone_in_front() -> None:
    warband = make_warband()
    leader = make_warrior(warband=warband, is_leader=True, name="Otto")
    change_warrior(WriteContext(owner_of(warband), warband.token), leader.pk, count=4)
    assert [(e.count, e.is_leader, e.name) for e in entries(warband)] == [
        (1, True, "Otto"),
        (3, False, ""),
    ]


def test_move_duplicate_split_remove_and_sort() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    spear = make_warrior(warband=warband, profile="spearmen", count=2)
    lord = make_warrior(warband=warband, profile="elector-count")
    hero = make_warrior(warband=warband, profile="captain", is_leader=True)
    move_warrior(WriteContext(actor, token), hero.pk, "up")
    assert profiles(warband) == ["spearmen", "captain", "elector-count"]
    move_warrior(WriteContext(actor, token), lord.pk, 0)
    assert profiles(warband) == ["elector-count", "spearmen", "captain"]
    assert not move_warrior(WriteContext(actor, token), lord.pk, "up").changed
    sort_warriors(WriteContext(actor, token))
    assert profiles(warband) == ["captain", "elector-count", "spearmen"]
    copy = duplicate_warrior(WriteContext(actor, token), hero.pk)
    assert [(e.profile, e.is_leader) for e in entries(warband)][:2] == [
        ("captain", True),
        ("captain", False),
    ]
    split_warrior(WriteContext(actor, token), spear.pk)
    assert [e.count for e in entries(warband) if e.profile == "spearmen"] == [1, 1]
    with pytest.raises(Refusal):
        split_warrior(WriteContext(actor, token), spear.pk)
    remove_warrior(WriteContext(actor, token), copy.warrior_id or 0)
    assert profiles(warband) == ["captain", "elector-count", "spearmen", "spearmen"]
    assert_totals_match(warband)


def test_anothers_warrior_is_not_found() -> None:
    actor = make_owner()
    mine, other = make_warband(actor=actor), make_warband(actor=actor)
    warrior = make_warrior(warband=other)
    for call in (remove_warrior, duplicate_warrior, split_warrior, set_leader):
        with pytest.raises(NotFound):
            call(WriteContext(actor, mine.token), warrior.pk)


# Options
# --------------------------------------------------------------------------------------------------------------


def options_of(warrior: Warrior) -> list[str]:
    return [
        row.key
        for row in WarriorOption.objects.filter(warrior=warrior).order_by("position")
    ]


def test_option_of_an_exclusive_group_takes_the_rivals_place() -> None:
    warband = make_warband()
    captain = make_warrior(
        warband=warband, profile="captain", options=["shield", "light-armour"]
    )
    add_option(WriteContext(owner_of(warband), warband.token), captain.pk, "plate-armour")
    assert options_of(captain) == ["shield", "plate-armour"]
    assert not add_option(
        WriteContext(owner_of(warband), warband.token), captain.pk, "shield"
    ).changed


def test_free_default_only_takes_the_rival_away() -> None:
    warband = make_warband()
    count = make_warrior(warband=warband, profile="elector-count", options=["pistol"])
    add_option(WriteContext(owner_of(warband), warband.token), count.pk, "hand-weapon")
    assert options_of(count) == []


def test_a_champions_default_needs_no_listing_beside_the_champion_alone() -> None:
    army = registry.load_army(SYSTEM, EMPIRE)
    unit = army.profiles["halberdiers"]
    assert unit.champion
    free: dict[str, Any] = {
        "points": 0,
        "group": "",
        "is_default": True,
        "is_champions": True,
    }
    dirk = replace(army.profiles["captain"].options[0], key="dirk", **free)
    unit = replace(unit, champion=replace(unit.champion, options=(dirk,)))
    army = replace(army, profiles={"halberdiers": unit})
    alone, led = (make_entry(options=options) for options in ((), ("champion",)))
    assert with_option(alone, "dirk", army).options == ("dirk",)
    assert with_option(led, "dirk", army).options == ("champion",)


def test_changes_name_command_models_as_the_list_prints_them() -> None:
    warband = make_warband()
    unit = make_warrior(warband=warband, profile="halberdiers")
    context = WriteContext(owner_of(warband), warband.token)
    add_option(context, unit.pk, "champion")
    champion = registry.load_army(SYSTEM, EMPIRE).profiles["halberdiers"].champion
    assert champion
    told = history(owner_of(warband), warband.token)[0].summary
    assert told == f"Halberdier: {champion.name} (champion) added"


def test_of_several_alike_one_alone_takes_a_post() -> None:
    warband = make_warband()
    unit = make_warrior(warband=warband, profile="halberdiers", count=4)
    context = WriteContext(owner_of(warband), warband.token)
    set_options(context, unit.pk, ["shields", "champion"])
    rows = {row.count: options_of(row) for row in Warrior.objects.filter(warband=warband)}
    assert rows == {3: ["shields"], 1: ["shields", "champion"]}
    assert history(context.actor, warband.token)[0].summary.endswith("for one of 4")
    # What has its post already keeps it, and a regiment has each post once.
    english = make_warband(system="english-civil-war", army="royalists")
    pikes = make_warrior(warband=english, profile="pikemen", count=8)
    add_option(WriteContext(owner_of(english), english.token), pikes.pk, "musician")
    assert [row.count for row in Warrior.objects.filter(warband=english)] == [8]


def test_pieces_are_added_and_taken_off_one_by_one() -> None:
    warband = make_warband(army="orcs-and-goblins")
    actor, token = owner_of(warband), warband.token
    goblins = make_warrior(warband=warband, profile="night-goblins")
    for _ in range(3):
        add_option(WriteContext(actor, token), goblins.pk, "fanatics")
    remove_option(WriteContext(actor, token), goblins.pk, "fanatics", all_pieces=False)
    assert options_of(goblins) == ["fanatics", "fanatics"]
    remove_option(WriteContext(actor, token), goblins.pk, "fanatics")
    assert options_of(goblins) == []


def test_choose_in_group_and_none_of_it() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    captain = make_warrior(
        warband=warband, profile="captain", options=["halberd", "shield"]
    )
    choose_in_group(WriteContext(actor, token), captain.pk, "melee-weapon", "great-weapon")
    assert options_of(captain) == ["shield", "great-weapon"]
    choose_in_group(WriteContext(actor, token), captain.pk, "melee-weapon", "")
    assert options_of(captain) == ["shield"]
    for group, option, field in [("hats", "", "group"), ("armour", "halberd", "option")]:
        with pytest.raises(Refusal) as refused:
            choose_in_group(WriteContext(actor, token), captain.pk, group, option)
        assert refused.value.field == field


def test_set_and_swap_options() -> None:
    warband = make_warband()
    actor, token = owner_of(warband), warband.token
    captain = make_warrior(warband=warband, profile="captain")
    set_options(
        WriteContext(actor, token),
        captain.pk,
        ["shield", "halberd", "magic/sword-of-might"],
    )
    swap_option(WriteContext(actor, token), captain.pk, "shield", "battle-standard-bearer")
    assert options_of(captain) == [
        "halberd",
        "magic/sword-of-might",
        "battle-standard-bearer",
    ]
    with pytest.raises(Refusal, match="knows no option"):
        set_options(WriteContext(actor, token), captain.pk, ["jetpack"])
    with pytest.raises(Refusal, match="100"):
        set_options(WriteContext(actor, token), captain.pk, ["shield"] * 101)


def test_unwise_choices_are_saved_with_their_finding() -> None:
    warband = make_warband()
    captain = make_warrior(
        warband=warband, profile="captain", options=["halberd", "great-weapon"]
    )
    assert options_of(captain) == ["halberd", "great-weapon"]
    warband.refresh_from_db()
    assert warband.errors == 1


def test_paid_prices_stay_with_what_was_bought() -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    WarriorOption.objects.filter(warrior=captain).update(paid=99)
    Warrior.objects.filter(pk=captain.pk).update(paid_each=149)
    change_warrior(WriteContext(owner_of(warband), warband.token), captain.pk, name="Otto")
    assert Warrior.objects.get(pk=captain.pk).paid_each == 149
    add_option(WriteContext(owner_of(warband), warband.token), captain.pk, "shield")
    assert [row.paid for row in captain.holdings.all()] == [99, 2]
    assert Warrior.objects.get(pk=captain.pk).paid_each == 56


@pytest.mark.parametrize(
    "fix,check",
    [
        ({"action": "set_limit", "value": 200}, lambda w: w.points_limit == 200),
        ({"action": "remove_option", "option": "halberd"}, lambda w: w.points == 50),
        ({"action": "add_option", "option": "shield"}, lambda w: w.points == 56),
        (
            {"action": "swap_option", "option": "halberd", "instead": "longbow"},
            lambda w: w.points == 60,
        ),
        ({"action": "lead"}, lambda w: w.errors == 0),
        ({"action": "remove_warrior"}, lambda w: w.points == 0),
    ],
)
def test_apply_fix(fix: dict[str, object], check: object) -> None:
    warband = make_warband()
    captain = make_warrior(warband=warband, profile="captain", options=["halberd"])
    apply_fix(
        WriteContext(owner_of(warband), warband.token),
        warrior_id=captain.pk,
        **fix,
    )
    warband.refresh_from_db()
    assert check(warband)


def test_unknown_fix_is_refused() -> None:
    warband = make_legal_warband()
    for fields in ({"action": "dance", "warrior_id": 1}, {"action": "lead"}):
        with pytest.raises(Refusal):
            apply_fix(WriteContext(owner_of(warband), warband.token), **fields)
