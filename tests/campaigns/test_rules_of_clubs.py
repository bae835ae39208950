"""Campaigns by rules of a club's own: typed, and played in every rule system."""

from typing import Any

import pytest

from battles.queries.battles import load_battle
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.results import FieldChoice
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.reports import load_growth
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture, report_result
from campaigns.operations.rounds import publish_round
from campaigns.queries.records import Outcome
from engine.growth.dues import ADVANCE, Due
from engine.growth.state import WarbandGrowth
from engine.records import JsonObject
from rulesdata import registry
from rulesdata.operations.campaign_rules import write_campaign_rules
from rulesdata.queries.campaign_rules import load_campaign_rules
from rulesdata.schema.campaigns import CampaignRulesFile
from tests.campaigns.growing import Campaign
from tests.campaigns.leagues import League, make_campaign, make_round
from tests.factories import make_person, make_user
from tests.rulesdata.rules_editor import Editor
from tests.systems import keys_with
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import create_from_starter
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db
KEYS = keys_with("battle")


def begun(league: League, rules: str) -> Campaign:
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(rules))
    publish_round(campaign.asked, 1)
    return campaign


def fought(campaign: Campaign, winner: str, **fates: list[JsonObject]) -> str:
    """Play a game of the two players; ``fates`` by the player's name. Returns its token."""
    league = campaign.league
    pair = tuple(entry.token for entry in league.entries)
    fixture = add_fixture(campaign.asked, 1, FixtureDraft(entries=pair))
    battle = field_fixture(campaign.asked, fixture, FieldChoice())
    record = load_battle(league.organiser, battle)
    assert record is not None
    how = next(one.id for one in record.rules.endings.values() if one.has_winner)
    by_entry = {league.entry(name).token: told for name, told in fates.items()}
    told = Outcome(winner=league.entry(winner).token, how=how, fates=by_entry)
    report_result(campaign.asked, fixture, told)
    return fixture


def answered(campaign: Campaign) -> int:
    """Answer everything that is asked, by the site's dice and the first choice; return how much.

    Advances come last, as on the page: whoever is dead by then advances no more.
    """
    count = 0
    while dues := campaign.ledger.state.open:
        due = min(dues, key=_is_advance)
        choice = due.choices[0][0] if due.choices else None
        answer = GivenAnswer(due.key, choice=choice)
        answer_dues(campaign.asked, due.warband, [answer])
        count += 1
        assert count < 200
    return count


def _is_advance(due: Due) -> bool:
    return due.kind == ADVANCE


def state_of(campaign: Campaign, name: str) -> WarbandGrowth:
    return campaign.ledger.state.warbands[campaign.warbands[name]]


# Every system


def own_rules(key: str, stat: str) -> JsonObject:
    """Rules of a club for a system: a leader, others, an injury and an advance."""
    return {
        "format": "campaign-rules/1",
        "id": f"own-{key}",
        "name": f"Own rules of {key}",
        "systems": [key],
        "currencies": [{"id": "coins", "name": "coins", "start": 50_000}],
        "prices": {"currency": "coins"},
        "kinds": [
            {
                "id": "chief",
                "name": "Chief",
                "match": {"leader": True},
                "steps": [1, 2],
                "advances": "learns",
                "injuries": "hurt",
            },
            {
                "id": "other",
                "name": "Other",
                "is_group": True,
                "steps": [1],
                "advances": "learns",
                "injuries": "hurt",
            },
        ],
        "experience": [{"id": "f", "name": "Fought", "when": "fought", "amount": 1}],
        "income": [{"currency": "coins", "when": "result", "won": 9, "lost": 5}],
        "rating": [{"of": "price"}],
        "tables": {
            "learns": {
                "dice": "D6",
                "rows": [
                    {"least": 1, "most": 6, "name": "Better", "effect": {"raise": [stat]}}
                ],
            },
            "hurt": {
                "dice": "D3",
                "rows": [
                    {"least": 1, "most": 1, "name": "Away", "effect": {"misses": 1}},
                    {"least": 2, "most": 3, "name": "Fine", "effect": {}},
                ],
            },
        },
    }


