"""Notices: their page, whether they come by mail, and the link of a mail that ends it."""

from typing import Any

from allauth.core.internal.ratelimit import consume, respond_429
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import SimpleLazyObject
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.forms import PageForm, RefusalForm
from accounts.requests import (
    form_data,
    form_page,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
    without_robots,
)
from notices import operations, queries
from notices.models import GROUPS, REPORT_MAX, REPORTED_MAX, Pace, ReportReason

# Reports of one address, with an account or without.
RATES = {"report": "5/h/ip"}

MAIL = {
    True: "You will get notices by email.",
    False: "No more notices by email. You still find them here.",
}


def unread(request: HttpRequest) -> dict[str, Any]:
    """For every template: how many notices are unread.

    Asked for only where a page of somebody signed in shows it.
    """
    return {
        "unread_notices": SimpleLazyObject(lambda: queries.unread_count(owner_of(request)))
    }


class PageReportForm(RefusalForm):
    """What is wrong, where, and where an answer is wanted."""

    page = forms.CharField(
        required=False, max_length=REPORTED_MAX, widget=forms.HiddenInput
    )
    reason = forms.ChoiceField(label="What is wrong", choices=ReportReason.choices)
    words = forms.CharField(
        label="Details",
        max_length=REPORT_MAX,
        help_text="For a wrong figure: what the page says, what is right, and where you read it.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    email = forms.EmailField(
        label="Email address for an answer",
        required=False,
        max_length=254,
        help_text="Only the administrator of this site sees it.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def clean_page(self) -> str:
        """Keep an address of this site; another one says nothing about a page of ours."""
        typed: str = self.cleaned_data["page"]
        return typed if typed.startswith("/") and not typed.startswith("//") else ""


@form_page
def report_new(request: HttpRequest) -> HttpResponse:
    """Tell whoever runs the site what is wrong with a page; `page` names it. Needs no account."""
    initial = {name: request.GET.get(name, "") for name in ("page", "reason")}
    form = PageReportForm(form_data(request), initial=initial)
    if form.is_valid():
        if consume(request, app="notices", action="report", config=RATES) is None:
            return respond_429(request)
        with refused(form):
            operations.report_page(owner_of(request), **form.cleaned_data)
            messages.success(
                request, "Thank you. We have told the administrator of this site."
            )
            return redirect(form.cleaned_data["page"] or "home")
    context = {"form": form, "page": form["page"].value()}
    return without_robots(
        render(request, "notices/report.html", context, status=form.status)
    )


@login_required
@read_page
def notice_list(request: HttpRequest) -> HttpResponse:
    """What somebody was told, the newest first, and whether it comes by mail."""
    form = PageForm(request.GET)
    owner = owner_of(request)
    page = form.load_page(queries.load_notices, owner)
    choice = queries.mail_choice(owner)
    context = {
        "form": form,
        "page": page,
        "wants_mail": choice.wants_mail,
        "groups": [
            (group, label, choice.paces.get(group, Pace.NOW))
            for group, label in GROUPS.items()
        ],
        "paces": Pace.choices,
    }
    return without_robots(
        render(request, "notices/list.html", context, status=200 if page else 400)
    )


@login_required
@require_POST
def notice_open(request: HttpRequest, notice_id: int) -> HttpResponse:
    """Mark a notice as read and go where it is dealt with."""
    return redirect(operations.open_notice(owner_of(request), notice_id))


@login_required
@require_POST
def notice_read_all(request: HttpRequest) -> HttpResponse:
    """Mark all as read."""
    operations.read_all(owner_of(request))
    return redirect("notice-list")


@login_required
@require_POST
def notice_mail(request: HttpRequest) -> HttpResponse:
    """Choose whether notices come by mail: ``mail`` 1 or 0; or when each group does."""
    owner = owner_of(request)
    paces = {
        group: request.POST[f"pace-{group}"]
        for group in GROUPS
        if f"pace-{group}" in request.POST
    }
    if paces:
        with refused_as_message(request):
            operations.choose_paces(owner, paces)
            messages.success(request, "Saved.")
        return redirect("notice-list")
    wants_mail = request.POST.get("mail") == "1"
    operations.choose_mail(owner, wants_mail=wants_mail)
    return redirect_with_message(request, MAIL[wants_mail], "notice-list")


@csrf_exempt  # a mail program posts here of its own accord (RFC 8058); the token says who asks and allows no more
@form_page
def notice_stop(request: HttpRequest, token: str) -> HttpResponse:
    """End the mail of whoever this link was sent to, or with ``mail=1`` begin it again.

    Only the button does it: a program that looks into every link of a mail opens this one too.
    """
    wants_mail = queries.choice_by_token(token)
    if wants_mail is None:
        raise Http404
    if request.method == "POST":
        wants_mail = request.POST.get("mail") == "1"
        operations.choose_by_token(token, wants_mail=wants_mail)
    context = {
        "token": token,
        "wants_mail": wants_mail,
        "is_done": request.method == "POST",
    }
    return without_robots(render(request, "notices/stop.html", context))
