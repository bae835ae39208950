from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("campaigns", "0018_figures_at_close"),
    ]

    operations = [
        # The rows that are there were written for the first fold.
        migrations.AddField(
            model_name="growthrow",
            name="edition",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AlterField(
            model_name="growthrow",
            name="edition",
            field=models.PositiveSmallIntegerField(default=2),
        ),
    ]
