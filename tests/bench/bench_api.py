"""Lists of the API as multiples of a bare DRF list of the same columns, and what a call adds to a
check.
"""

import io
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rulesdata.queries import catalogue
from tests.bench import bare, place
from tests.bench.measure import interleaved, table, verdict
from tests.bench.rosters import document
from tests.bench.visitor import Visitor, site

ROUNDS = 60
BUDGET = 1.5
ROWS = {
    "profiles": catalogue.profile_rows,
    "weapons": lambda: catalogue.gear_under("weapons", None, "", ""),
    "armour": lambda: catalogue.gear_under("armour", None, "", ""),
}


class Fifty(PageNumberPagination):
    page_size = 50


class BareList(APIView):
    """A page of fifty rows of `.values()`, sent as they are."""

    throttle_classes = []
    content_negotiation_class = DefaultContentNegotiation

    def get(self, request: Request, name: str) -> Response:
        pages = Fifty()
        rows = ROWS[name]()
        return pages.get_paginated_response(pages.paginate_queryset(rows, request))


urlpatterns = [path("<str:name>/", BareList.as_view())]


class Here:
    """Sends every request to this file's addresses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> HttpResponse:
        request.urlconf = __name__
        return self.get_response(request)


def main() -> None:
    place.ready()
    _lists()
    _check()


def _lists() -> None:
    ours, floor = (
        Visitor(),
        Visitor(handler=bare.handler([f"{__name__}.Here", *bare.STANDARD])),
    )
    tasks: dict[str, Callable[[], object]] = {}
    for name in ROWS:
        for whose, visitor, address in (
            ("ours", ours, f"/api/v1/{name}/"),
            ("bare", floor, f"/{name}/"),
        ):

            def ask(visitor: Visitor = visitor, address: str = address) -> object:
                answer = visitor.get(address)
                assert answer.status == 200, (address, answer.status)
                return answer

            tasks[f"{name} {whose}"] = ask
    times = interleaved(tasks, ROUNDS)
    rows = []
    for name in ROWS:
        mine, least = times[f"{name} ours"], times[f"{name} bare"]
        rows.append(
            [name, mine, least, mine / least, BUDGET, verdict(mine / least, BUDGET)]
        )
    table(["list of 50", "ms", "bare ms", "times", "budget", ""], rows)


def _check() -> None:
    from accounts.owner import NOBODY
    from warbands.queries.warbands import check_document

    roster = document(15)
    body = json.dumps(roster).encode()
    tasks = {
        "check/ with 15 warriors, the whole call": lambda: _post(body),
        "the check alone": lambda: check_document(NOBODY, roster),
    }
    print()
    table(
        ["data loaded", "ms"],
        [[name, ms] for name, ms in interleaved(tasks, ROUNDS, warm_rounds=10).items()],
    )


def _post(body: bytes) -> bytes:
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/api/v1/check/", "SERVER_NAME": "localhost",
        "SERVER_PORT": "80", "REMOTE_ADDR": "127.0.0.1", "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/json", "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(), "wsgi.url_scheme": "http",
    }  # fmt: skip
    found: list[str] = []
    parts = site()(environ, lambda status, headers, _=None: found.append(status))
    answer = b"".join(parts)
    parts.close()
    assert found == ["200 OK"], (found, answer[:200])
    return answer
