"""One process that prints a round: `python -m tests.bench.print_worker <tables>`.

DATA_DIR is an empty folder. It fills a database there, does the job as a server's thread does, and
says the seconds taken, those it worked, the longest silence between two signs of progress, its peak
memory in MiB, the pages, and the document's size in MiB.
"""

import itertools
import sys
import time

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from pypdf import PdfReader  # noqa: E402

from accounts.models import User  # noqa: E402
from accounts.owner import Owner  # noqa: E402
from campaigns.models import Entry  # noqa: E402
from campaigns.operations.log import ChangeRequest  # noqa: E402
from campaigns.operations.pairing import draw_round  # noqa: E402
from campaigns.operations.rounds import (  # noqa: E402
    RoundDraft,
    add_round,
    print_round,
    publish_round,
)
from jobs import runner  # noqa: E402
from jobs.queries import load_job  # noqa: E402
from jobs.storage import open_file  # noqa: E402
from rulesdata.operations.packs import load_packs  # noqa: E402
from tests.bench.measure import peak_mib  # noqa: E402
from tests.bench.rosters import stored  # noqa: E402
from tests.campaigns.leagues import make_league  # noqa: E402
from warbands.models import Warband  # noqa: E402


def round_of(tables: int) -> tuple[Owner, str]:
    """A published round of so many tables, everybody with fifteen warriors."""
    league = make_league(players=2 * tables)
    for entry in league.entries:
        warband = Warband.objects.get(
            token=stored(User.objects.get(pk=entry.user_id), 15, "link")
        )
        Entry.objects.filter(pk=entry.pk).update(warband=warband)
    add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
    draw_round(ChangeRequest(league.organiser, league.token), 1, seed="bench")
    publish_round(ChangeRequest(league.organiser, league.token), 1)
    return league.organiser, league.token


def main() -> None:
    call_command("migrate", verbosity=0)
    load_packs()
    organiser, event = round_of(int(sys.argv[1]))
    token = print_round(
        ChangeRequest(organiser, event), 1, site="https://rosters.example.org"
    )
    moments, worked = [time.perf_counter()], time.process_time()
    real = runner.beat

    def beat(*given: object) -> None:
        real(*given)
        moments.append(time.perf_counter())

    runner.beat = beat
    runner.run_job(token)
    moments.append(time.perf_counter())
    worked = time.process_time() - worked
    job = load_job(organiser, token)
    assert job is not None
    assert job.file, job.words
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    with open_file(job.file) as file:
        pages, size = len(PdfReader(file).pages), file.size / 2**20
    print(
        f"{moments[-1] - moments[0]:.2f} {worked:.2f} {max(gaps):.2f} {peak_mib():.0f} "
        f"{pages} {size:.2f}"
    )


main()
