"""The warband pages: what a change answers, with htmx and without, and how a warband is made and
managed.
"""

import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from rulesdata import registry
from tests.factories import make_person, record_of
from tests.warbands.conftest import HTMX, first, url
from warbands.exchange.document import to_document
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband
from warbands.operations.warriors import change_warrior, set_leader
from warbands.queries.lists import starters
from warbands.queries.profile_picker import fix_fields
from warbands.queries.warbands import sheet_of

pytestmark = pytest.mark.django_db


# Changes


def test_plain_form_redirects_and_htmx_gets_the_parts(warband, owner):
    plain = owner.post(url("warrior-add", warband), {"profile": "halberdiers"})
    assert (plain.status_code, plain.headers["Location"]) == (
        302,
        url("warband-read", warband),
    )
    parts = owner.post(
        url("warrior-add", warband), {"profile": "halberdiers"}, headers=HTMX
    )
    page = parts.content.decode()
    assert parts.status_code == 200
    for part in (
        'id="roster"', 'id="findings" hx-swap-oob="true"', 'id="points"', 'id="undo"',
    ):  # fmt: skip
        assert part in page
    assert "<html" not in page
    assert "Added Halberdier" in page


def test_stale_form_shows_the_newer_state_and_keeps_what_was_typed(warband, owner):
    captain, seen = first(warband), record_of(warband).version
    change_warrior(
        WriteContext(make_person(user=warband.owner), warband.token),
        captain.pk,
        name="Ostwin",
    )
    sent = {"name": "Somebody Else", "note": "Limps", "version": str(seen)}
    for headers in ({}, HTMX):
        answer = owner.post(
            url("warrior-change", warband, captain.pk), sent, headers=headers
        )
        page = answer.content.decode()
        assert answer.status_code == 409
        assert "Ostwin" in page
        assert "Somebody Else" in page
        assert "Limps" in page
        assert "Make my change anyway" in page
    captain.refresh_from_db()
    assert captain.name == "Ostwin"


def test_stale_details_keep_what_was_typed(warband: Warband, owner: Client) -> None:
    seen = record_of(warband).version
    change_warband(
        WriteContext(make_person(user=warband.owner), warband.token), name="Newer"
    )
    answer = owner.post(
        url("warband-change", warband),
        {"name": "Typed", "limit": "150", "version": str(seen)},
    )
    page = answer.content.decode()
    assert answer.status_code == 409
    assert 'value="Typed"' in page
    assert "Newer" in page


def test_form_sent_twice_acts_once(warband: Warband, owner: Client) -> None:
    sent = {
        "profile": "halberdiers",
        "key": "page-1",
        "version": str(record_of(warband).version),
    }
    before = record_of(warband).models
    for _ in range(3):
        assert owner.post(url("warrior-add", warband), sent).status_code == 302
    assert record_of(warband).models == before + 1


def test_one_page_key_serves_different_buttons(warband: Warband, owner: Client) -> None:
    before = record_of(warband).models
    for profile in ("halberdiers", "archers"):
        owner.post(url("warrior-add", warband), {"profile": profile, "key": "page-1"})
    assert record_of(warband).models == before + 2


def test_count_of_none_removes_and_undo_brings_back(warband, owner):
    captain = first(warband)
    owner.post(url("warrior-count", warband, captain.pk), {"count": "0"})
    assert record_of(warband).index_of(captain.pk) is None
    assert "Undo" in owner.get(url("warband-read", warband)).content.decode()
    owner.post(url("change-undo", warband))
    assert record_of(warband).index_of(captain.pk) == 0


def test_options_one_by_one_and_all_at_once(warband: Warband, owner: Client) -> None:
    captain = first(warband)

    def options() -> set[str]:
        place = record_of(warband).index_of(captain.pk)
        assert place is not None
        return set(record_of(warband).roster.warriors[place].options)

    where = url("warrior-options", warband, captain.pk)
    owner.post(where, {"group": "armour", "option": "heavy-armour"})
    assert options() == {"halberd", "heavy-armour"}
    owner.post(where, {"take": "shield"})
    owner.post(where, {"leave": "halberd"})
    assert options() == {"heavy-armour", "shield"}
    prefix = f"c{captain.pk}"
    owner.post(where, {f"{prefix}-1": "light-armour", f"{prefix}-2": "", "kept": ""})
    assert options() == {"light-armour"}
    owner.post(
        url("warrior-swap", warband, captain.pk), {"swap": "light-armour plate-armour"}
    )
    assert options() == {"plate-armour"}


def test_fix_of_a_finding(warband: Warband, owner: Client) -> None:
    set_leader(WriteContext(make_person(user=warband.owner), warband.token), None)
    record = record_of(warband)
    finding = next(f for f in sheet_of(record).findings if f.code == "leader.missing")
    owner.post(url("finding-fix", warband), fix_fields(record, finding.fixes[0]))
    assert record_of(warband).errors == 0


