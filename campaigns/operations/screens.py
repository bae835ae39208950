"""The hall screen of an event: turned on and off, and its clock; by organisers."""

from datetime import timedelta

from django.utils import timezone

from accounts.errors import Refusal, WrongState
from campaigns.models.screens import HallScreen
from campaigns.operations.log import ChangeRequest, organised_event
from campaigns.queries.screens import build_clock
from engine.records import is_int_within

CLOCK_MAX = 600
"""Minutes that a clock may still run."""
CLOCK_STEPS = ("start", "stop", "resume", "extend")
SCREEN_STEPS = ("on", "off", *CLOCK_STEPS)


def step_screen(request: ChangeRequest, step: str, minutes: int | None = None) -> None:
    """Do one of the steps: turn a screen on or off, or set its clock."""
    if step == "on":
        turn_on_screen(request)
    elif step == "off":
        turn_off_screen(request)
    else:
        set_clock(request, step, minutes)


def turn_on_screen(request: ChangeRequest) -> str:
    """Give an event a screen, with an address of its own; returns the token, of one that is on too.

    Raises NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        screen, is_new = HallScreen.objects.get_or_create(event=change.event)
        if is_new:
            change.log("screen_on", "Turned the hall screen on.")
        return screen.token


def turn_off_screen(request: ChangeRequest) -> None:
    """Take the screen of an event away: its address leads nowhere from then on.

    Raises as `turn_on_screen`.
    """
    with organised_event(request) as change:
        if HallScreen.objects.filter(event=change.event).delete()[0]:
            change.log("screen_off", "Turned the hall screen off; its address is revoked.")


def set_clock(request: ChangeRequest, step: str, minutes: int | None = None) -> None:
    """Start the clock of a screen that is on, stop it, let it run on, or give it more ``minutes``.

    Raises Refusal naming the field, WrongState where there is no screen or no clock, NotFound,
    NotAllowed.
    """
    with organised_event(request) as change:
        screen = HallScreen.objects.filter(event=change.event).first()
        if screen is None:
            raise WrongState("The hall screen is off. Turn it on first.")
        now = timezone.now()
        clock = build_clock(screen, now)
        if step in ("start", "extend"):
            if not is_int_within(minutes, 1, CLOCK_MAX):
                raise Refusal(
                    f"The minutes must be a whole number from 1 to {CLOCK_MAX}.",
                    field="minutes",
                )
        elif step not in CLOCK_STEPS:
            steps = ", ".join(CLOCK_STEPS)
            raise Refusal(f"The steps of the clock are {steps}.", field="step")
        if step != "start" and clock is None:
            raise WrongState("No clock was started.")
        left = clock.left if clock and step != "start" else 0
        left += 60 * (minutes or 0)
        if left > 60 * CLOCK_MAX:
            raise Refusal(
                f"The clock can run for at most {CLOCK_MAX} more minutes.", field="minutes"
            )
        is_running = clock is not None and clock.is_running
        screen.clock_ends_at, screen.clock_left = None, left
        if step in ("start", "resume") or (step == "extend" and is_running):
            screen.clock_ends_at = now + timedelta(seconds=left)
            screen.clock_left = None
        screen.save()
