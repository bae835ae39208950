"""Warbands.

What somebody made before signing in becomes theirs here, and goes with their account.
"""

from django.apps import AppConfig


class WarbandsConfig(AppConfig):
    name = "warbands"
    verbose_name = "Warbands"

    def ready(self) -> None:
        from jobs.personal_data import add_part
        from warbands import receivers
        from warbands.queries.foreign_lists import learned_files
        from warbands.queries.warbands import warband_files

        receivers.connect()
        add_part(warband_files)
        add_part(learned_files)
