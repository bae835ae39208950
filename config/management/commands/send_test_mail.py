"""`manage.py send_test_mail`: whether the site's mail arrives."""

from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Send one email to an address, and print the answer of the mail server."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.SENDS_MAIL:
            raise CommandError("EMAIL_URL is not set, so this site sends no email.")
        text = f"Mail of {settings.SITE_URL} arrives. You do not need to answer.\n"
        try:
            send_mail("Muster Roll: a test", text, None, [options["address"]])
        except (SMTPException, OSError, ValueError) as error:
            raise CommandError(f"The email was not sent: {error}.") from error
        self.stdout.write(
            f"The mail server accepted the email for {options['address']}, from "
            f"{settings.DEFAULT_FROM_EMAIL}. If it does not arrive, check the spam folder."
        )
