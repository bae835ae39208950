"""Random secrets and codes.

A token is 160 random bits, so that a plain hash of it is safe to keep.
"""

from __future__ import annotations

import base64
import hashlib
import secrets

# No vowels, so that no word appears; nothing that looks like another sign when read aloud or
# written by hand.
CODE_ALPHABET = "CDFGHJKMNPQRTWX3479"


TOKEN_BYTES = 12


def new_token() -> str:
    """Return an opaque address of 16 URL-safe characters (96 random bits)."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_link_secret() -> str:
    """Return a secret for a link: 27 characters that need no escaping in an address."""
    return secrets.token_urlsafe(20)


def hash_of(token: str) -> str:
    """What is kept of a token: 64 hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_code(length: int) -> str:
    """A short code people can read to each other."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))


def new_secret() -> str:
    """A secret of 32 small letters and digits, to be copied whole."""
    return base64.b32encode(secrets.token_bytes(20)).decode("ascii").lower()
