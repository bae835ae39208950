"""The probes: alive, and ready only with migrations and rule packs in place."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from django.urls import reverse
from django.utils import timezone

from config import health
from config.settings import VERSION
from jobs import queries
from jobs.models import Job
from tests.rulebooks import load_books


@pytest.fixture
def packs(monkeypatch):
    """Stand in for the rule books: `packs(True)` says they are loaded."""

    def answer(is_loaded: bool) -> None:
        monkeypatch.setattr(health, "packs_are_loaded", lambda: is_loaded)

    return answer


def test_health_asks_no_database_and_takes_any_host(client):
    answer = client.get(reverse("health-check"), headers={"host": "10.0.0.5"})
    assert (answer.status_code, answer.content) == (200, f"ok {VERSION}".encode())
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_ready_with_migrations_and_packs(client, packs):
    packs(True)
    answer = client.get(reverse("ready-check"))
    queue = {"due": 0, "oldest_seconds": 0, "worker_seconds": None}
    told = {"ready": True, "missing": [], "away": [], "queue": queue}
    assert (answer.status_code, answer.json()) == (200, told)


@pytest.mark.django_db
def test_ready_tells_how_long_jobs_wait_and_when_a_worker_was_seen(client, packs):
    packs(True)
    ago = timezone.now() - timedelta(seconds=90)
    Job.objects.create(kind="x", title="X", due_at=ago)
    Job.objects.create(kind="x", title="X", due_at=timezone.now() + timedelta(hours=1))
    Job.objects.create(kind="x", title="X", due_at=ago, status="done")
    cache.set(queries.SIGN_KEY, ago.timestamp())
    queue = client.get(reverse("ready-check")).json()["queue"]
    assert queue["due"] == 1
    assert 90 <= queue["oldest_seconds"] < 150
    assert 90 <= queue["worker_seconds"] < 150
    queries.give_sign_of_life()
    assert client.get(reverse("ready-check")).json()["queue"]["worker_seconds"] < 60


@pytest.mark.django_db
def test_not_ready_without_packs(client, packs):
    packs(False)
    answer = client.get(reverse("ready-check"))
    assert answer.status_code == 503
    (missing,) = answer.json()["missing"]
    assert missing.startswith("packs:")


@pytest.mark.django_db
def test_ready_once_the_packs_are_really_loaded(client):
    assert client.get(reverse("ready-check")).status_code == 503
    load_books()
    assert client.get(reverse("ready-check")).status_code == 200


@pytest.mark.django_db
def test_not_ready_with_a_pending_migration(client, packs, monkeypatch):
    packs(True)
    known = health.known_migrations()
    assert ("accounts", "0001_people_clubs_and_links") in known
    monkeypatch.setattr(
        health, "known_migrations", lambda: known | {("accounts", "9999_to_come")}
    )
    answer = client.get(reverse("ready-check"))
    assert answer.status_code == 503
    assert answer.json()["missing"][0].startswith("migrations:")


def test_not_ready_without_a_database(client, monkeypatch):
    def broken() -> bool:
        raise DatabaseError("secret details")

    monkeypatch.setattr(health, "has_pending_migrations", broken)
    answer = client.get(reverse("ready-check"))
    assert (answer.status_code, answer.json()["missing"]) == (
        503,
        ["database: it does not answer"],
    )
