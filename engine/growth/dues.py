"""Dues: what a campaign asks for, each under a stable key, and the answers kept under these keys.

An answer has no place in time. Whenever the fold asks under a key, the answer counts if it fits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from engine.growth.tables import DiceTable, RolledRow, can_show
from engine.records import Numbers, TextPairs, frozen_dataclass

INJURY, OLD_WOUND, INCOME, CLAIM, ROLL = "injury", "old-wound", "income", "claim", "roll"
VETERANS = "veterans"
ADVANCE, RANSOM, SUCCESSION, UPKEEP = "advance", "ransom", "succession", "upkeep"
RULING = "ruling"
WARBAND = "warband"
"""Stands in a key for whoever is no single unit."""
AGAIN = "again"
"""Stands in the key of a throw that changes another one, before whose it is and what it is of."""
STANDING: Collection[str] = frozenset({ADVANCE, RANSOM, SUCCESSION, UPKEEP})
"""Kinds that are asked for anew after every change of a warband; the others once, in their slot."""
COUNTS, CHOICE, SUPERSEDED, WAITS, TAKEN_BACK = (
    "counts",
    "choice",
    "aside",
    "waits",
    "taken_back",
)
BESIDE_GAMES = {*STANDING, RULING}
"""Kinds whose keys begin with them; those of the others begin with a game."""
DueKey = tuple[str, str]
"""A warband and the key of one of its dues."""
Source = tuple[str, str, str, str]
"""What lets a throw be made again: a warband, a game, the bearer, and the skill or piece."""


@frozen_dataclass
class DueAnswer:
    """What somebody answered to a due. None: as answered before."""

    warband: str
    due: str
    faces: Numbers | None = None
    choice: str | None = None
    row: int | None = None


@frozen_dataclass
class StoredAnswer:
    """All that was answered to a due; ``row`` is an organiser's ruling in place of the faces.

    ``position`` is that of the last answer. ``is_off``: taken back, but its faces are kept.
    """

    faces: Numbers = ()
    choice: str = ""
    row: int | None = None
    position: int = 0
    is_off: bool = False

    def with_answer(self, answer: DueAnswer, position: int) -> StoredAnswer:
        """Return it with a further answer, whose parts replace those of before.

        Other faces end a ruling.
        """
        # None keeps what was there: a choice may come after its dice.
        faces = self.faces if answer.faces is None else answer.faces
        row = answer.row
        if row is None and answer.faces is None:
            row = self.row
        choice = self.choice if answer.choice is None else answer.choice
        return StoredAnswer(faces, choice, row, position)

    @property
    def is_thrown(self) -> bool:
        """Whether faces are there and count."""
        return bool(self.faces) and not self.is_off

    def ruling_in(self, table: DiceTable | None) -> RolledRow | None:
        """Return the row of the table that an organiser ruled it to be."""
        if table is None or self.is_off:
            return None
        return next((row for row in table.rows if row.least == self.row), None)

    def taken_back(self) -> StoredAnswer:
        """Return it not counting; its faces stay for whoever answers again."""
        return replace(self, is_off=True)


@frozen_dataclass
class Due:
    """A roll or a choice that the rules call for.

    ``is_answered``: an answer is there and leaves a choice open; ``faces`` are then what was
    thrown and ``words`` the row. ``choices`` are ids, each with its name.
    """

    key: str
    warband: str
    kind: str
    warrior: str = ""
    fixture: str = ""
    dice: str = ""
    faces: Numbers = ()
    choices: TextPairs = ()
    words: str = ""
    is_answered: bool = False


@dataclass(slots=True)
class AnswerBook:
    """The answers of a campaign during one fold: which were asked for, and what is open.

    ``rolled`` are the rows that throws on tables came to, ``settled`` the rolls below others that
    have happened, ``changed`` throws of which something was made again. ``offers`` are throws that
    may be made and need not, by what allows them, ``spent`` what was used. ``since``: as
    `CampaignLog.since`.
    """

    answers: Mapping[DueKey, StoredAnswer]
    since: int = 0
    used: set[DueKey] = field(default_factory=set)
    open: dict[str, dict[str, Due]] = field(default_factory=dict)
    rolled: dict[DueKey, RolledRow] = field(default_factory=dict)
    settled: set[DueKey] = field(default_factory=set)
    changed: dict[DueKey, StoredAnswer] = field(default_factory=dict)
    offers: dict[Source, dict[str, Due]] = field(default_factory=dict)
    spent: set[Source] = field(default_factory=set)

    def throw(self, due: Due, table: DiceTable | None = None) -> StoredAnswer | None:
        """Return what was thrown for a due, or None, and the due is open.

        Faces that its dice cannot show are left aside. A ruling needs a row of the ``table``.
        """
        key = due.warband, due.key
        answer = self.answers.get(key)
        if answer and answer.ruling_in(table):
            self.used.add(key)
            return answer
        if answer and answer.is_thrown and can_show(due.dice, answer.faces):
            self.used.add(key)
            return answer
        # An answer without dice is known to belong here; other dice are set aside.
        if answer and not answer.is_thrown:
            self.used.add(key)
        self._left_open(due)
        return None

    def offer(self, due: Due, source: Source) -> StoredAnswer | None:
        """Return what was thrown for a due that nobody need answer, or None, and it is offered."""
        throw = self.throw(due)
        if throw is None:
            offers = self.offers.setdefault(source, {})
            offers[due.key] = self.open[due.warband].pop(due.key)
        return throw

    def use(self, source: Source) -> None:
        """Write down that something has changed a throw: it changes no other."""
        self.spent.add(source)
        self.offers.pop(source, None)

    def end_offers(self, warband: str) -> None:
        """Offer a warband nothing more of its last battle: the next one begins."""
        self.offers = {key: dues for key, dues in self.offers.items() if key[0] != warband}

    def choose(self, due: Due) -> str:
        """Return what was chosen for a due without dice, or "", and the due is open."""
        answer = self.answers.get((due.warband, due.key))
        if answer is not None:
            self.used.add((due.warband, due.key))
            if answer.choice and not answer.is_off:
                return answer.choice
        self._left_open(due)
        return ""

    def choice_beside(self, due: Due) -> str:
        """Return what was chosen together with a throw."""
        answer = self.answers.get((due.warband, due.key))
        return answer.choice if answer else ""

    def answered_at(self, due: Due) -> int:
        """Return when a due was last answered."""
        return self.answers[due.warband, due.key].position

    def leave_choice(self, due: Due, throw: StoredAnswer | None = None) -> None:
        """Leave a due open whose answer does not settle it."""
        faces = throw.faces if throw else ()
        self._left_open(replace(due, faces=faces, is_answered=True))

    def ask_anew(self, warband: str) -> None:
        """Forget what a warband still owes besides its slots: it is about to be asked again."""
        owed = self.open.get(warband, {})
        self.open[warband] = {k: due for k, due in owed.items() if due.kind not in STANDING}

    def open_dues(self) -> tuple[Due, ...]:
        """Return everything that is open, by warband and key."""
        owed = [due for dues in self.open.values() for due in dues.values()]
        return tuple(sorted(owed, key=lambda due: (due.warband, due.key)))

    def answer_state(self, key: DueKey, *, may_come: bool) -> str:
        """Return what became of an answer; ``may_come``: its due may still be asked for."""
        warband, due = key
        if self.answers[key].is_off:
            return TAKEN_BACK
        if key not in self.used:
            return WAITS if may_come else SUPERSEDED
        still_open = self.open.get(warband, {}).get(due)
        return CHOICE if still_open and still_open.is_answered else COUNTS

    def _left_open(self, due: Due) -> None:
        """Write down that nothing settles a due yet."""
        self.open.setdefault(due.warband, {})[due.key] = due
