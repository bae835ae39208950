"""The account pages that allauth lacks, and what we change about those it has."""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views as allauth_views
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_tokens.operations import (
    DAYS,
    LIVE_MAX,
    load_tokens,
    make_token,
    revoke_token,
)
from accounts.entrance import SharedDeviceForm, remember_device
from accounts.forms import CloseAccountForm, EmailForm, NameForm, RefusalForm
from accounts.models import TOKEN_NAME_MAX, Scope, User
from accounts.operations.people import change_email, close_account, rename_person, use_link
from accounts.queries import closing_consequences, load_clubs_of, load_person_of_link
from accounts.requests import form_data, form_page, refused
from engine.errors import Refusal

View = Callable[..., HttpResponse]


def telling_refusals(view: View) -> View:
    """Set the status of allauth's forms: 422 for errors, 429 after too many wrong tries."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        form = (getattr(response, "context_data", None) or {}).get("form")
        is_redrawn = request.method == "POST" and response.status_code == 200
        if is_redrawn and form is not None and form.errors:
            # Wrong passwords are told above the form, wrong codes at their field.
            fields = (NON_FIELD_ERRORS, *form.fields)
            limited = any(
                form.has_error(name, "too_many_login_attempts") for name in fields
            )
            response.status_code = 429 if limited else 422
        return response

    return answer


@telling_refusals
def signup(request: HttpRequest) -> HttpResponse:
    """Sign up. Of two equal forms sent at once, the one that comes second is told to sign in.

    Where a mail confirms the address, its sender sees the page that everybody sees.
    """
    try:
        response: HttpResponse = allauth_views.signup(request)
    except IntegrityError:
        if settings.SENDS_MAIL:
            return redirect("account_email_verification_sent")
        messages.error(
            request, "There is already an account with this email address. Sign in instead."
        )
        return redirect("account_login")
    return response


@login_required
@form_page
def profile(request: HttpRequest) -> HttpResponse:
    """One's own account: the name others see, clubs, and the way to everything about signing in."""
    person = _person(request)
    form = NameForm(form_data(request), initial={"name": person.name})
    if form.is_valid():
        rename_person(person.pk, form.cleaned_data["name"])
        messages.success(request, "Name saved.")
        return redirect("account_profile")
    context = {"clubs": load_clubs_of(person.pk), "form": form}
    return render(request, "account/profile.html", context, status=form.status)


@login_required
def email(request: HttpRequest) -> HttpResponse:
    """Change the email address: after a confirmation where the site sends mail, else at once."""
    if settings.SENDS_MAIL:
        return telling_refusals(allauth_views.email)(request)
    return _change_email_at_once(request)


@form_page
@reauthentication_required
def _change_email_at_once(request: HttpRequest) -> HttpResponse:
    person = _person(request)
    form = EmailForm(form_data(request))
    if form.is_valid():
        with refused(form):
            change_email(person.pk, form.cleaned_data["email"])
            messages.success(request, "You now sign in with the new email address.")
            return redirect("account_profile")
    context = {"form": form, "email": person.email}
    return render(request, "account/email_at_once.html", context, status=form.status)


def password_reset(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    """Ask for a link by mail or, where the site cannot send mail, read who can help."""
    if settings.SENDS_MAIL:
        return telling_refusals(allauth_views.password_reset)(request, **kwargs)
    return require_http_methods(["GET", "HEAD"])(render)(
        request, "account/password_reset_by_hand.html"
    )


@login_required
@form_page
@reauthentication_required
def close(request: HttpRequest) -> HttpResponse:
    """Delete one's own account, after typing one's email address."""
    person = _person(request)
    form = CloseAccountForm(form_data(request), email=person.email)
    if form.is_valid():
        close_account(person.pk)
        logout(request)
        messages.success(request, "Your account and your warbands are deleted.")
        return redirect("/")
    context = {"form": form, "told": closing_consequences(person.pk)}
    return render(request, "account/close.html", context, status=form.status)


@form_page
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by a one-time link.

    Only the button uses it up: a preview of the link in a chat reads it too.
    """
    person = load_person_of_link(token)
    if request.method == "POST":
        try:
            person = use_link(token)
        except Refusal:
            person = None
    if request.method != "POST" or person is None:
        status = 200 if person else 410
        context = {"person": person, "form": SharedDeviceForm()}
        return render(request, "account/link.html", context, status=status)
    # Whoever runs the site gave out the link, so that no mail has to confirm the address; a second
    # step is still asked.
    sign_in = Login(
        user=person, email_verification="none", redirect_url=reverse("account_set_password")
    )
    answer = perform_login(request, sign_in)
    # Signing in empties the session of whoever was signed in before.
    remember_device(request)
    return answer


LASTS = ((30, "30 days"), (90, "90 days"), (180, "180 days"), (365, "A year"))


class TokenForm(RefusalForm):
    """Which program, what it may change, how long."""

    name = forms.CharField(
        label="Name",
        max_length=TOKEN_NAME_MAX,
        help_text="The program that uses the token, such as “Club scoreboard”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What the token can change",
        required=False,
        choices=Scope.choices,
        help_text="The token reads everything that you can see. Tick what it can change as well.",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label="Valid for", choices=LASTS, coerce=int, initial=DAYS
    )


@login_required
@form_page
@reauthentication_required
def programs(request: HttpRequest) -> HttpResponse:
    """One's tokens, and the form for another one.

    Only the answer to the form shows a new token.
    """
    user_id = _person(request).pk
    form = TokenForm(form_data(request))
    made = None
    if form.is_valid():
        with refused(form):
            key = request.POST.get("key", "")
            made = make_token(user_id, **form.cleaned_data, request_key=key)
    context = {
        "form": TokenForm() if made else form,
        "made": made,
        "tokens": load_tokens(user_id),
        "most": LIVE_MAX,
        "key": secrets.token_hex(16),
    }
    return render(request, "account/tokens.html", context, status=form.status)


@login_required
@require_POST
def revoke_program(request: HttpRequest, token_id: int) -> HttpResponse:
    """End one of one's own tokens."""
    name = revoke_token(_person(request).pk, token_id)
    messages.success(request, f"Token “{name}” is revoked. It no longer works.")
    return redirect("account_tokens")


def _person(request: HttpRequest) -> User:
    """Who is signed in, on a page that requires it."""
    assert isinstance(request.user, User)
    return request.user
