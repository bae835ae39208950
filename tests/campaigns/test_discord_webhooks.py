"""The webhook of an event: who sets, tests and removes it, which addresses it takes, and who reads one."""

import re
from collections.abc import Callable
from typing import Any
from zipfile import ZipFile

import pytest
from django.urls import reverse

from accounts.api_tokens.operations import make_token
from accounts.errors import NotAllowed, NotFound, Refusal
from accounts.models import Scope
from accounts.owner import NOBODY
from campaigns.models import EventLog
from campaigns.models.leagues import DiscordWebhook
from campaigns.operations.copies import CopyDraft, copy_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import enqueue_post
from campaigns.operations.screens import step_webhook
from campaigns.queries.event_page import POSTS_SHOWN
from jobs.models import Job
from jobs.personal_data import ask_for_data
from jobs.queue import do_due_jobs
from jobs.runner import run_job
from jobs.storage import open_file
from tests.battles.pages import browser_of
from tests.campaigns.discord import HOOK, SECRET, Channel, channel, posting, publish, states
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import report
from tests.factories import make_person
from tests.guards.routes import routes

pytestmark = pytest.mark.django_db

__all__ = ["channel", "posting"]


def test_test_is_posted_once_a_minute(posting, channel, time_machine):
    time_machine.move_to("2031-05-01T19:30:10+00:00", tick=False)
    for _ in range(3):
        step_webhook(posting.ask(), "test")
        do_due_jobs()
    assert len(channel.posts) == 1
    time_machine.shift(60)
    step_webhook(posting.ask(), "test")
    do_due_jobs()
    assert [post.splitlines()[1] for post in channel.posts] == [
        "This is a test\\. Pairings, results, standings and reminders will appear here\\."
    ] * 2


@pytest.mark.parametrize("address", [
    HOOK,
    f"https://discord.com/api/webhooks/1/{'a' * 100}",
    f"https://discord.com/api/webhooks/{'1' * 20}/a",
])  # fmt: skip
def test_address_of_a_webhook_is_taken(league: League, address: str) -> None:
    step_webhook(league.ask(), "set", address)
    assert DiscordWebhook.objects.get().address == address


@pytest.mark.parametrize("address", [
    "",
    HOOK.replace("https", "http"),
    HOOK.replace("discord.com", "discordapp.com"),
    HOOK.replace("discord.com", "discord.com.evil.org"),
    HOOK.replace("discord.com", "evil.org"),
    HOOK.replace("discord.com", "discord.com:8443"),
    HOOK.replace("discord.com", "me@discord.com"),
    HOOK.replace("discord.com", "discordxcom"),
    HOOK.replace("/api/webhooks", "/api/v10/webhooks"),
    f"{HOOK}/", f"{HOOK}?wait=true", f"{HOOK}#part", f"{HOOK}/../../users", f"{HOOK}\n",
    f"{HOOK} HTTP/1.1", f"{HOOK}ü",
    HOOK.replace("123456789012345678", "id"),
    HOOK.replace("123456789012345678", "١٢"),
    f"https://discord.com/api/webhooks/{'1' * 21}/a",
    f"https://discord.com/api/webhooks/1/{'a' * 101}",
    "https://discord.com/api/webhooks/1/",
])  # fmt: skip
def test_any_other_address_is_refused(league: League, address: str) -> None:
    with pytest.raises(Refusal) as refused:
        step_webhook(league.ask(), "set", address)
    assert refused.value.field == "address"
    assert address not in refused.value.message or not address
    assert not DiscordWebhook.objects.exists()


def test_other_steps_are_refused(league: League) -> None:
    with pytest.raises(Refusal, match="set, test, remove") as refused:
        step_webhook(league.ask(), "read")
    assert refused.value.field == "step"


def test_organisers_alone_set_test_and_remove_it(posting: League) -> None:
    stranger = ChangeRequest(make_person(), posting.token)
    for step in ("set", "test", "remove"):
        with pytest.raises(NotAllowed):
            step_webhook(posting.by("Ada"), step, f"{HOOK}2")
        with pytest.raises(NotFound):
            step_webhook(stranger, step, f"{HOOK}2")
    assert DiscordWebhook.objects.get().address == HOOK
    assert states() == []


