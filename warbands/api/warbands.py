"""Stored warbands for programs: list, create, read, replace, change, delete."""

from typing import Any

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Section,
    Versioned,
    choice_in_query,
    found,
    token_in_path,
)
from accounts.api.serializers import (
    Answer,
    Body,
    Flag,
    Joined,
    Moment,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
)
from accounts.errors import Refusal
from accounts.models import CLUB_NAME_MAX, Scope
from accounts.queries import load_club
from engine.roster import MAX_LIMIT
from warbands.api.rosters import CheckAnswer, RosterDocument
from warbands.exchange.document import to_document
from warbands.models import KEY_MAX, NAME_MAX, NOTE_MAX, WarbandVisibility
from warbands.operations import warbands as op
from warbands.operations.transaction import WriteContext
from warbands.queries.lists import warbands_of
from warbands.queries.warbands import check_warband, load_warband

WARBANDS = Section(
    "warbands", noun="warband", scope=Scope.WARBANDS, fields={"club_id": "club"}
)
ID = token_in_path("token", "The warband's id.")
ARCHIVED = choice_in_query("archived", FLAG)
CHANGE: dict[str, Any] = {
    "parameters": (ID,),
    "needs_person": True,
    "needs_version": True,
}


# Answers and bodies


class WarbandRowAnswer(Answer):
    """A warband in a list."""

    id = Text(source="token")
    name = Text()
    system = Text()
    variant = Text(allow_null=True)
    army = Text()
    points = Whole()
    points_limit = Whole(allow_null=True)
    models = Whole()
    errors = Whole()  # type: ignore[assignment]  # a key of ours, not the framework's attribute
    warnings = Whole()
    visibility = Text(help_text="private, link, club or public.")
    in_campaign = Flag(
        source="is_grown", help_text="The copy that a campaign has of a roster."
    )
    updated_at = Moment()


class WarbandAnswer(Answer):
    """A warband: its document, and what that comes to."""

    id = Text(source="token")
    version = Whole(help_text="Also in the header ETag.")
    visibility = Text(help_text="private, link, club or public.")
    club = Text(
        allow_null=True,
        help_text="Address (slug) of the club it is shared with; its owner's.",
    )
    is_archived = Flag()
    is_mine = Flag()
    roster = RosterDocument()
    check = CheckAnswer()


class WarbandBody(Body):
    """What is to change of a warband; what is left out stays. Any other key is refused."""

    visibility = OneOf(refuses_null=True, choices=WarbandVisibility.values)
    club = Text(
        allow_null=True,
        max_length=CLUB_NAME_MAX,
        help_text="Address (slug) of a club that the caller belongs to; null is none.",
    )
    archived = Flag(
        help_text="true archives it, false takes it back. Send it without other keys."
    )
    name = Text(refuses_null=True, max_length=NAME_MAX)
    points_limit = Whole(allow_null=True, min_value=0, max_value=MAX_LIMIT)
    scenario = Text(allow_null=True, max_length=KEY_MAX)
    house_rules = ObjectOf(child=Flag(), help_text="Switches of the system, by key.")
    tags = Texts(child=Text(max_length=KEY_MAX), help_text="Tags of the system.")
    note = Text(refuses_null=True, max_length=NOTE_MAX)


class MadeWarbandAnswer(Answer):
    """Where a warband stands that was stored."""

    id = Text(source="token")
    version = Whole()


# Reading and adding


@Endpoint("GET", WarbandRowAnswer, parameters=(ARCHIVED,), is_paged=True, needs_person=True)
def list_warbands(call: ApiCall) -> Any:
    """List your warbands, newest first."""
    return warbands_of(call.actor, archived=call.flag("archived"), **call.page)


