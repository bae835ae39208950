"""Print-all: the table packs of a round as one document, made behind the pages."""

from django.urls import reverse

from accounts.errors import NotFound, Refusal
from campaigns.models.rounds import PRINT_ROUND
from campaigns.operations.log import ChangeRequest, organised_event
from campaigns.queries.table_packs import round_packs
from jobs.queue import JobDraft, enqueue
from warbands.exchange.document import shown
from warbands.pdf import PAPERS


def print_round(asked: ChangeRequest, number: int, *, paper: str = "a4", site: str) -> str:
    """A job that prints every table of a round; returns the job's token, the same while one is
    under way.

    By organisers of the club. ``site`` is what addresses on paper begin with. Raises NotFound,
    NotAllowed, and Refusal for a round without a table or another paper.
    """
    if paper not in PAPERS:
        raise Refusal(
            f"The paper is {' or '.join(PAPERS)}, not {shown(paper)}.", field="paper"
        )
    with organised_event(asked) as change:
        event = change.event
        if not event.rounds.filter(number=number).exists():
            raise NotFound("round")
        packs = round_packs(asked.actor, asked.token, number)
        if packs is None or not packs.fixtures:
            raise Refusal(
                f"Round {number} has no tables to print. Pair it first.", field="round"
            )
        draft = JobDraft(
            PRINT_ROUND,
            packs.title,
            payload={
                "event": asked.token,
                "round": number,
                "paper": paper,
                # A worker has no request to take the address of the site from.
                "site": site,
                "person": asked.actor.user_id,
            },
            total=len(packs.fixtures),
            key=f"{event.pk} {number} {paper} {asked.actor.user_id}",
            back=reverse("round-read", args=[asked.token, number]),
            back_label=f"{event.name}, {packs.round_name}",
        )
        return enqueue(asked.actor, draft)
