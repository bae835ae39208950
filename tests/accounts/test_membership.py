"""Who belongs to a club, and as what: joining, leaving, roles, handing over.

A club always has an owner.
"""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from accounts.errors import NotAllowed, NotFound, Stale, UnknownCode
from accounts.models import Club, Membership, Role
from accounts.operations import clubs
from accounts.operations.clubs import (
    add_member,
    change_club,
    change_role,
    create_club,
    hand_over,
    join_club,
    leave_club,
    new_code,
    remove_member,
)
from accounts.operations.people import close_account
from accounts.owner import NOBODY, Owner
from accounts.queries import (
    clubs_joined,
    clubs_listed,
    load_club,
    load_club_of_code,
    load_member,
    load_members,
)
from engine.errors import Refusal
from tests.factories import make_club, make_person, make_user, make_warband

pytestmark = pytest.mark.django_db


class Quay:
    """A club with an owner, an organiser, two members, and a stranger outside, who has a club where
    some of these belong too.
    """

    def __init__(self) -> None:
        self.owner, self.organiser, self.member, self.mate, self.stranger = (
            make_person(user=make_user(name=name))
            for name in ("Olga", "Rik", "Mia", "Tom", "Sven")
        )
        self.club = make_club(
            owner=self.owner, members=[self.member, self.mate], name="The Quay"
        )
        add_member(self.club.pk, self.organiser.user_id or 0, Role.ORGANISER)
        self.slug = self.club.slug
        elsewhere = make_club(owner=self.stranger, members=[self.owner, self.member])
        add_member(elsewhere.pk, self.mate.user_id or 0, Role.ORGANISER)

    def id_of(self, person: Owner) -> int:
        return Membership.objects.get(club=self.club, user_id=person.user_id).pk

    def role_of(self, person: Owner) -> str:
        return next(
            iter(
                Membership.objects.filter(
                    club=self.club, user_id=person.user_id
                ).values_list("role", flat=True)
            ),
            "",
        )


@pytest.fixture
def quay() -> Quay:
    return Quay()


# Joining


def test_joining_by_code_makes_a_member_once(quay: Quay) -> None:
    code = quay.club.code
    club, is_new = join_club(quay.stranger, f" {code[:3].lower()} {code[3:]}")
    assert (club.slug, club.name, is_new) == (quay.slug, "The Quay", True)
    assert not join_club(quay.stranger, f"https://example.org/clubs/join/{code}/")[1]
    assert quay.role_of(quay.stranger) == Role.MEMBER
    join_club(quay.owner, code)
    assert quay.role_of(quay.owner) == Role.OWNER


def test_joining_takes_an_account_and_the_code_of_today(quay, monkeypatch):
    old = quay.club.code
    with pytest.raises(NotAllowed, match="Sign in"):
        join_club(NOBODY, old)
    fresh = new_code(quay.organiser, quay.slug)
    with pytest.raises(UnknownCode):
        join_club(quay.stranger, old)
    monkeypatch.setattr(clubs, "MEMBERS_MAX", 4)
    with pytest.raises(Refusal, match="the maximum"):
        join_club(quay.stranger, fresh)
    assert not join_club(quay.member, fresh)[1]


# Going


def test_who_leaves_takes_back_what_they_showed_the_club_alone(quay: Quay) -> None:
    shown, public, kept = (
        make_warband(
            actor=quay.member,
            visibility=visibility,
            club_id=quay.club.pk if visibility != "private" else None,
        )
        for visibility in ("club", "public", "private")
    )
    leave_club(quay.member, quay.slug)
    for warband in (shown, public, kept):
        warband.refresh_from_db()
    assert [(one.visibility, one.club_id) for one in (shown, public, kept)] == [
        ("private", None),
        ("public", None),
        ("private", None),
    ]
    assert (shown.version, kept.version) == (2, 1)
    assert load_club(quay.member, quay.slug) is None


