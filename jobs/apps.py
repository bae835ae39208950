"""Work that takes longer than a request may: one row for each job, done outside the request."""

from django.apps import AppConfig
from django.core.signals import request_started


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = "Jobs"

    def ready(self) -> None:
        from jobs import personal_data, queue
        from jobs.handlers import add_handler

        queue.connect()
        add_handler(personal_data.PERSONAL_DATA, personal_data.collect)
        # Only a server has requests. A command of manage.py ends before its thread does a job.
        request_started.connect(
            queue.JOB_THREAD.start_once, dispatch_uid="jobs.runner.start_once"
        )
