"""What a step of a result would change in a campaign is what it then changes."""

from typing import Any

import pytest

from accounts.owner import NOBODY
from battles.access import BattleCall
from battles.models import Battle, ResultVerb
from battles.operations.results import take_step
from battles.queries.previews import preview_consequences
from battles.result_rules import Claim
from campaigns.growth.queries.reports import difference_json, load_growth, load_preview
from campaigns.models import GrowthRow
from engine.growth.differences import difference
from tests.campaigns.growing import Campaign, make_growing

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Ada beat Ben, one of whose swordsmen was put out."""
    campaign = make_growing(players=2)
    fixture = campaign.game("Ada", "Ben")
    fates: list[dict[str, Any]] = [{"who": "w3#1", "by": None}]
    campaign.report(fixture, "Ada", fates={"Ben": fates, "Ada": []})
    return campaign


def test_each_step_does_to_warbands_what_its_preview_says(campaign: Campaign) -> None:
    battle = Battle.objects.get()
    call = BattleCall(campaign.league.organiser, battle.token)
    steps = (
        (ResultVerb.VOID, Claim(reason="Never fought.")),
        (ResultVerb.RESTORE, Claim(reason="It was.")),
        (ResultVerb.CORRECT, Claim(None, "drawn", "A draw.")),
    )
    for verb, claim in steps:
        before, rows = campaign.ledger.state, GrowthRow.objects.count()
        told = preview_consequences(call, verb, claim)["growth"]
        assert told
        assert GrowthRow.objects.count() == rows
        take_step(call, verb, claim)
        moved = difference(before, campaign.ledger.state)
        assert moved
        assert told.answer == difference_json(moved)
        assert any(line.startswith("Ada: rating") for line in told.lines)


def test_a_preview_says_in_words_what_moves(campaign: Campaign) -> None:
    call = BattleCall(campaign.league.organiser, Battle.objects.get().token)
    told = preview_consequences(call, ResultVerb.VOID, Claim(reason="Never fought."))[
        "growth"
    ]
    assert told
    assert "Ada: crowns 89 → 76." in told.lines
    assert any("Otto" in line and "experience 2 → 0" in line for line in told.lines)


def test_outside_campaigns_there_is_nothing_to_tell(campaign: Campaign) -> None:
    battle = Battle.objects.get()
    GrowthRow.objects.all().delete()
    campaign.league.fresh()
    type(campaign.league.event).objects.update(growth_position=0)
    call = BattleCall(campaign.league.organiser, battle.token)
    assert preview_consequences(call, ResultVerb.VOID, Claim(reason="-"))["growth"] is None
    assert NOBODY.user_id is None


def test_a_preview_leaves_out_what_stays_as_it_was(campaign: Campaign) -> None:
    call = BattleCall(campaign.league.organiser, Battle.objects.get().token)
    before = Battle.objects.get()
    same = Claim(winner=before.winner, how=before.how, reason="It was so.")
    told = preview_consequences(call, ResultVerb.CORRECT, same)
    assert told["sentences"] == [
        "Result: confirmed, Ada won, rout, as before.",
        "No battle records change.",
    ]


def test_a_secret_roster_is_not_named_in_a_preview(campaign: Campaign) -> None:
    type(campaign.league.event).objects.update(is_secret=True, needs_list=True)
    ada, ben = (campaign.league.player(name) for name in ("Ada", "Ben"))
    before = campaign.ledger.state
    call = BattleCall(campaign.league.organiser, Battle.objects.get().token)
    take_step(call, ResultVerb.VOID, Claim(reason="Never fought."))
    moved = difference(campaign.ledger.state, before)
    for reader, reads in ((ada, False), (ben, True), (campaign.league.organiser, True)):
        report = load_growth(reader, campaign.league.token)
        told = report.change(moved)
        units = [line for line in told.lines if line.startswith("Ben") and "Otto" in line]
        assert bool(units) is reads
        assert load_preview(report.event, moved).lines == told.lines
        named = [one for one in told.answer["warbands"] if one["warriors"]]
        assert (campaign.warbands["Ben"] in {one["warband"] for one in named}) is reads
        # Figures of another warband are secret as well.
        assert any(line.startswith("Ben: crowns") for line in told.lines) is reads