@Endpoint(
    "POST",
    MadeWarbandAnswer,
    request=RosterDocument,
    status=201,
    refusals=(422,),
    needs_person=True,
    takes_key=True,
)
def add_warband(call: ApiCall) -> Versioned:
    """Create a private warband from a roster."""
    done = op.import_document(WriteContext(call.actor, key=call.key), call.data)
    return Versioned(done, done.version)


@Endpoint("GET", WarbandAnswer, parameters=(ID,))
def read_warband(call: ApiCall, token: str) -> Versioned:
    """Read a warband that you can open: its roster, price and issues."""
    return _warband(call, token)


def _warband(call: ApiCall, token: str) -> Versioned:
    record = found("warband", load_warband(call.actor, token))
    is_mine = record.owner_id is not None and record.owner_id == call.actor.user_id
    answer = Joined(
        record,
        is_mine=is_mine,
        # Whom it is shared with is its owner's to know.
        club=record.club_slug if is_mine else "",
        roster=to_document(record.roster),
        check=check_warband(record),
    )
    return Versioned(answer, record.version)


@Endpoint(
    "PUT",
    MadeWarbandAnswer,
    request=RosterDocument,
    **CHANGE,
)
def replace_roster(call: ApiCall, token: str) -> Versioned:
    """Replace the roster of a warband.

    System, variant and army must be the warband's own.
    """
    done = op.replace_roster(WriteContext(call.actor, token, call.version), call.data)
    return Versioned(done, done.version)


@Endpoint(
    "PATCH",
    WarbandAnswer,
    WarbandBody,
    **CHANGE,
)
def change_warband(call: ApiCall, token: str) -> Versioned:
    """Change who can see a warband, its name and its settings, or archive it and take it back.

    `replace_roster` changes its models.
    """
    context, changes = WriteContext(call.actor, token, call.version), {**call.body}
    if "archived" in changes:
        # A warband in the archive takes no other change, so both would be half refused.
        if len(changes) > 1:
            sentence = (
                "archived stands alone: send the other changes in a call of their own."
            )
            raise Refusal(sentence, field="archived")
        move = op.archive_warband if changes["archived"] else op.restore_warband
        move(context)
        return _warband(call, token)
    if "club" in changes:
        slug = changes.pop("club")
        club = load_club(call.actor, slug) if slug and "\0" not in slug else None
        if slug and club is None:
            raise Refusal("Choose one of the clubs you belong to.", field="club")
        changes["club_id"] = club.id if club else None
    op.change_warband(context, **changes)
    return _warband(call, token)


@Endpoint(
    "POST",
    WarbandAnswer,
    refusals=(422,),
    takes_key=True,
    **CHANGE,
)
def acknowledge_figures(call: ApiCall, token: str) -> Versioned:
    """Acknowledge the uncertain figures of a warband. They are notes until another one joins."""
    op.acknowledge_figures(WriteContext(call.actor, token, call.version, call.key))
    return _warband(call, token)


@Endpoint(
    "DELETE",
    WarbandAnswer,
    **CHANGE,
)
def withdraw_acknowledgement(call: ApiCall, token: str) -> Versioned:
    """Withdraw the acknowledgement of uncertain figures. They are warnings again."""
    op.withdraw_acknowledgement(WriteContext(call.actor, token, call.version))
    return _warband(call, token)


@Endpoint(
    "DELETE",
    None,
    status=204,
    **CHANGE,
)
def delete_warband(call: ApiCall, token: str) -> None:
    """Delete a warband and its history. Battles keep their copies of it."""
    op.delete_seen_warband(WriteContext(call.actor, token, call.version))


urlpatterns = [
    WARBANDS.address("warbands/", list_warbands, add_warband, name="api-warbands"),
    WARBANDS.address(
        "warbands/<str:token>/",
        read_warband,
        replace_roster,
        change_warband,
        delete_warband,
        name="api-warband",
    ),
    WARBANDS.address(
        "warbands/<str:token>/figures/",
        acknowledge_figures,
        withdraw_acknowledgement,
        name="api-warband-figures",
    ),
]
