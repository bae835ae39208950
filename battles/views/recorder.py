"""A battle as it is played and settled: the live recorder, and the steps of its result on
pages.
"""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import (
    client_address,
    form_page,
    owner_of,
    read_page,
    refused,
    refused_as_message,
    request_key,
    without_robots,
)
from battles.access import BattleCall
from battles.after_battle import report_events
from battles.exports import build_bundle
from battles.forms.after_battle import AftermathForm
from battles.forms.battles import OutcomeForm, ResultForm
from battles.hooks import battle_follower
from battles.keys import stream_address
from battles.models import BattleStatus, ResultVerb
from battles.operations.ownership import change_visibility, new_key
from battles.operations.results import report_after_battle, take_step
from battles.operations.sides import take_side
from battles.presenters import outcome_words
from battles.queries.battles import tokens_of_key
from battles.queries.previews import preview_consequences
from battles.request_keys import find_key, keep_key, read_key
from battles.views.battles import battle_for
from engine.battles.event_fold import BattleLog
from engine.records import Fields, JsonObject
from warbands.views.presenters import form_key, page_key

# The live recorder: its page, and the shell of it that works without a signal, which the
# site's service worker keeps.

WRONG = "That is not the code of this battle. Check it: it has twelve characters."
NOWHERE = "No battle has this code. Check it: it has twelve characters."


@form_page
def battle_join(request: HttpRequest, token: str = "") -> HttpResponse:
    """Type the key, or come by the QR code, whose key a script puts into the form.

    Without a token it may be the key of any battle. Tells nothing about the battle.
    """
    wrong, typed = "", request.POST.get("key", "")
    if request.method == "POST":
        battle = token or next(iter(tokens_of_key(read_key(typed))), "")
        if battle and keep_key(request, battle, typed):
            to = "battle-record" if request.POST.get("to") == "record" else "battle-read"
            return redirect(to, battle)
        wrong = WRONG if token else NOWHERE
    context = {"wrong": wrong, "typed": typed[:60]}
    return without_robots(
        render(request, "battles/join.html", context, status=400 if wrong else 200)
    )


@require_POST
def battle_side(request: HttpRequest, token: str) -> HttpResponse:
    """Bring one's own warband for a side that has no list."""
    owner, key, record = battle_for(request, token)
    if not record.may_record:
        raise Http404
    call = BattleCall(owner, token, key, address=client_address(request))
    sent = request.POST
    with refused_as_message(request):
        take_side(call, sent.get("side", ""), sent.get("warband", ""))
        messages.success(
            request, "Your warband is in this battle. Its list is locked as it is now."
        )
    return redirect("battle-read", token)


@require_POST
def battle_share(request: HttpRequest, token: str) -> HttpResponse:
    """Change who may read the battle, or its key."""
    owner, key, record = battle_for(request, token)
    if not record.may_share:
        raise Http404
    call = BattleCall(owner, token, key)
    with refused_as_message(request):
        if "new_key" in request.POST:
            keep_key(request, token, new_key(call))
            messages.success(
                request, "The battle has a new code. The old code no longer works."
            )
        else:
            change_visibility(call, request.POST.get("visibility", ""))
            messages.success(request, "Sharing saved.")
    return redirect("battle-read", token)


ANY_TOKEN = (
    "0" * 16
)  # stands in the links of the page for the token of the battle; the script puts it in
LINKS = {
    "battle": "battle-read",
    "record": "battle-record",
    "join": "battle-join",
    "api": "api-battle-read",
}


@read_page
def battle_record(request: HttpRequest, token: str) -> HttpResponse:
    """The recorder with the battle in it. Whoever may only read watches; nobody else gets it."""
    _, _, record = battle_for(request, token)
    if not record.rules.can_record:
        return redirect("battle-read", token)
    page = {
        **shell(),
        "token": record.token,
        "now": timezone.now().isoformat(),
        "may_record": record.may_record,
        "key": record.key,
        "stream": stream_address(record.token),
        "is_person": request.user.is_authenticated,
        "bundle": build_bundle(record),
    }
    context = {
        "page": page,
        "title": record.title,
        "enter_url": reverse("battle-enter", args=[record.token]),
    }
    return without_robots(render(request, "battles/record.html", context))


@require_safe
def recorder_shell(request: HttpRequest) -> HttpResponse:
    """The recorder without a battle: the same for everybody and for every battle, so that a browser
    may keep it.
    """
    return without_robots(HttpResponse(shell_page()))


def shell() -> JsonObject:
    """What the page knows without a battle."""
    links = {name: reverse(route, args=[ANY_TOKEN]) for name, route in LINKS.items()}
    return {
        "token": "",
        "links": {**links, "worker": reverse("site-worker")},
        "bundle": None,
    }


