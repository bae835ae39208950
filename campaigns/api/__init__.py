"""Leagues, club nights and campaigns for programs."""

from campaigns.api import rounds, views

urlpatterns = [*views.urlpatterns, *rounds.urlpatterns]
