"""Answers about clubs' events: records as plain JSON. Nothing is worked out here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from battles.api.serializers import parse_int, text
from battles.models import CONFIRM_DAYS_MAX, NOTE_MAX, REASON_MAX
from campaigns.api.errors import flag, mapping, moment, texts
from campaigns.models import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    SEED_MAX,
    TABLES_MAX,
    EventKind,
    EventStatus,
    FixtureStatus,
    PairingMethod,
    RoundStatus,
)
from campaigns.models.leagues import PLACE_MAX, POINTS_MAX
from campaigns.operations.events import EventDraft
from campaigns.queries.records import ClubEventRecord, EntryRecord, EventRow
from campaigns.queries.schedule import ScheduledFixture, ScheduledRound
from campaigns.queries.standings import StandingRow, StandingsRecord
from engine.roster import MAX_LIMIT
from engine.tournament.tiebreaks import TIE_BREAKS
from engine.tournament.types import Scoring
from rulesdata.api import LIST_REFUSALS, REFUSAL, REFUSED
from warbands.models import KEY_MAX, NAME_MAX

_ROW = (
    "name",
    "kind",
    "status",
    "points_limit",
    "visibility",
    "entries",
    "round",
    "is_archived",
    "is_mine",
)
_SAME = (
    "version",
    "name",
    "description",
    "place",
    "kind",
    "method",
    "system",
    "odd",
    "visibility",
    "status",
    "points_limit",
    "legs",
    "rounds_planned",
    "tables",
    "confirm_days",
    "needs_list",
    "is_secret",
    "has_core",
    "is_archived",
    "may_organise",
    "updated_at",
)
_FIGURES = (
    "points",
    "played",
    "won",
    "drawn",
    "lost",
    "byes",
    "unplayed",
    "put_out",
    "models_lost",
    "points_destroyed",
)


def event_row(row: EventRow) -> dict[str, Any]:
    """An event in a list."""
    told = {name: getattr(row, name) for name in (*_ROW, "may_organise", "updated_at")}
    return {"id": row.token, "club": row.club_slug, **told}


def event(record: ClubEventRecord) -> dict[str, Any]:
    """An event with all it agrees on."""
    return {
        "id": record.token,
        "club": record.club_slug,
        **{name: getattr(record, name) for name in _SAME},
        "variant": record.variant or None,
        "scenarios": list(record.scenarios),
        "house_rules": dict(record.house_rules),
        "levels": dict(record.levels),
        "scoring": asdict(record.scoring),
        "tie_breaks": list(record.tie_breaks),
        "entry": record.mine or None,
    }


def entry(record: EntryRecord) -> dict[str, Any]:
    """Somebody in an event."""
    told = {
        name: getattr(record, name)
        for name in ("name", "is_guest", "is_mine", "is_dropped", "joined", "dropped")
    }
    return {"id": record.token, **told, "warband": record.warband or None, "army": record.army_name}


def round_row(record: ScheduledRound) -> dict[str, Any]:
    """A round without its fixtures."""
    same = ("number", "status", "points_limit", "starts_at", "lists_due_at", "published_at", "seed")
    told = {name: getattr(record, name) for name in same}
    return {**told, "name": record.title, "scenarios": list(record.scenarios)}


def fixture(record: ScheduledFixture) -> dict[str, Any]:
    """Who meets whom, and what it came to."""
    figures = [(record.out_one, record.destroyed_one), (record.out_other, record.destroyed_other)]
    pairs = zip((record.one, record.other), figures, strict=True)
    same = (
        "version",
        "table",
        "scenario_name",
        "reason",
        "status",
        "how",
        "is_friendly",
        "is_rematch",
    )
    return {
        "id": record.token,
        "round": record.round.number,
        **{name: getattr(record, name) for name in (*same, "plays_at", "played_at")},
        "entries": [_name(side) for side in record.sides],
        "attacker": _id(record.attacker),
        "scenario": record.scenario or None,
        "decision": record.decision or None,
        "winner": _id(record.winner),
        "figures": {
            side.token: {"out": out, "destroyed": gone}
            for side, (out, gone) in pairs
            if side is not None
        },
        "confirm_by": record.waits_until,
        "battle": record.battle or None,
    }


def standings(record: StandingsRecord) -> dict[str, Any]:
    """The table as it is now."""
    return {
        "event": record.event.token,
        "round": record.round,
        "tie_breaks": list(record.event.tie_breaks),
        "results": [_standing(row) for row in record.rows],
    }


def _standing(row: StandingRow) -> dict[str, Any]:
    line = row.standing
    return {
        "place": line.place,
        "moved": row.moved,
        **{name: getattr(line, name) for name in _FIGURES},
        "entry": _name(row.entry),
        "ties": list(line.ties),
        "explained": line.explained,
    }


def _name(record: EntryRecord) -> dict[str, str]:
    return {"id": record.token, "name": record.name}


def _id(record: EntryRecord | None) -> str | None:
    return None if record is None else record.token


TEXTS = ("name", "kind", "method", "system", "description", "place", "odd", "visibility")
WHOLES = ("legs", "rounds_planned", "tables", "confirm_days")
FLAGS = ("needs_list", "is_secret", "has_core")
LISTS = ("scenarios", "tie_breaks")
POINTS = ("win", "draw", "loss", "bye", "unplayed")
EVENT_KEYS = (
    *TEXTS,
    "variant",
    "points_limit",
    *WHOLES,
    *FLAGS,
    *LISTS,
    "house_rules",
    "levels",
    "scoring",
)
ROUND_KEYS = ("name", "points_limit", "scenarios", "starts_at", "lists_due_at")
FIGURES = ("out", "destroyed")


def draft_of(record: ClubEventRecord) -> EventDraft:
    """What an event agrees on now, to be changed."""
    known = {one.name for one in fields(EventDraft)}
    return EventDraft(**{name: getattr(record, name) for name in known})


def changed(draft: EventDraft, body: Mapping[str, Any]) -> EventDraft:
    """The draft with what the body says of it; raises 400."""
    return replace(draft, **read_event_body(body, draft.scoring))


def read_event_body(body: Mapping[str, Any], scoring: Scoring | None = None) -> dict[str, Any]:
    """The keys of an event that the body holds, as a draft takes them; raises 400."""
    _no_null(body, (*TEXTS, *WHOLES))
    read: dict[str, Any] = {name: text(body, name) for name in TEXTS if name in body}
    read |= {name: parse_int(body, name) for name in (*WHOLES, "points_limit") if name in body}
    read |= {name: flag(body, name) for name in FLAGS if name in body}
    read |= {name: texts(body, name) for name in LISTS if name in body}
    if "variant" in body:
        read["variant"] = text(body, "variant")
    if "house_rules" in body:
        read["house_rules"] = mapping(body, "house_rules", bool, "true and false")
    if "levels" in body:
        read["levels"] = mapping(body, "levels", str, "texts")
    if "scoring" in body:
        read["scoring"] = _scoring(body["scoring"], scoring or Scoring())
    return read


def planned_round(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``add_round`` that the body holds; raises 400."""
    read: dict[str, Any] = {"name": text(body, "name")} if "name" in body else {}
    if "points_limit" in body:
        read["points_limit"] = parse_int(body, "points_limit")
    if "scenarios" in body:
        read["scenarios"] = texts(body, "scenarios")
    return read | {
        name: moment(body, name) for name in ("starts_at", "lists_due_at") if name in body
    }


