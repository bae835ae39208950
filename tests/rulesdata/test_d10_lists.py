"""A club's own list of the d10 skirmish works by the rules as the starter list does.

Worked examples: 004 L45 (armour values), L58 (a second range), L71-74 (melee bonuses), L77-79
(armour), L168-171 (the casualty test of a big model).
"""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from engine.equipment import carried_weapons
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import Agreement, Roster, RosterEntry
from engine.rules import CombatRules
from engine.selection import select
from engine.stat_lines import stat_lines
from engine.types.lists import Army, Figure
from odds import duels
from odds.circumstances import Encounter
from odds.combat_profiles import read_combat_profile
from rulesdata import registry
from rulesdata.models import Armour, Collection, Profile, System, Weapon
from rulesdata.operations.own_lists import ListDraft, create_list
from rulesdata.text import armour_words
from tests.factories import make_club, make_person

pytestmark = pytest.mark.django_db

SYSTEM = "d10-skirmish"


class Garage:
    """An empty list of a club, with the browser of its organiser."""

    def __init__(self) -> None:
        organiser = make_person()
        club = make_club(owner=organiser)
        loaded = {"data_hash": "", "loaded_at": timezone.now()}
        Collection.objects.get_or_create(key="d10", defaults={"name": "d10", **loaded})
        System.objects.get_or_create(key=SYSTEM, defaults={"name": "d10", **loaded})
        token = create_list(organiser, club.slug, ListDraft("Garage", "d10", ""))
        self.token, self.client = token, Client()
        self.client.force_login(User.objects.get(pk=organiser.user_id))
        self.url = f"/rules/clubs/{club.slug}/lists/{token}/"

    def post(self, page: str, **sent: str) -> None:
        answer = self.client.post(f"{self.url}{page}/new/", sent)
        assert answer.status_code == 302, answer.content.decode()

    def add_unit(self, name: str, *carries: str, **changes: str) -> None:
        stats = dict.fromkeys(("Sh", "Me", "Df"), "0") | {"Mv": "6"}
        values = dict.fromkeys(("Fr", "Si", "Re"), "–")
        sent = {f"stat-{key}": value for key, value in {**stats, **values}.items()}
        frame = {"options-TOTAL_FORMS": "0", "options-INITIAL_FORMS": "0"}
        plain = {
            "category": "small",
            "troop_type": "soldier",
            "points": "0",
            "miniatures": "1",
        }
        data = {"name": name, **plain, **sent, **frame, **changes}
        answer = self.client.post(
            f"{self.url}profiles/new/", {**data, "default_equipment": carries}
        )
        assert answer.status_code == 302, answer.content.decode()

    @property
    def army(self) -> Army:
        return registry.load_army(SYSTEM, self.token)

    def line(self, key: str) -> dict[str, Figure]:
        return dict(stat_lines(select(self.army, RosterEntry(key)), self.army)[0].stats)

    def findings(self, key: str) -> tuple[Finding, ...]:
        roster = Roster(SYSTEM, self.token, warriors=(RosterEntry(key),))
        return check(roster, registry.load_system(SYSTEM), self.army)


@pytest.fixture
def garage() -> Garage:
    return Garage()


def encounter(army: Army, attacker: str, target: str, **given: Any) -> Encounter:
    system = registry.load_system(SYSTEM)
    both = [
        read_combat_profile(RosterEntry(key), army, system) for key in (attacker, target)
    ]
    one, other = both
    assert one
    assert other
    rules = CombatRules.from_mapping(system.combat)
    return Encounter(duels, system, rules, one, other, given)


def test_armour_betters_the_defence_of_an_own_profile(garage: Garage) -> None:
    garage.post("armour", name="Riot shield", defence="2")
    garage.add_unit("Guard", "own-riot-shield", "flak-jacket")
    assert garage.line("own-guard")["Df"] == 3
    assert Armour.objects.get(name="Riot shield").data["defence"] == 2


def test_armour_gives_values_and_the_higher_one_counts(garage: Garage) -> None:
    garage.post("armour", name="Plates", armour_values="2, 1, 0")
    garage.add_unit("Walker", "own-plates", category="big", **{"stat-Si": "3"})
    line = garage.line("own-walker")
    assert (line["Fr"], line["Si"], line["Re"]) == (2, 3, 0)


