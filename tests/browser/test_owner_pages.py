"""What whoever runs a site sets up, with mail on, at a phone's and a laptop's width: reports and
their queue, imprint and privacy, a person's data, signing in with other sites.
"""

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core import mail
from playwright.sync_api import Page, expect
from pytest_django import Settings

from accounts.models import User
from notices.models import PageReport
from tests.browser.looks import in_every_look
from tests.factories import make_legal_warband, make_person, make_user
from tests.reliability.server import Server, gather_statics, serving

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Faults = Callable[[Page], list[str]]
OWNERS_TEXT = (
    "Hanna Holm\n1 Mill Lane\n\nWrite to hanna@example.org or https://example.org/club"
)


@pytest.fixture
def owners_site(settings: Settings) -> None:
    """A site that sends mail and has its owner's texts."""
    settings.SENDS_MAIL = True
    settings.IMPRINT = OWNERS_TEXT
    settings.PRIVACY = "We keep what you type.\n" * 30


def as_seen(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})


@in_every_look
def test_reported_page_reaches_the_staffs_queue(
    page, live_server, sign_in, faults, owners_site, scheme, width
):
    staff = make_user()
    User.objects.filter(pk=staff.pk).update(is_staff=True, is_superuser=True)
    warband = make_legal_warband(actor=make_person(), visibility="public")
    as_seen(page, scheme, width)
    page.goto(f"{live_server.url}/warbands/{warband.token}/")
    page.get_by_role("link", name="Report this page").click()
    found = faults(page)
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    found += faults(page)
    page.locator("select").select_option("figure")
    page.locator("textarea").fill("The captain’s halberd costs 4 points.")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_text("We have told the administrator").first).to_be_visible()
    assert page.url == f"{live_server.url}/warbands/{warband.token}/"
    report = PageReport.objects.get()
    told = [one for one in mail.outbox if staff.email in one.to]
    assert len(told) == 1
    sign_in(staff)
    page.goto(f"{live_server.url}/notices/")
    found += faults(page)
    page.goto(f"{live_server.url}/admin/notices/pagereport/")
    row = page.get_by_role("row").filter(has_text=f"/warbands/{warband.token}/")
    row.get_by_role("link").first.click()
    expect(page.get_by_text("halberd costs 4 points").first).to_be_visible()
    assert f"/pagereport/{report.pk}/" in page.url
    assert found == []


@pytest.mark.soak
@in_every_look
def test_owners_texts_and_own_data(
    page, live_server, sign_in, faults, owners_site, scheme, width
):
    user = make_user()
    make_legal_warband(actor=make_person(user=user), name="The Ferrymen")
    as_seen(page, scheme, width)
    page.goto(live_server.url)
    found = []
    for name in ("Imprint", "Privacy"):
        page.locator("footer").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        found += faults(page)
    sign_in(user)
    page.goto(f"{live_server.url}/accounts/profile/")
    found += faults(page)
    page.get_by_role("button", name="Download my data").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Open file").click()
    with zipfile.ZipFile(io.BytesIO(saved.value.path().read_bytes())) as files:
        texts = "".join(files.read(name).decode() for name in files.namelist())
    assert "The Ferrymen" in texts
    assert user.email in texts
    found += faults(page)
    assert found == []


@pytest.fixture
def site_with_providers(tmp_path: Path) -> Iterator[Server]:
    names = ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET", "DISCORD_CLIENT_ID")
    keys = dict.fromkeys((*names, "DISCORD_CLIENT_SECRET"), "set")
    gather_statics(tmp_path)
    with serving(tmp_path, settings_of=keys) as site:
        yield site


@pytest.mark.soak
@in_every_look
def test_sign_in_offers_the_other_sites(page, site_with_providers, faults, scheme, width):
    as_seen(page, scheme, width)
    address, found = f"http://localhost:{site_with_providers.port}/accounts", []
    for path in ("login", "signup"):
        page.goto(f"{address}/{path}/")
        for name in ("Google", "Discord"):
            expect(page.get_by_role("button", name=name)).to_be_visible()
        found += faults(page)
    page.goto(f"{address}/3rdparty/login/cancelled/")
    found += faults(page)
    assert found == []
