"""The OpenAPI document is whole, and what it says holds for calls made up from it."""

import json
from io import StringIO

import pytest
import schemathesis
import yaml
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft4Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.api_tokens.operations import make_token
from accounts.models import Membership, Role, Scope
from campaigns.operations.log import ChangeRequest
from campaigns.operations.print_all import print_round
from campaigns.operations.round_lists import hand_in_list
from config.api.schema import success_of
from engine.battles.payloads import InvalidPayload, read_payload
from engine.battles.sentences import LIMITS
from engine.battles.types import KINDS
from jobs.runner import run_job
from rulesdata import registry
from tests.campaigns.growing import make_growing
from tests.campaigns.leagues import make_night
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband
from tests.rulesdata.own_lists import make_list

SCHEMA = "/api/v1/schema/"
CHECKS = [
    not_a_server_error,
    allow_header_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
OPERATIONS = {
    "GET /api/v1/site/": "read_site",
    "GET /api/v1/systems/": "list_systems",
    "GET /api/v1/systems/{key}/": "read_system",
    "GET /api/v1/armies/": "list_armies",
    "GET /api/v1/profiles/": "list_profiles",
    "GET /api/v1/weapons/": "list_weapons",
    "GET /api/v1/armour/": "list_armour",
    "GET /api/v1/magic-items/": "list_magic_items",
    "GET /api/v1/scenarios/": "list_scenarios",
    "GET /api/v1/rulings/": "list_rulings",
    "GET /api/v1/guidelines/": "list_guidelines",
    "GET /api/v1/charts/": "list_charts",
    "POST /api/v1/odds/": "ask_odds",
    "POST /api/v1/roll/": "roll_dice",
    "POST /api/v1/check/": "check_roster",
    "POST /api/v1/convert/in/": "convert_in",
    "POST /api/v1/convert/out/": "convert_out",
    "POST /api/v1/sheet/": "print_sheet",
    "GET /api/v1/battles/": "list_battles",
    "POST /api/v1/battles/": "open_battle",
    "GET /api/v1/battles/{token}/": "read_battle",
    "GET /api/v1/battles/{token}/state/": "read_state",
    "GET /api/v1/battles/{token}/events/": "list_events",
    "POST /api/v1/battles/{token}/events/": "append_events",
    "POST /api/v1/battles/{token}/result/{verb}/": "decide_result",
    "GET /api/v1/warbands/": "list_warbands",
    "POST /api/v1/warbands/": "add_warband",
    "GET /api/v1/warbands/{token}/": "read_warband",
    "PUT /api/v1/warbands/{token}/": "replace_roster",
    "PATCH /api/v1/warbands/{token}/": "change_warband",
    "DELETE /api/v1/warbands/{token}/": "delete_warband",
    "POST /api/v1/warbands/{token}/figures/": "acknowledge_figures",
    "DELETE /api/v1/warbands/{token}/figures/": "withdraw_acknowledgement",
    "GET /api/v1/clubs/": "list_clubs",
    "POST /api/v1/clubs/": "found_club",
    "GET /api/v1/clubs/{slug}/": "read_club",
    "PATCH /api/v1/clubs/{slug}/": "change_club",
    "POST /api/v1/clubs/join/": "join_club",
    "GET /api/v1/clubs/{slug}/members/": "list_members",
    "GET /api/v1/clubs/{slug}/members/{member}/": "read_member",
    "PATCH /api/v1/clubs/{slug}/members/{member}/": "change_member",
    "DELETE /api/v1/clubs/{slug}/members/{member}/": "remove_member",
    "GET /api/v1/campaign-rules/": "list_campaign_rules",
    "POST /api/v1/campaign-rules/check/": "check_campaign_rules",
    "GET /api/v1/campaign-rules/{rules}/": "read_campaign_rules",
    "POST /api/v1/clubs/{slug}/campaign-rules/": "write_own_rules",
    "GET /api/v1/clubs/{slug}/lists/": "list_own_lists",
    "GET /api/v1/clubs/{slug}/lists/{token}/": "read_own_list",
    "POST /api/v1/clubs/{slug}/catalogues/": "read_catalogue",
    "POST /api/v1/clubs/{slug}/lists/{token}/catalogue/": "reread_catalogue",
    "GET /api/v1/events/": "list_leagues",
    "POST /api/v1/events/": "make_league",
    "GET /api/v1/events/{token}/": "read_league",
    "PATCH /api/v1/events/{token}/": "change_league",
    "POST /api/v1/clubs/{slug}/code/": "renew_club_code",
    "POST /api/v1/events/{token}/{move}/": "step_league",
    "GET /api/v1/events/{token}/entries/": "list_entries",
    "POST /api/v1/events/{token}/entries/": "add_entry",
    "GET /api/v1/events/{token}/entries/{entry}/": "read_entry",
    "PATCH /api/v1/events/{token}/entries/{entry}/": "change_entry",
    "POST /api/v1/events/{token}/entries/{entry}/{step}/": "step_entry",
    "GET /api/v1/events/{token}/standings/": "read_standings",
    "GET /api/v1/events/{token}/rounds/": "list_rounds",
    "POST /api/v1/events/{token}/rounds/": "add_round",
    "GET /api/v1/events/{token}/growth/": "read_growth",
    "PUT /api/v1/events/{token}/growth/": "set_growth",
    "PATCH /api/v1/events/{token}/growth/": "change_growth",
    "POST /api/v1/events/{token}/growth/warbands/": "found_warband",
    "GET /api/v1/events/{token}/growth/warbands/{warband}/": "read_campaign_warband",
    "GET /api/v1/events/{token}/growth/warbands/{warband}/dues/": "list_dues",
    "GET /api/v1/events/{token}/growth/warbands/{warband}/ledger/": "list_ledger",
    "POST /api/v1/events/{token}/growth/warbands/{warband}/answers/": "answer_dues",
    "POST /api/v1/events/{token}/growth/warbands/{warband}/acts/": "take_act",
    "POST /api/v1/events/{token}/growth/warbands/{warband}/take-back/": "take_back",
    "POST /api/v1/fixtures/{fixture}/field/": "field_warbands",
    "GET /api/v1/events/{token}/rounds/{number}/": "read_round",
    "POST /api/v1/events/{token}/rounds/plan/": "plan_league",
    "PATCH /api/v1/events/{token}/rounds/{number}/": "edit_round",
    "DELETE /api/v1/events/{token}/rounds/{number}/": "remove_round",
    "POST /api/v1/events/{token}/rounds/{number}/{step}/": "change_round",
    "POST /api/v1/events/{token}/rounds/{number}/fixtures/": "add_fixture",
    "GET /api/v1/events/{token}/rounds/{number}/lists/": "list_round_lists",
    "POST /api/v1/events/{token}/rounds/{number}/lists/": "hand_in_list",
    "GET /api/v1/events/{token}/rounds/{number}/lists/{entry}/": "read_round_list",
    "POST /api/v1/events/{token}/rounds/{number}/lists/{entry}/{lock}/": "unlock_round_list",
    "GET /api/v1/events/{token}/entries/{entry}/waivers/": "list_waivers",
    "POST /api/v1/events/{token}/entries/{entry}/waivers/": "add_waiver",
    "DELETE /api/v1/events/{token}/entries/{entry}/waivers/{guideline}/": "revoke_waiver",
    "POST /api/v1/events/{token}/challenges/": "add_challenge",
    "POST /api/v1/events/{token}/challenges/{fixture}/{answer}/": "answer_challenge",
    "POST /api/v1/events/{token}/rounds/{number}/print/": "print_round",
    "GET /api/v1/fixtures/{fixture}/": "read_fixture",
    "PATCH /api/v1/fixtures/{fixture}/": "change_fixture",
    "POST /api/v1/fixtures/{fixture}/remove/": "remove_fixture",
    "GET /api/v1/fixtures/{fixture}/decide/": "preview_fixture_decision",
    "POST /api/v1/fixtures/{fixture}/decide/": "decide_fixture",
    "POST /api/v1/fixtures/{fixture}/battle/": "open_fixture_battle",
    "POST /api/v1/fixtures/{fixture}/result/": "report_fixture",
    "POST /api/v1/fixtures/{fixture}/accept/": "accept_fixture",
    "POST /api/v1/fixtures/{fixture}/swap/": "swap_fixture",
    "GET /api/v1/jobs/{token}/": "read_job",
    "GET /api/v1/jobs/{token}/file/": "read_job_file",
}
# What is asked by somebody who may do all of it, so that the bodies are read.
OWN = [
    label
    for label in OPERATIONS
    if label.split("/")[3] in ("warbands", "clubs", "events", "fixtures", "jobs")
]


@pytest.fixture
def schema(program):
    return program.get(SCHEMA).json()


def test_generator_has_nothing_to_warn_of():
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=StringIO())


