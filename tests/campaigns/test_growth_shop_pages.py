"""The shop of a campaign's warband: what is bought, sold and searched for, and how dice are typed."""

from dataclasses import replace

import pytest

from campaigns.growth.forms import read_faces
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from tests.campaigns.growing import Campaign
from tests.campaigns.test_growth import fought
from tests.campaigns.test_growth_warband_pages import search_again
from tests.campaigns.visitors import visit

pytestmark = pytest.mark.django_db


def test_the_shop_keeps_what_was_typed_and_refused(campaign: Campaign) -> None:
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    fields = {"good": "long-glass", "seeker": "w2", "bearer": "w2", "faces": "9"}
    refused = ada.post("warband-trade", entry, kind="search", **fields)
    page = refused.content.decode()
    assert refused.status_code == 422
    field = page[page.index('id="t-faces"') :].partition(">")[0]
    assert 'value="9"' in field
    assert 'aria-invalid="true"' in field
    assert 'href="#t-faces"' in page
    refused = ada.post("warband-trade", entry, kind="recruit", into="w3", count="many")
    page = refused.content.decode()
    for name, value in (("t-more", "many"), ("t-count", "1"), ("t-leave", "1")):
        field = page[page.index(f'id="{name}"') :].partition(">")[0]
        assert f'value="{value}"' in field


def test_the_shop_buys_recruits_sells_and_refuses(campaign: Campaign) -> None:
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    token = campaign.warbands["Ada"]
    page = ada.get("warband-trade", entry)
    # The leader's shop is open at once.
    assert "Shield for Otto" in page
    bought = ada.post("warband-trade", entry, kind="buy", bearer="w1", option="physick")
    assert "Bought Physick" in bought.content.decode()
    state = campaign.ledger.state.warbands[token]
    assert state.treasury["crowns"] == 76 - 12
    ada.post("warband-trade", entry, kind="give", piece="w1 physick", target="stash")
    ada.post("warband-trade", entry, kind="sell", piece="stash physick")
    ada.post("warband-trade", entry, kind="recruit", into="w3", count="2")
    hired = ada.post("warband-trade", entry, kind="recruit", profile="hired:pathfinder")
    assert "Recruited Pathfinder, 20 crowns." in hired.content.decode()
    dear = ada.post("warband-trade", entry, kind="recruit", profile="elector-count")
    assert dear.status_code == 422
    assert "Act: " not in dear.content.decode()
    assert "the treasury has" in dear.content.decode()
    many = ada.post("warband-trade", entry, kind="dismiss", who="w2", count="9", key="9")
    assert "Ilse has fewer than 9 models" in many.content.decode()
    ada.post("warband-trade", entry, kind="dismiss", who="w2", count="1")
    assert campaign.ledger.state.warbands[token].warriors["w2"].gone
    ledger = ada.get("warband-ledger", entry)
    assert "Sold Physick&#x27;s bag from the stash, 6 crowns" in ledger
    assert "2 more for Swordsmen" in ledger
    visit(campaign, "Ben").get("warband-trade", entry, status=403)


