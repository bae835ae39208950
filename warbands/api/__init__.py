"""Rosters and warbands for programs."""

from warbands.api import rosters, warbands

urlpatterns = [*rosters.urlpatterns, *warbands.urlpatterns]
