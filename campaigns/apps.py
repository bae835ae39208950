"""Leagues, club nights and campaigns. They follow the battles that are played for them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from jobs.handlers import JobResult, Work

REMIND = "remind-of-lists"


class CampaignsConfig(AppConfig):
    name = "campaigns"
    verbose_name = "Leagues, club nights and campaigns"

    def ready(self) -> None:
        """Register what follows battles, departures, jobs, own data and what rosters are used for.

        Imports wait until here because models load only when every app is known.
        """
        from battles.hooks import follow_battles
        from campaigns.battle_follower import EventFollower
        from campaigns.growth.operations.ledger import check_naming
        from campaigns.models.leagues import DISCORD_POST
        from campaigns.models.rounds import PRINT_ROUND
        from campaigns.operations.departures import connect
        from campaigns.operations.screens import send_post
        from campaigns.queries.entries import event_files, load_campaign_uses
        from jobs.handlers import add_handler, add_regular
        from jobs.personal_data import add_part
        from warbands.hooks import guard_names, offer_uses

        add_part(event_files)
        connect()
        follow_battles(EventFollower())
        offer_uses(load_campaign_uses)
        guard_names(check_naming)
        add_handler(PRINT_ROUND, _print_round)
        add_handler(DISCORD_POST, send_post)
        add_regular(REMIND, _remind, title="Remind of lists", every=timedelta(minutes=30))


def _print_round(work: Work) -> JobResult:
    """Run the job that prints the papers of a round as one PDF."""
    # Drawing takes a second to load, so it is loaded when the first job of the kind comes.
    from campaigns.pdf import print_round

    return print_round(work)


def _remind(work: Work) -> JobResult:
    """Remind players of lists that are due, and return how many were told."""
    from campaigns.operations.notify import remind_of_lists
    from jobs.handlers import JobResult

    return JobResult(words=f"{remind_of_lists()} told.")
