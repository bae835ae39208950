"""No form writes what it does not show: whatever else is sent along changes nothing."""

import pkgutil
import re
from importlib import import_module
from typing import Any

import pytest
from django import forms
from django.core.cache import cache
from rest_framework import serializers

import accounts
import battles
import campaigns
import clubs
import notices
import rulesdata
import warbands
import warbands.api.rosters
from battles.api import serializers as shapes
from tests.guards.cast import World
from tests.guards.forms import KEEPING, Form, send
from tests.guards.watching import peoples_models, rows, taken_back
from warbands.api.rosters import RosterDocument, WarriorDocument

pytestmark = pytest.mark.django_db

# Different each time, whoever sends it.
NEVER_THE_SAME = {
    "id", "token", "key", "name_key", "password", "token_hash", "last_login",
    "last_seen_at", "answer",
}  # fmt: skip
NEVER_THE_SAME |= {
    "prefix", "secret_hash", "fingerprint", "session_key", "data", "warband_id",
    "warrior_id", "user_id", "code", "subject",
}  # fmt: skip
# What no form sets though a row holds it, and what grants power.
WANTED = [
    "is_staff", "is_superuser", "is_active", "groups", "user_permissions", "pk", "user",
    "actor", "role", "origin",
]  # fmt: skip
# Forms that no page of this site's settings shows, and why.
UNSEEN = {
    "AddEmailForm": "only where the site sends mail; EmailForm stands in",
    "ResetPasswordForm": "only where the site sends mail",
    "ResetPasswordKeyForm": "only behind a mailed link",
    "SetPasswordForm": "only for somebody without a password",
    "GrowthRulesForm": "asks since when only once a warband is founded",
    "FoundForm": "asks for missed rounds only an organiser",
    "AnswerForm": "only after a battle of a growing campaign",
    "ActForm": "only in the shop of a founded warband",
    "ReportRow": "accepts what was reported, where anything was",
    "RoundChoiceForm": "what links of the lists' page ask for, not a form",
    "AuthenticateForm": "only while somebody with a second step signs in",
    "MFAReauthenticateForm": "only for somebody with a second step",
}
# Fields that allauth takes off its forms under this site's settings; what links ask a list for; the
# name that somebody
# without an account gives with a result; what only a league whose lists are due, or have been
# locked, asks; what only a list of the d10 skirmish asks of a weapon or a piece of armour
# (tests/rulesdata/test_d10_lists.py).
LEFT_OUT = {
    "melee_attack", "close_range", "close_shots", "armour_penetration", "defence", "front",
    "side", "rear",
    "held", "rules",  # what the preview of a list from another app sends back
    "remember", "username", "page", "status", "show", "author", "lists_due_at", "lock",
}  # fmt: skip


def column_names() -> set[str]:
    """Every column of every table people write, and its name without ``_id``."""
    names = {
        field.attname for model in peoples_models() for field in model._meta.concrete_fields
    }
    return names | {name.removesuffix("_id") for name in names}


def hostile_values(form: Form) -> dict[str, str]:
    shown = set(form.controls)
    return {
        name: "1"
        for name in [*sorted(column_names()), *WANTED]
        if name not in shown and name != "sessionid"
    }


def written(world, form, sent) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """Status and rows after a form was sent, without what differs every time."""
    with taken_back():
        status = send(world, form, sent).status_code
        found = rows()
    return status, {
        model: [
            {
                k: v
                for k, v in row.items()
                if k not in NEVER_THE_SAME and not k.endswith("_at") and k != "at"
            }
            for row in table
        ]
        for model, table in found.items()
    }


# What a page's script sends in place of the form, or the form's next step.
OF_SCRIPTS = {"round-present": {"one"}, "warband-import": {"army", "rules"}}


def test_forms_write_only_what_they_show(world, found, share):
    compared, done = 0, 0
    for form in share([form for form in found.values() if form.method == "post"], 5):
        plain = form.filled()
        asked = KEEPING | OF_SCRIPTS.get(form.route, set())
        extra = {k: v for k, v in hostile_values(form).items() if k not in asked}
        assert len(extra) > 40
        status, expected = written(world, form, plain)
        more_status, more = written(world, form, {**extra, **plain})
        assert status == more_status, (form.route, status, more_status)
        unlike = [
            (model, row)
            for model in more
            for row in more[model]
            if row not in expected[model]
        ]
        assert more == expected, (form.route, unlike[:3])
        compared += 1
        done += status == 302
    assert compared > 10
    assert done > 5, "the forms must be accepted, or this compares nothing"


