"""The impossible: what an operation will not do, told as a sentence for the person who asked."""

from collections.abc import Iterator
from contextlib import contextmanager


class Refusal(Exception):
    """Raised by an operation that changed nothing.

    `message` is a sentence to show; `field` what to mend, if known.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


@contextmanager
def refused_at(field: str) -> Iterator[None]:
    """Let what is refused within the block name this field instead of its own."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(refusal.message, field=field) from None
