"""Battles for programs, and for the recorder, which does everything through here."""

from battles.api.views import urlpatterns

__all__ = ["urlpatterns"]
