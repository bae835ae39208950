"""What the OpenAPI document says holds for calls made up from it."""

from itertools import product
from unittest.mock import patch

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.api_tokens.operations import make_token
from accounts.models import Membership, Role, Scope
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_lists import hand_in_list
from campaigns.operations.rounds import print_round
from campaigns.operations.seasons import SeasonDraft, create_season
from jobs.runner import run_job
from tests.api.operations import OPERATIONS, OWN, SCHEMA
from tests.campaigns.growing import make_growing
from tests.campaigns.leagues import make_night
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband
from tests.rulesdata.own_lists import make_list

CHECKS = [
    not_a_server_error, allow_header_conformance, content_type_conformance,
    response_headers_conformance, response_schema_conformance, status_code_conformance,
]  # fmt: skip

# R8: so many calls under --soak as anybody, and as many as an organiser.
CALLS, CALLS_ON_POSTGRES = 6_000, 1_500
made_up = pytest.mark.django_db


@pytest.fixture(scope="module")
def api():
    """The API as its own document describes it, over WSGI; a request leaves the test's database
    connection open.
    """
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    # No call waits for a catalogue: another answer than the job is tested elsewhere.
    with patch("clubs.api.own_lists.WAIT_SECONDS", 0):
        yield schemathesis.openapi.from_wsgi(SCHEMA, get_wsgi_application())
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def run(strategy, checks, examples, is_soak, settle=lambda case: {}):
    """Calls the API with that many made-up cases, the same ones in every run unless it is the long
    one.

    ``settle`` changes a case and gives the headers it is sent with.
    """

    @settings(
        max_examples=examples,
        derandomize=not is_soak,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(case=strategy)
    def call(case):
        # Over WSGI nothing unpacks an answer.
        headers = {**settle(case), "Accept-Encoding": "identity"}
        case.call_and_validate(checks=checks, headers=headers)

    call()


READ_BY_ALL = [label for label in OPERATIONS if label not in OWN]


def in_each_mode(labels):
    """Right and wrong calls of each operation; the plain run makes only one sort of every third
    one, by turns.
    """
    places = product(enumerate(labels), enumerate(GenerationMode))
    cases = [
        pytest.param(
            label,
            mode,
            marks=[pytest.mark.soak] if (number + 3 * turn) % 6 else [],
            id=f"{label}-{mode.value}",
        )
        for (number, label), (turn, mode) in places
    ]
    return pytest.mark.parametrize("label,mode", cases)


def each(labels, total):
    """How many calls each operation gets in each mode, so that they come to a total."""
    return -(-total // (len(labels) * len(GenerationMode)))


@in_each_mode(READ_BY_ALL)
@pytest.mark.usefixtures("loaded_books")
@made_up
def test_made_up_calls_keep_to_the_document(api, rate, soak, label, mode):
    rate("1000000/sec")
    method, path = label.split()
    operation = api[path][method]
    if mode is GenerationMode.NEGATIVE and not list(operation.iter_parameters()):
        return  # it takes nothing, so nothing can be wrong
    checks = (
        [*CHECKS, negative_data_rejection]
        if method == "POST" and mode is GenerationMode.NEGATIVE
        else CHECKS
    )
    run(
        operation.as_strategy(generation_mode=mode),
        checks,
        soak(3, each(READ_BY_ALL, CALLS), each(READ_BY_ALL, CALLS_ON_POSTGRES)),
        soak(False, True),
    )


@pytest.fixture(scope="module")
def organiser(loaded_books):
    """The headers of a token that may do everything, and what stands in the addresses it is used
    at.
    """
    league = make_night(players=3)
    ada, ben = league.entry("Ada"), league.player("Ben")
    fixture = put_up(league, 1, [("Ada", "Ben")], asked_by=ada)[0]
    made = make_token(league.organiser.user_id, name="Fuzz", scopes=Scope.values)
    warband = make_legal_warband(actor=league.organiser)
    asked = ChangeRequest(league.organiser, league.token)
    brought = make_legal_warband(actor=ben).token
    hand_in_list(ChangeRequest(ben, league.token), 1, brought)
    ids = {
        "slug": league.club.slug,
        "season": create_season(league.organiser, league.club.slug, SeasonDraft("2026")),
        "number": 1,
        "fixture": fixture.token,
        "entry": league.entry("Ben").token,
        "guideline": "type.cavalry",
        "member": Membership.objects.exclude(role=Role.OWNER)
        .filter(club=league.club)
        .values_list("pk", flat=True)
        .first(),
    }
    job = print_round(asked, 1, site="")
    run_job(job)
    campaign = make_growing(players=2, organiser=league.organiser)
    ids["warband"] = campaign.warbands["Ada"]
    others = {
        "growth": campaign.league.token,
        "field": campaign.game("Ada", "Ben"),
        "warbands": warband.token,
        "jobs": job,
        "clubs": make_list(club=league.club, actor=league.organiser).token,
    }
    return (
        {"Authorization": f"Bearer {made.text}", "If-Match": "*"},
        ids,
        others,
        league.token,
    )


@in_each_mode(OWN)
@made_up
def test_made_up_calls_of_an_organiser_keep_to_the_document(
    api, rate, soak, label, mode, organiser
):
    """The same with a token and real things in the address: what is made up is the body and what is
    asked.
    """
    rate("1000000/sec")
    headers, ids, others, event = organiser
    method, path = label.split()
    part = "growth" if "/growth/" in path else path.split("/")[3]
    ids = {**ids, "token": others.get(part, event)}
    if path.endswith("/field/"):  # which only a growing campaign has
        ids["fixture"] = others["field"]

    def settle(case):
        case.path_parameters = {
            name: ids.get(name, value)
            for name, value in (case.path_parameters or {}).items()
        }
        return headers

    statuses = []

    def is_known(ctx, response, case):
        statuses.append(response.status_code)

    run(
        api[path][method].as_strategy(generation_mode=mode),
        [*CHECKS, is_known],
        soak(6, each(OWN, CALLS), each(OWN, CALLS_ON_POSTGRES)),
        soak(False, True),
        settle,
    )
    assert not {401} & set(statuses)
    assert any(status != 404 for status in statuses)
