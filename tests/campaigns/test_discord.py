"""Posts to Discord: what is sent when, what never is, and what an answer of Discord leads to.

Discord is a server of the test's own on this machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast
from zipfile import ZipFile

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.api_tokens.operations import make_token
from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Scope
from accounts.owner import NOBODY
from campaigns.exports import POST_MAX, as_post
from campaigns.models import Entry, EventLog, Fixture, Round
from campaigns.models.screens import DISCORD_POST, DiscordWebhook
from campaigns.operations.copies import CopyDraft, copy_event
from campaigns.operations.discord import step_webhook
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.notify import enqueue_post, remind_of_lists
from campaigns.operations.round_lists import remind_missing
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    close_round,
    publish_round,
    withdraw_round,
)
from campaigns.queries.event_page import POSTS_SHOWN
from jobs.models import Job, JobStatus
from jobs.personal_data import ask_for_data
from jobs.queue import do_due_jobs
from jobs.runner import run_job
from jobs.storage import job_folder, open_file
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_campaign, make_league
from tests.campaigns.results import put_up, report
from tests.factories import make_person
from tests.guards.routes import routes
from warbands.models import Warband

pytestmark = pytest.mark.django_db

SECRET = "Abc-_1234567890abcdefghijklmnop"
HOOK = f"https://discord.com/api/webhooks/123456789012345678/{SECRET}"
DONE = (204, {})


@dataclass
class Channel:
    """A server that answers each post with the next of ``answers``, and then that it is done."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    @property
    def posts(self) -> list[str]:
        return [body["content"] for _, _, body in self.requests]


@pytest.fixture
def channel(settings: Any, tmp_path: Path) -> Iterator[Channel]:
    channel = Channel()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            channel.requests.append((self.path, dict(self.headers), body))
            status, headers = channel.answers.pop(0) if channel.answers else DONE
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.JOBS_DIR = tmp_path

    def connect(host: str, timeout: float) -> HTTPConnection:
        assert host == "discord.com"
        return HTTPConnection("127.0.0.1", server.server_port, timeout=timeout)

    settings.DISCORD_CONNECTION = connect
    yield channel
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def posting(league: League, channel: Channel) -> League:
    """A league of four with a webhook."""
    step_webhook(league.ask(), "set", HOOK)
    return league


def states() -> list[tuple[str, str, str]]:
    rows = Job.objects.filter(kind=DISCORD_POST).order_by("id")
    return list(rows.values_list("title", "status", "words"))


def publish(league: League, pairs: list[Any]) -> list[Fixture]:
    """Put a round up as a draft, and publish it."""
    number = league.event.rounds.count() + 1
    games = put_up(league, number, pairs)
    Round.objects.filter(pk=games[0].round_id).update(status="draft")
    publish_round(league.ask(), number, as_drawn=True)
    return games


def test_published_round_is_posted_and_a_closed_one_with_its_standings(
    posting: League, channel: Channel
) -> None:
    Entry.objects.filter(name="Dora").update(name="@everyone **Dora** <@1>\n# :a:")
    games = publish(posting, [("Ada", "Ben"), ("Cleo",)])
    do_due_jobs()
    ((path, headers, body),) = channel.requests
    assert path == f"/api/webhooks/123456789012345678/{SECRET}"
    assert headers["Content-Type"] == "application/json"
    assert headers["User-Agent"].startswith("DiscordBot (http")
    assert body["allowed_mentions"] == {"parse": []}
    assert body["content"].splitlines() == [
        "**Autumn league\\: pairings for Round 1**",
        "Ada against Ben",
        "Cleo has a bye",
        f"<http://localhost:8000{reverse('event-read', args=[posting.token])}>",
    ]
    report(posting, games[0], "Ben")
    close_round(posting.ask(), 1)
    do_due_jobs()
    assert [post.splitlines()[1:-1] for post in channel.posts[1:]] == [
        ["Ada against Ben\\: Ben wins", "Cleo has a bye"],
        [
            "1\\. Ben\\: 3",
            "1\\. Cleo\\: 3",
            "3\\. Ada\\: 0",
            "4\\. \\@everyone \\*\\*Dora\\*\\* \\<\\@1\\> \\# \\:a\\:\\: 0",
        ],
    ]
    settle_event(posting.ask(), "finish")
    do_due_jobs()
    assert [post.splitlines()[0] for post in channel.posts[1:]] == [
        "**Autumn league\\: results for Round 1**",
        "**Autumn league\\: standings after round 1**",
        "**Autumn league\\: final standings**",
    ]
    assert states() == [
        ("Pairings for round 1", "done", ""),
        ("Results for round 1", "done", ""),
        ("Standings", "done", ""),
        ("Standings", "done", ""),
    ]


