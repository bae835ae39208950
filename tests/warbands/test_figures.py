"""Uncertain figures: acknowledged by the owner, shown grey, no warning, and withdrawn again."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.errors import NotFound, Refusal, Stale
from battles.operations.sides import keep_snapshot
from engine.findings.case import Finding
from tests.factories import (
    make_person,
    make_user,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.warbands.conftest import HTMX, url
from warbands.exchange.document import to_document
from warbands.models import AcknowledgedFigure, Warband, WarbandEvent
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    acknowledge_figures,
    duplicate_warband,
    withdraw_acknowledgement,
)
from warbands.pdf.header import finding_lines as printed_lines
from warbands.queries.warbands import sheet_of

pytestmark = pytest.mark.django_db
ARMY, UNCERTAIN, OTHER = "skaven", "warlock-engineer", "eshin-sorcerer"
"""Wizards whose level no source states."""


@pytest.fixture
def roster() -> Warband:
    """A Skaven warband with a wizard of no stated level, its person's own."""
    made = make_warband(actor=make_person(user=make_user(name="Ada")), army=ARMY)
    make_warrior(warband=made, profile=UNCERTAIN)
    made.refresh_from_db()
    return made


def told(warband: Warband) -> Finding:
    found = sheet_of(record_of(warband)).findings
    return next(one for one in found if one.code == "profile.incomplete")


def change(operation: Callable[..., Any], warband: Warband, **fields: Any) -> Any:
    done = operation(WriteContext(owner_of(warband), warband.token, **fields))
    warband.refresh_from_db()
    return done


def test_acknowledged_figures_are_no_warning_until_withdrawn(roster: Warband) -> None:
    before = roster.warnings
    assert (told(roster).level, told(roster).acknowledged_by) == ("warning", "")
    change(acknowledge_figures, roster)
    row = AcknowledgedFigure.objects.get()
    assert (row.profile, row.author_id) == (UNCERTAIN, roster.owner_id)
    found = told(roster)
    assert found.level == "note"
    assert found.acknowledged_by == f"Ada, {row.at:%-d %B %Y}"
    assert (roster.warnings, roster.notes) == (before - 1, roster.notes)
    sheet = sheet_of(record_of(roster))
    assert not any(found.message[:20] in line for line in printed_lines(sheet, 10))
    change(withdraw_acknowledgement, roster)
    assert (told(roster).level, roster.warnings) == ("warning", before)
    verbs = WarbandEvent.objects.filter(warband=roster).values_list("verb", flat=True)
    assert list(verbs[:2]) == ["withdraw_acknowledgement", "acknowledge_figures"]
    # Withdrawn again it changes nothing.
    assert change(withdraw_acknowledgement, roster).changed is False


def test_another_uncertain_figure_is_a_warning_again(roster: Warband) -> None:
    change(acknowledge_figures, roster)
    make_warrior(warband=roster, profile=UNCERTAIN)
    assert told(roster).level == "note"
    make_warrior(warband=roster, profile=OTHER)
    roster.refresh_from_db()
    assert told(roster).level == "warning"
    change(acknowledge_figures, roster)
    assert told(roster).level == "note"
    assert AcknowledgedFigure.objects.count() == 2


def test_totals_that_are_stored_follow(roster: Warband) -> None:
    change(acknowledge_figures, roster)
    make_warrior(warband=roster, profile="clanrats")
    roster.refresh_from_db()
    stored = roster.warnings
    Warband.objects.update(warnings=99)
    call_command("recount_warbands")
    roster.refresh_from_db()
    assert roster.warnings == stored == sheet_of(record_of(roster)).warnings


def test_acknowledging_is_the_owners_and_of_the_version_seen(roster: Warband) -> None:
    with pytest.raises(NotFound):
        acknowledge_figures(WriteContext(make_person(), roster.token))
    with pytest.raises(Stale):
        change(acknowledge_figures, roster, version=roster.version - 1)
    certain = make_warband(army=ARMY)
    with pytest.raises(Refusal, match="No figure of this roster is uncertain"):
        change(acknowledge_figures, certain)
    first = change(acknowledge_figures, roster, key="k")
    assert change(acknowledge_figures, roster, key="k").is_repeat
    assert change(acknowledge_figures, roster).changed is False
    assert roster.version == first.version


def test_copies_and_documents_are_without_it(roster: Warband) -> None:
    plain = to_document(record_of(roster).roster)
    change(acknowledge_figures, roster)
    assert to_document(record_of(roster).roster) == plain
    done = duplicate_warband(WriteContext(owner_of(roster), roster.token))
    copy = Warband.objects.get(token=done.token)
    assert told(copy).level == "warning"
    sheet = sheet_of(record_of(roster))
    kept = keep_snapshot(plain, sheet, warband_id=roster.pk, version=roster.version)
    assert any(one.get("acknowledged_by") for one in kept.sheet["findings"])


def test_visitor_acknowledges_without_a_name() -> None:
    made = make_warband(army=ARMY)
    make_warrior(warband=made, profile=UNCERTAIN)
    change(acknowledge_figures, made)
    assert told(made).acknowledged_by.startswith("The owner, ")


def test_roster_without_uncertain_figures_asks_no_query_more(django_assert_num_queries):
    plain = make_warband(army=ARMY)
    make_warrior(warband=plain, profile="clanrats")
    with django_assert_num_queries(3):
        record_of(plain)
    make_warrior(warband=plain, profile=UNCERTAIN)
    with django_assert_num_queries(4):
        record_of(plain)


def test_page_has_a_button_and_shows_it_grey(client: Client, roster: Warband) -> None:
    assert roster.owner is not None
    client.force_login(roster.owner)
    page = client.get(url("warband-read", roster)).content.decode()
    assert "Acknowledge figures" in page
    assert "Withdraw acknowledgement" not in page
    sent = {"version": str(roster.version), "key": "k"}
    parts = client.post(url("figures-acknowledge", roster), sent, headers=HTMX)
    answer = parts.content.decode()
    assert 'data-level="acknowledged"' in answer
    assert "Acknowledged: Ada, " in answer
    assert "Withdraw acknowledgement" in answer
    assert "tag is-acknowledged" in answer
    sheet = client.get(url("sheet-read", roster)).content.decode()
    assert "in your own book" not in sheet
    back = client.post(url("figures-withdraw", roster), {})
    assert back.headers["Location"] == url("warband-read", roster)
    assert "Acknowledge figures" in client.get(url("warband-read", roster)).content.decode()


def test_who_reads_it_gets_no_button(client: Client, roster: Warband) -> None:
    Warband.objects.update(visibility="link")
    change(acknowledge_figures, roster)
    page = client.get(url("warband-read", roster)).content.decode()
    assert "Withdraw acknowledgement" not in page
    assert "Acknowledge figures" not in page
