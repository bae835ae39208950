"""Two phones at one growing campaign: nothing is thrown twice, bought twice or lost."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Scope
from accounts.owner import Owner
from campaigns.growth.operations.ledger import recount_growth
from campaigns.models import GrowthRow
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.test_growth import check_stored, fought
from tests.reliability.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
PHONES = 4
Phone = Callable[..., Any]


@pytest.fixture
def campaign() -> Campaign:
    return make_growing(players=2)


def phone_of(campaign: Campaign, actor: Owner, name: str) -> Phone:
    """How somebody's phone posts to a part of a warband's address."""
    text = make_token(actor.user_id or 0, name="-", scopes=Scope.values).text
    own = (
        f"/api/v1/events/{campaign.league.token}/growth/warbands/{campaign.warbands[name]}/"
    )

    def post(part: str, body: Any, **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {text}"}
        sent |= {key.replace("_", "-"): value for key, value in headers.items()}
        client = Client(raise_request_exception=False)
        return client.post(f"{own}{part}/", body, "application/json", headers=sent)

    return post


def rows(kind: str) -> int:
    return GrowthRow.objects.filter(kind=kind).count()


def check_sound(campaign: Campaign) -> None:
    """Each row has a place of its own without gaps, and what is stored is the fold."""
    places = list(GrowthRow.objects.order_by("position").values_list("position", flat=True))
    assert places == list(range(1, len(places) + 1))
    assert campaign.league.fresh().growth_position == len(places)
    assert recount_growth() == (1, [])
    check_stored(campaign)


def test_a_due_answered_on_several_phones_is_thrown_once(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ben = phone_of(campaign, campaign.league.player("Ben"), "Ben")
    asked = {"answers": [{"due": f"{fixture}/income"}]}
    told = at_once(PHONES, lambda _: ben("answers", asked))
    assert Counter(one.status_code for one in told) == {200: 1, 409: PHONES - 1}
    assert rows("answer") == 1
    again = at_once(
        PHONES,
        lambda _: ben(
            "answers", {"answers": [{"due": f"{fixture}/injury/w2"}]}, Idempotency_Key="k"
        ),
    )
    assert {one.status_code for one in again} == {200}
    assert len({str(one.json()["answers"][0]["faces"]) for one in again}) == 1
    assert rows("answer") == 2
    check_sound(campaign)


def test_player_and_organiser_answer_the_same_due_once(campaign: Campaign) -> None:
    fixture, league = fought(campaign), campaign.league
    phones = [
        phone_of(campaign, actor, "Ben")
        for actor in (league.player("Ben"), league.organiser)
    ]
    asked = {"answers": [{"due": f"{fixture}/injury/w3#1", "faces": [1]}]}
    told = at_once(2, lambda number: phones[number]("answers", asked))
    assert sorted(one.status_code for one in told) == [200, 409]
    check_sound(campaign)


def test_a_purse_for_one_pays_for_one(campaign: Campaign) -> None:
    ada = phone_of(campaign, campaign.league.player("Ada"), "Ada")
    # 76 crowns are there, and an engineer costs 55.
    asked = {"kind": "recruit", "profile": "master-engineer"}
    told = at_once(PHONES, lambda _: ada("acts", asked))
    assert Counter(one.status_code for one in told) == {201: 1, 400: PHONES - 1}
    refused = next(one.json() for one in told if one.status_code == 400)
    words = "It costs 55 crowns, and the treasury has 21."
    assert refused["errors"] == [{"field": "kind", "message": words}]
    assert rows("act") == 1
    check_sound(campaign)


def test_of_phones_that_saw_the_same_the_first_is_taken(campaign: Campaign) -> None:
    seen = f'"{campaign.ledger.position}"'
    league = campaign.league
    phones = [
        phone_of(campaign, league.player(name), name)
        for name in ("Ada", "Ben", "Ada", "Ben")
    ]
    asked = {"kind": "recruit", "into": "w3", "count": 1}
    told = at_once(PHONES, lambda number: phones[number]("acts", asked, If_Match=seen))
    assert Counter(one.status_code for one in told) == {201: 1, 412: PHONES - 1}
    check_sound(campaign)
