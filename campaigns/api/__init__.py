"""Leagues, club nights and campaigns for programs."""

from campaigns.api.views import urlpatterns

__all__ = ["urlpatterns"]
