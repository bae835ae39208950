"""What the readers of events hand out: frozen values that know nothing of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from battles.models import CONFIRM_DAYS, Confirmation
from campaigns.fixture_totals import DESTROYED, OUT, SCORE
from campaigns.models import (
    Decision,
    EntryStatus,
    EventKind,
    EventLog,
    EventStatus,
    EventVisibility,
    Fixture,
    FixtureStatus,
    GrowthRow,
    MissedRound,
    OddNumber,
    PairingMethod,
    RoundStatus,
)
from campaigns.models.leagues import default_ties
from engine.battles.rules import BattleRules, Ending
from engine.records import (
    NamedValues,
    NumberByKey,
    TextByKey,
    Texts,
    frozen_dataclass,
)
from engine.roster import in_force, sources
from engine.tournament.types import Result, Scoring
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import PlayedRuling, played_rulings
from warbands.queries.lists import system_name
from warbands.queries.records import RowsPage

ARCHIVED = "This event is archived. Restore it first."
REOPEN = "This event is finished. Reopen it in its settings first."
ASK_TO_REOPEN = "This event is finished. Ask an organiser of the club to reopen it."

RESULTS: Texts = ("won", "drawn", "lost")
"""What a game is to somebody who played it."""
Choices = Sequence[tuple[str, str]]
"""What a form offers: what is sent, and what is read."""


@frozen_dataclass
class EntryRecord:
    """Somebody in an event.

    ``warband`` is the token of what they mean to bring where the reader may open it, or "".

    ``user_id`` None is a guest. ``is_mine``: it is the reader's own. ``joined`` is 0 until they have
    a place. ``is_paid`` None is none of the reader's business. ``campaign_points`` are what
    the warband has collected that buys nothing, None where none grows.
    """

    id: int
    token: str
    name: str
    user_id: int | None
    status: str
    joined: int
    dropped: int | None
    play_off: int | None
    warband: str
    warband_name: str
    army_name: str
    is_mine: bool
    player_score: int | None = None
    campaign_points: int | None = None
    is_paid: bool | None = None

    @property
    def is_guest(self) -> bool:
        return self.user_id is None

    @property
    def is_dropped(self) -> bool:
        return self.status == EntryStatus.DROPPED

    @property
    def is_playing(self) -> bool:
        return self.status == EntryStatus.ACTIVE

    @property
    def is_waiting(self) -> bool:
        return self.status == EntryStatus.WAITING


@frozen_dataclass
class EventTerms:
    """All that an event agrees on, as its organisers ask for it or as it is kept.

    ``points_limit`` None is without limit, ``rounds_planned`` 0 open-ended.

    ``variant`` "" is for systems that have none. ``levels`` maps a guideline's code to error,
    warning, note or off; what it leaves out stays as the system has it. ``tie_breaks`` in their
    order. ``ruling_layers``: the rulings of the event alone as it is asked for, those of its club
    and its own, by layer, as it is kept.
    """

    name: str
    kind: str
    method: str
    system: str
    variant: str = ""
    points_limit: int | None = None
    description: str = ""
    place: str = ""
    legs: int = 1
    rounds_planned: int = 0
    odd: str = OddNumber.BYE
    tables: int = 0
    visibility: str = EventVisibility.CLUB
    starts_at: datetime | None = None
    capacity: int | None = None
    entries_close_at: datetime | None = None
    lists_due_at: datetime | None = None
    scenarios: Sequence[str] = ()
    house_rules: Mapping[str, bool] = field(default_factory=dict)
    ruling_layers: NamedValues = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    needs_list: bool = False
    is_secret: bool = True
    has_core: bool = False
    has_one_list: bool = False
    shows_treasury: bool = False
    scoring: Scoring = field(default_factory=Scoring)
    missed_round: str = MissedRound.NOTHING
    score_name: str = ""
    score_max: int | None = None
    player_score_name: str = ""
    tie_breaks: Sequence[str] = field(default_factory=default_ties)
    confirm_days: int = CONFIRM_DAYS
    confirmation: str = Confirmation.PLAYERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubEventRecord(EventTerms):
    """An event with what it agrees on, and what the reader is in it.

    ``mine`` is the token of the reader's own entry, "" for none; ``is_playing``: they have a place
    and have not dropped out; ``is_waiting``: they wait for one. ``opens_club``: they may open the
    page of its club. ``hides_lists``: what others bring
    is secret from the reader.
    """

    id: int
    token: str
    club_id: int
    club_name: str
    club_slug: str
    status: str
    version: int
    growth_position: int
    created_at: datetime
    updated_at: datetime
    is_archived: bool
    is_member: bool
    opens_club: bool
    may_organise: bool
    mine: str
    is_playing: bool
    is_waiting: bool
    hides_lists: bool

    def hides(self, entry: str) -> bool:
        """Whether the reader learns no more of an entry than its name and its warband's (R43)."""
        return self.hides_lists and entry != self.mine

    @property
    def reads_reasons(self) -> bool:
        """Whether the reader reads why something was changed: members, players and organisers."""
        return self.is_member or self.may_organise or bool(self.mine)

    def hide_reason(self, row: EventLog | GrowthRow) -> None:
        """Leave the reason out of a row that is only read, for whoever does not read reasons."""
        if not self.reads_reasons:
            row.reason = ""

    @property
    def kind_name(self) -> str:
        return str(EventKind(self.kind).label)

    @property
    def status_name(self) -> str:
        return str(EventStatus(self.status).label)

    @property
    def system_name(self) -> str:
        """The rule system with its variant, in words."""
        return system_name(self.system, self.variant)

    @property
    def held_rulings(self) -> dict[str, int]:
        """The rulings that are played otherwise, its club's and its own."""
        return in_force(self.ruling_layers)

    @property
    def played_rulings(self) -> tuple[PlayedRuling, ...]:
        """The same in words; none where its system left the packs."""
        try:
            return played_rulings(self.load_system(), self.ruling_layers)
        except registry.UnknownKey:
            return ()

    @property
    def ruling_sources(self) -> TextByKey:
        return sources(self.ruling_layers)

    @property
    def is_finished(self) -> bool:
        return self.status == EventStatus.FINISHED

    @property
    def is_over(self) -> bool:
        """Whether it takes no more entries and lists."""
        return self.is_finished or self.is_archived

    @property
    def over_words(self) -> str:
        """Why nothing grows or is paired any more and what this reader can do, "" while it does."""
        if self.is_archived:
            return ARCHIVED
        if not self.is_finished:
            return ""
        return REOPEN if self.may_organise else ASK_TO_REOPEN

    @property
    def is_closed(self) -> bool:
        """Whether the time to enter is over."""
        closes_at = self.entries_close_at
        return closes_at is not None and closes_at <= timezone.now()

    @property
    def takes_entries(self) -> bool:
        """Whether this reader may enter: organisers may at any time, nobody else in a league that is
        running or after the time to enter.
        """
        is_running = self.status == EventStatus.RUNNING and self.kind == EventKind.LEAGUE
        return not self.is_over and (
            self.may_organise or not (is_running or self.is_closed)
        )

    def load_rules(self) -> BattleRules | None:
        """The rules of its battles; None where its system left the packs."""
        try:
            return registry.rules_of(self)
        except registry.UnknownKey:
            return None

    def find_ending(self, how: str) -> Ending | None:
        """The ending of a battle by its key; None where its rules have none."""
        rules = self.load_rules()
        return rules.endings.get(how) if rules else None

    def load_system(self) -> System:
        """The rule system it is played by, in its variant.

        Raises `registry.UnknownKey` where no pack knows it.
        """
        return registry.system_of(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow(ClubEventRecord):
    """An event as lists show it.

    ``entries`` are those who have not dropped out; ``round`` the latest published, 0 for none.
    ``tasks`` wait for the reader: a list to hand in with the number of its round, a challenge, a
    warband to found, disputes and results to accept with the first round that has any. ``list_due``
    is when that list is due.
    """

    entries: int
    round: int
    tasks: tuple[tuple[str, int], ...] = ()
    list_due: datetime | None = None

    @property
    def is_mine(self) -> bool:
        return bool(self.mine)


EventRows = RowsPage[EventRow]


def may_publish(method: str, status: str, *, has_fixtures: bool) -> bool:
    """Whether a round may be shown: a draft with fixtures, or a planned round of challenges, whose
    fixtures the players make.
    """
    if method == PairingMethod.CHALLENGE and status == RoundStatus.PLANNED:
        return True
    return status == RoundStatus.DRAFT and has_fixtures


UNSETTLED = (FixtureStatus.OPEN, FixtureStatus.WAITING, FixtureStatus.DISPUTED)
"""What has no result that stands."""
MISSING = (FixtureStatus.OPEN, FixtureStatus.DISPUTED)
"""What has no result that a table counts."""
HOLDING_UP = (*MISSING, FixtureStatus.ASKED)
"""What a round is not closed with."""


def as_result(game: Fixture) -> Result:
    """A game as the engine counts it; only of one that ``counts``."""
    destroyed, out, score = (
        {
            str(pk): getattr(game, column) or 0
            for pk, column in zip(game.ids, columns, strict=False)
        }
        for columns in (DESTROYED, OUT, SCORE)
    )
    return Result(
        round=game.round_number,
        one=str(game.one_id),
        other=None if game.is_bye else str(game.other_id),
        winner=None if game.winner_id is None else str(game.winner_id),
        is_unplayed=game.decision == Decision.UNPLAYED,
        is_provisional=game.is_waiting,
        points=destroyed,
        out=out,
        score=score,
        third=None if game.third_id is None else str(game.third_id),
    )


@frozen_dataclass
class Outcome:
    """How a fixture ended, as somebody tells it.

    ``winner`` is the token of an entry, "" for nobody. ``figures`` are by entry what was typed in:
    ``score``, and as they count where nobody recorded who went out, ``out`` (models it lost) and
    ``destroyed`` (points). In a campaign whose warbands grow, ``fates`` are by entry all models that were put
    out, and by whom; ``objectives`` what each took, ``objective_by`` who took one. None: as told
    before.
    """

    how: str = ""
    winner: str = ""
    figures: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict)
    fates: Mapping[str, Sequence[NamedValues]] | None = None
    objectives: Mapping[str, NumberByKey] | None = None
    objective_by: Texts | None = None

    @property
    def growth(self) -> tuple[object, ...]:
        """What it says that a campaign's warbands need to know."""
        return (self.fates, self.objectives, self.objective_by)

    @property
    def tells_growth(self) -> bool:
        return any(part is not None for part in self.growth)
