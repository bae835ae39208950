"""Signing up, in and out, and what happens to those who guess."""

import pytest
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db


def sign_in(client: Client, email: str, password: str, **extra: str):
    return client.post("/accounts/login/", {"login": email, "password": password, **extra})


def test_sign_up_makes_a_person_and_signs_in(client: Client) -> None:
    form = {"email": "Cleo@Example.org", "password1": "lantern-on-the-quay", "name": "Cleo"}
    response = client.post("/accounts/signup/", form)
    user = User.objects.get()
    assert response.status_code == 302
    assert (user.email, user.name) == ("cleo@example.org", "Cleo")
    assert client.session["_auth_user_id"] == str(user.pk)


def test_sign_up_without_a_name_never_shows_the_address(client: Client) -> None:
    client.post(
        "/accounts/signup/",
        {"email": "cleo@example.org", "password1": "lantern-on-the-quay", "name": ""},
    )
    assert str(User.objects.get()) == f"Player {User.objects.get().pk}"


@pytest.mark.parametrize("change, sentence", [
    ({"email": "ADA@example.org"}, "already an account with this email address"),
    ({"email": "nobody"}, "valid email"),
    ({"password1": "short"}, "at least 10 characters"),
    ({"name": "x" * 61}, "at most 60 characters"),
    ({"name": "A\u202eB"}, "cannot be shown"),
    ({"name": "A" + "\u0301" * 50}, "4 marks on one letter"),
])  # fmt: skip
def test_sign_up_refuses_bad_input(client, ada, change, sentence):
    form = {
        "email": "cleo@example.org",
        "password1": "lantern-on-the-quay",
        "name": "Cleo",
        **change,
    }
    response = client.post("/accounts/signup/", form)
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert User.objects.count() == 1


def test_sign_in_returns_to_the_page_left(client: Client, ada: User, password: str) -> None:
    page = client.get("/accounts/login/", {"next": "/accounts/sessions/"}).content.decode()
    assert 'name="next" value="/accounts/sessions/"' in page
    response = sign_in(client, ada.email, password, next="/accounts/sessions/")
    assert response.headers["Location"] == "/accounts/sessions/"


def test_sign_in_goes_to_no_other_site(client: Client, ada: User, password: str) -> None:
    response = sign_in(client, ada.email, password, next="https://elsewhere.example/")
    assert response.headers["Location"] == "/"


def test_sign_in_ignores_upper_case_in_the_address(client, ada, password):
    assert sign_in(client, "ADA@Example.ORG", password).status_code == 302


def test_wrong_password_says_what_to_do(client: Client, ada: User) -> None:
    response = sign_in(client, ada.email, "wrong-password")
    assert response.status_code == 422
    assert "Wrong email or password" in response.content.decode()


def test_unknown_address_says_the_same_as_a_wrong_password(client, ada):
    known = sign_in(client, ada.email, "wrong-password").context["form"].non_field_errors()
    unknown = (
        sign_in(client, "nobody@example.org", "wrong-password")
        .context["form"]
        .non_field_errors()
    )
    assert known == unknown


def test_eleventh_wrong_try_is_refused_and_the_owner_gets_in_from_elsewhere(
    client: Client, ada: User, password: str
) -> None:
    answers = [sign_in(client, ada.email, "wrong-password").status_code for _ in range(11)]
    assert answers == [422] * 10 + [429]
    assert sign_in(client, ada.email, password).status_code == 429
    elsewhere = Client(REMOTE_ADDR="203.0.113.7")
    assert sign_in(elsewhere, ada.email, password).status_code == 302


def test_sign_out_needs_a_form(as_ada: Client) -> None:
    assert as_ada.get("/accounts/logout/").status_code == 200
    assert "_auth_user_id" in as_ada.session
    as_ada.post("/accounts/logout/")
    assert "_auth_user_id" not in as_ada.session


def test_admin_sends_to_the_same_door(client: Client) -> None:
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/accounts/login/")


def test_switched_off_account_cannot_sign_in(client, ada, password):
    User.objects.update(is_active=False)
    assert sign_in(client, ada.email, password).headers["Location"] == "/accounts/inactive/"


def test_same_sign_up_twice_at_once_ends_in_one_account(client, monkeypatch):
    form = {"email": "cleo@example.org", "password1": "lantern-on-the-quay", "name": "Cleo"}
    Client().post("/accounts/signup/", form)
    monkeypatch.setattr(
        "allauth.account.forms.BaseSignupForm.validate_unique_email",
        lambda self, value: value,
    )
    response = client.post("/accounts/signup/", form)
    assert response.headers["Location"] == "/accounts/login/"
    assert User.objects.count() == 1
