"""Reports of pages: by anybody, kept for the staff, a few from one address."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from notices.models import REPORT_MAX, Notice, PageReport
from tests.factories import make_user

pytestmark = pytest.mark.django_db
FORM = {
    "page": "/rules/",
    "reason": "figure",
    "words": "A halberd costs 3.",
    "email": "ann@example.org",
}


@pytest.fixture
def staff() -> User:
    user = make_user()
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    return user


def test_every_page_of_the_site_has_the_link(client: Client) -> None:
    for path in ("/", "/rules/", "/warbands/public/", "/imprint/"):
        assert (
            f'/report/?page={path.replace("/", "%2F")}"'
            in client.get(path).content.decode()
        )
    assert "/report/?page=" not in client.get("/accounts/login/").content.decode()


def test_stranger_reports_and_the_staff_is_told(client: Client, staff: User) -> None:
    make_user()
    answer = client.post("/report/", FORM, follow=True)
    assert answer.redirect_chain == [("/rules/", 302)]
    assert "We have told the administrator" in answer.content.decode()
    report = PageReport.objects.get()
    values = (report.page, report.reason, report.words, report.user)
    assert values == ("/rules/", "figure", "A halberd costs 3.", None)
    notice = Notice.objects.get()
    assert notice.user == staff
    assert notice.path == reverse("admin:notices_pagereport_change", args=[report.pk])


def test_staff_see_the_queue_and_mark_what_is_done(client: Client, staff: User) -> None:
    client.post("/report/", FORM)
    report, desk = PageReport.objects.get(), Client()
    desk.force_login(staff)
    listed = reverse("admin:notices_pagereport_changelist")
    assert "/rules/" in desk.get(f"{listed}?state=waiting").content.decode()
    desk.post(listed, {"action": "mark_as_handled", "_selected_action": [report.pk]})
    report.refresh_from_db()
    assert report.handled_at is not None
    assert "0 page reports" in desk.get(f"{listed}?state=waiting").content.decode()


def test_sixth_report_of_an_address_within_an_hour_is_refused(client: Client) -> None:
    answers = [client.post("/report/", FORM).status_code for _ in range(6)]
    assert answers == [302] * 5 + [429]
    assert PageReport.objects.count() == 5


@pytest.mark.parametrize("page", ["https://elsewhere.org/", "//elsewhere.org/", "rules"])
def test_address_of_another_site_is_left_out(client: Client, page: str) -> None:
    answer: Any = client.post("/report/", FORM | {"page": page})
    assert answer.url == "/"
    assert PageReport.objects.get().page == ""


def test_words_over_the_limit_are_refused(client: Client) -> None:
    answer = client.post("/report/", FORM | {"words": "x" * (REPORT_MAX + 1)})
    assert answer.status_code == 422
    assert not PageReport.objects.exists()


def test_report_stays_when_its_person_goes() -> None:
    user, client = make_user(), Client()
    client.force_login(user)
    client.post("/report/", FORM)
    assert PageReport.objects.get().user == user
    user.delete()
    assert PageReport.objects.get().user is None
