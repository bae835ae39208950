"""The rows of options go: nobody reads them, and each stands whole in the data of its profile.

On the way back the table is made again, empty; ``load_rulesdata --force`` fills it.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rulesdata", "0003_content_of_clubs")]

    operations = [migrations.DeleteModel(name="Option")]
