"""What clubs write: one shape with the packs, all or nothing, for the club alone, and read anew by
every process.
"""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.errors import NotAllowed, Stale
from accounts.owner import NOBODY, Owner
from engine.errors import Refusal
from rulesdata import own_store, registry
from rulesdata.errors import FaultyList
from rulesdata.models import Armour, Army, ClubLevels, Profile, Weapon
from rulesdata.operations.own_lists import (
    ListDraft,
    RecordPlace,
    archive_record,
    change_list,
    create_list,
    forget_list,
    restore_record,
    retire_list,
    save_record,
    set_levels,
    upload_list,
)
from rulesdata.operations.packs import load_packs
from rulesdata.own_lists import document_digest
from rulesdata.queries import clubs, drafts
from rulesdata.queries.lookup import NotInRuleBook
from tests.factories import EMPIRE, SYSTEM, make_club, make_person
from tests.rulesdata.own_lists import COLLECTION, make_list, make_profile, unit_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def own():
    """A list of a club over the Empire."""
    organiser = make_person()
    return make_list(club=make_club(owner=organiser), actor=organiser)


@pytest.fixture
def organiser(own):
    return Owner(user_id=own.club.memberships.get(role="owner").user_id)


def army_of(own):
    return registry.load_army(SYSTEM, own.token)


def test_list_holds_its_army_and_what_the_club_adds(own, organiser):
    key = make_profile(own=own, actor=organiser)
    army, printed = army_of(own), registry.load_army(SYSTEM, EMPIRE)
    assert (army.key, army.name, key) == (own.token, "River Empire", "own-boatman")
    assert list(army.profiles) == [*printed.profiles, key]
    assert army.profiles[key].source["points"] == own.club.name
    row = Profile.objects.get(key=key)
    assert (row.army, row.club, row.points, row.data["options"][0]["id"]) == (
        own, own.club, 9, "shield",
    )  # fmt: skip
    assert key not in registry.load_army(SYSTEM, EMPIRE).profiles


def test_name_and_note_of_a_list_are_changed_and_taken_off(own, organiser):
    for note, held in (("Boats alone.", "Boats alone."), ("", None)):
        change_list(organiser, own.token, name="Marsh Empire", note=note)
        assert army_of(own).name == "Marsh Empire"
        assert clubs.load_own(organiser, own.token).file.note == held


def test_correction_takes_the_place_of_the_armys_own_until_it_is_dropped(own, organiser):
    make_profile(own=own, actor=organiser, key="halberdiers", name="Halberdiers", points=99)
    assert army_of(own).profiles["halberdiers"].points == 99
    printed = registry.load_army(SYSTEM, EMPIRE)
    assert printed.profiles["halberdiers"].points != 99
    archive_record(organiser, RecordPlace(own.token, "units", "halberdiers"))
    assert (
        army_of(own).profiles["halberdiers"].points
        == printed.profiles["halberdiers"].points
    )


def test_what_is_put_away_is_there_for_those_who_have_it_and_comes_back(own, organiser):
    key = make_profile(own=own, actor=organiser)
    archive_record(organiser, RecordPlace(own.token, "units", key))
    assert army_of(own).profiles[key].not_offered_because == "Its club has archived it."
    assert Profile.objects.get(key=key).retired_at is not None
    restore_record(organiser, RecordPlace(own.token, "units", key))
    assert army_of(own).profiles[key].is_offered
    assert Profile.objects.get(key=key).retired_at is None


def test_own_weapon_stands_over_the_systems_and_in_this_list_alone(own, organiser):
    weapon = {
        "name": "Halberd of ours",
        "type": "melee",
        "strength": "+2",
        "hands": 2,
        "sources": ["first"],
    }
    save_record(organiser, RecordPlace(own.token, "weapons", "halberd"), weapon)
    assert army_of(own).weapons["halberd"].strength == "+2"
    assert registry.load_army(SYSTEM, EMPIRE).weapons["halberd"].strength != "+2"
    carried = make_profile(
        own=own, actor=organiser, name="Guard", default_equipment=["halberd"]
    )
    save_record(organiser, RecordPlace(own.token, "weapons"), {**weapon, "name": "Gaff"})
    make_profile(
        own=own, actor=organiser, key=carried, name="Guard", default_equipment=["own-gaff"]
    )
    with pytest.raises(FaultyList, match="'own-gaff' is no weapon or armour"):
        archive_record(organiser, RecordPlace(own.token, "weapons", "own-gaff"))
    assert (
        Weapon.objects.filter(army=own, retired_at=None).count(),
        Armour.objects.filter(army=own).count(),
    ) == (2, 0)


