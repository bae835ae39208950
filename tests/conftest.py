"""What every test may use: sizes, a browser, and a site that needs neither gathered files nor slow
passwords.
"""

import gc
import os
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db.models.sql.compiler import SQLCompiler, SQLUpdateCompiler
from django.test import TransactionTestCase, override_settings
from pytest_django.plugin import DjangoDbBlocker

from engine.errors import Refusal
from rulesdata.pack_files import yaml_files
from tests.database import empty_tables, record_migrations, with_quick_commits
from tests.systems import is_about_smallest, smallest_packs

# Playwright keeps an event loop in the thread of the tests, which Django would take for an
# asynchronous view.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

PROJECT = Path(__file__).resolve().parent.parent
# No test of these uses the database, or may end otherwise on another one.
WITHOUT_ROWS = {
    PROJECT / "tests" / name for name in ("bench", "browser", "engine", "tools")
}
# Begun first, so that at the end no process waits for another's long file.
LONG = {"guards", "browser", "bench", "config", "reliability"}
FORM_WALKS = {
    f"tests/guards/test_{name}.py"
    for name in ("bad_values", "fields", "form_cost", "injection", "requests")
}
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences", "live_server"}
# The shell draws no windows of its own, which halves the time of the browser tests.
BROWSERS = [
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
]
# Operations that refuse what no field can mend.
REFUSE_WITHOUT_FIELD = frozenset(
    {
        "_free_row", "insert_warband", "_record_report", "apply_change", "check_size",
        "duplicate_warband.<locals>.make", "create_scenario", "insert_list", "take_prices",
        "undo_last_change", "use_link",
    }
)  # fmt: skip
# PostgreSQL runs one in so many of the cases of a test that commits, and of the other tests of a file.
CASES, CASES_OF_SOAK = 12, 3
# The files of the packs are not half as many; the rest is what tests have damaged.
TEXTS_KEPT = 500
# Looking for cycles as often as usual took a fifth of the time: packs are many objects that stay.
GARBAGE = (50_000, 20, 100)
Case = TypeVar("Case")


class Soak(Protocol):
    """A size: the large one under --soak, where PostgreSQL may have another one."""

    def __call__(self, small: int, large: int, on_postgres: int | None = None) -> int: ...


class Share(Protocol):
    """Some of the cases in the plain run, all of them under --soak."""

    def __call__(
        self, cases: Sequence[Case], of: int, start: int = 0
    ) -> Sequence[Case]: ...


def chromium() -> str | None:
    """The path of a Chromium: the one CHROMIUM names, or the first of the usual names."""
    named = os.environ.get("CHROMIUM")
    return (
        shutil.which(named)
        if named
        else next(filter(None, map(shutil.which, BROWSERS)), None)
    )


def is_postgres() -> bool:
    return settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("muster roll")
    group.addoption("--soak", action="store_true", help="run at the large sizes")
    group.addoption(
        "--database-only",
        action="store_true",
        help="only tests that may differ with the database",
    )


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(*GARBAGE)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()


def with_room(call: Callable[[], object]) -> object:
    return call()


