"""The battle that is set up for a game, and what the event's log and its players are told of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal, WrongState
from accounts.models import Membership, Role
from accounts.operations.clubs import add_member
from accounts.owner import NOBODY
from battles import access
from battles.models import Battle, Confirmation, Snapshot
from battles.queries.battles import load_battle, load_state
from battles.queries.index import club_battles, public_battles
from campaigns.models import ClubEvent, Entry, EventLog, Round, RoundStatus
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import drop_entry
from campaigns.operations.fixtures import remove_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import accept_round, open_fixture
from campaigns.operations.round_lists import hand_in_list
from notices.models import Notice
from tests.battles.steps import (
    append_events,
    change_visibility,
    confirm_result,
    dispute_result,
    propose_result,
)
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import fresh, put_up, report
from tests.factories import make_duel, make_legal_warband, make_person, make_warband
from tests.factories import make_event as make_battle_event
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Two members, and two guests who bring a warband of the organiser, the same one."""
    made = make_league(players=2, guests=2, with_warbands=True)
    warband = make_legal_warband(actor=made.organiser, name="Hirelings")
    Entry.objects.filter(event=made.event, user=None).update(warband=warband)
    return made


def asked(league: League, reason: str = "It was so.") -> ChangeRequest:
    return league.ask(reason=reason)


def sides(league: League, *names: str, **columns: Any) -> list[tuple[str, int, int | None]]:
    """The name, size and owner of each side of a battle that is set up now."""
    [game] = put_up(league, 1, [names], **columns)
    battle = Battle.objects.get(token=open_fixture(asked(league), game.token))
    rows = battle.sides.order_by("position")
    return [(one.name, one.size, one.owner_id) for one in rows]


