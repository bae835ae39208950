"""Campaign rules as documents: those of the site, those of clubs, and what is wrong with one."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.models import Club
from accounts.owner import NOBODY, Owner
from campaigns.growth.queries.setup import load_rules_choices
from campaigns.growth.queries.shops import build_joiner, may_have
from engine.growth.campaign import find_kind
from engine.growth.warriors import enlist
from engine.roster import RosterEntry
from rulesdata import campaign_documents, registry
from rulesdata.campaign_documents import DOCUMENT_MAX, check_campaign_files, packed_rules
from rulesdata.errors import FaultyCampaignRules
from rulesdata.models import CampaignRules
from rulesdata.operations import campaign_rules as op
from rulesdata.operations.campaign_rules import write_campaign_rules
from rulesdata.queries.campaign_book import build_sections
from rulesdata.queries.campaign_rules import (
    campaign_rules_faults,
    load_campaign_rules,
    load_campaign_sets,
)
from tests.factories import SYSTEM, make_club, make_person, make_user

pytestmark = pytest.mark.django_db
MUSTER = "muster-campaign"
SEARCH = {"dice": "2D6"}


@pytest.fixture
def olga() -> Owner:
    return make_person(user=make_user(name="Olga"))


@pytest.fixture
def ada() -> Owner:
    return make_person(user=make_user(name="Ada"))


@pytest.fixture
def club(olga: Owner, ada: Owner) -> Club:
    return make_club(owner=olga, members=[ada], name="The Quay")


def own_document(**changes: Any) -> dict[str, Any]:
    document = copy.deepcopy(dict(packed_rules()[MUSTER].document))
    return {**document, "id": "quay", "name": "Quay campaign", **changes}


def test_the_site_has_a_set_that_anybody_may_choose() -> None:
    assert [one.id for one in load_campaign_sets(NOBODY)] == [MUSTER, "mordheim-campaign"]
    record = load_campaign_rules(NOBODY, MUSTER)
    assert (record.name, record.version) == ("Muster campaign", 1)
    assert record.document["kinds"]


def test_the_files_of_the_packs_are_checked(tmp_path: Path) -> None:
    assert check_campaign_files(campaign_documents.PACKS) == []
    folder = tmp_path / campaign_documents.FOLDER
    folder.mkdir()
    (folder / "broken.yaml").write_text("id: [", encoding="utf-8")
    (folder / "empty.yaml").write_text("id: nothing\n", encoding="utf-8")
    found = check_campaign_files(tmp_path)
    assert {one.file for one in found} == {"campaigns/broken.yaml", "campaigns/empty.yaml"}
    assert any(one.key == "format" for one in found)


def test_a_document_is_checked_for_a_system() -> None:
    document = own_document()
    assert campaign_rules_faults(document) == ()
    assert campaign_rules_faults(document, SYSTEM) == ()
    document["maxima"]["most"]["Luck"] = 3
    (fault,) = campaign_rules_faults(document, SYSTEM)
    assert "Luck" in fault.message
    assert campaign_rules_faults(document) == ()
    for system, variant, field in (
        ("none", "", "system"),
        (SYSTEM, "none", "variant"),
        ("", "a", "system"),
    ):
        with pytest.raises(Refusal) as error:
            campaign_rules_faults(document, system, variant)
        assert error.value.field == field


def test_rules_for_other_systems_say_so() -> None:
    document = own_document(systems=["mordheim"])
    assert campaign_rules_faults(document) == ()
    (fault,) = campaign_rules_faults(document, SYSTEM)
    assert fault.path == "systems"


def test_rules_take_races_skills_and_goods_of_a_collection() -> None:
    goods = [{"id": "lantern", "name": "Lamp", "price": 7}]
    document = own_document(collection="mordheim", trade={"goods": goods, "search": SEARCH})
    rules = campaign_documents.read_rules(document)
    assert rules.maxima.most_for("", "", "ogre")["W"] == 5
    assert rules.skills[rules.skill_lists["skaven"][1]].name == "Tail Fighting"
    assert rules.trade.goods["lucky-charm"].rare == 6
    cloak, sword = rules.trade.goods["elven-cloak"], rules.trade.goods["gromril-sword"]
    assert (cloak.price, cloak.price_dice) == (100, "D6 × 10")
    assert (sword.name, sword.price, sword.rare) == ("Gromril sword", 40, 11)
    assert rules.trade.goods["ithilmar-rapier"].price == 45
    assert rules.trade.goods["ithilmar-rapier"].only_for == ("reiklanders", "marienburgers")
    # What the document says itself goes before it.
    assert rules.trade.goods["lantern"].price == 7
    assert rules.maxima.most_for("dwarfs", "", "dwarf")["M"] == 4
    (fault,) = campaign_rules_faults(own_document(collection="none"))
    assert (fault.path, fault.code) == ("collection", "unknown")


@pytest.mark.parametrize("unit, goods, others", [
    # Whose list sells it, rare or not.
    ("warrior", ["sword", "pistol", "gromril-sword", "lantern"], ["flail", "elf-bow"]),
    ("marksman", ["handgun"], ["halberd", "ithilmar-halberd", "heavy-armour"]),
    # Heroes look for rare things, and may have them.
    ("youngblood", ["elf-bow", "ithilmar-flail"], ["flail", "sling"]),
    ("weapons-training", ["flail"], ["sling", "toughened-leathers"]),
    ("weapons-expert", ["sling"], ["flail"]),
    ("hired-pit-fighter", ["lantern"], ["sword", "pistol", "gromril-sword"]),
])  # fmt: skip
def test_weapons_and_armour_are_for_those_whose_list_sells_them(unit, goods, others):
    rules = packed_rules()["mordheim-campaign"].rules
    army = registry.fielded_army(registry.load_system("mordheim-draft"), "reiklanders")
    profile = "youngblood" if unit in rules.skills else unit
    joiner = build_joiner(army, RosterEntry(profile), "w1")
    warrior = replace(enlist(joiner, find_kind(rules, joiner)), skills=(unit,))
    offers = {
        key: may_have(rules, army, warrior, good) for key, good in rules.trade.goods.items()
    }
    assert [offers[key] for key in goods + others] == [True] * len(goods) + [False] * len(
        others
    )


def test_a_system_has_a_set_of_its_own_that_is_offered_first() -> None:
    mordheim = registry.load_system("mordheim-draft")
    assert load_rules_choices(NOBODY, mordheim)[0][0] == "mordheim-campaign"
    assert campaign_documents.find_default_rules(mordheim) == "mordheim-campaign"
    assert campaign_documents.find_default_rules(registry.load_system(SYSTEM)) == ""


def test_a_club_writes_versions_and_its_members_read_the_latest(club, olga, ada):
    first = write_campaign_rules(olga, club.slug, own_document())
    assert first.version == 1
    assert write_campaign_rules(olga, club.slug, own_document()) == first
    second = write_campaign_rules(olga, club.slug, own_document(summary="Other."))
    assert (second.id, second.version) == (first.id, 2)
    third = write_campaign_rules(olga, club.slug, own_document(id=first.id))
    assert (third.id, third.version) == (first.id, 3)
    assert [one.version for one in load_campaign_sets(ada)] == [1, 1, 3]
    assert load_campaign_rules(ada, first.id).version == 3
    assert CampaignRules.objects.get(version=2).document["summary"] == "Other."
    assert CampaignRules.objects.count() == 3


def test_others_do_not_read_a_clubs_rules_and_members_do_not_write(club, olga, ada):
    written = write_campaign_rules(olga, club.slug, own_document())
    stranger = make_person()
    assert len(load_campaign_sets(stranger)) == 2
    for id in (written.id, "own/", "own/" + "x" * 99, "own/\0", "", "muster"):
        with pytest.raises(NotFound):
            load_campaign_rules(stranger, id)
    with pytest.raises(NotAllowed):
        write_campaign_rules(ada, club.slug, own_document())
    with pytest.raises(NotFound):
        write_campaign_rules(stranger, club.slug, own_document())


def test_faulty_rules_are_told_whole_and_not_kept(club: Club, olga: Owner) -> None:
    document = own_document(version="one")
    del document["tables"]["lasting"]["rows"][2]
    with pytest.raises(FaultyCampaignRules) as error:
        write_campaign_rules(olga, club.slug, document)
    paths = [one.path for one in error.value.faults]
    assert "document.version" in paths
    assert any(path.startswith("document.tables.lasting") for path in paths)
    assert not CampaignRules.objects.exists()


def test_too_large_a_document_is_refused(club: Club, olga: Owner) -> None:
    with pytest.raises(FaultyCampaignRules):
        write_campaign_rules(olga, club.slug, own_document(summary="x" * DOCUMENT_MAX))


def test_sets_and_versions_are_bounded(club, olga, monkeypatch):
    monkeypatch.setattr(op, "SETS_MAX", 1)
    monkeypatch.setattr(op, "VERSIONS_MAX", 2)
    write_campaign_rules(olga, club.slug, own_document())
    with pytest.raises(Refusal) as error:
        write_campaign_rules(olga, club.slug, own_document(id="other"))
    assert error.value.field == "document"
    write_campaign_rules(olga, club.slug, own_document(summary="Two."))
    with pytest.raises(Refusal) as error:
        write_campaign_rules(olga, club.slug, own_document(summary="Three."))
    assert error.value.field == "document.id"
    with pytest.raises(Refusal) as error:
        write_campaign_rules(olga, club.slug, own_document(id="own/nothing"))
    assert error.value.field == "document.id"


def test_the_book_names_people_and_shares_in_words() -> None:
    rules = packed_rules()["mordheim-campaign"].rules
    sections = {section.key: section for section in build_sections(rules)}
    founding = " ".join(sections["founding"].lines)
    assert "For Orc Mob and Skaven Clan Eshin the most are 20 models." in founding
    assert "Warbands collect shards to spend." in founding
    rows = {row[0]: row[1] for row in sections["kinds"].tables[0].rows}
    assert "Johann the Knife" in rows["Dramatis persona"]
    assert "heroes and lord" in rows["Hero"]
    ransom = next(line for line in sections["injuries"].lines if "ransom" in line)
    assert "all of its price" in ransom