def test_a_big_model_needs_its_armour_values(garage: Garage) -> None:
    garage.add_unit("Tank", category="big", **{"stat-Fr": "3"})
    (finding,) = [f for f in garage.findings("own-tank") if f.level == "error"]
    assert finding.message == (
        "Tank is a big model and needs a value for each side; these are missing: "
        "side armour value, rear armour value."
    )
    page = garage.client.get(f"{garage.url}profiles/own-tank/").content.decode()
    assert "Armour values missing" in page
    armour = garage.army.armour
    told = {key: armour_words(armour[key]) for key in ("flak-jacket", "powered-armour")}
    assert told == {
        "flak-jacket": "defence +1",
        "powered-armour": "armour values 1 front, 1 side, 1 rear",
    }
    garage.add_unit("Guard")
    assert garage.findings("own-guard") == ()


def test_a_weapon_has_a_melee_bonus_a_second_range_and_penetration(garage: Garage) -> None:
    garage.post(
        "weapons", name="Drill", type="melee", melee_attack="3", armour_penetration="2"
    )
    garage.post(
        "weapons",
        name="Twin gun",
        type="missile",
        range="20",
        shots="1",
        close_range="8",
        close_shots="3",
    )
    garage.add_unit("Guard", "own-drill", "own-twin-gun")
    selection = select(garage.army, RosterEntry("own-guard"))
    notes = {a.key: a.notes for a in carried_weapons(selection, garage.army)}
    assert notes == {
        "own-drill": ("+3 to melee attacks", "armour penetration 2"),
        "own-twin-gun": ("1 shot", "or 3 shots up to 8″"),
    }
    met = encounter(garage.army, "own-guard", "own-guard", close=True)
    assert duels.melee_inputs(met)["attack_modifier"] == 3
    assert met.missile
    assert duels.ranged_inputs(met, met.missile)["shots"] == 3
    assert "strength" not in Weapon.objects.get(name="Drill").data


@pytest.mark.parametrize("page, sent, said", [
    ("weapons", {"type": "missile", "close_range": "6"}, "its number of shots, or neither"),
    ("armour", {"armour_values": "1, 1"}, "enter 3 whole numbers, or none"),
    ("armour", {}, "enter a bonus, or three armour values"),
])  # fmt: skip
def test_half_a_figure_is_refused_in_words(garage, page, sent, said):
    answer = garage.client.post(f"{garage.url}{page}/new/", {"name": "Half", **sent})
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_forms_show_the_figures_of_their_list_alone(garage: Garage) -> None:
    page = garage.client.get(f"{garage.url}weapons/new/").content.decode()
    assert "Melee bonus" in page
    assert "Strength" not in page
    page = garage.client.get(f"{garage.url}profiles/new/").content.decode()
    assert "Big models need the armour values Fr, Si and Re" in page
    assert Profile.objects.filter(army__token=garage.token).count() == 0


def test_the_casualty_test_after_a_shot_goes_by_the_kind_of_its_target(garage):
    garage.post(
        "weapons",
        name="Lance",
        type="missile",
        range="18",
        shots="1",
        armour_penetration="2",
    )
    garage.add_unit("Guard", "own-lance")
    values = {f"stat-{key}": "2" for key in ("Fr", "Si", "Re")}
    garage.add_unit("Tank", category="big", **values)
    down = Fraction(45, 100)  # D10 against D10, the higher one wins
    small = encounter(garage.army, "own-guard", "own-guard")
    assert duels.measured(small, "removed") == down / 2
    # Half of the big models fail, and half of these are removed, a quarter explode.
    big = encounter(garage.army, "own-guard", "own-tank")
    assert duels.measured(big, "removed") == down / 2 * Fraction(3, 4)
    (after,) = [one for one in duels.exhibits(big) if one.key == "removed"]
    chances = {row.name: row.chance for row in after.outcomes}
    assert chances["Immobilised"] == down / 2 / 4
    assert sum(chances.values()) == 1


def test_the_ruling_on_powered_armour_takes_its_values_away() -> None:
    trooper = RosterEntry("powered-armour-trooper")
    values = []
    for agreed in (Agreement(), Agreement((("C58", 1),))):
        army = registry.fielded_army(
            registry.load_system(SYSTEM, None, agreed), "starter-list"
        )
        values.append(stat_lines(select(army, trooper), army)[0].stats["Fr"])
    assert values == [1, None]


@pytest.mark.parametrize("chosen, defence", [((), 0), ((("G44", 1),), 2)])
def test_the_ruling_on_defence_counts_the_targets_weapon(chosen, defence):
    system = registry.load_system(SYSTEM, None, Agreement(chosen))
    army = registry.fielded_army(system, "starter-list")
    met = encounter(army, "recruit", "swordsman")
    rules = registry.combat_rules(SYSTEM, None, Agreement(chosen))
    assert duels.melee_inputs(met._replace(rules=rules))["defence_modifier"] == defence
