"""What the owner of a site says at its foot, the version, and the test of its mail."""

import re
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as site
from django.core import mail
from django.core.management import CommandError, call_command


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["imprint", "privacy"])
def test_owners_text_is_a_page_and_a_link_at_every_foot(client, settings, name):
    link = f'<a href="/{name}/">'
    assert link not in client.get("/rules/").content.decode()
    setattr(
        settings, name.upper(), "Ann Example\n<b>Harbour</b> Street 1, https://example.org"
    )
    assert link in client.get("/rules/").content.decode()
    page = client.get(f"/{name}/").content.decode()
    assert "Ann Example<br>&lt;b&gt;Harbour&lt;/b&gt;" in page
    assert '<a href="https://example.org" rel="nofollow">' in page


@pytest.mark.django_db
def test_version_is_a_date_that_the_changes_name(client, project_root):
    assert re.fullmatch(r"20\d\d\.\d\d?\.\d\d?(\.\d+)?", site.VERSION)
    assert f"Muster Roll {site.VERSION}" in client.get("/rules/").content.decode()
    changes = (project_root / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\S+)$", changes, re.MULTILINE)
    assert next(name for name in releases if name != "Unreleased") == site.VERSION


def test_mail_is_sent_and_told(settings: Any) -> None:
    settings.SENDS_MAIL = True
    out = StringIO()
    call_command("send_test_mail", "ann@example.org", stdout=out)
    (sent,) = mail.outbox
    assert sent.to == ["ann@example.org"]
    assert settings.SITE_URL in sent.body
    assert "ann@example.org" in out.getvalue()


def test_mail_that_cannot_be_sent_is_a_sentence(settings: Any) -> None:
    with pytest.raises(CommandError, match="EMAIL_URL is not set"):
        call_command("send_test_mail", "ann@example.org")
    settings.SENDS_MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(CommandError, match="The email was not sent"):
        call_command("send_test_mail", "ann@example.org")
