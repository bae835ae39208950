"""One process that prints rosters when it is told to: `python -m tests.bench.pdf_worker <rosters>`.

It says "ready" once it is warm, waits for a line, prints, and says the seconds taken, those it
worked, and the memory in MiB.
"""

import gc
import sys
import time

from tests.bench.measure import now_mib, peak_mib
from tests.warbands.print_sheets import mixed, watch
from warbands.pdf import roster_pdf, warm_up

warm_up()
sheets = [watch(), mixed()]
for sheet in sheets * 2:
    roster_pdf(sheet)
print("ready", flush=True)
for line in sys.stdin:
    count = int(line)
    gc.collect()
    before, start, work = now_mib(), time.perf_counter(), time.process_time()
    for _ in range(count):
        roster_pdf(sheets[0])
    seconds, cpu = time.perf_counter() - start, time.process_time() - work
    gc.collect()
    print(f"{seconds} {cpu} {now_mib() - before} {peak_mib()}", flush=True)
