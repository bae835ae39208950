"""The application that the server runs: event streams, and Django's WSGI application behind whole
requests.
"""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.server import BattleStreams, WholeRequests

wsgi_application: Any = get_wsgi_application()
# The queue of an answer has no limit: a full one would hold its thread until the other side reads.
pages: Any = WSGIMiddleware(wsgi_application, workers=settings.THREADS, send_queue_size=0)
application = BattleStreams(WholeRequests(pages))
