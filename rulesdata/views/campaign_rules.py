"""Campaign rules: the sets to read, and those that a club writes.

A club's are for its members; organisers write.
"""

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

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
from rulesdata.errors import FaultyCampaignRules
from rulesdata.forms.campaign_rules import (
    NewRulesForm,
    RulesDraftForm,
    RulesUploadForm,
)
from rulesdata.keys import key_from
from rulesdata.operations import campaign_rules as drafts
from rulesdata.pack_files.yaml_files import yaml_text
from rulesdata.queries.campaign_book import load_rules_book
from rulesdata.queries.campaign_rules import (
    NO_SET,
    load_campaign_sets,
    load_own_rules,
    load_rules_draft,
    load_shelf,
    load_versions,
    start_choices,
)
from rulesdata.queries.clubs import load_club_to_write
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.views.book import book_page, done, form_page
from rulesdata.views.content import member_action, member_form, member_page

# To read


@never_cache
@book_page("rulesdata/campaigns/list.html")
def campaign_list(request: HttpRequest) -> Any:
    """Show all sets of campaign rules that the reader may read."""
    sets = load_campaign_sets(owner_of(request))
    return {
        "packed": [record for record in sets if not record.club],
        "own": [record for record in sets if record.club],
    }


@book_page("rulesdata/campaigns/read.html")
def campaign_read(request: HttpRequest, rules: str) -> Any:
    """Show a set of the site."""
    return {"book": load_rules_book(owner_of(request), rules)}


@member_page
def campaign_own(request: HttpRequest, owner: Owner, token: str) -> HttpResponse:
    """Show a set of one of the reader's clubs."""
    context = {"book": load_rules_book(owner, f"own/{token}")}
    return without_robots(render(request, "rulesdata/campaigns/read.html", context))


# Sets of a club


