"""A roster as it is written down: what was chosen, before any rule looks at it."""

from collections.abc import Mapping
from dataclasses import field

from engine.records import Texts, frozen_dataclass

MAX_ENTRIES = 200
MAX_COUNT = 200
MAX_LIMIT = 100_000


@frozen_dataclass
class RosterEntry:
    """One line of a roster: ``count`` miniatures alike.

    ``options`` are keys as bought, once a piece.

    ``kept`` is what one miniature paid before its list asked another price, and still counts; None:
    today's price.
    """

    profile: str
    name: str = ""
    count: int = 1
    is_leader: bool = False
    options: Texts = ()
    lore: str = ""
    note: str = ""
    id: int | None = None
    kept: int | None = None

    @property
    def names(self) -> Texts:
        """The names of the single miniatures: the entry's name, split at commas where it holds more
        than one.
        """
        if self.count == 1:
            return (self.name,) if self.name else ()
        return tuple(part.strip() for part in self.name.split(",") if part.strip())[
            : self.count
        ]


@frozen_dataclass
class Roster:
    """A warband as data. ``points_limit`` None means none was agreed.

    ``rulings`` are those played otherwise than the text has them: the place of the alternative by
    ref, 0 for the text's own. Indexes of ``warriors`` start at 0.
    """

    system: str
    army: str
    name: str = ""
    points_limit: int | None = None
    variant: str | None = None
    scenario: str | None = None
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    warriors: tuple[RosterEntry, ...] = ()
    note: str = ""
    tags: Texts = ()
    rulings: Mapping[str, int] = field(default_factory=dict)
