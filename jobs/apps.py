"""Work that takes longer than an answer may: a row for each job, done behind the pages."""

from django.apps import AppConfig
from django.core.signals import request_started


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = "Jobs"

    def ready(self) -> None:
        from jobs import keeping, threads

        keeping.connect()
        # A server has requests; a command of manage.py has none, and would be gone before a job of
        # its own is done.
        request_started.connect(threads.start_once, dispatch_uid="jobs.threads.start_once")
