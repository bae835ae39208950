"""The demo club, and who runs it."""

from allauth.account.models import EmailAddress
from django.db import transaction

from accounts.models import Club, User
from accounts.operations.clubs import add_member, create_club
from engine.records import frozen_dataclass

DEMO_SLUG = "demo-club"
DEMO_DOMAIN = "@demo.invalid"
DEMO_EMAIL = f"organiser{DEMO_DOMAIN}"


@frozen_dataclass
class DemoClub:
    """The demo club with the person who runs it; `is_new` when it was made just now."""

    club: Club
    organiser: User
    is_new: bool


def make_demo_club() -> DemoClub:
    """Create the demo club and its organiser once, and return them.

    The organiser has no password and signs in by a one-time link.
    """
    with transaction.atomic():
        organiser, is_new_person = User.objects.get_or_create(
            email=DEMO_EMAIL, defaults={"name": "Demo organiser"}
        )
        if is_new_person:
            organiser.set_unusable_password()
            organiser.save(update_fields=["password"])
            # Vouched for by whoever set the site up: a made-up address could never be confirmed by
            # mail.
            EmailAddress.objects.create(
                user=organiser, email=DEMO_EMAIL, primary=True, verified=True
            )
        club = Club.objects.filter(slug=DEMO_SLUG).first()
        if club is None:
            description = "A club with sample warbands, to try things out."
            club = create_club(
                name="Demo club",
                slug=DEMO_SLUG,
                owner_id=organiser.pk,
                description=description,
            )
            return DemoClub(club, organiser, is_new=True)
    return DemoClub(club, organiser, is_new=False)


def make_demo_member(club: Club, name: str) -> User:
    """Somebody made up who belongs to the demo club, and whom nobody can sign in as."""
    member = User.objects.create_user(f"{name.lower()}{DEMO_DOMAIN}", None, name=name)
    add_member(club.pk, member.pk)
    return member