def test_page_sets_tests_and_removes_it(
    league: League, channel: Channel, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    browser = browser_of(league.organiser)
    address = reverse("event-discord", args=[league.token])
    assert "No posts" in browser.get(address).content.decode()
    wrong = browser.post(address, {"step": "set", "address": f"{HOOK}/x"})
    assert wrong.status_code == 422
    assert "Webhook address: enter one such as" in wrong.content.decode()
    assert SECRET not in wrong.content.decode()
    assert browser.post(address, {"step": "test"}).status_code == 422
    browser.post(address, {"step": "set", "address": f" {HOOK} "})
    with django_capture_on_commit_callbacks(execute=True):
        browser.post(address, {"step": "test"})
    assert len(channel.posts) == 1
    text = browser.get(address).content.decode()
    assert "Test: done" in text
    assert SECRET not in text
    browser.post(address, {"step": "remove"})
    assert not DiscordWebhook.objects.exists()


def test_log_shows_the_last_posts_of_the_event_alone(posting: League) -> None:
    for number in range(POSTS_SHOWN + 1):
        enqueue_post(posting.event, "results", number + 1)
    other = make_league(players=0)
    step_webhook(other.ask(), "set", HOOK)
    enqueue_post(other.event, "results", 77)
    address = reverse("event-discord", args=[posting.token])
    text = browser_of(posting.organiser).get(address).content.decode()
    assert re.findall("Results for round ([0-9]+)", text) == [
        str(number) for number in range(POSTS_SHOWN + 1, 1, -1)
    ]


def test_no_answer_about_an_event_has_the_address(posting, channel):
    games = publish(posting, [("Ada", "Ben")])
    report(posting, games[0], "Ben")
    channel.answers = [(404, {})]
    do_due_jobs()
    values = {"token": posting.token, "number": 1, "entry": posting.entries[0].token}
    values |= {"fixture": games[0].token, "slug": posting.club.slug}
    values |= {"what": "standings", "kind": "json"}
    browser, answers = browser_of(posting.organiser), 0
    program = make_token(posting.organiser.user_id or 0, name="-", scopes=Scope.values)
    headers = {"Authorization": f"Bearer {program.text}"}
    for route in routes():
        is_about = "token" in route.arguments and set(route.arguments) <= values.keys()
        is_drawn = route.template.endswith((".pdf", ".png"))
        if (
            is_about
            and not is_drawn
            and route.template.startswith(("leagues/", "api/v1/events/"))
        ):
            answer = browser.get(route.url(values), headers=headers)
            assert SECRET.encode() not in answer.content, route.name
            answers += answer.status_code == 200
    assert answers > 40
    log = [*EventLog.objects.values_list("words", "reason", "changes")]
    jobs = [*Job.objects.values_list("payload", "words", "title", "key", "result")]
    assert SECRET not in str((log, jobs))


def test_copy_and_personal_data_leave_the_webhook_out(posting, channel):
    copy_event(posting.ask(), CopyDraft("Once more", players=True))
    assert DiscordWebhook.objects.get().event == posting.event
    token = ask_for_data(posting.organiser, "/")
    run_job(token)
    with open_file(Job.objects.get(token=token).file) as file, ZipFile(file) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert "account.json" in files
    assert SECRET not in str(files)


def test_logs_leave_the_address_out(posting, channel, capfd, caplog):
    for answer in ((404, {}), (503, {}), (302, {}), (200, {})):
        channel.answers = [answer]
        step_webhook(posting.ask(), "set", HOOK)
        Job.objects.all().delete()
        step_webhook(posting.ask(), "test")
        do_due_jobs()
    assert len(channel.posts) == 4
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err + caplog.text


def test_nobody_reads_the_page_but_organisers(posting: League) -> None:
    address = reverse("event-discord", args=[posting.token])
    assert browser_of(posting.player("Ada")).get(address).status_code == 403
    assert browser_of(NOBODY).get(address).status_code == 404
