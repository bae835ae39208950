"""What a battle means for the event it is played for: totals, log, notices, previews."""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q

from accounts.owner import Owner
from battles.hooks import BattleFollower, EventOfBattle
from battles.models import Battle, BattleSide
from battles.results import GrownCareer, GrowthChange, ResultState, ResultStep, TableChange
from campaigns import access
from campaigns.growth.operations.results import lock_campaign
from campaigns.growth.queries.figures import load_grown_careers
from campaigns.growth.queries.results import load_experience, preview_growth
from campaigns.models import ClubEvent, Fixture, ListLock
from campaigns.operations.fixture_battles import log_step, refresh_fixture, write_fixture
from campaigns.operations.notify import notify_step
from campaigns.queries.fixtures import load_event_of_battle
from campaigns.queries.standings import preview_battle
from engine.records import NamedValues, TextPairs
from warbands.models import Warband


class EventFollower(BattleFollower):
    """Keeps the fixture of a battle, and whoever has a part in it, in step (see `BattleFollower`)."""

    def before_step(self, token: str) -> None:
        """Lock the event of a campaign whose warbands grow."""
        lock_campaign(token)

    def after_step(self, battle: Battle, step: ResultStep) -> None:
        """Recount the fixture, log the step in its event and send the notices."""
        fixture = refresh_fixture(battle, step.author_id)
        # A battle outside of events has no fixture; its players are told all the same.
        if fixture is not None:
            log_step(fixture, battle, step)
        notify_step(battle, fixture, step)

    def after_events(self, battle: Battle) -> None:
        """Recount the fixture; the step that follows brings the notices."""
        refresh_fixture(battle, tells=False)

    def after_recount(self, battle: Battle) -> bool:
        """Recount the fixture; returns whether its totals were others."""
        fixture = Fixture.objects.select_for_update().filter(battle=battle).first()
        return fixture is not None and write_fixture(fixture, battle)

    def preview(
        self, actor: Owner, battle: Battle, result: ResultState, state: NamedValues
    ) -> TableChange | None:
        """Return what would move in the table of the event."""
        return preview_battle(actor, battle, result, state)

    def preview_growth(
        self, actor: Owner, battle: Battle, result: ResultState, state: NamedValues
    ) -> GrowthChange | None:
        """Return what would move in a campaign whose warbands grow."""
        return preview_growth(actor, battle, result, state)

    def experience_so_far(self, actor: Owner, token: str) -> TextPairs:
        """Return what units have learned in a campaign's battle without a result."""
        return load_experience(actor, token)

    def closed_to(self, actor: Owner) -> Q:
        """Return the condition on battles of events that the actor may not read."""
        games = Fixture.objects.filter(battle=OuterRef("pk"))
        readable = ClubEvent.objects.filter(access.readable_by(actor))
        return Q(Exists(games.exclude(round__event__in=readable)))

    def is_bound(self) -> Q:
        """Return the condition on battles that are played for a fixture."""
        return Q(fixture__isnull=False)

    def snapshots_in_use(self, ids: Iterable[int]) -> set[int]:
        """Return which of these snapshots are locked lists. One query."""
        locked = ListLock.objects.filter(snapshot__in=list(ids)).order_by()
        return set(locked.values_list("snapshot_id", flat=True))

    def secret_from(self, actor: Owner, sides: Sequence[BattleSide]) -> frozenset[int]:
        """Return the ids of those sides whose list no organiser has shown yet."""
        return access.secret_from(actor, sides)

    def reads_reasons(self, actor: Owner, battle: Battle) -> bool:
        """Return whether the actor is a player of the event. One query, none for visitors."""
        played = Fixture.objects.filter(
            battle=battle, round__event__entries__user=actor.user_id
        )
        return actor.is_person and played.exists()

    def event_of(self, actor: Owner, token: str) -> EventOfBattle | None:
        """Return the event that this battle is played for, as lists may name it to this actor."""
        return load_event_of_battle(actor, token)

    def grown_careers(self, actor: Owner, warband: Warband) -> dict[int, GrownCareer]:
        """Return what a campaign made of the warriors of its warband."""
        return load_grown_careers(actor, warband)
