"""The impossible: what an operation will not do, told as a sentence for the person who asked."""


class Refusal(Exception):
    """Raised by an operation that changed nothing.

    `message` is a sentence to show; `field` what to mend, if known.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