@pytest.mark.parametrize("go", ["leave", "step down", "be removed", "close the account"])
def test_last_owner_hands_over_first(quay: Quay, go: str) -> None:
    me = quay.id_of(quay.owner)
    ways: dict[str, Callable[[], object]] = {
        "leave": lambda: leave_club(quay.owner, quay.slug),
        "step down": lambda: change_role(quay.owner, quay.slug, me, Role.MEMBER),
        "be removed": lambda: remove_member(quay.owner, quay.slug, me),
        "close the account": lambda: close_account(quay.owner.user_id or 0),
    }
    if go != "close the account":
        with pytest.raises(Refusal, match="Hand over the club first"):
            ways[go]()
        assert quay.role_of(quay.owner) == Role.OWNER
        change_role(quay.owner, quay.slug, quay.id_of(quay.member), Role.OWNER)
    ways[go]()
    assert Membership.objects.filter(club=quay.club, role=Role.OWNER).count() == 1
    assert quay.role_of(quay.owner) in ("", Role.MEMBER)


def test_who_is_alone_is_told_to_invite_somebody() -> None:
    owner = make_person()
    club = make_club(owner=owner)
    with pytest.raises(Refusal, match="no other member to hand it over to"):
        leave_club(owner, club.slug)


# Roles


def test_handing_over_makes_an_owner_and_an_organiser_at_once(quay: Quay) -> None:
    hand_over(quay.owner, quay.slug, quay.id_of(quay.member))
    assert (quay.role_of(quay.member), quay.role_of(quay.owner)) == (
        Role.OWNER,
        Role.ORGANISER,
    )
    with pytest.raises(Refusal, match="another member"):
        hand_over(quay.member, quay.slug, quay.id_of(quay.member))
    with pytest.raises(NotAllowed):
        hand_over(quay.owner, quay.slug, quay.id_of(quay.owner))


def test_roles_change_by_owners_and_to_roles_there_are(quay: Quay) -> None:
    change_role(quay.owner, quay.slug, quay.id_of(quay.member), "organiser")
    assert quay.role_of(quay.member) == Role.ORGANISER
    for role in ("", "king", "Owner", "\x00"):
        with pytest.raises(Refusal, match="owner, organiser, member"):
            change_role(quay.owner, quay.slug, quay.id_of(quay.member), role)
    other = make_club(owner=quay.owner)
    elsewhere = Membership.objects.get(club=other).pk
    with pytest.raises(NotFound):
        change_role(quay.owner, quay.slug, elsewhere, "member")


# Who may what: everything by everybody.
OWNERS, ORGANISERS, MEMBERS = (
    {"owner"}, {"owner", "organiser"}, {"owner", "organiser", "member"},
)  # fmt: skip
DOES: dict[str, tuple[set[str], Callable[[Quay, Owner], object]]] = {
    "change_club": (ORGANISERS, lambda q, who: change_club(who, q.slug, name="Mole")),
    "new_code": (ORGANISERS, lambda q, who: new_code(who, q.slug)),
    "remove a member": (
        ORGANISERS,
        lambda q, who: remove_member(who, q.slug, q.id_of(q.mate)),
    ),
    "remove an organiser": (
        OWNERS,
        lambda q, who: remove_member(who, q.slug, q.id_of(q.organiser)),
    ),
    "change_role": (
        OWNERS,
        lambda q, who: change_role(who, q.slug, q.id_of(q.mate), "organiser"),
    ),
    "hand_over": (OWNERS, lambda q, who: hand_over(who, q.slug, q.id_of(q.mate))),
    "leave": ({"organiser", "member"}, lambda q, who: leave_club(who, q.slug)),
}


