"""One process that prints rosters when it is told to: `python -m tests.bench.pdf_worker <rosters>`.

It says "ready" once it is warm, waits for a line, prints, and says the seconds taken and the peak memory in MiB.
"""

import gc
import sys
import time

from tests.bench.measure import now_mib, peak_mib
from tests.warbands.print_sheets import mixed, watch
from warbands.pdf import roster_pdf, warm

warm()
sheets = [watch(), mixed()]
for sheet in sheets * 2:
    roster_pdf(sheet)
print("ready", flush=True)
for line in sys.stdin:
    count = int(line)
    gc.collect()
    before, start = now_mib(), time.perf_counter()
    for _ in range(count):
        roster_pdf(sheets[0])
    seconds = time.perf_counter() - start
    gc.collect()
    print(f"{seconds} {now_mib() - before} {peak_mib()}", flush=True)
