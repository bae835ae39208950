"""The content types of battles follow their models, and with them permissions and the staff's history."""

from django.db import migrations

MODELS = ("battle", "snapshot", "battleside", "battlecombatant", "battleevent", "resultentry")


def relabel(apps, schema_editor, before, after):
    """Give the rows of these models another app label, where no such row stands already."""
    types = apps.get_model("contenttypes", "ContentType").objects.using(
        schema_editor.connection.alias
    )
    there = set(types.filter(app_label=after, model__in=MODELS).values_list("model", flat=True))
    moved = [name for name in MODELS if name not in there]
    types.filter(app_label=before, model__in=moved).update(app_label=after)


def to_battles(apps, schema_editor):
    relabel(apps, schema_editor, "campaigns", "battles")


def to_campaigns(apps, schema_editor):
    relabel(apps, schema_editor, "battles", "campaigns")


class Migration(migrations.Migration):
    dependencies = [
        ("battles", "0001_from_campaigns"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(to_battles, to_campaigns)]
