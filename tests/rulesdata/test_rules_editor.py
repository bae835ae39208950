"""The forms in which a club writes campaign rules: nothing is lost, every fault is shown."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from rulesdata.campaign_documents import packed_rules, read_rules
from rulesdata.campaign_editor.differences import differences_of
from rulesdata.campaign_editor.phrases import place_words
from rulesdata.models import CampaignRules, CampaignRulesDraft
from tests.factories import make_person
from tests.rulesdata.rules_editor import Editor

pytestmark = pytest.mark.django_db
MUSTER = "muster-campaign"


@pytest.fixture
def editor() -> Editor:
    return Editor()


def outsider() -> Client:
    """The browser of somebody who is in no club."""
    client = Client()
    client.force_login(User.objects.get(pk=make_person().user_id))
    return client


def sections(editor: Editor) -> list[str]:
    """The pages that the overview of a draft leads to, but for the lists of pages."""
    page = editor.client.get(editor.draft).content.decode()
    found = {part.partition('"')[0] for part in page.split(f"{editor.draft}pages/")[1:]}
    return sorted(one.rstrip("/") for one in found)


def test_every_page_sent_as_it_is_drawn_leaves_the_rules_as_they_are(
    editor: Editor,
) -> None:
    editor.begin("Quay", MUSTER)
    before = read_rules(editor.document)
    pages = sections(editor)
    assert len(pages) > 20
    for section in pages:
        if section in ("tables", "skills"):
            continue
        assert editor.send(section, editor.open(section)).status_code == 302, section
        assert read_rules(editor.document) == before, section
    assert editor.save().status_code == 302
    assert CampaignRules.objects.get().name == "Quay"
    assert not CampaignRulesDraft.objects.exists()


def test_what_is_wrong_is_kept_and_told_beside_its_field(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    inputs = editor.open("kinds")
    inputs["p0-2-steps"] = ["8, 4"]
    inputs["p0-2-most"] = ["many"]
    assert editor.send("kinds", inputs).status_code == 302
    assert editor.document["kinds"][2]["most"] == "many"
    page = editor.client.get(editor.address("kinds")).content.decode()
    for words in (
        "Steps: must rise",
        "Most in a warband: enter a whole number.",
    ):
        # Beside the field, and above the form with the row.
        assert page.count(words) == 2
        assert f"kind 3: {words}" in page
    assert "kinds[2]" not in page
    assert 'value="8, 4"' in page
    overview = editor.client.get(editor.draft).content.decode()
    assert "2 to correct" in overview
    refused = editor.save()
    assert refused.status_code == 422
    assert "kind 3, Steps</a>" in refused.content.decode()
    assert "kinds[2]" not in refused.content.decode()
    assert not CampaignRules.objects.exists()
    assert CampaignRulesDraft.objects.count() == 1


@pytest.mark.parametrize(
    "path, words",
    [
        ("tables.hero-advance.rows[0].most", "Table “hero-advance”, row 1, To"),
        ("tables.hero-advance.rows[0].effect.raise", "row 1, What happens"),
        ("tables.hero-advance.dice", "Table “hero-advance”, Dice, Dice"),
        ("tables.none", "Tables"),
        ("limits.models", "Models in a warband"),
        ("captives.ransom.part", "Ransom"),
        ("odd", "“odd”"),
    ],
)
def test_a_place_is_told_in_the_words_of_its_form(path: str, words: str) -> None:
    told = place_words(path, packed_rules()[MUSTER].document)
    assert told == words or told.endswith(f", {words}")


def test_a_page_that_somebody_changed_meanwhile_is_not_overwritten(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    mine = editor.open("head")
    editor.type("head", name="Their name")
    mine["p0-name"] = ["My name"]
    refused = editor.send("head", mine)
    assert refused.status_code == 422
    assert "My name" in refused.content.decode()
    assert editor.document["name"] == "Their name"


def test_rows_are_added_moved_and_deleted(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    inputs = editor.open("hired")
    inputs["p0-0-place"], inputs["p0-1-gone"] = ["9"], ["on"]
    inputs["p0-2-name"], inputs["p0-2-price"] = ["Old hand"], ["12"]
    inputs["p0-2-stats"], inputs["p0-2-place"] = ["M 4, WS 3"], ["1"]
    assert editor.send("hired", inputs).status_code == 302
    found = editor.document["hired"]
    assert [one["id"] for one in found] == ["old-hand", "pikeman"]
    assert found[0]["stats"] == {"M": 4, "WS": 3}


def test_a_table_is_added_checked_and_deleted(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    rows = [{"least": 1, "most": 4, "name": "Nothing"}]
    editor.table("finds", "D6", *rows)
    page = editor.client.get(editor.address("tables/finds")).content.decode()
    assert "has no row for a roll of 5." in page
    twice = editor.client.post(editor.address("tables"), {"name_text": "Finds"})
    assert twice.status_code == 422
    assert (
        editor.client.post(editor.address("tables"), {"gone": "finds"}).status_code == 302
    )
    assert "finds" not in editor.document["tables"]


def test_a_changed_set_is_its_next_version_with_the_differences_in_words(
    editor: Editor,
) -> None:
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    again = editor.client.post(f"{home}edit/")
    editor.draft = again["Location"]
    assert editor.client.post(f"{home}edit/")["Location"] == editor.draft
    inputs = editor.open("income")
    inputs["p0-0-won"] = ["30"]
    editor.send("income", inputs)
    assert editor.save()["Location"] == home
    assert CampaignRules.objects.filter(version=2).get().document["version"] == 2
    page = editor.client.get(home).content.decode()
    assert "Income and upkeep, line 1, Won" in page
    assert "Version 2" in page
    editor.draft = editor.client.post(f"{home}edit/")["Location"]
    editor.save()
    assert CampaignRules.objects.count() == 2
    old = editor.client.get(f"{home}file/?version=1&as=json")
    assert json.loads(old.content)["income"][0]["won"] == 22
    assert editor.client.get(f"{home}file/?version=9").status_code == 404


def test_a_faulty_file_becomes_a_draft_and_a_file_of_nothing_is_refused(
    editor: Editor,
) -> None:
    document = {**packed_rules()[MUSTER].document, "kinds": "none", "odd": 1}
    file = SimpleUploadedFile("rules.json", json.dumps(document).encode())
    sent = editor.client.post(f"{editor.home}upload/", {"file": file})
    assert sent.status_code == 302
    page = editor.client.get(sent["Location"]).content.decode()
    assert "must be a list." in page
    assert "is not a key here" in page
    for raw in (b"", b"- 1", b"a: [", b"\xff", b"a: " + b"x" * 270_000):
        file = SimpleUploadedFile("rules.yaml", raw)
        refused = editor.client.post(f"{editor.home}upload/", {"file": file})
        assert refused.status_code == 422, raw[:9]


@pytest.mark.parametrize("odd", [None, 5, "x", [5, [{}]], {"a": 5, "b.c": [None]}])
def test_whatever_a_file_holds_its_pages_open(editor: Editor, odd: object) -> None:
    document = dict.fromkeys(packed_rules()[MUSTER].document, odd)
    sent = editor.client.post(f"{editor.home}upload/", {"text": json.dumps(document)})
    assert sent.status_code == 302
    editor.draft = sent["Location"]
    assert editor.client.get(editor.draft).status_code == 200
    for section in sections(editor):
        address = editor.address(section)
        assert editor.client.get(address).status_code == 200, section
        editor.client.post(address, {})
    assert editor.save().status_code == 422


def test_a_downloaded_set_comes_back_as_the_draft_of_its_next_version(
    editor: Editor,
) -> None:
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    text = editor.client.get(f"{home}file/").content.decode()
    sent = editor.client.post(f"{editor.home}upload/", {"text": text})
    draft = CampaignRulesDraft.objects.get()
    assert sent["Location"].endswith(f"{draft.token}/")
    assert home.endswith(f"{draft.base}/")
    assert read_rules(draft.document) == read_rules(CampaignRules.objects.get().document)


def test_members_read_and_organisers_write(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    editor.begin("Pier")
    from accounts.operations.clubs import add_member

    member, stranger = make_person(), make_person()
    add_member(editor.club.pk, member.user_id)
    statuses = {}
    for who in (member, stranger):
        client = Client()
        client.force_login(User.objects.get(pk=who.user_id))
        statuses[who] = [
            client.get(editor.home).status_code,
            client.get(home).status_code,
            client.get(editor.draft).status_code,
            client.post(f"{home}edit/").status_code,
            client.post(f"{home}archive/").status_code,
        ]
    assert statuses[member] == [200, 200, 403, 403, 403]
    assert statuses[stranger] == [404] * 5


def test_an_archived_set_is_not_offered_and_comes_back(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    editor.client.post(f"{home}archive/")
    assert "Quay" not in editor.client.get("/rules/campaigns/").content.decode()
    assert "Archived" in editor.client.get(editor.home).content.decode()
    editor.client.post(f"{home}restore/")
    assert "Quay" in editor.client.get("/rules/campaigns/").content.decode()


def test_the_rule_book_explains_every_set_the_reader_may_read(editor: Editor) -> None:
    page = Client().get("/rules/campaigns/muster-campaign/").content.decode()
    for words in (
        "Back on their feet",
        "Opponent above by",
        "Wandering pikeman",
        "The Mill",
    ):
        assert words in page
    editor.begin("Quay", MUSTER)
    token = editor.save()["Location"].rstrip("/").rpartition("/")[2]
    own = f"/rules/campaigns/own/{token}/"
    assert "Quay" in editor.client.get(own).content.decode()
    assert outsider().get(own).status_code == 404
    assert Client().get("/rules/campaigns/none-such/").status_code == 404


def test_a_set_prints_on_two_pages_for_its_readers_alone(editor: Editor) -> None:
    from pikepdf import Pdf

    printed = Client().get("/rules/campaigns/muster-campaign.pdf")
    assert printed["Content-Type"] == "application/pdf"
    with Pdf.open(io.BytesIO(printed.content)) as pdf:
        assert len(pdf.pages) == 2
    editor.begin("Quay", MUSTER)
    token = editor.save()["Location"].rstrip("/").rpartition("/")[2]
    assert outsider().get(f"/rules/campaigns/own/{token}.pdf").status_code == 404
    assert Client().get("/rules/campaigns/none-such.pdf").status_code == 404


def test_a_search_finds_campaign_rules_by_what_their_tables_hold() -> None:
    page = Client().get("/rules/search/", {"q": "clouded eye"}).content.decode()
    assert "/rules/campaigns/muster-campaign/#injuries" in page


def test_differences_are_told_in_the_words_of_the_forms() -> None:
    before = packed_rules()[MUSTER].document
    after = json.loads(json.dumps(before))
    after["income"][0]["won"] = 27
    after["tables"]["hero-advance"]["rows"][4]["effect"] = {"raise": ["S"]}
    after["experience"][0]["amount"] = 5
    del after["captives"]["refused"]
    told = [(one.place, one.before, one.after) for one in differences_of(before, after)]
    row = "Table “hero-advance”, row 5–6, What happens"
    assert told == [
        ("Experience, award “Came back from the battle”, Experience", "1", "5"),
        ("Income and upkeep, line 1, Won", "22", "27"),
        (f"{row} (skill)", "yes", ""),
        (
            "Leader, captives and late players, Captives, Paid to the captor if refused",
            "10",
            "",
        ),
        (f"{row} (raise)", "", "S"),
    ]
