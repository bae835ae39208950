"""Python and the site loaded once, to be forked into a server for each line that comes in.

Loading takes seconds, a fork does not, and a test that kills servers by the hundred would do little
else than load. What is killed is a whole server all the same: gunicorn's master and its worker, a
group of their own, with connections and turns of their own. The nursery itself has no connection
and no second thread.
"""

import os
import sys
import threading

ENDED = "ended"  # what it says when a server has
FORGETFUL = "--forgetful"
THREADED = "--gthread"  # a thread for each connection, as a control


def load() -> None:
    from config.wsgi import application  # noqa: I001  (it sets Django up)

    from django.db import connections
    from django.urls import get_resolver
    from rulesdata import registry
    from tests.factories import EMPIRE, SYSTEM

    assert application
    assert get_resolver().url_patterns
    assert registry.load_army(SYSTEM, EMPIRE)
    assert all(each.connection is None for each in connections.all(initialized_only=True))
    assert threading.active_count() == 1


def forget() -> None:
    """For a control: from now on what is acknowledged has not been stored."""
    from django.db.backends.base.base import BaseDatabaseWrapper

    BaseDatabaseWrapper._commit = BaseDatabaseWrapper._rollback


def serve() -> None:
    from gunicorn.app.wsgiapp import run

    os.setsid()
    print(os.getpid(), flush=True)
    old = ["-k", "gthread", "--threads", "8", "config.wsgi"] if THREADED in sys.argv else []
    sys.argv = ["gunicorn", "--config", "config/gunicorn.py", *old]
    run()


def main() -> None:
    load()
    if FORGETFUL in sys.argv:
        forget()
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            return serve()
        os.waitpid(child, 0)
        print(ENDED, flush=True)


if __name__ == "__main__":
    main()
