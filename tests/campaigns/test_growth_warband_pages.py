"""The pages of one warband of a campaign: its units, its captives, its ledger."""

from dataclasses import replace

import pytest
from django.utils.html import escape

from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.ledger import recount_growth
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.growth.queries.presenter import load_campaign
from campaigns.growth.queries.reports import load_growth
from campaigns.growth.queries.warbands import shown_stats
from campaigns.models import CampaignWarband, ClubEvent
from campaigns.operations.entries import add_entries
from campaigns.queries.events import load_event
from notices.models import Notice
from tests.campaigns.growing import Campaign, roster
from tests.campaigns.test_growth import fought
from tests.campaigns.visitors import organise, visit
from warbands.models import Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document

pytestmark = pytest.mark.django_db


def test_the_ledger_says_whether_a_search_found_anything(campaign: Campaign) -> None:
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    sought = {"kind": "search", "good": "long-glass", "seeker": "w1", "bearer": "w1"}
    ada.post("warband-trade", entry, **sought, faces="1 1", key="a")
    ada.post("warband-trade", entry, **sought, faces="6 6", key="b")
    ledger = ada.get("warband-ledger", entry)
    assert "Otto looked for Long glass (1, 1): not found" in ledger
    assert "Otto looked for Long glass (6, 6): found, 15 crowns" in ledger


