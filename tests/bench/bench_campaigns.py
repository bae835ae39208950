"""A growing campaign on a site: what one more row of its log takes, and the page after a battle."""

from itertools import combinations, cycle, islice

from django.urls import reverse

from accounts.models import User
from campaigns.growth.operations.acts import GivenAct, take_act
from engine.growth.state import list_lineup
from tests.bench import bare, place
from tests.bench.bench_pages import QUERIES, queries_of
from tests.bench.measure import interleaved, sized, table, verdict
from tests.bench.rosters import stored
from tests.bench.visitor import signed_in
from tests.campaigns.growing import Campaign, make_growing

APPEND_MS, TIMES = 150.0, 2.0
WARBANDS, BATTLES = sized((8, 40), (2, 2))
SINGLES = 14  # and a captain
ROUNDS = sized(15, 1)
APPEND, PAGE, FLOOR = "append an act", "the page after a battle", "bare page of 15 rows"
GIFT = GivenAct("adjust", currency="crowns", amount=1, reason="A gift.")


def main() -> None:
    place.ready()
    campaign = make_growing(players=WARBANDS, singles=SINGLES)
    names = sorted(campaign.warbands)
    pairs = list(islice(cycle(combinations(names, 2)), BATTLES))
    for one, other in pairs:
        play(campaign, one, other)
    first = names[0]
    # The loser of the last battle, with every answer given but those of that battle.
    fixture = fight(campaign, first, names[1])
    user = User.objects.get(pk=campaign.league.player(names[1]).user_id)
    player, floor = signed_in(user), signed_in(user, bare.handler())
    after = reverse("fixture-after", args=[campaign.league.token, fixture])
    roster = f"/{stored(user, SINGLES + 1)}/"
    tasks = {
        APPEND: lambda: take_act(campaign.asked, campaign.warbands[first], GIFT),
        PAGE: lambda: player.get(after),
        FLOOR: lambda: floor.get(roster),
    }
    times = interleaved(tasks, rounds=ROUNDS)
    count = queries_of(tasks[PAGE])
    ratio = times.cpu[PAGE] / times.cpu[FLOOR]
    cost = times.cpu[APPEND]
    rows = [
        [f"{APPEND}, cpu ms", cost, APPEND_MS, verdict(cost, APPEND_MS)],
        [f"{PAGE}, times the bare page", ratio, TIMES, verdict(ratio, TIMES)],
        [f"{PAGE}, queries", count, QUERIES, verdict(count, QUERIES)],
    ]
    table([f"{BATTLES} battles of {WARBANDS} warbands", "", "budget", ""], rows)


def play(campaign: Campaign, one: str, other: str) -> None:
    """Fight a battle, let the site throw all that it asks for, and choose what comes first."""
    fight(campaign, one, other)
    campaign.settle(one)
    campaign.settle(other)


def fight(campaign: Campaign, one: str, other: str) -> str:
    """The first beats the other, three of whose models are put out; returns the game."""
    fixture = campaign.game(one, other)
    warband = campaign.ledger.state.warbands[campaign.warbands[other]]
    out = [{"who": key, "by": None} for key in list_lineup(warband)[-3:]]
    campaign.report(fixture, one, fates={other: out, one: []})
    return fixture
