"""What the account pages and the apps to the left read about people and clubs."""

from accounts.queries.clubs import (
    ClubList,
    ClubMember,
    ClubOfPerson,
    ClubRecord,
    ClubRow,
    MemberList,
    clubs_joined,
    clubs_listed,
    load_club,
    load_club_of_code,
    load_clubs_of,
    load_member,
    load_members,
)
from accounts.queries.people import (
    AccountProfile,
    is_email_taken,
    load_person_of_link,
    load_profile,
)

__all__ = [
    "AccountProfile",
    "ClubList",
    "ClubMember",
    "ClubOfPerson",
    "ClubRecord",
    "ClubRow",
    "MemberList",
    "clubs_joined",
    "clubs_listed",
    "is_email_taken",
    "load_club",
    "load_club_of_code",
    "load_clubs_of",
    "load_member",
    "load_members",
    "load_person_of_link",
    "load_profile",
]