def test_an_answer_that_another_one_replaced_is_not_reversed(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ben, entry = visit(campaign, "Ben"), campaign.league.entry("Ben").token
    due = f"{fixture}/injury/w2"
    sent = {"warband": campaign.warbands["Ben"], "due": due}
    ben.post("after-answer", fixture, **sent, faces="2 5", key="a")
    ben.post("growth-take-back", entry, **sent, go="1", key="b")
    ben.post("after-answer", fixture, **sent, key="c")
    ledger = ben.get("warband-ledger", entry)
    assert ledger.count(f'name="due" value="{due}"') == 1
    assert ledger.count("<p>Injury of Ilse: 2, 5") == 2


def test_a_due_is_named_once_by_its_tables_and_rolls(campaign: Campaign) -> None:
    event = load_event(campaign.league.organiser, campaign.league.token)
    assert event is not None
    growing, ben = load_campaign(event), campaign.warbands["Ben"]
    for key, words in (
        ("f1/injury/w1", "Injury of Otto"),
        ("f1/injury/w1/injury/2", "Injury, roll 2 of Otto"),
        ("f1/injury/w1/lasting-harm", "Injury, lasting harm of Otto"),
        ("advance/w1/2/skill-table", "Advance 2, skill table of Otto"),
        ("advance/w1/skill-list/2", "List of skills 2 of Otto"),
        ("f1/income", "Income"),
    ):
        assert growing.due_words(ben, key) == words


def test_a_unit_has_a_page_with_its_past(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ben, entry = visit(campaign, "Ben"), campaign.league.entry("Ben").token
    sent = {"warband": campaign.warbands["Ben"], "due": f"{fixture}/injury/w2"}
    ben.post("after-answer", fixture, **sent, faces="2 4")
    assert ben.url("campaign-unit", entry, "w2") in ben.get("campaign-warband", entry)
    page = ben.get("campaign-unit", entry, "w2")
    for words in (
        "Ilse", "Came back from the battle +1", "0 → 1", "Misses the next battle",
    ):  # fmt: skip
        assert words in page, words
    assert "Injury of Ilse: 2, 4 (Laid up)" in page
    # Nothing is told of another unit there.
    assert "Swordsmen" not in page
    assert "was rolled, chosen or bought for this unit yet" in ben.get(
        "campaign-unit", entry, "w1"
    )
    ben.get("campaign-unit", entry, "w99", status=404)
    # A secret roster has no pages of its units for others.
    ClubEvent.objects.filter(token=campaign.league.token).update(
        needs_list=True, is_secret=True
    )
    visit(campaign, "Ada").get("campaign-unit", entry, "w2", status=404)


def test_choices_say_what_they_do(campaign: Campaign) -> None:
    fixture = fought(campaign)
    page = visit(campaign, "Ada").get("fixture-after", fixture)
    assert "<b>Each territory</b>: +2 crowns after each battle" in page


@pytest.mark.parametrize("faces, told", [((1,), "Typed by"), (None, "Rolled here for")])
def test_a_choice_does_not_change_who_made_the_roll(campaign, faces, told):
    fixture, band = fought(campaign), campaign.warbands["Ada"]
    taught = GivenAct("adjust", who="w1", experience=4, reason="A gift.")
    take_act(campaign.asked, band, taught)
    due = "advance/w1/1"
    answer_dues(campaign.asked, band, [GivenAnswer(due, faces)])
    owed = campaign.ledger.state.find_due(band, due)
    assert owed
    answer_dues(campaign.asked, band, [GivenAnswer(due, choice=owed.choices[0][0])])
    assert told in visit(campaign, "Ada").get("fixture-after", fixture)
    report = load_growth(campaign.league.player("Ada"), campaign.league.token)
    row = next(one for one in report.rows.values() if one.token == band)
    [answer] = report.answers_json(row, [due])
    assert answer["is_typed"] == (faces is not None)


def test_an_organiser_adjusts_and_reminds(campaign: Campaign) -> None:
    fought(campaign)
    olga, entry = organise(campaign), campaign.league.entry("Ben").token
    sent = {"kind": "adjust", "currency": "crowns", "amount": "-5", "reason": "A fine."}
    olga.post("warband-trade", entry, **sent)
    band = campaign.warbands["Ben"]
    assert campaign.ledger.state.warbands[band].treasury["crowns"] == 80
    assert "A fine." in olga.get("warband-ledger", entry)
    ruling = {"kind": "effect", "who": "w1", "effect": "misses: D3", "reason": "Fell."}
    ruling["key"] = "ruling"
    olga.post("warband-trade", entry, **ruling)
    assert "Fell." in olga.get("warband-ledger", entry)
    assert [due.key for due in campaign.ledger.state.open if due.kind == "ruling"]
    chosen = '{"experience": 2}'
    assert f'value="{escape(chosen)}">+2 experience' in olga.get("warband-trade", entry)
    ruling = {**ruling, "effect": "", "ruling": chosen}
    olga.post("warband-trade", entry, **ruling | {"key": "chosen"})
    assert campaign.ledger.state.warbands[band].warriors["w1"].experience == 3
    for faulty in ("raise: [", "misses", "misses: 99"):
        refused = olga.post("warband-trade", entry, **ruling | {"effect": faulty})
        assert refused.status_code == 422
        assert (
            'aria-invalid="true" aria-describedby="e-t-effect"' in refused.content.decode()
        )
    long = {"key": "long", "ruling": "x" * 300}
    assert olga.post("warband-trade", entry, **ruling | long).status_code == 422
    done = olga.post("growth-remind")
    assert "2 players reminded." in done.content.decode()
    words = Notice.objects.filter(kind="growth_dues").values_list("words", flat=True)
    assert any("2 × Injury" in one for one in words)


def test_a_captor_sets_a_captive_free(campaign: Campaign) -> None:
    fixture = fought(campaign)
    bands, league = campaign.warbands, campaign.league
    captured = GivenAnswer(f"{fixture}/injury/w2", row=11, reason="It was so.")
    answer_dues(campaign.asked, bands["Ben"], [captured])
    held = campaign.ledger.state.warbands[bands["Ben"]].warriors["w2"]
    assert held.captor == bands["Ada"]
    sold = {"captives": {"sold": {"dice": "D6"}}}
    asked = replace(campaign.asked, reason="As agreed.")
    set_growth_rules(asked, RulesDraft(changes=sold, since="now"))
    ransom = f"ransom/{fixture}/w2"
    answer_dues(campaign.asked, bands["Ben"], [GivenAnswer(ransom, choice="refuse")])
    assert campaign.ledger.state.find_due(bands["Ben"], f"{ransom}/sold")
    ada, entry = visit(campaign, "Ada"), league.entry("Ada").token
    key = f"{bands['Ben']} w2"
    assert f'value="{key}"' in ada.get("warband-trade", entry)
    unpriced = {"word": "ransom"}
    for number, faulty in enumerate(({"amount": "9"}, {"piece": "nobody w2"}, unpriced)):
        sent = {"kind": "captive", "piece": key} | faulty
        refused = ada.post("warband-trade", entry, **sent, key=str(number))
        assert refused.status_code == 422
    ada.post("warband-trade", entry, kind="captive", piece=key, key="free")
    assert not campaign.ledger.state.warbands[bands["Ben"]].warriors["w2"].captor
    assert "Ransom of Ilse: set free" in ada.get("warband-ledger", entry)


def test_a_guest_is_not_offered_what_grows_in_the_campaign_already(campaign):
    league = campaign.league
    asked = league.ask()
    first, second = add_entries(asked, names=["Guest one", "Guest two"])
    olga = organise(campaign)
    made = import_document(WriteContext(league.organiser), roster(name="Night watch"))
    olga.post("warband-found", first, warband=made.token)
    grown = CampaignWarband.objects.select_related("warband").get(entry__token=first)
    assert grown.warband
    page = olga.get("warband-found", second)
    assert made.token in page
    assert grown.warband.token not in page


def test_the_ledger_offers_to_reverse_what_its_reader_may(campaign: Campaign) -> None:
    fought(campaign)
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    olga, button = organise(campaign), "Reverse entry"
    ada.post("warband-trade", entry, kind="buy", bearer="w1", option="physick")
    adjusted = {"kind": "adjust", "currency": "crowns", "amount": "-5", "reason": "A fine."}
    olga.post("warband-trade", entry, **adjusted)
    # Her own purchase, not what an organiser did; an organiser reverses both.
    own = ada.get("warband-ledger", entry).count(button)
    assert olga.get("warband-ledger", entry).count(button) == own + 1
    assert own >= 1
    assert button not in visit(campaign, "Ben").get("warband-ledger", entry)
    # What was fielded was fielded with the purchase.
    campaign.report(campaign.game("Ada", "Ben"), "Ada")
    assert button not in ada.get("warband-ledger", entry)
    assert olga.get("warband-ledger", entry).count(button) == own + 1


def test_the_ledger_of_a_warband_tells_its_results(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ben, entry = visit(campaign, "Ben"), campaign.league.entry("Ben").token
    page = ben.get("warband-ledger", entry)
    assert "Game against Ada: lost, out of action: Ilse, Swordsmen, model 1" in page
    assert "Campaign rules: Muster campaign, version 1" in page
    campaign.report(fixture, "Ben")
    page = ben.get("warband-ledger", entry)
    assert "Game against Ada: won" in page
    assert "replaced by a later report" in page


@pytest.mark.parametrize("base, changes, printed, shown", [
    (0, {}, "D3", "D3"), (0, {"BS": 0}, None, None), (0, {"BS": 1}, None, 1),
    (3, {"BS": 4}, 3, 4),
])  # fmt: skip
def test_stat_is_shown_as_printed_until_it_grows(base, changes, printed, shown):
    assert shown_stats({"BS": base}, changes, {"BS": printed}) == {"BS": shown}


def search_again(campaign: Campaign, dice: str) -> None:
    """Rules with a search, and two pieces that change it, of which one is not for sale."""
    search = {"id": "ruins", "name": "Ruins", "who": "warband", "table": "ruins"}
    found = {"gain": {"currency": "renown", "amount": 3}}
    rows = [
        {"least": 1, "most": 8, "name": "Little", "effect": {}},
        {"least": 9, "most": 9, "name": "Much", "effect": found},
    ]
    goods = campaign.ledger.document["trade"]["goods"]
    chart = {"id": "chart", "name": "Chart", "price": 9, "words": "A way.", "sold": False}
    chart["again"] = {"of": "ruins", "dice": dice, "spent": True}
    changes = {
        "rolls": [{**search, "pool": {"die": "D6", "each": ["hero"], "won": 1}}],
        "tables": {"ruins": {"dice": "sum", "rows": rows}},
        "trade": {"goods": [*goods, chart]},
    }
    asked = replace(campaign.asked, reason="Ruins.")
    set_growth_rules(asked, RulesDraft(changes=changes, since="start"))
    ruling = GivenAct("effect", effect={"item": "chart"}, reason="A find.")
    take_act(campaign.asked, campaign.warbands["Ada"], ruling)


@pytest.mark.parametrize("dice", ["one", "more", "all"])
def test_a_throw_is_made_again_by_the_name_of_what_allows_it(campaign, dice):
    search_again(campaign, dice)
    fixture, band = fought(campaign), campaign.warbands["Ada"]
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    roll = f"{fixture}/roll/ruins"
    count = int(campaign.ledger.state.find_due(band, roll).dice[0])
    sent = {"warband": band, "due": roll, "faces": " ".join("1" * count)}
    ada.post("after-answer", fixture, **sent, key="a")
    page = ada.get("fixture-after", fixture)
    key = f"{roll}/again/stash/chart"
    assert (f"{key}" in page, "Ruins, Chart" in page) == (True, True)
    is_owed = any(due.key == key for due in campaign.ledger.state.open)
    assert is_owed is (dice == "more")
    assert ("Throw again" in page, "Throw the 1 again" in page) == (
        dice == "all",
        dice == "one",
    )
    named = {"choice": "1"} if dice == "one" else {}
    again = {"warband": band, "due": key, **named}
    faulty = ada.post("after-answer", fixture, **again, faces="7", key="b")
    assert "cannot show 7" in faulty.content.decode()
    count = count if dice == "all" else 1
    ada.post("after-answer", fixture, **again, faces=" ".join("6" * count), key="c")
    if dice == "more":
        assert "Leave out the 6" in ada.get("fixture-after", fixture)
        ada.post("after-answer", fixture, warband=band, due=key, choice="1", key="d")
    ledger = ada.get("warband-ledger", entry)
    assert "Ruins, Chart: 6" in ledger
    assert "Reverse" in ledger
    state = campaign.ledger.state
    assert (state.warbands[band].stash, state.offers) == ((), ())
    assert campaign.ledger.state.answers[band, key] == "counts"
    # It was thrown once.
    twice = ada.post("after-answer", fixture, **again, faces="5", key="e")
    assert "answered already" in twice.content.decode()


def test_a_player_renames_a_unit_also_between_battles(campaign: Campaign) -> None:
    fought(campaign)
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    assert "Rename unit" in ada.get("campaign-unit", entry, "w3")
    address = ada.url("warband-trade", entry)
    sent = {"kind": "rename", "who": "w3", "name": "The Nine", "key": "n"}
    renamed = ada.client.post(address, sent, follow=True)
    assert renamed.redirect_chain[0][0].endswith("/units/w3/")
    assert "The Nine" in ada.get("campaign-warband", entry)
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert Warrior.objects.get(pk=row.rows["w3"]).name == "The Nine"
    assert recount_growth() == (1, [])
    for number, faulty in enumerate(({"name": "x" * 300}, {"who": "w99"})):
        refused = ada.client.post(address, {**sent, **faulty, "key": f"r{number}"})
        assert refused.status_code == 422
    ben = visit(campaign, "Ben")
    assert "Rename unit" not in ben.get("campaign-unit", entry, "w3")
    assert ben.post("warband-trade", entry, kind="rename", who="w3").status_code == 403


def test_captives_are_exchanged_when_both_captors_say_so(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    fates = {name: [{"who": "w2", "by": None}] for name in ("Ada", "Ben")}
    campaign.report(fixture, "Ada", fates=fates)
    captured = GivenAnswer(f"{fixture}/injury/w2", row=11, reason="It was so.")
    for name in ("Ada", "Ben"):
        answer_dues(campaign.asked, campaign.warbands[name], [captured])
    for name, other in (("Ada", "Ben"), ("Ben", "Ada")):
        player, entry = visit(campaign, name), campaign.league.entry(name).token
        sent = {"kind": "captive", "piece": f"{campaign.warbands[other]} w2"}
        page = player.get("warband-trade", entry)
        assert f"Ilse, held by {other}" in page
        assert ("offered for Ilse" in page) is (name == "Ben")
        refused = player.post("warband-trade", entry, **sent, word="exchange", target="w1")
        assert "does not hold that unit" in refused.content.decode()
        player.post("warband-trade", entry, **sent, word="exchange", target="w2", key=name)
        units = [
            campaign.ledger.state.warbands[band].warriors["w2"]
            for band in campaign.warbands.values()
        ]
        assert [bool(unit.captor) for unit in units] == [name == "Ada"] * 2
    assert "Ransom of Ilse: exchange for Ilse" in player.get("warband-ledger", entry)
    assert "Ada offers Ilse in exchange for a captive of yours." in told(campaign, "Ben")
    assert "Ben set Ilse free." in told(campaign, "Ada")
    # Who acted was a player.
    assert "an organiser changed your warband: rating 125 → 181" not in told(
        campaign, "Ada"
    )


def told(campaign: Campaign, name: str) -> str:
    notices = Notice.objects.filter(user=campaign.league.player(name).user_id)
    return " ".join(notices.values_list("words", flat=True))