def test_army_of_its_own_stands_alone(own, organiser):
    alone = make_list(club=own.club, actor=organiser, name="Ferrymen", base="")
    make_profile(own=alone, actor=organiser)
    assert list(army_of(alone).profiles) == ["own-boatman"]
    assert "halberd" in army_of(alone).weapons


BAD_RECORDS: list[tuple[dict[str, Any], str]] = [
    ({"points": -1}, "greater than or equal to 0"),
    ({"points": "9"}, "valid integer"),
    (
        {"category": "no-such"},
        "'no-such' is no category of this collection: core, hero, lord",
    ),
    ({"troop_type": "ship"}, "'ship' is no troop type of this collection: cavalry"),
    ({"default_equipment": ["no-such"]}, "'no-such' is no weapon or armour"),
    ({"profiles": []}, "without a stat line"),
    ({"profiles": [{"name": "X", "role": "model", "M": 4}]}, "a value is needed here"),
    ({"profiles": [{**unit_record()["profiles"][0], "M": 21}]}, "M: "),
    ({"surprise": 1}, "this key is not known here"),
    (
        {"options": [{**unit_record()["options"][0], "id": "champion"}]},
        "kept for the command models",
    ),
    ({"name": ""}, "name"),
    ({"name": "x" * 121}, "at most 120 characters"),
    ({"flags": ["no_such"]}, "'no_such' is no flag"),
    ({"upgrade_of": ["no-such"]}, "is no unit of this list"),
]


def test_bad_records_are_refused_by_the_shape_of_the_packs(own, organiser):
    for changes, expected in BAD_RECORDS:
        with pytest.raises(FaultyList) as raised:
            make_profile(own=own, actor=organiser, **changes)
        assert expected in "\n".join(map(str, raised.value.faults)), changes
    assert not Profile.objects.filter(army=own).exists()


def test_second_of_two_changes_to_one_record_is_told_and_nothing_is_lost(own, organiser):
    key = make_profile(own=own, actor=organiser)
    seen = drafts.load_draft(
        organiser, own.club.slug, RecordPlace(own.token, "units", key)
    ).seen
    save_record(
        organiser, RecordPlace(own.token, "units", key), unit_record(points=10), seen
    )
    with pytest.raises(Stale):
        save_record(
            organiser, RecordPlace(own.token, "units", key), unit_record(points=11), seen
        )
    assert army_of(own).profiles[key].points == 10
    with pytest.raises(Refusal, match="has a profile “Boatman” already"):
        make_profile(own=own, actor=organiser)


def test_members_read_organisers_write_and_others_see_nothing(own, organiser):
    member, stranger = make_person(), make_person()
    own.club.memberships.create(user_id=member.user_id)
    slug, token = own.club.slug, own.token
    calls = [
        lambda who: create_list(who, slug, ListDraft("Other", COLLECTION)),
        lambda who: change_list(who, token, name="Other", note=""),
        lambda who: save_record(who, RecordPlace(token, "units"), unit_record()),
        lambda who: archive_record(who, RecordPlace(token, "units", "x")),
        lambda who: restore_record(who, RecordPlace(token, "units", "x")),
        lambda who: upload_list(who, slug, "army: x", collection=COLLECTION),
        lambda who: retire_list(who, token),
        lambda who: set_levels(who, slug, SYSTEM, {}),
        lambda who: drafts.load_draft(who, slug, RecordPlace(token, "units")),
    ]
    for call in calls:
        with pytest.raises(NotAllowed):
            call(member)
        for who in (stranger, NOBODY):
            with pytest.raises(NotInRuleBook):
                call(who)
    assert clubs.load_content(member, slug)["lists"][0]["token"] == token
    assert clubs.may_muster_from(member, SYSTEM, token)
    assert not clubs.may_muster_from(stranger, SYSTEM, token)
    retire_list(organiser, token)
    assert not clubs.may_muster_from(member, SYSTEM, token)
    for who in (stranger, NOBODY):
        with pytest.raises(NotInRuleBook):
            clubs.load_content(who, slug)
        with pytest.raises(NotInRuleBook):
            clubs.load_own(who, token)


