"""The configuration is an app too, so Django finds its checks and `manage.py prepare`."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Site"

    def ready(self) -> None:
        from config import health  # noqa: F401  (registers the checks)
