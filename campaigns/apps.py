"""Leagues, club nights and campaigns. They follow the battles that are played for them."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"
    verbose_name = "Leagues, club nights and campaigns"

    def ready(self) -> None:
        from battles.hooks import follow_battles
        from campaigns import jobs
        from campaigns.battle_follower import EventFollower

        follow_battles(EventFollower())
        jobs.connect()
