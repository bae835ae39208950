"""allauth's forms and sentences in the site's own words."""

from contextlib import suppress
from typing import Any

from allauth.account import forms as account_forms
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_next_redirect_url
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms as mfa_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.socialaccount import forms as social_forms
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse

from accounts.forms import TickField
from accounts.models import NAME_MAX, PATH_MAX
from accounts.operations.people import forget_goal
from engine.errors import Refusal
from engine.records import Fields, TextByKey
from engine.text import clean_line

LENGTH_HELP = (
    "At least 10 characters. Avoid common passwords, only digits, and your email address."
)

LABELS = {
    "login": "Email address",
    "email": "Email address",
    "password": "Password",
    "oldpassword": "Current password",
    "password1": "New password",
    "password2": "New password again",
    "code": "Code",
}


INVITED = "invited"


def may_sign_up(request: Any) -> bool:
    """Whether a visitor may create an account: by `REGISTRATION` and their invitation."""
    is_invited = settings.REGISTRATION == "invited" and request.session.get(INVITED)
    return settings.REGISTRATION == "open" or bool(is_invited)


class AccountAdapter(DefaultAccountAdapter):
    """Sentences that say what to do, and where to go after a change."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": "This account is disabled. Ask the administrator of this site.",
        "email_password_mismatch": "Wrong email or password. Try again, or reset your password.",
        "email_taken": "There is already an account with this email address. Sign in instead.",
        "enter_current_password": "Enter your current password.",
        "incorrect_code": "Wrong or expired code. Enter the newest code.",
        "incorrect_password": "Wrong password. Try again.",
        "invalid_or_expired_key": "This link has been used or has expired. Get a new link.",
        "invalid_password_reset": "This link has been used or has expired. Get a new link.",
        "same_as_current": "This is already your address. Enter a different one.",
        "too_many_login_attempts": "Too many failed attempts. Wait five minutes, then try again.",
        "too_many_codes": "Too many wrong codes. Wait five minutes, then try again.",
        "rate_limited": "Too many requests. Wait a few minutes, then try again.",
    }

    def is_open_for_signup(self, request: Any) -> bool:
        return may_sign_up(request)

    def save_user(  # allauth's signature
        self,
        request: Any,
        user: Any,
        form: Any,
        commit: bool = True,  # noqa: FBT001, FBT002
    ) -> Any:
        """Save the person in a transaction of its own.

        If somebody takes the address at the same moment, the connection stays usable.
        """
        user.goes_to = kept_path(get_next_redirect_url(request) or "")
        with transaction.atomic():
            return super().save_user(request, user, form, commit)

    def post_login(
        self, request: Any, user: Any, *, redirect_url: str | None, **options: Any
    ) -> Any:
        """Go where they wanted to go when they signed up, on whatever device that was."""
        goal = redirect_url or user.goes_to or None
        if user.goes_to:
            forget_goal(user.pk)
        return super().post_login(request, user, redirect_url=goal, **options)

    def get_password_change_redirect_url(self, request: Any) -> str:
        return reverse("account_profile")


def kept_path(path: str) -> str:
    """A page of this site as it is kept with an account, "" for one that is too long."""
    is_here = path.startswith("/") and not path.startswith("//")
    # A path that was cut would lead elsewhere.
    return "" if path[PATH_MAX:] or not is_here else path


SHARED_DEVICE = "shared_device"


class SharedDeviceForm(forms.Form):
    shared = TickField(
        "This is a shared device", help_text="Nothing is saved on it for reading offline."
    )


def remember_device(request: Any) -> None:
    """Remember in the session whether others use the device somebody signs in on."""
    request.session[SHARED_DEVICE] = "shared" in request.POST


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """Accounts that begin with one of another site, by the same rules."""

    def generate_state_param(self, state: Fields) -> str:
        """Keep the tick of the page that leads to the other site: the way back has no form."""
        if state["process"] == "login":
            remember_device(context.request)
        name: str = super().generate_state_param(state)
        return name

    def is_open_for_signup(self, request: Any, sociallogin: Any) -> bool:
        return may_sign_up(request)

    def populate_user(self, request: Any, sociallogin: Any, data: Fields) -> Any:
        """Fill in the name that others see, where the other site tells one."""
        user = super().populate_user(request, sociallogin, data)
        extra = sociallogin.account.extra_data
        name = extra.get("global_name") or extra.get("name") or data.get("username") or ""
        user.name = ""  # of a name that cannot be shown here
        with suppress(Refusal):
            user.name = clean_line(name, field="name", limit=NAME_MAX)
        user.goes_to = kept_path(sociallogin.state.get("next") or "")
        return user


class MFAAdapter(DefaultMFAAdapter):
    """The same for the second step."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_generate_recovery_codes": "Set up an authenticator app first. Recovery codes are its spare keys.",
        "incorrect_code": AccountAdapter.error_messages["incorrect_code"],
        "unverified_email": "Confirm your email address first, then set up two-step sign-in.",
    }


class _OwnWords:
    """Labels above the fields instead of placeholders inside them."""

    fields: Fields
    labels: TextByKey = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = (LABELS | self.labels).get(name, field.label)
            if name == "password":
                field.help_text = ""
            if name == "password1":
                field.help_text = LENGTH_HELP


class SocialSignupForm(_OwnWords, social_forms.SignupForm):
    pass


class LoginForm(_OwnWords, SharedDeviceForm, account_forms.LoginForm):
    def login(self, request: Any, redirect_url: str | None = None) -> Any:
        remember_device(request)
        return super().login(request, redirect_url)


class SignupForm(_OwnWords, account_forms.SignupForm):
    labels = {"password1": "Password"}


class ChangePasswordForm(_OwnWords, account_forms.ChangePasswordForm):
    pass


class SetPasswordForm(_OwnWords, account_forms.SetPasswordForm):
    pass


class ResetPasswordForm(_OwnWords, account_forms.ResetPasswordForm):
    pass


class ResetPasswordKeyForm(_OwnWords, account_forms.ResetPasswordKeyForm):
    pass


class ReauthenticateForm(_OwnWords, account_forms.ReauthenticateForm):
    pass


class AddEmailForm(_OwnWords, account_forms.AddEmailForm):
    labels = {"email": "New email address"}


class _SecondStep(_OwnWords):
    """A code of the second step: five wrong ones for an account, from whatever addresses.

    allauth counts wrong codes by the limit of wrong passwords. That one is by address alone, since
    by account it would let a stranger lock the owner out; a code is asked only of somebody who
    knows the password, so it can have a limit by account.
    """

    user: Any

    def clean_code(self) -> str:
        limit: Fields = {
            "app": "accounts",
            "action": "second_step",
            "config": settings.SECOND_STEP_RATES,
            "key": str(self.user.pk),
        }
        # Counted before it is looked at: of many codes at once no more than five are.
        if not ratelimit.consume(context.request, **limit):
            sentence = AccountAdapter.error_messages["too_many_codes"]
            raise ValidationError(sentence, code="too_many_login_attempts")
        code: str = super().clean_code()  # type: ignore[misc]
        ratelimit.clear(context.request, **limit)
        return code


class AuthenticateForm(_SecondStep, mfa_forms.AuthenticateForm):
    pass


class MFAReauthenticateForm(_SecondStep, mfa_forms.ReauthenticateForm):
    pass


class ActivateTOTPForm(_OwnWords, totp_forms.ActivateTOTPForm):
    labels = {"code": "Code from the app"}
