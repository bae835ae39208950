"""A notice keeps the name of its event, so that it needs no key to an app above and survives the event."""

from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def fill_subject(apps, schema_editor):
    """Write the name of each notice's event beside it."""
    notices = apps.get_model("campaigns", "Notice").objects.using(schema_editor.connection.alias)
    events = apps.get_model("campaigns", "ClubEvent").objects
    name = events.filter(pk=OuterRef("event_id")).values("name")[:1]
    notices.filter(event__isnull=False).update(subject=Subquery(name))


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0002_events_rounds_and_fixtures")]

    operations = [
        migrations.AddField(
            model_name="notice",
            name="subject",
            field=models.CharField(blank=True, default="", max_length=80),
        ),
        migrations.RunPython(fill_subject, migrations.RunPython.noop),
    ]
