"""Whatever is typed into the account forms: a 4xx, nothing changed, never a crash."""

import pytest
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db

HOSTILE = [
    "",
    "a\x00b",
    "\ud800",
    "\u202ea@example.org",
    "a" * 100_000,
    "e" + "\u0301" * 10_000,
    "<script>alert(1)</script>",
    "²",
    "١٢٣٤٥٦",
    "9" * 5000,
    "javascript:alert(1)",
]
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


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
@pytest.mark.parametrize("name, fields", FORMS)
def test_form_refuses_what_it_cannot_use(
    client: Client, as_ada: Client, ada: User, name: str, fields: tuple[str, ...], text: str
) -> None:
    browser = client if name in {"login/", "signup/"} else as_ada
    before = list(User.objects.values())
    response = browser.post(f"/accounts/{name}", {field: encoded(text) for field in fields})
    assert 400 <= response.status_code < 500
    assert list(User.objects.values()) == before
    assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
@pytest.mark.parametrize(
    "name", ["profile/", "delete/", "email/", "login/", "signup/", "link/x/"]
)
def test_other_methods_change_nothing(
    as_ada: Client, ada: User, name: str, method: str
) -> None:
    before = list(User.objects.values())
    response = getattr(as_ada, method)(f"/accounts/{name}")
    assert response.status_code < 500
    assert list(User.objects.values()) == before


@pytest.mark.parametrize(
    "name", ["profile/", "delete/", "login/", "signup/", "logout/", "link/x/"]
)
def test_form_without_its_token_is_refused(ada: User, name: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert strict.post(f"/accounts/{name}", {"confirm": ada.email}).status_code == 403
    assert User.objects.filter(pk=ada.pk).exists()
