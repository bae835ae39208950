"""Warbands.

What somebody made before signing in becomes theirs here, and goes with their account.
"""

from django.apps import AppConfig


class WarbandsConfig(AppConfig):
    name = "warbands"
    verbose_name = "Warbands"

    def ready(self) -> None:
        from warbands import receivers

        receivers.connect()