@pytest.mark.parametrize("what", DOES)
@pytest.mark.parametrize("who", ["owner", "organiser", "member", "stranger", "nobody"])
def test_each_does_what_their_role_allows(quay: Quay, what: str, who: str) -> None:
    for_whom, do = DOES[what]
    actor = NOBODY if who == "nobody" else getattr(quay, who)
    is_own_going = (who, what) in {("organiser", "remove an organiser")}
    before = list(Membership.objects.values_list("pk", "role")), list(Club.objects.values())
    elsewhere = Club.objects.exclude(pk=quay.club.pk)
    others = Membership.objects.exclude(club=quay.club)
    there = list(elsewhere.values()), list(others.values())
    if who in for_whom or is_own_going:
        do(quay, actor)
        assert (list(elsewhere.values()), list(others.values())) == there
        assert (
            list(Membership.objects.values_list("pk", "role")),
            list(Club.objects.values()),
        ) != before
        return
    for is_listed, error in ((False, NotFound), (True, NotAllowed)):
        Club.objects.update(is_public=is_listed)
        refused = error if who not in MEMBERS else Refusal
        with pytest.raises(refused):
            do(quay, actor)
    Club.objects.update(is_public=False)
    assert (
        list(Membership.objects.values_list("pk", "role")),
        list(Club.objects.values()),
    ) == before


def test_organisers_remove_neither_organisers_nor_owners(quay: Quay) -> None:
    change_role(quay.owner, quay.slug, quay.id_of(quay.mate), Role.ORGANISER)
    for other in (quay.mate, quay.owner):
        with pytest.raises(NotAllowed, match="Only owners"):
            remove_member(quay.organiser, quay.slug, quay.id_of(other))
    remove_member(quay.organiser, quay.slug, quay.id_of(quay.organiser))


def test_unknown_club_is_not_found(quay: Quay) -> None:
    quay.slug = "none-such"
    for _, do in DOES.values():
        with pytest.raises(NotFound):
            do(quay, quay.owner)


def test_closing_leaves_a_club_with_another_owner_as_it_is(quay: Quay) -> None:
    change_role(quay.owner, quay.slug, quay.id_of(quay.member), Role.OWNER)
    Club.objects.update(is_public=True)
    close_account(quay.owner.user_id or 0)
    assert {quay.role_of(one) for one in (quay.organiser, quay.mate)} == {
        Role.ORGANISER,
        Role.MEMBER,
    }
    quay.club.refresh_from_db()
    assert quay.club.is_public


def test_closing_hands_on_to_who_has_been_there_longest(quay: Quay) -> None:
    change_role(quay.owner, quay.slug, quay.id_of(quay.organiser), Role.MEMBER)
    close_account(quay.owner.user_id or 0)
    roles = [quay.role_of(one) for one in (quay.member, quay.mate, quay.organiser)]
    assert roles == [Role.OWNER, Role.MEMBER, Role.MEMBER]


# What a club says


def test_change_club_keeps_what_is_not_given(quay: Quay) -> None:
    change_club(
        quay.organiser, quay.slug, description=" Wednesdays.\r\n\r\n\r\n\r\nBring dice. \n"
    )
    change_club(quay.organiser, quay.slug, is_public=True)
    quay.club.refresh_from_db()
    assert (quay.club.name, quay.club.description) == (
        "The Quay",
        "Wednesdays.\n\nBring dice.",
    )
    assert (quay.club.is_public, quay.club.slug) == (True, "the-quay")


def test_texts_that_cannot_be_shown_are_refused(quay: Quay) -> None:
    before = list(Club.objects.values())
    for name in ("", "\u200b", "x" * 81, "a\nb\x00"):
        with pytest.raises(Refusal, match="name"):
            change_club(quay.owner, quay.slug, name=name)
    for text in ("x" * 2001, "a\x00b", "a\u202eb", "\ud800", "e" + "\u0301" * 6):
        with pytest.raises(Refusal, match="Description"):
            change_club(quay.owner, quay.slug, description=text)
    assert list(Club.objects.values()) == before


