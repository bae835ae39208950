"""The probes: alive, and ready only with migrations and rule packs in place."""

import pytest
from django.db import DatabaseError
from django.urls import reverse

from config import health
from config.settings import VERSION
from rulesdata.operations.packs import load_packs


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
    assert (answer.status_code, answer.json()) == (200, {"ready": True, "missing": []})


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
    load_packs()
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
