"""A system of four files: everything that a pack may leave out is left out, and pages work."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide
from battles.queries.battles import load_battle
from campaigns.models import Fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from campaigns.queries.event_page import load_event_page
from campaigns.queries.records import Outcome
from engine.errors import Refusal
from rulesdata import registry
from rulesdata.checks import check_packs
from rulesdata.operations.packs import load_packs
from tests.battles.steps import append_events
from tests.campaigns.leagues import make_league, player_of
from tests.factories import make_person
from tests.systems import SMALLEST, TEST_PACKS, smallest_packs


@pytest.fixture(autouse=True)
def smallest() -> Iterator[None]:
    with smallest_packs():
        yield


def test_pack_of_four_files_is_in_order() -> None:
    assert check_packs(TEST_PACKS) == []
    files = {path.name for path in (TEST_PACKS / "systems" / SMALLEST).iterdir()}
    assert files == {"system.yaml", "charts.yaml", "guidelines.yaml", "states.yaml"}
    book = registry.load_system(SMALLEST)
    left_out = (book.house_rules, book.rulings, book.notes, book.scenarios, book.tables)
    assert not any(left_out)
    assert registry.combat_rules(SMALLEST).charts is None


def test_everything_read_is_forgotten_with_the_packs() -> None:
    kept = {one for one in vars(registry).values() if hasattr(one, "cache_clear")}
    of_registry = {one for one in kept if one.__module__ == registry.__name__}
    assert of_registry == set(registry._CACHED)


def test_results_are_won_or_drawn_and_battles_are_not_recorded() -> None:
    rules = registry.result_rules(SMALLEST)
    assert [(end.id, end.has_winner) for end in rules.endings.values()] == [
        ("won", True),
        ("drawn", False),
    ]
    assert not rules.can_record
    with pytest.raises(registry.NoBattles):
        registry.battle_rules(SMALLEST)


@pytest.mark.django_db
def test_rows_are_loaded_and_the_book_is_read(client: Client) -> None:
    load_packs(TEST_PACKS)
    for part in (
        "", "units/", "weapons/", "armour/", "charts/", "scenarios/", "guidelines/",
    ):  # fmt: skip
        page = client.get(f"/rules/{SMALLEST}/{part}")
        assert page.status_code in (200, 404), part
    assert client.get(f"/rules/{SMALLEST}/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("how,points", [("won", [0, 3]), ("drawn", [1, 1])])
def test_league_counts_wins_draws_and_losses(client, how, points):
    league = make_league(players=2, system=SMALLEST, points_limit=None)
    number = add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
    draw_round(ChangeRequest(league.organiser, league.token), number)
    publish_round(ChangeRequest(league.organiser, league.token), number)
    fixture = league.fixtures(number)[0]
    address = reverse("fixture-read", args=[league.token, fixture.token])
    client.force_login(get_user_model().objects.get(pk=player_of(fixture.one).user_id))
    assert (
        "Games of Five Rules cannot be recorded live"
        in client.get(address).content.decode()
    )
    assert (
        'name="winner"'
        in client.get(
            reverse("fixture-result", args=[league.token, fixture.token])
        ).content.decode()
    )
    winner = fixture.one.token if how == "won" else ""
    report_result(
        ChangeRequest(league.organiser, league.token),
        fixture.token,
        Outcome(winner=winner, how=how),
    )
    page = load_event_page(league.organiser, league.token)
    assert page is not None
    assert sorted(row.standing.points for row in page.table.rows) == points
    battle = Fixture.objects.get(pk=fixture.pk).battle
    assert battle is not None
    assert client.get(reverse("battle-record", args=[battle.token])).status_code == 302
    record = load_battle(player_of(fixture.one), battle.token)
    assert record is not None
    with pytest.raises(Refusal, match="Nothing is recorded"):
        append_events(player_of(fixture.one), battle.token, events=[{}])


@pytest.mark.django_db
def test_battle_by_itself_is_refused() -> None:
    draft = BattleDraft(SMALLEST, [QuickSide("North", 3), QuickSide("South", 3)])
    with pytest.raises(Refusal, match="cannot be recorded"):
        open_battle(make_person(), draft)
