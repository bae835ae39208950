"""Many at once, without waiting for a clock: threads that set off together and hand back what each
came to.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, TypeVar

from django.db import close_old_connections, connections
from django.http import HttpResponse
from django.test import Client

Result = TypeVar("Result")
SECONDS = 60.0  # a barrier that is never filled is a fault of the test, not a slow machine


def at_once(count: int, work: Callable[[int], Result]) -> Sequence[Result]:
    """What ``work(0)`` to ``work(count - 1)`` come to, all begun at the same moment.

    Raises the first error of any.
    """
    start = Barrier(count, timeout=SECONDS)

    def run(number: int) -> Result:
        try:
            start.wait()
            return work(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


class PlainClient(Client):
    """A browser that keeps its cookies and nothing else.

    A fault of the site is a 500 and is not raised.

    Django's own hears of each template drawn in any thread, and copies what it was drawn from: with
    fifty at once that is fifty times the work.
    """

    def request(self, **request: Any) -> HttpResponse:
        response: HttpResponse = self.handler(self._base_environ(**request))
        self.cookies.update(response.cookies)
        close_old_connections()  # as at the end of every request: what PostgreSQL's pool lent goes back to it
        return response
