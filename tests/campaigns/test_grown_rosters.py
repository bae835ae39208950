"""What shows a warband shows the grown one: roster, sheet, battle, document, copy."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import FaultyDocument, WrongState
from accounts.owner import NOBODY, Owner
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.ledger import recount_growth
from campaigns.growth.operations.results import EVERYBODY
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.lineups import load_fielded_battle
from campaigns.growth.queries.reports import load_growth
from campaigns.growth.queries.setup import FoundingPage
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture
from campaigns.queries.events import load_entries, load_event
from engine.records import JsonObject
from engine.roster import ChangedFigure, EntryGrowth
from rulesdata import registry
from tests.battles.pages import browser_of
from tests.campaigns.growing import RULES, Campaign, make_growing, roster
from tests.campaigns.leagues import make_campaign
from tests.factories import make_warband, make_warrior
from warbands.access import repriced_by
from warbands.exchange.document import parse, to_document
from warbands.models import Warband, Warrior
from warbands.operations.transaction import IN_CAMPAIGN, WriteContext
from warbands.operations.warbands import (
    archive_warband,
    change_warband,
    duplicate_warband,
    import_document,
)
from warbands.pdf.header import campaign_lines
from warbands.pdf.phrases import remark_tokens
from warbands.queries.odds import build_page
from warbands.queries.odds_subjects import find_odds_warband, members, profile_under_system
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import (
    check_document,
    load_warband,
    sheet_of,
    sheet_of_roster,
)
from warbands.sheet.structure import SheetWarrior, experience_boxes, growth_lines

pytestmark = pytest.mark.django_db
LAID_UP, LASTING, HURT_WS = (2, 4), (2, 3), (2,)
"""Faces of injuries: misses a battle, a roll on the lasting ones, and there a weak arm."""


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Ada beat Ben, whose captain came away with a weak arm and whose engineer is laid up."""
    campaign = make_growing(players=2)
    fixture = campaign.game("Ada", "Ben")
    ada = campaign.league.entry("Ada").token
    fates: list[dict[str, Any]] = [
        {"who": "w1", "by": f"{ada}/w1"},
        {"who": "w2", "by": f"{ada}/w1"},
        {"who": "w3#1", "by": None},
    ]
    campaign.report(fixture, "Ada", fates={"Ben": fates, "Ada": []})
    answer(campaign, f"{fixture}/injury/w1", LASTING)
    answer(campaign, f"{fixture}/injury/w1/lasting", HURT_WS)
    answer(campaign, f"{fixture}/injury/w2", LAID_UP)
    answer(campaign, f"{fixture}/injury/w3#1", (1,))
    return campaign


def answer(campaign: Campaign, due: str, faces: tuple[int, ...], choice: str = "") -> None:
    given = GivenAnswer(due, faces, choice or None)
    name = "Ada" if due.startswith("advance") else "Ben"
    answer_dues(campaign.asked, campaign.warbands[name], [given])


def row_of(campaign: Campaign, name: str) -> CampaignWarband:
    token = campaign.warbands[name]
    return CampaignWarband.objects.select_related("warband").get(token=token)


def record_of(campaign: Campaign, name: str) -> WarbandRecord:
    warband = row_of(campaign, name).warband
    assert warband
    found = load_warband(Owner(warband.owner_id, warband.owner_key), warband.token)
    assert found
    return found


def shown(campaign: Campaign, name: str) -> list[SheetWarrior]:
    return list(sheet_of(record_of(campaign, name)).warriors)


def figure(one: SheetWarrior, stat: str) -> str:
    assert one.main_line
    return dict(one.main_line.cells)[stat]


def test_a_sheet_shows_the_figures_of_now_beside_the_printed_ones(campaign):
    captain, engineer, swordsmen, _ = shown(campaign, "Ben")
    stats = campaign.ledger.state.warbands[campaign.warbands["Ben"]].stats["w1"]
    assert figure(captain, "WS") == str(stats["WS"])
    assert captain.growth
    assert captain.main_line
    (changed,) = captain.growth.changed
    assert changed == ChangedFigure("WS", stats["WS"] + 1, stats["WS"])
    assert captain.main_line.bases == (("WS", str(changed.base)),)
    assert "WS" in captain.main_line.changed
    assert captain.growth.injuries == ("Weak arm",)
    assert (captain.growth.experience, captain.growth.next_step) == (1, 4)
    assert engineer.growth
    assert engineer.growth.misses == (1,)
    assert "Misses the next battle" in growth_lines(engineer.growth, 1)
    # One swordsman of five is gone for good.
    assert swordsmen.count == 4


