"""R1: several people change one warband at once, and nothing that was acknowledged is lost.

Each edit reads a number, adds one and sends it back with the version it has seen, as a form does.
All editors have read before any writes, so that each round is the worst case there is, on every
machine.
"""

from collections import Counter
from threading import Barrier

import pytest
from django.db import close_old_connections
from django.urls import reverse

from tests.conftest import Soak
from tests.factories import make_person, make_user, make_warband
from tests.reliability.threads import SECONDS, PlainClient, at_once
from warbands.models import Warband, WarbandEvent

pytestmark = pytest.mark.django_db(transaction=True)


def edit_together(user, warband, editors, edits, *, is_checked) -> Counter[int]:
    """How often each status came, when every editor raises the points limit by one ``edits`` times."""
    everybody_has_read = Barrier(editors, timeout=SECONDS)
    everybody_has_sent = Barrier(editors, timeout=SECONDS)
    address = reverse("warband-change", args=[warband.token])

    def editor(number: int) -> Counter[int]:
        client = PlainClient()
        client.force_login(user)
        answers: Counter[int] = Counter()
        for _ in range(edits):
            seen = Warband.objects.values("version", "points_limit", "name").get(
                pk=warband.pk
            )
            close_old_connections()  # a page that somebody looks at holds none
            everybody_has_read.wait()
            sent = {
                "name": seen["name"],
                "limit": "other",
                "other_limit": str(seen["points_limit"] + 1),
            }
            if is_checked:
                sent["version"] = str(seen["version"])
            answers[client.post(address, sent).status_code] += 1
            everybody_has_sent.wait()
        return answers

    return sum(at_once(editors, editor), Counter())


def test_no_acknowledged_edit_is_lost(soak: Soak) -> None:
    editors, edits = soak(4, 50), soak(5, 200, on_postgres=50)
    user = make_user()
    warband = make_warband(actor=make_person(user=user), points_limit=1000)
    answers = edit_together(user, warband, editors, edits, is_checked=True)
    warband.refresh_from_db()
    assert set(answers) <= {302, 409, 412}, answers
    assert warband.points_limit == 1000 + answers[302]
    assert answers[302] == edits, "exactly one of those who saw the same version may write"
    assert (
        WarbandEvent.objects.filter(warband=warband).count() == warband.version == 1 + edits
    )


def test_without_the_version_edits_are_lost() -> None:
    user = make_user()
    warband = make_warband(actor=make_person(user=user), points_limit=1000)
    answers = edit_together(user, warband, 3, 2, is_checked=False)
    warband.refresh_from_db()
    assert warband.points_limit is not None
    assert warband.points_limit < 1000 + answers[302], (
        "this control must lose edits, or the test above shows nothing"
    )
