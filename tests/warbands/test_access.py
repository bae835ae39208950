"""Who may read and change a warband: a story with an owner, a club mate, a stranger and visitors."""

import pytest
from django.db.models import Q

from accounts.access import owned_by, owns
from accounts.errors import NotFound
from accounts.owner import NOBODY, Owner
from tests.factories import make_club, make_legal_warband, make_owner, make_person
from warbands.access import listed_to, may_see
from warbands.models import Warband, WarbandVisibility
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband, delete_warband, undo_last_change
from warbands.operations.warriors import sort_warriors
from warbands.queries.warbands import history, load_warband

pytestmark = pytest.mark.django_db

SHARING = ["private", "link", "club", "public"]
CAST = ["owner", "mate", "stranger", "visitor", "nobody"]
READERS = {
    "private": {"owner"},
    "link": set(CAST),
    "club": {"owner", "mate"},
    "public": set(CAST),
}
LISTED = {**READERS, "link": {"owner"}}


@pytest.fixture
def cast() -> dict[str, Owner]:
    return {
        "owner": make_person(),
        "mate": make_person(),
        "stranger": make_person(),
        "visitor": make_owner(),
        "nobody": NOBODY,
    }


@pytest.mark.parametrize("visibility", SHARING)
def test_each_rule_says_the_same_as_filter_and_as_yes_or_no(
    cast: dict[str, Owner], visibility: str
) -> None:
    club = make_club(owner=cast["owner"], members=[cast["mate"]])
    warband = make_legal_warband(
        actor=cast["owner"], visibility=visibility, club_id=club.pk
    )

    def holds(rule: Q) -> bool:
        return Warband.objects.filter(rule, pk=warband.pk).exists()

    for name, actor in cast.items():
        assert may_see(actor, warband) is (name in READERS[visibility]), name
        assert holds(listed_to(actor)) is (name in LISTED[visibility]), name
        assert owns(actor, warband) is holds(owned_by(actor)) is (name == "owner"), name
        assert (load_warband(actor, warband.token) is not None) is (
            name in READERS[visibility]
        ), name
        assert bool(history(actor, warband.token)) is (name in READERS[visibility]), name


@pytest.mark.parametrize("visibility", WarbandVisibility.values)
def test_unclaimed_warband_is_its_sessions_and_shared_by_link_alone(
    cast: dict[str, Owner], visibility: str
) -> None:
    warband = make_legal_warband(actor=cast["visitor"])
    Warband.objects.filter(pk=warband.pk).update(visibility=visibility)
    warband.refresh_from_db()
    for name, actor in {**cast, "other visitor": make_owner()}.items():
        may = name == "visitor" or visibility == "link"
        assert may_see(actor, warband) is may
        assert (load_warband(actor, warband.token) is not None) is may


def test_others_cannot_change_what_they_may_read(cast: dict[str, Owner]) -> None:
    warband = make_legal_warband(actor=cast["owner"], visibility="public")
    for name in ("mate", "stranger", "visitor", "nobody"):
        for call in (sort_warriors, undo_last_change, archive_warband):
            with pytest.raises(NotFound):
                call(WriteContext(cast[name], warband.token))
        with pytest.raises(NotFound):
            delete_warband(WriteContext(cast[name], warband.token), warband.name)


def test_leaving_the_club_closes_the_door(cast: dict[str, Owner]) -> None:
    club = make_club(owner=cast["owner"], members=[cast["mate"]])
    warband = make_legal_warband(actor=cast["owner"], visibility="club", club_id=club.pk)
    club.memberships.filter(user_id=cast["mate"].user_id).delete()
    assert load_warband(cast["mate"], warband.token) is None
