"""Notices: what somebody is told, in the app and by mail."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "notices"
    verbose_name = "Notices"

    def ready(self) -> None:
        from notices import jobs

        jobs.connect()
