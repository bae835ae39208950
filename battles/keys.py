"""How a battle's key is handed on: spelt in groups, and behind the "#" of an address that no server
sees; and the ticket by which a phone that was shown the recorder follows the battle.

An open stream tells how many events there are and nothing of them: it asks no session, no key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import segno
from django.core import signing
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

# The server reads this module before any model may be.
if TYPE_CHECKING:
    from battles.queries.index import BattleRecord

GROUP = 4
STREAM_PATH = "/battles/stream/"
_SALT = "battle stream"
_TICKET_AGE = 24 * 60 * 60  # seconds; a page that is open for longer asks every few seconds


def spell_key(key: str) -> str:
    """A key as people read it aloud: "ABCD-EFGH-JKLM"."""
    return "-".join(key[start : start + GROUP] for start in range(0, len(key), GROUP))


def join_address(record: BattleRecord) -> str:
    """The path of the joining page with the key behind the "#"; only for those who hold the key."""
    return f"{reverse('battle-join', args=[record.token])}#{record.key}"


def qr_code(address: str, title: str = "QR code to record this battle") -> SafeString:
    """The address as a QR code, an SVG with a title for readers; the title is of our own words
    alone.
    """
    code = segno.make(address, error="m")
    drawn = code.svg_inline(
        scale=4, border=2, title=title, svgclass=None, lineclass=None, omitsize=True
    )
    return mark_safe(drawn)  # made of an address that was put together here


def stream_address(token: str) -> str:
    """The path where the battle of this token is followed for a day."""
    return f"{STREAM_PATH}{signing.dumps(token, salt=_SALT)}"


def battle_of_address(path: str) -> str:
    """The token of the battle that a path is for, "" for none."""
    try:
        token = signing.loads(
            path.removeprefix(STREAM_PATH), salt=_SALT, max_age=_TICKET_AGE
        )
    except signing.BadSignature:
        return ""
    return str(token)
