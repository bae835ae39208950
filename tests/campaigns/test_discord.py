"""Posts to Discord: what is sent when, what never is, and what an answer of Discord leads to.

Discord is a server of the test's own on this machine.
"""

import re
from datetime import timedelta
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.errors import WrongState
from campaigns.exports import POST_MAX, as_post
from campaigns.models import Entry, EventLog, Round
from campaigns.models.leagues import DISCORD_POST, DiscordWebhook
from campaigns.operations.events import settle_event
from campaigns.operations.notify import enqueue_post, remind_of_lists
from campaigns.operations.round_lists import remind_missing
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    close_round,
    publish_round,
    withdraw_round,
)
from campaigns.operations.screens import step_webhook
from jobs.models import Job, JobStatus
from jobs.queue import do_due_jobs
from jobs.runner import run_job
from jobs.storage import job_folder
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.discord import HOOK, SECRET, Channel, channel, posting, publish, states
from tests.campaigns.leagues import League, make_campaign, make_league
from tests.campaigns.results import put_up, report
from warbands.models import Warband

pytestmark = pytest.mark.django_db

__all__ = ["channel", "posting"]


def test_published_round_is_posted_and_a_closed_one_with_its_standings(posting, channel):
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


def test_results_that_are_not_confirmed_and_secret_lists_are_not_told(channel):
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


def test_lists_are_asked_for_once_by_themselves_and_by_each_remind(channel):
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


def test_discord_that_does_not_answer_is_given_up_after_a_day(posting, channel, settings):
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
def test_webhook_that_discord_does_not_know_is_turned_off(posting, channel, status):
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


def test_address_entered_meanwhile_stays_on(posting, channel, settings):
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


def test_post_that_was_interrupted_is_not_sent_twice(posting, channel):
    step_webhook(posting.ask(), "test")
    token = Job.objects.get(kind=DISCORD_POST).token
    run_job(token)
    assert (job_folder(token) / "sent").exists()
    Job.objects.update(status="waiting", due_at=timezone.now())
    run_job(token)
    assert len(channel.posts) == 1
    assert states() == [("Test", "failed", "Interrupted. It may not have arrived.")]


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
