"""The steps of a result on pages: say it, look at what it changes, then do it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from accounts.owner import Owner
from accounts.requests import address_of, form_page, owner_of, refused, request_key
from battles.access import BattleCall
from battles.after_battle import report_events
from battles.forms.after_battle import AftermathForm
from battles.forms.results import OutcomeForm, ResultForm
from battles.hooks import battle_follower
from battles.models import BattleStatus, ResultVerb
from battles.operations.results import report_after_battle, take_step
from battles.presenters import outcome_words
from battles.queries.previews import preview_consequences
from battles.queries.records import BattleRecord
from battles.request_keys import key_of
from battles.tallies import Consequences
from battles.views.battles import battle_for
from engine.battles.event_fold import BattleLog
from engine.records import Fields, TextPairs, frozen_dataclass
from warbands.views.presenters import form_key, page_key


@frozen_dataclass
class ResultAction:
    """A step as its page words it; ``asks_first``: its consequences are shown before it is taken."""

    title: str
    button: str
    lead: str
    asks_first: bool = True


STEPS: dict[str, ResultAction] = {
    ResultVerb.PROPOSE: ResultAction(
        "Report result",
        "Report result",
        "Your opponent will confirm it.",
        asks_first=False,
    ),
    ResultVerb.CONFIRM: ResultAction(
        "Confirm result", "Confirm result", "The result is then final."
    ),
    ResultVerb.DISPUTE: ResultAction(
        "Dispute result",
        "Dispute result",
        "Both versions are kept until you agree on one.",
        asks_first=False,
    ),
    ResultVerb.CORRECT: ResultAction(
        "Correct result",
        "Correct result",
        "The earlier version stays in the history.",
    ),
    ResultVerb.VOID: ResultAction(
        "Void result",
        "Void result",
        "It will not count. You can restore it.",
    ),
    ResultVerb.RESTORE: ResultAction(
        "Restore result", "Restore result", "It counts again as before."
    ),
}


@form_page
def result_decide(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """One step of the result. What it would change is told first; the second button takes it."""
    owner, _, record = battle_for(request, token)
    # Somebody who opens an old link is taken to the battle; somebody who sends it is told why.
    if not getattr(record.result, f"may_{verb}"):
        if request.method == "POST" or not record.may_record:
            return _not_now(request, record)
        return redirect("battle-read", token)
    form = ResultForm(request.POST or None, record=record, verb=verb, owner=owner)
    if request.method != "POST":
        return _step_page(request, form, _first_look(request, token, verb))
    preview: Consequences | None = None
    if form.is_valid():
        call = _call(request, token, form)
        with refused(form):
            if STEPS[verb].asks_first and "go" not in request.POST:
                preview = preview_consequences(call, verb, form.claim)
            else:
                take_step(call, verb, form.claim)
                return redirect("battle-read", token)
    if form.is_stale:
        messages.error(request, str(form.non_field_errors()[0]))
        return redirect("battle-read", token)
    return _step_page(request, form, preview)


def _first_look(request: HttpRequest, token: str, verb: str) -> Consequences | None:
    """What a confirmation comes to, on the page that asks for it: there is nothing to fill in."""
    if verb != ResultVerb.CONFIRM:
        return None
    call = BattleCall(owner_of(request), token, key_of(request, token))
    return preview_consequences(call, verb)


def _step_page(
    request: HttpRequest, form: ResultForm, preview: Consequences | None = None
) -> HttpResponse:
    """Draw the form of a step; with ``preview`` it shows what would change."""
    experience: TextPairs = ()
    # A correction shows the difference instead.
    if form.verb == ResultVerb.PROPOSE:
        follower = battle_follower()
        experience = follower.experience_so_far(owner_of(request), form.record.token)
    result = form.record.result
    step = {
        "step": STEPS[form.verb],
        "verb": form.verb,
        "experience": experience,
        "reported": outcome_words(form.record, result.winner, result.how),
    }
    return _form_page(request, "result", form, {"preview": preview, **step})


def _form_page(
    request: HttpRequest, name: str, form: OutcomeForm, context: Fields
) -> HttpResponse:
    """Draw a form about a result; the status is 400 where it has errors."""
    context |= {
        "record": form.record,
        "form": form,
        "key": form_key(request),
    }
    status = (form.limit_status or 400) if form.errors else 200
    return render(request, f"battles/{name}.html", context, status=status)


def _not_now(request: HttpRequest, record: BattleRecord) -> HttpResponse:
    """A step that is not to be taken by this reader, or no more: strangers learn of no page, others
    why not.
    """
    if not record.may_record:
        raise Http404
    messages.error(
        request,
        f"That cannot be done now: the result is {record.result.status_label.lower()}.",
    )
    return redirect("battle-read", record.token)


@form_page
def battle_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter the result for both sides at once."""
    owner, _, record = battle_for(request, token)
    if not (record.may_record and record.rules.can_record):
        raise Http404
    if request.method == "POST":
        return _post_entry(request, owner, record)
    if reason := _shut(record):
        messages.error(request, reason)
        return redirect("battle-read", token)
    form = AftermathForm(None, record=record, owner=owner)
    return _form_page(request, "enter", form, {"preview": None})


def _post_entry(request: HttpRequest, owner: Owner, record: BattleRecord) -> HttpResponse:
    """Report the form after a battle; a correction is previewed before.

    A form that is stale stays filled in and is drawn with the present result's number.
    """
    form = AftermathForm(request.POST or None, record=record, owner=owner)
    preview: Consequences | None = None
    if form.is_valid():
        call = _call(request, record.token, form)
        with refused(form):
            if form.is_correction and "go" not in request.POST:
                preview = _preview(call, form)
            else:
                report_after_battle(call, form.told, form.claim.reason)
                return redirect("battle-read", record.token)
    if form.is_stale:
        # What was typed stays; sent once more it corrects the result as it is now.
        stale, now = form.non_field_errors()[0], record.result.number
        form = AftermathForm(request.POST, record=record, owner=owner, seen=now)
        form.add_error(None, stale)
    return _form_page(request, "enter", form, {"preview": preview})


def _shut(record: BattleRecord) -> str:
    """Why this reader enters nothing now, "" where they may."""
    if record.result.status == BattleStatus.OPEN or record.result.may_correct:
        return ""
    if record.result.status == BattleStatus.VOID:
        return (
            "This battle is void, so you cannot enter anything. Restore the result first."
        )
    return (
        "The result is confirmed. Only an organiser of its club, or the creator of the battle, "
        "can correct it."
    )


def _call(request: HttpRequest, token: str, form: OutcomeForm) -> BattleCall:
    """What a valid form asks of the battle, by whom and with which keys."""
    return BattleCall(
        owner_of(request),
        token,
        key_of(request, token),
        expected=form.expected,
        request_key=request_key(request),
        author=form.cleaned_data.get("author", ""),
        address=address_of(request),
    )


def _preview(call: BattleCall, form: AftermathForm) -> Consequences:
    """Return what a correction of the result would change; writes nothing."""
    record = form.record
    log = BattleLog(record.rules, record.field, record.events)
    events = report_events(log, form.told, name=page_key(), at=timezone.now())
    return preview_consequences(call, ResultVerb.CORRECT, form.claim, events)
