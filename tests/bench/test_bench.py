"""Every benchmark works. What it measures says nothing at this size, and no test asserts a time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.place import UNSET

NAMES = sorted(
    path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
)


# Most of the time of all: servers, printed sheets and processes of workers have tests of their own.
LONG = ("machines", "pdf", "phones", "print_all", "scale", "start")


@pytest.mark.one_database
def test_every_benchmark_runs_at_a_tiny_size(project_root, soak):
    """In one process, which makes its database once; the long ones under --soak."""
    names = [name for name in NAMES if soak(0, 1) or name not in LONG]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--tiny", *names],
        cwd=project_root,
        env={key: value for key, value in os.environ.items() if key not in UNSET},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr
    begun = [line[3:] for line in ran.stdout.splitlines() if line.startswith("== ")]
    assert begun == names != []
