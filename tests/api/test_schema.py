"""The OpenAPI document is whole: every operation, its shapes, names and examples."""

import json
from io import StringIO

import pytest
import yaml
from django.core.management import call_command
from django.test import Client
from jsonschema import Draft4Validator

from config.api.schema import find_success
from engine.battles.payloads import InvalidPayload, read_payload
from engine.battles.sentences import LIMITS
from engine.battles.types import KINDS
from rulesdata import registry
from tests.api.operations import NAMES, SCHEMA, WITHOUT_EXAMPLE, nullable_references


@pytest.fixture(scope="module")
def schema():
    return Client().get(SCHEMA).json()


def test_generator_has_nothing_to_warn_of():
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=StringIO())


def test_reference_that_may_be_null_is_a_choice_of_two(schema):
    """Generators overlook `nullable` beside a reference, whatever else stands there."""
    overlooked = [
        f"{name}.{key}"
        for name, component in schema["components"]["schemas"].items()
        for key, shape in component.get("properties", {}).items()
        if shape.get("nullable") and ("allOf" in shape or "$ref" in shape)
    ]
    assert overlooked == []
    nullable = nullable_references(schema)
    assert ("StandingRowAnswer", "warband", "StandingWarbandAnswer") in nullable
    assert ("ReadListAnswer", "document", "RosterDocument") in nullable


def test_json_unless_yaml_is_asked(program, schema):
    for accept in ("", "text/html"):
        answer = program.get(SCHEMA, headers={"accept": accept})
        assert answer.status_code == 200
        assert json.loads(answer.content) == schema
    answer = program.get(SCHEMA, headers={"accept": "application/vnd.oai.openapi"})
    assert yaml.load(answer.content, yaml.CSafeLoader) == schema


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
        0, 100_000, True, None,
    )  # fmt: skip
    no_value = {"$ref": "#/components/schemas/NoValue"}
    assert parts["NoValue"] == {"type": "string", "nullable": True, "enum": [None]}
    assert all(
        no_value in fields[name]["oneOf"] and fields[name]["default"] is None
        for name in ("variant", "scenario")
    )
    armies = [
        army for system in registry.systems() for army in registry.list_army_keys(system)
    ]
    assert sorted(parts["ArmyKey"]["enum"]) == sorted(set(armies))
    assert fields["army"]["allOf"] == [{"$ref": "#/components/schemas/ArmyKey"}]


def operations(schema):
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


def test_every_operation_has_an_example_that_its_schema_takes(schema):
    parts = as_json_schema(schema["components"])
    assert set(operations(schema)) == NAMES
    for name, operation in operations(schema).items():
        sent = operation.get("requestBody") or find_success(operation)
        content = sent.get("content", {}).get("application/json")
        # A file, and an answer without a body.
        assert (content is None) is (name in WITHOUT_EXAMPLE)
        if content is None:
            continue
        shape = {**as_json_schema(content["schema"]), "components": parts}
        faults = Draft4Validator(shape).iter_errors(content["example"])
        assert [fault.message for fault in faults] == [], name


@pytest.mark.parametrize("name, key, count", [
    ("OddsQuestion", "call", 32),
    ("RollQuestion", "call", 32),
    ("EventToRecord", "kind", 10),
    ("StoredEventAnswer", "kind", 10),
])  # fmt: skip
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
    nullable = [one for one in found if one[1].get("nullable")]
    assert [
        one for one in nullable if one[1].get("type") == "object" and "allOf" not in one[1]
    ] == []
    # Null counts beside a type alone.
    assert [one for one in nullable if "type" not in one[1]] == []


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
    "variant", "name", "points_limit", "scenario", "house_rules", "count", "leader",
    "options", "lore", "note",
}  # fmt: skip