def test_document_lists_every_operation(schema):
    found = {
        f"{method.upper()} {path}": operation["operationId"]
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }
    assert found == OPERATIONS


def test_json_unless_yaml_is_asked(program, schema):
    for accept in ("", "*/*", "text/html", "nonsense", "application/json"):
        answer = program.get(SCHEMA, headers={"accept": accept})
        assert answer.status_code == 200
        assert json.loads(answer.content) == schema
    answer = program.get(SCHEMA, headers={"accept": "application/vnd.oai.openapi"})
    assert yaml.safe_load(answer.content) == schema


def test_roster_document_is_closed_and_tells_its_limits(schema):
    parts = schema["components"]["schemas"]
    roster, entry = parts["RosterDocument"], parts["WarriorDocument"]
    assert roster["additionalProperties"] is False
    assert entry["additionalProperties"] is False
    assert roster["required"] == ["army", "format", "system", "warriors"]
    assert entry["required"] == ["profile"]
    fields = {
        **roster["properties"],
        **{f"warrior.{k}": v for k, v in entry["properties"].items()},
    }
    assert all(
        "default" in field
        for name, field in fields.items()
        if name.removeprefix("warrior.") in OPTIONAL
    )
    assert fields["warriors"]["maxItems"] == 200
    count, limit = fields["warrior.count"], fields["points_limit"]
    assert (count["minimum"], count["maximum"], count["default"]) == (1, 200, 1)
    assert (limit["minimum"], limit["maximum"], limit["nullable"], limit["default"]) == (
        0,
        100_000,
        True,
        None,
    )
    no_value = {"$ref": "#/components/schemas/NoValue"}
    assert parts["NoValue"] == {"type": "string", "nullable": True, "enum": [None]}
    assert all(
        no_value in fields[name]["oneOf"] and fields[name]["default"] is None
        for name in ("variant", "scenario")
    )
    armies = [army for system in registry.systems() for army in registry.armies_of(system)]
    assert sorted(parts["ArmyKey"]["enum"]) == sorted(set(armies))
    assert len(parts["ArmyKey"]["enum"]) == 19
    assert fields["army"]["allOf"] == [{"$ref": "#/components/schemas/ArmyKey"}]


