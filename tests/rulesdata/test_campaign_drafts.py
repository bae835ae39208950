"""Drafts of a club's campaign rules: begun, sent as a file, saved as versions, deleted."""

import json

import pytest
import yaml

from accounts.errors import NotAllowed, Refusal, WrongState
from accounts.models import Club
from accounts.owner import Owner
from rulesdata.campaign_documents import packed_rules
from rulesdata.errors import FaultyCampaignRules
from rulesdata.models import CampaignRules, CampaignRulesDraft
from rulesdata.operations import campaign_rules
from rulesdata.operations.campaign_rules import (
    archive_rules,
    begin_draft,
    change_draft,
    delete_draft,
    open_draft,
    save_draft,
    upload_draft,
)
from rulesdata.queries.campaign_rules import load_rules_draft
from rulesdata.queries.lookup import NotInRuleBook
from tests.factories import make_club, make_person

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MUSTER = "muster-campaign"


@pytest.fixture
def olga() -> Owner:
    return make_person()


@pytest.fixture
def club(olga: Owner) -> Club:
    return make_club(owner=olga, name="The Quay")


def document_of(draft: str) -> dict[str, object]:
    text = CampaignRulesDraft.objects.get(token=draft).text
    document: dict[str, object] = yaml.safe_load(text)
    return document


def saved(olga: Owner, club: Club, *, name: str = "Quay campaign") -> str:
    """Save a copy of the site's set for a club; return the token of the set."""
    draft = begin_draft(olga, club.slug, name=name, start=MUSTER)
    save_draft(olga, club.slug, draft)
    return CampaignRules.objects.order_by("-pk")[0].token


def test_a_draft_begins_empty_or_as_a_copy(olga: Owner, club: Club) -> None:
    empty = document_of(begin_draft(olga, club.slug, name=" Quay  war ", start=""))
    assert (empty["id"], empty["name"], empty["version"]) == ("quay-war", "Quay war", 1)
    assert "tables" not in empty
    copied = document_of(begin_draft(olga, club.slug, name="Marsh", start=MUSTER))
    packed = packed_rules()[MUSTER].document
    assert copied == {**packed, "id": "marsh", "name": "Marsh", "version": 1}
    with pytest.raises(Refusal) as refused:
        begin_draft(olga, club.slug, name=" ", start="")
    assert refused.value.field == "name"


@pytest.mark.parametrize(
    "name, key", [("Quay campaign", "quay-campaign"), ("???", "rules")]
)
def test_sets_of_one_name_get_ids_of_their_own(olga, club, name, key):
    for _ in range(3):
        saved(olga, club, name=name)
    keys = CampaignRules.objects.order_by("pk").values_list("key", flat=True)
    assert list(keys) == [key, f"{key}-2", f"{key}-3"]
    other = make_club(owner=olga)
    saved(olga, other, name=name)
    assert CampaignRules.objects.get(club=other).key == key


def test_an_id_has_at_most_forty_characters(olga: Owner, club: Club) -> None:
    saved(olga, club, name="x" * 80)
    saved(olga, club, name="x" * 80)
    first, second = CampaignRules.objects.order_by("pk").values_list("key", flat=True)
    assert (first, second) == ("x" * 36, f"{'x' * 36}-2")


def test_a_set_has_one_draft_of_its_next_version(olga: Owner, club: Club) -> None:
    token = saved(olga, club)
    draft = open_draft(olga, club.slug, token)
    assert open_draft(olga, club.slug, token) == draft
    assert document_of(draft) == CampaignRules.objects.get(token=token).document
    with pytest.raises(NotInRuleBook):
        open_draft(olga, make_club(owner=olga).slug, token)


def test_the_same_rules_saved_again_are_the_same_version(olga: Owner, club: Club) -> None:
    token = saved(olga, club)
    written = save_draft(olga, club.slug, open_draft(olga, club.slug, token))
    assert written.version == 1
    draft = open_draft(olga, club.slug, token)
    changed = {**document_of(draft), "summary": "Other.", "id": "elsewhere", "version": 9}
    CampaignRulesDraft.objects.filter(token=draft).update(text=json.dumps(changed))
    assert save_draft(olga, club.slug, draft).version == 2
    rows = CampaignRules.objects.filter(token=token).order_by("version")
    assert [(one.version, one.key, one.document["version"]) for one in rows] == [
        (1, "quay-campaign", 1),
        (2, "quay-campaign", 2),
    ]
    assert not CampaignRulesDraft.objects.exists()


def test_a_faulty_draft_is_kept_and_not_saved(olga: Owner, club: Club) -> None:
    draft = begin_draft(olga, club.slug, name="Marsh", start="")
    text = json.dumps({**document_of(draft), "kinds": []})
    for faulty, path in ((text, "document.kinds"), ("kinds: [", "document")):
        CampaignRulesDraft.objects.update(text=faulty)
        with pytest.raises(FaultyCampaignRules) as refused:
            save_draft(olga, club.slug, draft)
        assert path in [fault.path for fault in refused.value.faults]
    assert CampaignRulesDraft.objects.filter(token=draft).exists()
    assert not CampaignRules.objects.exists()


