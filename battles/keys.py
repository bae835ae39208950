"""How a battle's key is handed on: spelt in groups, and behind the "#" of an address that no server
sees.
"""

import segno
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from battles.queries.records import BattleRecord

GROUP = 4


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
