"""The demo club: sample warbands, a league of nine, and a campaign of four of them.

Both are in their fourth round. Everything goes through the operations that players use, and the
dice of the campaign are the same every time.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import cycle

from django.db import transaction
from django.utils import timezone

from accounts.models import Club, User
from accounts.operations.demo import DEMO_DOMAIN, DEMO_SLUG, make_demo_member
from accounts.operations.people import close_account
from accounts.owner import Owner
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.ownership import delete_battles_among
from battles.operations.results import take_step
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.reports import load_growth
from campaigns.models import ClubEvent, EventVisibility, Fixture
from campaigns.operations.entries import add_entry
from campaigns.operations.events import create_event
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft, add_round, close_round, publish_round
from campaigns.operations.rows import update_row
from campaigns.queries.records import EventTerms, Outcome
from engine.growth.dues import CLAIM, Due
from engine.growth.tables import dice_of
from engine.records import Fields, grouped
from rulesdata import registry
from warbands.models import Warband, WarbandVisibility
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, create_from_starter
from warbands.queries.lists import starters

PLACE = "Harbour Street"
PLAYED = 3
"""Rounds of either event that are over; the next one is published."""
BETWEEN = timedelta(weeks=2)
SAMPLES = (
    ("the-empire", "The Ferrymen", WarbandVisibility.PUBLIC),
    ("orcs-and-goblins", "Grukk's Mob", WarbandVisibility.CLUB),
    ("high-elves", "The Lantern Watch", WarbandVisibility.LINK),
    ("skaven", "Gnaw-Tail Warren", WarbandVisibility.PRIVATE),
)
"""Warbands of the organiser. The first one plays in the league."""
PLAYERS = (
    ("Hanna", "dwarfs", "Hammer of Dun"),
    ("Elif", "high-elves", "Silverreed"),
    ("Piet", "wood-elves", "Bracken Lodge"),
    ("Jonas", "orcs-and-goblins", "Gorrak’s Lads"),
    ("Marta", "tomb-kings", "The Quiet Vault"),
    ("Tom", "bretonnians", "The Orchard Guard"),
    ("Sven", "vampire-counts", "Nine Candles"),
    ("Ruth", "skaven", "The Low Warren"),
)
# Who of the two won (None: a draw), how, and how many models each of them lost.
OUTCOMES = ((0, "rout", 2, 5), (1, "objective", 4, 3), (None, "drawn", 3, 3))


def make_sample_warband(
    owner: Owner, club: Club, army: str, name: str, visibility: str
) -> str:
    """A ready warband of a club's member; returns its token."""
    system = registry.rulesets()[0]
    key = next(row.key for row in starters(system.address) if row.sheet.army_key == army)
    token = create_from_starter(WriteContext(owner), key).token
    change_warband(
        WriteContext(owner, token), name=name, visibility=visibility, club_id=club.pk
    )
    return token


def make_demo_league(club: Club, organiser: Owner, warband: str) -> None:
    """The league, in which the organiser brings this warband against eight new members."""
    system = registry.rulesets()[0]
    terms = EventTerms(
        name="Autumn Skirmish",
        kind="league",
        method="swiss",
        system=system.key,
        points_limit=system.usual_limit(),
        place=PLACE,
        description="Every other week. Guests are welcome to watch.",
        rounds_planned=5,
        scenarios=tuple(system.scenarios)[:4],
    )
    token = create_event(organiser, club.slug, terms)
    request = ChangeRequest(organiser, token)
    add_entry(request, user_id=organiser.user_id, warband=warband)
    for name, army, called in PLAYERS:
        user_id = make_demo_member(club, name).pk
        player = Owner(user_id=user_id)
        roster = make_sample_warband(player, club, army, called, WarbandVisibility.CLUB)
        add_entry(request, user_id=user_id, warband=roster)
    evening = timezone.localtime().replace(hour=19, minute=0, second=0, microsecond=0)
    outcomes = cycle(OUTCOMES)
    for number in range(1, PLAYED + 2):
        starts_at = evening + timedelta(days=5) + BETWEEN * (number - PLAYED - 1)
        add_round(request, RoundDraft(starts_at=starts_at))
        draw_round(request, number, seed=f"demo {number}")
        publish_round(request, number)
        if number > PLAYED:
            continue
        games = Fixture.objects.filter(round__event__token=token, round__number=number)
        for game in games.exclude(other=None).select_related("one", "other"):
            _report_league_game(request, game, *next(outcomes))
        close_round(request, number)


