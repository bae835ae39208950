"""The steps of docs/adding-a-system.md for a new kind of finding, taken on a copy of the source."""

import shutil
import subprocess
import sys
from pathlib import Path

from engine.findings.checks import KINDS
from rulesdata import registry

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = '''

@kind(fields={"count": int, "room": int}, needs=(Parameter.ROOM,))
def models_in_room(case: Case, guideline: Guideline) -> Occurrences:
    """Find more entries than there is room for."""
    room = guideline.parameters["room"]
    if len(case.roster.warriors) > room:
        yield Occurrence({"count": len(case.roster.warriors), "room": room})
'''
PARAMETER = '    ROOM = ("room", ParameterType.NUMBER)\n'
GUIDELINE = """- code: room.short
  kind: models_in_room
  level: warning
  title: Too little room
  message: '{count:fighter|fighters}, and room for {room}.'
  parameters: {room: 1}
"""
TRY = """
from pathlib import Path
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from rulesdata import registry
from rulesdata.checks import check_folder
from rulesdata.management.commands.check_rules import kinds_table, outdated_schemas, write_schemas

docs = Path("docs")
assert outdated_schemas(docs / "schema") == ["guidelines.json"]
write_schemas(docs / "schema")
print(*check_folder(Path("packs")), sep="\\n")
registry.PACKS = Path("packs")
system, army = registry.load_system("five-rules"), registry.load_army("five-rules", "band")
roster = Roster("five-rules", "band", warriors=(RosterEntry("fighter"), RosterEntry("captain")))
print(*(found.message for found in check(roster, system, army)))
print(*(row for row in kinds_table().splitlines() if "models_in_room" in row))
"""


def test_new_kind_is_one_function_one_parameter_and_a_line_of_a_pack(tmp_path):
    hidden = shutil.ignore_patterns("__pycache__", "packs")
    for name in ("engine", "rulesdata", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=hidden)
    shutil.copytree(ROOT / "tests/packs", tmp_path / "packs")
    append(tmp_path / "engine/findings/warband.py", FUNCTION)
    parameters = tmp_path / "engine/findings/case.py"
    last = '    RULES = ("rules", ParameterType.NAMES)\n'
    parameters.write_text(parameters.read_text().replace(last, last + PARAMETER))
    append(tmp_path / "packs/systems/five-rules/guidelines.yaml", GUIDELINE)
    done = subprocess.run(
        [sys.executable, "-c", TRY],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    row = "| `models_in_room` | Find more entries than there is room for. | room | count, room |"
    printed = ["", "2 fighters, and room for 1.", row, ""]
    assert done.stdout.split("\n") == printed, done.stderr
    assert '"room"' in (tmp_path / "docs/schema/guidelines.json").read_text()


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_every_kind_is_tried_by_the_code_of_a_guideline() -> None:
    """A test of its own names a code that is found by it."""
    folders = (ROOT / "tests/engine", ROOT / "tests/rulesdata")
    texts = "".join(path.read_text() for one in folders for path in one.glob("test_*.py"))
    tried = {
        guideline.kind
        for system in registry.rulesets()
        for guideline in system.guidelines
        if f'"{guideline.code}"' in texts
    }
    assert tried == set(KINDS)
