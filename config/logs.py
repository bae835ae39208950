"""Logs: one JSON object a line on standard error, without secrets.

What a person typed, their e-mail address, tokens and full URLs (a share link is a secret) do not
reach a log.
"""

from collections.abc import MutableMapping
from typing import Any

import re2
import structlog
from structlog.typing import Processor

from config import env

_SECRET_KEY = re2.compile(
    r"(?i)pass(word)?|secret|token|cookie|authori[sz]ation|session|csrf|e-?mail|api_?key"
)
_LETTERS = r"\w\x{80}-\x{10ffff}-"
_EMAIL = re2.compile(rf"[.+'{_LETTERS}]+@[{_LETTERS}]+(?:\.[{_LETTERS}]+)+")
_URL_SECRETS = re2.compile(r"(\w+://[^\s:/@]*:)[^\s@]+@")

Event = MutableMapping[str, Any]
APPS = (
    *("config", "clubs", "campaigns", "battles", "warbands"),
    *("odds", "rulesdata", "notices", "jobs", "accounts"),
)


def hide_secrets(_logger: Any, _method: str, event: Event) -> Event:
    """Replace values of secret-looking keys, email addresses, and passwords in URLs."""
    for key, value in event.items():
        if key != "event" and _SECRET_KEY.search(key):
            event[key] = "(hidden)"
        elif isinstance(value, str):
            event[key] = hide_in_text(value)
    return event


def hide_in_text(text: str) -> str:
    """Return the text without e-mail addresses and without passwords in addresses."""
    # An address of a request may hold half of a character.
    text = text.encode("utf-8", "backslashreplace").decode()
    hidden: str = _EMAIL.sub("(e-mail)", _URL_SECRETS.sub(r"\1(hidden)@", text))
    return hidden


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    hide_secrets,
]


def configure() -> None:
    """Send structlog's records through the standard library's logging."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def settings(level: str) -> dict[str, Any]:
    """The value of Django's LOGGING for a level such as "INFO"."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(),
                ],
                "foreign_pre_chain": _SHARED,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            **{app: {"level": level} for app in APPS},
            # These write whole paths, and a path can hold a share link or a reset key; and a
            # traceback for each request that is refused. The request log says the rest.
            "django.request": {"level": "CRITICAL"},
            "django.security": {"level": "CRITICAL"},
            "urllib3": {"level": "ERROR"},
            "weasyprint": {"level": "ERROR"},
            "fontTools": {"level": "ERROR"},
        },
    }


# Error reports, without addresses, people and what they typed


def begin_error_reports(dsn: str, version: str) -> None:
    """Send errors to Sentry from now on. A missing package or a bad address stops the start."""
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
