"""Battles move here from `campaigns`. Their tables keep their names, so that no row is touched."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import accounts.tokens
import battles.models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0004_notice_without_event'),
        ('accounts', '0002_api_tokens'),
        ('warbands', '0005_kept_prices'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
        migrations.CreateModel(
            name='Battle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.CharField(default=accounts.tokens.new_token, editable=False, max_length=16, unique=True)),
                ('key', models.CharField(default=battles.models.new_battle_key, editable=False, max_length=12)),
                ('owner_key', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('visibility', models.CharField(choices=[('private', 'Those who take part'), ('link', 'Everybody with the link'), ('public', 'Everybody, in the public list')], default='link', max_length=7)),
                ('system', models.CharField(max_length=100)),
                ('variant', models.CharField(blank=True, default='', max_length=100)),
                ('scenario', models.CharField(blank=True, default='', max_length=100)),
                ('scenario_name', models.CharField(blank=True, default='', max_length=200)),
                ('house_rules', models.JSONField(blank=True, default=dict)),
                ('note', models.TextField(blank=True, default='', max_length=2000)),
                ('attacker', models.CharField(blank=True, default='', max_length=8)),
                ('first', models.CharField(blank=True, default='', max_length=8, verbose_name='goes first')),
                ('fought_date', models.DateField()),
                ('confirm_days', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(60)])),
                ('locked', models.JSONField(default=dict)),
                ('state', models.JSONField(default=dict)),
                ('turn', models.PositiveSmallIntegerField(default=0)),
                ('phase', models.CharField(blank=True, default='', max_length=40)),
                ('events_count', models.PositiveIntegerField(default=0)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('status', models.CharField(choices=[('open', 'Being played'), ('proposed', 'Waits for the other side'), ('confirmed', 'Confirmed'), ('disputed', 'Disputed'), ('void', 'Void')], default='open', max_length=9)),
                ('winner', models.CharField(blank=True, default='', max_length=8)),
                ('how', models.CharField(blank=True, default='', max_length=40)),
                ('proposed_by', models.CharField(blank=True, default='', max_length=8)),
                ('confirm_by', models.DateTimeField(blank=True, null=True)),
                ('results_count', models.PositiveIntegerField(default=0)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('club', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='battles', to='accounts.club')),
                ('owner', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='battles', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'campaigns_battle',
                'ordering': ['-updated_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='BattleEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('uuid', models.UUIDField()),
                ('device', models.CharField(max_length=100)),
                ('seq', models.PositiveBigIntegerField()),
                ('at', models.DateTimeField()),
                ('kind', models.CharField(max_length=40)),
                ('payload', models.JSONField(default=dict)),
                ('author_key', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('author_name', models.CharField(blank=True, default='', max_length=60)),
                ('received_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('battle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='battles.battle')),
            ],
            options={
                'db_table': 'campaigns_battleevent',
                'ordering': ['battle', 'position'],
            },
        ),
        migrations.CreateModel(
            name='BattleSide',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('key', models.CharField(max_length=8)),
                ('name', models.CharField(max_length=200)),
                ('army', models.CharField(blank=True, default='', max_length=100)),
                ('army_name', models.CharField(blank=True, default='', max_length=200)),
                ('owner_key', models.CharField(blank=True, db_index=True, default='', editable=False, max_length=64)),
                ('is_quick', models.BooleanField(default=False)),
                ('size', models.PositiveIntegerField()),
                ('leadership', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('points', models.IntegerField(blank=True, null=True)),
                ('battle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sides', to='battles.battle')),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='battle_sides', to=settings.AUTH_USER_MODEL)),
                ('warband', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='battle_sides', to='warbands.warband')),
            ],
            options={
                'db_table': 'campaigns_battleside',
                'ordering': ['battle', 'position'],
            },
        ),
        migrations.CreateModel(
            name='BattleCombatant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('key', models.CharField(max_length=16)),
                ('name', models.CharField(max_length=200)),
                ('profile', models.CharField(blank=True, default='', max_length=100)),
                ('title', models.CharField(blank=True, default='', max_length=200)),
                ('warrior_id', models.PositiveBigIntegerField(blank=True, null=True)),
                ('number', models.PositiveSmallIntegerField(default=1)),
                ('wounds', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('leadership', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('is_leader', models.BooleanField(default=False)),
                ('points', models.IntegerField(default=0)),
                ('miniatures', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(blank=True, default='', max_length=40)),
                ('is_out', models.BooleanField(default=False)),
                ('kills', models.PositiveIntegerField(default=0)),
                ('put_out_by', models.CharField(blank=True, default='', max_length=16)),
                ('battle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='combatants', to='battles.battle')),
                ('side', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='combatants', to='battles.battleside')),
            ],
            options={
                'db_table': 'campaigns_battlecombatant',
                'ordering': ['battle', 'position'],
            },
        ),
        migrations.CreateModel(
            name='ResultEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('verb', models.CharField(choices=[('propose', 'Proposed'), ('confirm', 'Confirmed'), ('dispute', 'Disputed'), ('correct', 'Corrected'), ('void', 'Made void'), ('restore', 'Restored')], max_length=8)),
                ('side', models.CharField(blank=True, default='', max_length=8)),
                ('winner', models.CharField(blank=True, default='', max_length=8)),
                ('how', models.CharField(blank=True, default='', max_length=40)),
                ('reason', models.CharField(blank=True, default='', max_length=500)),
                ('figures', models.JSONField(default=dict)),
                ('confirm_by', models.DateTimeField(blank=True, null=True)),
                ('is_silent', models.BooleanField(default=False, verbose_name='by silence')),
                ('author_key', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('author_name', models.CharField(blank=True, default='', max_length=60)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('battle', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='results', to='battles.battle')),
            ],
            options={
                'db_table': 'campaigns_resultentry',
                'ordering': ['battle', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(default=0)),
                ('hash', models.CharField(max_length=64)),
                ('document', models.JSONField()),
                ('sheet', models.JSONField()),
                ('points', models.IntegerField(default=0)),
                ('miniatures', models.PositiveIntegerField(default=0)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('warband', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='snapshots', to='warbands.warband')),
            ],
            options={
                'db_table': 'campaigns_snapshot',
                'ordering': ['-at', '-id'],
            },
        ),
        migrations.AddField(
            model_name='battleside',
            name='snapshot',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='battles.snapshot'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['owner', '-updated_at', '-id'], name='battle_of_owner'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['owner_key', '-updated_at', '-id'], name='battle_of_key'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['club', 'visibility', '-updated_at', '-id'], name='battle_of_club'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['visibility', '-updated_at', '-id'], name='battle_public'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['status', 'confirm_by'], name='battle_overdue'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('owner__isnull', True), ('owner_key', ''), _connector='OR'), name='battle_one_owner'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('visibility__in', ['private', 'link', 'public'])), name='battle_visibility'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['open', 'proposed', 'confirmed', 'disputed', 'void'])), name='battle_status'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('confirm_by__isnull', True), ('status', 'proposed'), _connector='OR'), name='battle_waits_only_when_proposed'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('events_count__lte', 10000)), name='battle_events_most'),
        ),
        migrations.AddConstraint(
            model_name='battleevent',
            constraint=models.UniqueConstraint(fields=('battle', 'uuid'), name='battle_event_once'),
        ),
        migrations.AddConstraint(
            model_name='battleevent',
            constraint=models.UniqueConstraint(fields=('battle', 'position'), name='battle_event_position_once'),
        ),
        migrations.AddIndex(
            model_name='battlecombatant',
            index=models.Index(fields=['battle', 'position'], name='combatant_of_battle'),
        ),
        migrations.AddIndex(
            model_name='battlecombatant',
            index=models.Index(fields=['side', 'position'], name='combatant_of_side'),
        ),
        migrations.AddConstraint(
            model_name='battlecombatant',
            constraint=models.UniqueConstraint(fields=('battle', 'key'), name='combatant_key_once'),
        ),
        migrations.AddConstraint(
            model_name='resultentry',
            constraint=models.UniqueConstraint(fields=('battle', 'number'), name='result_once_per_number'),
        ),
        migrations.AddConstraint(
            model_name='resultentry',
            constraint=models.CheckConstraint(condition=models.Q(('verb__in', ['propose', 'confirm', 'dispute', 'correct', 'void', 'restore'])), name='result_verb'),
        ),
        migrations.AddConstraint(
            model_name='snapshot',
            constraint=models.UniqueConstraint(fields=('warband', 'hash'), name='snapshot_once_per_warband'),
        ),
        migrations.AddConstraint(
            model_name='battleside',
            constraint=models.UniqueConstraint(fields=('battle', 'position'), name='side_position_once'),
        ),
        migrations.AddConstraint(
            model_name='battleside',
            constraint=models.UniqueConstraint(fields=('battle', 'key'), name='side_key_once'),
        ),
        migrations.AddConstraint(
            model_name='battleside',
            constraint=models.CheckConstraint(condition=models.Q(('owner__isnull', True), ('owner_key', ''), _connector='OR'), name='side_one_owner'),
        ),
        migrations.AddConstraint(
            model_name='battleside',
            constraint=models.CheckConstraint(condition=models.Q(('is_quick', False), ('snapshot__isnull', True), _connector='OR'), name='side_quick_or_sheet'),
        ),
        migrations.AddConstraint(
            model_name='battleside',
            constraint=models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='side_size'),
        ),
            ],
        ),
    ]