def told(kind: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in Notice.objects.filter(kind=kind).order_by("pk"):
        found.setdefault(row.user.name, []).append(row.words)
    return found


# Sides


def test_sides_are_what_entries_bring_and_belong_to_their_players(league: League) -> None:
    ada = league.player("Ada").user_id
    values = sides(league, "Ada", "Guest 1")
    assert values == [("Unnamed warband", 8, ada), ("Hirelings", 8, None)]


def test_one_warband_stands_on_one_side(league: League) -> None:
    assert sides(league, "Guest 1", "Guest 2", "Ben") == [
        ("Hirelings", 8, None),
        ("Guest 2", 10, None),
        ("Unnamed warband", 8, league.player("Ben").user_id),
    ]


def test_one_list_stands_on_one_side(league: League) -> None:
    Round.objects.create(event=league.event, number=1)
    hirelings = Warband.objects.get(name="Hirelings").token
    for name in ("Guest 1", "Guest 2"):
        entry = league.entry(name).token
        hand_in_list(asked(league), 1, hirelings, entry=entry)
    values = [one[:2] for one in sides(league, "Guest 1", "Guest 2")]
    assert values == [("Hirelings", 8), ("Guest 2", 10)]


def test_what_cannot_be_fielded_is_a_quick_side(league: League) -> None:
    ada, ben = league.player("Ada"), league.player("Ben")
    own = league.entry("Ada").warband
    assert own is not None
    archive_warband(WriteContext(ada, own.token))
    empty = make_warband(actor=ben)
    Entry.objects.filter(pk=league.entry("Ben").pk).update(warband=empty)
    found = [one[:2] for one in sides(league, "Ada", "Ben")]
    assert found == [("Ada", 10), ("Ben", 10)]


def test_warband_of_another_system_is_a_quick_side(league: League) -> None:
    other = make_legal_warband(actor=league.player("Ada"))
    Warband.objects.filter(pk=other.pk).update(system="mordheim-draft", army="nobody")
    Entry.objects.filter(pk=league.entry("Ada").pk).update(warband=other)
    values = [one[:2] for one in sides(league, "Ada", "Guest 1")]
    assert values == [("Ada", 10), ("Hirelings", 8)]


def test_list_that_is_read_no_more_gives_way_to_the_warband(league: League) -> None:
    Round.objects.create(event=league.event, number=1)
    ada = league.player("Ada")
    listed = make_legal_warband(actor=ada, name="Listed")
    hand_in_list(ChangeRequest(ada, league.token), 1, listed.token)
    Snapshot.objects.update(document={"format": "older"})
    values = [one[:2] for one in sides(league, "Ada", "Ben")]
    assert values == [("Unnamed warband (1)", 8), ("Unnamed warband (2)", 8)]


def test_game_whose_battle_is_set_up_stays_as_it_is_when_a_player_drops_out() -> None:
    league = make_league(players=4)
    opened, other = put_up(league, 1, [("Ada", "Ben"), ("Ada", "Cleo")])
    open_fixture(asked(league), opened.token)
    drop_entry(asked(league), league.entry("Ada").token)
    values = [fresh(one).reason for one in (opened, other)]
    assert values == ["", "Ada dropped out before this was played."]


def test_battle_of_a_system_that_is_gone_is_refused(pair: League) -> None:
    [game] = put_up(pair, 1, [("Ada", "Ben")])
    type(pair.event).objects.filter(pk=pair.event.pk).update(system="gone")
    with pytest.raises(Refusal) as refused:
        open_fixture(asked(pair), game.token)
    assert refused.value.field == "system"
    assert not Battle.objects.exists()


@pytest.mark.parametrize("days, later", [(-3, 0), (0, 0), (3, 3)])
def test_day_of_a_battle_is_the_one_agreed_on_but_none_to_come(league, days, later):
    at = timezone.now() + timedelta(days=days)
    sides(league, "Ada", "Ben", plays_at=at)
    wanted = timezone.localtime(at).date() - timedelta(days=later)
    assert Battle.objects.get().fought_date == wanted


# The log


def test_log_says_who_told_a_result_and_why(league: League) -> None:
    [game] = put_up(league, 1, [("Ada", "Ben")])
    ada, ben = league.player("Ada"), league.player("Ben")
    battle = report(league, game, "Ada", by=ada).battle
    dispute_result(ben, battle, reason="No.")
    report(league, game, "", reason="Both say so.")
    lines = EventLog.objects.filter(subject=game.token).order_by("pk")
    assert [(one.verb, one.author_id, one.reason) for one in lines] == [
        ("result_propose", ada.user_id, ""),
        ("result_dispute", ben.user_id, "No."),
        ("result_correct", league.organiser.user_id, "Both say so."),
    ]
    changes = [one.changes for one in lines]
    assert changes[0] == {"winner": "a", "how": "conceded", "status": "proposed"}
    assert changes[1] == {}


def test_log_says_that_silence_confirmed(league: League) -> None:
    [game] = put_up(league, 1, [("Ada", "Ben")])
    ada, ben = league.player("Ada"), league.player("Ben")
    battle = report(league, game, "Ada", by=ada).battle
    Battle.objects.update(confirm_by=timezone.now() - timedelta(minutes=1))
    Notice.objects.all().delete()
    with pytest.raises(WrongState, match="no result to confirm"):
        confirm_result(ben, battle)
    accept_round(asked(league), 1)
    line = EventLog.objects.filter(subject=game.token).order_by("pk")[1]
    assert (line.verb, line.author_id, line.reason) == ("result_confirm", None, "")
    assert not Notice.objects.exists()


# Notices


@pytest.mark.parametrize("confirmation, words", [
    (Confirmation.PLAYERS, "Confirm or dispute it by "),
    (Confirmation.REPORTS, "If it is wrong, dispute it by "),
    (Confirmation.ORGANISER, "Dispute it if it is wrong; otherwise an organiser"),
])  # fmt: skip
def test_report_says_what_the_opponent_can_do(confirmation: str, words: str) -> None:
    league = make_league(players=2, confirmation=confirmation)
    [game] = put_up(league, 1, [("Ada", "Ben")])
    lost = {league.entry("Ada").token: {"out": 2}, league.entry("Ben").token: {"out": 0}}
    Notice.objects.all().delete()
    report(league, game, "Ada", by=league.player("Ada"), figures=lost)
    [notice] = told("result_propose")["Ben"]
    head = (
        "Autumn league, Ada against Ben: Ada reported: Ada won, conceded, models lost: "
        f"Ada 2, Ben 0. {words}"
    )
    assert notice.startswith(head)
    assert list(told("result_propose")) == ["Ben"]


def test_battle_without_an_event_names_its_sides(pair: League) -> None:
    ada, ben = pair.player("Ada"), pair.player("Ben")
    make_duel()
    battle = make_duel(ada=ada, ben=ben)
    Notice.objects.all().delete()
    propose_result(ada, battle.token, winner="a", how="conceded")
    [words] = told("result_propose")["Ben"]
    assert words.startswith("Your battle: Ada reported: The Ferrymen won, conceded. ")
    dispute_result(ben, battle.token, reason="No", winner="b", how="conceded")
    assert list(told("result_dispute")) == ["Ada"]
    path = Notice.objects.get(kind="result_dispute").path
    assert path.endswith(f"/{battle.token}/")


def test_decision_and_its_end_are_told_with_their_reasons(league: League) -> None:
    [game] = put_up(league, 1, [("Ada", "Guest 1")])
    Notice.objects.all().delete()
    decide_fixture(asked(league, "Snow!"), game.token, decision="unplayed")
    decide_fixture(asked(league, "It thawed"), game.token, decision="")
    [decided, reversed_] = told("decided")["Ada"]
    assert decided.endswith("Snow!")
    assert reversed_.endswith("It thawed.")
    assert fresh(game).decision == ""


def test_game_that_is_cancelled_is_told_once_it_was_published(league: League) -> None:
    first, second = put_up(league, 1, [("Ada", "Guest 1"), ("Ben", "Guest 2")])
    Notice.objects.all().delete()
    remove_fixture(asked(league, "Snow"), first.token)
    league.event.rounds.update(status=RoundStatus.DRAFT)
    remove_fixture(asked(league), second.token)
    [words] = told("round").pop("Ada")
    assert words.endswith("Snow.")
    assert list(told("round")) == ["Ada"]


# Who sees it

PARTIES = {"Ada", "Ben", "organiser", "helper"}
CLUB = PARTIES | {"Cleo", "mate"}
EVERYBODY = CLUB | {"stranger", "nobody"}


@pytest.mark.parametrize("visibility, of_battle, seen, listed", [
    ("club", "private", PARTIES, {"Ada", "Ben"}),
    ("club", "link", CLUB, {"Ada", "Ben"}),
    ("club", "public", CLUB, CLUB - {"helper"}),
    ("link", "private", PARTIES, {"Ada", "Ben"}),
    ("link", "link", EVERYBODY, {"Ada", "Ben"}),
    ("public", "link", EVERYBODY, {"Ada", "Ben"}),
    ("public", "public", EVERYBODY, EVERYBODY),
])  # fmt: skip
def test_event_says_who_sees_its_battles(visibility, of_battle, seen, listed):
    league = make_league(players=3, visibility="public")
    [game] = put_up(league, 1, [("Ada", "Ben")])
    ada = league.player("Ada")
    token = open_fixture(ChangeRequest(ada, league.token), game.token)
    battle = Battle.objects.get(token=token)
    if of_battle != battle.visibility:
        change_visibility(ada, token, visibility=of_battle)
    # Cleo plays in the event and is of its club no more; the mate is of the club alone.
    cleo, mate = league.player("Cleo"), make_person()
    Membership.objects.filter(user=cleo.user_id).delete()
    add_member(league.club.pk, mate.user_id or 0, Role.MEMBER)
    ClubEvent.objects.update(visibility=visibility)
    cast = {name: (league.player(name), "") for name in ("Ada", "Ben")}
    cast |= {"Cleo": (cleo, ""), "mate": (mate, ""), "stranger": (make_person(), "")}
    cast |= {"organiser": (league.organiser, ""), "nobody": (NOBODY, "")}
    cast["helper"] = (NOBODY, battle.key)
    battle.refresh_from_db()
    own = list(battle.sides.all())
    rows = Battle.objects.filter(pk=battle.pk)
    for name, (actor, key) in cast.items():
        is_seen = access.may_see(actor, battle, own, key)
        assert is_seen is rows.filter(access.readable_by(actor, key)).exists(), name
        assert is_seen is (name in seen), name
        assert rows.filter(access.listed_to(actor)).exists() is (name in listed), name
        assert (load_battle(actor, token, key) is not None) is is_seen, name
        assert (load_state(actor, token, key) is not None) is is_seen, name
        missing = NotFound if not is_seen else NotAllowed
        if name not in PARTIES - {"organiser"}:
            with pytest.raises(missing):
                append_events(actor, token, key, [make_battle_event()])
    # What a player chose is not overwritten, whatever the event says.
    assert battle.visibility == of_battle


def test_lists_of_battles_ask_the_event(pair: League) -> None:
    [game] = put_up(pair, 1, [("Ada", "Ben")])
    open_fixture(pair.by("Ada"), game.token)
    Battle.objects.update(visibility="public")
    stranger, club = make_person(), pair.club.pk

    def listed() -> tuple[int, int]:
        return (
            len(public_battles(stranger).rows),
            len(club_battles(stranger, club, is_member=False).rows),
        )

    assert listed() == (0, 0)
    ClubEvent.objects.update(visibility="link")
    assert listed() == (1, 1)
