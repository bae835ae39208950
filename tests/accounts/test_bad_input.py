"""Whatever is typed into the account forms: a 4xx, nothing changed, never a crash."""

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db

HOSTILE = [
    "", "a\x00b", "\ud800", "\u202ea@example.org", "a" * 100_000, "e" + "\u0301" * 10_000,
    "<script>alert(1)</script>", "²", "١٢٣٤٥٦", "9" * 5000, "javascript:alert(1)",
]  # fmt: skip
FORMS = [
    ("login/", ("login", "password")),
    ("signup/", ("email", "password1", "name")),
    ("reauthenticate/", ("password",)),
    ("email/", ("email",)),
    ("password/change/", ("oldpassword", "password1", "password2")),
    ("delete/", ("confirm",)),
    ("2fa/totp/activate/", ("code",)),
]


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name, fields", FORMS)
def test_form_refuses_what_it_cannot_use(client, as_ada, ada, name, fields):
    browser = client if name in {"login/", "signup/"} else as_ada
    before = list(User.objects.values())
    for text in HOSTILE:
        cache.clear()  # nothing counts how often somebody tries
        sent = {field: encoded(text) for field in fields}
        response = browser.post(f"/accounts/{name}", sent)
        assert 400 <= response.status_code < 500, ascii(text[:12])
        assert list(User.objects.values()) == before, ascii(text[:12])
        assert "<script>alert" not in response.content.decode()


def test_other_methods_change_nothing(as_ada: Client, ada: User) -> None:
    before = list(User.objects.values())
    for name in ("profile/", "delete/", "email/", "login/", "signup/", "link/x/"):
        for method in ("put", "patch", "delete", "options", "trace"):
            response = getattr(as_ada, method)(f"/accounts/{name}")
            assert response.status_code < 500, (name, method)
            assert list(User.objects.values()) == before, (name, method)


def test_form_without_its_token_is_refused(ada: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada, backend="allauth.account.auth_backends.AuthenticationBackend")
    for name in ("profile/", "delete/", "login/", "signup/", "logout/", "link/x/"):
        sent = {"confirm": ada.email}
        assert strict.post(f"/accounts/{name}", sent).status_code == 403, name
    assert User.objects.filter(pk=ada.pk).exists()