def _report_league_game(
    request: ChangeRequest, game: Fixture, won: int | None, how: str, *lost: int
) -> None:
    """What the organiser says is final; where they play themselves the other side confirms it."""
    sides = game.sides
    figures = {side.token: {"out": out} for side, out in zip(sides, lost, strict=True)}
    winner = "" if won is None else sides[won].token
    reported = report_result(
        request, game.token, Outcome(winner=winner, how=how, figures=figures)
    )
    users = [side.user_id for side in sides]
    if request.actor.user_id in users:
        users.remove(request.actor.user_id)
        opponent = BattleCall(Owner(user_id=users[0]), reported.battle)
        take_step(opponent, ResultVerb.CONFIRM)


# The campaign


def _leader(profile: str, name: str, *options: str) -> Fields:
    return {**_hero(profile, name), "leader": True, "options": list(options)}


def _hero(profile: str, name: str) -> Fields:
    return {"profile": profile, "name": name}


def _group(profile: str, count: int) -> Fields:
    return {"profile": profile, "count": count}


# Player, army, name, and with whom the warband is founded.
BANDS = (
    (
        "Tom",
        "the-empire",
        "River Patrol",
        _leader("captain", "Otto", "heavy-armour", "shield"),
        _hero("master-engineer", "Ilse"),
        _group("swordsmen", 5),
        _group("crossbowmen", 4),
    ),
    (
        "Ruth",
        "skaven",
        "The Undertow",
        _leader("chieftain", "Skreel", "heavy-armour", "halberd"),
        _hero("warlock-engineer", "Itch"),
        _group("clanrats", 6),
        _group("night-runners", 4),
    ),
    (
        "Jonas",
        "orcs-and-goblins",
        "Crag Mob",
        _leader("orc-big-boss", "Gruk", "light-armour"),
        _group("orc-boyz", 8),
        _group("orc-arrer-boyz", 4),
    ),
    (
        "Hanna",
        "dwarfs",
        "Oakhold",
        _leader("thane", "Borri"),
        _hero("engineer", "Kadri"),
        _group("dwarf-warriors", 5),
        _group("thunderers", 4),
    ),
)
# The games of each round: who won, who lost, and who of either was taken out.
ROUNDS: Sequence[Sequence[tuple[str, str, list[str], list[str]]]] = (
    (
        ("Tom", "Ruth", ["w3#1"], ["w2", "w3#1", "w3#2"]),
        ("Hanna", "Jonas", [], ["w1", "w2#1", "w2#2"]),
    ),
    (
        ("Hanna", "Tom", ["w3#2"], ["w2", "w3#1"]),
        ("Jonas", "Ruth", ["w2#1"], ["w2"]),
    ),
    (
        ("Tom", "Jonas", ["w3#1"], ["w3#1", "w3#2"]),
        ("Ruth", "Hanna", [], ["w1"]),
    ),
    (("Tom", "Hanna", [], []), ("Ruth", "Jonas", [], [])),
)
# What the dice show, one after the other, again and again.
FACES = (4, 2, 5, 6, 3, 1, 6, 2, 5, 4, 3, 6, 1, 5, 2, 4, 3, 5, 6, 1, 4, 3, 2)
TIMES_ASKED = 40
"""So many times warbands may be asked after a round before the demo is given up."""


