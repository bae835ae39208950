"""Rulings, guidelines, charts and magic items for programs."""

from typing import Any

import pytest
from django.test import Client

from rulesdata import registry
from tests.api.conftest import is_refusal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_books")]

API = "/api/v1/"
PARTS = ("rulings", "guidelines", "charts")


def rows_of(program: Client, address: str) -> list[dict[str, Any]]:
    answer = program.get(f"{API}{address}")
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


@pytest.mark.parametrize("part", PARTS)
def test_list_holds_every_system_once(program: Client, part: str) -> None:
    rows = rows_of(program, f"{part}/?page_size=200")
    books = [registry.load_base(key) for key in registry.systems()]
    assert len(rows) == sum(len(getattr(one, part)) for one in books)
    assert {row["system"] for row in rows} <= set(registry.systems())
    assert {row["variant"] for row in rows} == {None}


@pytest.mark.parametrize("part", PARTS)
def test_variant_is_asked_for_with_its_system(program: Client, part: str) -> None:
    asked = f"{part}/?system=mordheim-rulings&variant=A&page_size=200"
    rows = rows_of(program, asked)
    assert len(rows) == len(getattr(registry.load_system("mordheim-rulings", "A"), part))
    assert {row["variant"] for row in rows} == {"A"}
    for wrong in ("?system=nothing", "?variant=A", "?system=mordheim-rulings&variant=Z"):
        assert is_refusal(program.get(f"{API}{part}/{wrong}")), wrong
    assert program.get(f"{API}{part}/?page=99").status_code == 404
    assert program.get(f"{API}{part}/?page_size=201").status_code == 400


def test_ruling_is_the_one_of_the_book(program: Client) -> None:
    (ruling, *_) = registry.load_base("warhammer-skirmish").rulings
    (row, *_) = rows_of(program, "rulings/?system=warhammer-skirmish")
    assert row["ref"] == ruling.ref
    assert row["default"] == ruling.default
    assert row["alternatives"] == [*ruling.alternatives]
    assert row["values"] == [*ruling.values]


def test_guideline_is_the_one_findings_name(program: Client) -> None:
    rows = rows_of(program, "guidelines/?system=warhammer-skirmish&page_size=200")
    by_code = {row["code"]: row for row in rows}
    assert by_code["leader.missing"]["level"] == "error"
    assert all(row["message"] and row["level"] for row in rows)


def test_chart_is_told_row_by_row(program: Client) -> None:
    rows = rows_of(program, "charts/?system=warhammer-skirmish")
    chart = next(row for row in rows if row["key"] == "to-wound")
    printed = registry.load_base("warhammer-skirmish").charts["to-wound"]
    assert chart["columns"] == [*printed.columns]
    assert {row["name"]: row["figures"] for row in chart["rows"]} == {
        name: [*figures] for name, figures in printed.rows.items()
    }


def test_magic_items_are_those_of_the_armies(program: Client) -> None:
    rows = rows_of(program, "magic-items/?army=the-empire&page_size=200")
    items = registry.load_army("warhammer-skirmish", "the-empire").magic_items
    assert {row["option"]: row["points"] for row in rows} == {
        item.option_key: item.points for item in items.values()
    }
    assert [row["points"] for row in rows] == sorted(
        (row["points"] for row in rows), reverse=True
    )
    name = rows[0]["name"].split()[0]
    found = rows_of(program, f"magic-items/?army=the-empire&search={name}")
    assert rows[0] in found
    assert len(found) < len(rows)
    assert rows_of(program, "magic-items/?system=d10-skirmish") == []
    assert is_refusal(program.get(f"{API}magic-items/?army=nothing"))
    assert is_refusal(program.get(f"{API}magic-items/?search={'x' * 101}"))
