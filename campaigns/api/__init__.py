"""Battles for programs, and for the recorder, which does everything through here; clubs and their leagues."""

from campaigns.api import events
from campaigns.api.endpoints import urlpatterns as battles

urlpatterns = [*battles, *events.urlpatterns]

__all__ = ["urlpatterns"]
