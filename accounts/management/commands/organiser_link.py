"""Print a new one-time sign-in link."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from accounts.models import User
from accounts.operations.people import DEMO_EMAIL, make_link


class Command(BaseCommand):
    help = (
        "Prints a link that signs somebody in once, within 7 days, and lets them choose a "
        "new password. "
        "Earlier links of the same person stop working."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--email",
            default=DEMO_EMAIL,
            help="whose link; the organiser of the demo club when left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip()
        user = User.objects.filter(email=email, is_active=True).first()
        if user is None:
            raise CommandError(f"No active account has the email address {email}.")
        token = make_link(user.pk)
        self.stdout.write(settings.SITE_URL + reverse("account_link", args=[token]))
