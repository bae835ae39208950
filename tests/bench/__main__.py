"""Run the benchmarks of this folder: `python -m tests.bench [name ...]`.

A benchmark is a module `bench_<name>.py` with a function `main()` that prints its figures beside their floors. It
asserts nothing: figures of a shared machine are to be read, not to fail on.
"""

import os
import sys
from importlib import import_module
from pathlib import Path


def main(wanted: list[str]) -> int:
    """Run the benchmarks named, or all. Returns the exit code: 2 for a name that is none."""
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    unknown = set(wanted) - set(names)
    if unknown:
        print(f"No benchmark is called {', '.join(sorted(unknown))}. There are: {', '.join(names)}.", file=sys.stderr)
        return 2
    for name in wanted or names:
        print(f"\n== {name}", flush=True)
        import_module(f"tests.bench.bench_{name}").main()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