# Python gives back 16 kB of its stack as soon as a call leaves them, and asks for them again at the
# next call. Behind a frame of a megabyte there is room for all frames of a test.
with_room.__code__ = with_room.__code__.replace(co_stacksize=131_000)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> object:
    """The usual loop, with room for its stack: a fifth of the time of the tests of pages."""
    manager = session.config.pluginmanager
    usual = manager.subset_hook_caller("pytest_runtestloop", [manager.get_plugin(__file__)])
    return with_room(lambda: usual(session=session))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether nothing in a folder is of a run that asks for rows alone."""
    is_without_rows = collection_path in WITHOUT_ROWS and config.getoption(
        "--database-only"
    )
    return True if is_without_rows else None


def uses_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(
        DATABASE_FIXTURES & fixtures
    )


def is_of_one_database(item: pytest.Item) -> bool:
    """What a browser sees, and what is drawn, is the same whatever the rows lie in: pages, PDFs,
    the guards' walks but for those marked ``both_databases``.
    """
    stem = item.path.stem
    if is_about_rows(item):
        return False
    is_drawn = (
        "pages" in stem
        or "pdf" in stem
        or "printing" in stem
        or item.path.parent.name == "guards"
    )
    return is_drawn or any(
        item.get_closest_marker(name) is not None for name in ("browser", "one_database")
    )


def needs_every_case(item: pytest.Item, *, is_soak: bool) -> bool:
    """Whether all cases of a test run on PostgreSQL: those about it, and under --soak what locks,
    refuses or is killed.
    """
    if item.get_closest_marker("postgres"):
        return True
    return is_soak and (is_about_rows(item) or item.path.parent.name == "reliability")


def is_about_rows(item: pytest.Item) -> bool:
    return item.get_closest_marker("both_databases") is not None


def commits(item: pytest.Item) -> bool:
    """Whether a test commits, as those of locks, limits and migrations do."""
    marker = item.get_closest_marker("django_db")
    fixtures = set(getattr(item, "fixturenames", ()))
    return bool({"transactional_db", "live_server"} & fixtures) or (
        marker is not None and bool(marker.kwargs.get("transaction"))
    )


def without_most_cases(
    items: Iterable[pytest.Item], *, is_soak: bool
) -> Iterator[pytest.Item]:
    """Yield the tests that may end otherwise on PostgreSQL, and some of those that SQLite has shown."""
    every = CASES_OF_SOAK if is_soak else CASES
    # Half a minute to find all forms, for a few bad values in some of them.
    items = [item for item in items if is_soak or group_of(item.nodeid) != "forms"]
    seen: Counter[tuple[Path, str]] = Counter()
    for item in items:
        by_name = commits(item) or is_about_rows(item)
        name = getattr(item, "originalname", item.name) if by_name else ""
        if seen[item.path, name] % every == 0 or needs_every_case(item, is_soak=is_soak):
            yield item
        seen[item.path, name] += 1


def group_of(nodeid: str) -> str:
    """The tests that one process runs: those of a file, and all that walk through every form."""
    path = nodeid.partition("::")[0]
    return "forms" if path in FORM_WALKS else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups by name instead of xdist's own, which pytest 9.2 does not let mark a test."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    # In the order of the tests, which begins with the long ones, and not the largest groups first.
    config.option.loadscopereorder = False
    return Groups(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what --database-only does not ask for, and skip what this machine or this run has
    not got.
    """
    if config.getoption("--database-only"):
        kept = [
            item for item in items if uses_database(item) and not is_of_one_database(item)
        ]
        kept = list(without_most_cases(kept, is_soak=config.getoption("--soak")))
        names = {item.nodeid for item in kept}
        left_out = [item for item in items if item.nodeid not in names]
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    reasons = {
        "browser": None if chromium() else "no Chromium on this machine",
        "postgres": None if is_postgres() else "needs PostgreSQL",
        "soak": None if config.getoption("--soak") else "a large size; run with --soak",
    }
    for item in items:
        for marker, reason in reasons.items():
            if reason and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
    if hasattr(config, "workerinput"):  # one of several processes
        items.sort(key=lambda item: item.path.parent.name not in LONG)


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> Soak:
    """`soak(small, large)`: the size of a repetition, the large one under --soak.

    ``on_postgres`` is the large size there, for what would only be shown twice.
    """
    is_soak = bool(pytestconfig.getoption("--soak"))

    def size(small: int, large: int, on_postgres: int | None = None) -> int:
        if not is_soak:
            return small
        return large if on_postgres is None or not is_postgres() else on_postgres

    return size


@pytest.fixture(scope="session")
def share(soak: Soak) -> Share:
    """One case of so many, beginning elsewhere for each ``start``.

    ``of`` must divide none of the numbers the cases are multiplied from, or some of these would
    never have a turn.
    """
    return lambda cases, of, start=0: cases[start % of :: of] if soak(1, 0) else cases


@pytest.fixture(scope="session", autouse=True)
def _quick_site() -> Iterator[None]:
    """Cheap password hashes, static files straight from their folders, and jobs done at once."""
    storages = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    site = {"STORAGES": storages, "WHITENOISE_AUTOREFRESH": True, "JOBS_RUNNER": "inline"}
    with override_settings(PASSWORD_HASHERS=hashers, **site):
        yield


