"""Print-all: the table packs of a round of 32 tables, 64 rosters, in a process and a database of
its own.
"""

import os
import re
import subprocess
import sys
import tempfile

from tests.bench.measure import sized, table, verdict
from tests.bench.place import ROOT, copy_prepared_database

TABLES = sized(32, 1)
SECONDS, MEMORY = 40.0, 512.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy_prepared_database(folder)
        said = subprocess.run(
            [sys.executable, "-m", "tests.bench.print_worker", str(TABLES)],
            cwd=ROOT,
            env={**os.environ, "DATA_DIR": folder, "DATABASE_URL": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    seconds, worked, longest, peak, pages, size = (
        float(number) for number in re.findall(r"[\d.]+", said)
    )
    table(
        [
            f"{TABLES} tables, {2 * TABLES} rosters, {pages:.0f} pages, {size:.1f} MiB",
            "measured",
            "budget",
            "",
        ],
        [
            ["seconds to the joined document", seconds, SECONDS, verdict(seconds, SECONDS)],
            ["of these the process worked", worked, SECONDS, verdict(worked, SECONDS)],
            [
                "longest silence between two signs of progress, seconds",
                longest,
                10.0,
                verdict(longest, 10),
            ],
            ["peak memory of the process, MiB", peak, MEMORY, verdict(peak, MEMORY)],
        ],
    )
