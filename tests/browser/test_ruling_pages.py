"""Where rulings are agreed and told: the club's page, an event's settings and a battle's page, at a
phone's and a laptop's width.
"""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.looks import in_every_look
from tests.campaigns.leagues import make_league
from tests.factories import SYSTEM, QuickSide, make_battle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHOSEN = "A critical when only a 6 wounds"
WAY = "A 6 is critical even then"


@in_every_look
def test_rulings_are_chosen_in_full_words_and_told(
    page, live_server, sign_in, faults, scheme, width
):
    winter = make_league(players=2)
    club = winter.fresh().club
    sign_in(User.objects.get(pk=winter.organiser.user_id))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})

    page.goto(live_server.url + reverse("club-rulings", args=[club.slug, SYSTEM]))
    row = page.locator("details.ruling").filter(has_text=CHOSEN)
    row.locator("summary").click()
    expect(row.get_by_text("Changed, not saved yet.")).to_be_hidden()
    row.get_by_label(WAY).check()
    expect(row.get_by_text("Changed, not saved yet.")).to_be_visible()
    found = faults(page)
    page.get_by_role("button", name="Save rules").click()

    # A battle of the club begins with it; its page says on whose word it is played.
    sides = (QuickSide("Ferrymen", 4, 7), QuickSide("Night Watch", 4, 7))
    battle = make_battle(actor=winter.organiser, sides=sides, club_id=club.pk)
    page.goto(live_server.url + reverse("battle-read", args=[battle.token]))
    told = page.locator(".played-rulings li")
    expect(told).to_contain_text(f"{CHOSEN}: {WAY}")
    expect(told).to_contain_text("(as the club plays)")
    # The menu of the head, too, stays on the page.
    page.locator("main .menu > summary").click()
    box = page.locator("main .menu > ul").bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    found += faults(page)

    page.goto(live_server.url + reverse("event-rules", args=[winter.token]))
    page.locator("details.rulings-of > summary").click()
    row = page.locator("details.ruling").filter(has_text=CHOSEN)
    row.locator("summary").click()
    expect(row.get_by_role("radio")).to_have_count(2)
    assert found + faults(page) == []
