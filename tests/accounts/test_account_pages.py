"""The pages of one's own account."""

from urllib.parse import unquote

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import Club, Membership, Role, User
from accounts.operations.clubs import add_member, create_club
from accounts.operations.people import change_email, close_account
from accounts.owner import Owner
from accounts.signals import account_closing
from engine.errors import Refusal
from tests.factories import make_warband

pytestmark = pytest.mark.django_db

OPEN = [
    "login/", "signup/", "password/reset/", "inactive/", "password/reset/done/",
    "password/reset/key/done/",
]  # fmt: skip
OWN = [
    "profile/", "email/", "password/change/", "delete/", "logout/", "2fa/",
    "2fa/totp/activate/", "sessions/",
]  # fmt: skip


def test_entrance_page_answers_a_visitor_without_a_session(client, settings):
    for name in OPEN:
        response = client.get(f"/accounts/{name}")
        assert response.status_code == 200, name
        assert "<h1>" in response.content.decode(), name
        assert settings.SESSION_COOKIE_NAME not in response.cookies, name


def test_own_page_answers_its_person_with_few_queries(
    as_ada: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for name in OWN:
        with django_assert_max_num_queries(10):
            response = as_ada.get(f"/accounts/{name}")
        assert response.status_code == 200, name
        assert "<h1>" in response.content.decode(), name


def test_own_page_sends_a_visitor_to_sign_in(client: Client) -> None:
    for name in set(OWN) - {"logout/"}:
        location = unquote(client.get(f"/accounts/{name}").headers["Location"])
        assert location == f"/accounts/login/?next=/accounts/{name}"


def test_grave_page_asks_for_the_password_again(client, ada, password):
    client.post("/accounts/login/", {"login": ada.email, "password": password})
    for name in ("email/", "delete/"):
        response = client.get(f"/accounts/{name}")
        assert response.headers["Location"].startswith("/accounts/reauthenticate/"), name


def test_profile_names_the_clubs_and_roles(as_ada: Client, ada: User) -> None:
    create_club(name="The Quay", owner_id=ada.pk)
    page = as_ada.get("/accounts/profile/").content.decode()
    assert "The Quay" in page
    assert "Owner" in page


def test_display_name_changes(as_ada: Client, ada: User) -> None:
    assert (
        as_ada.post("/accounts/profile/", {"name": "  Ada   of the Quay "}).status_code
        == 302
    )
    ada.refresh_from_db()
    assert ada.name == "Ada of the Quay"


def test_display_name_that_cannot_be_shown_changes_nothing(as_ada, ada):
    for name in ("x" * 61, "a\x00b", "a\u202eb", "a\u2066b"):
        assert as_ada.post("/accounts/profile/", {"name": name}).status_code == 422
    ada.refresh_from_db()
    assert ada.name == "Ada"


def test_display_name_is_text_not_markup(as_ada: Client) -> None:
    as_ada.post("/accounts/profile/", {"name": "<b id=own>{{7*7}}</b>"})
    assert "<b id=own>" not in as_ada.get("/accounts/profile/").content.decode()


def test_email_changes_at_once_without_a_mail_server(as_ada, ada, password):
    assert as_ada.post("/accounts/email/", {"email": "Ada@Quay.example"}).status_code == 302
    ada.refresh_from_db()
    assert ada.email == "ada@quay.example"
    assert EmailAddress.objects.get(user=ada).email == "ada@quay.example"
    fresh = Client()
    assert (
        fresh.post(
            "/accounts/login/", {"login": "ada@quay.example", "password": password}
        ).status_code
        == 302
    )


def test_email_of_another_is_refused(as_ada: Client, ada: User, ben: User) -> None:
    response = as_ada.post("/accounts/email/", {"email": "BEN@example.org"})
    assert response.status_code == 422
    assert "Another account uses this email address" in response.content.decode()
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "a b@example.org", "BEN@example.org "]
)
def test_email_that_is_none_or_anothers_is_refused(ada, ben, email):
    with pytest.raises(Refusal) as refused:
        change_email(ada.pk, email)
    assert refused.value.field == "email"
    assert User.objects.get(pk=ada.pk).email == "ada@example.org"
    assert EmailAddress.objects.filter(user=ben).exists()


def test_an_email_is_changed_of_one_person_alone(ada: User, ben: User) -> None:
    change_email(ada.pk, "Ada@Quay.example")
    emails = [User.objects.get(pk=one.pk).email for one in (ada, ben)]
    assert emails == ["ada@quay.example", "ben@example.org"]


def test_email_waits_for_confirmation_with_a_mail_server(as_ada, ada, settings, mailoutbox):
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    assert (
        as_ada.post(
            "/accounts/email/", {"email": "ada@quay.example", "action_add": ""}
        ).status_code
        == 302
    )
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    assert len(mailoutbox) == 1
    assert "ada@quay.example" in as_ada.get("/accounts/email/").content.decode()


def test_password_reset_by_mail(client, ada, settings, mailoutbox):
    settings.SENDS_MAIL = True
    client.post(
        "/accounts/password/reset/", {"email": ada.email}, headers={"Host": "127.0.0.1"}
    )
    assert "127.0.0.1" not in mailoutbox[0].body
    assert settings.SITE_URL in mailoutbox[0].body.splitlines()
    link = next(
        word for word in mailoutbox[0].body.split() if "/password/reset/key/" in word
    )
    form = client.get(link.removeprefix(settings.SITE_URL), follow=True)
    action = form.redirect_chain[-1][0]
    client.post(
        action, {"password1": "banner-in-the-wind", "password2": "banner-in-the-wind"}
    )
    ada.refresh_from_db()
    assert ada.check_password("banner-in-the-wind")


