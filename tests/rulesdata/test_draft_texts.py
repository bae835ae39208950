"""The migration that makes texts of drafts of campaign rules loses nothing, there and back."""

from typing import Any

import pytest
import yaml
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from rulesdata.campaign_documents import packed_rules
from rulesdata.models import CampaignRulesDraft
from rulesdata.queries.campaign_rules import read_draft
from tests.factories import make_club

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AFTER = "0008_sent_catalogues", "0009_drafts_as_text"
ODD = {
    "name": "Ma\u202ersh",
    "steps": "yes",
    "no": [{"a b: #": None}],
    "b.c": "1\n2",
    "é": "07",
}


def migrate(name: str) -> Any:
    executor = MigrationExecutor(connection)
    state = executor.migrate([("rulesdata", name)])
    return state.apps.get_model("rulesdata", "CampaignRulesDraft")


def test_drafts_become_texts_and_documents_again() -> None:
    club = make_club()
    documents = [packed_rules()["muster-campaign"].document, ODD, {}]
    try:
        drafts = migrate(BEFORE)
        for number, document in enumerate(documents):
            values = {"club_id": club.pk, "token": f"{number:016}", "document": document}
            drafts.objects.create(**values)
        migrate(AFTER)
        rows = list(CampaignRulesDraft.objects.order_by("token"))
        assert [row.name for row in rows] == ["Muster campaign", "Ma rsh", ""]
        assert [yaml.safe_load(row.text) for row in rows] == documents
        assert read_draft(rows[0].text) == (documents[0], [])
        CampaignRulesDraft.objects.filter(pk=rows[2].pk).update(name="Quay", text="a: [")
        drafts = migrate(BEFORE)
        returned = drafts.objects.order_by("token").values_list("document", flat=True)
        documents[2] = {"name": "Quay", "text": "a: ["}
        assert list(returned) == documents
    finally:
        migrate(AFTER)
