"""The only writers of jobs: `asking` for whoever wants one, `working` for whoever does one, `tidying` for the rest."""

from jobs.operations.asking import cancel, enqueue, retry
from jobs.operations.tidying import enqueue_regular, forget_old, give_up_dead
from jobs.operations.working import Claimed, beat, claim, fail, finish, postpone

__all__ = [
    "Claimed",
    "beat",
    "cancel",
    "claim",
    "enqueue",
    "enqueue_regular",
    "fail",
    "finish",
    "forget_old",
    "give_up_dead",
    "postpone",
    "retry",
]
