"""What the account pages print in their own way."""

from __future__ import annotations

from django.template import Library

register = Library()

# The first that a browser's name for itself holds counts: most of them also claim to be the ones
# below.
BROWSERS = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "Mac",
    "CrOS": "Chromebook",
    "Linux": "Linux",
}


@register.filter
def browser_name(user_agent: str) -> str:
    """Return "Firefox on Windows" for a User-Agent header, its beginning if nothing is known."""
    browser = next((name for sign, name in BROWSERS.items() if sign in user_agent), "")
    system = next((name for sign, name in SYSTEMS.items() if sign in user_agent), "")
    return " on ".join(filter(None, (browser, system))) or user_agent[:60] or "Unknown"