def test_event_without_a_webhook_posts_nothing(league: League, channel: Channel) -> None:
    publish(league, [("Ada", "Ben")])
    settle_event(league.ask(), "finish")
    assert states() == []
    with pytest.raises(WrongState, match="No webhook is on"):
        step_webhook(league.ask(), "test")


def test_what_is_no_news_any_more_is_not_posted(posting: League, channel: Channel) -> None:
    put_up(posting, 1, [("Ada", "Ben")])
    Round.objects.update(status="draft")
    enqueue_post(posting.event, "pairings", 1)
    enqueue_post(posting.event, "standings")
    do_due_jobs()
    assert channel.posts == []
    assert [words for _, _, words in states()] == ["There is nothing to post any more."] * 2
    publish_round(posting.ask(), 1, as_drawn=True)
    withdraw_round(posting.ask(), 1)
    do_due_jobs()
    assert channel.posts == []


def test_open_round_of_challenges_is_posted(channel: Channel) -> None:
    campaign = make_campaign(players=2)
    step_webhook(campaign.ask(), "set", HOOK)
    add_round(campaign.ask(), RoundDraft(name="The thaw"))
    publish_round(campaign.ask(), 1)
    do_due_jobs()
    assert channel.posts[0].splitlines()[:2] == [
        "**The long winter\\: pairings for The thaw**",
        "You can challenge another player\\.",
    ]


def test_results_that_are_not_confirmed_and_secret_lists_are_not_told(
    channel: Channel,
) -> None:
    league = make_league(
        players=4, with_warbands=True, needs_list=True, is_secret=True, visibility="club"
    )
    Warband.objects.update(name="Hidden legion")
    step_webhook(league.ask(), "set", HOOK)
    games = publish(league, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, games[0], "Ben")
    report(league, games[1], "Cleo", by=league.player("Cleo"))
    close_round(league.ask(), 1)
    do_due_jobs()
    assert channel.posts[1].splitlines()[1:-1] == [
        "Ada against Ben\\: Ben wins",
        "Cleo against Dora\\: waiting for confirmation",
    ]
    assert len(channel.posts) == 3
    told = " ".join(channel.posts)
    assert not re.search("legion|Empire|Hochland|warband|points", told)


def test_lists_are_asked_for_once_by_themselves_and_by_each_remind(
    channel: Channel,
) -> None:
    league = make_league(players=2, needs_list=True)
    step_webhook(league.ask(), "set", HOOK)
    now = timezone.now()
    due = now + timedelta(days=2)
    add_round(league.ask(), RoundDraft(lists_due_at=due))
    assert remind_of_lists(now) == 0
    for hours in (25, 26, 49):
        assert remind_of_lists(now + timedelta(hours=hours)) == 2
        do_due_jobs()
    (post,) = channel.posts
    at = f"{timezone.localtime(due):%a %-d %B, %H\\:%M}"
    assert post.splitlines()[:-1] == [
        "**Autumn league\\: reminder**",
        f"For players without a list\\. Round 1\\: hand in your list by {at}\\.",
    ]
    assert "Ada" not in post
    remind_missing(league.ask())
    do_due_jobs()
    assert len(channel.posts) == 2
    Round.objects.update(lists_due_at=now - timedelta(hours=1))
    EventLog.objects.filter(verb="remind_lists").delete()
    remind_missing(league.ask())
    do_due_jobs()
    assert "the deadline is over" in channel.posts[2]
    # A deadline that is moved reminds again.
    Round.objects.update(lists_due_at=now + timedelta(hours=3))
    remind_of_lists(now)
    do_due_jobs()
    assert len(channel.posts) == 4


def test_redirect_is_not_followed(posting: League, channel: Channel) -> None:
    channel.answers = [(307, {"Location": "/elsewhere"})]
    step_webhook(posting.ask(), "test")
    do_due_jobs()
    assert len(channel.requests) == 1
    assert states() == [("Test", "failed", "Discord refuses the post (307).")]