@member_page
def rules_shelf(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Show the sets of campaign rules of a club, and what is being written."""
    page = load_shelf(owner, slug)
    return render(request, "rulesdata/campaigns/shelf.html", page)


@member_form
def rules_new(request: HttpRequest, owner: Owner, slug: str) -> HttpResponse:
    """Begin a set, from a copy or empty."""
    club = load_club_to_write(owner, slug)
    form = NewRulesForm(form_data(request), choices=start_choices(club))
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            cleaned = form.cleaned_data
            token = drafts.begin_draft(
                owner, slug, name=cleaned["name"], start=cleaned["start"]
            )
            begun = "Draft created. Members see it once you save it as a version."
            return done(request, begun, "rules-draft", slug, token)
    context = {"form": form, "club": club}
    return form_page(request, "rulesdata/campaigns/new.html", context)


@takes_document("text", DOCUMENT_MAX)
@member_form
def rules_upload(
    request: HttpRequest, owner: Owner, slug: str, token: str = ""
) -> HttpResponse:
    """Take a file as a draft: a new one, or in place of what a draft holds."""
    page = load_rules_draft(owner, slug, token) if token else None
    club = page["club"] if page else load_club_to_write(owner, slug)
    form = RulesUploadForm(form_data(request), request.FILES or None)
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            made = drafts.upload_draft(owner, slug, form.raw, token=token)
            message = (
                "File uploaded as a draft. Save it as a version when it has no faults."
            )
            return done(request, message, "rules-draft", slug, made)
    context = {"form": form, "club": club, "page": page}
    return form_page(request, "rulesdata/campaigns/upload.html", context)


# One set


@member_page
def rules_set(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Show a set with what each of its versions changed."""
    page = load_own_rules(owner, slug, token)
    return render(request, "rulesdata/campaigns/set.html", page)


@member_page
def rules_file(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Download a version of a set, the latest unless one is asked for; JSON with ``as=json``."""
    number = request.GET.get("version")
    version = parse_int(number, "version", 1) if number else None
    _, rows = load_versions(owner, slug, token)
    row = next((row for row in rows if version in (None, row.version)), None)
    if row is None:
        raise NotInRuleBook(NO_SET)
    return _as_file(request, row.document, rows[0].name)


@member_action
def rules_edit(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Begin the next version of a set, or go on with it."""
    return redirect("rules-draft", slug, drafts.open_draft(owner, slug, token))


@member_action
def rules_archive(
    request: HttpRequest, owner: Owner, slug: str, token: str, *, is_archived: bool = True
) -> HttpResponse:
    """Archive a set, or restore it."""
    drafts.archive_rules(owner, slug, token, is_archived=is_archived)
    message = "Campaign rules restored. Organisers can choose them again."
    if is_archived:
        message = "Campaign rules archived. Campaigns that use them are not changed."
    return done(request, message, "rules-shelf", slug)


# Drafts


@takes_document("text", DOCUMENT_MAX)
@member_form
def rules_draft(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """The text of a draft and its figures. Right or wrong, what is sent is kept."""
    page = load_rules_draft(owner, slug, token)
    form = RulesDraftForm(form_data(request), page=page)
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            text, seen = form.cleaned_data["text"], form.cleaned_data["seen"]
            drafts.change_draft(owner, (slug, token), text, form.changed_figures, seen)
            if request.POST.get("go") == "version":
                return _save_version(request, owner, slug, token)
            count = len(load_rules_draft(owner, slug, token)["faults"])
            verdict = f"Correct {count} fault{'s'[: count > 1]}." if count else "No faults."
            return done(request, f"Draft saved. {verdict}", "rules-draft", slug, token)
    context = {"page": page, "club": page["club"], "form": form}
    return form_page(request, "rulesdata/campaigns/draft.html", context)


@member_action
def rules_save(request: HttpRequest, owner: Owner, slug: str, token: str) -> HttpResponse:
    """Save a draft as it is stored as the next version; with faults it stays a draft."""
    return _save_version(request, owner, slug, token)


def _save_version(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    with TellRefusal(lambda refusal: _tell_unsaved(request, refusal), NotAllowed):
        written = drafts.save_draft(owner, slug, token)
        message = (
            f"Version {written.version} saved. Organisers can choose it for campaigns."
        )
        return done(request, message, "rules-set", slug, written.id.partition("/")[2])
    page = load_rules_draft(owner, slug, token)
    context = {"page": page, "club": page["club"], "form": RulesDraftForm(page=page)}
    return form_page(request, "rulesdata/campaigns/draft.html", context)


def _tell_unsaved(request: HttpRequest, refusal: Refusal) -> None:
    """Say why a draft is no version: its faults are listed, or there are too many versions."""
    is_faulty = isinstance(refusal, FaultyCampaignRules)
    reason = "Correct the faults first." if is_faulty else refusal.message
    messages.error(request, f"The draft is saved, but not as a version. {reason}")


@member_page
def rules_section(
    request: HttpRequest, owner: Owner, slug: str, token: str, section: str
) -> HttpResponse:
    """Lead from what was a page for each section to the one page of a draft."""
    load_rules_draft(owner, slug, token)
    return redirect("rules-draft", slug, token)


@member_action
def rules_discard(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Delete a draft."""
    drafts.delete_draft(owner, slug, token)
    return done(
        request, "Draft deleted. Saved versions are not changed.", "rules-shelf", slug
    )


@member_page
def rules_draft_file(
    request: HttpRequest, owner: Owner, slug: str, token: str
) -> HttpResponse:
    """Download a draft as it is."""
    page = load_rules_draft(owner, slug, token)
    return _as_file(request, page["document"], page["name"], page["draft"].text)


def _as_file(
    request: HttpRequest, document: NamedValues, name: str, text: str = ""
) -> HttpResponse:
    """Return a document as a file, in YAML unless JSON is asked for.

    ``text`` is how it was written; where that is no document, it is all that can be returned.
    """
    is_json = request.GET.get("as") == "json" and bool(document)
    if is_json:
        text = json.dumps(document, indent=1, ensure_ascii=False)
    kind = "application/json" if is_json else "application/yaml"
    response = HttpResponse(
        text or yaml_text(dict(document)), content_type=f"{kind}; charset=utf-8"
    )
    stem = key_from(name, instead="rules")
    ending = "json" if is_json else "yaml"
    response["Content-Disposition"] = f'attachment; filename="{stem}.{ending}"'
    return response