def test_warrior_page_works_without_script(warband: Warband, owner: Client) -> None:
    captain = first(warband)
    page = owner.get(url("warrior-read", warband, captain.pk)).content.decode()
    assert "What makes up these" in page
    assert "Save these options" in page
    row = owner.get(url("warrior-read", warband, captain.pk), headers=HTMX).content.decode()
    assert row.strip().startswith("<li")
    answer = owner.post(
        url("warrior-change", warband, captain.pk),
        {"name": "Ostwin", "open": str(captain.pk)},
    )
    assert answer.headers["Location"] == url("warrior-read", warband, captain.pk)


# Managing


def test_archive_restore_delete(warband: Warband, owner: Client) -> None:
    owner.post(url("warband-archive", warband))
    assert (
        "Ferrymen"
        not in owner.get(reverse("warband-list")).content.decode().split("<main")[1]
    )
    assert "Ferrymen" in owner.get(reverse("warband-list") + "?archived=1").content.decode()
    assert "Restore" in owner.get(url("warband-read", warband)).content.decode()
    owner.post(url("warband-restore", warband))
    assert (
        owner.post(url("warband-delete", warband), {"typed_name": "ferry"}).status_code
        == 400
    )
    assert Warband.objects.filter(pk=warband.pk).exists()
    assert (
        owner.post(url("warband-delete", warband), {"typed_name": "Ferrymen"}).status_code
        == 302
    )
    assert not Warband.objects.filter(pk=warband.pk).exists()


def test_details(warband: Warband, owner: Client) -> None:
    rule = "rule-" + next(iter(_house_rules()))
    sent = {
        "name": "Boatmen",
        "limit": "other",
        "other_limit": "175",
        "note": "Ours",
        rule: "on",
    }
    assert owner.post(url("warband-change", warband), sent).status_code == 302
    record = record_of(warband)
    assert (record.roster.name, record.roster.points_limit, record.roster.note) == (
        "Boatmen",
        175,
        "Ours",
    )
    assert record.roster.house_rules[rule.removeprefix("rule-")] is True


def _house_rules() -> list[str]:
    return [rule.key for rule in registry.load_system("warhammer-skirmish").house_rules]


def test_share_link_is_shown(warband: Warband, owner: Client) -> None:
    owner.post(url("warband-share", warband), {"visibility": "link"})
    assert (
        f"{settings.SITE_URL}{url('warband-read', warband)}"
        in owner.get(url("warband-share", warband)).content.decode()
    )
    assert record_of(warband).visibility == "link"


# Making


def test_starter_is_taken_over() -> None:
    client, starter = Client(), starters()[0]
    answer = client.post(reverse("starter-use"), {"starter": starter.key})
    assert answer.status_code == 302
    page = client.get(answer.headers["Location"]).content.decode()
    assert f'data-models="{starter.sheet.models}"' in page
    assert client.post(reverse("starter-use"), {"starter": "none"}).status_code == 404


def test_import_of_text_and_of_a_file(warband: Warband) -> None:
    document = json.dumps(to_document(record_of(warband).roster))
    client = Client()
    pasted = client.post(reverse("warband-import"), {"text": document})
    assert pasted.status_code == 302
    file = SimpleUploadedFile("roster.json", document.encode(), "application/json")
    sent = client.post(reverse("warband-import"), {"file": file})
    assert sent.status_code == 302
    for answer in (pasted, sent):
        exported = client.get(answer.headers["Location"] + "roster.json").json()
        assert exported == json.loads(document)


@pytest.mark.parametrize("text,told", [
    ("", "Paste a list here"), ("{", "not JSON"),
    ("[1]", "holds 0 lists of Old World Builder"),
    ('{"format": "muster-roll/2"', "not JSON"),
    ('{"format": "muster-roll/1", "format": "x"}', "occurs twice"),
    ('{"points_limit": NaN}', "NaN"),
    ("[" * 960, "nested deeper"),
    ('{"points_limit": ' + "9" * 5000 + "}", "digits"),
    (
        '{"format": "muster-roll/1", "warriors": [{"profile": "x", "count": 0}]}',
        "warriors[0].count",
    ),
    ('{"format": "muster-roll/2", "name": "\\u0000"}', "U+0000"),
    ('{"format": "muster-roll/2", "name": "\\ud800"}', "surrogate"),
])  # fmt: skip
def test_import_lists_faults_and_keeps_the_text(text: str, told: str) -> None:
    answer = Client().post(reverse("warband-import"), {"text": text})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert told in page
    assert Warband.objects.count() == 0
    assert escape(text) in page


def test_import_refuses_a_large_file() -> None:
    document = b'{"format": "muster-roll/1"}'
    for content, limit in (
        (document + b" " * 1_048_577, "1 MB"),
        (b" " * 4_194_305, "4 MB"),
    ):
        file = SimpleUploadedFile("roster.json", content, "application/json")
        answer = Client().post(reverse("warband-import"), {"file": file})
        assert answer.status_code == 400
        assert limit in answer.content.decode()
