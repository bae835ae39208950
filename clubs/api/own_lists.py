"""A club's own army lists for programs: read, made of catalogues, brought up to date by them."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from accounts.api.endpoints import FLAG, ApiCall, Endpoint, Versioned, choice_in_query
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    DeclaredField,
    Flag,
    Moment,
    Text,
    Texts,
    Whole,
)
from accounts.api_tokens.http import IF_MATCH, page_of_rows, seen_stamp
from accounts.errors import Refusal, Stale, WrongState
from clubs.api.clubs import CLUBS, SLUG
from engine.errors import refused_at
from engine.records import Fields
from interchange.files import FILES_MAX
from jobs.api import JobAnswer, shown_job
from jobs.queue import wait_until_over
from rulesdata.models import KEY_MAX, SentCatalogue
from rulesdata.operations.sent_catalogues import (
    STALE,
    TakeChoice,
    send_catalogue,
    take_catalogue,
)
from rulesdata.own_lists import dump
from rulesdata.queries import clubs as content
from rulesdata.queries.sent_catalogues import CatalogueDraft, live_job, load_sent
from warbands.api.lists import ListParser, decoded
from warbands.queries.lists import count_holders

# As long as a call may take; then the answer is the job.
WAIT_SECONDS = 20.0
NAME_MAX = 120
ALL = "all"
LIST = OpenApiParameter(
    "token",
    {"type": "string", "pattern": "^own-[A-Za-z0-9_-]{1,40}$"},
    OpenApiParameter.PATH,
    description="The key of the list, by which rosters name it as their army.",
)
LISTS = replace(CLUBS, tag="interchange", noun="list", parts=(SLUG, LIST))
CATALOGUES = replace(
    LISTS,
    fields={**CLUBS.fields, "file": "files"},
    settings={"parser_classes": [ListParser]},
)
OWN_LIST = "OwnListDocument"  # a component of the document: an object with any keys
PREVIEW = choice_in_query("preview", FLAG, "1 answers the report, and makes no list.")
PREVIEW_CHANGES = choice_in_query(
    "preview", FLAG, "1 answers the report, and changes nothing."
)


# Lists that are there


class OwnListRowAnswer(Answer):
    """A club's own list in a list of them."""

    id = Text(source="token")
    name = Text()
    stands_on = Text("The army or collection that it starts from.")
    systems = Texts("Names of the rule systems that field it.")
    profiles = Whole()
    gear = Whole("Weapons and armour of its own.")
    is_retired = Flag("Archived: warbands that use it keep it.")
    changed_at = Moment(allow_null=True)


@Endpoint("GET", OwnListRowAnswer, is_paged=True, needs_person=True)
def list_own_lists(call: ApiCall, slug: str) -> Any:
    """List the army lists of a club that you belong to, also the archived ones."""
    page, club = call.page, content.load_club(call.actor, slug)
    return page_of_rows(content.list_cards(club.id), **page)


@Endpoint("GET", {"$ref": f"#/components/schemas/{OWN_LIST}"}, needs_person=True)
def read_own_list(call: ApiCall, slug: str, token: str) -> Versioned:
    """Read an army list of a club, in the form that an upload takes."""
    _, row = content.load_club_list(call.actor, slug, token)
    document = {key: value for key, value in dump(row.file).items() if value is not None}
    return Versioned(document, row.stamp)


# What is sent


@extend_schema_field(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": FILES_MAX,
        "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "content": {"type": "string"}},
            "required": ["name", "content"],
            "additionalProperties": False,
        },
    }
)
class FileList(DeclaredField, serializers.ListField):
    """Files with their names, each as base64."""

    child = AnyObject()
    default_error_messages = dict.fromkeys(
        ("invalid", "null"),
        "{name} must be a list of objects of name and content, texts both.",
    )

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("invalid")
        for file in data:
            if not isinstance(file, dict) or set(file) != {"name", "content"}:
                self.fail("invalid")
            if not all(isinstance(text, str) for text in file.values()):
                self.fail("invalid")
        return data


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": [ALL]},
            {"type": "array", "items": {"type": "string"}},
        ]
    }
)
class TakeField(Texts):
    """The word all, or ids of units."""

    default_error_messages = {"invalid": '{name} must be "all" or a list of ids of units.'}

    def to_internal_value(self, data: Any) -> Any:
        return data if data == ALL else super().to_internal_value(data)


