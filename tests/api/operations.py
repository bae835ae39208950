"""The operations of the API, and which of them are asked as an organiser."""

import json
from typing import Any

from config.api.schema import EXAMPLES
from tests.vectors.recorded import recorded

SCHEMA = "/api/v1/schema/"
OPERATIONS = sorted(recorded("openapi.json"))
WITHOUT_EXAMPLE = {
    "read_job_file", "delete_warband", "remove_member", "remove_round", "remove_season",
    "revoke_waiver",
}  # fmt: skip
NAMES = WITHOUT_EXAMPLE | set(json.loads(EXAMPLES.read_text(encoding="utf-8")))
# What is asked by somebody who may do all of it, so that the bodies are read.
OWN = [
    label
    for label in OPERATIONS
    if label.split("/")[3] in ("warbands", "clubs", "events", "fixtures", "jobs")
]


def nullable_references(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Each key of a component that holds another component or null: component, key, other."""
    return [
        (name, key, shape["oneOf"][0]["$ref"].rsplit("/", 1)[-1])
        for name, component in document["components"]["schemas"].items()
        for key, shape in component.get("properties", {}).items()
        if {"$ref": "#/components/schemas/NoValue"} in shape.get("oneOf", ())
    ]
