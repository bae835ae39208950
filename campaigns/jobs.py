"""The kinds of jobs of this app.

What does them is loaded when the first one comes: drawing takes a second to load.
"""

from __future__ import annotations

from datetime import timedelta

from campaigns.models.rounds import PRINT_ROUND
from jobs.handlers import JobResult, Work, add_handler, add_regular

REMIND = "remind-of-lists"
REMIND_EVERY = timedelta(minutes=30)


def connect() -> None:
    """Make the kinds known."""
    add_handler(PRINT_ROUND, _print_round)
    add_regular(REMIND, _remind, title="Remind of lists", every=REMIND_EVERY)


def _print_round(work: Work) -> JobResult:
    from campaigns.pdf import print_round

    return print_round(work)


def _remind(work: Work) -> JobResult:
    from campaigns.operations.reminders import remind_of_lists

    return JobResult(words=f"{remind_of_lists()} told.")
