"""Notices move here from `campaigns`. Their tables keep their names, so that no row is touched."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import accounts.tokens


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0004_notice_without_event'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
        migrations.CreateModel(
            name='NoticeChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('wants_mail', models.BooleanField(default=True)),
                ('token', models.CharField(default=accounts.tokens.new_token, editable=False, max_length=16, unique=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notice_choice', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'campaigns_noticechoice',
                'ordering': ['user'],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(blank=True, default='', max_length=80)),
                ('kind', models.CharField(max_length=40)),
                ('words', models.CharField(max_length=500)),
                ('path', models.CharField(max_length=200)),
                ('key', models.CharField(blank=True, default='', max_length=80)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'campaigns_notice',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['user', 'read_at', '-id'], name='notice_of_user')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('user', 'kind', 'key'), name='notice_once_per_thing')],
            },
        ),
            ],
        ),
    ]
