"""One fixture: reading it, playing it, saying how it ended, deciding it, and its slip for the
table.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import RefusalForm
from accounts.owner import Owner
from accounts.requests import (
    form_data,
    record_or_404,
    refused,
    refused_as_message,
    request_key,
    without_robots,
)
from battles.tallies import TableChange
from campaigns.forms.results import DecideForm, OpenForm, ReportForm
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import (
    ResultDraft,
    decide_fixture,
    open_fixture,
    report_result,
    undecide_fixture,
)
from campaigns.pdf import Slip, slips_pdf
from campaigns.queries.fixtures import FixturePage, load_fixture
from campaigns.queries.previews import preview_decision, preview_report
from engine.battles.rules import BattleRules
from rulesdata import registry
from warbands.pdf import PAPERS
from warbands.views.manage import file_name
from warbands.views.presenters import page_key
from warbands.views.sheets import as_pdf

DONE = {
    "proposed": "Reported. Your opponent will confirm it.",
    "confirmed": "Reported, and it counts.",
}


@require_safe
@never_cache
def fixture_read(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Who meets whom, what came of it, and what the reader can do about it."""
    _, record = _fixture_for(request, token, fixture)
    context: dict[str, Any] = {"fixture": record, "event": record.event}
    if record.may_record and not record.battle:
        context["opening"] = OpenForm(fixture=record)
    return without_robots(render(request, "campaigns/fixture.html", context))


@require_POST
def fixture_open(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Set the battle of a fixture up, then go where it is recorded live or told afterwards."""
    owner, record = _reported_for(request, token, fixture)
    form = OpenForm(request.POST, fixture=record)
    if not record.battle and not form.is_valid():
        context = {"fixture": record, "event": record.event, "opening": form}
        return without_robots(render(request, "campaigns/fixture.html", context, status=422))
    with refused_as_message(request):
        battle = open_fixture(
            ChangeRequest(owner, token), fixture, sizes={} if record.battle else form.sizes
        )
        is_told = request.POST.get("go") == "enter"
        return redirect("battle-enter" if is_told else "battle-record", battle)
    return redirect("fixture-read", token, fixture)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_result(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """Enter the result for both sides.

    What a second report would move is told before it is made.
    """
    owner, record = _reported_for(request, token, fixture)
    if not record.may_report:
        messages.error(
            request,
            record.closed or "The result stands. Ask an organiser of the club to correct it.",
        )
        return redirect("fixture-read", token, fixture)
    form = ReportForm(form_data(request), fixture=record, rules=_rules(record))
    preview: TableChange | None = None
    if request.method == "POST" and form.is_valid():
        with refused(form):
            if record.is_told and "go" not in request.POST:
                preview = preview_report(owner, token, fixture, **_outcome(form))
            else:
                said = form.cleaned_data
                reason, key = said.get("reason", ""), request_key(request)
                asked = ChangeRequest(owner, token, said["seen"], reason, key)
                done = report_result(asked, fixture, ResultDraft(**_outcome(form)))
                messages.success(request, DONE.get(done.status, "Reported."))
                return redirect("fixture-read", token, fixture)
    if form.is_stale:
        return _back_to(request, record, form)
    context = {**_context(record, form, preview), "key": request.POST.get("key") or page_key()}
    return without_robots(render(request, "campaigns/result.html", context, status=form.status))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def fixture_decide(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """An organiser's word instead of a battle; what it would move is told before it is given."""
    owner, record = _fixture_for(request, token, fixture)
    if not record.event.may_organise:
        raise PermissionDenied
    if not record.may_decide:
        messages.error(request, record.closed or "There is nothing to decide here.")
        return redirect("fixture-read", token, fixture)
    form = DecideForm(form_data(request), fixture=record)
    preview: TableChange | None = None
    if request.method == "POST" and form.is_valid():
        with refused(form):
            if "go" in request.POST:
                _decide(owner, token, fixture, form)
                return redirect("fixture-read", token, fixture)
            preview = preview_decision(owner, token, fixture, **form.decision_kwargs)
    if form.is_stale:
        return _back_to(request, record, form)
    context = _context(record, form, preview)
    return without_robots(render(request, "campaigns/decide.html", context, status=form.status))


def _context(record: FixturePage, form: RefusalForm, preview: TableChange | None) -> dict[str, Any]:
    return {"fixture": record, "event": record.event, "form": form, "preview": preview}


def _back_to(request: HttpRequest, record: FixturePage, form: RefusalForm) -> HttpResponse:
    """To the fixture as it is now, with what the form says of it."""
    messages.error(request, str(form.non_field_errors()[0]))
    return redirect("fixture-read", record.event.token, record.record.token)


@require_safe
def fixture_slip(request: HttpRequest, token: str, fixture: str) -> HttpResponse:
    """The slip for the table, with a code that leads to the page of the result.

    ``?paper=a4|letter``.
    """
    _, record = _fixture_for(request, token, fixture)
    paper: Any = request.GET.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    if record.record.is_bye:
        raise Http404
    slip = slip_of(
        record, request.build_absolute_uri(reverse("fixture-result", args=[token, fixture]))
    )
    return as_pdf(
        request,
        lambda: slips_pdf(f"Result slip, {record.title}", [slip], paper),
        file_name(f"Slip {record.title}", "pdf"),
        (reverse("fixture-read", args=[token, fixture]), record.title),
    )


def slip_of(record: FixturePage, url: str) -> Slip:
    """What stands on a fixture's slip."""
    when = record.record.plays_at or record.round.starts_at
    day = timezone.localtime(when).date() if when else None
    return Slip(
        title=(f"{record.event.name}, {record.round.name or record.round.title.lower()}"),
        facts=(
            f"Table {record.record.table}" if record.record.table else "",
            record.record.scenario_name,
            f"{day.day} {day:%B %Y}" if day else "",
        ),
        sides=tuple((side.entry.name, side.entry.warband_name) for side in record.sides),
        url=url,
        rout=_rules(record).rout is not None,
    )


def _fixture_for(request: HttpRequest, token: str, fixture: str) -> tuple[Owner, FixturePage]:
    """Who asks and the fixture they may read; raises Http404 for everybody else."""
    return record_or_404(load_fixture, request, token, fixture)


def _reported_for(request: HttpRequest, token: str, fixture: str) -> tuple[Owner, FixturePage]:
    """The same for those who play it and for organisers; a 403 for those who may only read it."""
    owner, record = _fixture_for(request, token, fixture)
    if not (record.plays or record.event.may_organise):
        raise PermissionDenied
    return owner, record


def _rules(record: FixturePage) -> BattleRules:
    return registry.result_rules(record.event.system, record.event.variant or None)


def _outcome(form: ReportForm) -> dict[str, Any]:
    wanted = form.operation_kwargs()
    return {name: wanted[name] for name in ("winner", "how", "figures")}


def _decide(owner: Owner, token: str, fixture: str, form: DecideForm) -> None:
    seen, reason = form.cleaned_data["seen"], form.cleaned_data["reason"]
    if form.is_back:
        undecide_fixture(ChangeRequest(owner, token, reason=reason, expected=seen), fixture)
    else:
        decide_fixture(
            ChangeRequest(owner, token, reason=reason, expected=seen),
            fixture,
            **form.decision_kwargs,
        )