def test_password_reset_without_mail_says_who_can_help(client, ada, mailoutbox):
    assert "cannot send email" in client.get("/accounts/password/reset/").content.decode()
    assert client.post("/accounts/password/reset/", {"email": ada.email}).status_code == 405
    assert mailoutbox == []


def test_password_changes_and_ends_other_sessions(as_ada, ada, password):
    elsewhere = Client()
    elsewhere.post("/accounts/login/", {"login": ada.email, "password": password})
    new = "banner-in-the-wind"
    form = {"oldpassword": password, "password1": new, "password2": new}
    assert (
        as_ada.post("/accounts/password/change/", form).headers["Location"]
        == "/accounts/profile/"
    )
    assert as_ada.get("/accounts/profile/").status_code == 200
    assert elsewhere.get("/accounts/profile/").status_code == 302


def test_second_step_is_set_up_and_asked_for(as_ada, ada, password):
    secret = as_ada.get("/accounts/2fa/totp/activate/").context["form"].secret
    code = format_hotp_value(
        hotp_value(secret, next(iter(yield_hotp_counters_from_time())))
    )
    set_up = as_ada.post("/accounts/2fa/totp/activate/", {"code": code})
    assert set_up.headers["Location"] == "/accounts/2fa/recovery-codes/"
    codes = as_ada.get("/accounts/2fa/recovery-codes/").context["unused_codes"]
    fresh = Client()
    answer = fresh.post("/accounts/login/", {"login": ada.email, "password": password})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert (
        fresh.post("/accounts/2fa/authenticate/", {"code": "nonsense"}).status_code == 422
    )
    assert fresh.post("/accounts/2fa/authenticate/", {"code": codes[0]}).status_code == 302
    assert fresh.session["_auth_user_id"] == str(ada.pk)


@pytest.mark.parametrize(
    "name", ["", "totp/deactivate/", "recovery-codes/", "recovery-codes/generate/"]
)
def test_second_step_page_answers(as_ada: Client, ada: User, name: str) -> None:
    as_ada_codes = Authenticator.Type.RECOVERY_CODES
    Authenticator.objects.create(
        user=ada, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DPEHPK3PXP"}
    )
    Authenticator.objects.create(
        user=ada, type=as_ada_codes, data={"seed": "0" * 40, "used_mask": 0}
    )
    assert as_ada.get(f"/accounts/2fa/{name}").status_code == 200


def test_sessions_can_be_ended(as_ada: Client, ada: User, password: str) -> None:
    elsewhere = Client()
    elsewhere.post("/accounts/login/", {"login": ada.email, "password": password})
    as_ada.post("/accounts/sessions/")
    assert elsewhere.get("/accounts/profile/").status_code == 302
    assert as_ada.get("/accounts/profile/").status_code == 200


def test_closing_needs_the_own_address(as_ada: Client, ada: User, ben: User) -> None:
    assert as_ada.post("/accounts/delete/", {"confirm": ben.email}).status_code == 422
    assert User.objects.filter(pk=ada.pk).exists()


def test_closing_deletes_the_person_and_tells_the_others(as_ada, ada, ben):
    told: list[int] = []

    def hear(sender: object, *, user: User, **_: object) -> None:
        told.append(user.pk)

    account_closing.connect(hear)
    response = as_ada.post("/accounts/delete/", {"confirm": "ADA@example.org"})
    account_closing.disconnect(hear)
    assert response.headers["Location"] == "/"
    assert told == [ada.pk]
    assert list(User.objects.all()) == [ben]
    assert "_auth_user_id" not in as_ada.session


def test_closing_hands_the_club_to_an_organiser(ada: User, ben: User) -> None:
    club = create_club(name="The Quay", owner_id=ada.pk)
    cleo = User.objects.create_user("cleo@example.org")
    add_member(club.pk, ben.pk)
    add_member(club.pk, cleo.pk, Role.ORGANISER)
    close_account(ada.pk)
    assert set(club.memberships.values_list("user_id", "role")) == {
        (ben.pk, Role.MEMBER),
        (cleo.pk, Role.OWNER),
    }


@pytest.mark.parametrize("is_one_of_a_list", [False, True])
def test_administration_closes_an_account_that_has_a_warband(ada, ben, is_one_of_a_list):
    club = create_club(name="The Quay", owner_id=ben.pk)
    add_member(club.pk, ada.pk, Role.ORGANISER)
    make_warband(actor=Owner(ben.pk))
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.org", "x" * 14))
    sent = {"action": "delete_selected", "_selected_action": str(ben.pk), "post": "yes"}
    path = "" if is_one_of_a_list else f"{ben.pk}/delete/"
    assert client.post(f"/admin/accounts/user/{path}", sent).status_code == 302
    assert not User.objects.filter(pk=ben.pk).exists()
    assert list(club.memberships.values_list("user_id", "role")) == [(ada.pk, Role.OWNER)]


def test_closing_locks_the_clubs_before_the_person(ada, locked_tables):
    create_club(name="The Quay", owner_id=ada.pk)
    close_account(ada.pk)
    assert locked_tables == [Club._meta.db_table, User._meta.db_table]


def test_closing_keeps_an_empty_club_unlisted(ada: User) -> None:
    create_club(name="The Quay", owner_id=ada.pk, is_public=True)
    close_account(ada.pk)
    assert not Club.objects.get().is_public
    assert not Membership.objects.exists()
