"""Leagues, club nights and campaigns for programs."""

from campaigns.api import events, rounds

urlpatterns = [*events.urlpatterns, *rounds.urlpatterns]
