"""The hall screen of an event: turned on and off, and its clock; by organisers."""

from datetime import timedelta

from django.utils import timezone

from accounts.errors import Refusal, WrongState
from campaigns.models.screens import HallScreen
from campaigns.operations.log import ChangeRequest, organised_event
from campaigns.queries.screens import Clock, build_clock
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
        _check_step(step, minutes, clock)
        left = 0 if clock is None or step == "start" else clock.left
        if step in ("start", "extend"):
            left += 60 * (minutes or 0)
        if left > 60 * CLOCK_MAX:
            raise Refusal(
                f"The clock can run for at most {CLOCK_MAX} more minutes.", field="minutes"
            )
        goes_on = step == "extend" and screen.clock_ends_at is not None
        screen.clock_ends_at, screen.clock_left = None, left
        if goes_on or step in ("start", "resume"):
            screen.clock_ends_at = now + timedelta(seconds=left)
            screen.clock_left = None
        screen.save()


def _check_step(step: str, minutes: int | None, clock: Clock | None) -> None:
    """Raise Refusal or WrongState for a step that cannot be, or not now."""
    if step not in CLOCK_STEPS:
        steps = ", ".join(CLOCK_STEPS)
        raise Refusal(f"The steps of the clock are {steps}.", field="step")
    if step in ("start", "extend") and not is_int_within(minutes, 1, CLOCK_MAX):
        raise Refusal(
            f"The minutes must be a whole number from 1 to {CLOCK_MAX}.", field="minutes"
        )
    if clock is None and step != "start":
        raise WrongState("No clock was started.")
