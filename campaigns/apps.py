"""Battles. What somebody set up before signing in becomes theirs here, and is let go of with their account."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"
    verbose_name = "Battles and campaigns"

    def ready(self) -> None:
        from campaigns import claims, jobs, notice_jobs, recounts
        from campaigns.battle_follower import EventFollower
        from campaigns.hooks import follow_battles

        follow_battles(EventFollower())
        claims.connect_claims()
        jobs.connect_jobs()
        notice_jobs.connect_notice_jobs()
        recounts.connect_recounts()
