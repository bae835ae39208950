"""Making and changing an event: how many clicks it takes, and how many controls the pages have."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from campaigns.models import ClubEvent
from tests.browser.looks import in_every_look
from tests.campaigns.leagues import make_event
from tests.factories import make_club, make_person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CONTROLS_MOST, FURTHER_MOST, CLICKS_MOST = 40, 24, 8
# Everything in the page itself that takes the focus, folded or not. The head and the foot of the
# site are the same on every page and not counted.
CONTROLS = """selector => [...document.querySelectorAll(selector)].filter(
  control => control.matches("a[href], button, input:not([type=hidden]), select, textarea, summary")
    && control.tabIndex >= 0).length"""


def count(page: Page, within: str = "main") -> int:
    return int(page.evaluate(CONTROLS, f"{within} *"))


@in_every_look
def test_one_day_event_is_made_in_few_clicks(
    page, live_server, sign_in, faults, scheme, width
):
    organiser = make_person()
    make_club(owner=organiser)
    sign_in(User.objects.get(pk=organiser.user_id))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(live_server.url + reverse("event-list"))
    page.evaluate("sessionStorage.clicks = 0")
    page.add_init_script(
        "addEventListener('click', event => event.isTrusted && sessionStorage.clicks++, true)"
    )
    page.reload()
    page.get_by_role("link", name="New event").first.click()
    page.get_by_text("One-day tournament").click()
    found = faults(page)
    page.get_by_role("button", name="Continue").click()
    found += faults(page)
    page.get_by_label("Name").fill("Autumn cup")
    page.get_by_label("Starts").fill("2026-12-05T10:00")
    page.get_by_label("Places for players").fill("16")
    page.get_by_role("button", name="Create event").click()
    page.wait_for_url("**/entries/")
    assert int(page.evaluate("sessionStorage.clicks")) <= CLICKS_MOST
    event = ClubEvent.objects.get()
    assert (event.kind, event.method, event.capacity) == ("one_day", "swiss", 16)
    assert (event.needs_list, event.has_one_list, event.is_secret) == (True, True, True)
    assert (event.confirmation, event.rounds_planned) == ("reports", 0)
    assert event.lists_due_at == event.starts_at
    assert len(event.scenarios) > 5

    page.goto(live_server.url + reverse("event-edit", args=[event.token]))
    page.get_by_text("More settings").click()
    found += faults(page)
    # A part of the settings opens in a dialog, and goes with what is saved.
    page.get_by_label("Place", exact=True).fill("Town hall")
    page.get_by_role("button", name="Choose tie-breakers").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Remove Head to head").click()
    expect(dialog.get_by_role("button", name="Head to head", exact=True)).to_be_visible()
    found += faults(page)
    dialog.get_by_role("button", name="Use these tie-breakers").click()
    page.get_by_role("button", name="Choose scenarios").click()
    expect(dialog.get_by_role("checkbox").first).to_be_checked()
    found += faults(page)
    for box in dialog.get_by_role("checkbox").all()[1:]:
        box.uncheck()
    dialog.get_by_role("button", name="Use these scenarios").click()
    expect(page.locator("#scenarios input")).to_have_count(1)
    page.get_by_role("button", name="Save settings").click()
    page.wait_for_url(f"**/{event.token}/")
    event.refresh_from_db()
    assert (event.place, len(event.scenarios)) == ("Town hall", 1)
    assert "head_to_head" not in event.tie_breaks
    for name in ("event-rules", "event-copy"):
        page.goto(live_server.url + reverse(name, args=[event.token]))
        found += faults(page)
    assert found == []


@pytest.mark.parametrize("kind, method", [
    ("league", "robin"), ("night", "present"), ("campaign", "challenge"),
    ("one_day", "swiss"),
])  # fmt: skip
def test_form_of_an_event_has_few_controls(page, live_server, sign_in, kind, method):
    organiser = make_person()
    event = make_event(organiser=organiser, kind=kind, method=method)
    sign_in(User.objects.get(pk=organiser.user_id))
    for address in (
        f"{reverse('event-new')}?kind={kind}&club={event.club.slug}",
        reverse("event-edit", args=[event.token]),
    ):
        page.goto(live_server.url + address)
        assert count(page) <= CONTROLS_MOST, address
        assert 15 < count(page, ".more-settings > div") <= FURTHER_MOST, address


def test_part_of_the_form_is_a_page_without_script(page, live_server, sign_in):
    organiser = make_person()
    club = make_club(owner=organiser)
    sign_in(User.objects.get(pk=organiser.user_id))
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain = context.new_page()
    plain.goto(f"{live_server.url}{reverse('event-new')}?kind=one_day&club={club.slug}")
    plain.get_by_label("Name").fill("By hand")
    plain.get_by_text("More settings").click()
    plain.get_by_role("button", name="Choose scenarios").click()
    for box in plain.get_by_role("checkbox").all()[1:]:
        box.uncheck()
    plain.get_by_role("button", name="Use these scenarios").click()
    expect(plain.get_by_label("Name")).to_have_value("By hand")
    plain.get_by_role("button", name="Choose tie-breakers").click()
    plain.get_by_role("button", name="Remove Head to head").click()
    plain.get_by_role("button", name="Use these tie-breakers").click()
    plain.get_by_role("button", name="Create event").click()
    plain.wait_for_url("**/entries/")
    context.close()
    event = ClubEvent.objects.get()
    assert (event.name, len(event.scenarios)) == ("By hand", 1)
    assert "head_to_head" not in event.tie_breaks
