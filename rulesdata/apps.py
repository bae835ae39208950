"""The rulesdata app."""

from datetime import timedelta

from django.apps import AppConfig


class RulesdataConfig(AppConfig):
    name = "rulesdata"
    verbose_name = "Rule books"

    def ready(self) -> None:
        """Connect clubs' lists to the registry, and register the jobs of catalogues."""
        from jobs.handlers import add_handler, add_regular
        from rulesdata import own_store
        from rulesdata.models import FORGET_CATALOGUES, READ_CATALOGUE
        from rulesdata.operations.sent_catalogues import forget_sent, read_sent

        own_store.connect()
        add_handler(READ_CATALOGUE, read_sent, is_once=True)
        add_regular(
            FORGET_CATALOGUES,
            forget_sent,
            title="Delete files of catalogues",
            every=timedelta(minutes=10),
        )
