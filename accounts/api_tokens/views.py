"""The page of one's own tokens: make one, see it once, revoke it."""

from __future__ import annotations

import secrets

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_tokens.operations import (
    DAYS,
    LIVE_MAX,
    MadeToken,
    load_tokens,
    make_token,
    revoke_token,
)
from accounts.models import TOKEN_NAME_MAX, Scope
from engine.errors import Refusal

LASTS = ((30, "30 days"), (90, "90 days"), (180, "180 days"), (365, "A year"))


class TokenForm(forms.Form):
    """Which program, what it may change, how long."""

    name = forms.CharField(
        label="Name",
        max_length=TOKEN_NAME_MAX,
        help_text="The program that will use it, such as “Scoreboard at the club”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What it may change",
        required=False,
        choices=Scope.choices,
        help_text="It reads everything that you may read. With nothing ticked it only reads.",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(label="Works for", choices=LASTS, coerce=int, initial=DAYS)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@reauthentication_required
def tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens, and the form for another one.

    The answer to the form is the only page that shows it.
    """
    assert request.user.pk is not None
    form = TokenForm(request.POST if request.method == "POST" else None)
    made = _made(request, request.user.pk, form) if form.is_valid() else None
    context = {
        "form": TokenForm() if made else form,
        "made": made,
        "tokens": load_tokens(request.user.pk),
        "most": LIVE_MAX,
        "key": secrets.token_hex(16),
    }
    return render(request, "account/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """End one of one's own tokens."""
    assert request.user.pk is not None
    name = revoke_token(request.user.pk, token_id)
    messages.success(request, f"Revoked. “{name}” can do nothing here any more.")
    return redirect("account_tokens")


def _made(request: HttpRequest, user_id: int, form: TokenForm) -> MadeToken | None:
    """The token the form asks for, or None with the reason beside its field."""
    try:
        return make_token(user_id, **form.cleaned_data, request_key=request.POST.get("key", ""))
    except Refusal as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, refusal.message)
    return None
