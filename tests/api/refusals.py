"""Faulty calls of the API, found in what its document promises, and their answers in words that
stay the same.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Membership, Scope
from accounts.owner import Owner
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import print_round
from campaigns.operations.seasons import SeasonDraft, create_season
from config.api.errors import CODES
from jobs.models import Job
from tests.campaigns.leagues import League, make_league, make_round
from tests.campaigns.results import put_up
from tests.factories import (
    SYSTEM,
    make_duel,
    make_event,
    make_legal_warband,
    make_person,
    make_user,
)
from tests.rulesdata.own_lists import make_list

Json = dict[str, Any]
Path = tuple[str | int, ...]
MISSING = object()
BODY_MAX = 1_048_576
UNKNOWN = "unknown"
DEEP = 3
"""How many names a path has before it counts as deep."""

# --- Where it is called ---------------------------------------------------------------------------------------------


@dataclass
class World:
    """A league, a battle and a warband, and whose programs may call about them."""

    league: League
    headers: dict[str, dict[str, str]]
    names: dict[str, str]
    warband: Any
    battle: Any
    fixture: Any
    people: dict[str, Owner]
    own: Any
    job: Any
    season: str

    def arguments(self, address: str) -> dict[str, str]:
        """What stands in an address where it names something that is there."""
        tokens = {
            "battles": self.battle,
            "warbands": self.warband,
            "events": self.league.event,
            "clubs": self.own,
            "jobs": self.job,
        }
        part = address.removeprefix("/api/v1/").split("/")[0]
        row = tokens.get(part)
        return {
            "token": row.token if row else "",
            "slug": self.league.club.slug,
            "fixture": self.fixture.token,
            "entry": self.league.entry("Ada").token,
            "member": str(
                Membership.objects.get(
                    club=self.league.club, user_id=self.people["opponent"].user_id
                ).pk
            ),
            "number": "1",
            "season": self.season,
            "guideline": "type.cavalry",
            "key": SYSTEM,
        }


def make_world() -> World:
    """Olga runs a league; Ada and Ben are in it, meet in its first round, and fight a battle of
    their own.
    """
    olga = make_person(user=make_user(name="Olga"))
    league = make_league(players=4, organiser=olga, with_warbands=True, name="Winter cup")
    (fixture, _) = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    make_round(league)
    ada, ben = league.player("Ada"), league.player("Ben")
    people = {
        "organiser": olga,
        "player": ada,
        "opponent": ben,
        "stranger": make_person(user=make_user(name="Sam")),
    }
    headers = {name: bearer(person, Scope.values) for name, person in people.items()}
    headers |= {
        "program that only reads": bearer(ada, []),
        "nobody": {},
        "unknown token": {"Authorization": "Bearer nothing"},
        "another scheme": {"Authorization": "Basic YTpi"},
    }
    world = World(
        league=league,
        headers=headers,
        names={},
        warband=make_legal_warband(actor=ada, name="The Ferrymen", visibility="link"),
        battle=make_duel(ada=ada, ben=ben),
        fixture=fixture,
        people=people,
        own=make_list(club=league.club, actor=olga),
        job=Job.objects.get(
            token=print_round(ChangeRequest(olga, league.token), 1, site="")
        ),
        season=create_season(olga, league.club.slug, SeasonDraft("2026")),
    )
    world.names = names_of(world)
    return world


def bearer(person: Owner, scopes: Sequence[str]) -> dict[str, str]:
    text = make_token(person.user_id or 0, name="-", scopes=scopes).text
    return {"Authorization": f"Bearer {text}"}


def names_of(world: World) -> dict[str, str]:
    """What differs from run to run, and what stands for it."""
    named = {
        world.league.token: "<event>",
        world.warband.token: "<warband>",
        world.battle.token: "<battle>",
        world.battle.key: "<key>",
        world.fixture.token: "<fixture>",
        world.own.token: "<list>",
        world.job.token: "<job>",
        world.season: "<season>",
    }
    return named | {entry.token: f"<{entry.name}>" for entry in world.league.entries}


Before = Callable[[World], object]
"""Changes the world before a call."""

# --- What is called -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """One call.

    ``headers`` go beside the caller's; ``body`` None sends none, a text goes as it is.
    """

    method: str
    address: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    caller: str = "organiser"
    content_type: str = "application/json"

    def changed(self, **fields: Any) -> Call:
        return Call(**{**self.__dict__, **fields})


def send(call: Call, world: World, before: Before | None = None) -> str:
    """The answer in words that stay the same. Nothing the call did is kept."""
    cache.clear()  # no limit on how often one may ask
    with transaction.atomic():
        if before is not None:
            before(world)
        client = Client(raise_request_exception=False)
        headers = {**world.headers[call.caller], **call.headers}
        body = call.body if isinstance(call.body, str | bytes) else json.dumps(call.body)
        data = "" if call.body is None else body
        answer = client.generic(
            call.method, call.address, data, content_type=call.content_type, headers=headers
        )
        transaction.set_rollback(True)
    return told(answer, world)


def told(answer: Any, world: World) -> str:
    """The status alone of a success; else the fields that are at fault, and the code where it is not
    the usual one of its status.
    """
    if answer.status_code < 400:
        return f"{answer.status_code} {of_events(answer)}".strip()
    body = answer.json()
    code, fields = body["code"], [error["field"] for error in body["errors"]]
    words = [
        str(answer.status_code),
        *([code] if code != CODES[answer.status_code] else []),
    ]
    return " ".join([*words, *(f"[{name}]" for name in fields if name)])


def steady(text: str, world: World) -> str:
    for found, name in world.names.items():
        text = text.replace(found, name)
    return text


def of_events(answer: Any) -> str:
    """What a batch of events was told event by event, for a bad one spoils no other; "" for other
    answers.
    """
    if not answer.get("Content-Type", "").startswith("application/json"):
        return ""
    events = answer.json().get("events")
    if not isinstance(events, list) or not all("status" in one for one in events):
        return ""
    return " | ".join(
        f"{one['status']} {one.get('reason') or ''}".strip() for one in events
    )


# --- Faults of a body -----------------------------------------------------------------------------------------------

WRONG: Mapping[str, Any] = {
    "missing": MISSING, "null": None, "true": True, "0": 0, "-1": -1, "1.5": 1.5,
    "a large number": 2_000_000_000, "a huge number": 10**19, "a figure as text": "1",
    "a word": "nonsense", "an empty text": "", "spaces": "  ", "two lines": "a\nb",
    "a turned text": "a\u202eb", "a NUL": "a\x00b", "a long text": "x" * 5001,
    "an empty list": [], "a list of 1": [1], "a list of null": [None],
    "a list of words": ["nonsense", "nonsense"], "an empty object": {},
    "an object of 1": {"x": 1},
}  # fmt: skip
FEW = ("missing", "null", "true", "-1", "a word", "a list of 1", "an object of 1")
RAW: Mapping[str, str | bytes] = {
    "nothing": b"", "no JSON": "name: x", "cut short": '{"name": "x"', "null": "null",
    "a list": "[]", "a text": '"x"', "a number": "1",
    "a key twice": '{"name": "x", "name": "y"}', "NaN": '{"name": NaN}',
    "a number of 30 digits": '{"name": ' + "9" * 30 + "}",
    "a number too large": '{"name": 1e999}',
    "40 levels": '{"name": ' + "[" * 40 + "]" * 40 + "}", "no UTF-8": b'{"name": "\xff"}',
    "half a pair": '{"name": "\\ud800"}',
    "too many bytes": '{"name": "' + "x" * BODY_MAX + '"}',
}  # fmt: skip
TYPES = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "",
)  # fmt: skip


def faulty_bodies(
    schema: Json, body: Any, labels: Sequence[str], deep: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Each body with one fault, and what it is: a key of the schema or the body with another value,
    a key too many.

    ``labels`` of `WRONG` are tried on the keys, ``deep`` of them on what is three levels down.
    """
    for path, known in places(schema, body):
        tried = labels if len(path) <= DEEP else deep
        for label, value in {
            **{name: WRONG[name] for name in tried},
            **beyond(known),
        }.items():
            if value is not MISSING or has(body, path):
                yield f"{dotted(path)} is {label}", with_value(body, path, value)
    for path in objects(body):
        yield f"{dotted((*path, UNKNOWN))} is there", with_value(body, (*path, UNKNOWN), 1)