def operations(schema):
    """Every operation by its id."""
    return {
        operation["operationId"]: operation
        for methods in schema["paths"].values()
        for operation in methods.values()
    }


def test_every_body_and_answer_is_a_named_component(schema):
    found = []
    for name, operation in operations(schema).items():
        parts = [operation.get("requestBody", {}), *operation["responses"].values()]
        contents = [part.get("content", {}).get("application/json") for part in parts]
        unnamed = [
            content for content in contents if content and "$ref" not in content["schema"]
        ]
        found += [name] * len(unnamed)
    assert found == []


def test_components_have_names_of_words(schema):
    parts = schema["components"]["schemas"]
    assert len(parts) > 60
    assert [name for name in parts if not name.isidentifier() or name[-1].isdigit()] == []


def test_every_operation_says_what_it_does_and_refuses(schema):
    for name, operation in operations(schema).items():
        assert operation["summary"], name
        assert operation["summary"] in operation["description"], name
        refusals = {status for status in operation["responses"] if status >= "400"}
        assert {"401", "429"} <= refusals, name
        assert "requestBody" not in operation or {"400", "413", "415"} <= refusals, name
        for status in refusals:
            assert operation["responses"][status]["description"], (name, status)


def as_json_schema(value):
    """What OpenAPI 3.0 says with its word nullable, as JSON Schema says it."""
    if isinstance(value, list):
        return [as_json_schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: as_json_schema(one) for key, one in value.items() if key != "nullable"}
    is_nullable = value.get("nullable") is True
    return {"anyOf": [found, {"type": "null"}]} if is_nullable else found


