from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0017_remove_steps_of_older_campaigns"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaignwarband",
            name="at_close",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
