"""Each limit of the site, met below, at and above it: where a comparison is off by one, a test here
fails.
"""

import hashlib
from collections.abc import Iterable
from types import ModuleType

import pytest
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings

from campaigns.operations.fixtures import swap_entries
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.round_robin import plan_rounds
from campaigns.operations.rounds import RoundDraft, add_round
from config import env
from config.middleware import RequestLimitsMiddleware
from config.ui.figures import measure, points_words
from engine.roster import MAX_COUNT
from rulesdata.operations import packs as loader
from tests.campaigns.leagues import make_league
from tests.factories import (
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.guards import (
    limits,
    limits_of_battles,
    limits_of_campaigns,
    limits_of_files,
    limits_of_lists,
    limits_of_requests,
)
from tests.guards.limits import Key, all_limits, compared_limits, product_modules
from warbands.models import Warband
from warbands.operations import warriors
from warbands.operations.transaction import WriteContext

pytestmark = pytest.mark.both_databases
ROWS = (
    *limits_of_battles.ROWS, *limits_of_campaigns.ROWS, *limits_of_files.ROWS,
    *limits_of_lists.ROWS, *limits_of_requests.ROWS,
)  # fmt: skip


def counts_of(warband: Warband) -> list[int]:
    return [entry.count for entry in record_of(warband).roster.warriors]


# Limits that are constants, by the table


def names_of(keys: Iterable[Key]) -> list[str]:
    return sorted(f"{name} = {value}" for name, value in keys)


def test_every_limit_that_is_compared_has_a_row() -> None:
    found, rows = compared_limits(), {(row.name, row.value) for row in ROWS}
    assert len(found) > 40
    assert names_of(found - rows) == []


def test_every_row_has_its_limit() -> None:
    assert names_of({(row.name, row.value) for row in ROWS} - all_limits()) == []
    assert len({(row.name, row.value) for row in ROWS}) == len(ROWS)


def test_a_limit_without_a_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    new = ModuleType("new")
    monkeypatch.setattr(limits, "product_modules", lambda: (new,))
    monkeypatch.setattr(
        limits, "text_of", lambda module: "if len(found) > new.FOUND_MAX: pass"
    )
    assert compared_limits() == set()
    vars(new)["FOUND_MAX"] = 3
    assert all_limits() == compared_limits() == {("FOUND_MAX", 3)}


@pytest.mark.django_db
@pytest.mark.parametrize("beyond", [-1, 0, 1])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.value}")
def test_limit_is_met_below_at_and_above(row, beyond, monkeypatch):
    if row.lowered:
        for module in product_modules():
            if vars(module).get(row.name) == row.value:
                monkeypatch.setattr(module, row.name, row.lowered)
    assert row.takes(row.size + beyond) == (beyond >= 0 if row.is_least else beyond <= 0)


# Limits that are no constant, or that a constant sets in one place and a comparison meets in
# another


@pytest.mark.django_db
@pytest.mark.parametrize(
    "more,counts", [(49, [MAX_COUNT - 1]), (50, [MAX_COUNT]), (51, [MAX_COUNT - 50, 51])]
)
def test_troops_join_an_entry_until_it_is_full(more: int, counts: list[int]) -> None:
    warband = make_warband()
    make_warrior(warband=warband, count=MAX_COUNT - 50)
    make_warrior(warband=warband, count=more, joins=True)
    assert counts_of(warband) == counts


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 2, 5])
def test_rest_of_a_split_leader_has_no_note_and_no_name(count: int) -> None:
    warband = make_warband()
    leader = make_warrior(
        warband=warband, profile="captain", options=["halberd"], is_leader=True
    )
    warriors.change_warrior(
        WriteContext(owner_of(warband), warband.token),
        leader.pk,
        name="Ada",
        note="limps",
        count=count,
    )
    found = [
        (entry.count, entry.is_leader, entry.name, entry.note, entry.options)
        for entry in record_of(warband).roster.warriors
    ]
    one = (1, True, "Ada", "limps", ("halberd",))
    rest = (count - 1, False, "", "", ("halberd",))
    assert found == ([one] if count == 1 else [one, rest])


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["swiss", "robin"])
def test_swap_is_kept_when_drawn_again_but_for_a_round_robin(method: str) -> None:
    league = make_league(players=4, method=method)
    if method == "robin":
        plan_rounds(ChangeRequest(league.organiser, league.token), seed="s")
    else:
        number = add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
        draw_round(ChangeRequest(league.organiser, league.token), number, seed="s")
    first, second = league.fixtures(1)
    assert first.other is not None
    assert second.other is not None
    swap_entries(
        ChangeRequest(league.organiser, league.token),
        1,
        first.one.token,
        second.other.token,
    )
    assert [row.one for row in league.fixtures(1)] == [second.other, second.one]
    assert [row.is_kept for row in league.fixtures(1)] == [method == "swiss"] * 2


def test_hash_of_a_pack_changes_with_the_format_of_its_rows(tmp_path, monkeypatch):
    # Folders beside a pack count too, so it stands alone.
    folder = tmp_path / "systems" / "pack"
    folder.mkdir(parents=True)
    (folder / "pack.yaml").write_text("id: x\n")
    for version in ("1", "2"):
        monkeypatch.setattr(loader, "FORMAT", version)
        text = f"{version}\0pack/pack.yaml\0id: x\n"
        assert loader.pack_hash(folder) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "value,is_refused", [("2", True), ("3", False), ("5", False), ("6", True)]
)
def test_setting_takes_its_lowest_and_highest_value(monkeypatch, value, is_refused):
    monkeypatch.setenv("LIMIT_OF_A_TEST", value)
    if is_refused:
        with pytest.raises(SystemExit):
            env.whole("LIMIT_OF_A_TEST", 4, low=3, high=5)
    else:
        assert env.whole("LIMIT_OF_A_TEST", 4, low=3, high=5) == int(value)


@override_settings(REQUEST_MAX_BYTES=100)
@pytest.mark.parametrize(
    "length,is_refused", [("99", False), ("100", False), ("101", True)]
)
def test_request_of_exactly_the_limit_is_taken(length: str, is_refused: bool) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse("taken")

    request = RequestFactory().generic("POST", "/", CONTENT_LENGTH=length)
    if is_refused:
        with pytest.raises(RequestDataTooBig, match="at most 100 bytes"):
            RequestLimitsMiddleware(answer)(request)
    else:
        assert RequestLimitsMiddleware(answer)(request).content == b"taken"


@pytest.mark.parametrize("used,over", [(149, "0.00%"), (150, "0.00%"), (151, "0.62%")])
def test_ruler_grows_only_past_its_limit(used: int, over: str) -> None:
    ruler = measure(used, 150)
    assert ruler["over"] == over
    assert (ruler["limit"] == "100.00%") == (used <= 150)


def test_ruler_of_an_odd_limit_spent_exactly_ends_there() -> None:
    ruler = measure(155, 155)
    assert (ruler["used"], ruler["limit"], ruler["over"]) == ("100.00%", "100.00%", "0.00%")
    words = [points_words(used=used, limit=155) for used in (154, 155, 156)]
    assert words == ["1 pt available", "all points spent", "1 pt too many"]