WITHOUT_EXAMPLE = {
    "read_job_file",
    "delete_warband",
    "remove_member",
    "remove_round",
    "revoke_waiver",
}


def test_every_operation_has_an_example_that_its_schema_takes(schema):
    parts = as_json_schema(schema["components"])
    for name, operation in operations(schema).items():
        sent = operation.get("requestBody") or success_of(operation)
        content = sent.get("content", {}).get("application/json")
        if content is None:
            # A file, and an answer without a body.
            assert name in WITHOUT_EXAMPLE
            continue
        shape = {**as_json_schema(content["schema"]), "components": parts}
        faults = Draft4Validator(shape).iter_errors(content["example"])
        assert [fault.message for fault in faults] == [], name


@pytest.mark.parametrize(
    "name, key, count",
    [
        ("OddsQuestion", "call", 32),
        ("RollQuestion", "call", 32),
        ("EventToRecord", "kind", 10),
        ("StoredEventAnswer", "kind", 10),
    ],
)
def test_one_of_several_forms_is_told_by_its_key(schema, name, key, count):
    parts = schema["components"]["schemas"]
    shape = parts[name]
    mapping = shape["discriminator"]["mapping"]
    assert set(shape) == {"oneOf", "discriminator"}
    assert shape["discriminator"]["propertyName"] == key
    assert [{"$ref": one} for one in mapping.values()] == shape["oneOf"]
    forms = {
        value: parts[reference.rsplit("/", 1)[-1]] for value, reference in mapping.items()
    }
    assert len(forms) == count
    for value, form in forms.items():
        told = form["properties"][key]
        reference = told.get("$ref") or told["allOf"][0]["$ref"]
        assert parts[reference.rsplit("/", 1)[-1]]["enum"] == [value]
        assert key in form["required"]
        assert set(form["properties"]) == set(next(iter(forms.values()))["properties"])


def inner_shapes(value, is_inner=False):
    """Every shape within a component, each once for each place where it stands."""
    if is_inner:
        yield value
    for key in ("items", "additionalProperties"):
        if isinstance(value.get(key), dict):
            yield from inner_shapes(value[key], True)
    for one in [
        *value.get("oneOf", ()),
        *value.get("allOf", ()),
        *value.get("properties", {}).values(),
    ]:
        yield from inner_shapes(one, True)


def test_enumerations_and_objects_have_names(schema):
    parts = schema["components"]["schemas"]
    found = [(name, one) for name, part in parts.items() for one in inner_shapes(part)]
    assert len(found) > 1000
    assert [one for one in found if "enum" in one[1]] == []
    unnamed = [(name, set(one["properties"])) for name, one in found if "properties" in one]
    assert [name for name, _ in unnamed] == [
        "RosterDocument"
    ]  # its house_rules have a default
    assert [
        one for one in found if one[1].get("nullable") and one[1].get("type") == "object"
    ] == []


def test_payloads_of_events_are_those_of_the_engine(schema):
    parts = schema["components"]["schemas"]
    for kind in KINDS:
        payload = parts[f"{kind.capitalize()}Payload"]
        with pytest.raises(InvalidPayload) as refused:
            read_payload(None, "", kind, {"nonsense": 1})
        assert str(refused.value).endswith(f"{', '.join(payload['properties'])}.")
        needed = payload["required"]
        with pytest.raises(InvalidPayload) as refused:
            read_payload(None, "", kind, {})
        assert needed[0] in str(refused.value)
        optional = set(payload["properties"]) - set(needed)
        assert {
            key for key, one in payload["properties"].items() if one.get("nullable")
        } == optional
    turn, test = parts["TurnPayload"]["properties"], parts["TestPayload"]["properties"]
    assert turn["number"]["maximum"] == LIMITS["turn"]
    assert test["need"]["maximum"] == LIMITS["score"]
    assert test["modifier"]["maximum"] == -test["modifier"]["minimum"] == LIMITS["modifier"]
    assert parts["NotePayload"]["properties"]["text"]["maxLength"] == LIMITS["text"]