@pytest.fixture(scope="session", autouse=True)
def _files_read_once() -> Iterator[None]:
    """The same text of a file of a pack is read once, however often packs are loaded or checked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_files, "read_text", lru_cache(TEXTS_KEPT)(yaml_files.read_text))
        yield


def _is_operation(path: str) -> bool:
    return "operations" in (Path(path).stem, Path(path).parent.name)


@pytest.fixture(scope="session", autouse=True)
def _refusals_name_a_field() -> Iterator[None]:
    """Whatever an operation refuses in any test says which field to mend."""
    make = Refusal.__init__

    def checked(self: Refusal, message: str, *, field: str = "") -> None:
        code = sys._getframe(1).f_code
        is_excused = code.co_qualname in REFUSE_WITHOUT_FIELD
        if type(self) is Refusal and _is_operation(code.co_filename) and not is_excused:
            assert field, f"{code.co_qualname} names no field: {message}"
        make(self, message, field=field)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Refusal, "__init__", checked)
        yield


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    """No test meets another's rate limits, sessions or documents."""
    for one in settings.CACHES:
        caches[one].clear()
    yield
    for one in settings.CACHES:
        caches[one].clear()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    tmp_path_factory, django_db_modify_db_settings_parallel_suffix
):
    """A database that does not wait for its disk. With SQLite a file of this run's own, or one kept
    for the next: one in memory would hide every fault of locking.
    """
    database: dict[str, Any] = settings.DATABASES["default"]
    options = database["OPTIONS"]
    database["OPTIONS"] = with_quick_commits(options, is_postgres=is_postgres())
    database["TEST"]["MIGRATE"] = False
    if not is_postgres():
        kept = os.environ.get("TEST_DATABASE_FOLDER")
        folder = Path(kept) if kept else tmp_path_factory.mktemp("database")
        database["TEST"]["NAME"] = str(folder / "test.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Tables made from the models, of which `config/test_migrations.py` shows that they are those
    of the migrations.
    """
    with django_db_blocker.unblock():
        record_migrations()


@pytest.fixture(scope="session", autouse=True)
def _quickly_emptied() -> Iterator[None]:
    """What tests have committed is deleted from the tables that they may have written to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.fixture
def locked_tables(db: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables whose rows are locked from now on, in turn, on a database without row locks too."""
    tables: list[str] = []
    execute = SQLCompiler.execute_sql

    def noted(compiler: SQLCompiler, *args: Any, **kwargs: Any) -> Any:
        if compiler.query.select_for_update:
            tables.append(compiler.query.get_meta().db_table)
        return execute(compiler, *args, **kwargs)

    monkeypatch.setattr(SQLCompiler, "execute_sql", noted)
    return tables


# --- Browser -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium; as root its sandbox does not start."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {
        **browser_type_launch_args,
        "executable_path": chromium(),
        "args": [*sandbox, "--disable-dev-shm-usage"],
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """A phone's width unless a test says otherwise.

    Without the service worker, which would fetch every file of the site for each test, and whose
    requests a test cannot hold back.
    """
    return {
        **browser_context_args,
        "service_workers": "block",
        "viewport": {"width": 390, "height": 844},
        "locale": "en-GB",
    }


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds manage.py."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def packs_of_the_case(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give a case about the smallest system its packs."""
    case = getattr(request.node, "callspec", None)
    if case is None or not is_about_smallest(case.params):
        yield
        return
    with smallest_packs():
        yield


def is_called_by_site() -> bool:
    """Return whether the nearest code of this project is the site's own, and no test's."""
    files = (Path(frame.filename) for frame in reversed(traceback.extract_stack()[:-2]))
    own = (
        file for file in files if file.is_relative_to(PROJECT) and ".venv" not in file.parts
    )
    return "tests" not in next(own, PROJECT / "tests").parts


JOINED_UPDATE = "An update over a join lets two at once in on PostgreSQL: {0}"


@pytest.fixture(autouse=True, scope="session")
def refuse_joined_updates() -> Iterator[None]:
    """Every update of the site that a test runs names one table in its condition.

    Django writes a join as ``id IN (SELECT ...)``. PostgreSQL, having waited for another's change
    of a row, looks again at the row and not at the subquery, so both find what they ask for.
    """
    usual = SQLUpdateCompiler.pre_sql_setup

    def refuse(self: SQLUpdateCompiler) -> None:
        joined = sum(count > 0 for count in self.query.alias_refcount.values()) > 1
        message = JOINED_UPDATE.format(self.query.model._meta.label)
        assert not (joined and is_called_by_site()), message
        usual(self)

    SQLUpdateCompiler.pre_sql_setup = refuse
    yield
    SQLUpdateCompiler.pre_sql_setup = usual