def test_a_file_is_a_new_draft_or_the_next_version_of_its_set(olga, club):
    token = saved(olga, club)
    new = json.dumps({"id": "marsh", "name": "Marsh"})
    drafts = [upload_draft(olga, club.slug, new) for _ in range(2)]
    assert len(set(drafts)) == 2
    next_version = json.dumps({"id": "quay-campaign", "name": "Quay, again"})
    draft = upload_draft(olga, club.slug, next_version)
    row = CampaignRulesDraft.objects.get(token=draft)
    assert (row.base, row.name, row.text) == (token, "Quay, again", next_version)
    later = json.dumps({"id": "quay-campaign", "name": "Quay, later"})
    assert upload_draft(olga, club.slug, later) == draft
    assert document_of(draft)["name"] == "Quay, later"


def test_a_file_replaces_a_draft_and_keeps_its_set(olga: Owner, club: Club) -> None:
    draft = begin_draft(olga, club.slug, name="Marsh", start="")
    sent = json.dumps({"id": "elsewhere", "name": "Sent"})
    assert upload_draft(olga, club.slug, sent, token=draft) == draft
    assert document_of(draft) == {"id": "elsewhere", "name": "Sent"}
    for raw, words in (("[1, 2]", "must be a mapping"), ("a: [", "line ")):
        with pytest.raises(FaultyCampaignRules) as refused:
            upload_draft(olga, club.slug, raw, token=draft)
        assert words in str(refused.value.faults[0])
    assert document_of(draft)["name"] == "Sent"


def test_what_somebody_else_typed_meanwhile_is_not_overwritten(olga, club):
    draft = begin_draft(olga, club.slug, name="Marsh", start=MUSTER)
    seen = load_rules_draft(olga, club.slug, draft)["seen"]
    change_draft(olga, (club.slug, draft), "name: First", {}, seen)
    assert document_of(draft) == {"name": "First"}
    with pytest.raises(WrongState):
        change_draft(olga, (club.slug, draft), "name: Second", {}, seen)
    assert document_of(draft) == {"name": "First"}


@pytest.mark.parametrize("size, is_taken", [(0, True), (1, False)])
def test_a_text_has_at_most_256_kib(olga, club, size, is_taken):
    draft = begin_draft(olga, club.slug, name="Marsh", start="")
    seen = load_rules_draft(olga, club.slug, draft)["seen"]
    text = "# é" + "x" * (256 * 1024 - 4 + size)
    if is_taken:
        change_draft(olga, (club.slug, draft), text, {}, seen)
    else:
        with pytest.raises(FaultyCampaignRules, match="at most 256 KiB"):
            change_draft(olga, (club.slug, draft), text, {}, seen)
    row = CampaignRulesDraft.objects.get(token=draft)
    assert (row.text == text) is is_taken
    assert row.name == "Marsh"


def test_a_name_that_no_database_holds_is_no_fault_of_the_server(olga, club):
    draft = upload_draft(olga, club.slug, r'{"name": "\u0000Mar\u202esh"}')
    assert CampaignRulesDraft.objects.get(token=draft).name == "Mar sh"
    upload_draft(olga, club.slug, json.dumps({"name": "x" * 200}), token=draft)
    assert CampaignRulesDraft.objects.get(token=draft).name == "x" * 120


def test_a_set_is_archived_and_restored_with_all_its_versions(olga, club):
    token, other = saved(olga, club), saved(olga, club, name="Marsh")
    archive_rules(olga, club.slug, token)
    archived = CampaignRules.objects.filter(archived_at__isnull=False)
    assert [one.token for one in archived] == [token]
    archive_rules(olga, club.slug, token, is_archived=False)
    assert not archived.all().exists()
    with pytest.raises(NotInRuleBook):
        archive_rules(olga, make_club(owner=olga).slug, other)


def test_each_club_keeps_so_many_drafts(olga, club, monkeypatch):
    monkeypatch.setattr(campaign_rules, "DRAFTS_MAX", 2)
    for name in ("Marsh", "Quay"):
        begin_draft(olga, club.slug, name=name, start="")
    with pytest.raises(Refusal, match="at most 2 drafts") as refused:
        begin_draft(olga, club.slug, name="Reeds", start="")
    assert refused.value.field == "name"
    begin_draft(olga, make_club(owner=olga).slug, name="Reeds", start="")


def test_members_and_strangers_write_no_drafts(olga: Owner, club: Club) -> None:
    draft = begin_draft(olga, club.slug, name="Marsh", start="")
    member = make_person()
    club.memberships.create(user_id=member.user_id)
    for who, refusal in ((member, NotAllowed), (make_person(), NotInRuleBook)):
        with pytest.raises(refusal):
            delete_draft(who, club.slug, draft)
        with pytest.raises(refusal):
            upload_draft(who, club.slug, "[")
    delete_draft(olga, club.slug, draft)
    with pytest.raises(NotInRuleBook):
        delete_draft(olga, club.slug, draft)
