"""Moments of calls are kept in UTC, so that every database takes any offset."""

import pytest
from rest_framework.exceptions import ValidationError

from accounts.api.serializers import Body, Moment


class Meeting(Body):
    at = Moment()


@pytest.mark.parametrize("sent, kept", [
    ("2026-05-01T19:30:00+01:00", "2026-05-01T18:30:00+00:00"),
    ("8558-02-05T05:35:37+16:40", "8558-02-04T12:55:37+00:00"),
    ("2026-05-01T19:30:00Z", "2026-05-01T19:30:00+00:00"),
])  # fmt: skip
def test_moment_is_kept_in_utc(sent: str, kept: str) -> None:
    assert Meeting.read({"at": sent})["at"].isoformat() == kept


@pytest.mark.parametrize(
    "sent",
    ["2026-05-01T19:30:00", "9999-12-31T23:59:00-10:00", "0001-01-01T00:00:00+10:00"],
)
def test_moment_without_offset_or_before_the_calendar_is_refused(sent: str) -> None:
    with pytest.raises(ValidationError, match="must be a moment"):
        Meeting.read({"at": sent})
