"""What a campaign leaves to the player of a warband, and what it alone changes."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import WrongState
from accounts.models import User
from tests.factories import make_person, make_warband, make_warrior, record_of
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    archive_warband,
    change_warband,
    delete_warband,
    duplicate_warband,
    undo_last_change,
)
from warbands.operations.warriors import WarriorDraft, add_warrior, change_warrior

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def grown() -> WriteContext:
    """A warband that fights in a campaign, as its player asks for changes of it."""
    player = make_person()
    warband = make_warband(actor=player, name="River patrol")
    make_warrior(warband=warband)
    Warband.objects.filter(pk=warband.pk).update(is_grown=True)
    return WriteContext(player, warband.token)


@pytest.mark.parametrize(
    "change",
    [
        lambda asked: add_warrior(asked, WarriorDraft("archers")),
        lambda asked: change_warrior(asked, _first(asked), name="Otto"),
        lambda asked: change_warband(asked, points_limit=300),
        lambda asked: change_warband(asked, name="The Drowned", scenario=None),
        archive_warband,
        lambda asked: delete_warband(
            WriteContext(asked.actor, asked.token), "River patrol"
        ),
    ],
)
def test_a_campaign_alone_changes_its_warband(
    grown: WriteContext, change: Callable[[WriteContext], object]
) -> None:
    before = Warband.objects.values().get()
    with pytest.raises(WrongState, match="belongs to a campaign"):
        change(grown)
    assert Warband.objects.values().get() == before


def test_its_player_names_and_shares_it(grown: WriteContext) -> None:
    done = change_warband(grown, name="The Drowned", note="Wet", visibility="link")
    assert (
        done.summary
        == "Renamed “The Drowned”; Note changed; Visible to: anyone with the link"
    )
    row = Warband.objects.get()
    assert (row.name, row.note, row.visibility, row.is_grown) == (
        "The Drowned",
        "Wet",
        "link",
        True,
    )


def test_its_history_offers_no_undo(grown: WriteContext, client: Client) -> None:
    """An undo would put back units that its campaign has changed since."""
    change_warband(grown, name="The Drowned")
    client.force_login(User.objects.get(pk=grown.actor.user_id))
    history = reverse("warband-history", args=[grown.token])
    undo = reverse("change-undo", args=[grown.token])
    page = client.get(history).content.decode()
    assert ("Renamed “The Drowned”" in page, undo in page) == (True, False)
    with pytest.raises(WrongState):
        undo_last_change(grown)
    Warband.objects.update(is_grown=False)
    assert undo in client.get(history).content.decode()


def test_a_copy_of_it_is_changed_like_any_other(grown: WriteContext) -> None:
    copied = duplicate_warband(grown)
    change_warband(WriteContext(grown.actor, copied.token), points_limit=300)
    assert Warband.objects.get(token=copied.token).points_limit == 300


def _first(asked: WriteContext) -> int:
    warband = Warband.objects.get(token=asked.token)
    return record_of(warband).roster.warriors[0].id or 0
