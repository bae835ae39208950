"""What a command says where something is refused: the sentence, and not where in the code."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from engine.errors import Refusal


@contextmanager
def refused_as_error() -> Iterator[None]:
    """Let a refusal, and a file that cannot be opened, end the command with 1."""
    try:
        yield
    except (OSError, Refusal) as error:
        raise CommandError(str(error)) from None
