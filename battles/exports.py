"""A battle as text, Markdown, JSON and CSV, for chats, notes and programs; and as the recorder
takes it, with everything it needs to go on without the server.
"""

import csv
import io
import json
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
)
from datetime import datetime

from django.db.models import Q

from accounts.owner import Owner
from battles.intake import KEYS
from battles.models import Battle
from battles.presenters import (
    describe_standing,
    side_tables,
    turn_blocks,
)
from battles.queries.battles import load_battle
from battles.queries.index import BattleRecord, EventRecord
from engine.records import JsonObject, named_values
from engine.roster import in_force, sources
from jobs.personal_data import DataFile
from warbands.exchange.text import escape_markdown

FORMAT = "muster-roll-battle/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""
_TOLD = (
    "wounds",
    "leadership",
    "is_leader",
    "models",
    "kinds",
    "points",
    "profile",
    "title",
    "gear",
    "on_foot",
)
"""What the recorder counts a combatant by and shows beside its name, as the reader is told it."""
EVENTS_BYTES = 1_000_000  # of the events in one page or answer; the next answer has more
NOT_RECORDED = "Casualties not recorded."


def as_text(record: BattleRecord) -> str:
    """The battle in plain lines, short enough for a chat."""
    lines = [record.title, _facts(record), f"{describe_standing(record)}.", ""]
    if not record.position:
        return "\n".join([*lines, NOT_RECORDED]) + "\n"
    turn = record.rules.turn_name.lower()
    for table in side_tables(record):
        lines.append(
            f"{table.side.name}: {table.side.out} of {table.side.size} out, took out {table.kills}"
        )
        lines += [f"  {test}" for test in table.tests]
        for line in table.harmed:
            facts = (
                line.state.lower(),
                f"{turn} {line.out_in}" if line.out_in else "",
                f"by {line.by}" if line.by else "",
                line.remaining.lower(),
                f"took out {line.kills}" if line.kills else "",
            )
            lines.append(f"  {line.name}: {', '.join(filter(None, facts))}")
    return "\n".join(lines).strip() + "\n"


def as_markdown(record: BattleRecord) -> str:
    """The whole battle with its timeline."""
    parts = [
        f"# {escape_markdown(record.title)}",
        escape_markdown(_facts(record)),
        f"**{escape_markdown(describe_standing(record))}**",
    ]
    if not record.position:
        sides = [f"## {escape_markdown(side.name)}" for side in record.sides]
        return "\n\n".join([*parts, *sides, NOT_RECORDED]) + "\n"
    for table in side_tables(record):
        rows = ["| name | state | out in | by | took out |", "|---|---|---|---|---|"]
        for line in table.lines:
            figures = str(line.out_in or ""), line.by, str(line.kills or "")
            cells = [escape_markdown(cell) for cell in (line.name, line.state, *figures)]
            rows.append(f"| {' | '.join(cells)} |")
        tests = [f"{escape_markdown(test)}." for test in table.tests]
        parts += [f"## {escape_markdown(table.side.name)}", "\n".join(rows), *tests]
    turn = record.rules.turn_name
    parts.append(f"## {turn} by {turn.lower()}")
    for block in turn_blocks(record):
        parts.append(
            f"### {escape_markdown(', '.join(filter(None, (block.title, block.side))))}"
        )
        parts.append(
            "\n".join(f"- {escape_markdown(entry.text)}" for entry in block.entries)
        )
    return "\n\n".join(parts) + "\n"


