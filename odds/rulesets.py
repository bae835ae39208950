"""The rules that odds are asked under, by their address."""

from __future__ import annotations

from engine.types.systems import System
from rulesdata import registry


class UnknownSubject(LookupError):
    """There is no such warrior, warband, starter or profile, or it is not this visitor's to see."""


def ruleset(address: str) -> System:
    """The rules of an address (a system's key, a variant's behind a full stop). Raises NotThere."""
    system, _, variant = address.partition(".")
    try:
        return registry.load_system(system, variant or None)
    except registry.UnknownKey as error:
        raise UnknownSubject(str(error)) from None
