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


def step_screen(request: ChangeRequest, step: str, minutes: int | None = None) -> str:
    """Turn the screen of an event on or off, or set its clock; returns its token, "" for none.

    One that is on has an address of its own, which leads nowhere once it is off. Its clock is
    started, stopped, let run on, or given more ``minutes``. Raises Refusal naming the field,
    WrongState where there is no screen or no clock, NotFound, NotAllowed.
    """
    with organised_event(request) as change:
        screens = HallScreen.objects.filter(event=change.event)
        screen = screens.first()
        if step == "off":
            if screens.delete()[0]:
                sentence = "Turned the hall screen off; its address is revoked."
                change.log("screen_off", sentence)
            return ""
        if step == "on":
            if screen is None:
                screen = HallScreen.objects.create(event=change.event)
                change.log("screen_on", "Turned the hall screen on.")
        elif screen is None:
            raise WrongState("The hall screen is off. Turn it on first.")
        else:
            _set_clock(screen, step, minutes)
        return screen.token


def _set_clock(screen: HallScreen, step: str, minutes: int | None) -> None:
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
