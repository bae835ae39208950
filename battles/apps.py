"""Battles: set up, recorded, settled.

What was set up before signing in becomes its person's here.
"""

from django.apps import AppConfig


class BattlesConfig(AppConfig):
    name = "battles"
    verbose_name = "Battles"

    def ready(self) -> None:
        """Connect the receivers and register battles with the export of personal data.

        Imports wait until here because models load only when every app is known.
        """
        from battles import receivers
        from battles.exports import battle_files
        from jobs.personal_data import add_part

        receivers.connect()
        add_part(battle_files)