def as_json(record: BattleRecord) -> str:
    """The battle with every event, for programs. Times are UTC."""
    data: JsonObject = {
        "format": FORMAT,
        "id": record.token,
        **named_values(record, "system", "variant", "scenario"),
        "fought": record.fought_date.isoformat(),
        "turn": record.state.turn,
        "sides": [
            {
                "id": table.side.key,
                "name": table.side.name,
                "army": table.side.army or None,
                **named_values(table.side, "points", "size", "out"),
                "combatants": [
                    {
                        **named_values(line, "id", "name"),
                        "state": line.state_key,
                        "out": line.is_out,
                        "out_in": line.out_in or None,
                        "by": record.state.combatants[line.id].put_out_by,
                        "kills": line.kills,
                    }
                    for line in table.lines
                ],
            }
            for table in side_tables(record)
        ],
        "result": {
            **named_values(record.result, "status", "winner"),
            "how": record.result.how or None,
        },
        # This format has written moments with an offset from its beginning, never with a Z.
        "events": [
            {
                **named_values(event, *KEYS),
                "at": datetime.fromisoformat(event.at).isoformat(),
                "verdict": event.verdict or None,
            }
            for event in record.events
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def as_csv(record: BattleRecord) -> str:
    """One line for each combatant. No cell begins a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(["side", "name", "profile", "state", "out", "out in", "by", "took out"])
    for table in side_tables(record):
        for line in table.lines:
            cells = [table.side.name, line.name, line.title, line.state]
            cells += ["yes" if line.is_out else "no", str(line.out_in or "")]
            rows.writerow(map(safe_cell, [*cells, line.by, str(line.kills)]))
    return out.getvalue()


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it and never works it out."""
    # Spaces before a sign do not keep a spreadsheet from taking it for a formula.
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


KINDS: dict[str, tuple[Callable[[BattleRecord], str], str, str, bool]] = {
    "txt": (as_text, "text/plain", "Copy as text", True),
    "md": (as_markdown, "text/markdown", "Markdown", True),
    "json": (as_json, "application/json", "JSON", False),
    "csv": (as_csv, "text/csv", "CSV", False),
}
"""What writes a kind of file, its type, its label, and whether it is copied rather than saved."""


def _facts(record: BattleRecord) -> str:
    """Return scenario, system and day of the battle, joined with commas."""
    day = f"{record.fought_date.day} {record.fought_date:%B %Y}"
    return ", ".join(filter(None, (record.scenario_name, record.system_name, day)))


# The battle as the recorder takes it


def build_bundle(record: BattleRecord) -> JsonObject:
    """Rules, sides, events and the state of the result. `rules` are the tables the fold goes by."""
    rules = record.rules.to_json()
    events = first_events(record.events)
    # As locked, with what a recorder shows of each combatant. ``leadership`` comes of the record,
    # which hides it for secret lists.
    sides = [
        {
            **locked,
            "leadership": side.leadership,
            "army": side.army_name,
            "combatants": [
                {**fighter, **named_values(record.fighters[fighter["id"]], *_TOLD)}
                for fighter in locked["combatants"]
            ],
        }
        for side, locked in zip(record.sides, record.field.to_json()["sides"], strict=True)
    ]
    return {
        "id": record.token,
        "title": record.title,
        **named_values(record, "system", "variant"),
        "rules": rules,
        "phases": rules["phases"],
        "states": list(rules["states"].values()),
        "sides": sides,
        **named_values(record, "scenario", "scenario_name", "house_rules"),
        "rulings": in_force(record.ruling_layers),
        "ruling_sources": sources(record.ruling_layers),
        "attacker": record.attacker or None,
        "first": record.first or None,
        **events,
        "position": events["position"] if events["more"] else record.position,
        "result": named_values(record.result, "status", "winner", "how"),
    }


def first_events(events: Iterable[EventRecord]) -> JsonObject:
    """As many of these events, which stand as they arrived, as one answer holds.

    `position` is that of the last one told, from which the next answer goes on; `more` says
    whether there is anything to go on to.
    """
    answer: list[JsonObject] = []
    size, position = 0, 0
    for event in events:
        data = named_values(event, *KEYS, "position", "author")
        # The bytes of an event in the page of the recorder, where a sign may be written as
        # six.
        text = json.dumps(data)
        size += len(text) + 5 * sum(map(text.count, "<>&"))
        if answer and size > EVENTS_BYTES:
            return {"events": answer, "position": position, "more": True}
        answer.append(data)
        position = event.position
    return {"events": answer, "position": position, "more": False}


def battle_files(user_id: int) -> Iterator[DataFile]:
    """Each battle they set up or fought, with its events, as `export.json` has it."""
    owner = Owner(user_id=user_id)
    theirs = Q(owner=user_id) | Q(sides__owner=user_id)
    tokens = Battle.objects.filter(theirs).order_by("pk").distinct()
    for token in list(tokens.values_list("token", flat=True)):
        record = load_battle(owner, token)
        if record is not None:
            yield f"battles/{token}", json.loads(as_json(record))
