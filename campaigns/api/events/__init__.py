"""Clubs and their leagues, club nights and campaigns for programs. What happens in a battle stands in `endpoints`."""

from campaigns.api.events import clubs, fixtures, leagues, rounds

urlpatterns = [*clubs.urlpatterns, *leagues.urlpatterns, *rounds.urlpatterns, *fixtures.urlpatterns]

__all__ = ["urlpatterns"]
