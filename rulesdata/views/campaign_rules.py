"""Campaign rules: the sets to read, and those that a club writes.

A club's are for its members; organisers write.
"""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.owner import Owner
from accounts.requests import (
    TellRefusal,
    form_data,
    owner_of,
    parse_int,
    refused,
    takes_document,
    without_robots,
)
from engine.errors import Refusal
from engine.records import NamedValues
from rulesdata.campaign_documents import DOCUMENT_MAX
from rulesdata.campaign_editor.places import NAMED
from rulesdata.errors import FaultyCampaignRules
from rulesdata.forms.campaign_rules import RulesPageForm
from rulesdata.forms.campaign_sets import NamedEntryForm, NewRulesForm, RulesUploadForm
from rulesdata.keys import key_from
from rulesdata.operations import campaign_rules as drafts
from rulesdata.pack_files.yaml_files import yaml_text
from rulesdata.queries.campaign_book import load_rules_book, load_rules_list
from rulesdata.queries.campaign_rules import (
    RulesDraftPage,
    load_own_rules,
    load_rules_draft,
    load_shelf,
    start_choices,
)
from rulesdata.queries.clubs import load_club_to_write
from rulesdata.views.book import FORM, book_page, done, form_page
from rulesdata.views.content import for_members

WINDOWS_MAX = 50
STORED = "Saved. {}"
NO_FAULTS = "No faults on this page."


# To read


@never_cache
@book_page("rulesdata/campaigns/list.html")
def campaign_list(request: HttpRequest) -> Any:
    """Show all sets of campaign rules that the reader may read."""
    sets = load_rules_list(owner_of(request))
    return {
        "packed": [one for one in sets if not one.club],
        "own": [one for one in sets if one.club],
    }


@book_page("rulesdata/campaigns/read.html")
def campaign_read(request: HttpRequest, rules: str) -> Any:
    """Show a set of the site."""
    return {"book": load_rules_book(owner_of(request), rules)}


@require_safe
@for_members
def campaign_own(request: HttpRequest, owner: Owner, token: str) -> HttpResponse:
    """Show a set of one of the reader's clubs."""
    context = {"book": load_rules_book(owner, f"own/{token}")}
    return without_robots(render(request, "rulesdata/campaigns/read.html", context))


# Sets of a club


