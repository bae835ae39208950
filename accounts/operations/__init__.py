"""The only writers of people, clubs, memberships and one-time links."""

from accounts.operations.clubs import change_club, create_club, new_code
from accounts.operations.demo import (
    DEMO_EMAIL,
    DEMO_SLUG,
    DemoClub,
    make_demo_club,
    make_demo_member,
)
from accounts.operations.links import LINK_DAYS, make_link, use_link
from accounts.operations.membership import (
    NO_SUCH_CODE,
    Joined,
    add_member,
    change_role,
    hand_over,
    join_club,
    leave_club,
    remove_member,
)
from accounts.operations.people import change_email, close_account, rename_person

__all__ = [
    "DEMO_EMAIL",
    "DEMO_SLUG",
    "LINK_DAYS",
    "NO_SUCH_CODE",
    "DemoClub",
    "Joined",
    "add_member",
    "change_club",
    "change_email",
    "change_role",
    "close_account",
    "create_club",
    "hand_over",
    "join_club",
    "leave_club",
    "make_demo_club",
    "make_demo_member",
    "make_link",
    "new_code",
    "remove_member",
    "rename_person",
    "use_link",
]