def test_another_process_sees_a_change_with_its_next_request(
    own, organiser, django_assert_num_queries
):
    key = make_profile(own=own, actor=organiser)
    own_store._begin()
    try:
        assert army_of(own).profiles[key].points == 9
        with django_assert_num_queries(0):
            army_of(own)
        # As another process would leave it: the rows and their stamp are new, and nobody told this
        # one.
        row = Profile.objects.get(key=key)
        Profile.objects.filter(pk=row.pk).update(data={**row.data, "points": 12})
        Army.objects.filter(pk=own.pk).update(stamp="other")
        assert army_of(own).profiles[key].points == 9
        own_store._begin()
        assert army_of(own).profiles[key].points == 12
        own_store._begin()
        with django_assert_num_queries(1):
            army_of(own)
    finally:
        own_store._end()


def test_load_of_the_packs_leaves_clubs_alone(own, organiser):
    make_profile(own=own, actor=organiser)
    make_profile(own=own, actor=organiser, key="captain", name="Captain", points=51)
    load_packs()
    before = list(Profile.objects.filter(army=own).values())
    load_packs(force=True)
    assert list(Profile.objects.filter(army=own).values()) == before


def test_a_key_stands_once_in_a_list(own, organiser):
    make_profile(own=own, actor=organiser)
    row = Profile.objects.get(army=own)
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_levels_are_kept_where_they_differ(own, organiser):
    levels = {"leader.missing": "error", "leader.many": "off", "wizard.level": "note"}
    set_levels(organiser, own.club.slug, SYSTEM, levels)
    row = ClubLevels.objects.get(club=own.club)
    assert row.levels == {"leader.many": "off", "wizard.level": "note"}
    for bad in ({"no.such": "off"}, {"leader.missing": "loud"}):
        with pytest.raises(Refusal):
            set_levels(organiser, own.club.slug, SYSTEM, bad)


# Files


def test_file_goes_out_and_in_again_the_same(own, organiser):
    make_profile(
        own=own,
        actor=organiser,
        name="Yes: “Boatmen” # 08",
        special_rules=["08", "yes", "- a", "O'Brien"],
    )
    make_profile(own=own, actor=organiser, key="captain", name="Captain", points=51)
    weapon = {"name": "Boat hook", "type": "melee", "strength": "+1", "sources": ["first"]}
    save_record(organiser, RecordPlace(own.token, "weapons"), weapon)
    text = clubs.load_file(organiser, own.club.slug, own.token)[1]
    other = make_club(owner=organiser, name="Elsewhere")
    done = upload_list(organiser, other.slug, text)
    assert done.units == 2
    assert clubs.load_file(organiser, other.slug, done.token)[1] == text
    assert not upload_list(organiser, other.slug, text.encode(), token=done.token).changed


def test_file_of_a_pack_is_an_army_of_its_own(own, organiser, project_root):
    raw = (
        project_root / "rulesdata/packs/lists/whfb6/armies/bretonnians.yaml"
    ).read_bytes()
    done = upload_list(organiser, own.club.slug, raw, collection=COLLECTION)
    army, printed = (
        registry.load_army(SYSTEM, done.token),
        registry.load_army(SYSTEM, "bretonnians"),
    )
    assert list(army.profiles) == list(printed.profiles)
    assert [p.points for p in army.profiles.values()] == [
        p.points for p in printed.profiles.values()
    ]


def test_upload_puts_away_what_its_file_lacks(own, organiser):
    make_profile(own=own, actor=organiser, name="First")
    text = clubs.load_file(organiser, own.club.slug, own.token)[1]
    second = make_profile(own=own, actor=organiser, name="Second")
    upload_list(organiser, own.club.slug, text, token=own.token)
    assert not army_of(own).profiles[second].is_offered


