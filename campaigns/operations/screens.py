"""Where an event is shown beside its pages: its hall screen with a clock, and a channel of Discord.

Discord alone is asked, at an address of one form, over a connection that follows nobody elsewhere.
A post is a job: `jobs` tries it again, and its rows are the log that organisers read. What a post
says is drawn when it is sent, as somebody reads the event who is not signed in.
"""

import json
from contextlib import closing
from datetime import timedelta
from http.client import HTTPException, HTTPSConnection

import re2
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.errors import Refusal, WrongState
from accounts.owner import NOBODY
from campaigns.exports import as_post
from campaigns.models.leagues import DiscordWebhook, HallScreen
from campaigns.operations.log import ChangeRequest, organised_event
from campaigns.operations.notify import enqueue_post, notify_webhook_off
from campaigns.queries.fixtures import load_schedule
from campaigns.queries.screens import Clock, build_clock
from campaigns.queries.standings import standings_in
from engine.records import is_int_within
from jobs.handlers import JobFailed, JobLater, JobResult, Work, write_file

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


STEPS = ("set", "test", "remove")
HOST = "discord.com"
ADDRESS = re2.compile("https://discord[.]com/api/webhooks/[0-9]{1,20}/[A-Za-z0-9_-]{1,100}")
TEST = "This is a test. Pairings, results, standings and reminders will appear here."


def step_webhook(request: ChangeRequest, step: str, address: str = "") -> None:
    """Set the address of the webhook, post a test to it, or remove it; by organisers.

    Raises Refusal naming the field, WrongState without a webhook, NotFound, NotAllowed.
    """
    if step not in STEPS:
        raise Refusal(f"The steps are {', '.join(STEPS)}.", field="step")
    with organised_event(request) as change:
        event = change.event
        if step == "remove":
            if DiscordWebhook.objects.filter(event=event).delete()[0]:
                change.log("discord_off", "Removed the address of the Discord webhook.")
        elif step == "test":
            # One in a minute, however often the button is pressed.
            once = f"{timezone.now():%Y%m%d%H%M}"
            if not enqueue_post(event, "test", text=TEST, once=once):
                raise WrongState("No webhook is on. Enter its address first.")
        elif ADDRESS.fullmatch(address):
            columns = {"address": address, "is_on": True}
            DiscordWebhook.objects.update_or_create(event=event, defaults=columns)
            change.log("discord_on", "Set the address of a Discord webhook.")
        else:
            raise Refusal(
                "Webhook address: enter one such as "
                f"https://{HOST}/api/webhooks/1234567890/AbC-123.",
                field="address",
            )


def send_post(work: Work) -> JobResult:
    """Send one post. One that was interrupted may have arrived, and is not sent again."""
    rows = DiscordWebhook.objects.filter(event=work.payload["event"], is_on=True)
    webhook = rows.first()
    if webhook is None:
        raise JobFailed("The webhook was removed or is off.")
    schedule = load_schedule(NOBODY, webhook.event.token, is_shared=True)
    post = as_post(schedule, standings_in(schedule), *work.payload["post"])
    if not post:
        return JobResult(words="There is nothing to post any more.")
    mark = work.folder / "sent"
    if mark.exists():
        raise JobFailed("Interrupted. It may not have arrived.")
    write_file(mark, b"")
    try:
        status, seconds = _send(webhook.address, post)
    except (OSError, HTTPException):
        status, seconds = 503, 0
    if status == 429 or status >= 500:
        mark.unlink()
        raise JobLater("Discord does not answer, or takes no more posts now.", seconds)
    if status in (401, 404, 410):
        with transaction.atomic():
            # Somebody may have entered another address meanwhile.
            if rows.filter(address=webhook.address).update(is_on=False):
                notify_webhook_off(webhook.event)
        raise JobFailed(f"Discord does not know the webhook ({status}). It is off now.")
    if status >= 300:
        raise JobFailed(f"Discord refuses the post ({status}).")
    return JobResult()


def _send(address: str, content: str) -> tuple[int, int]:
    """Send a post; returns the status of the answer, and in how many seconds to send it again.

    Raises OSError and HTTPException.
    """
    # Only tests have this setting. No text is one, so that no environment can set it.
    connect = getattr(settings, "DISCORD_CONNECTION", HTTPSConnection)
    body = {"content": content, "allowed_mentions": {"parse": []}}
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"DiscordBot ({settings.SITE_URL}, {settings.VERSION})",
    }
    # Seconds, for each address of the host: a job may be silent for 40.
    with closing(connect(HOST, timeout=5)) as connection:
        path = address.removeprefix(f"https://{HOST}")
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        wait = answer.getheader("Retry-After", "")[:5].partition(".")[0]
        return answer.status, int(wait) + 1 if wait.isdecimal() else 0
