"""The load makes rows what the files say, twice the same, all or nothing, and deletes none."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.models import Club
from rulesdata import registry
from rulesdata.models import (
    Armour,
    Army,
    Collection,
    MagicItem,
    Profile,
    Scenario,
    System,
    Weapon,
)
from rulesdata.operations.packs import load_packs
from rulesdata.pack_files.collections import collection_folders
from rulesdata.pack_files.folders import PACKS, PackError
from rulesdata.queries.catalogue import packs_are_loaded

ARMY = "lists/small/armies/watch.yaml"
ITEMS = "lists/small/magic-items/watch.yaml"
TOTALS = "lists/small/collection.yaml"
SCENARIOS = "systems/warhammer-skirmish/scenarios.yaml"

pytestmark = pytest.mark.django_db


def counts(report):
    return {
        name: (t["created"], t["updated"], t["retired"])
        for name, t in report.tallies.items()
        if t.total()
    }


def test_all_packs_load_from_empty():
    assert not packs_are_loaded()
    report = load_packs()
    assert packs_are_loaded()
    assert report.tallies["profiles"]["created"] == Profile.objects.count()
    profiles = Profile.objects.filter(army__collection__key="whfb6")
    assert (profiles.count(), profiles.filter(is_mount=False).count()) == (465 + 58, 465)
    assert Army.objects.filter(collection__key="whfb6").count() == 16
    assert (
        MagicItem.objects.count(),
        Scenario.objects.filter(system__key="warhammer-skirmish").count(),
    ) == (887, 12)
    assert Weapon.objects.filter(collection__key="whfb6").count() == 52
    assert Armour.objects.filter(collection__key="whfb6").count() == 13
    assert list(
        System.objects.get(key="warhammer-skirmish").collections.values_list(
            "key", flat=True
        )
    ) == ["whfb6"]
    check_rows()


def check_rows():
    for key in registry.list_army_keys("warhammer-skirmish"):
        army = registry.load_army("warhammer-skirmish", key)
        records = {**army.profiles, **army.mounts}
        rows = Profile.objects.filter(army__key=key)
        assert len(rows) == len(records)
        for row in rows:
            profile = records[row.key]
            assert (row.points, row.name, row.category) == (
                profile.points, profile.name, profile.category,
            )  # fmt: skip
            assert row.is_offered == (profile.is_offered and profile.category != "mount")
            assert row.search == row.search.lower()
            options = [
                *row.data["options"],
                *(row.data.get("champion") or {}).get("options", []),
            ]
            assert [(o["id"], o["points"]) for o in options] == [
                (o.key, o.points) for o in profile.all_options
            ]
            assert row.data["id"] == profile.key


def test_second_load_changes_nothing(small_packs, django_assert_max_num_queries):
    load_packs(small_packs.root)
    before = list(Profile.objects.values())
    with django_assert_max_num_queries(8):
        report = load_packs(small_packs.root)
    assert counts(report) == {}
    assert set(report.unchanged_packs) == {"small", "warhammer-skirmish"}
    forced = counts(load_packs(small_packs.root, force=True))
    assert {
        name: found
        for name, found in forced.items()
        if name not in ("systems", "collections")
    } == dict.fromkeys(
        ("armies", "weapons", "armour", "magic items", "profiles", "scenarios"), (0, 0, 0)
    )
    assert list(Profile.objects.values()) == before


def test_changed_price_updates_one_row(small_packs):
    load_packs(small_packs.root)
    keys = set(Profile.objects.values_list("pk", "key"))
    small_packs.change(ARMY, "points: 50", "points: 55")
    small_packs.change(TOTALS, "unit_points: 50", "unit_points: 55")
    report = load_packs(small_packs.root)
    assert counts(report)["profiles"] == (0, 1, 0)
    assert Profile.objects.get(key="captain").points == 55
    assert set(Profile.objects.values_list("pk", "key")) == keys
    assert report.unchanged_packs == ["warhammer-skirmish"]


def test_removed_record_is_retired_and_comes_back_as_the_same_row(small_packs):
    load_packs(small_packs.root)
    row = MagicItem.objects.get(key="ring")
    text = small_packs.path(ITEMS).read_text()
    small_packs.change(
        ITEMS, "items:\n- {id: ring, name: Ring, type: talisman, points: 10}", "items: []"
    )
    small_packs.change(TOTALS, "magic_items: 1", "magic_items: 0")
    small_packs.change(TOTALS, "magic_item_points: 10", "magic_item_points: 0")
    assert counts(load_packs(small_packs.root))["magic items"] == (0, 0, 1)
    row.refresh_from_db()
    assert row.retired_at is not None
    assert load_packs(small_packs.root).tallies["systems"]["retired"] == 0
    small_packs.path(ITEMS).write_text(text)
    small_packs.change(TOTALS, "magic_items: 0", "magic_items: 1")
    small_packs.change(TOTALS, "magic_item_points: 0", "magic_item_points: 10")
    load_packs(small_packs.root)
    row.refresh_from_db()
    assert row.retired_at is None
    assert MagicItem.objects.filter(key="ring").count() == 1


def test_removed_collection_and_scenario_are_retired(small_packs, packs):
    load_packs(packs.root)
    armies = Army.objects.count()
    report = load_packs(small_packs.root)
    assert Collection.objects.get(key="whfb6").retired_at is not None
    assert report.tallies["collections"]["retired"] == len(collection_folders(PACKS))
    assert Army.objects.count() == armies + 1
    text = small_packs.path(SCENARIOS).read_text()
    small_packs.path(SCENARIOS).write_text(text[: text.index("- id: hold-the-building")])
    load_packs(small_packs.root)
    assert (
        Scenario.objects.get(
            key="hold-the-building", system__key="warhammer-skirmish"
        ).retired_at
        is not None
    )


DAMAGE = [
    (ARMY, "points: 50", "points: fifty"),
    (ARMY, "points: 50", "points: 51"),
    (ARMY, "units:", "units: ["),
    (SCENARIOS, "scenarios:", "scenario:"),
    ("systems/warhammer-skirmish/charts.yaml", "first: 3", "first: 2"),
]


def test_damaged_file_stops_the_load_and_leaves_the_old_rows(small_packs):
    load_packs(small_packs.root)
    tables = (System, Collection, Army, Profile, MagicItem, Weapon, Armour, Scenario)
    before = [list(model.objects.order_by("pk").values()) for model in tables]
    small_packs.change(TOTALS, "name: Small lists", "name: Renamed lists")
    for name, old, new in DAMAGE:
        whole = small_packs.path(name).read_text(encoding="utf-8")
        small_packs.change(name, old, new)
        with pytest.raises(PackError) as caught:
            load_packs(small_packs.root)
        assert caught.value.faults, new
        assert [list(model.objects.order_by("pk").values()) for model in tables] == before
        small_packs.path(name).write_text(whole, encoding="utf-8")


def test_command_lists_every_fault_and_says_that_nothing_changed(small_packs):
    small_packs.change(ARMY, "points: 50", "points: fifty")
    small_packs.change(SCENARIOS, "scenarios:", "scenario:")
    errors = StringIO()
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command(
            "load_rulesdata", pack=small_packs.root, stdout=StringIO(), stderr=errors
        )
    assert "units/captain/points" in errors.getvalue()
    assert "scenarios.yaml" in errors.getvalue()
    assert not System.objects.exists()


def test_command_reports_what_it_did(small_packs):
    out = StringIO()
    call_command("load_rulesdata", pack=small_packs.root, stdout=out)
    assert "profiles: 2 created, 0 updated, 0 retired, 0 unchanged" in out.getvalue()


def test_check_command_ends_with_a_fault_for_damaged_packs(small_packs, capsys):
    call_command("check_rules", pack=small_packs.root)
    assert "in order" in capsys.readouterr().out
    small_packs.change(ARMY, "points: 50", "points: fifty")
    with pytest.raises(SystemExit) as caught:
        call_command("check_rules", pack=small_packs.root)
    assert caught.value.code == 1
    assert "small/armies/watch.yaml:10: units/captain/points" in capsys.readouterr().out


def test_folder_without_a_system_is_refused(tmp_path):
    with pytest.raises(PackError, match="no rule system here"):
        load_packs(tmp_path)


def test_content_of_a_club_is_never_touched(small_packs):
    load_packs(small_packs.root)
    club = Club.objects.create(name="Club", slug="club", code="ABCDEF")
    army = Army.objects.get(key="watch")
    fields = {"name": "Captain", "category": "hero", "troop_type": "infantry"}
    own = Profile.objects.create(army=army, key="captain", club=club, points=1, **fields)
    report = load_packs(small_packs.root, force=True)
    assert report.tallies["profiles"]["retired"] == 0
    own.refresh_from_db()
    assert (own.points, own.retired_at) == (1, None)


def test_a_key_stands_once_in_the_packs_and_once_in_each_club(small_packs):
    load_packs(small_packs.root)
    army = Army.objects.get(key="watch")
    club = Club.objects.create(name="Club", slug="club", code="ABCDEF")
    fields = {
        "army": army,
        "key": "captain",
        "name": "Captain",
        "category": "hero",
        "troop_type": "x",
        "points": 1,
    }
    Profile.objects.create(club=club, **fields)
    for owner in (None, club):
        with pytest.raises(IntegrityError), transaction.atomic():
            Profile.objects.create(club=owner, **fields)


def test_scenario_of_a_person_survives_the_load(small_packs):
    load_packs(small_packs.root)
    system = System.objects.get(key="warhammer-skirmish")
    own = Scenario.objects.create(system=system, key="ambush", name="Mine", origin="own")
    load_packs(small_packs.root, force=True)
    own.refresh_from_db()
    assert (own.name, own.retired_at) == ("Mine", None)
