"""The page on which a club writes campaign rules: nothing is lost, every fault is shown."""

import io
import json
from functools import reduce
from operator import getitem

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from engine.records import JsonObject
from rulesdata.campaign_documents import packed_rules
from rulesdata.campaign_editor import find_differences
from rulesdata.models import CampaignRules, CampaignRulesDraft
from tests.conftest import Share
from tests.factories import make_person
from tests.rulesdata.rules_editor import Editor, inputs_in

pytestmark = pytest.mark.django_db
MUSTER = "muster-campaign"


@pytest.fixture
def editor() -> Editor:
    return Editor()


def outsider() -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=make_person().user_id))
    return client


def without(document: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in document.items() if key not in keys}


def test_a_page_sent_as_it_is_drawn_leaves_the_draft_as_it_is(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    before = editor.text
    assert without(editor.document, "id", "name") == without(
        packed_rules()[MUSTER].document, "id", "name"
    )
    inputs = editor.open()
    assert len(inputs) > 30
    assert editor.send(inputs).status_code == 302
    assert editor.text == before
    assert "# the first that matches" in before
    assert editor.save().status_code == 302
    assert CampaignRules.objects.get().name == "Quay"
    assert not CampaignRulesDraft.objects.exists()


FIGURES = {
    "currencies-0-start": ("300", ("currencies", 0, "start"), 300),
    "limits-models": ("12", ("limits", "models"), 12),
    "kinds-2-steps": ("3,  9", ("kinds", 2, "steps"), [3, 9]),
    "kinds-3-steps": ("", ("kinds", 3, "steps"), []),
    "experience-1-most": ("0", ("experience", 1, "most"), 0),
    "income-0-won": ("100000", ("income", 0, "won"), 100_000),
    "income-1-dice": ("2D6", ("income", 1, "dice"), "2D6"),
    "income-3-walkover": ("5", ("income", 3, "walkover"), 5),
    "upkeep-each": ("4", ("upkeep", "each"), 4),
    "captives-ransom-part": ("2 / 3", ("captives", "ransom", "part"), [2, 3]),
    "captives-refused": ("11", ("captives", "refused"), 11),
    "trade-search-dice": ("D6", ("trade", "search", "dice"), "D6"),
}


@pytest.mark.parametrize("is_json", [False, True])
def test_figures_of_the_form_are_written_into_the_text_and_nothing_else(
    editor: Editor, share: Share, is_json: bool
) -> None:
    """The plain run changes one half of the figures in YAML and the other in JSON."""
    editor.begin("Quay", MUSTER)
    document = editor.document
    text = json.dumps(document, indent=1) if is_json else f"# 🎲 Ours\n{editor.text}"
    editor.send(text=text)
    for name, (typed, path, value) in share(list(FIGURES.items()), 2, is_json):
        assert editor.send(**{name: typed}).status_code == 302, name
        reduce(getitem, path[:-1], document)[path[-1]] = value
        assert editor.document == document, name
    assert is_json or editor.text.startswith("# 🎲 Ours\n")
    assert is_json == editor.text.startswith("{")


@pytest.mark.parametrize("name, typed", [
    ("currencies-0-start", "many"),
    ("currencies-0-start", ""), ("limits-models", "-1"), ("income-0-won", "100001"),
    ("kinds-2-steps", "8; 4"),
    ("captives-ransom-part", "half"),
    ("trade-search-dice", "D7"),
])  # fmt: skip
def test_a_figure_that_cannot_be_read_is_told_and_nothing_typed_is_lost(
    editor: Editor, name: str, typed: str
) -> None:
    editor.begin("Quay", MUSTER)
    before = editor.text
    refused = editor.send(text=f"{before}# mine", **{name: typed})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert f'href="#id_{name}"' in page
    assert f'id="id_{name}_error"' in page
    inputs = inputs_in(page) if name != "trade-search-dice" else {name: typed}
    assert inputs[name] == typed
    assert "# mine" in page
    assert editor.text == before


def test_a_figure_and_its_part_of_the_text_are_not_changed_together(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    moved = editor.document
    moved["income"].insert(0, moved["income"].pop())
    text = json.dumps(moved)
    refused = editor.send(text=text, **{"income-0-won": "30"})
    assert refused.status_code == 422
    assert "changed too" in refused.content.decode()
    assert inputs_in(refused.content.decode())["text"] == text
    assert editor.send(text=text, **{"currencies-0-start": "30"}).status_code == 302
    assert editor.document["income"] == moved["income"]
    assert editor.document["currencies"][0]["start"] == 30


def test_a_figure_on_several_lines_is_changed_in_the_text(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    text = "kinds:\n- steps:\n  - 4\n  - 8\n"
    editor.send(text=text)
    refused = editor.send(**{"kinds-0-steps": "3"})
    assert refused.status_code == 422
    assert "on several lines" in refused.content.decode()
    assert editor.text == text


def test_what_is_wrong_is_kept_and_told_with_its_line(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    text = editor.text.replace("steps: [4, 8, 13,", "steps: [8, 4, 13,", 1)
    text = text.replace("name: Killed, effect:", "name: Killed, efect:", 1)
    line = text[: text.index("steps: [8, 4")].count("\n") + 1
    sent = editor.send(text=text)
    assert sent.status_code == 302
    assert editor.text == text
    page = editor.page
    assert f"Line {line}: Hero: advances at</a>" in " ".join(page.split())
    assert 'href="#id_kinds-2-steps"' in page
    assert "tables.hero-injury.rows[0].efect" in page
    assert "<code>- {least: 2, most: 3, name: Killed, efect:" in page
    refused = editor.save()
    assert refused.status_code == 422
    assert not CampaignRules.objects.exists()
    assert CampaignRulesDraft.objects.get().text == text


@pytest.mark.parametrize(
    "text, line", [("name: [", 1), ("a: 1\nb: 2\na: 3", 3), ("- 1", 1), ("# only", None)]
)
def test_a_text_that_is_no_document_is_kept_with_its_fault(editor, text, line):
    editor.begin("Quay", MUSTER)
    assert editor.send(text=text).status_code == 302
    assert editor.text == text
    page = editor.page
    assert (f"Line {line}" if line else 'id="faults"') in page
    assert set(editor.open()) == {"text", "seen"}
    assert editor.client.get(f"{editor.draft}file/?as=json").content.decode() == text
    assert editor.save().status_code == 422
    assert "Quay" in editor.client.get(editor.home).content.decode()


def test_an_empty_text_is_refused(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    before = editor.text
    for data in ({"text": " "}, {}):
        for button in ({}, {"go": "version"}):
            assert editor.client.post(editor.draft, {**data, **button}).status_code == 422
    assert editor.text == before


def test_a_draft_that_somebody_changed_meanwhile_is_not_overwritten(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    mine = editor.open()
    editor.send(text="name: Theirs")
    refused = editor.send(mine, text="name: Mine")
    assert refused.status_code == 422
    assert "name: Mine" in refused.content.decode()
    assert editor.text == "name: Theirs"


def test_a_stored_draft_is_saved_by_its_own_address(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    assert editor.client.post(f"{editor.draft}save/").status_code == 302
    assert CampaignRules.objects.get().name == "Quay"
    editor.begin("Pier", MUSTER)
    editor.send(text="name: [")
    assert editor.client.post(f"{editor.draft}save/").status_code == 422


def test_the_old_pages_of_sections_lead_to_the_draft(editor: Editor) -> None:
    editor.begin("Quay", MUSTER)
    for section in ("head", "money", "tables/hero-injury"):
        answer = editor.client.get(f"{editor.draft}pages/{section}/")
        assert (answer.status_code, answer["Location"]) == (302, editor.draft)
        assert outsider().get(f"{editor.draft}pages/{section}/").status_code == 404


def test_a_changed_set_is_its_next_version_with_the_differences_in_words(editor):
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    again = editor.client.post(f"{home}edit/")
    editor.draft = again["Location"]
    assert editor.client.post(f"{home}edit/")["Location"] == editor.draft
    assert editor.save(**{"income-0-won": "30"})["Location"] == home
    assert CampaignRules.objects.filter(version=2).get().document["version"] == 2
    page = editor.client.get(home).content.decode()
    assert "Income, 1, won" in page
    assert "Version 2" in page
    editor.draft = editor.client.post(f"{home}edit/")["Location"]
    editor.save()
    assert CampaignRules.objects.count() == 2
    old = editor.client.get(f"{home}file/?version=1&as=json")
    assert json.loads(old.content)["income"][0]["won"] == 22
    assert editor.client.get(f"{home}file/?version=9").status_code == 404


def test_a_faulty_file_becomes_a_draft_and_a_file_of_nothing_is_refused(editor):
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
def test_whatever_a_file_holds_its_page_opens(editor: Editor, odd: object) -> None:
    document = dict.fromkeys(packed_rules()[MUSTER].document, odd)
    sent = editor.client.post(f"{editor.home}upload/", {"text": json.dumps(document)})
    assert sent.status_code == 302
    editor.draft = sent["Location"]
    assert editor.client.get(editor.draft).status_code == 200
    before = editor.text
    assert editor.send().status_code == 302
    assert editor.text == before
    assert editor.save().status_code == 422


def test_a_downloaded_set_comes_back_as_the_draft_of_its_next_version(editor):
    editor.begin("Quay", MUSTER)
    home = editor.save()["Location"]
    text = editor.client.get(f"{home}file/").content.decode()
    sent = editor.client.post(f"{editor.home}upload/", {"text": text})
    draft = CampaignRulesDraft.objects.get()
    assert sent["Location"].endswith(f"{draft.token}/")
    assert home.endswith(f"{draft.base}/")
    assert draft.text == text


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
        "Back on their feet", "Opponent above by", "Wandering pikeman", "The Mill",
    ):  # fmt: skip
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


def test_differences_are_told_by_the_names_of_rows() -> None:
    before = packed_rules()[MUSTER].document
    after = json.loads(json.dumps(before))
    after["income"][0]["won"] = 27
    after["tables"]["hero-advance"]["rows"][4]["effect"] = {"raise": ["S"]}
    after["experience"][0]["amount"] = 5
    del after["captives"]["refused"]
    differences = find_differences(before, after)
    row = "Tables, hero-advance, rows, row 5–6, effect"
    assert [(change.place, change.before, change.after) for change in differences] == [
        ("Experience, “Came back from the battle”, amount", "1", "5"),
        ("Income, 1, won", "22", "27"),
        (f"{row}, skill", "yes", ""),
        ("Captives, refused", "10", ""),
        (f"{row}, raise", "", "S"),
    ]
