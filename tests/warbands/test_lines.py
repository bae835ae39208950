"""Lines of the roll and of the sheet are drawn once: a change draws those that say something new."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.factories import make_legal_warband, make_person
from tests.warbands.conftest import HTMX, first, url
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband
from warbands.operations.warriors import change_warrior
from warbands.views.presenters import render_line

pytestmark = pytest.mark.django_db


def drawn_by(visit: Callable[[], object]) -> int:
    """How many lines were drawn that had not been drawn before."""
    before = render_line.cache_info().misses
    visit()
    return render_line.cache_info().misses - before


def test_a_page_seen_again_draws_no_line(owner: Client, warband: Warband) -> None:
    for name in ("warband-read", "sheet-read", "sheet-cards", "sheet-reference"):
        render_line.cache_clear()
        address = url(name, warband)
        assert drawn_by(lambda address=address: owner.get(address)) >= 3, name
        assert drawn_by(lambda address=address: owner.get(address)) == 0, name


@pytest.mark.parametrize("name, sent, lines", [
    ("warrior-change", {"name": "Ansgar"}, 1),
    ("warrior-count", {"count": "0"}, 0),
    ("warrior-move", {"to": "down"}, 0),
    ("warrior-duplicate", {}, 1),
])  # fmt: skip
def test_a_change_draws_what_it_changed(owner, warband, name, sent, lines):
    change_warband(
        WriteContext(make_person(user=warband.owner), warband.token), points_limit=1000
    )
    owner.get(url("warband-read", warband))
    warrior = warband.warriors.order_by("position")[1]
    assert (
        drawn_by(lambda: owner.post(url(name, warband, warrior.pk), sent, headers=HTMX))
        == lines
    )


def test_lines_of_two_warbands_lead_each_to_its_own(owner, warband, hanna):
    other = make_legal_warband(actor=make_person(user=hanna), name="Ferrymen")
    for one, another in ((warband, other), (other, warband)):
        page = owner.get(url("warband-read", one)).content.decode()
        assert url("warrior-count", one, first(one).pk) in page
        assert another.token not in page


def test_points_are_in_the_line_only_where_they_are_shown(owner, warband):
    own = owner.get(url("sheet-read", warband)).content.decode()
    theirs = owner.get(url("sheet-opponent", warband)).content.decode()
    assert ('<td class="pt">' in own, '<td class="pt">' in theirs) == (True, False)
    assert (
        owner.get(url("sheet-read", warband)).content.decode().count('<td class="pt">') == 3
    )


def test_a_name_is_escaped_in_every_line(owner: Client, warband: Warband) -> None:
    change_warrior(
        WriteContext(make_person(user=warband.owner), warband.token),
        first(warband).pk,
        name="<b>&</b>",
        note="<i>",
    )
    for name in ("warband-read", "sheet-read", "sheet-cards"):
        page = owner.get(url(name, warband)).content.decode()
        assert "<b>&</b>" not in page
        assert "<i>\n" not in page
        assert name == "sheet-read" or "&lt;b&gt;&amp;&lt;/b&gt;" in page
