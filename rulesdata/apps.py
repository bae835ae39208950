"""The rulesdata app."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from jobs.handlers import JobResult, Work


class RulesdataConfig(AppConfig):
    name = "rulesdata"
    verbose_name = "Rule books"

    def ready(self) -> None:
        """Connect clubs' lists to the registry, and register the jobs of catalogues."""
        from jobs.handlers import add_handler, add_regular
        from rulesdata import own_store
        from rulesdata.models import FORGET_CATALOGUES, READ_CATALOGUE

        own_store.connect()
        add_handler(READ_CATALOGUE, _read_sent, is_once=True)
        add_regular(
            FORGET_CATALOGUES,
            _forget_sent,
            title="Delete files of catalogues",
            every=timedelta(minutes=10),
        )


def _read_sent(work: Work) -> JobResult:
    from rulesdata.operations.sent_catalogues import read_sent

    return read_sent(work)


def _forget_sent(work: Work) -> JobResult:
    from rulesdata.operations.sent_catalogues import forget_sent

    return forget_sent(work)
