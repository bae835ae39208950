"""Clients that are made from the OpenAPI document: whole, with names to read, and able to play."""

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from drf_spectacular.generators import SchemaGenerator
from pypdf import PdfReader
from pytest_django.live_server_helper import LiveServer

from config.api.docs import EXAMPLE
from tests.api.battles import SETUP
from tests.api.conftest import document
from tests.api.operations import NAMES
from tests.api.refusals import bearer
from tests.campaigns.growing import make_growing
from tests.campaigns.leagues import make_entry

pytestmark = [pytest.mark.soak, pytest.mark.one_database]

PACKAGE = "muster_roll_client"
PDF_AS_FILE = "content_type_overrides:\n  application/pdf: application/octet-stream\n"
TOOLS = Path(sys.executable).parent
NUMBERED_CLASS = re.compile(r"^class \w*\d\b", re.MULTILINE)
REDOCLY = ("npx", "--yes", "@redocly/cli@2", "lint", "--format=json")


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a tool says; its own helpers (ruff) lie beside it."""
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clients")
    document = SchemaGenerator().get_schema(public=True)
    (made / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Path]:
    (folder / "config.yaml").write_text(PDF_AS_FILE, encoding="utf-8")
    made = run(
        *(TOOLS / "openapi-python-client", "generate", "--path", "openapi.json"),
        *("--config", "config.yaml", "--meta", "none", "--output-path", PACKAGE),
        folder=folder,
    )
    assert made.returncode == 0, made.stderr
    assert "warning" not in (made.stdout + made.stderr).lower(), made.stdout
    sys.path.insert(0, str(folder))
    yield folder / PACKAGE
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_client_has_every_operation_and_no_numbered_class(client: Path) -> None:
    files = list(client.rglob("*.py"))
    calls = {file.stem for file in (client / "api").glob("*/*.py")} - {"__init__"}
    assert calls == NAMES
    assert len(files) > 250
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    assert NUMBERED_CLASS.findall(text) == []


def test_models_of_pydantic_have_no_numbered_class(folder: Path) -> None:
    made = run(
        *(
            TOOLS / "datamodel-codegen", "--input", "openapi.json", "--input-file-type",
            "openapi",
        ),
        *(
            "--output-model-type",
            "pydantic_v2.BaseModel",
            "--output",
            "muster_roll_models.py",
        ),
        folder=folder,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "NamingHintWarning" not in made.stderr
    file = folder / "muster_roll_models.py"
    assert NUMBERED_CLASS.findall(file.read_text(encoding="utf-8")) == []
    models = load_module(file)
    assert models.RosterDocument.model_validate(EXAMPLE).army.value == EXAMPLE["army"]
    question = {"system": "warhammer-skirmish", "call": "initiative_test"}
    asked = models.OddsQuestion.model_validate({**question, "inputs": {"initiative": 3}})
    assert type(asked.root) is models.OddsQuestionInitiativeTest


def load_module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module  # pydantic looks its annotations up there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[file.stem]
    return module


@pytest.mark.skipif(shutil.which("npx") is None, reason="needs npx")
def test_redocly_finds_only_the_trailing_slashes(folder: Path) -> None:
    told = run(*REDOCLY, "openapi.json", folder=folder)
    if not told.stdout.strip().startswith("{"):
        pytest.skip(f"Redocly did not run: {told.stderr[-200:]}")
    problems = json.loads(told.stdout)["problems"]
    assert problems
    faults = {one["ruleId"] for one in problems if one["severity"] == "error"}
    assert faults == {"no-path-trailing-slash"}


# --- A client at work ----------------------------------------------------------------------------


class Site:
    """The generated package, and what it is called with."""

    def __init__(self, url: str) -> None:
        self.models: Any = importlib.import_module(f"{PACKAGE}.models")
        self.caller = importlib.import_module(PACKAGE).Client(base_url=url)

    def call(self, address: str, *path: str, **arguments: Any) -> Any:
        """Return the answer of an operation; fails unless it is a success that was understood."""
        operation = importlib.import_module(f"{PACKAGE}.api.{address}")
        answer = operation.sync_detailed(*path, client=self.caller, **arguments)
        assert answer.status_code < 300, answer.content
        assert answer.parsed is not None
        return answer.parsed

    def event(self, kind: str, seq: int, **payload: Any) -> Any:
        name, models = kind.capitalize(), self.models
        return getattr(models, f"{name}Event")(
            id=str(uuid4()),
            device="client",
            seq=seq,
            at="2026-05-01T19:30:00Z",
            kind=getattr(models, f"{name}Kind")(kind),
            payload=getattr(models, f"{name}Payload").from_dict(payload),
        )


@pytest.fixture
def site(client: Path, live_server: LiveServer) -> Iterator[Site]:
    made = Site(live_server.url)
    yield made
    made.caller.get_httpx_client().close()


@pytest.mark.django_db(transaction=True)
def test_client_checks_and_prints_a_roster(site: Site) -> None:
    roster = site.models.RosterDocument.from_dict(EXAMPLE)
    checked = site.call("rosters.check_roster", body=roster)
    assert checked.points <= EXAMPLE["points_limit"]
    assert [one.level.value for one in checked.findings] == ["warning"]
    assert len(checked.warriors) == len(EXAMPLE["warriors"])
    sheet = site.call("rosters.print_sheet", body=roster)
    (page, *_) = PdfReader(BytesIO(sheet.payload.read())).pages
    assert "Ostwin Brandt" in page.extract_text()


@pytest.mark.django_db(transaction=True)
def test_client_asks_for_odds(site: Site) -> None:
    question = site.models.OddsQuestionInitiativeTest.from_dict(
        {
            "system": "warhammer-skirmish",
            "call": "initiative_test",
            "inputs": {"initiative": 3},
            "variant": None,
        }
    )
    answer = site.call("odds_and_dice.ask_odds", body=question)
    assert answer.outcomes["pass"].fraction == "1/2"


@pytest.mark.django_db(transaction=True)
def test_client_plays_a_battle(site: Site) -> None:
    opened = site.call("battles.open_battle", body=site.models.BattleBody.from_dict(SETUP))
    battle = {"x_battle_key": opened.key}
    first, other = opened.sides
    events = [
        site.event("turn", 1, number=1, side=first.id),
        site.event("state", 2, combatant=first.combatants[1].id, to="knocked_down"),
        site.event("note", 3, text="Rain."),
        site.event("end", 4, winner=other.id, how="conceded"),
    ]
    body = site.models.EventsBody(events=events, author="Jost")
    taken = site.call("battles.append_events", opened.id, body=body, **battle)
    assert [(one.status.value, one.reason) for one in taken.events] == [
        ("accepted", "")
    ] * 4

    kept = site.call("battles.list_events", opened.id, **battle).events
    kinds = ("Turn", "State", "Note", "End")
    assert [type(one).__name__ for one in kept] == [f"Stored{kind}Event" for kind in kinds]
    assert [one.payload for one in kept] == [one.payload for one in events]
    state = site.call("battles.read_state", opened.id, **battle)
    assert state.end["winner"] == other.id

    models = site.models
    for verb, body, status in (
        ("propose", models.ResultBody(author="Jost"), "proposed"),
        ("confirm", models.ResultBody(side=first.id), "confirmed"),
    ):
        step = models.DecideResultVerb(verb)
        result = site.call("battles.decide_result", opened.id, step, body=body, **battle)
        assert result.status.value == status
    whole = site.call("battles.read_battle", opened.id, **battle)
    assert (whole.result.winner, whole.result.how) == (other.id, "conceded")
    assert len(whole.events) == len(events)


# --- Null in the place of an object --------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_client_reads_standings_with_and_without_a_warband(site: Site) -> None:
    league = make_growing(players=2).league
    make_entry(event=league.event, organiser=league.organiser, name="Walter")
    site.caller = site.caller.with_headers(bearer(league.organiser, ()))
    rows = site.call("leagues.read_standings", league.token).results
    warbands = {row.entry.name: row.warband for row in rows}
    assert warbands["Walter"] is None
    assert warbands["Ada"].rating > 0


@pytest.mark.django_db(transaction=True)
def test_client_reads_a_list_with_and_without_its_document(site: Site) -> None:
    body = {"system": "warhammer-skirmish", "text": "Captain - 50\n4 Halberdiers - 20"}
    for army, name in ((None, None), ("the-empire", document()["army"])):
        sent = site.models.ListBody.from_dict({**body, **({"army": army} if army else {})})
        answer = site.call("interchange.convert_in", body=sent)
        assert (answer.document and answer.document.army.value) == name
