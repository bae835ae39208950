"""What is done after a game of a growing campaign besides its rolls: objectives, reminders."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import timezone

from accounts.errors import NotFound, WrongState
from battles.models import BattleStatus
from campaigns import access
from campaigns.fixture_totals import side_keys
from campaigns.models import Fixture, FixtureStatus
from campaigns.operations.growth.casualties import told_objectives
from campaigns.operations.growth.ledger import check_grows_on, open_growth
from campaigns.operations.growth.notices import open_dues
from campaigns.operations.growth.results import record_result
from campaigns.operations.log import (
    ChangeRequest,
    organised_event,
    readable_event,
)
from campaigns.operations.rows import check_running, playable_fixture
from campaigns.queries.fixtures import status_now
from campaigns.queries.growth.ledger import warbands_of
from campaigns.queries.growth.presenter import CampaignPresenter
from engine.records import NumberByKey, Texts, frozen_dataclass
from notices.operations import send_notices

NOBODY_OWES = "No player owes a roll or a choice."
NOT_TOLD = "Report the result first."
FINAL = "The result is final. Ask an organiser of the club to change the objectives."


@frozen_dataclass
class ToldObjectives:
    """What each entry took, by its token, and which units took one: <entry>/w1.

    None of either: as told before.
    """

    objectives: Mapping[str, NumberByKey] | None = None
    objective_by: Texts | None = None


def tell_objectives(asked: ChangeRequest, fixture: str, told: ToldObjectives) -> None:
    """Say what was taken in a game whose result is known; the result stays as it is.

    By those who play it until the result is final, and by organisers. Raises Refusal naming the
    field, WrongState, NotFound, NotAllowed.
    """
    with readable_event(asked) as change:
        row = playable_fixture(change, fixture)
        if not change.event.growth_position:
            raise NotFound("growth")
        if row.battle is None or row.battle.status == BattleStatus.OPEN:
            raise WrongState(NOT_TOLD)
        status = status_now(row.status, row.waits_until, timezone.now())
        if not access.may_organise(asked.actor, change.event):
            check_grows_on(change)
            if status == FixtureStatus.FINAL:
                raise WrongState(FINAL)
        # Kept by the keys of the battle's sides, as typed casualties are.
        kept = told_objectives(row, side_keys(row), told)
        if kept == row.told:
            return
        Fixture.objects.filter(pk=row.pk).update(told=kept)
        row.told = kept
        record_result(row, row.battle, asked.actor.user_id)
        words = f"Told the objectives of {row.title}."
        change.log("growth_objectives", words, subject=row.token)


# Reminders


def remind_of_dues(asked: ChangeRequest) -> int:
    """Tell each player what their warband still owes; returns how many were told.

    By organisers; guests have no account to be told. The same is told once until the campaign
    changes. Raises WrongState where nobody owes anything, NotFound, NotAllowed.
    """
    with organised_event(asked) as change:
        check_running(change.event)
        ledger = open_growth(change).ledger
        rows = warbands_of(change.event.pk)
        campaign = CampaignPresenter(ledger, change.event, rows)
        told = [one for row in rows for one in open_dues(change.event, campaign, row)]
        if not told:
            raise WrongState(NOBODY_OWES)
        send_notices(told, subject=change.event.name)
        return len(told)
