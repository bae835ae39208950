"""Run the benchmarks of this folder: `python -m tests.bench [--postgres] [--tiny] [name ...]`.

A benchmark is a module `bench_<name>.py` with a function `main()` that prints its figures beside
their floors. It asserts nothing: figures of a shared machine are to be read, not to fail on.
docs/speed.md says how to read them.
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path

from tests.bench import place


def main(arguments: list[str]) -> int:
    """Run the benchmarks named, or all. Returns the exit code: 2 for a name that is none."""
    names = sorted(
        path.stem.removeprefix("bench_")
        for path in Path(__file__).parent.glob("bench_*.py")
    )
    parser = argparse.ArgumentParser(
        prog="script/bench", description="Print figures beside their floors."
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(names))
    parser.add_argument(
        "--postgres", action="store_true", help="on PostgreSQL instead of SQLite"
    )
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="only to see that they work: the figures say nothing",
    )
    asked = parser.parse_args(arguments)
    unknown = set(asked.names) - set(names)
    if unknown:
        print(
            f"No benchmark is called {', '.join(sorted(unknown))}. There are: {', '.join(names)}.",
            file=sys.stderr,
        )
        return 2
    if asked.tiny:
        os.environ["BENCH_TINY"] = "1"  # the workers' processes read it too
    with place.temporary_site(on_postgres=asked.postgres) as words:
        print(f"On {words}.")
        for name in asked.names or names:
            print(f"\n== {name}", flush=True)
            import_module(f"tests.bench.bench_{name}").main()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
