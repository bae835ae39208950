"""The demo club: its campaign of four warbands that have grown through three rounds, and its end.

All of it goes through the operations that players use. The dice are the same every time.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any

from django.db import transaction

from accounts.models import Club, User
from accounts.operations.demo import DEMO_DOMAIN, DEMO_SLUG
from accounts.operations.people import close_account
from accounts.owner import Owner
from battles.operations.ownership import delete_battles_among
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.reports import GrowthReport, load_growth
from campaigns.models import ClubEvent, EventVisibility
from campaigns.operations.entries import add_entry
from campaigns.operations.events import create_event
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import report_result
from campaigns.operations.rounds import RoundDraft, add_round, close_round, publish_round
from campaigns.operations.rows import update_row
from campaigns.queries.records import EventTerms, Outcome
from engine.growth.dues import CLAIM, Due
from engine.growth.tables import dice_of
from engine.records import JsonObject
from rulesdata import registry
from warbands.models import Warband, WarbandVisibility

NAME, RULES = "The River War", "muster-campaign"
TIMES_ASKED = 40
"""So many times one warband may be asked after a battle before the demo is given up."""
Warriors = Sequence[JsonObject]
BANDS: Sequence[tuple[str, str, str, Warriors]] = (
    (
        "Tom",
        "the-empire",
        "River Patrol",
        (
            {
                "profile": "captain",
                "name": "Otto",
                "leader": True,
                "options": ["heavy-armour", "shield"],
            },
            {"profile": "master-engineer", "name": "Ilse"},
            {"profile": "swordsmen", "count": 5},
            {"profile": "crossbowmen", "count": 4},
        ),
    ),
    (
        "Ruth",
        "skaven",
        "The Undertow",
        (
            {
                "profile": "chieftain",
                "name": "Skreel",
                "leader": True,
                "options": ["heavy-armour", "halberd"],
            },
            {"profile": "warlock-engineer", "name": "Itch"},
            {"profile": "clanrats", "count": 6},
            {"profile": "night-runners", "count": 4},
        ),
    ),
    (
        "Jonas",
        "orcs-and-goblins",
        "Crag Mob",
        (
            {
                "profile": "orc-big-boss",
                "name": "Gruk",
                "leader": True,
                "options": ["light-armour"],
            },
            {"profile": "orc-boyz", "count": 8},
            {"profile": "orc-arrer-boyz", "count": 4},
        ),
    ),
    (
        "Hanna",
        "dwarfs",
        "Oakhold",
        (
            {"profile": "thane", "name": "Borri", "leader": True},
            {"profile": "engineer", "name": "Kadri"},
            {"profile": "dwarf-warriors", "count": 5},
            {"profile": "thunderers", "count": 4},
        ),
    ),
)
# Who meets whom in each round, by their place above; the first of each pair wins.
ROUNDS = (((0, 1), (3, 2)), ((3, 0), (2, 1)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
PLAYED = 3
# Who of the winners, and who of the losers, was taken out.
CASUALTIES = (
    (("w3#1",), ("w2", "w3#1", "w3#2")),
    ((), ("w1", "w2#1", "w2#2")),
    (("w3#2",), ("w2", "w3#1")),
    (("w2#1",), ("w2", "w3#1")),
)
LOOT = (2, 1)
# What the dice show, one after the other, again and again.
FACES = (4, 2, 5, 6, 3, 1, 6, 2, 5, 4, 3, 6, 1, 5, 2, 4, 3, 5, 6, 1, 4, 3, 2)


def make_demo_campaign(club: Club, organiser: User, members: Mapping[str, User]) -> str:
    """Make the campaign with these members by name, up to its fourth round; returns its token."""
    terms = EventTerms(
        name=NAME,
        kind="campaign",
        method="challenge",
        system=registry.rulesets()[0].key,
        place="Harbour Street",
        description="Warbands that fight for the river, and carry their past.",
        rounds_planned=len(ROUNDS),
        visibility=EventVisibility.PUBLIC,
    )
    token = create_event(Owner(user_id=organiser.pk), club.slug, terms)
    asked = ChangeRequest(Owner(user_id=organiser.pk), token)
    set_growth_rules(asked, RulesDraft(RULES))
    entries = [_founded(asked, members[band[0]], band) for band in BANDS]
    dice, casualties = cycle(FACES), cycle(CASUALTIES)
    for pairs in ROUNDS:
        number = add_round(asked, RoundDraft())
        publish_round(asked, number)
        for pair in pairs:
            one, other = (entries[place] for place in pair)
            fixture = add_fixture(asked, number, FixtureDraft(entries=(one, other)))
            if number <= PLAYED:
                _report(asked, fixture, (one, other), next(casualties))
        if number <= PLAYED:
            _settle(asked, dice)
            close_round(asked, number)
        if number == 1:
            for row in load_growth(asked.actor, asked.token).rows.values():
                take_act(
                    asked, row.token, GivenAct("buy", option="physick", bearer="stash")
                )
    return token


def _founded(
    asked: ChangeRequest, member: User, band: tuple[str, str, str, Warriors]
) -> str:
    """Let a member join and found a warband; returns the entry's token."""
    _, army, name, warriors = band
    entry = add_entry(asked, user_id=member.pk)
    roster: JsonObject = {
        "format": "muster-roll/1",
        "system": registry.rulesets()[0].key,
        "army": army,
        "name": name,
        "warriors": [dict(one) for one in warriors],
    }
    found_warband(asked, FoundingDraft(entry, roster))
    # Whoever reads the public campaign may open each roster and its sheet from there.
    copy = Warband.objects.get(entries__token=entry)
    update_row(copy, visibility=WarbandVisibility.LINK)
    return entry


