"""Notices: what somebody is told, in the app and by mail."""

from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "notices"
    verbose_name = "Notices"

    def ready(self) -> None:
        from datetime import timedelta

        from jobs.handlers import add_handler, add_regular
        from jobs.personal_data import add_part
        from notices.mail import mail_digests, mail_notices
        from notices.operations import MAIL_NOTICES
        from notices.queries import notice_files

        add_handler(MAIL_NOTICES, mail_notices)
        add_regular(
            "mail-digests", mail_digests, title="Daily mails", every=timedelta(minutes=30)
        )
        add_part(notice_files)
