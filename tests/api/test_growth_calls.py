"""Each call of a growing campaign: reading, previews, versions, keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from campaigns.growth.queries.reports import difference_json, load_growth
from campaigns.models import ClubEvent, Fixture, GrowthRow
from campaigns.operations.entries import add_entry
from engine.growth.acts import AdjustExperienceAct
from engine.growth.campaign_fold import fold
from engine.growth.differences import difference
from tests.api.growth_programs import STATE_KEYS, Caller, Item, Programs
from tests.campaigns.growing import make_growing, roster

pytestmark = pytest.mark.django_db


# Reading


def test_a_campaign_is_read_now_and_as_it_was(programs: Programs) -> None:
    fixture = programs.fight()
    call = programs.ben
    told = call("GET", programs.growth)
    now = told.json()
    assert told.headers["ETag"] == f'"{programs.position}"'
    assert list(now) == ["position", "rules", "warbands", "open", "aside", "notes"]
    assert now["rules"] == {"id": "muster-campaign", "version": 1}
    ada, ben = now["warbands"]
    assert set(ada) >= STATE_KEYS
    assert call("GET", programs.own("Ada")).json() == ada
    dues = call("GET", programs.own("Ben", "dues/"))
    owed = dues.json()["results"]
    assert dues.headers["ETag"] == told.headers["ETag"]
    assert owed == [one for one in now["open"] if one["warband"] == ben["id"]]
    (injury,) = [one for one in owed if one["due"] == f"{fixture}/injury/w2"]
    assert {key: injury[key] for key in ("kind", "warrior", "round", "dice", "faces")} == {
        "kind": "injury",
        "warrior": "w2",
        "round": 1,
        "dice": "2D6",
        "faces": None,
    }
    (row,) = call("GET", programs.own("Ada", "ledger/")).json()["results"]
    assert (row["kind"], row["author"]) == ("found", "Olga")
    # Rules, two foundings, a battle.
    past = call("GET", f"{programs.growth}?at=2").json()
    assert (past["position"], [one["id"] for one in past["warbands"]]) == (2, [ada["id"]])
    assert past["open"] == []
    before = call("GET", f"{programs.growth}?at=3").json()["warbands"][0]
    assert before["warriors"]["w1"].get("experience", 0) == 0
    assert ada["warriors"]["w1"]["experience"] > 0
    assert call("GET", f"{programs.growth}?at=999").json() == now


@pytest.mark.parametrize("at", ["0", "-1", "x", "1.5", "9" * 10])
def test_what_is_no_position_is_refused(programs: Programs, at: str) -> None:
    told = programs.ada("GET", f"{programs.growth}?at={at}", status=400).json()
    assert told["errors"][0]["field"] == "at"


def test_a_stranger_finds_nothing(programs: Programs, caller: Caller) -> None:
    fixture = programs.fight()
    ClubEvent.objects.update(visibility="link")
    other = make_growing(players=2)
    call = caller(other.league.player("Ada"))
    # Whoever has the address reads what is shown by link, and changes nothing.
    call("GET", programs.growth)
    for part, sent in (
        ("answers/", {"answers": [{"due": f"{fixture}/income"}]}),
        ("acts/", {"kind": "recruit", "into": "w3"}),
        ("take-back/", {"due": f"{fixture}/income"}),
    ):
        call("POST", programs.own("Ben", part), sent, 403)
    ClubEvent.objects.update(visibility="club")
    for address in (programs.growth, programs.own("Ada"), programs.own("Ada", "dues/")):
        call("GET", address, status=404)
    call("POST", programs.own("Ben", "acts/"), {"kind": "recruit", "into": "w3"}, 404)
    # A warband of another campaign is not found in this one.
    strange = f"{programs.growth}warbands/{other.warbands['Ada']}/"
    programs.olga("GET", strange, status=404)
    programs.olga("POST", f"{strange}acts/", {"kind": "recruit", "into": "w3"}, 404)
    assert not GrowthRow.objects.filter(kind__in=("answer", "act", "take_back")).exists()


# What every change takes: a preview, a version, a key


def changes(programs: Programs, fixture: str) -> Iterator[tuple[str, str, Item, int]]:
    """A call of each kind with its body and its status, each possible after those before it."""
    event = programs.campaign.league.token
    guest = add_entry(programs.campaign.asked, name="Guest")
    founding = {"entry": guest, "roster": roster(name="Guest"), "late_rounds": 0}
    injury, income = f"{fixture}/injury/w2", f"{fixture}/income"
    answers = [{"due": injury, "faces": [1, 1]}, {"due": income, "faces": [4]}]
    ben = programs.own("Ben")
    changes = {"upkeep": {"each": 5}}
    yield "POST", f"{programs.growth}warbands/", founding, 201
    yield "POST", f"{ben}answers/", {"answers": answers}, 200
    yield "POST", f"{ben}acts/", {"kind": "buy", "for": "w1", "option": "physick"}, 201
    yield "POST", f"{ben}take-back/", {"due": income, "reason": "Misread."}, 200
    sent = {"changes": changes, "from": "start", "reason": "Too cheap."}
    yield "PATCH", f"events/{event}/growth/", sent, 200
    sent = {"rules": "muster-campaign", "from": "start", "reason": "As before."}
    yield "PUT", f"events/{event}/growth/", sent, 200
    entry = programs.campaign.league.entry("Ben").token
    corrected: Item = {
        "winner": None,
        "how": "drawn",
        "fates": {entry: []},
        "reason": "A draw.",
    }
    yield "POST", f"fixtures/{fixture}/result/", corrected, 200
    battle = Fixture.objects.select_related("battle").get(token=fixture).battle
    assert battle
    step = {"reason": "Never fought."}
    yield "POST", f"battles/{battle.token}/result/void/", step, 200
    yield "POST", f"battles/{battle.token}/result/restore/", step, 200


def test_each_change_does_what_its_preview_said_once_for_each_key(programs):
    fixture = programs.fight()
    for method, address, sent, status in changes(programs, fixture):
        before, rows = programs.campaign.ledger.state, GrowthRow.objects.count()
        key = f"{method} {address}"
        preview = programs.olga(
            method, f"{address}?preview=1", sent, status=status, If_Match="*"
        ).json()
        told = preview.get("growth") or preview["preview"]
        assert GrowthRow.objects.count() == rows, address
        assert not difference(before, programs.campaign.ledger.state)
        done = [
            programs.olga(
                method, address, sent, status, If_Match="*", Idempotency_Key=key
            ).json()
            for _ in range(2)
        ]
        assert done[0] == done[1], address
        moved = difference(before, programs.campaign.ledger.state)
        assert moved, address
        if "warbands/" in address and address.endswith("growth/warbands/"):
            # What is founded has its id once it is written.
            told["warbands"][0]["warband"] = done[0]["id"]
        assert told == difference_json(moved), address
        programs.olga(method, address, other(sent), 422, If_Match="*", Idempotency_Key=key)


def other(sent: Item) -> Item:
    if "entry" in sent:
        return {**sent, "late_rounds": 1}
    if "answers" in sent:
        return {"answers": sent["answers"][:1]}
    if "kind" in sent:
        return {**sent, "for": "w2"}
    if "due" in sent:
        return {**sent, "due": "advance/w1/1"}
    if "changes" in sent:
        return {**sent, "from": "now"}
    return {**sent, "from": "now"} if "rules" in sent else {**sent, "reason": "Otherwise."}


def test_each_change_fails_where_somebody_was_quicker(programs: Programs) -> None:
    fixture = programs.fight()
    seen = programs.olga("GET", programs.growth).headers["ETag"]
    programs.act(kind="recruit", into="w3")
    rows = GrowthRow.objects.count()
    calls = [one for one in changes(programs, fixture) if "/growth/" in one[1]]
    for method, address, sent, _ in calls:
        if method == "PUT":
            continue  # its version is the event's
        programs.olga(method, address, sent, 412, If_Match=seen)
        programs.olga(method, address, sent, 400, If_Match="3")
        if method == "POST":
            programs.olga(method, f"{address}?preview=1", sent, 412, If_Match=seen)
    game = programs.campaign.game("Ada", "Ben")
    programs.olga("POST", f"fixtures/{game}/field/", {}, 412, If_Match=seen)
    assert GrowthRow.objects.count() == rows
    # With the version of now each is done, and the next has another.
    sent = {"kind": "buy", "for": "w1", "option": "physick"}
    now = programs.olga("GET", programs.growth).headers["ETag"]
    programs.olga("POST", programs.own("Ben", "acts/"), sent, 201, If_Match=now)
    programs.olga("POST", programs.own("Ben", "acts/"), sent, 412, If_Match=now)
    programs.olga("POST", programs.own("Ben", "acts/"), sent, 201, If_Match="*")


def test_rules_need_the_version_of_the_event(programs: Programs) -> None:
    sent = {"rules": "muster-campaign", "from": "now", "reason": "Again."}
    programs.olga("PUT", programs.growth, sent, 428)
    address = f"events/{programs.campaign.league.token}/"
    seen = programs.olga("GET", address).headers["ETag"]
    programs.olga("PUT", programs.growth, sent, If_Match=seen)
    # Somebody else changed the rules while this page was open.
    programs.olga("PUT", programs.growth, sent, 412, If_Match=seen)


def test_a_preview_names_nobody_of_a_secret_roster(programs: Programs) -> None:
    fixture = programs.fight()
    league = programs.campaign.league
    moved = {"kind": "adjust", "who": "w1", "experience": 9, "reason": "Forgotten."}
    told = programs.olga("POST", f"{programs.own('Ada', 'acts/')}?preview=1", moved, 201)
    assert told.json()["preview"]["warbands"][0]["warriors"]
    ClubEvent.objects.filter(token=league.token).update(is_secret=True, needs_list=True)
    # A ransom or a bonus moves the other side too: what moves there is told to its player.
    state = programs.campaign.ledger.state
    after = programs.campaign.ledger.log.with_entries(
        AdjustExperienceAct(99, programs.campaign.warbands["Ada"], "w1", 9)
    )
    for name, reads in (("Ben", False), ("Ada", True)):
        shown = load_growth(league.player(name), league.token)
        change = shown.change_json(difference(state, fold(after)))
        assert bool(change["warbands"]) is reads
    sent = {"answers": [{"due": f"{fixture}/injury/w2", "faces": [1, 1]}]}
    address = f"{programs.own('Ben', 'answers/')}?preview=1"
    told = programs.ben("POST", address, sent).json()["preview"]
    assert {one["warband"] for one in told["warbands"]} == {
        programs.campaign.warbands["Ben"]
    }
    assert told["warbands"][0]["warriors"]
