"""The rulesdata app."""

from django.apps import AppConfig


class RulesdataConfig(AppConfig):
    name = "rulesdata"
    verbose_name = "Rule books"