class FilesBody(Body):
    """Files of a game, and what is made of them."""

    files = FileList(".gst and .cat files, or zip files of them.")
    catalogue = Text(
        "Name or id of the one that becomes the list, where several could.",
        required=False,
        allow_null=True,
        max_length=NAME_MAX,
    )
    also = Texts("Names or ids of catalogues whose units join the list.", required=False)
    price_type = Text(
        "Id or name of the price that counts; null takes the usual one.",
        required=False,
        allow_null=True,
        max_length=NAME_MAX,
    )
    may_use = Flag("True: the club may use these files here.")


class NewerCatalogueBody(FilesBody):
    """Files of a game, a newer version of those a list was made of."""

    take = TakeField(
        "What is taken: all but what the club changed itself, or exactly these units.",
        required=False,
    )


class CatalogueBody(FilesBody):
    """Files of a game that become a list of the club."""

    collection = Text("Whose stat lines the list gets.", max_length=KEY_MAX)
    base = Text(
        "Key of the army that the list lies over.",
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
    )
    take = Texts("Ids of units that take the place of one of that army.", required=False)


def _read_draft(call: ApiCall, token: str = "") -> CatalogueDraft:
    """Return what the body asks for; raises Refusal."""
    body = call.body
    with refused_at("files"):
        files = tuple(
            (file["name"][:NAME_MAX], decoded(file["content"])) for file in body["files"]
        )
    return CatalogueDraft(
        files,
        body.get("collection", ""),
        body.get("catalogue") or "",
        token,
        may_use=body["may_use"],
        also=tuple(body.get("also", ())),
        price_type=body.get("price_type") or "",
        base=body.get("base") or "",
    )


# What it comes to


class CatalogueReportAnswer(Answer):
    """What a catalogue was translated to, what is doubtful and what was left out."""

    catalogue = AnyObject("Its id, name and revision.", allow_null=True)
    units: Any = Texts("As the document of the list has them.", child=AnyObject())
    limits: Any = Texts(child=AnyObject())
    equipment: Any = Texts("Lists that units share.", child=AnyObject())
    counts = AnyObject("Units, options, limits, doubts, dropped.")
    doubts: Any = Texts("Each with unit, what, why, figure.", child=AnyObject())
    dropped: Any = Texts("Each with what and count.", child=AnyObject())
    places: Any = Texts(
        "Units that may take an army's place, with both prices.",
        child=AnyObject(),
    )
    catalogues = Texts("Names of those in the files.")
    price_types: Any = Texts("Each with id and name.", child=AnyObject())
    missing = Texts("Names of files that others refer to. Nothing is made then.")


class MadeListAnswer(Answer):
    """A list that was made."""

    token = Text()
    report = CatalogueReportAnswer()


@extend_schema_field({"type": "object", "deprecated": True})
class DeprecatedObject(AnyObject):
    """Nothing: an empty object, for programs that read the key."""


class CatalogueDifferenceAnswer(Answer):
    """What a newer version changes."""

    difference = DeprecatedObject()
    kept_edits: Any = Texts(
        "Units that the club changed: they stay unless named.", child=AnyObject()
    )
    places: Any = Texts(child=AnyObject())
    warbands = Whole("That use the list; they keep what they paid.")
    missing = Texts()


BLANK: Fields = {
    "catalogue": None,
    "counts": {},
    **{key: [] for key in ("units", "limits", "doubts", "dropped", "places", "edits")},
}


