"""The worked season, played over sockets against a running server, by the calls of the API."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from accounts.owner import Owner
from campaigns.growth.operations.ledger import recount_growth
from tests.api.test_growth_season import Program, play_season
from tests.factories import make_club, make_person, make_user
from tests.reliability.server import SECONDS, Server, serving

pytestmark = pytest.mark.django_db(transaction=True)


class SocketCall:
    """A program elsewhere: JSON over a connection of its own for each call."""

    def __init__(self, server: Server, person: Owner) -> None:
        token = make_token(person.user_id or 0, name="-", scopes=Scope.values)
        self.server = server
        self.headers = {
            "Authorization": f"Bearer {token.text}",
            "Content-Type": "application/json",
            "Host": f"localhost:{server.port}",
        }

    def __call__(self, method, address, body=None, status=200, **more) -> SocketAnswer:
        named = {key.replace("_", "-"): value for key, value in more.items()}
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=SECONDS
        )
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, f"/api/v1/{address}", sent, self.headers | named)
            answer = connection.getresponse()
            found = SocketAnswer(answer.read(), answer.headers)
            assert answer.status == status, (address, found.content[:500])
            return found
        finally:
            connection.close()


class SocketAnswer:
    """What came back: its body and its headers."""

    def __init__(self, content: bytes, headers: http.client.HTTPMessage) -> None:
        self.content, self.headers = content, headers

    def json(self) -> Any:
        return json.loads(self.content)


@pytest.mark.soak
def test_the_season_played_against_a_running_server_gives_each_of_its_states(tmp_path):
    olga = make_person(user=make_user(name="Olga"))
    club = make_club(owner=olga, name="The Quay")
    with serving(tmp_path) as server:
        play_season(Program(SocketCall(server, olga)), club.slug)
    assert recount_growth() == (1, [])
