"""The key from a notice to its event goes. On the way back it is empty: a notice keeps the name alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0003_notice_subject")]

    operations = [migrations.RemoveField(model_name="notice", name="event")]
