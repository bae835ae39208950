"""The demo club's league, made through the real operations."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from accounts.models import Club, User
from accounts.operations.clubs import add_member
from accounts.operations.people import DEMO_EMAIL, DEMO_SLUG
from accounts.owner import Owner
from battles.models import Battle, Snapshot
from campaigns.growth.queries.reports import load_growth
from campaigns.models import CampaignWarband, ClubEvent, Entry, Fixture, GrowthRowKind
from campaigns.queries.fixtures import load_upcoming_fixtures
from campaigns.queries.standings import load_standings
from notices.models import Notice
from tests.campaigns.leagues import make_league
from tests.factories import make_legal_warband, make_user
from tests.vectors.recorded import check_recorded
from warbands.models import Warband

pytestmark = pytest.mark.django_db
# Models with which the four warbands of the campaign are founded.
FOUNDED = 47
LEFT: tuple[type[Model], ...] = (
    Club, User, ClubEvent, Entry, Fixture, Battle, Snapshot, Warband,
)  # fmt: skip


def test_the_demo_club_is_in_the_middle_of_a_league_and_a_campaign() -> None:
    person, other = make_user(), make_legal_warband()
    make_league(players=2, kind="night", method="present")
    before = {model: model._default_manager.count() for model in LEFT}
    out = StringIO()
    call_command("make_demo", stdout=out)
    call_command("make_demo", stdout=out)
    assert out.getvalue().count("/accounts/link/") == 1
    event = ClubEvent.objects.get(kind="league")
    organiser = Owner(user_id=User.objects.get(email=DEMO_EMAIL).pk)
    values = [(row.number, row.status) for row in event.rounds.order_by("number")]
    assert values == [(1, "closed"), (2, "closed"), (3, "closed"), (4, "published")]
    games = Fixture.objects.filter(round__event=event, other__isnull=False)
    assert set(games.filter(round__number__lte=3).values_list("status", flat=True)) == {
        "final"
    }
    assert games.filter(is_rematch=True).count() == 0
    table = load_standings(organiser, event.token)
    assert table is not None
    assert len(table.rows) == 9
    assert all(row.entry.warband_name for row in table.rows)
    # The bye of the fourth round counts already.
    assert sorted(row.standing.played + row.standing.byes for row in table.rows) == [
        3
    ] * 8 + [4]
    own = event.entries.get(user_id=organiser.user_id)
    is_away = Fixture.objects.filter(
        round__event=event, round__number=4, one=own, other=None
    )
    coming = [one.round.number for one in load_upcoming_fixtures(organiser)]
    assert coming == ([] if is_away.exists() else [4])
    check_campaign(organiser)
    check_visitor()
    add_member(Club.objects.get(slug=DEMO_SLUG).pk, person.pk)
    check_removed(before)
    assert User.objects.filter(pk=person.pk).exists()
    assert Warband.objects.get() == other


def check_removed(before: dict[type[Model], int]) -> None:
    """The demo leaves nothing of itself, and all that others have."""
    out = StringIO()
    call_command("remove_demo", stdout=out)
    assert "9 made-up people" in out.getvalue()
    assert {model: model._default_manager.count() for model in LEFT} == before
    call_command("remove_demo", stdout=out)
    assert "There is no demo club." in out.getvalue()


def check_visitor() -> None:
    """Somebody without an account comes by links to every page of the campaign."""
    client, event = Client(), ClubEvent.objects.get(kind="campaign")
    home = reverse("event-read", args=[event.token])
    entry, game = (
        event.entries.order_by("pk")[0],
        Fixture.objects.get(round__event=event, round__number=1, position=1),
    )
    for page, to in (
        (reverse("home"), home),
        (reverse("event-list"), reverse("event-public")),
        (reverse("event-public"), home),
        (home, reverse("growth-book", args=[event.token])),
        (home, reverse("standings-read", args=[event.token])),
        (home, reverse("campaign-warband", args=[event.token, entry.token])),
        (
            reverse("campaign-warband", args=[event.token, entry.token]),
            reverse("campaign-unit", args=[event.token, entry.token, "w1"]),
        ),
        (
            reverse("campaign-warband", args=[event.token, entry.token]),
            reverse("warband-ledger", args=[event.token, entry.token]),
        ),
        (
            reverse("campaign-warband", args=[event.token, entry.token]),
            reverse("sheet-read", args=[entry.warband.token]),
        ),
        (
            reverse("fixture-read", args=[event.token, game.token]),
            reverse("fixture-after", args=[event.token, game.token]),
        ),
    ):
        assert f'href="{to}"' in client.get(page).content.decode(), (page, to)
        assert client.get(to).status_code == 200, to


def check_campaign(organiser: Owner) -> None:
    """Four warbands have grown through three rounds, and nothing waits for them."""
    event = ClubEvent.objects.get(kind="campaign")
    told = (event.name, event.place, event.visibility, event.rounds_planned)
    assert told == ("The River War", "Harbour Street", "public", 4)
    assert event.description.startswith("Warbands that fight for the river")
    statuses = event.rounds.order_by("number").values_list("status", flat=True)
    assert list(statuses) == ["closed"] * 3 + ["published"]
    state = load_growth(organiser, event.token).ledger.state
    assert (len(state.warbands), len(state.open), len(state.superseded)) == (4, 0, 0)
    grown = [one for band in state.warbands.values() for one in band.warriors.values()]
    assert max(one.experience for one in grown) >= 6
    assert any(one.skills or one.gains for one in grown)
    assert sum(one.count for one in grown if not one.gone) < FOUNDED
    check_recorded("demo_campaign.json", told_of(event))


def told_of(event: ClubEvent) -> dict[str, Any]:
    """What the campaign has written down, with names in place of tokens.

    Its dice fall alike every time, so a change that is meant is recorded by RECORD_VECTORS=1.
    """
    rounds = event.rounds.order_by("number")
    fixtures = Fixture.objects.filter(round__event=event).order_by("pk")
    entries = event.entries.order_by("pk")
    bands = CampaignWarband.objects.filter(entry__event=event).select_related("entry")
    people = dict(User.objects.values_list("pk", "name"))
    names = {
        event.token: "the campaign",
        **{row.token: row.name for row in entries},
        **{row.token: row.entry.name for row in bands},
        **{row.token: f"game {place}" for place, row in enumerate(fixtures, start=1)},
    }
    told = {
        "log": [
            [
                people[row.author_id], row.verb, row.subject, row.words, row.changes,
                row.version,
            ]
            for row in event.log.order_by("pk")
        ],
        "ledger": [
            [row.position, row.kind, row.due, row.act, row.payload, row.reason]
            for row in event.growth_rows.order_by("position")
            if row.kind != GrowthRowKind.RULES
        ],
        "rounds": [[row.number, row.status] for row in rounds],
        "fixtures": [
            [row.one.name, row.other.name, row.status, row.position] for row in fixtures
        ],
        "notices": sorted(
            f"{people[row.user_id]}: {row.kind}: {row.words}"
            for row in Notice.objects.filter(subject=event.name)
        ),
    }  # fmt: skip
    text = json.dumps(told)
    for token, name in names.items():
        text = text.replace(token, name)
    return json.loads(text)
