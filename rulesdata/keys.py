"""Keys made of names, for what a club writes itself."""

from collections.abc import Container

import re2
from django.utils.text import slugify

from rulesdata.models import KEY_MAX

NUMBERED = 10
"""So many signs are left for what stands before a key and for a number behind it."""


def key_from(name: str, *, instead: str = "") -> str:
    """A key as the packs have them: small letters, figures and single hyphens.

    ``instead`` where nothing is left.
    """
    return (
        re2.sub(r"[^a-z0-9]+", "-", slugify(name))[: KEY_MAX - NUMBERED].strip("-")
        or instead
    )


def free_key(name: str, existing: Container[str], *, instead: str) -> str:
    """A key of one's own made of a name, with a number behind it where others have it."""
    base = f"own-{key_from(name, instead=instead)}"
    key, number = base, 1
    while key in existing:
        number += 1
        key = f"{base}-{number}"
    return key
