"""The warband pages: who sees what, what a change answers, what bad input gets."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.models import User
from rulesdata import registry
from tests.factories import make_legal_warband, make_person, make_user, make_warband, make_warrior, record_of
from warbands import operations, queries
from warbands.models import Visibility, Warband, Warrior

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
READING = [
    "warband-read",
    "sheet-read",
    "sheet-reference",
    "sheet-cards",
    "sheet-opponent",
    "sheet-blank",
    "roster-text",
    "roster-markdown",
    "roster-compact",
    "roster-json",
]
PRINTING = ["sheet-pdf", "blank-pdf"]
OWNERS_PAGES = ["warband-change", "warband-share", "warband-delete"]
OWNERS_CHANGES = [
    "warrior-add",
    "roster-sort",
    "finding-fix",
    "change-undo",
    "warband-archive",
    "warband-restore",
]
WARRIOR_CHANGES = [
    "warrior-change",
    "warrior-options",
    "warrior-lead",
    "warrior-duplicate",
    "warrior-split",
    "warrior-remove",
]


@pytest.fixture
def hanna() -> User:
    return make_user(name="Hanna")


@pytest.fixture
def warband(hanna: User) -> Warband:
    return make_legal_warband(actor=make_person(user=hanna), name="Ferrymen")


@pytest.fixture
def owner(hanna: User) -> Client:
    client = Client()
    client.force_login(hanna)
    return client


def url(name: str, warband: Warband, *more: object) -> str:
    return reverse(name, args=[warband.token, *more])


def first(warband: Warband) -> Warrior:
    found = Warrior.objects.filter(warband=warband).order_by("position").first()
    assert found is not None
    return found


# Who sees what


@pytest.mark.parametrize("name", READING + PRINTING)
def test_reading_is_for_the_owner_alone(name: str, warband: Warband, owner: Client) -> None:
    assert owner.get(url(name, warband)).status_code == 200
    assert Client().get(url(name, warband)).status_code == 404


@pytest.mark.parametrize("name", READING)
def test_link_opens_reading_to_everybody(name: str, warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.LINK)
    assert Client().get(url(name, warband)).status_code == 200


@pytest.mark.parametrize("name", OWNERS_PAGES)
def test_owners_pages_stay_the_owners_under_a_link(name: str, warband: Warband, owner: Client) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.PUBLIC)
    assert owner.get(url(name, warband)).status_code == 200
    assert Client().get(url(name, warband)).status_code == 404
    assert Client().post(url(name, warband)).status_code == 404


@pytest.mark.parametrize("name", OWNERS_CHANGES)
def test_readers_change_nothing(name: str, warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.PUBLIC)
    assert Client().post(url(name, warband), {"profile": "halberdiers", "action": "lead"}).status_code in (400, 404)
    assert record_of(warband).version == warband.version


@pytest.mark.parametrize("name", WARRIOR_CHANGES)
def test_readers_change_no_warrior(name: str, warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.PUBLIC)
    answer = Client().post(url(name, warband, first(warband).pk), {"name": "Mine"})
    assert answer.status_code == 404
    assert record_of(warband).version == warband.version


def test_pages_of_one_warband_are_kept_from_search_engines(warband: Warband, owner: Client) -> None:
    for name in READING + PRINTING + OWNERS_PAGES:
        assert "noindex" in owner.get(url(name, warband)).headers["X-Robots-Tag"], name


def test_reader_gets_no_builder_and_may_take_a_copy(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.LINK)
    reader = Client()
    page = reader.get(url("warband-read", warband)).content.decode()
    assert "Make my own copy" in page
    assert "Add Captain" not in page
    answer = reader.post(url("warband-duplicate", warband))
    assert answer.status_code == 302
    assert answer.headers["Location"] != url("warband-read", warband)
    assert "Add Captain" in reader.get(answer.headers["Location"]).content.decode()


def test_without_account_the_page_says_when_it_goes() -> None:
    client = Client()
    answer = client.post(reverse("warband-new"), {"system": "warhammer-skirmish", "army": "the-empire", "limit": "150"})
    assert "90 days" in client.get(answer.headers["Location"]).content.decode()


# Changes


def test_plain_form_redirects_and_htmx_gets_the_parts(warband: Warband, owner: Client) -> None:
    plain = owner.post(url("warrior-add", warband), {"profile": "halberdiers"})
    assert (plain.status_code, plain.headers["Location"]) == (302, url("warband-read", warband))
    parts = owner.post(url("warrior-add", warband), {"profile": "halberdiers"}, headers=HTMX)
    page = parts.content.decode()
    assert parts.status_code == 200
    for part in ('id="roster"', 'id="findings" hx-swap-oob="true"', 'id="points"', 'id="undo"'):
        assert part in page
    assert "<html" not in page
    assert "Added Halberdier" in page


def test_stale_form_shows_the_newer_state_and_keeps_what_was_typed(warband: Warband, owner: Client) -> None:
    captain, seen = first(warband), record_of(warband).version
    operations.change_warrior(make_person(user=warband.owner), warband.token, captain.pk, name="Ostwin")
    sent = {"name": "Somebody Else", "note": "Limps", "version": str(seen)}
    for headers in ({}, HTMX):
        answer = owner.post(url("warrior-change", warband, captain.pk), sent, headers=headers)
        page = answer.content.decode()
        assert answer.status_code == 409
        assert "Ostwin" in page
        assert "Somebody Else" in page
        assert "Limps" in page
        assert "Make my change all the same" in page
    captain.refresh_from_db()
    assert captain.name == "Ostwin"


def test_stale_details_keep_what_was_typed(warband: Warband, owner: Client) -> None:
    seen = record_of(warband).version
    operations.change_warband(make_person(user=warband.owner), warband.token, name="Newer")
    answer = owner.post(url("warband-change", warband), {"name": "Typed", "limit": "150", "version": str(seen)})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert 'value="Typed"' in page
    assert "Newer" in page


def test_form_sent_twice_acts_once(warband: Warband, owner: Client) -> None:
    sent = {"profile": "halberdiers", "key": "page-1", "version": str(record_of(warband).version)}
    before = record_of(warband).models
    for _ in range(3):
        assert owner.post(url("warrior-add", warband), sent).status_code == 302
    assert record_of(warband).models == before + 1


def test_one_page_key_serves_different_buttons(warband: Warband, owner: Client) -> None:
    before = record_of(warband).models
    for profile in ("halberdiers", "archers"):
        owner.post(url("warrior-add", warband), {"profile": profile, "key": "page-1"})
    assert record_of(warband).models == before + 2


def test_count_of_none_removes_and_undo_brings_back(warband: Warband, owner: Client) -> None:
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
    owner.post(url("warrior-swap", warband, captain.pk), {"swap": "light-armour plate-armour"})
    assert options() == {"plate-armour"}


def test_fix_of_a_finding(warband: Warband, owner: Client) -> None:
    operations.set_leader(make_person(user=warband.owner), warband.token, None)
    record = record_of(warband)
    finding = next(f for f in queries.sheet_of(record).findings if f.code == "leader.missing")
    owner.post(url("finding-fix", warband), queries.fix_fields(record, finding.fixes[0]))
    assert record_of(warband).errors == 0


def test_warrior_page_works_without_script(warband: Warband, owner: Client) -> None:
    captain = first(warband)
    page = owner.get(url("warrior-read", warband, captain.pk)).content.decode()
    assert "What makes up these" in page
    assert "Save these options" in page
    row = owner.get(url("warrior-read", warband, captain.pk), headers=HTMX).content.decode()
    assert row.strip().startswith("<li")
    answer = owner.post(url("warrior-change", warband, captain.pk), {"name": "Ostwin", "open": str(captain.pk)})
    assert answer.headers["Location"] == url("warrior-read", warband, captain.pk)


# Managing


def test_archive_restore_delete(warband: Warband, owner: Client) -> None:
    owner.post(url("warband-archive", warband))
    assert "Ferrymen" not in owner.get(reverse("warband-list")).content.decode().split("<main")[1]
    assert "Ferrymen" in owner.get(reverse("warband-list") + "?archived=1").content.decode()
    assert "Restore" in owner.get(url("warband-read", warband)).content.decode()
    owner.post(url("warband-restore", warband))
    assert owner.post(url("warband-delete", warband), {"typed_name": "ferry"}).status_code == 400
    assert Warband.objects.filter(pk=warband.pk).exists()
    assert owner.post(url("warband-delete", warband), {"typed_name": "Ferrymen"}).status_code == 302
    assert not Warband.objects.filter(pk=warband.pk).exists()


def test_details(warband: Warband, owner: Client) -> None:
    rule = "rule-" + next(iter(_house_rules()))
    sent = {"name": "Boatmen", "limit": "other", "other_limit": "175", "note": "Ours", rule: "on"}
    assert owner.post(url("warband-change", warband), sent).status_code == 302
    record = record_of(warband)
    assert (record.name, record.points_limit, record.note) == ("Boatmen", 175, "Ours")
    assert record.house_rules[rule.removeprefix("rule-")] is True


def _house_rules() -> list[str]:
    return [rule.key for rule in registry.load_system("warhammer-skirmish").house_rules]


def test_share_link_is_shown(warband: Warband, owner: Client) -> None:
    owner.post(url("warband-share", warband), {"visibility": "link"})
    assert (
        f"http://testserver{url('warband-read', warband)}" in owner.get(url("warband-share", warband)).content.decode()
    )
    assert record_of(warband).visibility == "link"


# Making


def test_starter_is_taken_over() -> None:
    client, starter = Client(), queries.starters()[0]
    answer = client.post(reverse("starter-use"), {"starter": starter.key})
    assert answer.status_code == 302
    page = client.get(answer.headers["Location"]).content.decode()
    assert f'data-models="{starter.models}"' in page
    assert client.post(reverse("starter-use"), {"starter": "none"}).status_code == 404


def test_import_of_text_and_of_a_file(warband: Warband) -> None:
    document = json.dumps(queries.document_of(record_of(warband)))
    client = Client()
    pasted = client.post(reverse("warband-import"), {"document": document})
    assert pasted.status_code == 302
    file = SimpleUploadedFile("roster.json", document.encode(), "application/json")
    sent = client.post(reverse("warband-import"), {"file": file})
    assert sent.status_code == 302
    for answer in (pasted, sent):
        exported = client.get(answer.headers["Location"] + "roster.json").json()
        assert exported == json.loads(document)


@pytest.mark.parametrize(
    "text,told",
    [
        ("", "Paste a roster document"),
        ("{", "not JSON"),
        ("[1]", "must be an object"),
        ('{"format": "muster-roll/1", "format": "x"}', "stands twice"),
        ('{"points_limit": NaN}', "NaN"),
        ("[" * 960, "nested deeper"),
        ('{"points_limit": ' + "9" * 5000 + "}", "digits"),
        ('{"format": "muster-roll/1", "warriors": [{"profile": "x", "count": 0}]}', "warriors[0].count"),
        ('{"name": "\\u0000"}', "U+0000"),
        ('{"name": "\\ud800"}', "surrogate"),
    ],
)
def test_import_lists_faults_and_keeps_the_text(text: str, told: str) -> None:
    answer = Client().post(reverse("warband-import"), {"document": text})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert told in page
    assert Warband.objects.count() == 0
    assert escape(text) in page


def test_import_refuses_a_large_file() -> None:
    file = SimpleUploadedFile("roster.json", b" " * 1_048_577, "application/json")
    answer = Client().post(reverse("warband-import"), {"file": file})
    assert answer.status_code == 400
    assert "1 MB" in answer.content.decode()


# Bad input


@pytest.mark.parametrize("count", ["-1", "1e3", "٣", "²", "NaN", "", "true", "9" * 5000])
def test_count_must_be_a_whole_number(count: str, warband: Warband, owner: Client) -> None:
    answer = owner.post(url("warrior-count", warband, first(warband).pk), {"count": count})
    assert answer.status_code == 400
    assert record_of(warband).version == warband.version


@pytest.mark.parametrize("limit", ["-1", "100001", "9" * 30, "1e9", "NaN", ""])
def test_limit_must_be_in_range(limit: str, warband: Warband, owner: Client) -> None:
    sent = {"name": "x", "limit": "other", "other_limit": limit}
    answer = owner.post(url("warband-change", warband), sent)
    assert answer.status_code == 400
    assert record_of(warband).name == "Ferrymen"


@pytest.mark.parametrize(
    "name,sent",
    [
        ("warrior-add", {"profile": "dragon\0"}),
        ("warrior-add", {"profile": "x" * 5000}),
        ("warrior-add", {}),
        ("finding-fix", {"action": "explode"}),
        ("finding-fix", {"action": "lead", "warrior": "x"}),
        ("roster-sort", {"version": "x"}),
        ("roster-sort", {"key": "k" * 101}),
    ],
)
def test_rubbish_is_refused(name: str, sent: dict[str, str], warband: Warband, owner: Client) -> None:
    assert owner.post(url(name, warband), sent).status_code == 400
    assert record_of(warband).version == warband.version


@pytest.mark.parametrize("name", ["warrior-lead", "warrior-remove", "warrior-duplicate"])
def test_unknown_warrior_is_404(name: str, warband: Warband, owner: Client) -> None:
    assert owner.post(url(name, warband, 10**17)).status_code == 404


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "points_from=-1", "points_to=1e5", "army=none", "search=" + "x" * 201]
)
def test_public_list_refuses_rubbish(query: str) -> None:
    assert Client().get(f"{reverse('warband-public')}?{query}").status_code == 400


@pytest.mark.parametrize("query", ["paper=a5", "parts=roster,cover", "copy=mine", "big=2"])
def test_pdf_refuses_rubbish(query: str, warband: Warband, owner: Client) -> None:
    answer = owner.get(f"{url('sheet-pdf', warband)}?{query}")
    assert answer.status_code == 400


def test_public_list_finds_by_army_points_and_name(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=Visibility.PUBLIC)
    where, client = reverse("warband-public"), Client()
    assert "Ferrymen" in client.get(where).content.decode()
    found = client.get(where, {"army": "warhammer-skirmish/the-empire", "search": "ferry", "points_from": "50"})
    assert "Ferrymen" in found.content.decode()
    for asked in ({"search": "xyz"}, {"points_from": "5000"}, {"army": "warhammer-skirmish/skaven"}):
        assert "Ferrymen" not in client.get(where, asked).content.decode()


# PDFs


@pytest.mark.parametrize("query", ["", "?paper=letter&parts=cards", "?copy=opponent&big=1"])
def test_pdf(query: str, warband: Warband, owner: Client) -> None:
    answer = owner.get(url("sheet-pdf", warband) + query)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")
    assert 'filename="Ferrymen.pdf"' in answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    "name,expected",
    [("../../etc/passwd", "etc-passwd.json"), ('a"b\r\nX: y', "a-b-X-y.json"), ("", "warband"), ("Größe", "Gr")],
)
def test_file_name_is_safe(name: str, expected: str, owner: Client, hanna: User) -> None:
    warband = make_warband(actor=make_person(user=hanna))
    Warband.objects.filter(pk=warband.pk).update(name=name)
    header = owner.get(url("roster-json", warband)).headers["Content-Disposition"]
    assert expected.lower() in header.lower()
    assert "\n" not in header
    assert "/" not in header


def test_pdfs_are_rate_limited(warband: Warband, owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warbands.views.sheets.RATES", {"pdf": "2/5m/ip"})
    monkeypatch.setattr("warbands.views.sheets.blank_pdf", lambda system, paper: b"%PDF-")
    answers = [owner.get(url("blank-pdf", warband)) for _ in range(3)]
    assert [a.status_code for a in answers] == [200, 200, 429]
    assert answers[-1].headers["Retry-After"]


def test_opponents_copy_names_no_points(warband: Warband, owner: Client) -> None:
    sheet = owner.get(url("sheet-opponent", warband)).content.decode()
    paper = sheet[sheet.index("<article") : sheet.index("</article>")]
    assert "Pts" not in paper
    assert "/ 150" not in paper
    assert "Pts" in owner.get(url("sheet-read", warband)).content.decode()


# States


def test_empty_roster_offers_leaders(owner: Client, hanna: User) -> None:
    warband = make_warband(actor=make_person(user=hanna))
    page = owner.get(url("warband-read", warband)).content.decode()
    assert "Begin with the one who leads" in page
    assert "Captain, 50 pts" in page
    for name in READING:
        assert owner.get(url(name, warband)).status_code == 200


def test_hostile_texts_stay_text(owner: Client, hanna: User) -> None:
    hostile = "<script>alert(1)</script>{{7*7}}{% load x %}\" onclick='x'"
    warband = make_warband(actor=make_person(user=hanna), name=hostile, note=hostile)
    warrior = make_warrior(warband=warband, name=hostile)
    operations.change_warrior(make_person(user=hanna), warband.token, warrior.pk, note=hostile)
    pages = [owner.get(url(name, warband)).content.decode() for name in [*READING[:6], *OWNERS_PAGES]]
    pages.append(owner.get(url("warrior-read", warband, warrior.pk)).content.decode())
    for page in pages:
        assert "<script>alert" not in page
        assert "onclick='x'" not in page
        assert "{{7*7}}" in page
