"""Where an event is shown beside its pages: its hall screen, and a channel of Discord."""

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


ADDRESS_MAX = 200
DISCORD_POST = "discord-post"  # the kind of the job that sends one


class DiscordWebhook(models.Model):
    """Where an event posts to.

    Whoever has the ``address`` may post there: no page, answer, file, log or copy has it.
    ``is_on``: until Discord says that it does not know the address.
    """

    event = models.OneToOneField(ClubEvent, models.CASCADE)
    address = models.CharField(max_length=ADDRESS_MAX)
    is_on = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.event_id}"
