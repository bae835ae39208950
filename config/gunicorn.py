"""gunicorn's settings: one process, in it an event loop for connections and threads for requests.

SQLite takes one writer at a time, and the cache is in memory.
"""

import os
from threading import Thread
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Read before anything forks: a bad variable ends here with one line.
from config import settings
from config.site_lock import share_site

bind = (
    f"[{settings.HOST}]:{settings.PORT}"
    if ":" in settings.HOST
    else f"{settings.HOST}:{settings.PORT}"
)
wsgi_app = "config.asgi:application"
worker_class = "config.server.Worker"
workers = settings.PROCESSES
timeout = 60  # seconds
graceful_timeout = 10
keepalive = 5
forwarded_allow_ips = ""  # config/settings.py decides by TRUST_PROXY, and nothing else does
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  (gunicorn's heartbeat file)
loglevel = "warning"
control_socket_disable = True


def post_worker_init(worker: Any) -> None:
    """Say where the site is once it can answer, start doing jobs, and get ready to print."""
    share_site()
    if worker.age == 1:
        local = f"http://localhost:{settings.PORT}"
        also = "" if local == settings.SITE_URL else f" (and {local} on this machine)"
        print(
            f"\nMuster Roll is at {settings.SITE_URL}{also}. Stop it with Ctrl+C.",
            flush=True,
        )
    Thread(target=warm_up, name="warm-up", daemon=True).start()
    if settings.METRICS:
        from django_prometheus.exports import SetupPrometheusEndpointOnPortRange

        # The first free port of as many as there are processes.
        address, port = settings.METRICS
        ports = range(port, port + settings.PROCESSES)
        SetupPrometheusEndpointOnPortRange(ports, address)
    from jobs.queue import JOB_THREAD

    JOB_THREAD.start_once()


def warm_up() -> None:
    """Draw a starter in this process: the first document takes seconds, the next a tenth of one.

    Not before the fork, because WeasyPrint's state is not shared.
    """
    import structlog

    from warbands.pdf import documents
    from warbands.pdf.press import PdfFailed
    from warbands.queries.lists import first_starter

    try:
        documents.warm_up(first_starter().sheet)
    except PdfFailed:
        structlog.get_logger(__name__).exception("not_warm")
