"""R26: every place that talks to Redis is known, and does without it.

The places are found: each module that names Redis, Celery or a cache of Django's.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator

from tests.guards.limits import ROOT, product_modules, text_of

# What each place does while Redis is away, and which test shows it.
PLACES = {
    "config.settings": "names the two caches of config.cache, and one of each process",
    "warbands.pdf.documents": "keeps documents in its own process",
    "warbands.pdf.preview": "keeps pictures beside the documents",
    "jobs.queries": "forgets when a worker was seen, through config.cache",
    "config.cache": "stands in for Redis: tests/reliability/test_outage.py",
    "config.health": "says that it is away: tests/reliability/test_outage.py",
    "jobs.runner": "the job's row is found later: tests/jobs/test_workers.py",
    "notices.queries": "counts anew, through config.cache",
    "notices.operations": "forgets a count, through config.cache",
    "accounts.allowance": "counts in its own process, through config.cache",
    "battles.operations.ownership": "sweeps once more, through config.cache",
    "warbands.operations.upkeep": "sweeps once more, through config.cache",
}
NAMES = {"redis", "celery", "REDIS_URL", "django.core.cache"}


def named(tree: ast.Module) -> Iterator[str]:
    """The modules a file imports and the attributes it reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def talks_to_redis(text: str) -> bool:
    found = set(named(ast.parse(text)))
    return any(
        name in NAMES or name.startswith(("redis.", "celery.", "django.core.cache."))
        for name in found
    )


def test_every_place_that_talks_to_redis_is_known() -> None:
    found = {
        module.__name__ for module in product_modules() if talks_to_redis(text_of(module))
    }
    assert found == set(PLACES)


def test_control_a_new_place_is_found() -> None:
    assert talks_to_redis("import redis\nredis.Redis()")
    assert talks_to_redis("from django.core.cache import cache")
    assert not talks_to_redis("from django.core import mail")


def test_every_cache_stands_in_for_redis(tmp_path, monkeypatch):
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REDIS_URL", "redis://nowhere:6379/0")
    settings = runpy.run_path(str(ROOT / "config" / "settings.py"))
    backends = [one["BACKEND"] for one in settings["CACHES"].values()]
    own = "django.core.cache.backends.locmem.LocMemCache"
    assert backends == ["config.cache.PatientCache", "config.cache.SessionCache", own]
