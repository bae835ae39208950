"""Who owns a thing: a person with an account, or a browser session without one. No HTTP here."""

from engine.records import frozen_dataclass

KEY_LENGTH = 32  # characters; 160 random bits in base 32


@frozen_dataclass
class Owner:
    """Who stores things: a person by `user_id`, or a browser session by its anonymous `key`.

    Both are empty for a visitor who has stored nothing yet. A person's `key` is always empty, so
    that what was made without an account is reached only before signing in.
    """

    user_id: int | None = None
    key: str = ""

    def __post_init__(self) -> None:
        if self.user_id is not None and self.key:
            raise ValueError("An owner is a person or an anonymous key, not both.")

    @property
    def is_person(self) -> bool:
        return self.user_id is not None

    @property
    def is_nobody(self) -> bool:
        """True when neither is known: such an owner owns nothing."""
        return self.user_id is None and not self.key


NOBODY = Owner()