@pytest.mark.parametrize("key", KEYS)
def test_every_system_is_played_by_rules_of_a_club(key: str) -> None:
    assert len(KEYS) >= 5
    base = registry.load_base(key)
    variant = base.variant_keys[0] if base.variants else None
    system = registry.load_system(key, variant)
    league = make_campaign(players=2, system=key, variant=variant or "", points_limit=None)
    document = own_rules(key, system.stats[-1].key)
    written = write_campaign_rules(league.organiser, league.club.slug, document)
    campaign = begun(league, written.id)
    starter = starters(system.address)[0].key
    for entry in league.entries:
        player = league.player(entry.name)
        token = create_from_starter(WriteContext(player), starter).token
        asked = ChangeRequest(player, league.token)
        draft = FoundingDraft(entry.token, warband=token)
        campaign.warbands[entry.name] = found_warband(asked, draft)
    before = state_of(campaign, "Ben").treasury["coins"]
    fates = [{"who": _first_model(state_of(campaign, "Ben")), "by": None}]
    fought(campaign, "Ada", Ben=fates)
    assert answered(campaign) > 2
    assert state_of(campaign, "Ben").treasury["coins"] == before + 5
    # Not every starter has a leader.
    first = next(iter(state_of(campaign, "Ada").warriors.values()))
    assert first.experience == first.joined.experience + 1


def _first_model(band: WarbandGrowth) -> str:
    key, warrior = next(iter(band.warriors.items()))
    return key if warrior.count == 1 else f"{key}#1"


# A set typed on the page of a draft

TYPED = """
# Gold buys things, fame is a column of the standings.
format: campaign-rules/1
id: ruined-city
name: Ruined city
currencies:
- {id: gold, name: gold, start: 200}
- {id: fame, name: fame, start: 0, is_spent: false}
prices: {currency: gold}
limits: {models: 15}
kinds:
- id: hired
  name: Hired sword
  match: {hired: true}
  steps: [2, 5]
  advances: hero-advance
  injuries: henchman-injury
  lists: [combat]
- id: hero
  name: Hero
  match: {leader: true, categories: [lord, hero]}
  most: 6
  steps: [1, 2, 4, 6, 8, 11]
  advances: hero-advance
  injuries: hero-injury
  lists: [combat, speed]
- id: henchmen
  name: Henchmen
  is_group: true
  steps: [2, 5, 9, 14]
  advances: henchman-advance
  injuries: henchman-injury
  lists: [speed]
experience:
- {id: survived, name: Survived, when: fought, amount: 1}
- {id: took-out, name: Took out, when: put_out, amount: 1, kinds: [hero, hired]}
- {id: leader-won, name: Leader won, when: leader_won, amount: 1, kinds: [hero]}
income:
- {currency: gold, when: dice, dice: 2D6, times: 5, name: Stones}
- {currency: fame, when: result, won: 2, drawn: 1}
upkeep: {currency: gold, free_models: 12, each: 2}
rating: [{of: price}, {of: experience}]
underdog: [{from: 25, experience: 1, kinds: [hero]}]
maxima: {gain: {hero: {WS: 2, BS: 2, S: 1}, henchmen: {WS: 1, BS: 1}}}
tables:
  hero-advance:
    dice: 2D6
    rows:
    - {least: 2, most: 7, name: New skill, effect: {skill: true}}
    - {least: 8, most: 12, name: Stronger, effect: {raise: [WS, BS]}, otherwise: {skill: true}}
  henchman-advance:
    dice: D6
    rows:
    - {least: 1, most: 5, name: Drill, effect: {raise: [WS, BS]}}
    - {least: 6, most: 6, name: Talent, effect: {promote: hero}, otherwise: {skill: true}}
  hero-injury:
    dice: D66
    rows:
    - {least: 11, most: 15, name: Dead, effect: {gone: true}}
    - {least: 16, most: 26, name: Hurt, effect: {table: deep}}
    - {least: 31, most: 55, name: Full recovery, effect: {}}
    - {least: 56, most: 61, name: Robbed, effect: {loses: all}}
    - {least: 62, most: 62, name: Captured, effect: {captive: true}}
    - {least: 63, most: 66, name: Learns, effect: {experience: 1}}
  deep:
    dice: D6
    rows:
    - {least: 1, most: 3, name: Leg, effect: {lower: M}}
    - {least: 4, most: 5, name: Old wound, effect: {old_wound: {dice: D6, at_most: 1}}}
    - {least: 6, most: 6, name: Rests, effect: {misses: D3}}
  henchman-injury:
    dice: D6
    rows:
    - {least: 1, most: 2, name: Dead, effect: {gone: true}}
    - {least: 3, most: 6, name: Recovers, effect: {}}
skills:
  combat: [{id: mighty, name: Mighty, effects: {S: 1}, words: Hits hard.}]
  speed: [{id: runner, name: Runner, effects: {M: 1}}, {id: climber, name: Climber}]
trade:
  sell: [1, 2]
  lists: true
  search: {dice: 2D6, who: [hero]}
  goods:
  - {id: rope, name: Rope, price: 5, words: Climbs without a test.}
  - {id: fine-sword, name: Fine sword, price: 20, rare: 8, effects: {WS: 1}, kinds: [hero]}
leader: {successors: [hero, henchmen]}
gone_gear: stash
captives: {ransom: {part: [1, 2], least: 5}, refused: 10}
hired:
- id: pit-fighter
  name: Pit fighter
  price: 30
  upkeep: 15
  stats: {M: 4, WS: 4, BS: 3, S: 4, T: 4, W: 1, I: 4, A: 2, Ld: 7}
"""


