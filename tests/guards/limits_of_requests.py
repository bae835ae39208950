"""Limits of accounts, clubs and requests: tokens, codes, bodies, connections."""

from types import SimpleNamespace
from typing import Any

from django.http import QueryDict

from accounts import requests
from accounts.api.serializers import Text, is_too_much
from accounts.api_tokens.operations import make_token
from accounts.operations.clubs import create_club, join_club
from accounts.queries import clubs_listed
from accounts.tokens import is_token, read_code
from config.api import base as api
from config.server import BattleStreams, BoundedConnection
from engine.text import clean_line, text_fault
from notices import mail
from rulesdata.api import catalogue as book_api
from tests.factories import make_club, make_person
from tests.guards.limits import Row, names_of_so_many, takes
from warbands.exchange import content

_DECODED = len('{"a":""}')


def _tokens(size: int) -> bool:
    user = make_person().user_id or 0
    return takes(
        "tokens, the maximum", lambda: [make_token(user, name=f"t{n}") for n in range(size)]
    )


def _token(size: int = 30, key: str = "") -> None:
    make_token(make_person().user_id or 0, name="t", days=size, request_key=key)


def _clubs(size: int) -> bool:
    owner = make_person().user_id or 0
    made = [f"Club {n}" for n in range(size)]
    return takes("the maximum", lambda: [create_club(name=n, owner_id=owner) for n in made])


def _members(size: int) -> bool:
    club = make_club()
    return takes(
        "the maximum",
        lambda: [join_club(make_person(), club.code) for _ in range(size - 1)],
    )


def _connections(size: int) -> bool:
    connection = BoundedConnection.__new__(BoundedConnection)
    connection.connections = set(range(size))
    connection.address = ""
    return not connection._is_one_too_many()


def _streams(size: int) -> bool:
    streams = BattleStreams(_streams)
    streams.listeners["x"] = set(range(size - 1))
    return not streams.is_full


def _marks(size: int) -> bool:
    text = "x" + "\u0301" * size
    return takes("marks on one", lambda: clean_line(text, field="x", limit=99)) and not (
        text_fault(text, 99)
    )


def _depth(size: int) -> bool:
    nested = "[" * (size - 1) + "]" * (size - 1)
    return takes(
        "deeper than", lambda: api.decode(f'{{"a": {nested}}}'.encode())
    ) and takes("deeper than", lambda: content.decode(f'{{"a": {nested}}}'))


def _digits(size: int) -> bool:
    number = "1" * size
    return takes("digits", lambda: api.decode(f'{{"a": {number}}}'.encode())) and takes(
        "digits", lambda: content.decode(number)
    )


def _search(size: int) -> bool:
    request: Any = SimpleNamespace(query_params={"search": "a" * size})
    return takes("At most", lambda: book_api._search(request))


def _request_key(size: int) -> bool:
    request: Any = SimpleNamespace(POST=QueryDict(f"key={'k' * size}"), path="/")
    return takes("must have at most", lambda: requests.request_key(request))


def _subject(size: int) -> bool:
    subject = "w" * size
    notice: Any = SimpleNamespace(pk=1, user=SimpleNamespace(email=""))
    return mail.build_mail(notice, subject, "", "token").subject == subject


def _page(number: int) -> bool:
    """Whether this page is shown, of a list that goes on for ever."""
    for name in names_of_so_many(4):
        create_club(name=name, owner_id=make_person().user_id or 0, is_public=True)
    return clubs_listed(make_person(), page=number, per_page=1).number == number


ROWS = (
    Row("TYPED_MAX", 200, lambda n: takes("far longer", lambda: read_code("x" * n))),
    Row("MARKS_MAX", 4, _marks),
    Row("DAYS_MAX", 365, lambda n: takes("A token works", lambda: _token(n))),
    Row("REQUEST_KEY_MAX", 40, lambda n: takes("request key", lambda: _token(key="k" * n))),
    Row("LIVE_MAX", 20, _tokens),
    Row("OWNED_MAX", 50, _clubs, lowered=3),
    Row("MEMBERS_MAX", 2000, _members, lowered=3),
    Row("ITEMS_MOST", 1000, lambda size: not is_too_much(["x"] * size, Text())),
    Row(
        "TEXT_MAX",
        10_000,
        lambda n: takes("at most", lambda: Text().run_validation("a" * n)),
    ),
    Row("SUBJECT_MAX", 110, _subject),
    Row("CONNECTIONS_MAX", 2000, _connections),
    Row("STREAMS_MAX", 1000, _streams),
    Row("TOKEN_MAX", 40, lambda n: is_token("t" * n)),
    Row("LEVELS_MAX", 24, _depth),
    Row("DIGITS_MAX", 20, _digits),
    Row(
        "MAX_DIGITS",
        9,
        lambda n: takes("whole number", lambda: requests.parse_int("1" * n, "x")),
    ),
    Row(
        "MAX_BODY",
        1_048_576,
        lambda n: takes(
            "larger than", lambda: api.decode(f'{{"a":"{"x" * (n - _DECODED)}"}}'.encode())
        ),
    ),
    Row("MAX_SEARCH", 100, _search),
    Row("KEY_MAX", 100, _request_key),
    Row("PAGES_MAX", 100, _page, lowered=2),
)
