"""What is done in one warband leaves another of the same person as it is."""

import pytest

from accounts.owner import Owner
from tests.factories import make_person, make_warband, make_warrior
from warbands.models import AcknowledgedFigure, Warband, WarbandEvent, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    acknowledge_figures,
    change_warband,
    undo_last_change,
    withdraw_acknowledgement,
)
from warbands.operations.warriors import WarriorDraft, add_warrior, sort_warriors

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def ada() -> Owner:
    return make_person()


def test_undo_takes_back_the_last_change_of_its_own_warband(ada: Owner) -> None:
    """Both have the same versions."""
    contexts = [
        WriteContext(ada, make_warband(actor=ada, name=name).token)
        for name in ("The Ferrymen", "The Drowned")
    ]
    for context, name in zip(contexts, ("Marsh", "Quay"), strict=True):
        change_warband(context, name=name)
    for context, name in zip(contexts, ("The Ferrymen", "The Drowned"), strict=True):
        done = undo_last_change(context)
        assert done.record is not None
        assert done.record.roster.name == name
    assert WarbandEvent.objects.filter(verb="undo_last_change").count() == 2


def test_withdrawing_an_acknowledgement_leaves_that_of_another_warband(ada: Owner) -> None:
    made = [make_warband(actor=ada, army="skaven") for _ in range(2)]
    for warband in made:
        make_warrior(warband=warband, profile="warlock-engineer")
        acknowledge_figures(WriteContext(ada, warband.token))
    withdraw_acknowledgement(WriteContext(ada, made[0].token))
    left = AcknowledgedFigure.objects.values_list("warband", flat=True)
    assert set(left) == {made[1].pk}


def test_sorting_puts_units_that_no_list_knows_last(ada: Owner) -> None:
    warband = make_warband(actor=ada)
    context = WriteContext(ada, warband.token)
    for profile in ("halberdiers", "archers", "captain"):
        add_warrior(context, WarriorDraft(profile))
    Warrior.objects.filter(profile="halberdiers").update(profile="gone")
    Warrior.objects.filter(profile="captain").update(is_leader=False)
    other = make_warband(actor=ada)
    make_warrior(warband=other, profile="archers")
    sort_warriors(context)
    rows = Warrior.objects.order_by("position").values_list("profile", flat=True)
    assert list(rows.filter(warband=warband)) == ["captain", "archers", "gone"]
    assert list(rows.filter(warband=other)) == ["archers"]
    assert Warband.objects.get(pk=other.pk).version == other.version + 1