def test_the_head_of_a_sheet_tells_rating_and_treasury(campaign: Campaign) -> None:
    record = record_of(campaign, "Ada")
    grown = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    head = sheet_of(record).growth
    assert head
    assert (head.rating, head.campaign) == (grown.rating, campaign.league.event.name)
    assert dict(head.treasury) == grown.treasury
    theirs = sheet_of(record, is_opponents_copy=True).growth
    assert theirs
    assert (theirs.rating, theirs.treasury, theirs.stash) == (grown.rating, (), ())


def test_a_battle_locks_the_grown_warband_without_who_misses_it(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    campaign.report(fixture, "Ben")
    warband = row_of(campaign, "Ben").warband
    assert warband
    side = warband.snapshots.order_by("-pk")[0]
    captain, swordsmen, _ = side.sheet["warriors"]
    assert dict(captain["lines"][0]["cells"])["WS"] == figure(
        shown(campaign, "Ben")[0], "WS"
    )
    assert captain["growth"]["injuries"] == ["Weak arm"]
    assert swordsmen["count"] == 4


def test_skills_and_goods_are_told_with_their_words(campaign: Campaign) -> None:
    asked = campaign.league.ask(reason="A gift")
    ada = campaign.warbands["Ada"]
    take_act(asked, ada, GivenAct(kind="adjust", who="w1", experience=4, reason="A gift"))
    answer(campaign, "advance/w1/1", (5,), "marksman")
    take_act(asked, ada, GivenAct(kind="buy", bearer="w1", option="physick"))
    captain = shown(campaign, "Ada")[0]
    assert captain.growth
    assert [name for name, _ in captain.growth.skills] == ["Marksman"]
    assert [name for name, _ in captain.growth.goods] == ["Physick's bag"]
    assert captain.growth.stat_change("BS") == 1
    marksman = "Marksman (Chooses the target where others must take the nearest)"
    assert f"Skills: {marksman}" in growth_lines(captain.growth, 1)
    # The dice count figures alone, so what is only words is named as not counted.
    ada_herself, record = campaign.league.player("Ada"), record_of(campaign, "Ada")
    band = find_odds_warband(ada_herself, f"w:{record.token}")
    otto, ilse, *_ = members(band)
    notes = build_page(otto, ilse, {}, is_asked=False)["notes"]
    [told] = [one for one in notes if "Marksman" in one]
    assert told.startswith(f"Not counted for Otto: {marksman}, Physick's bag (")
    assert build_page(ilse, ilse, {}, is_asked=False)["notes"] == notes[-1:]


def test_the_document_carries_growth_and_checks_count_it(campaign: Campaign) -> None:
    record = record_of(campaign, "Ben")
    document = json.loads(json.dumps(to_document(record.roster)))
    assert document["warriors"][0]["growth"]["injuries"] == ["Weak arm"]
    assert parse(document).warriors[0].growth == record.roster.warriors[0].growth
    document["warriors"][0]["growth"]["changed"] = [{"stat": "Ld", "base": 8, "now": 10}]
    plain = check_document(NOBODY, to_document(parse(roster()))).warriors[0]["leadership"]
    assert plain is not None
    assert check_document(NOBODY, document).warriors[0]["leadership"] == plain + 2


def test_a_copy_and_an_import_are_plain_with_growth_as_notes(campaign: Campaign) -> None:
    ben = campaign.league.player("Ben")
    record = record_of(campaign, "Ben")
    copied = duplicate_warband(WriteContext(ben, record.token))
    read = import_document(WriteContext(ben), to_document(record.roster))
    for done in (copied, read):
        found = load_warband(ben, done.token)
        assert found
        assert not found.is_grown
        assert found.may_build
        captain = found.roster.warriors[0]
        assert captain.growth is None
        assert found.roster.growth is None
        assert "Injuries: Weak arm" in captain.note
        assert "Treasury" in found.roster.note


def test_a_grown_roster_is_read_alone_and_says_why(campaign: Campaign) -> None:
    record = record_of(campaign, "Ben")
    assert record.may_change
    assert not record.may_build
    client = browser_of(campaign.league.player("Ben"))
    page = client.get(f"/warbands/{record.token}/").content.decode()
    assert "which alone changes it" in page
    assert "Weak arm" in page
    entry = campaign.league.entry("Ben").token
    assert reverse("campaign-warband", args=[campaign.league.token, entry]) in page
    assert IN_CAMPAIGN.startswith("This warband belongs to a campaign")


def test_nobody_renews_prices_that_a_campaign_paid(campaign: Campaign) -> None:
    record, ben = record_of(campaign, "Ben"), campaign.league.player("Ben")
    own = Warband.objects.filter(repriced_by(ben, campaign.league.club.pk))
    copied = duplicate_warband(WriteContext(ben, record.token))
    assert set(own.values_list("token", flat=True)) == {copied.token}


def test_a_player_shares_a_grown_warband_and_changes_nothing_else(campaign):
    record, ben = record_of(campaign, "Ben"), campaign.league.player("Ben")
    client = Client()
    address = reverse("warband-read", args=[record.token])
    assert client.get(address).status_code == 404
    owner = browser_of(ben)
    share = reverse("warband-share", args=[record.token])
    assert share in owner.get(address).content.decode()
    before = Warband.objects.values("points", "miniatures", "growth").get(pk=record.id)
    sent = {"visibility": "link", "version": record.version, "key": "k"}
    owner.post(share, sent)
    shared = client.get(address).content.decode()
    assert "Weak arm" in shared
    assert "Open it in" not in shared
    assert (
        Warband.objects.values("points", "miniatures", "growth").get(pk=record.id) == before
    )
    with pytest.raises(WrongState):
        change_warband(WriteContext(ben, record.token), visibility="private", tags=[])
    with pytest.raises(WrongState):
        archive_warband(WriteContext(ben, record.token))


def test_a_player_names_a_grown_warband(campaign: Campaign) -> None:
    record, ben = record_of(campaign, "Ben"), campaign.league.player("Ben")
    client = browser_of(ben)
    details = reverse("warband-change", args=[record.token])
    entry = campaign.league.entry("Ben").token
    home = reverse("campaign-warband", args=[campaign.league.token, entry])
    assert details in client.get(home).content.decode()
    form = client.get(details).content.decode()
    assert ('name="name"' in form, 'name="limit"' in form) == (True, False)
    sent = {"name": "The Drowned", "note": "From the marsh", "limit": "150"}
    answer = client.post(details, {**sent, "version": record.version, "key": "k"})
    assert answer.status_code == 302
    named = record_of(campaign, "Ben").roster
    assert (named.name, named.note) == ("The Drowned", "From the marsh")
    assert replace(named, name=record.roster.name, note="") == record.roster
    assert "<h1>The Drowned</h1>" in client.get(home).content.decode()
    # The campaign goes on with the new name, and its fold writes over neither.
    recount_growth()
    assert record_of(campaign, "Ben").roster == named


def test_what_is_shown_follows_the_fold_and_recounting_mends_it(campaign: Campaign) -> None:
    assert recount_growth()[1] == []
    Warrior.objects.filter(warband__is_grown=True).update(growth={})
    assert len(recount_growth()[1]) == 2
    assert shown(campaign, "Ben")[0].growth
    Warband.objects.filter(is_grown=True).update(growth={})
    assert len(recount_growth()[1]) == 2
    assert recount_growth()[1] == []
    assert GrowthRow.objects.exists()


@pytest.mark.parametrize("growth, field", [
    ([], "warriors[0].growth"),
    ({"charm": 3}, "warriors[0].growth.charm"),
    ({"experience": "nine"}, "warriors[0].growth"),
    ({"experience": 10**9}, "warriors[0].growth"),
    ({"kind": "x" * 30_000}, "warriors[0].growth"),
    ({"changed": [[[[[1]]]]]}, "warriors[0].growth"),
    ({"injuries": ["a\u0000b"]}, "warriors[0].growth"),
])  # fmt: skip
def test_growth_that_no_campaign_wrote_names_its_field(growth: Any, field: str) -> None:
    document = roster()
    document["warriors"][0]["growth"] = growth
    with pytest.raises(FaultyDocument) as told:
        parse(document)
    assert [fault.path for fault in told.value.faults] == [field]


def test_boxes_mark_the_steps_and_leave_some_blank() -> None:
    boxes = experience_boxes(EntryGrowth("Hero", 7, (4, 8, 13)))
    assert [one.number for one in boxes if one.is_step] == [4, 8]
    assert [one.number for one in boxes if not one.is_filled] == [8, 9, 10]
    assert experience_boxes(EntryGrowth("Creature", 0)) == ()
    assert len(experience_boxes(EntryGrowth("Hero", 500, (4,)))) == 30


def test_paper_has_a_box_for_each_point_up_to_the_next_advance(campaign: Campaign) -> None:
    captain, engineer, *_ = shown(campaign, "Ben")
    told = " ".join(words for words, _ in remark_tokens(captain))
    assert told.startswith("Hero, experience 1, next advance at 4 ☐☐▣ · WS")
    assert "Injuries: Weak arm" in told
    assert "Misses the next battle" in " ".join(word for word, _ in remark_tokens(engineer))
    head = " ".join(campaign_lines(sheet_of(record_of(campaign, "Ben")), 8.2))
    assert "The long winter: warband rating" in head
    assert "Treasury" in head


def test_a_hired_sword_is_a_unit_like_any_other(campaign: Campaign) -> None:
    asked = campaign.league.ask()
    ada = campaign.warbands["Ada"]
    take_act(
        asked, ada, GivenAct(kind="recruit", profile="pikeman", hired=True, name="Piet")
    )
    record = record_of(campaign, "Ada")
    sheet = sheet_of(record)
    pikeman = sheet.warriors[-1]
    assert (pikeman.name, pikeman.title) == ("Piet", "Wandering pikeman")
    assert (pikeman.is_known, pikeman.points) == (True, 18)
    assert (figure(pikeman, "WS"), figure(pikeman, "Ld")) == ("4", "8")
    assert pikeman.growth
    assert pikeman.growth.kind == "Hired sword"
    assert not any("not in" in one.message for one in sheet.findings)
    # A program that reads the document, and the odds, know the hired sword too.
    document = json.loads(json.dumps(to_document(record.roster)))
    assert sheet_of_roster(parse(document)).warriors[-1].points == 18
    band = find_odds_warband(campaign.league.player("Ada"), f"w:{record.token}")
    system = registry.load_base(record.roster.system)
    profile = profile_under_system(members(band)[-1], system)
    assert profile
    fixture = campaign.game("Ada", "Ben")
    campaign.report(fixture, "Ada")
    assert recount_growth()[1] == []


def codes_of(campaign: Campaign, name: str) -> dict[str, str]:
    """The issues of growth of a player's warband: their sentences by code."""
    found = sheet_of(record_of(campaign, name)).findings
    return {one.code: one.message for one in found if one.code.startswith("growth_")}


def test_issues_tell_what_is_beyond_the_campaigns_rules(campaign: Campaign) -> None:
    assert set(codes_of(campaign, "Ada")) == {"growth_dues"}
    ben = codes_of(campaign, "Ben")
    assert set(ben) == {"growth_dues", "growth_absent"}
    assert ben["growth_absent"] == "Ilse: misses the next battle."
    asked = campaign.league.ask()
    ada = campaign.warbands["Ada"]
    take_act(asked, ada, GivenAct(kind="recruit", into="w4", count=5))
    take_act(
        asked,
        ada,
        GivenAct(kind="adjust", currency="crowns", amount=-500, reason="A correction"),
    )
    take_act(asked, ada, GivenAct(kind="dismiss", who="w1"))
    found = codes_of(campaign, "Ada")
    left = campaign.ledger.state.warbands[ada].treasury["crowns"]
    assert (
        found["growth_recruits_most"]
        == "5 models recruited since the last battle, 3 at most."
    )
    assert f"{-left} crowns below 0" in found["growth_treasury_below"]
    assert "successor" in found["growth_no_leader"]
    assert "growth_models_most" not in found


def test_the_limit_of_models_and_the_source_are_the_campaigns() -> None:
    document = roster()
    document["warriors"][2]["count"] = 12
    document["growth"] = {"campaign": "Winter", "rules": "House set", "models_most": 15}
    (told,) = (
        one
        for one in check_document(NOBODY, document).findings
        if one.code.startswith("growth_")
    )
    values = (told.message, told.source)
    assert values == ("18 models, 15 at most in this campaign.", "House set")


def told_of(head, *entries) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The issues of a document with this growth: sentence and warriors by code."""
    document = roster()
    document["growth"] = {"campaign": "Winter", "rules": "House set", **head}
    for warrior, growth in zip(document["warriors"], entries, strict=False):
        warrior["growth"] = growth
    found = check_document(NOBODY, document).findings
    return {one.code: (one.message, one.warriors) for one in found}


def test_more_of_a_kind_than_its_most_is_told_and_as_many_are_not() -> None:
    heroes = {"kind": "Hero"}, {"kind": "Hero", "captor": "Sewer"}, {"kind": "Soldier"}
    found = told_of({"kinds_most": [["Hero", 1]]}, *heroes)
    words = "Hero: 2 units, 1 at most in this campaign."
    assert found["growth_kind_most"] == (words, (0, 1))
    assert "growth_kind_most" not in told_of({"kinds_most": [["Hero", 2]]}, *heroes)
    assert "growth_kind_most" not in told_of({}, *heroes)


def test_an_old_wound_is_told_before_the_next_battle_but_not_of_captives() -> None:
    wounded = {"kind": "Hero", "old_wound": "D6 of 2 or less"}
    message, who = told_of({}, {"kind": "Hero"}, wounded)["growth_old_wound"]
    assert message.endswith(" misses it on a D6 of 2 or less.")
    assert "has an old wound. Roll before the next game:" in message
    assert who == (1,)
    assert "growth_old_wound" not in told_of({}, {**wounded, "captor": "Sewer"})


def test_open_rolls_and_entries_that_do_not_count_are_counted() -> None:
    one, more = told_of({"dues": 1, "aside": 1}), told_of({"dues": 2, "aside": 3})
    assert one["growth_dues"][0] == (
        "1 roll or choice is open. Resolve before the next game."
    )
    assert more["growth_dues"][0].startswith("2 rolls and choices are open.")
    assert one["growth_aside"][0] == (
        "1 ledger entry does not count now. The ledger says why."
    )
    assert more["growth_aside"][0].startswith("3 ledger entries do not count now.")
    assert not {"growth_dues", "growth_aside"} & set(told_of({"dues": 0, "aside": 0}))


def test_a_second_open_battle_is_told_where_one_is_fielded(campaign: Campaign) -> None:
    asked = campaign.league.ask()
    first, second = campaign.game("Ada", "Ben"), campaign.game("Ada", "Ben")
    report = load_growth(campaign.league.organiser, campaign.league.token)
    for fixture, wanted in ((first, 0), (second, 2)):
        field_fixture(asked, fixture, EVERYBODY)
        told = load_fielded_battle(report, fixture)["findings"]
        assert [one["code"] for one in told].count("growth_two_open") == wanted


# What a roster paid for when it founded a campaign warband, and what its shop asks beside


def founded(*warriors: JsonObject) -> tuple[Campaign, Warband]:
    campaign = Campaign(make_campaign(players=1))
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    draft = FoundingDraft(
        campaign.league.entries[0].token, {**roster(), "warriors": list(warriors)}
    )
    campaign.warbands["Ada"] = found_warband(campaign.asked, draft)
    row = CampaignWarband.objects.select_related("warband").get(
        token=campaign.warbands["Ada"]
    )
    assert row.warband
    return campaign, row.warband


def test_a_roster_keeps_the_champion_and_the_magic_items_it_paid_for() -> None:
    bought = ["shield", "magic/enchanted-shield"]
    captain = {"profile": "captain", "leader": True, "options": bought}
    campaign, warband = founded(captain, {"profile": "swordsmen", "options": ["champion"]})
    grown = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    record = load_warband(campaign.league.player("Ada"), warband.token)
    assert record
    options = [list(one.options) for one in record.roster.warriors]
    assert options == [bought, ["champion"]]
    assert warband.points == sum(one.worth for one in grown.warriors.values())


def test_a_roster_founds_at_the_prices_of_its_list_whatever_it_keeps() -> None:
    campaign = Campaign(make_campaign(players=1))
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    ada = campaign.league.player("Ada")
    own = make_warband(actor=ada, name="Old guard")
    make_warrior(warband=own, profile="elector-count", is_leader=True)
    Warrior.objects.update(paid_each=5, keeps_price=True)
    Warband.objects.update(points=5)
    event = load_event(ada, campaign.league.token)
    assert event
    entry = load_entries(ada, event)[0]
    [(_, words)] = FoundingPage(ada, event, entry).choices
    assert words.startswith("Old guard, The Empire, 80 crowns")
    asked = ChangeRequest(ada, campaign.league.token)
    found_warband(asked, FoundingDraft(entry.token, warband=own.token))
    [grown] = campaign.ledger.state.warbands.values()
    assert grown.warriors["w1"].joined.price == 80
    copied = Warband.objects.get(is_grown=True, entries__event__token=campaign.league.token)
    assert (copied.points, copied.warriors.get().keeps_price) == (80, False)
    assert own.warriors.get().keeps_price