def report(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``report_result``; raises 400."""
    read: dict[str, Any] = {name: text(body, name) for name in ("winner", "how", "reason")}
    return read | {"figures": _figures(body["figures"]) if "figures" in body else {}}


def _scoring(value: Any, before: Scoring) -> Scoring:
    if not isinstance(value, Mapping) or not all(_is_whole(one) for one in value.values()):
        raise ValidationError({"scoring": ["scoring must be an object of whole numbers."]})
    for key in value:
        if key not in POINTS:
            raise ValidationError(
                {"scoring": [f"scoring has the keys {', '.join(POINTS)}, no other."]}
            )
    return replace(before, **value)


def _figures(value: Any) -> dict[str, dict[str, int | None]]:
    words = (
        f"figures must be an object of ids, each with {' and '.join(FIGURES)} as whole numbers "
        "or null."
    )
    if not isinstance(value, Mapping) or not all(
        isinstance(one, Mapping) for one in value.values()
    ):
        raise ValidationError({"figures": [words]})
    for one in value.values():
        if not all(
            name in FIGURES and (figure is None or _is_whole(figure))
            for name, figure in one.items()
        ):
            raise ValidationError({"figures": [words]})
    return {token: dict(one) for token, one in value.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _no_null(body: Mapping[str, Any], names: tuple[str, ...]) -> None:
    if nothing := [name for name in names if name in body and body[name] is None]:
        raise ValidationError(
            {name: [f"{name} must not be null: leave it out."] for name in nothing}
        )


TEXT, WHOLE, YES = serializers.CharField, serializers.IntegerField, serializers.BooleanField
MOMENT, LIST, ANY = serializers.DateTimeField, serializers.ListField, serializers.JSONField

TOKEN_PATTERN = {"type": "string", "pattern": "^[A-Za-z0-9_-]{16}$"}
EVENT = OpenApiParameter(
    "token", TOKEN_PATTERN, OpenApiParameter.PATH, description="The event's id."
)
FIXTURE = OpenApiParameter(
    "fixture", TOKEN_PATTERN, OpenApiParameter.PATH, description="The fixture's id."
)
NUMBER = OpenApiParameter(
    "number",
    {"type": "integer", "minimum": 1, "maximum": 32767},
    OpenApiParameter.PATH,
    description="The round's.",
)
KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="Sent again, it is done once."
)

NOT_THERE = OpenApiResponse(
    REFUSAL, description="There is no such thing, or it is not shared with the caller."
)
NOT_THEIRS = OpenApiResponse(
    REFUSAL, description="Not the caller's to do, or not among the scopes of the token."
)
READING: dict[Any, Any] = {404: NOT_THERE, 429: LIST_REFUSALS[429]}
WRITING: dict[Any, Any] = {
    400: REFUSED,
    403: NOT_THEIRS,
    **READING,
    409: OpenApiResponse(REFUSAL, description="It does not go with how things stand."),
    413: OpenApiResponse(REFUSAL, description="The body is too large."),
    415: OpenApiResponse(REFUSAL, description="The body is not sent as application/json."),
    422: OpenApiResponse(
        REFUSAL, description="The Idempotency-Key was used before for something else."
    ),
}
CHANGING: dict[Any, Any] = {
    **WRITING,
    412: OpenApiResponse(REFUSAL, description="It has changed since it was read."),
    428: OpenApiResponse(REFUSAL, description="If-Match is missing."),
}


def _one_of(values: list[str]) -> Any:
    """A text of an answer that is one of a few."""
    return TEXT(help_text=f"{', '.join(values)}.")


class ScoringDocument(serializers.Serializer[Any]):
    """Points for each kind of result."""

    win = WHOLE(required=False, min_value=-POINTS_MAX, max_value=POINTS_MAX)
    draw = WHOLE(required=False, min_value=-POINTS_MAX, max_value=POINTS_MAX)
    loss = WHOLE(required=False, min_value=-POINTS_MAX, max_value=POINTS_MAX)
    bye = WHOLE(required=False, min_value=-POINTS_MAX, max_value=POINTS_MAX)
    unplayed = WHOLE(required=False, min_value=-POINTS_MAX, max_value=POINTS_MAX)


class EventChange(serializers.Serializer[Any]):
    """What an event agrees on. Any other key is refused, and what is left out stays as it is."""

    name = TEXT(required=False, max_length=EVENT_NAME_MAX)
    kind = serializers.ChoiceField(required=False, choices=EventKind.values)
    method = serializers.ChoiceField(required=False, choices=PairingMethod.values)
    system = TEXT(required=False, max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = TEXT(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Needed where the system has some.",
    )
    points_limit = WHOLE(required=False, allow_null=True, min_value=0, max_value=MAX_LIMIT)
    description = TEXT(required=False, allow_blank=True, max_length=NOTE_MAX)
    place = TEXT(required=False, allow_blank=True, max_length=PLACE_MAX)
    legs = WHOLE(required=False, min_value=1, max_value=2, help_text="Of a round robin.")
    rounds_planned = WHOLE(
        required=False, min_value=0, max_value=ROUNDS_MAX, help_text="0 is open-ended."
    )
    odd = TEXT(required=False, help_text="bye or three: what becomes of whoever is left over.")
    tables = WHOLE(
        required=False, min_value=0, max_value=TABLES_MAX, help_text="0 is as many as are needed."
    )
    visibility = TEXT(required=False, help_text="club, link or public.")
    scenarios = LIST(
        child=TEXT(max_length=KEY_MAX), required=False, help_text="Keys that fixtures draw from."
    )
    house_rules = serializers.DictField(
        child=YES(), required=False, help_text="Switches of the system, by key."
    )
    levels = serializers.DictField(
        child=TEXT(), required=False, help_text="A guideline's code to error, warning, note or off."
    )
    needs_list = YES(required=False)
    is_secret = YES(required=False, help_text="Lists are shown to others once they are published.")
    has_core = YES(
        required=False, help_text="No warrior of the last list may be missing from the next."
    )
    scoring = ScoringDocument(required=False)
    tie_breaks = LIST(child=serializers.ChoiceField(choices=list(TIE_BREAKS)), required=False)
    confirm_days = WHOLE(required=False, min_value=1, max_value=CONFIRM_DAYS_MAX)


class EventDocument(EventChange):
    """A league, club night or campaign to make. Any other key is refused."""

    club = TEXT(help_text="Address (slug) of a club that the caller runs.")
    name = TEXT(max_length=EVENT_NAME_MAX)
    kind = serializers.ChoiceField(choices=EventKind.values)
    method = serializers.ChoiceField(choices=PairingMethod.values)
    system = TEXT(max_length=KEY_MAX, help_text="Key of a rule system.")


class EventRowAnswer(serializers.Serializer[Any]):
    """An event in a list."""

    id = TEXT()
    name = TEXT()
    club = TEXT()
    kind = serializers.ChoiceField(choices=EventKind.values)
    status = _one_of(EventStatus.values)
    points_limit = WHOLE(allow_null=True)
    visibility = TEXT()
    entries = WHOLE(help_text="Those who have not dropped out.")
    round = WHOLE(help_text="The latest that is published, 0 before any is.")
    is_archived = YES()
    is_mine = YES(help_text="The caller is entered.")
    may_organise = YES()
    updated_at = MOMENT()


EVENT_ANSWER = inline_serializer(
    "LeagueAnswer",
    {
        "id": TEXT(),
        "version": WHOLE(help_text="Also in the header ETag."),
        **{name: TEXT(allow_blank=True) for name in ("name", "description", "place")},
        **{name: TEXT() for name in ("club", "method", "system", "odd", "visibility")},
        "kind": serializers.ChoiceField(choices=EventKind.values),
        "status": _one_of(EventStatus.values),
        "variant": TEXT(allow_null=True),
        "points_limit": WHOLE(allow_null=True),
        **{name: WHOLE() for name in ("legs", "rounds_planned", "tables", "confirm_days")},
        "scenarios": LIST(child=TEXT()),
        "house_rules": serializers.DictField(child=YES()),
        "levels": serializers.DictField(child=TEXT()),
        **{
            name: YES()
            for name in ("needs_list", "is_secret", "has_core", "is_archived", "may_organise")
        },
        "scoring": serializers.DictField(child=WHOLE()),
        "tie_breaks": LIST(child=TEXT()),
        "entry": TEXT(allow_null=True, help_text="The caller's own entry."),
        "updated_at": MOMENT(),
    },
)


class EntryDocument(serializers.Serializer[Any]):
    """Somebody to enter: a guest by name, or with ``me`` the caller. Any other key is refused."""

    name = TEXT(required=False, allow_blank=True, max_length=NAME_MAX)
    me = YES(
        required=False, default=False, help_text="Enters the caller; a name may be left out then."
    )
    warband = TEXT(required=False, allow_blank=True, help_text="The id of what they mean to bring.")


class EntryAnswer(serializers.Serializer[Any]):
    """Somebody in an event."""

    id = TEXT()
    name = TEXT()
    is_guest = YES()
    is_mine = YES()
    is_dropped = YES()
    joined = WHOLE(help_text="The round they are paired from.")
    dropped = WHOLE(allow_null=True, help_text="The first round they are not paired in.")
    warband = TEXT(
        allow_null=True, help_text="What they mean to bring, where the caller may open it."
    )
    army = TEXT(allow_blank=True)


class RoundDocument(serializers.Serializer[Any]):
    """A round to plan. Any other key is refused."""

    name = TEXT(required=False, allow_blank=True, max_length=NAME_MAX)
    points_limit = WHOLE(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_LIMIT,
        help_text="Null is as the event says.",
    )
    scenarios = LIST(
        child=TEXT(max_length=KEY_MAX), required=False, help_text="Empty is as the event says."
    )
    starts_at = MOMENT(required=False, allow_null=True)
    lists_due_at = MOMENT(required=False, allow_null=True)


class RoundStep(serializers.Serializer[Any]):
    """What a step of a round takes. Any other key is refused."""

    seed = TEXT(
        required=False,
        allow_blank=True,
        max_length=SEED_MAX,
        help_text="To draw: the same seed, the same pairs.",
    )


class EntryName(serializers.Serializer[Any]):
    """An entry, by id and name."""

    id = TEXT()
    name = TEXT()


FIXTURE_FIELDS: dict[str, Any] = {
    "id": TEXT(),
    "version": WHOLE(help_text="Also in the header ETag of the fixture."),
    "round": WHOLE(),
    "table": WHOLE(allow_null=True),
    "entries": EntryName(many=True, help_text="Who meets whom; one alone has a bye."),
    "attacker": TEXT(allow_null=True, help_text="Id of an entry."),
    "scenario": TEXT(allow_null=True),
    "scenario_name": TEXT(allow_blank=True),
    "reason": TEXT(allow_blank=True, help_text="Why they were paired."),
    "status": _one_of(FixtureStatus.values),
    "decision": TEXT(
        allow_null=True, help_text="unplayed or walkover, where an organiser decided it."
    ),
    "winner": TEXT(allow_null=True, help_text="Id of an entry; null in a final one is a draw."),
    "how": TEXT(allow_blank=True),
    "figures": serializers.DictField(
        child=ANY(), help_text="By entry: out (models lost), destroyed (points)."
    ),
    "is_friendly": YES(help_text="It does not count."),
    "is_rematch": YES(),
    "plays_at": MOMENT(allow_null=True),
    "played_at": MOMENT(allow_null=True),
    "confirm_by": MOMENT(allow_null=True, help_text="When silence confirms it."),
    "battle": TEXT(allow_null=True, help_text="The id of the battle that holds its result."),
}
FIXTURE_ANSWER = inline_serializer("FixtureAnswer", {**FIXTURE_FIELDS, "event": TEXT()})
ROUND_FIELDS: dict[str, Any] = {
    "number": WHOLE(),
    "name": TEXT(),
    "status": _one_of(RoundStatus.values),
    "points_limit": WHOLE(allow_null=True),
    "scenarios": LIST(child=TEXT()),
    "starts_at": MOMENT(allow_null=True),
    "lists_due_at": MOMENT(allow_null=True),
    "published_at": MOMENT(allow_null=True),
    "seed": TEXT(allow_blank=True, help_text="For organisers."),
}
ROUND_ROW = inline_serializer("RoundRowAnswer", ROUND_FIELDS, many=True)
ROUND_ANSWER = inline_serializer(
    "RoundAnswer",
    {**ROUND_FIELDS, "fixtures": inline_serializer("RoundFixture", FIXTURE_FIELDS, many=True)},
)


class FiguresDocument(serializers.Serializer[Any]):
    """What one entry lost and destroyed."""

    out = WHOLE(required=False, allow_null=True, min_value=0)
    destroyed = WHOLE(required=False, allow_null=True, min_value=0)


class ReportDocument(serializers.Serializer[Any]):
    """How a fixture ended. Any other key is refused."""

    winner = TEXT(required=False, allow_null=True, help_text="Id of an entry; null for nobody.")
    how = TEXT(
        help_text="An ending of the system, such as rout, objective, conceded, time or drawn."
    )
    figures = serializers.DictField(
        child=FiguresDocument(),
        required=False,
        help_text="By entry; they count where nobody recorded who went out.",
    )
    reason = TEXT(
        required=False, allow_blank=True, max_length=REASON_MAX, help_text="Needed to correct."
    )


REPORTED = inline_serializer(
    "Reported",
    {
        "battle": TEXT(),
        "status": TEXT(),
        "number": WHOLE(help_text="How many steps the result has."),
    },
)
STANDINGS = inline_serializer(
    "StandingsAnswer",
    {
        "event": TEXT(),
        "round": WHOLE(help_text="The latest that counts, 0 before any does."),
        "tie_breaks": LIST(child=TEXT()),
        "results": inline_serializer(
            "StandingRow",
            {
                "place": WHOLE(help_text="Those who are level in everything share one."),
                "moved": WHOLE(allow_null=True, help_text="Places risen since the round before."),
                "entry": EntryName(),
                **{
                    name: WHOLE()
                    for name in ("points", "played", "won", "drawn", "lost", "byes", "unplayed")
                },
                **{name: WHOLE() for name in ("put_out", "models_lost", "points_destroyed")},
                "ties": LIST(
                    child=TEXT(), help_text="What each tie-break comes to, in their order."
                ),
                "explained": TEXT(
                    allow_blank=True, help_text="Why this line stands where it does."
                ),
            },
            many=True,
            max_length=ENTRIES_MAX,
        ),
    },
)
