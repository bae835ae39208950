"""What follows a battle of a campaign, on its pages."""

import re
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.errors import WrongState
from accounts.models import Role
from accounts.operations.clubs import add_member
from battles.models import Battle
from campaigns.growth.operations.results import tell_objectives
from campaigns.growth.queries.aftermaths import load_after_page
from campaigns.models import Fixture, GrowthRow
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import report_result
from campaigns.queries.records import Outcome
from tests.campaigns.growing import Campaign
from tests.campaigns.test_growth import fought
from tests.campaigns.visitors import Visitor, organise, visit
from tests.factories import make_person

pytestmark = pytest.mark.django_db


def check_wrong_dice(answer: HttpResponse, words: str, *, typed: str) -> None:
    """A refused answer is told at its card, once, with what was typed in the field."""
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.count(words) == 1
    at = page.index(words)
    field = page.rfind("<input", 0, at)
    assert 'name="faces"' in page[field:at]
    assert f'value="{typed}"' in page[field:at]
    assert 'aria-invalid="true"' in page[field:at]
    assert page.count("aria-invalid") == 1


def test_after_a_battle_everything_is_rolled_chosen_and_taken_back(campaign):
    fixture = campaign.game("Ada", "Ben")
    ada, ben = visit(campaign, "Ada"), visit(campaign, "Ben")
    assert "No result is reported yet" in ada.get("fixture-after", fixture)
    fixture = fought(campaign)
    page = ben.get("fixture-after", fixture)
    assert "Roll all (3)" in page
    assert "Put an enemy out of action +1" in page
    assert "Territory and captives" in page
    warband = campaign.warbands["Ben"]
    injury = f"{fixture}/injury/w2"
    wrong = ben.post("after-answer", fixture, warband=warband, due=injury, faces="7 1")
    check_wrong_dice(wrong, "cannot show 7, 1", typed="7 1")
    done = ben.post("after-answer", fixture, warband=warband, due=injury, faces="34")
    assert "Back on their feet" in done.content.decode()
    assert "Typed by" in done.content.decode()
    ben.post("after-answer", fixture, warband=warband, all="1")
    assert "Everything is settled" in ben.get("fixture-after", fixture)
    entry = campaign.league.entry("Ben").token
    sent = {"warband": warband, "due": injury, "back": fixture}
    told = ben.post("growth-take-back", entry, **sent)
    assert "To roll or choose: Injury of Ilse (Ben)." in told.content.decode()
    ben.post("growth-take-back", entry, go="1", **sent)
    assert "The dice are kept" in ben.get("fixture-after", fixture)
    claim = f"{fixture}/claim"
    own = campaign.warbands["Ada"]
    ada.post("after-answer", fixture, warband=own, due=claim, choice="The Mill")
    assert "The Mill" in ada.get("campaign-warband", campaign.league.entry("Ada").token)
    # Neither answers for the other.
    before = GrowthRow.objects.count()
    ada.post("after-answer", fixture, warband=warband, due=injury)
    assert GrowthRow.objects.count() == before


def test_a_ruling_without_a_reason_keeps_what_it_counts_as(campaign: Campaign) -> None:
    fixture, olga = fought(campaign), organise(campaign)
    due = f"{fixture}/injury/w2"
    sent = {"warband": campaign.warbands["Ben"], "due": due, "row": "12", "reason": ""}
    before = GrowthRow.objects.count()
    refused = olga.post("after-answer", fixture, **sent)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert '<details class="fold further" open>' in page
    assert '<option value="12" selected>' in page
    assert page.count('aria-invalid="true"') == 1
    # What nothing asks for has no card: it is told on the page as it is now.
    gone = {"warband": campaign.warbands["Ben"], "due": "advance/w1/9", "faces": "3"}
    told = visit(campaign, "Ben").post("after-answer", fixture, **gone)
    assert told.status_code == 200
    assert "aria-invalid" not in told.content.decode()
    assert GrowthRow.objects.count() == before


