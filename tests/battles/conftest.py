"""What the tests of battles share."""

import pytest

from accounts.owner import Owner
from battles.models import Battle
from tests.battles.tables import Table, sit_down
from tests.factories import make_duel, make_person


@pytest.fixture
def table() -> Table:
    """Ada's battle against Ben, without a club."""
    return sit_down()


@pytest.fixture
def club_table() -> Table:
    """The same in a club, which somebody else runs."""
    return sit_down(with_club=True)


@pytest.fixture
def ada() -> Owner:
    return make_person()


@pytest.fixture
def ben() -> Owner:
    return make_person()


@pytest.fixture
def battle(ada: Owner, ben: Owner) -> Battle:
    return make_duel(ada=ada, ben=ben)
