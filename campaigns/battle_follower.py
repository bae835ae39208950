"""What a battle means for the event it is played for: totals, log, notices, previews."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from accounts.owner import NOBODY, Owner
from battles.hooks import BattleFollower
from battles.intake import rules_of
from battles.models import Battle, ResultVerb
from battles.results import (
    ResultStep,
    outcome_words,
)
from campaigns import access
from campaigns.fixture_totals import BEFORE, entries_by_side
from campaigns.growth.operations.results import lock_campaign, record_result
from campaigns.growth.queries.figures import load_grown_careers
from campaigns.growth.queries.results import load_experience, preview_growth
from campaigns.models import ClubEvent, Fixture, ListLock
from campaigns.operations.fixture_battles import write_fixture
from campaigns.operations.log import ChangeRequest, LockedEvent
from campaigns.operations.notify import notify_step
from campaigns.queries.fixtures import load_event_of_battle
from campaigns.queries.standings import preview_battle


class EventFollower(BattleFollower):
    """Keeps the fixture of a battle, and whoever has a part in it, in step (see `BattleFollower`)."""

    before_step = staticmethod(lock_campaign)
    preview = staticmethod(preview_battle)
    preview_growth = staticmethod(preview_growth)
    experience_so_far = staticmethod(load_experience)
    secret_from = staticmethod(access.secret_from)
    event_of = staticmethod(load_event_of_battle)
    grown_careers = staticmethod(load_grown_careers)

    def after_step(self, battle: Battle, step: ResultStep) -> None:
        """Recount the fixture, log the step in its event and send the notices."""
        if step.verb == ResultVerb.UNDO:
            _restore_typed(battle)
        fixture = _recount(battle, step.author_id)
        # A battle outside of events has no fixture; its players are told all the same.
        if fixture is not None:
            event = fixture.round.event
            outcome, changes = "", {}
            if step.how:
                winner = entries_by_side(fixture).get(step.winner)
                ending = rules_of(battle).endings.get(step.how)
                outcome = f": {outcome_words(ending, winner.name if winner else '')}"
                changes = {"winner": step.winner, "how": step.how, "status": battle.status}
            game = f"{fixture.title}, round {fixture.round.number}"
            sentence = f"{step.title}: {game}{outcome}."
            actor = Owner(user_id=step.author_id) if step.author_id else NOBODY
            reason = "" if step.is_silent else step.reason
            request = ChangeRequest(actor, event.token, reason=reason)
            change, verb = LockedEvent(request, event), f"result_{step.verb}"
            change.log(verb, sentence, subject=fixture.token, changes=changes)
        notify_step(battle, fixture, step)

    def after_events(self, battle: Battle) -> None:
        """Recount the fixture; the step that follows brings the notices."""
        _recount(battle, tells=False)

    def after_recount(self, battle: Battle) -> bool:
        """Recount the fixture; returns whether its totals were others."""
        fixture = Fixture.objects.select_for_update().filter(battle=battle).first()
        return fixture is not None and write_fixture(fixture, battle)

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

    def reads_reasons(self, actor: Owner, battle: Battle) -> bool:
        """Return whether the actor is a player of the event. One query, none for visitors."""
        played = Fixture.objects.filter(
            battle=battle, round__event__entries__user=actor.user_id
        )
        return actor.is_person and played.exists()


def _recount(
    battle: Battle, author: int | None = None, *, tells: bool = True
) -> Fixture | None:
    """The totals of the fixture this battle is played for; returns it, None where there is none.

    A campaign whose warbands grow is told what it came to, in the name of ``author``; ``tells``:
    so are its players.

    Call it within a transaction that holds the battle's lock, with the row as it was written last.
    One query, and up to three more where there is a fixture.
    """
    rows = Fixture.objects.select_for_update(of=("self",)).filter(battle_id=battle.pk)
    pair = rows.select_related("round__event", "one", "other", "third")
    fixture = pair.order_by().first()
    if fixture is not None:
        write_fixture(fixture, battle)
        record_result(fixture, battle, author, tells=tells)
    return fixture


def _restore_typed(battle: Battle) -> None:
    """Put back what was typed in before the step that was undone, if that brought anything."""
    fixture = Fixture.objects.select_for_update().filter(battle=battle).first()
    history = fixture.told.get(BEFORE) if fixture else None
    if not history:
        return
    standing: list[int] = []
    undone = 0
    for number, verb in battle.results.order_by("number").values_list("number", "verb"):
        if verb == ResultVerb.UNDO:
            undone = standing.pop()
        else:
            standing.append(number)
    if history[-1]["step"] == undone:
        figures = {**history[-1]["told"], BEFORE: history[:-1]}
        Fixture.objects.filter(battle=battle).update(told=figures)
