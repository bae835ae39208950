"""Clubs for programs."""

from clubs.api import clubs, own_lists

urlpatterns = [*clubs.urlpatterns, *own_lists.urlpatterns]