def _report(
    asked: ChangeRequest,
    fixture: str,
    entries: tuple[str, str],
    casualties: tuple[Sequence[str], Sequence[str]],
) -> None:
    """Report a game that the first side won; its leader took most of the others out."""
    winner, loser = entries
    present = _present(asked)
    fates: dict[str, Any] = {}
    for entry, out, enemy in zip(entries, casualties, (loser, winner), strict=True):
        by = f"{enemy}/w1"
        fates[entry] = [{"who": one, "by": by} for one in out if one in present[entry]]
    objectives = {
        entry: {"loot": taken} for entry, taken in zip(entries, LOOT, strict=True)
    }
    told = Outcome(winner=winner, how="rout", fates=fates, objectives=objectives)
    report_result(asked, fixture, told)


def _present(asked: ChangeRequest) -> dict[str, set[str]]:
    """Return the models of each entry that can fight, as results name them."""
    report = load_growth(asked.actor, asked.token)
    found: dict[str, set[str]] = {}
    for row in report.rows.values():
        warriors = report.ledger.state.warbands[row.token].warriors.values()
        able = (one for one in warriors if not (one.gone or one.captor or one.misses))
        names: set[str] = set()
        for one in able:
            many = (f"{one.key}#{number}" for number in range(1, one.count + 1))
            names |= {one.key} if one.count == 1 else set(many)
        found[row.entry.token] = names
    return found


def _settle(asked: ChangeRequest, dice: Iterator[int]) -> None:
    """Answer everything that is open: dice by these."""
    for _ in range(TIMES_ASKED):
        dues = _next_dues(load_growth(asked.actor, asked.token))
        if not dues:
            return
        given = [_answer(due, dice) for due in dues]
        answer_dues(asked, dues[0].warband, given)


def _next_dues(report: GrowthReport) -> list[Due]:
    """Return what the next warband owes.

    In an order that does not depend on tokens, which differ from site to site.
    """
    for row in report.rows.values():
        dues = [due for due in report.ledger.state.open if due.warband == row.token]
        if dues:
            return sorted(
                dues,
                key=lambda due: (due.kind, due.warrior, due.key.replace(due.fixture, "")),
            )
    return []


def _answer(due: Due, dice: Iterator[int]) -> GivenAnswer:
    """Return the answer to a due: its dice are thrown once."""
    faces = None if due.faces or not due.dice else _thrown(dice, due.dice)
    return GivenAnswer(due.key, faces=faces, choice=_choice(due))


def _choice(due: Due) -> str | None:
    """Return the first choice, or the last territory: the first one is to claim nothing."""
    ids = [id for id, _ in due.choices]
    if not ids:
        return None
    return ids[-1] if due.kind == CLAIM else ids[0]


def _thrown(dice: Iterator[int], name: str) -> tuple[int, ...]:
    """Return the faces of one throw."""
    count, sides = dice_of(name)
    return tuple((next(dice) - 1) % sides + 1 for _ in range(count))


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
