"""The season of a club: some of its events, and how their results add up. Only this is stored; the
table is counted from the events each time.
"""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from accounts.fields import (
    PART_OF,
    check_choice,
    choice_field,
    index,
    moment_of_creation,
    token_field,
)
from accounts.tokens import new_token
from campaigns.models.leagues import EVENT_NAME_MAX, ClubEvent

SEASONS_MAX = 50
SEASON_EVENTS_MAX = 24


class SeasonCount(models.TextChoices):
    """What an event brings its players."""

    PLACE = "place", "Points by place"
    POINTS = "points", "Points as scored in the event"


class Season(models.Model):
    """Some events of a club counted together.

    ``best`` is how many results of a player count, None for all. ``place_points`` are those of the
    first place, the second and so on; nothing for those after.
    """

    token = token_field(new_token)
    club = models.ForeignKey("accounts.Club", related_name="seasons", **PART_OF)
    name = models.CharField(max_length=EVENT_NAME_MAX)
    counts = choice_field(SeasonCount.PLACE, 6)
    best = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(SEASON_EVENTS_MAX)],
    )
    place_points = models.JSONField(default=list, blank=True)
    events = models.ManyToManyField(ClubEvent, related_name="seasons", blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = moment_of_creation()

    class Meta:
        ordering = ["-id"]
        constraints = [check_choice("season_counts", "counts", SeasonCount)]
        indexes = [index("season_of_club", "club", "-id")]

    def __str__(self) -> str:
        return self.name

    @property
    def rule(self) -> str:
        """How results add up, in words."""
        best = "all results count"
        if self.best:
            plural = "result counts" if self.best == 1 else f"{self.best} results count"
            best = f"the best {plural}"
        if self.counts == SeasonCount.POINTS:
            return f"Points as scored in each event; {best}."
        worth = ", ".join(map(str, self.place_points)) or "nothing"
        return f"Points by place ({worth}); {best}."
