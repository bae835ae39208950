"""What an operation says when it will not do a thing, the same in every app. No HTTP here: the edges answer with it.

The impossible itself is `engine.refusal.Refusal`.
"""

from __future__ import annotations

from engine.refusal import Refusal

__all__ = ["NotAllowed", "NotFound", "Refusal", "StaleClub", "UnknownCode"]


class NotFound(LookupError):
    """There is no such thing, or it is not this actor's to see. Both sound alike on purpose."""


class NotAllowed(Refusal):
    """Somebody who may read a thing asks for what is not theirs to do."""


class UnknownCode(Refusal):
    """A code that could be a club's and is none's: mistyped, void by now, or guessed."""


class StaleClub(Refusal):
    """Somebody else changed what a club says about itself since it was read."""
