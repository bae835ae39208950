"""The impossible: what an operation will not do, told as a sentence for the person who asked."""

from __future__ import annotations


class Refusal(Exception):
    """Raised by an operation that changed nothing. `str()` of it is a sentence to show; `field` names what to mend, if one thing."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