def shell_page() -> str:
    """The recorder without a battle, as a page."""
    return render_to_string("battles/record.html", {"page": shell()})


# The steps of a result on pages: say it, look at what it changes, then do it.


STEPS: dict[str, tuple[str, str]] = {
    ResultVerb.PROPOSE: ("Result", "If you play, your opponent confirms it."),
    ResultVerb.CONFIRM: ("Confirm result", "The result is then final."),
    ResultVerb.DISPUTE: (
        "Dispute result",
        "Both versions are kept until you agree on one.",
    ),
    ResultVerb.CORRECT: (
        "Result",
        "The earlier version stays in the history.",
    ),
    ResultVerb.VOID: ("Void result", "It will not count. You can restore it."),
    ResultVerb.RESTORE: ("Restore result", "It counts again as before."),
    ResultVerb.UNDO: ("Undo last step", "What was before it counts again."),
}
"""The title of each step, which its button has too, and what its page says below it."""
TAKEN_AT_ONCE = (ResultVerb.PROPOSE, ResultVerb.DISPUTE)
"""Steps whose consequences are not shown before they are taken."""


@form_page
def result_decide(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """One step of the result. What it would change is told first; the second button takes it."""
    owner, key, record = battle_for(request, token)
    if not record.result.may[verb]:
        # Strangers learn of no page.
        if not record.may_record:
            raise Http404
        # Somebody who opens an old link is taken to the battle; somebody who sends it is told why.
        if request.method == "POST":
            status = record.result.status_label.lower()
            messages.error(request, f"That cannot be done now: the result is {status}.")
        return redirect("battle-read", token)
    form = ResultForm(request.POST or None, record=record, verb=verb, owner=owner)
    preview: Fields | None = None
    # There is nothing to fill in, so the first page shows what a confirmation comes to.
    if request.method != "POST" and verb == ResultVerb.CONFIRM:
        preview = preview_consequences(BattleCall(owner, token, key), verb)
    if form.is_valid():
        call = _call(request, token, form)
        with refused(form):
            if verb not in TAKEN_AT_ONCE and "go" not in request.POST:
                preview = preview_consequences(call, verb, form.claim)
            else:
                take_step(call, verb, form.claim)
                return redirect("battle-read", token)
    if form.is_stale:
        messages.error(request, str(form.non_field_errors()[0]))
        return redirect("battle-read", token)
    context: Fields = {
        "preview": preview,
        "title": STEPS[verb][0],
        "lead": STEPS[verb][1],
        "is_direct": verb in TAKEN_AT_ONCE,
        "verb": verb,
        "reported": outcome_words(record, record.result.winner, record.result.how),
    }
    # A correction shows the difference instead.
    if verb == ResultVerb.PROPOSE:
        follower = battle_follower()
        context["experience"] = follower.experience_so_far(owner, token)
    return _form_page(request, "result", form, context)


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


@form_page
def battle_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter the result for both sides at once."""
    owner, _, record = battle_for(request, token)
    if not (record.may_record and record.rules.can_record):
        raise Http404
    result, preview = record.result, None
    is_sent = request.method == "POST"
    if not is_sent and result.status != BattleStatus.OPEN and not result.may["correct"]:
        is_void = result.status == BattleStatus.VOID
        messages.error(request, VOID if is_void else CONFIRMED)
        return redirect("battle-read", token)
    form = AftermathForm(request.POST or None, record=record, owner=owner)
    if form.is_valid():
        call = _call(request, token, form)
        with refused(form):
            # A correction is previewed before.
            if form.is_correction and "go" not in request.POST:
                log = BattleLog(record.rules, record.field, record.events)
                events = report_events(log, form.report, name=page_key(), at=timezone.now())
                preview = preview_consequences(call, ResultVerb.CORRECT, form.claim, events)
            else:
                report_after_battle(call, form.report, form.claim.reason)
                return redirect("battle-read", token)
    if form.is_stale:
        # What was typed stays; sent once more it corrects the result as it is now.
        stale = form.non_field_errors()[0]
        form = AftermathForm(request.POST, record=record, owner=owner, seen=result.number)
        form.add_error(None, stale)
    return _form_page(request, "enter", form, {"preview": preview})


VOID = "This battle is void, so you cannot enter anything. Restore the result first."
CONFIRMED = (
    "The result is confirmed. Only an organiser of its club, or the creator of the battle, "
    "can correct it."
)


def _call(request: HttpRequest, token: str, form: OutcomeForm) -> BattleCall:
    """What a valid form asks of the battle, by whom and with which keys."""
    return BattleCall(
        owner_of(request),
        token,
        find_key(request, token),
        expected=form.expected,
        request_key=request_key(request),
        author=form.cleaned_data.get("author", ""),
        address=client_address(request),
    )
