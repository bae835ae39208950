"""What a handler raises, and what is raised into it.

No HTTP here: the edges turn refusals into answers.
"""

from __future__ import annotations

from accounts.errors import NotFound, Refusal

__all__ = ["JobFailed", "JobLater", "JobStopped", "NotFound", "Refusal"]


class JobFailed(Exception):
    """The job cannot be done: a sentence for the person, who may change something and try again."""


class JobLater(Exception):
    """The job cannot be done just now, and nobody has to do anything: it is taken up again after a
    while.
    """


class JobStopped(Exception):
    """The job is not this worker's any more: somebody stopped it, or another took it up.

    Raised into handlers.
    """