def test_each_warband_has_cards_of_its_own(campaign: Campaign) -> None:
    """Both lost the same model of their roster, so both owe a roll of the same key."""
    fixture, olga = campaign.game("Ada", "Ben"), organise(campaign)
    lost = [{"who": "w2", "by": None}]
    campaign.report(fixture, "Ada", fates={"Ada": lost, "Ben": lost})
    places = re.findall(r'id="(f-due-[^"]+)"', olga.get("fixture-after", fixture))
    assert len(places) == len(set(places)) == 4  # an injury and the income of each
    sent = {"warband": campaign.warbands["Ben"], "due": f"{fixture}/injury/w2"}
    refused = olga.post("after-answer", fixture, faces="7 1", **sent)
    check_wrong_dice(refused, "cannot show 7, 1", typed="7 1")


def test_an_organiser_rules_after_reading_what_it_changes(campaign: Campaign) -> None:
    fixture, olga = fought(campaign), organise(campaign)
    sent = {
        "warband": campaign.warbands["Ben"],
        "due": f"{fixture}/injury/w2",
        "row": "2",
        "reason": "Seen by all.",
    }
    told = olga.post("after-answer", fixture, **sent).content.decode()
    assert "Ilse: " in told
    assert "out of the campaign" in told
    olga.post("after-answer", fixture, go="1", **sent)
    entry = campaign.league.entry("Ben").token
    assert "The fallen" in olga.get("campaign-warband", entry)
    assert "ruled by an organiser as Killed" in olga.get("warband-ledger", entry)
    assert "Ruled by " in olga.get("fixture-after", fixture)


def test_an_organiser_who_took_no_part_changes_casualties(campaign: Campaign) -> None:
    fixture = fought(campaign)
    other = make_person()
    add_member(campaign.league.club.pk, other.user_id or 0, Role.ORGANISER)
    olga = Visitor(campaign, other)
    assert ">Result</button>" in olga.get("fixture-after", fixture)
    page = olga.post("fixture-open", fixture, go="enter")
    assert "Result with casualties" in page.content.decode()


def test_a_corrected_result_tells_first_what_it_does_to_warbands(campaign):
    fixture = fought(campaign)
    before = GrowthRow.objects.count()
    told = organise(campaign).post(
        "fixture-result", fixture, winner="nobody:drawn", reason="Time was up."
    )
    page = told.content.decode()
    assert "Changes in the standings" in page
    changes = page.partition("Changes in the warbands")[2].partition("</section>")[0]
    assert "<li>Ada: crowns " in changes
    assert "<li>Ben: crowns " in changes
    assert GrowthRow.objects.count() == before


def test_confirming_says_that_warbands_stay_as_they_are(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    asked = campaign.league.by("Ada")
    won = Outcome(how="rout", winner=campaign.league.entry("Ada").token)
    report_result(asked, fixture, won)
    address = reverse("battle-result", args=[Battle.objects.get().token, "confirm"])
    page = visit(campaign, "Ben").client.get(address).content.decode()
    assert "The warbands of the campaign do not change." in page


def test_objectives_pay_and_the_result_stays(campaign: Campaign) -> None:
    fixture, olga = fought(campaign), organise(campaign)
    ada = campaign.league.entry("Ada").token
    before = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    olga.post("after-objectives", fixture, **{f"{ada}-loot": "2", f"{ada}-by-w2": "2"})
    after = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    assert after.treasury["crowns"] == before.treasury["crowns"] + 8
    assert after.warriors["w2"].experience == before.warriors["w2"].experience + 2


def test_objectives_are_an_organisers_once_the_time_to_object_is_over(campaign):
    fixture, ada = campaign.game("Ada", "Ben"), campaign.league.player("Ada")
    entry = campaign.league.entry("Ada").token
    asked = ChangeRequest(ada, campaign.league.token)
    report_result(asked, fixture, Outcome(how="rout", winner=entry))
    tell_objectives(asked, fixture, Outcome(objectives={entry: {"loot": 1}}))
    over = timezone.now() - timedelta(seconds=1)
    Battle.objects.update(confirm_by=over)
    Fixture.objects.update(waits_until=over)
    page = load_after_page(ada, campaign.league.token, fixture)
    assert page
    assert not page.may_tell
    told = Outcome(objectives={entry: {"loot": 2}})
    with pytest.raises(WrongState, match="The result is final"):
        tell_objectives(asked, fixture, told)
    tell_objectives(campaign.asked, fixture, told)
