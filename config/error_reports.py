"""Errors sent to Sentry, where a site names one; without addresses, people and what they typed."""

from typing import Any

from config import env
from config.logs import hide_in_text


def begin(dsn: str, version: str) -> None:
    """Send errors from now on. A missing package or a bad address stops the start."""
    try:
        import sentry_sdk  # noqa: PLC0415  (not among the packages that the site needs)
    except ImportError:
        env.refuse("SENTRY_DSN", "needs a package: .venv/bin/pip install sentry-sdk")
    try:
        sentry_sdk.init(
            dsn=dsn,
            release=version,
            include_local_variables=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            server_name="",
            before_send=without_secrets,
        )
    except ValueError:
        env.refuse("SENTRY_DSN", "must look like https://key@sentry.example.org/1.")


def without_secrets(event: Any, hint: Any = None) -> Any:
    """Return the event without its request, which names share links, and without addresses."""
    for name in ("request", "user", "breadcrumbs", "extra"):
        event.pop(name, None)
    for error in event.get("exception", {}).get("values", []):
        error["value"] = hide_in_text(str(error.get("value", "")))
    if "logentry" in event:
        event["logentry"] = {
            "message": hide_in_text(str(event["logentry"].get("message", "")))
        }
    return event