def places(schema: Json, value: Any, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """The path of every key and item, of the schema or of the value, with what the schema says of
    it.
    """
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key in [*known, *(key for key in value if key not in known)]:
            inner = known.get(key, {})
            yield (*path, key), inner
            yield from places(inner, value.get(key), (*path, key))
    elif isinstance(value, list):
        for index, one in enumerate(value[:3]):
            inner = schema.get("items", {})
            yield (*path, index), inner
            yield from places(inner, one, (*path, index))


def objects(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        if isinstance(one, dict | list):
            yield from objects(one, (*path, key))


def beyond(schema: Json) -> dict[str, Any]:
    """What is just outside the limits that the schema names, and just inside."""
    found: dict[str, Any] = {}
    if "maxLength" in schema:
        found["a letter too long"] = "x" * (schema["maxLength"] + 1)
        found["as long as can be"] = "x" * schema["maxLength"]
    for name, step in (("minimum", -1), ("maximum", 1)):
        if name in schema:
            found[f"beyond its {name}"] = schema[name] + step
            found[f"its {name}"] = schema[name]
    if "maxItems" in schema:
        found["a list too long"] = ["x"] * (schema["maxItems"] + 1)
    return found


def has(body: Any, path: Path) -> bool:
    for key in path:
        is_there = key in body if isinstance(body, dict) else isinstance(body, list)
        if not is_there:
            return False
        body = body[key]
    return True


def with_value(body: Any, path: Path, value: Any) -> Any:
    whole = copy.deepcopy(body)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    if value is MISSING:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return whole


def dotted(path: Path) -> str:
    return ".".join(map(str, path))


# --- States ---------------------------------------------------------------------------------------------------------


def put(model: str, find: Callable[[World], Json], **columns: Any) -> Before:
    """Put columns on the rows found, whatever the rules say."""

    def run(world: World) -> object:
        return apps.get_model(model).objects.filter(**find(world)).update(**columns)

    return run


def first(*calls: Callable[[World], Call]) -> Before:
    def run(world: World) -> object:
        for make in calls:
            call = make(world)
            headers = {**world.headers[call.caller], **call.headers}
            answer = Client().generic(
                call.method,
                call.address,
                json.dumps(call.body),
                content_type=call.content_type,
                headers=headers,
            )
            assert answer.status_code < 400, (call, answer.content)
        return None

    return run


def event_of(kind: str, payload: Json, seq: int = 1) -> Json:
    number = f"00000000-0000-4000-8000-{seq:012}"
    return {**make_event(kind, seq=seq, id=number), "payload": payload}
