"""Who may read, record and decide about a battle: a story of two players, a helper with the key,
and onlookers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db.models import Q

from accounts.access import is_club_member, owned_by
from accounts.errors import NotAllowed, NotFound
from accounts.models import Role
from accounts.operations.clubs import add_member
from accounts.owner import NOBODY, Owner
from battles import access
from battles.models import Battle
from battles.queries.battles import load_battle, load_events, load_state, tokens_of_key
from battles.queries.index import club_battles, own_battles, public_battles
from tests.battles.steps import (
    append_events,
    change_visibility,
    new_key,
    preview_consequences,
    propose_result,
)
from tests.factories import (
    battle_record,
    make_battle,
    make_club,
    make_duel,
    make_event,
    make_owner,
    make_person,
)

pytestmark = pytest.mark.django_db

VISIBILITIES = ("private", "link", "public")
CAST = ("ada", "ben", "helper", "organiser", "mate", "stranger", "visitor", "nobody")
# Ada set it up, Ben owns the other side, the helper was given the key; the organiser and the mate
# are of its club.
TAKE_PART = {"ada", "ben"}
RECORD = {"ada", "ben", "helper"}
READ = {"private": RECORD | {"organiser"}, "link": set(CAST), "public": set(CAST)}
LISTED = {"private": TAKE_PART, "link": TAKE_PART, "public": set(CAST)}


@dataclass(frozen=True)
class Somebody:
    name: str
    actor: Owner
    key: str = ""


@dataclass(frozen=True)
class Story:
    battle: Battle
    cast: dict[str, Somebody]

    def everybody(self) -> Iterator[tuple[str, Owner, str]]:
        for name in CAST:
            yield name, self.cast[name].actor, self.cast[name].key


def tell(visibility: str, **fields: Any) -> Story:
    people = {
        name: make_person() for name in ("ada", "ben", "organiser", "mate", "stranger")
    }
    club = make_club(members=[people["ada"], people["mate"]])
    add_member(club.pk, people["organiser"].user_id or 0, Role.ORGANISER)
    battle = make_duel(
        ada=people["ada"],
        ben=people["ben"],
        visibility=visibility,
        club_id=club.pk,
        **fields,
    )
    cast = {name: Somebody(name, actor) for name, actor in people.items()}
    cast["helper"] = Somebody("helper", NOBODY, battle.key)
    cast["visitor"] = Somebody("visitor", make_owner(), "CDFGHJKMNPQR")
    cast["nobody"] = Somebody("nobody", NOBODY)
    return Story(battle, cast)


@pytest.fixture(params=VISIBILITIES)
def story(request: pytest.FixtureRequest) -> Story:
    return tell(request.param)


def holds(battle: Battle, rule: Q) -> bool:
    return Battle.objects.filter(rule, pk=battle.pk).exists()


def test_each_rule_says_the_same_as_filter_and_as_yes_or_no(story: Story) -> None:
    battle, sides = story.battle, list(story.battle.sides.all())
    seen = READ[battle.visibility]
    for name, actor, key in story.everybody():
        assert access.may_see(actor, battle, sides, key) is holds(
            battle, access.readable_by(actor, key)
        ), name
        assert access.may_see(actor, battle, sides, key) is (name in seen), name
        assert access.may_record(actor, battle, sides, key) is holds(
            battle, access.taken_part_by(actor) | access.keyed_by(key)
        ), name
        assert access.may_record(actor, battle, sides, key) is (name in RECORD), name
        assert access.takes_part(actor, battle, sides) is holds(
            battle, access.taken_part_by(actor)
        ), name
        assert access.takes_part(actor, battle, sides) is (name in TAKE_PART), name
        assert holds(battle, access.listed_to(actor)) is (
            name in LISTED[battle.visibility]
        ), name
        assert (
            access.is_keeper(actor, battle, key)
            is holds(battle, owned_by(actor))
            is (name == "ada")
        ), name
        assert access.may_organise(actor, battle, key) is (name == "organiser"), name


def test_readers_open_those_they_may(story: Story) -> None:
    token, seen = story.battle.token, READ[story.battle.visibility]
    for name, actor, key in story.everybody():
        record = load_battle(actor, token, key)
        assert (record is not None) is (name in seen), name
        assert (load_events(actor, token, key) is not None) is (name in seen), name
        assert (load_state(actor, token, key) is not None) is (name in seen), name
        if record:
            assert (record.may_record, record.key) == (
                name in RECORD,
                story.battle.key if name in RECORD else "",
            ), name
            assert record.may_share is (name == "ada"), name


def test_events_are_taken_from_those_who_record(story: Story) -> None:
    token, seen = story.battle.token, READ[story.battle.visibility]
    for number, (name, actor, key) in enumerate(story.everybody(), 1):
        if name in RECORD:
            done = append_events(actor, token, key, [make_event(seq=number)])
            assert done.answers[0].outcome == "accepted", name
        else:
            with pytest.raises(NotAllowed if name in seen else NotFound):
                append_events(actor, token, key, [make_event(seq=number)])
    assert story.battle.events.count() == len(RECORD)


def test_results_are_told_by_those_who_take_part_and_by_the_organiser(story: Story) -> None:
    token, seen = story.battle.token, READ[story.battle.visibility]
    for name, actor, key in story.everybody():
        if name not in RECORD | {"organiser"}:
            with pytest.raises(NotAllowed if name in seen else NotFound):
                propose_result(actor, token, key, winner="a", how="conceded")
            with pytest.raises(NotAllowed if name in seen else NotFound):
                preview_consequences(
                    actor, token, key, verb="propose", winner="a", how="conceded"
                )
    assert story.battle.results.count() == 0
    referee = story.cast["organiser"].actor
    assert propose_result(referee, token, winner="a", how="conceded").status == "confirmed"


def test_only_whoever_set_it_up_shares_it(story: Story) -> None:
    token, seen = story.battle.token, READ[story.battle.visibility]
    for name, actor, key in story.everybody():
        if name != "ada":
            for call, wanted in (
                (change_visibility, {"visibility": "public"}),
                (new_key, {}),
            ):
                with pytest.raises(NotAllowed if name in seen else NotFound):
                    call(actor, token, key, **wanted)
    ada = story.cast["ada"].actor
    assert change_visibility(ada, token, visibility="public") == "public"
    key = new_key(ada, token)
    assert key != story.battle.key
    with pytest.raises(NotAllowed):
        append_events(NOBODY, token, story.battle.key, [make_event()])
    assert (
        append_events(NOBODY, token, key, [make_event()]).answers[0].outcome == "accepted"
    )


def test_lists_name_only_what_they_may(story: Story) -> None:
    token, visibility = story.battle.token, story.battle.visibility
    for name, actor, _ in story.everybody():
        mine = [row.token for row in own_battles(actor).rows]
        assert mine == ([token] if name in TAKE_PART else []), name
        everybody = [row.token for row in public_battles(actor).rows]
        assert everybody == ([token] if visibility == "public" else []), name
        club = story.battle.club_id or 0
        is_member = name in {"ada", "organiser", "mate"}
        assert is_club_member(actor, club) is is_member
        in_club = [row.token for row in club_battles(actor, club, is_member=is_member).rows]
        assert in_club == (
            [token]
            if visibility == "public" or (is_member and visibility == "link")
            else []
        ), name


def test_voices_are_those_of_ones_own_side_and_of_sides_without_anybody() -> None:
    story = tell("link")
    battle, sides = story.battle, list(story.battle.sides.all())
    voices = {
        name: access.sides_spoken_for(actor, battle, sides, key)
        for name, actor, key in story.everybody()
    }
    assert voices == {**dict.fromkeys(CAST, ()), "ada": ("a",), "ben": ("b",)}
    quick = make_battle(actor=story.cast["ada"].actor)
    sides = list(quick.sides.all())
    assert access.sides_spoken_for(story.cast["ada"].actor, quick, sides) == ("a", "b")
    assert access.sides_spoken_for(NOBODY, quick, sides, quick.key) == ("b",)
    assert access.sides_spoken_for(story.cast["ben"].actor, quick, sides) == ()


def test_battle_of_nobody_is_kept_by_its_key() -> None:
    from battles.operations.sides import QuickSide

    battle = make_battle(actor=NOBODY, sides=(QuickSide("One", 3), QuickSide("Two", 3)))
    sides = list(battle.sides.all())
    assert access.is_keeper(NOBODY, battle, battle.key)
    assert access.may_organise(NOBODY, battle, battle.key)
    assert not access.is_keeper(make_person(), battle)
    assert access.sides_spoken_for(NOBODY, battle, sides, battle.key) == ("a", "b")
    assert new_key(NOBODY, battle.token, battle.key) != battle.key


def test_what_cannot_be_a_key_opens_nothing() -> None:
    battle = make_duel(visibility="private")
    wrong = ("", " ", "cdfghjkmnpqr", "CDFGHJKMNPQ", "CDFGHJKMNPQRR", "ÄDFGHJKMNPQR")
    for key in (*wrong, "\x00" * 12):
        assert load_battle(NOBODY, battle.token, key) is None
        assert battle.token not in tokens_of_key(key)
        with pytest.raises(NotFound):
            append_events(NOBODY, battle.token, key, [make_event()])


def test_what_cannot_be_a_battle_is_not_there() -> None:
    ada = make_person()
    for token in ("", "x", "ä" * 16, "\x00" * 16, "a" * 41, "' OR 1=1 --"):
        assert load_battle(ada, token) is None
        assert load_events(ada, token) is None
        assert load_state(ada, token) is None
        with pytest.raises(NotFound):
            append_events(ada, token)
        with pytest.raises(NotFound):
            preview_consequences(ada, token, verb="void", reason="-")


def test_leaving_the_organisers_closes_the_door() -> None:
    story = tell("private")
    organiser = story.cast["organiser"].actor
    story.battle.club.memberships.filter(user_id=organiser.user_id).update(role=Role.MEMBER)
    assert load_battle(organiser, story.battle.token) is None


def test_record_hides_the_address_of_rosters_that_are_not_the_readers() -> None:
    story = tell("public")
    by_name = {
        name: [
            side.warband for side in battle_record(story.battle, actor=actor, key=key).sides
        ]
        for name, actor, key in story.everybody()
    }
    tokens = [
        side.warband.token
        for side in story.battle.sides.order_by("position")
        if side.warband
    ]
    assert by_name["ada"] == by_name["ben"] == tokens
    assert [by_name[name] for name in ("helper", "stranger", "nobody", "mate")] == [
        ["", ""]
    ] * 4