def make_demo_campaign(club: Club, organiser: Owner) -> None:
    """The campaign of four members of the league, whose warbands grow."""
    system = registry.rulesets()[0].key
    terms = EventTerms(
        name="The River War",
        kind="campaign",
        method="challenge",
        system=system,
        place=PLACE,
        description="Warbands that fight for the river, and carry their past.",
        rounds_planned=len(ROUNDS),
        visibility=EventVisibility.PUBLIC,
    )
    request = ChangeRequest(organiser, create_event(organiser, club.slug, terms))
    set_growth_rules(request, RulesDraft("muster-campaign"))
    members = club.memberships.filter(user__email__endswith=DEMO_DOMAIN)
    users = dict(members.values_list("user__name", "user"))
    entries = {}
    for player, army, name, *warriors in BANDS:
        entries[player] = entry = add_entry(request, user_id=users[player])
        roster = {"system": system, "army": army, "name": name, "warriors": warriors}
        found_warband(request, FoundingDraft(entry, {"format": "muster-roll/1", **roster}))
        # Whoever reads the public campaign may open each roster and its sheet from there.
        grown = Warband.objects.get(entries__token=entry)
        update_row(grown, visibility=WarbandVisibility.LINK)
    dice = cycle(FACES)
    for number, games in enumerate(ROUNDS, start=1):
        add_round(request, RoundDraft())
        publish_round(request, number)
        for winner, loser, *casualties in games:
            sides = entries[winner], entries[loser]
            game = add_fixture(request, number, FixtureDraft(entries=sides))
            if number <= PLAYED:
                _report_campaign_game(request, game, sides, *casualties)
        if number <= PLAYED:
            _settle(request, dice)
            close_round(request, number)
        if number == 1:
            purchase = GivenAct("buy", option="physick", bearer="stash")
            for row in load_growth(organiser, request.token).rows.values():
                take_act(request, row.token, purchase)


def _report_campaign_game(
    request: ChangeRequest,
    game: str,
    sides: tuple[str, str],
    winner_lost: list[str],
    loser_lost: list[str],
) -> None:
    """Report a game that the first side won. Each leader took out all that the other side lost."""
    winner, loser = sides
    outcome = Outcome(
        winner=winner,
        how="rout",
        fates={
            winner: [{"who": model, "by": f"{loser}/w1"} for model in winner_lost],
            loser: [{"who": model, "by": f"{winner}/w1"} for model in loser_lost],
        },
        objectives={winner: {"loot": 2}, loser: {"loot": 1}},
    )
    report_result(request, game, outcome)


def _settle(request: ChangeRequest, dice: Iterator[int]) -> None:
    """Answer everything that is open, one warband after the other."""
    for _ in range(TIMES_ASKED):
        report = load_growth(request.actor, request.token)
        dues = grouped((due.warband, due) for due in report.ledger.state.open)
        warband = next(
            (row.token for row in report.rows.values() if row.token in dues), None
        )
        if warband is None:
            return
        # Tokens differ from site to site, so they may not decide the order.
        dues[warband].sort(
            key=lambda due: (due.kind, due.warrior, due.key.replace(due.fixture, ""))
        )
        answer_dues(request, warband, [_answer(due, dice) for due in dues[warband]])


def _answer(due: Due, dice: Iterator[int]) -> GivenAnswer:
    """Throw the dice that are not thrown yet, and choose the first of what is on offer."""
    faces = choice = None
    if due.dice and not due.faces:
        count, sides = dice_of(due.dice)
        faces = tuple((next(dice) - 1) % sides + 1 for _ in range(count))
    if due.choices:
        # The first choice of territories is to claim none.
        choice, _ = due.choices[-1 if due.kind == CLAIM else 0]
    return GivenAnswer(due.key, faces=faces, choice=choice)


# The end of it


def remove_demo_club() -> int:
    """Delete the demo club, its events, its people and what is theirs; returns how many people.

    What real people made stays theirs, and so do battles in which one of them has a part.
    """
    with transaction.atomic():
        people = User.objects.filter(email__endswith=DEMO_DOMAIN).order_by("pk")
        ids = list(people.values_list("pk", flat=True))
        ClubEvent.objects.filter(club__slug=DEMO_SLUG).delete()
        delete_battles_among(ids)
        for user_id in ids:
            close_account(user_id)
        Club.objects.filter(slug=DEMO_SLUG).delete()
    return len(ids)
