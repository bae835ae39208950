"""What the tests of events share."""

import pytest

from tests.campaigns.leagues import League, make_league


@pytest.fixture
def league() -> League:
    """A Swiss league of four members of a club."""
    return make_league(players=4)