HEAD = "army: ours\nname: Ours\nedition: 6\ncollection: whfb6\n"


BAD_FILES: list[tuple[str | bytes, str]] = [
    ("", "the file is empty"),
    ("- a", "line 1: expected a mapping"),
    (b"\xff\xfe", "not UTF-8"),
    ("army: &a x", "line 1: army: anchors and aliases"),
    ("army: !!python/object:os.system x", "line 1: army: tags"),
    ("army: a\narmy: b", "line 2: the key 'army' is written twice"),
    ("army: a\n---\nb: c", "only one document"),
    ("army: 'x", "not valid YAML"),
    ("a: " + "[" * 40 + "]" * 40, "nested deeper than 16 levels"),
    ("x: " + "y" * 1001, "longer than 1,000 characters"),
    ("x: [" + "1," * 40_001 + "]", "more than 40,000 values"),
    ("x" * 524_289, "larger than 524,288 bytes"),
    ("name: \u202eeman", "U+202E"),
    (HEAD.replace("whfb6", "no-such"), "line 4: collection: expected d10"),
    (HEAD.replace("whfb6", "[a]"), "line 4: collection: expected a text"),
    (HEAD + "base: no-such", "has no army 'no-such'"),
    (HEAD + "units: [{id: a}]", "line 5: units/a/name: a value is needed here"),
    (HEAD.replace("6", "5", 1), "line 3: edition: expected 6"),
    (HEAD + "surprise: 1", "line 5: surprise: this key is not known here"),
    (HEAD + "name2: e" + "\u0301" * 6, "marks on one letter"),
]


def test_bad_files_name_line_and_limit_and_write_nothing(own, organiser):
    before = Army.objects.count()
    for raw, expected in BAD_FILES:
        with pytest.raises(Refusal) as raised:
            upload_list(organiser, own.club.slug, raw)
        faults = getattr(raised.value, "faults", ())
        assert expected in "\n".join([raised.value.message, *map(str, faults)]), raw[:40]
    assert Army.objects.count() == before


def test_preview_is_what_would_be_kept_and_keeps_nothing(own, organiser):
    draft = drafts.load_draft(organiser, own.club.slug, RecordPlace(own.token, "units"))
    page = drafts.preview_record(draft, unit_record())
    assert (page.profile.name, page.profile.points, page.save.number) == (
        "Boatman", 9, None,
    )  # fmt: skip
    assert not Profile.objects.filter(army=own).exists()
    assert document_digest({}) != document_digest({"a": 1})


def test_the_staff_archives_a_list_once_and_keeps_its_moment(own):
    assert forget_list(own.token, is_deleted=False) == "River Empire"
    own.refresh_from_db()
    first = own.retired_at
    assert first is not None
    assert forget_list(own.token, is_deleted=False) == "River Empire"
    own.refresh_from_db()
    assert own.retired_at == first
    assert forget_list("no-such-list", is_deleted=False) == ""


def test_the_staff_deletes_a_list_and_no_other(own, organiser):
    make_profile(own=own, actor=organiser)
    other = make_list(club=own.club, actor=organiser, name="Hill Empire")
    kept = make_profile(own=other, actor=organiser)
    assert forget_list(own.token, is_deleted=True) == "River Empire"
    assert list(Army.objects.filter(club=own.club)) == [other]
    assert list(Profile.objects.values_list("army", "key")) == [(other.pk, kept)]
    assert forget_list(own.token, is_deleted=True) == ""
    # What the packs print is nobody's to delete here.
    assert forget_list("", is_deleted=True) == ""


@pytest.mark.parametrize("remove", [archive_record, restore_record])
def test_a_record_that_is_not_there_is_named_by_its_first_60_characters(
    own, organiser, remove
):
    with pytest.raises(NotInRuleBook) as caught:
        remove(organiser, RecordPlace(own.token, "units", "k" * 61))
    assert f"'{'k' * 60}'" in str(caught.value)
