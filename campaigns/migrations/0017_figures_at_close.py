from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0016_treasury_in_standings"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaignwarband",
            name="at_close",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
