"""Lists of a round for programs: handed in, read, unlocked, revealed; and waivers."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import ApiCall, Endpoint, found
from accounts.api_tokens.http import page_of_rows
from accounts.owner import Owner
from battles.models import WORD_MAX
from campaigns.api import serializers
from campaigns.api.views import LEAGUES, WRITING
from campaigns.operations import round_lists as op
from campaigns.operations.log import ChangeRequest
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.round_lists import ListLine, load_lists, load_shown_document
from campaigns.queries.waivers import WaiverRow, load_waivers

LISTS = replace(LEAGUES, noun="list")
LOCKING = {"unlock": True, "lock": False}
OF_ROUND = (serializers.EVENT, serializers.NUMBER)
OF_LIST = (*OF_ROUND, serializers.ENTRY)
OF_ENTRY = (serializers.EVENT, serializers.ENTRY)
LOCK = OpenApiParameter(
    "lock", {"type": "string", "enum": list(LOCKING)}, OpenApiParameter.PATH
)
GUIDELINE = OpenApiParameter(
    "guideline",
    {"type": "string", "pattern": "^[a-z0-9._-]+$", "maxLength": WORD_MAX},
    OpenApiParameter.PATH,
    description="The code of a guideline.",
)


@Endpoint("GET", serializers.ListRowAnswer, parameters=OF_ROUND, is_paged=True)
def list_round_lists(call: ApiCall, token: str, number: int) -> Any:
    """List who has handed in a list for a round. A secret list is only named."""
    asked = call.page
    return page_of_rows(_lines(call.actor, _event(call, token), number), **asked)


@Endpoint(
    "POST",
    serializers.HandedInAnswer,
    serializers.HandInBody,
    **WRITING,
    parameters=OF_ROUND,
)
def hand_in_list(call: ApiCall, token: str, number: int) -> op.HandedIn:
    """Hand in a warband as your list of a round, or as an organiser somebody's.

    It replaces the list that was handed in before. Issues do not keep it out.
    """
    return op.hand_in_list(ChangeRequest(call.actor, token), number, **call.body)


@Endpoint("GET", serializers.ListAnswer, parameters=OF_LIST)
def read_round_list(call: ApiCall, token: str, number: int, entry: str) -> Any:
    """Read a list as it was handed in, where it is yours or revealed."""
    event = _event(call, token)
    roster = found("list", load_shown_document(call.actor, event, number, entry))
    return {"entry": entry, "roster": roster}


@Endpoint(
    "POST",
    serializers.ListRowAnswer,
    **WRITING,
    parameters=(*OF_LIST, LOCK),
)
def unlock_round_list(
    call: ApiCall, token: str, number: int, entry: str, lock: str
) -> ListLine:
    """Let one player hand in another list after the deadline as an organiser, or lock it again."""
    asked, is_unlocked = ChangeRequest(call.actor, token), LOCKING[lock]
    op.unlock_list(asked, number, entry, is_unlocked=is_unlocked)
    lines = _lines(call.actor, _event(call, token), number)
    return found("list", next((line for line in lines if line.entry == entry), None))


@Endpoint("GET", serializers.WaiverAnswer, parameters=OF_ENTRY, is_paged=True)
def list_waivers(call: ApiCall, token: str, entry: str) -> Any:
    """List what was waived for a player, the latest first, also what was revoked."""
    asked = call.page
    return page_of_rows(load_waivers(*_entry(call, token, entry)), **asked)


@Endpoint(
    "POST",
    serializers.WaiverAnswer,
    serializers.WaiverBody,
    status=201,
    **WRITING,
    parameters=OF_ENTRY,
)
def add_waiver(call: ApiCall, token: str, entry: str) -> WaiverRow:
    """Waive a guideline for a player as an organiser, in every round that is not closed."""
    asked = ChangeRequest(call.actor, token, reason=call.body["reason"])
    op.waive(asked, entry, call.body["code"])
    return load_waivers(*_entry(call, token, entry))[0]


@Endpoint(
    "DELETE",
    None,
    status=204,
    refusals=(404, 409),
    needs_person=True,
    parameters=(*OF_ENTRY, GUIDELINE),
)
def revoke_waiver(call: ApiCall, token: str, entry: str, guideline: str) -> None:
    """Revoke a waiver as an organiser. It can still be read."""
    op.revoke_waiver(ChangeRequest(call.actor, token), entry, guideline)


def _event(call: ApiCall, token: str) -> ClubEventRecord:
    return found("event", load_event(call.actor, token))


def _lines(actor: Owner, event: ClubEventRecord, number: int) -> tuple[ListLine, ...]:
    return found("round", load_lists(actor, event, number)).lines


def _entry(call: ApiCall, token: str, entry: str) -> tuple[ClubEventRecord, EntryRecord]:
    event = _event(call, token)
    return event, found("entry", load_entry(call.actor, event, entry))


ROUND = "events/<str:token>/rounds/<int:number>/lists/"
ENTRY = "events/<str:token>/entries/<str:entry>/waivers/"
urlpatterns = [
    LISTS.address(ROUND, list_round_lists, hand_in_list, name="api-event-lists"),
    LISTS.address(
        f"{ROUND}<str:entry>/<str:lock>/", unlock_round_list, name="api-event-list-lock"
    ),
    LISTS.address(f"{ROUND}<str:entry>/", read_round_list, name="api-event-list"),
    LEAGUES.address(ENTRY, list_waivers, add_waiver, name="api-event-waivers"),
    LEAGUES.address(f"{ENTRY}<str:guideline>/", revoke_waiver, name="api-event-waiver"),
]
