import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_rulings'),
        ('battles', '0010_undo_of_a_step'),
        ('campaigns', '0019_edition_of_the_fold'),
        ('warbands', '0011_learned_names'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='clubevent',
            name='event_kind',
        ),
        migrations.RemoveConstraint(
            model_name='entry',
            name='entry_status',
        ),
        migrations.AddField(
            model_name='clubevent',
            name='capacity',
            field=models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(128)]),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='entries_close_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='lists_due_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='missed_round',
            field=models.CharField(choices=[('nothing', 'Nothing'), ('draw', 'The points of a draw')], default='nothing', max_length=7),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='player_score_name',
            field=models.CharField(blank=True, default='', max_length=40),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='score_max',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='score_name',
            field=models.CharField(blank=True, default='', max_length=40),
        ),
        migrations.AddField(
            model_name='clubevent',
            name='starts_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='entry',
            name='is_paid',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='entry',
            name='player_score',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='fixture',
            name='score_one',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='fixture',
            name='score_other',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='fixture',
            name='score_third',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='listlock',
            name='check_reason',
            field=models.CharField(blank=True, default='', max_length=500),
        ),
        migrations.AddField(
            model_name='listlock',
            name='check_state',
            field=models.CharField(choices=[('none', 'Not checked'), ('checked', 'Checked'), ('sent_back', 'Sent back')], default='none', max_length=9),
        ),
        migrations.AlterField(
            model_name='clubevent',
            name='kind',
            field=models.CharField(choices=[('league', 'League'), ('night', 'Club night'), ('campaign', 'Campaign'), ('one_day', 'One-day tournament')], max_length=8),
        ),
        migrations.AlterField(
            model_name='entry',
            name='status',
            field=models.CharField(choices=[('active', 'Playing'), ('waiting', 'On the waiting list'), ('dropped', 'Dropped out')], default='active', max_length=7),
        ),
        migrations.AddConstraint(
            model_name='clubevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['league', 'night', 'campaign', 'one_day'])), name='event_kind'),
        ),
        migrations.AddConstraint(
            model_name='clubevent',
            constraint=models.CheckConstraint(condition=models.Q(('missed_round__in', ['nothing', 'draw'])), name='event_missed_round'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['active', 'waiting', 'dropped'])), name='entry_status'),
        ),
        migrations.AddConstraint(
            model_name='listlock',
            constraint=models.CheckConstraint(condition=models.Q(('check_state__in', ['none', 'checked', 'sent_back'])), name='list_check'),
        ),
    ]