@pytest.mark.parametrize(
    "status,after,least",
    [(429, "7200", 7200), (429, "0.4", 60), (503, "", 60), (500, "soon", 60)],
)
def test_busy_discord_is_asked_again_after_the_time_it_names(
    posting: League, channel: Channel, status: int, after: str, least: int
) -> None:
    channel.answers = [(status, {"Retry-After": after})]
    begun = timezone.now()
    step_webhook(posting.ask(), "test")
    do_due_jobs()
    job = Job.objects.get(kind=DISCORD_POST)
    assert job.status == JobStatus.WAITING
    assert job.words == "Discord does not answer, or takes no more posts now."
    assert timedelta(seconds=least) <= job.due_at - begun < timedelta(seconds=least + 60)
    assert do_due_jobs() == 0
    Job.objects.update(due_at=timezone.now())
    do_due_jobs()
    assert len(channel.posts) == 2
    assert states() == [("Test", "done", "")]


def test_discord_that_does_not_answer_is_given_up_after_a_day(
    posting: League, channel: Channel, settings: Any
) -> None:
    real = settings.DISCORD_CONNECTION

    def refuse(host: str, timeout: float) -> HTTPConnection:
        raise ConnectionRefusedError

    settings.DISCORD_CONNECTION = refuse
    step_webhook(posting.ask(), "test")
    for _ in range(2):
        Job.objects.update(due_at=timezone.now())
        do_due_jobs()
    assert states()[0][1] == "waiting"
    Job.objects.update(
        due_at=timezone.now(), created_at=timezone.now() - timedelta(days=1, seconds=1)
    )
    do_due_jobs()
    assert states()[0][1] == "failed"
    settings.DISCORD_CONNECTION = real
    do_due_jobs()
    assert channel.posts == []


@pytest.mark.parametrize("status", [401, 404, 410])
def test_webhook_that_discord_does_not_know_is_turned_off(
    posting: League, channel: Channel, status: int
) -> None:
    channel.answers = [(status, {})] * 2
    step_webhook(posting.ask(), "test")
    enqueue_post(posting.event, "standings")
    do_due_jobs()
    address = reverse("event-discord", args=[posting.token])
    notices = Notice.objects.filter(kind="discord_off").values_list("user", "path")
    # Only the first of two posts turns it off, and nobody who plays hears of it.
    assert list(notices) == [(posting.organiser.user_id, address)]
    assert states()[0][1:] == (
        "failed",
        f"Discord does not know the webhook ({status}). It is off now.",
    )
    browser = browser_of(posting.organiser)
    assert "Enter a new address." in browser.get(address).content.decode()
    publish(posting, [("Ada", "Ben")])
    assert len(states()) == 2
    with pytest.raises(WrongState, match="No webhook is on"):
        step_webhook(posting.ask(), "test")
    step_webhook(posting.ask(), "set", HOOK)
    assert "Enter a new address." not in browser.get(address).content.decode()


def test_other_refusals_leave_the_webhook_on(posting: League, channel: Channel) -> None:
    channel.answers = [(400, {})]
    step_webhook(posting.ask(), "test")
    do_due_jobs()
    assert states() == [("Test", "failed", "Discord refuses the post (400).")]
    assert DiscordWebhook.objects.get().is_on


def test_address_entered_meanwhile_stays_on(
    posting: League, channel: Channel, settings: Any
) -> None:
    channel.answers = [(404, {})]
    real = settings.DISCORD_CONNECTION

    def replace(host: str, timeout: float) -> HTTPConnection:
        DiscordWebhook.objects.update(address=f"{HOOK}2")
        return cast(HTTPConnection, real(host, timeout))

    settings.DISCORD_CONNECTION = replace
    step_webhook(posting.ask(), "test")
    do_due_jobs()
    assert states()[0][1] == "failed"
    assert DiscordWebhook.objects.get().is_on
    assert not Notice.objects.filter(kind="discord_off").exists()


def test_removed_webhook_gets_no_post_that_waits(posting: League, channel: Channel) -> None:
    step_webhook(posting.ask(), "test")
    step_webhook(posting.ask(), "remove")
    step_webhook(posting.ask(), "remove")
    do_due_jobs()
    assert channel.posts == []
    assert states() == [("Test", "failed", "The webhook was removed or is off.")]
    lines = EventLog.objects.filter(verb__startswith="discord").order_by("id")
    assert [line.verb for line in lines] == ["discord_on", "discord_off"]


