"""The hall screen of an event: an address without rights, and the clock that it shows."""

from django.db import models

from accounts.fields import optional_moment, token_field
from accounts.tokens import new_token
from campaigns.models.leagues import ClubEvent


class HallScreen(models.Model):
    """The screen of an event while it is on; whoever has its ``token`` may watch.

    The clock runs until ``clock_ends_at``, or is stopped at ``clock_left`` seconds. Both None: no
    clock was started.
    """

    event = models.OneToOneField(ClubEvent, models.CASCADE, related_name="screen")
    token = token_field(new_token)
    clock_ends_at = optional_moment()
    clock_left = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["event"]

    def __str__(self) -> str:
        return f"{self.event_id}"
