"""Clubs and who belongs to them: lists, one club, its members. A fixed number of queries each."""

from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.access import ORGANISING, clubs_joined_by, clubs_visible_to, joined_club_ids
from accounts.models import Club, Membership, OneTimeLink, Role, User
from accounts.owner import Owner
from accounts.pagination import RowsPage, load_page
from accounts.signals import account_closing_asked
from accounts.tokens import hash_token
from engine.records import Fields, Texts, copy_fields, frozen_dataclass

PER_PAGE = 20
MEMBERS_PER_PAGE = 50
NO_CLUBS = Q(pk__in=())
RANKS = {Role.OWNER: 0, Role.ORGANISER: 1, Role.MEMBER: 2}


class Ranked:
    """What a role in a club allows; "" is no role."""

    role: str

    @property
    def role_label(self) -> str:
        return str(Role(self.role).label) if self.role else ""

    @property
    def is_member(self) -> bool:
        return bool(self.role)

    @property
    def is_organiser(self) -> bool:
        """True for owners and organisers."""
        return self.role in ORGANISING

    @property
    def is_owner(self) -> bool:
        return self.role == Role.OWNER


@frozen_dataclass
class ClubOfPerson(Ranked):
    """One club somebody belongs to, with their role in it."""

    id: int
    name: str
    slug: str
    code: str
    role: str
    joined_at: datetime


@frozen_dataclass
class ClubRecord(Ranked):
    """One club as this actor sees it.

    ``code`` is "" for those who do not run it, ``role`` for those outside.

    ``text_hash`` changes with what the club says about itself.
    """

    id: int
    name: str
    slug: str
    description: str
    is_public: bool
    created_at: datetime
    members: int
    role: str
    code: str
    text_hash: str

    @property
    def summary(self) -> str:
        """The first line of what it says about itself, for lists."""
        return self.description.partition("\n")[0]


@frozen_dataclass
class ClubMember(Ranked):
    """Somebody in a club.

    ``id`` is that of their membership, which the operations take; ``user_id`` the person's.
    """

    id: int
    user_id: int
    name: str
    role: str
    joined_at: datetime
    is_me: bool


# Lists


def load_clubs_of(user_id: int) -> tuple[ClubOfPerson, ...]:
    """Return the clubs of one person by name, in one query."""
    rows = (
        Membership.objects.filter(user_id=user_id)
        .select_related("club")
        .order_by("club__name", "club_id")
    )
    return tuple(
        copy_fields(ClubOfPerson, row.club, role=row.role, joined_at=row.joined_at)
        for row in rows
    )


def clubs_joined(actor: Owner) -> tuple[ClubRecord, ...]:
    """Return the clubs this person belongs to, by name, with their member counts. One query."""
    rows = _counted(clubs_joined_by(actor), actor).order_by("name", "pk")
    return tuple(map(_record, rows))


def clubs_listed(
    actor: Owner, *, search: str = "", page: int = 1, per_page: int = PER_PAGE
) -> RowsPage[ClubRecord]:
    """Return a page of the public clubs by name; ``search`` is a part of the name. One query."""
    rows = Club.objects.filter(is_public=True)
    if search:
        rows = rows.filter(name__icontains=search)
    counted = _counted(rows, actor).order_by("name", "pk")
    return load_page(counted, _record, page=page, per_page=per_page)


# One club


def load_club(actor: Owner, slug: str, also: Q = NO_CLUBS) -> ClubRecord | None:
    """Return the club for its members, and a listed one for everybody; else None. One query.

    ``also`` are clubs of which this person may see something.
    """
    clubs = clubs_visible_to(actor) | Club.objects.filter(also)
    row = _counted(clubs, actor).filter(slug=slug).order_by().first()
    return None if row is None else _record(row)


def load_club_choice(club_id: int | None, field: str, address: str) -> Fields:
    """Return the ``rulings`` or ``house_rules`` that a club plays otherwise under the system of
    this address. One query, none without a club.
    """
    if club_id is None:
        return {}
    choices = Club.objects.filter(pk=club_id).values_list(field, flat=True).first()
    return dict((choices or {}).get(address, {}))


def load_club_of_code(actor: Owner, code: str) -> ClubRecord | None:
    """Return the club of this code, listed or not; None where no club has it. One query."""
    row = _counted(Club.objects.all(), actor).filter(code=code).order_by().first()
    return None if row is None else _record(row)


def load_members(
    actor: Owner, club_id: int, *, page: int = 1, per_page: int = MEMBERS_PER_PAGE
) -> RowsPage[ClubMember]:
    """Return a page of a club's members: owners, organisers, members, each by time of joining.

    Empty for those outside the club. One query.
    """
    places = (When(role=role, then=Value(place)) for role, place in RANKS.items())
    rank = Case(*places, output_field=IntegerField())
    rows = _members(actor, club_id).order_by(rank, "joined_at", "pk")
    return load_page(rows, partial(_member, actor), page=page, per_page=per_page)


def load_member(actor: Owner, club_id: int, member_id: int) -> ClubMember | None:
    """Return one member, by the id of their membership, of a club the actor belongs to, or None.

    One query.
    """
    row = _members(actor, club_id).filter(pk=member_id).order_by().first()
    return None if row is None else _member(actor, row)


def _members(actor: Owner, club_id: int) -> QuerySet[Membership]:
    """Return the members of a club with their people; none where the actor is not one of them."""
    mine = joined_club_ids(actor).filter(club=club_id)
    return Membership.objects.filter(club__in=mine).select_related("user")


def _counted(rows: QuerySet[Club], actor: Owner) -> QuerySet[Any]:
    """Annotate each club with its number of members and with this actor's role."""
    everybody = Membership.objects.filter(club=OuterRef("pk")).order_by()
    mine = everybody.filter(user_id=actor.user_id or 0).values("role")
    counts = everybody.values("club").annotate(number=Count("pk")).values("number")
    return rows.annotate(
        number=Coalesce(Subquery(counts), 0, output_field=IntegerField()),
        my_role=Coalesce(Subquery(mine), Value(""), output_field=CharField()),
    )


def _member(actor: Owner, row: Membership) -> ClubMember:
    is_me = row.user_id == actor.user_id
    return copy_fields(ClubMember, row, name=row.user.display_name, is_me=is_me)


def _record(row: Any) -> ClubRecord:
    # The code lets people in: only those who run the club may give it away.
    code = row.code if row.my_role in ORGANISING else ""
    return copy_fields(ClubRecord, row, members=row.number, role=row.my_role, code=code)


# What closing an account means, and whom a link signs in.


def closing_consequences(user_id: int) -> Texts:
    """What deleting this account means for what other apps keep, in sentences."""
    answers = account_closing_asked.send(sender=User, user_id=user_id)
    return tuple(sentence for _, sentences in answers for sentence in sentences or ())


def load_person_of_link(token: str) -> User | None:
    """Return whom a one-time link would sign in.

    None where the link is unknown, used or expired, or the account is switched off.
    """
    link = (
        OneTimeLink.objects.select_related("user")
        .filter(
            token_hash=hash_token(token),
            used_at=None,
            expires_at__gt=timezone.now(),
            user__is_active=True,
        )
        .first()
    )
    return link.user if link else None