def test_post_that_was_interrupted_is_not_sent_twice(
    posting: League, channel: Channel
) -> None:
    step_webhook(posting.ask(), "test")
    token = Job.objects.get(kind=DISCORD_POST).token
    run_job(token)
    assert (job_folder(token) / "sent").exists()
    Job.objects.update(status="waiting", due_at=timezone.now())
    run_job(token)
    assert len(channel.posts) == 1
    assert states() == [("Test", "failed", "Interrupted. It may not have arrived.")]


def test_test_is_posted_once_a_minute(
    posting: League, channel: Channel, time_machine: Any
) -> None:
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


@pytest.mark.parametrize(
    "address",
    [
        HOOK,
        f"https://discord.com/api/webhooks/1/{'a' * 100}",
        f"https://discord.com/api/webhooks/{'1' * 20}/a",
    ],
)
def test_address_of_a_webhook_is_taken(league: League, address: str) -> None:
    step_webhook(league.ask(), "set", address)
    assert DiscordWebhook.objects.get().address == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        HOOK.replace("https", "http"),
        HOOK.replace("discord.com", "discordapp.com"),
        HOOK.replace("discord.com", "discord.com.evil.org"),
        HOOK.replace("discord.com", "evil.org"),
        HOOK.replace("discord.com", "discord.com:8443"),
        HOOK.replace("discord.com", "me@discord.com"),
        HOOK.replace("discord.com", "discordxcom"),
        HOOK.replace("/api/webhooks", "/api/v10/webhooks"),
        f"{HOOK}/",
        f"{HOOK}?wait=true",
        f"{HOOK}#part",
        f"{HOOK}/../../users",
        f"{HOOK}\n",
        f"{HOOK} HTTP/1.1",
        f"{HOOK}ü",
        HOOK.replace("123456789012345678", "id"),
        HOOK.replace("123456789012345678", "١٢"),
        f"https://discord.com/api/webhooks/{'1' * 21}/a",
        f"https://discord.com/api/webhooks/1/{'a' * 101}",
        "https://discord.com/api/webhooks/1/",
    ],
)
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


def test_no_answer_about_an_event_has_the_address(
    posting: League, channel: Channel
) -> None:
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


def test_copy_and_personal_data_leave_the_webhook_out(
    posting: League, channel: Channel
) -> None:
    copy_event(posting.ask(), CopyDraft("Once more", players=True))
    assert DiscordWebhook.objects.get().event == posting.event
    token = ask_for_data(posting.organiser, "/")
    run_job(token)
    with open_file(Job.objects.get(token=token).file) as file, ZipFile(file) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert "account.json" in files
    assert SECRET not in str(files)


def test_logs_leave_the_address_out(
    posting: League, channel: Channel, capfd: pytest.CaptureFixture[str], caplog: Any
) -> None:
    for answer in ((404, {}), (503, {}), (302, {}), (200, {})):
        channel.answers = [answer]
        step_webhook(posting.ask(), "set", HOOK)
        Job.objects.all().delete()
        step_webhook(posting.ask(), "test")
        do_due_jobs()
    assert len(channel.posts) == 4
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err + caplog.text


def post_of(lines: int, name: str) -> str:
    """A post of so many results between players of such a name."""
    event: Any = SimpleNamespace(name="League", token="a" * 16)
    record = SimpleNamespace(is_bye=True)
    games = [
        SimpleNamespace(title=name, record=record, round=SimpleNamespace(number=1))
        for _ in range(lines)
    ]
    schedule: Any = SimpleNamespace(event=event, rounds=(), fixtures=games)
    return as_post(schedule, cast(Any, None), "results", 1, "")


@pytest.mark.parametrize("name", ["*" * 60, "🎲" * 60, "Ada"])
def test_long_post_is_cut_at_a_line_and_leads_to_the_rest(name: str) -> None:
    post = post_of(128, name)
    assert len(post.encode("utf-16-le")) // 2 <= POST_MAX
    lines = post.splitlines()
    assert lines[0] == "**League\\: results**"
    assert lines[-1].startswith("<http://localhost:8000/")
    assert lines[-2] == ("Ada" if name == "Ada" else "…")
    assert set(lines[1:-2]) == {name.replace("*", "\\*")}


def test_nobody_reads_the_page_but_organisers(posting: League) -> None:
    address = reverse("event-discord", args=[posting.token])
    assert browser_of(posting.player("Ada")).get(address).status_code == 403
    assert browser_of(NOBODY).get(address).status_code == 404
