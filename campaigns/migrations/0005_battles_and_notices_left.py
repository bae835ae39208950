"""Battles and notices are apps of their own now: the state alone changes, their tables stay as they are."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("battles", "0001_from_campaigns"),
        ("notices", "0001_from_campaigns"),
        ("campaigns", "0004_notice_without_event"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="fixture",
                    name="battle",
                    field=models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="fixture",
                        to="battles.battle",
                    ),
                ),
                migrations.AlterField(
                    model_name="listlock",
                    name="snapshot",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lists",
                        to="battles.snapshot",
                    ),
                ),
                migrations.DeleteModel("ResultEntry"),
                migrations.DeleteModel("BattleEvent"),
                migrations.DeleteModel("BattleCombatant"),
                migrations.DeleteModel("BattleSide"),
                migrations.DeleteModel("Battle"),
                migrations.DeleteModel("Snapshot"),
                migrations.DeleteModel("Notice"),
                migrations.DeleteModel("NoticeChoice"),
            ],
        ),
    ]
