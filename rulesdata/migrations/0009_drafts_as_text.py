"""Drafts of campaign rules are texts. Those that exist are written out as YAML, and nothing is lost."""

import json

import yaml
from django.db import migrations, models


def documents_to_texts(apps, schema_editor):
    drafts = apps.get_model("rulesdata", "CampaignRulesDraft").objects
    drafts = drafts.using(schema_editor.connection.alias)
    for draft in drafts.iterator(chunk_size=50):
        name = draft.document.get("name")
        if isinstance(name, str):
            seen = "".join(sign if sign.isprintable() else " " for sign in name)
            draft.name = seen.strip()[:120]
        draft.text = yaml.safe_dump(
            draft.document, sort_keys=False, allow_unicode=True, default_flow_style=None, width=10**6
        )
        # Not saved as a whole, for that would count as a change by its author.
        drafts.filter(pk=draft.pk).update(name=draft.name, text=draft.text)


def texts_to_documents(apps, schema_editor):
    drafts = apps.get_model("rulesdata", "CampaignRulesDraft").objects
    drafts = drafts.using(schema_editor.connection.alias)
    for draft in drafts.iterator(chunk_size=50):
        try:
            document = yaml.safe_load(draft.text)
            json.dumps(document)
        except (yaml.YAMLError, ValueError, TypeError):
            document = None
        if not isinstance(document, dict):
            # A text that is no document is kept under a key of its own.
            document = {"name": draft.name, "text": draft.text}
        drafts.filter(pk=draft.pk).update(document=document)


class Migration(migrations.Migration):
    dependencies = [("rulesdata", "0008_sent_catalogues")]
    operations = [
        migrations.AddField(
            "campaignrulesdraft", "name", models.CharField(blank=True, default="", max_length=120)
        ),
        migrations.AddField(
            "campaignrulesdraft", "text", models.TextField(blank=True, default="")
        ),
        # For the way back, where the column comes again to rows that exist.
        migrations.AlterField("campaignrulesdraft", "document", models.JSONField(default=dict)),
        migrations.RunPython(documents_to_texts, texts_to_documents),
        migrations.RemoveField("campaignrulesdraft", "document"),
    ]
