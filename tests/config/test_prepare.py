"""`manage.py prepare` does what is needed, and on the second start nothing that is not."""

import pytest
from django.core.management import call_command

from config.management.commands import prepare


@pytest.fixture
def site(monkeypatch, settings, tmp_path):
    """A site in a folder of its own.

    Calling it runs `prepare` and returns the commands that ran within.
    """
    ran: list[str] = []
    present = {"load_rulesdata": "rulesdata", "make_demo": "campaigns"}
    settings.DATA_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STATIC_ROOT.mkdir()

    def stand_in(name: str, **options) -> None:
        ran.append(name)
        if name == "collectstatic":
            (settings.STATIC_ROOT / "staticfiles.json").write_text("{}")

    monkeypatch.setattr(prepare, "call_command", stand_in)
    monkeypatch.setattr(prepare, "get_commands", lambda: present)
    monkeypatch.setattr(prepare, "packs_are_loaded", lambda: True)

    def run() -> list[str]:
        ran.clear()
        call_command("prepare", stdout=prepare._Silence())
        return list(ran)

    run.commands = present
    return run


@pytest.mark.django_db
def test_first_start_does_everything_and_the_second_almost_nothing(site):
    assert site() == ["check", "load_rulesdata", "collectstatic", "make_demo"]
    assert site() == ["check", "make_demo"]


@pytest.mark.django_db
def test_every_start_lets_go_of_what_nobody_came_back_for(site):
    site.commands["purge_unclaimed"] = "warbands"
    site()
    assert "purge_unclaimed" in site()


@pytest.mark.django_db
def test_pending_migrations_are_applied(site, monkeypatch):
    monkeypatch.setattr(prepare.health, "has_pending_migrations", lambda: True)
    assert "migrate" in site()


@pytest.mark.django_db
def test_an_empty_database_is_loaded_again(site, monkeypatch):
    site()
    monkeypatch.setattr(prepare, "packs_are_loaded", lambda: False)
    assert "load_rulesdata" in site()


@pytest.mark.django_db
def test_a_changed_file_is_noticed(site, settings, tmp_path):
    site()
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "new.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, folder]
    prepare.get_finders.__globals__["get_finder"].cache_clear()
    assert "collectstatic" in site()


@pytest.mark.django_db
def test_lost_or_spoilt_notes_only_mean_more_work(site, tmp_path):
    site()
    (tmp_path / "prepared.json").write_text("{spoilt")
    assert site() == ["check", "load_rulesdata", "collectstatic", "make_demo"]
