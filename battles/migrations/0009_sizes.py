import json
from collections import Counter

from django.db import migrations, models
from django.db.models import Exists, OuterRef
from django.utils import timezone


def count_events(apps, schema_editor):
    """Add up what the events of each battle take."""
    sizes = Counter()
    database = schema_editor.connection.alias
    rows = apps.get_model("battles", "BattleEvent").objects.using(database).order_by()
    for battle, payload in rows.values_list("battle_id", "payload").iterator():
        sizes[battle] += 300 + len(json.dumps(payload, ensure_ascii=False).encode())
    battles = apps.get_model("battles", "Battle").objects.using(database)
    for battle, size in sizes.items():
        battles.filter(pk=battle).update(events_bytes=size)


def begin_again(apps, schema_editor):
    """Count the days that battles of nobody are kept from now on: they get fewer.

    A public one is an event's, and is kept.
    """
    sides = apps.get_model("battles", "BattleSide").objects
    claimed = sides.filter(battle=OuterRef("pk"), owner__isnull=False)
    battles = apps.get_model("battles", "Battle").objects.filter(owner=None)
    battles = battles.using(schema_editor.connection.alias)
    unclaimed = battles.exclude(visibility="public").exclude(Exists(claimed))
    unclaimed.update(updated_at=timezone.now())


class Migration(migrations.Migration):

    dependencies = [
        ('battles', '0008_result_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='battle',
            name='events_bytes',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='battle',
            name='setup_bytes',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunPython(count_events, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(begin_again, migrations.RunPython.noop, elidable=True),
    ]
