"""Variants and tags for programs: needed, refused, and what they change."""

from typing import Any

import pytest

from rulesdata import registry
from tests.api.conftest import document, is_refusal, warrior
from tests.rulebooks import load_books

RULINGS, DRAFT = "mordheim-rulings", "mordheim-draft"


@pytest.mark.parametrize(
    "system, variant",
    [(RULINGS, None), (RULINGS, "D"), (DRAFT, "A"), ("warhammer-skirmish", "A")],
)
def test_wrong_variant_is_a_400(post: Any, system: str, variant: str | None) -> None:
    answer = post(document(warrior("halberdiers"), system=system, variant=variant))
    assert answer.status_code == 400
    assert is_refusal(answer)
    assert [error["field"] for error in answer.json()["errors"]] == ["variant"]
    assert ("A, B, C" in answer.json()["detail"]) == (system == RULINGS)


def test_findings_go_by_the_variant(post: Any) -> None:
    band = [warrior("halberdiers", "own-morning-star", "own-dwarf-armour")]
    codes = {}
    for variant in "ABC":
        answer = post(
            document(*band, system=RULINGS, variant=variant, points_limit=100)
        ).json()
        codes[variant] = {
            finding["code"] for finding in answer["findings"] if finding["level"] != "note"
        }
    assert codes["A"] == {"leader.missing", "option.unknown"}
    assert codes["B"] == {"weapon.difficult", "armour.dwarfs_only"}
    assert codes["C"] == {"option.unknown"}


@pytest.mark.django_db
def test_rule_book_answers_for_a_variant(client: Any) -> None:
    load_books()
    shared = client.get(f"/api/v1/systems/{RULINGS}/").json()
    assert [v["key"] for v in shared["variants"]] == ["A", "B", "C"]
    assert (shared["variant"], shared["rout"]) == (None, None)
    own = client.get(f"/api/v1/systems/{RULINGS}/?variant=A").json()
    assert (own["variant"], own["rout"]["denominator"]) == ("A", 4)
    assert client.get(f"/api/v1/systems/{RULINGS}/?variant=D").status_code == 400
    assert client.get(f"/api/v1/systems/{DRAFT}/?variant=A").status_code == 400
    page = client.get(
        f"/api/v1/weapons/?system={RULINGS}&variant=B&search=star&page_size=200"
    ).json()
    morning = next(row for row in page["results"] if row["key"] == "morning-star")
    assert morning["traits"]["difficult"] is True
    assert client.get("/api/v1/weapons/?variant=B").status_code == 400
    armour = client.get(f"/api/v1/armour/?system={RULINGS}&variant=B&page_size=200").json()
    assert {"dwarf-armour", "plate-armour"} <= {row["key"] for row in armour["results"]}
    profiles = client.get(f"/api/v1/profiles/?system={DRAFT}&army=dwarfs").json()
    assert profiles["count"] == len(registry.printed_army(DRAFT, "dwarfs").profiles)
