"""Who is paired, what a pairing says, and the matching that is handed in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain

from engine.records import NumberByKey, Texts, frozen_dataclass


@frozen_dataclass
class Scoring:
    """Points for each kind of result, as the event sets them."""

    win: int = 3
    draw: int = 1
    loss: int = 0
    bye: int = 3
    unplayed: int = 0


@frozen_dataclass
class Entrant:
    """Somebody in the table, from round ``joined`` on.

    ``is_dropped`` ones keep what they have and play no more. ``play_off`` 1 stands first of those
    who played it. ``campaign_points`` are what a campaign counts besides results, ``player_score``
    what organisers gave, None for nothing. ``missed`` are points for the rounds before they joined.
    """

    id: str
    name: str
    is_dropped: bool = False
    play_off: int | None = None
    joined: int = 1
    campaign_points: int | None = None
    player_score: int | None = None
    missed: int = 0


@frozen_dataclass
class Result:
    """One counted fixture. ``other`` None is a bye; ``winner`` None a draw.

    Figures are by entry id.

    ``is_unplayed``: it was never played and nobody is to blame. ``points`` are the points an entry
    destroyed, ``out`` the models it lost, ``score`` what it scored; none counts for a bye or what
    was never played. Of three in a game, which ``third`` joins, one wins and two lose, or all draw.
    ``is_provisional``: it was reported and is not confirmed yet.
    """

    round: int
    one: str
    other: str | None
    winner: str | None = None
    is_unplayed: bool = False
    is_provisional: bool = False
    points: NumberByKey = field(default_factory=dict)
    out: NumberByKey = field(default_factory=dict)
    score: NumberByKey = field(default_factory=dict)
    third: str | None = None

    @property
    def ids(self) -> Texts:
        if self.other is None:
            return (self.one,)
        pair = self.one, self.other
        return pair if self.third is None else (*pair, self.third)

    @property
    def is_game(self) -> bool:
        return self.other is not None and not self.is_unplayed

    def opponents(self, entry_id: str) -> Texts:
        """Whom one of its sides met; nobody for a bye."""
        return tuple(other for other in self.ids if other != entry_id)

    def meetings(self, entry_id: str) -> tuple[tuple[str, "Result"], ...]:
        """Each opponent, and the game as these two met: drawn where a third side won."""
        others = self.opponents(entry_id)
        if self.third is None or self.winner in (entry_id, None):
            return tuple((other, self) for other in others)
        drawn = replace(self, winner=None)
        return tuple((other, self if other == self.winner else drawn) for other in others)


@frozen_dataclass
class Standing:
    """One line of the table: an entry's own figures and, once ranked, its place.

    ``met`` are the opponents of its games, one as often as met. ``played`` leaves out byes and
    ``unplayed`` fixtures. ``put_out`` and ``difference`` leave three-player games out, where nobody
    knows who put out whom; ``models_lost`` has them. ``place`` is shared by those whom nothing
    parts, 0 before the table is ranked. ``ties`` are the values of the tie-breaks, in their order,
    as told ("–" for none). What puts the line above the next one: ``why``, and after a tie what
    both are ``level`` on; both are "" for the last.
    """

    entry: Entrant
    results: tuple[Result, ...] = field(compare=False)
    points: int
    played: int
    won: int
    drawn: int
    lost: int
    byes: int
    unplayed: int
    met: Texts = field(compare=False)
    points_destroyed: int
    put_out: int
    models_lost: int
    difference: int
    score: int
    place: int = 0
    ties: Texts = ()
    level: str = ""
    why: str = ""

    @property
    def explained(self) -> str:
        """What puts the line above the next one, as one sentence."""
        return f"{self.level}; ahead {self.why}" if self.level else self.why

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def is_dropped(self) -> bool:
        return self.entry.is_dropped


@frozen_dataclass
class PointsTable:
    """Every line by its entry's id, and the scoring they were counted by."""

    lines: Mapping[str, Standing]
    scoring: Scoring


def count_points(
    entries: Sequence[Entrant], results: Sequence[Result], scoring: Scoring
) -> PointsTable:
    """Each entry's figures.

    Raises ValueError for a repeated entry, or a result that names whom it cannot.
    """
    by_entry: dict[str, list[Result]] = {entry.id: [] for entry in entries}
    if len(by_entry) != len(entries):
        raise ValueError("A player is in the standings twice.")
    for result in results:
        number, ids = result.round, result.ids
        for entry_id in ids:
            if entry_id not in by_entry:
                raise ValueError(
                    f"A result of round {number} names {entry_id[:40]!r}, who is not in the table."
                )
        if len(set(ids)) < len(ids):
            twice = max(ids, key=ids.count)
            raise ValueError(
                f"A result of round {number} has {twice[:40]!r} on both sides."
            )
        if result.winner is not None and result.winner not in ids:
            raise ValueError(
                f"A result of round {number} is won by {result.winner[:40]!r}, who is not in it."
            )
        for entry_id in ids:
            by_entry[entry_id].append(result)
    return PointsTable(
        {entry.id: _line(entry, by_entry[entry.id], scoring) for entry in entries}, scoring
    )