OPTIONAL = {
    "variant",
    "name",
    "points_limit",
    "scenario",
    "house_rules",
    "count",
    "leader",
    "options",
    "lore",
    "note",
}


# --- Calls made up from the document ---------------------------------------------------------------------------------

made_up = pytest.mark.django_db
modes = pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)


@pytest.fixture(scope="module")
def api():
    """The API as its own document describes it, over WSGI; a request leaves the test's database
    connection open.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield schemathesis.openapi.from_wsgi(SCHEMA, get_wsgi_application())
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def run(strategy, checks, examples, is_soak, settle=lambda case: {}):
    """Calls the API with that many made-up cases, the same ones in every run unless it is the long
    one.

    ``settle`` changes a case and gives the headers it is sent with.
    """

    @settings(
        max_examples=examples,
        derandomize=not is_soak,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(case=strategy)
    def call(case):
        case.call_and_validate(checks=checks, headers=settle(case))

    call()


@modes
@pytest.mark.parametrize("label", [label for label in OPERATIONS if label not in OWN])
@pytest.mark.usefixtures("loaded_books")
@made_up
def test_made_up_calls_keep_to_the_document(api, rate, soak, label, mode):
    rate("1000000/sec")
    method, path = label.split()
    operation = api[path][method]
    if mode is GenerationMode.NEGATIVE and not list(operation.iter_parameters()):
        return  # it takes nothing, so nothing can be wrong
    checks = (
        [*CHECKS, negative_data_rejection]
        if method == "POST" and mode is GenerationMode.NEGATIVE
        else CHECKS
    )
    run(
        operation.as_strategy(generation_mode=mode),
        checks,
        soak(5, 1000),
        soak(False, True),
    )


@pytest.fixture(scope="module")
def organiser(loaded_books):
    """The headers of a token that may do everything, and what stands in the addresses it is used
    at.
    """
    league = make_night(players=3)
    ada, ben = league.entry("Ada"), league.player("Ben")
    fixture = put_up(league, 1, [("Ada", "Ben")], asked_by=ada)[0]
    made = make_token(league.organiser.user_id, name="Fuzz", scopes=Scope.values)
    warband = make_legal_warband(actor=league.organiser)
    asked = ChangeRequest(league.organiser, league.token)
    brought = make_legal_warband(actor=ben).token
    hand_in_list(ChangeRequest(ben, league.token), 1, brought)
    ids = {
        "slug": league.club.slug,
        "number": 1,
        "fixture": fixture.token,
        "entry": league.entry("Ben").token,
        "guideline": "type.cavalry",
        "member": Membership.objects.exclude(role=Role.OWNER)
        .filter(club=league.club)
        .values_list("pk", flat=True)
        .first(),
    }
    job = print_round(asked, 1, site="")
    run_job(job)
    campaign = make_growing(players=1, organiser=league.organiser)
    ids["warband"] = campaign.warbands["Ada"]
    others = {
        "growth": campaign.league.token,
        "warbands": warband.token,
        "jobs": job,
        "clubs": make_list(club=league.club, actor=league.organiser).token,
    }
    return (
        {"Authorization": f"Bearer {made.text}", "If-Match": "*"},
        ids,
        others,
        league.token,
    )


@modes
@pytest.mark.parametrize("label", OWN)
@made_up
def test_made_up_calls_of_an_organiser_keep_to_the_document(
    api, rate, soak, label, mode, organiser
):
    """The same with a token and real things in the address: what is made up is the body and what is
    asked.
    """
    rate("1000000/sec")
    headers, ids, others, event = organiser
    method, path = label.split()
    part = "growth" if "/growth/" in path else path.split("/")[3]
    ids = {**ids, "token": others.get(part, event)}

    def settle(case):
        case.path_parameters = {
            name: ids.get(name, value)
            for name, value in (case.path_parameters or {}).items()
        }
        return headers

    statuses = []

    def is_known(ctx, response, case):
        statuses.append(response.status_code)

    run(
        api[path][method].as_strategy(generation_mode=mode),
        [*CHECKS, is_known],
        soak(6, 500),
        soak(False, True),
        settle,
    )
    assert not {401} & set(statuses)
    assert any(status != 404 for status in statuses)
