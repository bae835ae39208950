"""Clubs for programs."""

from clubs.api import clubs, own_lists, seasons

urlpatterns = [*clubs.urlpatterns, *own_lists.urlpatterns, *seasons.urlpatterns]