@require_safe
@for_members
def rules_shelf(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Show the sets of campaign rules of a club, and what is being written."""
    page = load_shelf(owner, slug)
    return render(request, "rulesdata/campaigns/shelf.html", {"page": page})


@require_http_methods(FORM)
@for_members
def rules_new(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Begin a set, from a copy or empty."""
    club = load_club_to_write(owner, slug)
    form = NewRulesForm(form_data(request), choices=start_choices(club))
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            said = form.cleaned_data
            token = drafts.begin_draft(owner, slug, name=said["name"], start=said["start"])
            begun = "Draft created. Members see it once you save it as a version."
            return done(request, begun, "rules-draft", slug, token)
    context = {"form": form, "club": club}
    return form_page(request, "rulesdata/campaigns/new.html", context)


@takes_document("text", DOCUMENT_MAX)
@require_http_methods(FORM)
@for_members
def rules_upload(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """Take a file as a draft: a new one, or in place of what a draft holds."""
    page = load_rules_draft(owner, slug, token) if token else None
    club = page.club if page else load_club_to_write(owner, slug)
    form = RulesUploadForm(form_data(request), request.FILES or None)
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            made = drafts.upload_draft(owner, slug, form.raw, token=token)
            said = "File uploaded as a draft. Save it as a version when it has no faults."
            return done(request, said, "rules-draft", slug, made)
    context = {"form": form, "club": club, "page": page}
    return form_page(request, "rulesdata/campaigns/upload.html", context)


# One set


@require_safe
@for_members
def rules_set(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Show a set with what each of its versions changed."""
    page = load_own_rules(owner, slug, token)
    return render(request, "rulesdata/campaigns/set.html", {"page": page})


@require_safe
@for_members
def rules_file(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Download a version of a set, the latest unless one is asked for; JSON with ``as=json``."""
    asked = request.GET.get("version")
    version = parse_int(asked, "version", 1) if asked else None
    page = load_own_rules(owner, slug, token, version)
    return _as_file(request, page.document, page.card.name)


@require_POST
@for_members
def rules_edit(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Begin the next version of a set, or go on with it."""
    return redirect("rules-draft", slug, drafts.open_draft(owner, slug, token))


@require_POST
@for_members
def rules_archive(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Archive a set."""
    drafts.archive_rules(owner, slug, token)
    said = "Campaign rules archived. Campaigns that use them are not changed."
    return done(request, said, "rules-shelf", slug)


@require_POST
@for_members
def rules_restore(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Restore an archived set."""
    drafts.archive_rules(owner, slug, token, is_archived=False)
    said = "Campaign rules restored. Organisers can choose them again."
    return done(request, said, "rules-shelf", slug)


# Drafts


@require_safe
@for_members
def rules_draft(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Show the sections of a draft, and everything that is wrong with it."""
    return _draw_draft(request, load_rules_draft(owner, slug, token))


def _draw_draft(
    request: HttpRequest, page: RulesDraftPage, status: int = 200
) -> HttpResponse:
    context = {"page": page, "club": page.club}
    return render(request, "rulesdata/campaigns/draft.html", context, status=status)


@require_POST
@for_members
def rules_save(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Save a draft as the next version; with faults it stays a draft, and they are shown."""
    with TellRefusal(lambda refusal: _tell_unsaved(request, refusal), NotAllowed):
        written = drafts.save_draft(owner, slug, token)
        said = f"Version {written.version} saved. Organisers can choose it for campaigns."
        return done(request, said, "rules-set", slug, written.id.partition("/")[2])
    return _draw_draft(request, load_rules_draft(owner, slug, token), 422)


def _tell_unsaved(request: HttpRequest, refusal: Refusal) -> None:
    """Say why a draft is no version: its faults stand below, or there are too many versions."""
    is_faulty = isinstance(refusal, FaultyCampaignRules)
    words = "Correct the faults below first." if is_faulty else refusal.message
    messages.error(request, f"Not saved as a version. {words}")


@require_POST
@for_members
def rules_discard(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Delete a draft."""
    drafts.delete_draft(owner, slug, token)
    return done(
        request, "Draft deleted. Saved versions are not changed.", "rules-shelf", slug
    )


@require_safe
@for_members
def rules_draft_file(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Download a draft as it is."""
    page = load_rules_draft(owner, slug, token)
    return _as_file(request, page.document, page.name)


def _as_file(request: HttpRequest, document: NamedValues, name: str) -> HttpResponse:
    """Return a document as a file, in YAML unless JSON is asked for."""
    is_json = request.GET.get("as") == "json"
    text = json.dumps(document, indent=1, ensure_ascii=False) if is_json else ""
    kind = "application/json" if is_json else "application/yaml"
    response = HttpResponse(
        text or yaml_text(dict(document)), content_type=f"{kind}; charset=utf-8"
    )
    stem = key_from(name, instead="rules")
    ending = "json" if is_json else "yaml"
    response["Content-Disposition"] = f'attachment; filename="{stem}.{ending}"'
    return response


# Pages of a draft


@require_http_methods(FORM)
@for_members
def rules_section(
    request: HttpRequest, owner: Owner, slug: str, token: str, section: str
) -> HttpResponse:
    """One page of a draft. Right or wrong, what is sent is kept, with its faults beside it."""
    draft = load_rules_draft(owner, slug, token)
    if section in NAMED:
        return _named_entries(request, owner, draft, section)
    page, window = draft.page(section), _window(request)
    form = RulesPageForm(page, draft.document, draft.choices, form_data(request), window)
    if request.method == "POST" and form.is_valid():
        with TellRefusal(form.add_refusal, NotAllowed):
            place, seen = (slug, token), request.POST.get("seen", "")
            drafts.change_draft(owner, place, page, form.changes(), seen)
            return _go_on(request, slug, token, section)
    context: dict[str, Any] = {
        "draft": draft,
        "club": draft.club,
        "form": form,
        "windows": range(1, form.windows + 1),
    }
    if request.method != "POST":
        context["faults"] = form.show_faults(draft.faults_on(section))
    return form_page(request, "rulesdata/campaigns/section.html", context)


def _window(request: HttpRequest) -> int:
    """Return which rows of a long list the page shows."""
    return parse_int(request.GET.get("rows", "1"), "rows", 1, WINDOWS_MAX)


def _go_on(request: HttpRequest, slug: str, token: str, section: str) -> HttpResponse:
    """Say what is wrong on the page that was stored, and show it again or go to the next one."""
    draft = load_rules_draft(owner_of(request), slug, token)
    count = len(draft.faults_on(section))
    words = NO_FAULTS if not count else f"Correct {count} marked fault{'s'[: count > 1]}."
    messages.success(request, STORED.format(words))
    if request.POST.get("go") == "overview":
        return redirect("rules-draft", slug, token)
    address = redirect("rules-section", slug, token, section)
    rows = request.GET.get("rows")
    if rows:
        address["Location"] += f"?rows={_window(request)}"
    return address


def _named_entries(
    request: HttpRequest, owner: Owner, draft: RulesDraftPage, section: str
) -> HttpResponse:
    """The tables of a draft, or its lists of skills: add one, delete one."""
    form = NamedEntryForm(form_data(request), section=section, taken=draft.named(section))
    slug, token = draft.club.slug, draft.token
    if request.method == "POST" and form.is_valid():
        with refused(form, passing=NotAllowed):
            page = form.page
            drafts.change_draft(
                owner, (slug, token), page, form.changes(), draft.seen(page)
            )
            messages.success(request, form.done)
            if form.is_new:
                return redirect("rules-section", slug, token, f"{section}/{form.name}")
            return redirect("rules-section", slug, token, section)
    context = {
        "draft": draft,
        "club": draft.club,
        "form": form,
        "title": NAMED[section][0],
        "lead": NAMED[section][1],
        "section": section,
        "entries": [one for one in draft.links if one.key.startswith(f"{section}/")],
        "odd_names": draft.odd_names(section),
        "faults": draft.fault_links_on(section),
    }
    return form_page(request, "rulesdata/campaigns/named.html", context)