def typed_set(editor: Editor) -> str:
    """Type a set with heroes, henchmen, hired swords, a stash and rare things; return its id.

    The text comes first, then the purse in the form.
    """
    editor.begin("Ruined city")
    assert editor.send(text=TYPED).status_code == 302
    saved = editor.save(**{"currencies-0-start": "300"})
    assert saved.status_code == 302, saved.content.decode()
    return f"own/{saved['Location'].rstrip('/').rpartition('/')[2]}"


def test_a_set_that_was_typed_is_played_to_the_third_battle() -> None:
    organiser = make_person(user=make_user(name="Olga"))
    editor = Editor(organiser)
    rules = typed_set(editor)
    CampaignRulesFile.model_validate(load_campaign_rules(organiser, rules).document)
    campaign = begun(make_campaign(players=2, organiser=organiser), rules)
    for name in ("Ada", "Ben"):
        campaign.found(name)
    assert state_of(campaign, "Ada").treasury == {"gold": 126, "fame": 0}
    ada = campaign.league.entry("Ada").token
    band = campaign.warbands["Ada"]

    def act(**given: Any) -> int:
        return take_act(campaign.asked, band, GivenAct(**given))

    fought(
        campaign, "Ada", Ben=[{"who": "w2", "by": f"{ada}/w1"}, {"who": "w3#1", "by": None}]
    )
    assert answered(campaign) >= 4
    otto = state_of(campaign, "Ada").warriors["w1"]
    assert (otto.experience, otto.kind) == (3, "hero")
    act(kind="buy", good="", option="rope", bearer="w1")
    act(kind="search", seeker="w2", good="fine-sword", bearer="stash", faces=(6, 6))
    act(kind="recruit", profile="pit-fighter", name="Bruno", hired=True)
    grown = state_of(campaign, "Ada")
    assert [piece.id for piece in grown.stash] == ["fine-sword"]
    assert next(reversed(grown.warriors.values())).kind == "hired"
    act(kind="give", item="fine-sword", source="stash", target="w1")
    fought(campaign, "Ben", Ada=[{"who": "w3#2", "by": None}])
    answered(campaign)
    fought(campaign, "Ada")
    answered(campaign)
    grown = state_of(campaign, "Ada")
    assert grown.warriors["w1"].experience >= 6
    assert grown.treasury["fame"] == 4
    assert not load_growth(organiser, campaign.league.token).superseded()