def test_somebody_owns_so_many_clubs_and_no_more(quay, monkeypatch):
    # Those of others, and those one only belongs to, count for nothing.
    monkeypatch.setattr(clubs, "OWNED_MAX", 2)
    make_club(owner=quay.owner)
    with pytest.raises(Refusal, match="Hand one over"):
        make_club(owner=quay.owner)


@pytest.mark.parametrize("name", ["New", "Join", "新"])
def test_no_club_takes_the_address_of_a_page(name: str) -> None:
    assert make_club(name=name).slug not in ("new", "join", "")


def test_club_is_changed_as_it_was_seen_or_not_at_all(quay: Quay) -> None:
    seen = quay.club.text_hash
    change_club(quay.owner, quay.slug, expected=seen, description="Wednesdays.")
    with pytest.raises(Stale, match="not listed and says: “Wednesdays"):
        change_club(quay.owner, quay.slug, expected=seen, name="Mole")
    quay.club.refresh_from_db()
    assert (quay.club.name, quay.club.description) == ("The Quay", "Wednesdays.")


def test_address_that_was_asked_for_is_not_taken_twice(quay: Quay) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        create_club(name="Other", slug=quay.slug, owner_id=quay.owner.user_id or 0)


@pytest.mark.parametrize("taken, is_made", [(0, True), (4, True), (5, False)])
def test_address_somebody_else_took_meanwhile_is_tried_five_times(
    quay: Quay, monkeypatch: pytest.MonkeyPatch, taken: int, is_made: bool
) -> None:
    slugs = iter([*[quay.slug] * taken, *["free"] * 9])
    monkeypatch.setattr(clubs, "_free_slug", lambda name: next(slugs))
    if is_made:
        assert make_club(owner=quay.owner).slug == "free"
        return
    with pytest.raises(IntegrityError), transaction.atomic():
        make_club(owner=quay.owner)


# Reading


def test_code_is_shown_to_those_who_run_the_club(quay: Quay) -> None:
    shown = {
        who: load_club(getattr(quay, who), quay.slug)
        for who in ("owner", "organiser", "member", "stranger")
    }
    assert {who: club and bool(club.code) for who, club in shown.items()} == {
        "owner": True,
        "organiser": True,
        "member": False,
        "stranger": None,
    }
    invited = load_club_of_code(quay.stranger, quay.club.code)
    assert invited is not None
    assert (invited.name, invited.members, invited.role, invited.code) == (
        "The Quay", 4, "", "",
    )  # fmt: skip


def test_members_stand_by_role_and_to_members_alone(quay: Quay) -> None:
    rows = load_members(quay.member, quay.club.pk).rows
    assert [(row.name, row.role, row.is_me) for row in rows] == [
        ("Olga", "owner", False),
        ("Rik", "organiser", False),
        ("Mia", "member", True),
        ("Tom", "member", False),
    ]
    for outsider in (quay.stranger, NOBODY):
        assert load_members(outsider, quay.club.pk).rows == ()
        assert load_member(outsider, quay.club.pk, rows[0].id) is None


def test_lists_hold_ones_own_clubs_and_the_listed_ones(quay: Quay) -> None:
    listed = create_club(
        name="Harbour", owner_id=quay.stranger.user_id or 0, is_public=True
    )
    assert [
        (row.slug, row.members, row.role_label) for row in clubs_joined(quay.organiser)
    ] == [(quay.slug, 4, "Organiser")]
    for actor in (NOBODY, quay.member):
        assert [row.slug for row in clubs_listed(actor).rows] == [listed.slug]
    assert clubs_listed(NOBODY, search="arb").rows
    assert not clubs_listed(NOBODY, search="quay").rows
    create_club(name="Pier", owner_id=quay.stranger.user_id or 0, is_public=True)
    first = clubs_listed(NOBODY, per_page=1)
    assert ([row.name for row in first.rows], first.has_more) == (["Harbour"], True)
    assert [row.name for row in clubs_listed(NOBODY, page=2, per_page=1).rows] == ["Pier"]
