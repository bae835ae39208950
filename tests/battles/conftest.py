"""What the tests of battles share."""

import pytest

from tests.battles.tables import Table, sit_down


@pytest.fixture
def table() -> Table:
    """Ada's battle against Ben, without a club."""
    return sit_down()


@pytest.fixture
def club_table() -> Table:
    """The same in a club, which somebody else runs."""
    return sit_down(with_club=True)
