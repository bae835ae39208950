"""A gang of a catalogue's list under both Mordheim systems: built, checked, printed, played."""

import io
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from accounts.models import Club, User
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide, WarbandSide
from tests.battles.steps import propose_result
from tests.factories import make_person, make_warband, make_warrior
from tests.foreign.test_catalogue_pages import (  # noqa: F401  (fixtures)
    club,
    committed,
    make_list,
    send,
)
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.parametrize(
    "system, variant",
    [("mordheim-draft", None), ("mordheim-rulings", "A"), ("mordheim-rulings", "C")],
)
def test_a_gang_is_built_checked_printed_and_played(
    client: Client,
    club: Club,  # noqa: F811  (a fixture)
    send: Any,  # noqa: F811
    system: str,
    variant: str | None,
) -> None:
    army = make_list(client, club, send)
    actor = make_person(user=User.objects.get())
    gang = make_warband(
        actor=actor, system=system, variant=variant, army=army, name="Lamps"
    )
    # Six lighters are one more than the list allows, and nobody leads them.
    make_warrior(warband=gang, profile="lamplighters", count=6)
    record = load_warband(actor, gang.token)
    assert record is not None
    codes = {one.code for one in sheet_of(record).findings}
    assert {"list.minimum", "list.maximum"} <= codes
    page = client.get(f"/warbands/{gang.token}/").content.decode()
    assert "6 of Lamplighters; the army list allows 5." in page
    assert "/ 500 gc" in page

    make_warrior(warband=gang, profile="lamp-captain", is_leader=True)
    assert client.get(f"/warbands/{gang.token}/sheet/").status_code == 200
    pdf = client.get(f"/warbands/{gang.token}/sheet.pdf")
    words = PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    for said in ("Gold crowns", "Standing", "Lamp Captain", "of 500"):
        assert said in words

    sides = (WarbandSide(gang.token), QuickSide("Night Watch", 3, 7))
    battle = open_battle(actor, BattleDraft(system, sides, variant=variant)).token
    for name in ("", "record/", "table-pack.pdf"):
        assert client.get(f"/battles/{battle}/{name}").status_code == 200
    propose_result(actor, battle, winner="a", how="conceded")
    assert "Lamps won" in client.get(f"/battles/{battle}/").content.decode()
