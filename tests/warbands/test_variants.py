"""Warbands of systems with several texts, or with tags: made, changed, undone, copied, drawn, out
and in again.
"""

import json

import pytest
from django.test import Client

from accounts.errors import FaultyDocument, Refusal
from accounts.owner import Owner
from engine.roster import Roster
from rulesdata import registry
from tests.factories import as_words, make_owner
from warbands.exchange import document, text
from warbands.exchange.document import to_document
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    change_warband,
    create_warband,
    duplicate_warband,
    import_document,
    replace_roster,
    undo_last_change,
)
from warbands.operations.warriors import WarriorDraft, add_warrior, set_leader
from warbands.pdf.documents import roster_pdf
from warbands.queries.profile_picker import choices_for, load_picker
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db
RULINGS, DRAFT = "mordheim-rulings", "mordheim-draft"
BOOKS = [(DRAFT, None), (RULINGS, "A"), (RULINGS, "B"), (RULINGS, "C")]


def make_band(actor: Owner, system: str, variant: str | None) -> str:
    done = create_warband(
        WriteContext(actor),
        Roster(system, "the-empire", variant=variant, name="Rats", points_limit=250),
    )
    done = add_warrior(WriteContext(actor, done.token), WarriorDraft("captain"))
    assert done.warrior_id is not None
    set_leader(WriteContext(actor, done.token), done.warrior_id)
    add_warrior(WriteContext(actor, done.token), WarriorDraft("halberdiers", count=5))
    return done.token


@pytest.mark.parametrize("system, variant", BOOKS)
def test_warband_is_built_checked_printed_and_shared(system, variant):
    actor = make_owner()
    token = make_band(actor, system, variant)
    record = load_warband(actor, token)
    assert record is not None
    assert (record.roster.variant, record.models, record.errors) == (variant, 6, 0)
    sheet = sheet_of(record)
    full_name = registry.load_system(system, variant).full_name
    assert sheet.system_name == full_name
    assert full_name in as_words(text.as_text, sheet)
    assert roster_pdf(sheet, "a4", ("roster", "cards", "reference")).startswith(b"%PDF")
    assert choices_for(record, record.roster.warriors[0].id or 0) is not None
    assert load_picker(record)
    data = to_document(record.roster)
    assert data["variant"] == variant
    copy = import_document(WriteContext(actor), json.loads(json.dumps(data)))
    assert copy.record is not None
    assert document.to_document(copy.record.roster) == data


@pytest.mark.parametrize(
    "system, variant", [(RULINGS, None), (RULINGS, "D"), (DRAFT, "A"), (RULINGS, "")]
)
def test_wrong_variant_is_refused_and_nothing_is_made(system, variant):
    with pytest.raises(Refusal) as refused:
        create_warband(
            WriteContext(make_owner()), Roster(system, "the-empire", variant=variant)
        )
    assert refused.value.field == "variant"
    assert ("A, B, C" in refused.value.message) == (system == RULINGS)
    data = {
        "format": "muster-roll/1",
        "system": system,
        "army": "the-empire",
        "variant": variant,
        "warriors": [],
    }
    with pytest.raises(FaultyDocument) as wrong:
        document.parse(data)
    assert [fault.path for fault in wrong.value.faults] == ["variant"]
    assert not Warband.objects.exists()


def test_document_of_another_text_does_not_replace_a_warband() -> None:
    actor = make_owner()
    token = make_band(actor, RULINGS, "A")
    record = load_warband(actor, token)
    assert record is not None
    with pytest.raises(FaultyDocument, match="variant"):
        replace_roster(
            WriteContext(actor, token), {**to_document(record.roster), "variant": "B"}
        )


def test_tags_are_kept_changed_undone_and_drawn() -> None:
    actor = make_owner()
    done = create_warband(
        WriteContext(actor), Roster(DRAFT, "the-empire", tags=("middenheim",))
    )
    assert done.record is not None
    assert done.record.roster.tags == ("middenheim",)
    assert to_document(done.record.roster)["tags"] == ["middenheim"]
    changed = change_warband(
        WriteContext(actor, done.token), tags=["reikland", "marienburg"]
    )
    assert changed.record is not None
    assert sheet_of(changed.record).tags == ("Reikland", "Marienburg")
    assert "Reikland" in as_words(text.as_text, sheet_of(changed.record))
    undone = undo_last_change(WriteContext(actor, done.token))
    assert undone.record is not None
    assert undone.record.roster.tags == ("middenheim",)
    copy = duplicate_warband(WriteContext(actor, done.token))
    assert copy.record is not None
    assert copy.record.roster.tags == ("middenheim",)


@pytest.mark.parametrize("system, variant, tags, path", [
    (DRAFT, None, ["altdorf"], "tags[0]"),
    (DRAFT, None, ["reikland", "reikland"], "tags[1]"),
    (DRAFT, None, "reikland", "tags"),
    (DRAFT, None, [3], "tags[0]"),
    (RULINGS, "A", ["reikland"], "tags[0]"),
    (DRAFT, None, None, "tags"),
])  # fmt: skip
def test_unknown_tags_are_faults(system, variant, tags, path):
    data = {
        "format": "muster-roll/1", "system": system, "army": "the-empire", "variant": variant, "warriors": [],
        "tags": tags,
    }  # fmt: skip
    with pytest.raises(FaultyDocument) as wrong:
        document.parse(data)
    assert path in [fault.path for fault in wrong.value.faults]


def test_unknown_tag_is_refused() -> None:
    with pytest.raises(Refusal, match="not a tag"):
        create_warband(
            WriteContext(make_owner()), Roster(DRAFT, "the-empire", tags=("altdorf",))
        )


def test_new_warband_page_asks_for_the_text(client: Client) -> None:
    page = client.get(
        "/warbands/new/?system=mordheim-rulings.B&army=dwarfs"
    ).content.decode()
    assert '<option value="B" selected>' in page
    sent = {"system": RULINGS, "army": "dwarfs", "limit": "250", "key": "k1"}
    missing = client.post("/warbands/new/", sent)
    assert missing.status_code == 400
    assert client.post("/warbands/new/", {**sent, "variant": "Z"}).status_code == 400
    assert client.post("/warbands/new/", {**sent, "variant": "B"}).status_code == 302
    assert Warband.objects.get().variant == "B"


def test_new_warband_page_offers_tags_where_there_are_some(client: Client) -> None:
    assert (
        "Middenheim" in client.get("/warbands/new/?system=mordheim-draft").content.decode()
    )
    assert 'name="tags"' not in client.get("/warbands/new/").content.decode()
    sent = {
        "system": DRAFT,
        "army": "dwarfs",
        "limit": "250",
        "key": "k2",
        "tags": ["reikland"],
    }
    made = client.post("/warbands/new/", sent)
    assert made.status_code == 302
    assert Warband.objects.get().tags == ["reikland"]
    assert "Reikland" in client.get(made.url).content.decode()


@pytest.mark.parametrize(
    "address",
    ["mordheim-draft", "mordheim-rulings.A", "mordheim-rulings.B", "mordheim-rulings.C"],
)
def test_starters_of_every_text_can_be_taken_over(client: Client, address: str) -> None:
    page = client.get(f"/warbands/starters/?system={address}")
    assert page.status_code == 200
    key = f"{address}--dwarfs"
    assert key in page.content.decode()
    made = client.post("/warbands/starters/use/", {"starter": key, "key": "k3"})
    assert made.status_code == 302
    assert client.get(made.url).status_code == 200
    warband = Warband.objects.get()
    assert (warband.system, warband.variant) == tuple(f"{address}.".split(".")[:2])
    assert warband.errors == 0
