from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0015_campaign_points"),
    ]

    operations = [
        migrations.AddField(
            model_name="clubevent",
            name="shows_treasury",
            field=models.BooleanField(default=False),
        ),
    ]
