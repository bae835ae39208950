"""Who may see a job: whoever asked for it, and nobody else.

The site's own are seen in the administration.
"""

from __future__ import annotations

from django.db.models import Q

from accounts.owner import Owner
from jobs.models import Job


def readable_by(actor: Owner) -> Q:
    """The jobs this actor may open, stop and try again."""
    return Q(owner_id=actor.user_id) if actor.user_id is not None else Q(pk__in=[])


def may_see(actor: Owner, job: Job) -> bool:
    """Whether ``readable_by`` holds the job."""
    return actor.user_id is not None and job.owner_id == actor.user_id
