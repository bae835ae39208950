"""The rulesdata app."""

from django.apps import AppConfig


class RulesdataConfig(AppConfig):
    name = "rulesdata"
    verbose_name = "Rule books"

    def ready(self) -> None:
        from rulesdata import own_store

        own_store.connect()