def form_classes() -> dict[str, type[forms.BaseForm]]:
    """The form classes of the site's own modules that people meet under their own name: what others
    build on is not.
    """
    apps = (accounts, battles, campaigns, clubs, notices, rulesdata, warbands)
    names = [
        one.name
        for app in apps
        for one in pkgutil.walk_packages(app.__path__, f"{app.__name__}.")
    ]
    found = {
        name: value
        for module in map(
            import_module, filter(re.compile(r"\.forms\b|\.entrance$").search, names)
        )
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, forms.BaseForm)
        and value.__module__ == module.__name__
    }
    bases = {base for value in found.values() for base in value.__mro__[1:]}
    return {name: value for name, value in found.items() if value not in bases}


def test_the_walk_finds_every_field_of_every_form(found: dict[str, Form]) -> None:
    on_pages = {
        name.rpartition("-")[2] for form in found.values() for name in form.controls
    }
    classes = form_classes()
    assert len(classes) > 40
    assert set(UNSEEN) <= set(classes)
    declared = {
        name: set(getattr(form, "base_fields", {})) - LEFT_OUT
        for name, form in classes.items()
    }
    hidden = {
        name: fields - on_pages for name, fields in declared.items() if name not in UNSEEN
    }
    assert [f"{name}: {sorted(fields)}" for name, fields in hidden.items() if fields] == []


# The API's documents


def serializer_classes() -> list[type[serializers.Serializer[Any]]]:
    return [
        value
        for value in vars(warbands.api.rosters).values()
        if isinstance(value, type)
        and issubclass(value, serializers.Serializer)
        and value is not serializers.Serializer
    ]


DOCUMENT: dict[str, Any] = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "army": "the-empire",
    "warriors": [{"profile": "captain"}],
}


def test_documents_take_no_other_key(world: World) -> None:
    known = set(RosterDocument().fields)
    assert len(serializer_classes()) >= 4
    assert set(DOCUMENT) <= known
    client, refused = world.cast["nobody"].client(), 0
    for name in sorted(column_names() | {"points", "id", "owner", "token", "visibility"}):
        cache.clear()  # or the rate of calls would refuse them first
        for inner in (False, True):
            if name in (set(WarriorDocument().fields) if inner else known):
                continue
            entry = {"profile": "captain", **({name: 1} if inner else {})}
            sent = {**DOCUMENT, "warriors": [entry], **({} if inner else {name: 1})}
            answer = client.post("/api/v1/check/", sent, content_type="application/json")
            path = f"warriors[0].{name}" if inner else name
            assert answer.status_code == 400, (name, answer.status_code)
            assert [fault["field"] for fault in answer.json()["errors"]] == [path]
            refused += 1
    assert refused > 80


QUICK: dict[str, Any] = {"name": "One", "models": 3}
BATTLE: dict[str, Any] = {
    "system": "warhammer-skirmish",
    "sides": [{"quick": QUICK}, {"quick": QUICK}],
}


def test_documents_of_battles_take_no_other_key(world: World) -> None:
    client, battle, refused = world.cast["nobody"].client(), world.battles["link"], 0
    address = f"/api/v1/battles/{battle.token}/"
    before = rows()
    for name in sorted(
        column_names() | {"points", "id", "owner", "token", "status", "verdict"}
    ):
        cache.clear()  # or the rate of calls would refuse them first
        for shape, path, sent in (
            (shapes.BattleBody, "/api/v1/battles/", {**BATTLE, name: 1}),
            (
                shapes.SideBody,
                "/api/v1/battles/",
                {**BATTLE, "sides": [{"quick": QUICK}, {name: 1}]},
            ),
            (
                shapes.QuickSideBody,
                "/api/v1/battles/",
                {**BATTLE, "sides": [{"quick": {**QUICK, name: 1}}] * 2},
            ),
            (shapes.EventsBody, f"{address}events/", {"events": [], name: 1}),
            (shapes.ResultBody, f"{address}result/void/", {"reason": "-", name: 1}),
        ):
            if name in shape().fields:
                continue
            headers = {"X-Battle-Key": battle.key}
            answer = client.post(
                path, sent, content_type="application/json", headers=headers
            )
            assert answer.status_code == 400, (shape, name, answer.status_code)
            refused += 1
    assert refused > 200
    assert rows() == before