def _line(entry: Entrant, results: Sequence[Result], scoring: Scoring) -> Standing:
    """Return an entrant's standing, counted from the results that name it."""
    games = [result for result in results if result.is_game]
    met = tuple(chain.from_iterable(game.opponents(entry.id) for game in games))
    won, drawn, lost = tally(entry.id, games)
    byes = sum(result.other is None for result in results)
    duels = [game.out for game in games if game.third is None]
    paid = _total(duels, entry.id)
    put_out = sum(sum(out.values()) for out in duels) - paid
    return Standing(
        entry=entry,
        results=tuple(results),
        points=entry.missed
        + sum(result_points(result, entry.id, scoring) for result in results),
        played=len(games),
        won=won,
        drawn=drawn,
        lost=lost,
        byes=byes,
        # What is neither a game nor a bye was never played.
        unplayed=len(results) - len(games) - byes,
        met=met,
        points_destroyed=_total([game.points for game in games], entry.id),
        put_out=put_out,
        models_lost=_total([game.out for game in games], entry.id),
        difference=put_out - paid,
        score=_total([game.score for game in games], entry.id),
    )


def _total(figures: Sequence[NumberByKey], entry_id: str) -> int:
    """One entry's part of figures, summed."""
    return sum(figure.get(entry_id, 0) for figure in figures)


def tally(entry_id: str, games: Sequence[Result]) -> tuple[int, int, int]:
    """Return how many games somebody won, drew and lost."""
    won = sum(game.winner == entry_id for game in games)
    drawn = sum(game.winner is None for game in games)
    return won, drawn, len(games) - won - drawn


def result_points(result: Result, entry_id: str, scoring: Scoring) -> int:
    """The points of one result for one of its sides."""
    if result.other is None:
        return scoring.bye
    if result.is_unplayed:
        return scoring.unplayed
    if result.winner is None:
        return scoring.draw
    return scoring.win if result.winner == entry_id else scoring.loss


BYE = ""
Edge = tuple[str, str, int]
Match = Callable[[Sequence[Edge]], Sequence[tuple[str, str]]]
"""Takes (one, other, weight) of every pair; gives a matching of most pairs and, among those, the
greatest weight.
"""


@frozen_dataclass
class Player:
    """Somebody to be paired. Who has dropped out is left out; who comes late begins with nothing.

    ``score`` is in points, ``played`` in games. ``met`` counts earlier games by opponent, ``met_last`` is the number of
    the last of each (any numbers that grow: rounds, evenings). ``floats`` is how often they met
    somebody on another score, ``scenarios`` how often they played each.
    """

    id: str
    score: int = 0
    met: NumberByKey = field(default_factory=dict)
    met_last: NumberByKey = field(default_factory=dict)
    byes: int = 0
    played: int = 0
    attacked: int = 0
    defended: int = 0
    floats: int = 0
    scenarios: NumberByKey = field(default_factory=dict)

    @property
    def lean(self) -> int:
        """How much oftener they attacked than defended."""
        return self.attacked - self.defended


@frozen_dataclass
class Pairing:
    """One table of a round.

    ``other`` is None for a bye, which has no ``table``; ``third`` joins a table of three.
    ``attacker`` is the id of one of them. ``reason`` is told to the players. ``is_rematch``: two at
    this table have met before.
    """

    one: str
    other: str | None
    attacker: str | None = None
    scenario: str | None = None
    reason: str = ""
    third: str | None = None
    is_rematch: bool = False
    table: int | None = None

    @property
    def is_bye(self) -> bool:
        return self.other is None

    @property
    def ids(self) -> Texts:
        three = (self.one, self.other, self.third)
        return tuple(player_id for player_id in three if player_id is not None)


def games_between(first: Player, second: Player) -> int:
    """How often the two have met, whichever of them knows."""
    return max(first.met.get(second.id, 0), second.met.get(first.id, 0))


def last_between(first: Player, second: Player) -> int:
    """The number of their last game; 0 for an unknown one."""
    return max(first.met_last.get(second.id, 0), second.met_last.get(first.id, 0))


FIRST_MEETING = "First meeting."


def times_text(number: int) -> str:
    """How often, in words: once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
