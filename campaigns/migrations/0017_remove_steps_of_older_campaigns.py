"""Campaigns before growth kept injuries, income and recruits as rows of their own."""

from django.db import migrations


def refuse_rows(apps, schema_editor):
    """Stop before anything is lost: such a campaign is finished on the release before."""
    steps = apps.get_model("campaigns", "CareerStep").objects
    count = steps.using(schema_editor.connection.alias).count()
    if count:
        raise RuntimeError(
            f"This database holds {count} injuries, incomes or recruits of campaigns played "
            "before warbands grew, which this release cannot show. Delete those campaigns, or "
            "stay on the release before."
        )


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0016_treasury_in_standings")]

    operations = [
        migrations.RunPython(refuse_rows, migrations.RunPython.noop),
        migrations.DeleteModel("CareerStep"),
        migrations.RemoveField("clubevent", "steps"),
    ]
