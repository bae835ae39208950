from typing import Any

from django.db import migrations, models


def count_points(apps: Any, schema_editor: Any) -> None:
    """Write what each warband holds of the first currency that buys nothing."""
    rows = apps.get_model("campaigns", "GrowthRow").objects.filter(kind="rules")
    # A change of rules keeps the currencies that were there, so the first rules name them.
    documents = {}
    for event, payload in rows.order_by("-position").values_list("event_id", "payload"):
        documents[event] = payload["document"]
    warbands = apps.get_model("campaigns", "CampaignWarband").objects.select_related("entry")
    for warband in warbands:
        currencies = documents.get(warband.entry.event_id, {}).get("currencies", ())
        counted = [one["id"] for one in currencies if one.get("is_spent") is False]
        treasury = warband.state.get("treasury", {})
        if counted and treasury.get(counted[0]):
            warband.points = treasury[counted[0]]
            warband.save(update_fields=["points"])


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0014_visibility_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaignwarband",
            name="points",
            field=models.IntegerField(default=0),
        ),
        migrations.RunPython(count_points, migrations.RunPython.noop),
    ]
