"""Bodies and answers about the hall screen of an event, and what it posts to Discord."""

from typing import Any

from accounts.api.serializers import (
    Answer,
    Body,
    Flag,
    Moment,
    OneOf,
    Text,
    Texts,
    Whole,
)
from campaigns.api.serializers import OPTIONAL
from campaigns.models.leagues import ADDRESS_MAX
from campaigns.operations.screens import CLOCK_MAX, SCREEN_STEPS, STEPS
from jobs.models import JobStatus


class ScreenBody(Body):
    """What is done to the hall screen. Any other key is refused."""

    step = OneOf(refuses_null=True, choices=SCREEN_STEPS)
    minutes = Whole(
        "To start the clock, and to extend it.",
        **OPTIONAL,
        min_value=1,
        max_value=CLOCK_MAX,
    )


class ClockAnswer(Answer):
    """A countdown."""

    left = Whole("Seconds, at the moment of now.")
    is_running = Flag()
    ends_at = Moment("Null while it is stopped.", allow_null=True)


class ScreenGameAnswer(Answer):
    """A game of the round."""

    table = Whole(source="record.table", allow_null=True)
    names = Texts("One alone has a bye.")


class ScreenPlaceAnswer(Answer):
    """A line of the standings."""

    place = Whole(source="standing.place")
    name = Text(source="entry.name")
    points = Whole(source="standing.points")


class ScreenMessageAnswer(Answer):
    """A message to all players of today."""

    text = Text(source="reason")
    at = Moment()


class ScreenAnswer(Answer):
    """What the hall screen draws."""

    event = Text(source="event.token")
    name = Text(source="event.name")
    key = Text(
        "What its address ends in, for organisers; null while it is off.",
        source="token",
        allow_null=True,
    )
    now = Moment("The server's time.")
    clock = ClockAnswer(allow_null=True, help_text="Null before it was started.")
    round = Text(source="round.title", allow_null=True)
    games = ScreenGameAnswer(many=True, help_text="By table.")
    standings = ScreenPlaceAnswer(many=True)
    messages = ScreenMessageAnswer(many=True, help_text="The newest first.")

    def get_key(self, screen: Any) -> str | None:
        """Return the token for those who run the event."""
        return (screen.event.may_organise and screen.token) or None


class DiscordBody(Body):
    """What is done to the webhook of Discord. Any other key is refused."""

    step = OneOf(refuses_null=True, choices=STEPS)
    address = Text(
        "To set it: of a webhook on https://discord.com. No answer has it.",
        required=False,
        max_length=ADDRESS_MAX,
    )


class DiscordPostAnswer(Answer):
    """A post of the last seven days."""

    title = Text()
    at = Moment(source="created_at")
    status = OneOf(choices=JobStatus.values)
    reason = Text("Why it was not posted, or not yet.", source="words")


class DiscordAnswer(Answer):
    """Whether an event posts to Discord, and what it posted."""

    is_on = Flag(
        "Null without a webhook, false once Discord does not know it.",
        allow_null=True,
    )
    posts = DiscordPostAnswer(many=True, help_text="The newest first, at most 20.")