def _build_report(call: ApiCall, record: SentCatalogue) -> Fields:
    """Return the report with the list's units, or what files are missing.

    Raises Refusal where the reading was refused for another reason.
    """
    if report := record.outcome.get("report"):
        document: Fields = record.document or {}
        if record.taken_at and record.army:
            document = dump(content.load_own(call.actor, str(record.army.token)).file)
        parts = {key: document.get(key, []) for key in ("units", "limits", "equipment")}
        return {**report, **parts}
    stopped = {"message": "The reading was stopped.", "field": "files"}
    refusal = record.outcome.get("refusal", stopped)
    offers = refusal.get("offers", {})
    if not offers.get("missing"):
        raise Refusal(refusal["message"], field=refusal["field"])
    return {**BLANK, "equipment": [], **refusal, **offers}


def _read(call: ApiCall, slug: str, draft: CatalogueDraft) -> SentCatalogue | Response:
    """Return what the files come to, or the job that reads them where that takes long."""
    token = send_catalogue(call.actor, slug, draft, key=call.key)
    job = live_job(load_sent(call.actor, slug, token))
    if job and not wait_until_over(job, WAIT_SECONDS):
        return Response(JobAnswer.show(shown_job(call, job)), status=202)
    return load_sent(call.actor, slug, token)


def _refuse_missing(report: Fields) -> None:
    if report["missing"]:
        names = ", ".join(report["missing"])
        raise WrongState(f"Files are missing: {names}. Nothing was made.")


# Calls


@Endpoint(
    "POST",
    CatalogueReportAnswer,
    CatalogueBody,
    refusals=(409, 422),
    parameters=(PREVIEW,),
    needs_person=True,
    takes_key=True,
    beside={201: MadeListAnswer, 202: JobAnswer},
)
def read_catalogue(call: ApiCall, slug: str) -> Any:
    """Read catalogues of another app, and make an army list of a club that you run.

    Where reading takes longer than 20 seconds the answer is its job. Ask again with the same
    Idempotency-Key once that is done.
    """
    record = _read(call, slug, _read_draft(call))
    if isinstance(record, Response):
        return record
    report = _build_report(call, record)
    if call.flag("preview"):
        return report
    _refuse_missing(report)
    choice = TakeChoice(tuple(call.body.get("take", ())))
    token = take_catalogue(call.actor, slug, record.token, choice)
    return Response(MadeListAnswer.show({"token": token, "report": report}), status=201)


@Endpoint(
    "POST",
    CatalogueDifferenceAnswer,
    NewerCatalogueBody,
    refusals=(409, 412, 422, 428),
    parameters=(PREVIEW_CHANGES, IF_MATCH),
    needs_person=True,
    takes_key=True,
    beside={202: JobAnswer},
)
def reread_catalogue(call: ApiCall, slug: str, token: str) -> Any:
    """Read a newer version of the catalogue that a list of a club that you run was made of.

    With ``take`` the changes are taken. Warbands keep the prices that they paid.
    """
    expected = seen_stamp(call.request)
    _, row = content.load_club_list(call.actor, slug, token)
    if expected not in ("*", row.stamp):
        raise Stale("record", row.stamp, expected, STALE)
    record = _read(call, slug, _read_draft(call, token))
    if isinstance(record, Response):
        return record
    report = _build_report(call, record)
    if "take" in call.body and not call.flag("preview"):
        _refuse_missing(report)
        take = call.body["take"]
        choice = TakeChoice() if take == ALL else TakeChoice(take, is_only=True)
        take_catalogue(call.actor, slug, record.token, choice)
    warbands = count_holders(token)
    return {**report, "difference": {}, "kept_edits": report["edits"], "warbands": warbands}


urlpatterns = [
    CATALOGUES.address(
        "clubs/<slug:slug>/catalogues/", read_catalogue, name="api-catalogues"
    ),
    LISTS.address("clubs/<slug:slug>/lists/", list_own_lists, name="api-own-lists"),
    LISTS.address(
        "clubs/<slug:slug>/lists/<slug:token>/", read_own_list, name="api-own-list"
    ),
    CATALOGUES.address(
        "clubs/<slug:slug>/lists/<slug:token>/catalogue/",
        reread_catalogue,
        name="api-own-list-catalogue",
    ),
]
