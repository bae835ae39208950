"""A battle as text, Markdown, JSON and CSV, for chats, notes and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from battles.presenters import CombatantLine, side_tables, standing_words, turn_blocks
from battles.queries.records import BattleRecord

FORMAT = "muster-roll-battle/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a spreadsheet takes for the beginning of a formula."""
MARKDOWN = r"\`*_{}[]<>#|!~&"


def as_text(record: BattleRecord) -> str:
    """The battle in plain lines, short enough for a chat."""
    lines = [record.title, _facts(record), f"{standing_words(record)}.", ""]
    for table in side_tables(record):
        lines.append(
            f"{table.side.name}: {table.side.out} of {table.side.size} out, {table.kills} put out"
        )
        lines += [f"  {test}" for test in table.tests]
        lines += [f"  {line.name}: {', '.join(_fate_words(record, line))}" for line in table.told]
    return "\n".join(lines).strip() + "\n"


def as_markdown(record: BattleRecord) -> str:
    """The whole battle with its timeline."""
    parts = [
        f"# {markdown_line(record.title)}",
        markdown_line(_facts(record)),
        f"**{markdown_line(standing_words(record))}**",
    ]
    for table in side_tables(record):
        parts.append(f"## {markdown_line(table.side.name)}")
        rows = ["| name | state | out in | by | put out |", "|---|---|---|---|---|"]
        for line in table.lines:
            cells = [line.name, line.state, str(line.out_in or ""), line.by, str(line.kills or "")]
            rows.append(f"| {' | '.join(markdown_line(cell) for cell in cells)} |")
        parts.append("\n".join(rows))
        parts += [f"{markdown_line(test)}." for test in table.tests]
    turn = record.rules.turn_name
    parts.append(f"## {turn} by {turn.lower()}")
    for block in turn_blocks(record):
        parts.append(f"### {markdown_line(', '.join(filter(None, (block.title, block.side))))}")
        parts.append("\n".join(f"- {markdown_line(told.entry.text)}" for told in block.entries))
    return "\n\n".join(parts) + "\n"


def as_json(record: BattleRecord) -> str:
    """The battle with every event, for programs. Times are UTC."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "id": record.token,
        "system": record.system,
        "variant": record.variant,
        "scenario": record.scenario,
        "fought": record.fought_date.isoformat(),
        "turn": record.state.turn,
        "sides": [
            {
                "id": table.side.key,
                "name": table.side.name,
                "army": table.side.army or None,
                "points": table.side.points,
                "size": table.side.size,
                "out": table.side.out,
                "combatants": [
                    {
                        "id": line.id,
                        "name": line.name,
                        "state": line.state_key,
                        "out": line.is_out,
                        "out_in": line.out_in or None,
                        "by": record.combatant_state(line.id).put_out_by,
                        "kills": line.kills,
                    }
                    for line in table.lines
                ],
            }
            for table in side_tables(record)
        ],
        "result": {
            "status": record.result.status,
            "winner": record.result.winner,
            "how": record.result.how or None,
        },
        "events": [
            {
                "id": event.id,
                "device": event.device,
                "seq": event.seq,
                "at": event.at.isoformat(),
                "kind": event.kind,
                "payload": dict(event.payload),
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
    rows.writerow(["side", "name", "profile", "state", "out", "out in", "by", "put out"])
    for table in side_tables(record):
        for line in table.lines:
            cells = [
                table.side.name,
                line.name,
                line.title,
                line.state,
                "yes" if line.is_out else "no",
            ]
            rows.writerow(
                [
                    safe_cell(cell)
                    for cell in [*cells, str(line.out_in or ""), line.by, str(line.kills)]
                ]
            )
    return out.getvalue()


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it and never works it out."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


KINDS: dict[str, tuple[Callable[[BattleRecord], str], str]] = {
    "txt": (as_text, "text/plain"),
    "md": (as_markdown, "text/markdown"),
    "json": (as_json, "application/json"),
    "csv": (as_csv, "text/csv"),
}


def _facts(record: BattleRecord) -> str:
    day = f"{record.fought_date.day} {record.fought_date:%B %Y}"
    return ", ".join(part for part in (record.scenario_name, record.system_name, day) if part)


def _fate_words(record: BattleRecord, line: CombatantLine) -> list[str]:
    """What became of a combatant, piece by piece."""
    turn = f"{record.rules.turn_name.lower()} {line.out_in}" if line.out_in else ""
    by, kills = f"by {line.by}" if line.by else "", f"{line.kills} put out" if line.kills else ""
    return [part for part in (line.state.lower(), turn, by, line.kept.lower(), kills) if part]


def markdown_line(text: str) -> str:
    """Text on one line that Markdown leaves alone."""
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in " ".join(text.split()))
