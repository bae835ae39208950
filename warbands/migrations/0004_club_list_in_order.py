"""A club's list is read in the order it is shown in, whatever each warband's visibility is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("warbands", "0003_warband_tags"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="warband", name="warband_of_club"),
        migrations.AddIndex(
            model_name="warband",
            index=models.Index(fields=["club", "archived_at", "-updated_at", "-id"], name="warband_in_club"),
        ),
    ]
