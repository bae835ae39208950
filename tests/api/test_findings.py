"""Findings of a document as `check/` tells them: their level, their source, their warriors."""

import pytest

from tests.api.conftest import warrior

CAPTAIN = warrior("captain", "halberd", leader=True)
FORCE, DESIGN = "THE SKIRMISH FORCE", "DESIGNING SCENARIOS"
OURS = "Warhammer Skirmish"


def told(code, level, source, warriors, *entries, army="the-empire", **fields):
    return pytest.param(
        code,
        level,
        source,
        warriors,
        entries,
        {"army": army, **fields},
        id=f"{code}-{army}",
    )


# tests/engine/test_findings.py has a case of every code, and tests/vectors/rosters.json many more.
CASES = [
    told("points.over_limit", "error", None, [], CAPTAIN, points_limit=53),
    told("leader.missing", "error", (FORCE, "F000-05"), [1], warrior("halberdiers"),
        warrior("captain")),
    told("leader.below_troops", "note", ("LEADERS", "F000-07"), [1],
        warrior("halberdiers", leader=True), warrior("greatswords")),
    told("wizard.count", "warning", (DESIGN, "F000-03", "F000-20"), [1, 2], CAPTAIN,
        warrior("battle-wizard"), warrior("battle-wizard")),
    told("type.chariot", "warning", (DESIGN, "F000-15"), [0], warrior("chariots"),
        army="tomb-kings"),
]  # fmt: skip


@pytest.mark.parametrize("code,level,source,warriors,entries,fields", CASES)
def test_finding_has_its_level_source_and_warriors(
    check, code, level, source, warriors, entries, fields
):
    (finding,) = [f for f in check(*entries, **fields)["findings"] if f["code"] == code]
    assert finding["level"] == level
    assert finding["warriors"] == warriors
    assert finding["source"].startswith(OURS)
    if source:
        assert all(part in finding["source"] for part in source)
    else:
        assert "F000" not in finding["source"]
    assert finding["message"].endswith((".", "!"))
