"""The configuration is an app too: that is how its start-up checks and `manage.py prepare` are
found.
"""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Site"

    def ready(self) -> None:
        from config import checks  # noqa: F401  (registers the checks)