def test_a_purchase_that_cannot_be_names_its_unit(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    injury = f"{fixture}/injury/w2"
    answer_dues(campaign.asked, band, [GivenAnswer(injury, (3, 4))])
    take_act(campaign.asked, band, GivenAct("buy", option="physick", bearer="w2"))
    killed = GivenAnswer(injury, row=2, reason="The table says so.")
    answer_dues(campaign.asked, band, [killed])
    page = visit(campaign, "Ben").get("warband-ledger", campaign.league.entry("Ben").token)
    assert "oes not count: Ilse is not in the warband by then." in page
    assert "w2 is not" not in page


def test_a_price_is_thrown_with_the_search(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], visit(campaign, "Ada")
    entry = campaign.league.entry("Ada").token
    goods = [
        {"id": "map", "name": "Map", "price": {"base": 20, "dice": "2D6"}, "rare": 4},
        {"id": "wine", "name": "Wine", "price": {"base": 5, "dice": "D6"}},
        {"id": "cloak", "name": "Cloak", "price": {"base": 9, "dice": "D6", "times": 10}},
        {"id": "nail", "name": "Nail", "price": 1},
    ]
    changes = RulesDraft(changes={"trade": {"goods": goods}}, since="start")
    set_growth_rules(replace(campaign.asked, reason="Goods."), changes)
    assert "found on 4 or more, + 2D6" in ada.get("warband-trade", entry)
    assert "+ D6 × 10" in ada.get("warband-trade", entry)
    cloak = {"kind": "buy", "option": "cloak", "bearer": "w1"}
    assert " crown: Nail for" in ada.get("warband-trade", entry)
    for faces in ("0", "7", "1 1"):
        refused = ada.post("warband-trade", entry, **cloak, faces=faces, key=f"of {faces}")
        assert "The price is thrown with D6." in refused.content.decode()
    field = refused.content.decode().partition('id="t-price-cloak"')[2].partition(">")[0]
    assert 'value="1 1"' in field
    assert 'href="#t-price-cloak"' in refused.content.decode()
    assert 'id="t-price-wine"' in refused.content.decode()
    assert 'id="t-price-nail"' not in refused.content.decode()
    ada.post("warband-trade", entry, **cloak, faces="1", key="cloak")
    search = {"kind": "search", "good": "map", "bearer": "stash", "seeker": "w1"}
    for faces in ("6", "6 6 7 1", "6601", "6 6 1", "66111"):
        refused = ada.post("warband-trade", entry, **search, faces=faces, key=faces)
        assert refused.status_code == 422
        # What was typed stays.
        assert f'value="{faces}"' in refused.content.decode()
    ada.post("warband-trade", entry, **search, faces="6 6 3 4", key="found")
    crowns = campaign.ledger.state.warbands[band].treasury["crowns"]
    assert crowns == 76 - 19 - 27
    buy = {"kind": "buy", "option": "wine", "bearer": "w1"}
    ada.post("warband-trade", entry, **buy, key="bought")
    assert 6 <= crowns - campaign.ledger.state.warbands[band].treasury["crowns"] <= 11
    # The most that it may cost has to be there.
    poor = GivenAct("adjust", currency="crowns", amount=-20, reason="A fine.")
    take_act(campaign.asked, band, poor)
    refused = ada.post("warband-trade", entry, **search, faces="6 6 1 1", key="poor")
    assert refused.status_code == 422


@pytest.mark.parametrize("typed, faces", [
    *((typed, (6, 6, 3, 4)) for typed in ("6634", "6 6 3 4", "6,6,3,4", "66 34")),
    ("none", (0,)), ("6 6 10", (6, 6, 1, 0)),
])  # fmt: skip
def test_dice_are_typed_with_and_without_spaces(typed: str, faces: tuple[int, ...]) -> None:
    assert read_faces(typed, "2D6", "2D6") == faces


@pytest.mark.parametrize("dice", ["D10", "D20"])
def test_a_die_of_ten_sides_and_more_shows_two_figures(dice: str) -> None:
    assert read_faces("6 6 10", "2D6", dice) == (6, 6, 10)


def test_a_price_of_a_die_of_twenty_sides_is_typed_as_it_shows(campaign: Campaign) -> None:
    lamp = {"id": "lamp", "name": "Lamp", "price": {"base": 1, "dice": "D20"}}
    changes = RulesDraft(changes={"trade": {"goods": [lamp]}}, since="start")
    set_growth_rules(replace(campaign.asked, reason="Goods."), changes)
    buy = {"kind": "buy", "option": "lamp", "bearer": "w1", "faces": "12"}
    visit(campaign, "Ada").post("warband-trade", campaign.league.entry("Ada").token, **buy)
    state = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    assert state.treasury["crowns"] == 76 - 1 - 12


def test_a_player_searches_with_a_pool_and_sells_what_was_found(campaign: Campaign) -> None:
    found = {"gain": {"currency": "renown", "amount": 3}}
    row = {"least": 1, "most": 6, "name": "Three pieces", "effect": found}
    pool = {"die": "D6", "each": ["hero"], "won": 1, "most": 6}
    search = {"id": "ruins", "name": "Ruins", "who": "warband", "table": "ruins"}
    sale = {"currency": "renown", "paid_in": "crowns", "once": "battle"}
    changes = {
        "rolls": [{**search, "pool": pool, "alike": {"2": "twice"}}],
        "tables": {
            "ruins": {"dice": "sum", "rows": [row]},
            "twice": {"dice": "D6", "rows": [{**row, "name": "A hut", "effect": {}}]},
        },
        "sales": [{**sale, "models": [], "rows": [[45], [60]]}],
        "recruits": {"pool": "2D6"},
    }
    asked = replace(campaign.asked, reason="Ruins.")
    set_growth_rules(asked, RulesDraft(changes=changes, since="start"))
    fixture = fought(campaign)
    band, entry = campaign.warbands["Ada"], campaign.league.entry("Ada").token
    ada = visit(campaign, "Ada")
    [due] = [
        due
        for due in campaign.ledger.state.open
        if (due.warband, due.key) == (band, f"{fixture}/roll/ruins")
    ]
    faces = " ".join("4" * int(due.dice[0]))
    sent = {"warband": band, "due": due.key, "faces": faces}
    ada.post("after-answer", fixture, **sent, key="a")
    assert "Three pieces, A hut" in ada.get("fixture-after", fixture)
    assert "Veterans" in ada.get("fixture-after", fixture)
    veterans = {"warband": band, "due": f"{fixture}/veterans", "faces": "3 4"}
    ada.post("after-answer", fixture, **veterans, key="v")
    assert "may bring 7 experience" in ada.get("warband-trade", entry)
    # It is sold once, so everything is rolled before.
    assert "2 for 60 crowns" not in ada.get("fixture-after", fixture)
    ada.post("after-answer", fixture, warband=band, all="1", key="c")
    before = campaign.ledger.state.warbands[band].treasury
    for page in (ada.get("fixture-after", fixture), ada.get("warband-trade", entry)):
        assert "2 for 60 crowns" in page
    sold = {"kind": "sell", "currency": "renown", "count": "2", "back": fixture}
    answer = ada.post("warband-trade", entry, **sold, key="b")
    assert f"/fixtures/{fixture}/after/#{entry}-sales" in answer.redirect_chain[0][0]
    for page in (ada.get("fixture-after", fixture), ada.get("warband-trade", entry)):
        assert "1 for 45 crowns" not in page
    after = campaign.ledger.state.warbands[band].treasury
    assert (after["crowns"], after["renown"]) == (
        before["crowns"] + 60,
        before["renown"] - 2,
    )
    for faulty in ({"count": "99"}, {"currency": "moons"}, {"count": "1"}):
        refused = ada.post("warband-trade", entry, **{**sold, **faulty}, key=str(faulty))
        assert refused.status_code == 422


def test_a_found_piece_has_its_price_on_the_page(campaign: Campaign) -> None:
    search_again(campaign, "one")
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    page = ada.get("warband-trade", entry)
    assert "Chart (Stash), sells for 4" in page
    assert 'name="option" value="chart"' not in page
    bought = ada.post("warband-trade", entry, kind="buy", option="chart", bearer="w1")
    assert "is not for sale here." in bought.content.decode()
    ada.post("warband-trade", entry, kind="sell", piece="stash chart", key="s")
    assert "Sold Chart from the stash, 4 crowns" in ada.get("warband-ledger", entry)
    free = GivenAct("effect", effect={"item": "physick"}, reason="A find.")
    goods = [{"id": "physick", "name": "Physick", "price": 0}]
    asked = replace(campaign.asked, reason="Free.")
    set_growth_rules(asked, RulesDraft(changes={"trade": {"goods": goods}}, since="now"))
    take_act(campaign.asked, campaign.warbands["Ada"], free)
    assert "Physick (Stash), has no price" in ada.get("warband-trade", entry)
