"""Celery on Redis, the other side of the seam.

Loaded only where `REDIS_URL` is set, and by the worker itself.

The message is a token and nothing else: the row says what is to be done and who does it, so that a
message that comes twice, late or never changes nothing. It is acknowledged after the work, and
comes again when its worker was killed.
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, Task
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

QUEUE = "muster-jobs"
PATIENCE = 3  # seconds to wait for Redis

app = Celery("muster-roll", broker=settings.REDIS_URL or "memory://", set_as_current=False)
app.conf.update(
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": 120,
        "socket_connect_timeout": PATIENCE,
        "socket_timeout": 30,
        "global_keyprefix": "muster:",
    },
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_default_queue=QUEUE,
    task_ignore_result=True,
    task_publish_retry=False,
    task_serializer="json",
    accept_content=["json"],
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=200,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
)


@setup_logging.connect
def _keep_our_logs(**_: object) -> None:
    """Django has set the logs up already: one JSON object a line, without secrets."""


@app.task(bind=True, name="jobs.do", max_retries=None)
def do_job(self: Task[Any, Any], token: str) -> None:
    """Do a job; come back to one that another worker has or that was put off."""
    from jobs.doing import run_job

    seconds = run_job(token)
    if seconds is not None:
        raise self.retry(countdown=seconds + 1)


def publish(token: str) -> None:
    """Put a job's token into the queue. Raises what kombu raises when Redis does not answer."""
    do_job.apply_async((token,))
