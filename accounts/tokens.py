"""Random secrets, and the short code of a club: made, and read as people type it.

An address is 96 random bits. A secret is 160, so that a plain hash of it is safe to keep. A code
is typed in any case, in groups, as a link, or misread.
"""

import base64
import hashlib
import secrets
from typing import TypeVar

from django.contrib.humanize.templatetags.humanize import apnumber
from django.db.models import Model, QuerySet

from accounts.errors import NotFound
from accounts.models import CLUB_CODE_LENGTH
from engine.errors import Refusal
from engine.text import join_words

# No vowels, so that no word appears; nothing that looks like another sign when read aloud or
# written by hand.
CODE_ALPHABET = "CDFGHJKMNPQRTWX3479"
# 96 bits: no address is guessed, and a link still fits on one line of a chat.
TOKEN_BYTES = 12
GROUP = 3
TYPED_MAX = 200
TOKEN_MAX = 40
# What stands in no code, and which of those that do it may have been.
LOOK_ALIKES = {
    **dict.fromkeys("0OU", "CDGQ"),
    **dict.fromkeys("1IL", "JT7"),
    **dict.fromkeys("2Z", "7"),
    **dict.fromkeys("5S", "39"),
    **dict.fromkeys("6", "CG"),
    **dict.fromkeys("8B", "3R9"),
    "A": "4R",
    "E": "F3",
    "V": "WX7",
    "Y": "X7",
}
_LINK = "/clubs/join/"
R = TypeVar("R", bound=Model)


def new_token() -> str:
    """Return an opaque address of 16 URL-safe characters (96 random bits)."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def is_token(text: str) -> bool:
    """Return whether this can be a token at all, so that a database is asked for it."""
    return 0 < len(text) <= TOKEN_MAX and text.isascii() and text.isprintable()


def find_row(rows: QuerySet[R], token: str) -> R | None:
    """Return the row of this token among these, None for none. At most one query."""
    # Anything else cannot be in the table, and some of it no database takes.
    return rows.filter(token=token).order_by().first() if is_token(token) else None


def get_row(rows: QuerySet[R], token: str, what: str) -> R:
    """Return the same; raises NotFound naming ``what`` where there is none."""
    row = find_row(rows, token)
    if row is None:
        raise NotFound(what)
    return row


def new_link_secret() -> str:
    """Return a secret for a link: 27 characters that need no escaping in an address."""
    return secrets.token_urlsafe(20)


def hash_token(token: str) -> str:
    """What is kept of a token: 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_code(length: int) -> str:
    """A short code people can read to each other."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))


def new_secret() -> str:
    """A secret of 32 small letters and digits, to be copied whole."""
    return base64.b32encode(secrets.token_bytes(20)).decode("ascii").lower()


def without_separators(typed: str) -> str:
    """Return a code or key in capitals, without what people put between its groups."""
    return "".join(sign for sign in typed if not (sign.isspace() or sign in ".·_-")).upper()


def read_code(typed: str) -> str:
    """Return the stored form of a typed code, or of the link that holds it.

    Case, blanks, dots and hyphens do not matter. Raises `Refusal` naming a character that no code
    has, and what it may have been.
    """
    if len(typed) > TYPED_MAX:
        raise Refusal(
            f"A club’s code has {_count(CLUB_CODE_LENGTH)}. What you entered is far longer.",
            field="code",
        )
    if _LINK in typed:
        typed = (
            typed.partition(_LINK)[2].replace("?", "/").replace("#", "/").partition("/")[0]
        )
    code = without_separators(typed)
    if not code:
        raise Refusal(
            f"Enter the code of the club. It has {_count(CLUB_CODE_LENGTH)}.", field="code"
        )
    for sign in code:
        if sign not in CODE_ALPHABET:
            likely = join_words(LOOK_ALIKES.get(sign, ""), "or")
            hint = f": it may be {likely}" if likely else ""
            printed = sign if sign.isprintable() else "?"
            raise Refusal(
                f"Club codes never use “{printed}”. Check the code{hint}.", field="code"
            )
    if len(code) != CLUB_CODE_LENGTH:
        raise Refusal(
            f"A club’s code has {_count(CLUB_CODE_LENGTH)}. You entered {_count(len(code))}.",
            field="code",
        )
    return code


def spelt_code(code: str) -> str:
    """The code as people read it aloud: "CDF GHJ"."""
    return " ".join(code[start : start + GROUP] for start in range(0, len(code), GROUP))


def _count(number: int) -> str:
    return f"{apnumber(number)} character{'' if number == 1 else 's'}"
