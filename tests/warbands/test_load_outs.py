"""Load-outs side by side, and a fight in which both strike."""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.owner import NOBODY
from odds.circumstances import Encounter
from warbands.queries.odds import build_page
from warbands.queries.odds_subjects import BothStrike, both_strike, find_odds_subject

KEY = "p:warhammer-skirmish:the-empire:halberdiers"
CAPTAIN = "p:warhammer-skirmish:the-empire:captain"


class Mode:
    """A way to meet with chances that anybody can reckon: the attacker's 1/4 and 1/2, the target's
    1/3 and 2/3.
    """

    BOTH_STRIKE = ("out", "down")

    def measured(self, met: Encounter, measure: str) -> Fraction:
        is_first = met.attacker.title == "A"
        chances = ((1, 4), (1, 2)) if is_first else ((1, 3), (2, 3))
        return Fraction(*chances[measure == "down"])


class Fighter:
    def __init__(self, title: str, initiative: int) -> None:
        self.title, self.initiative = title, initiative

    def figure(self, name: str) -> int:
        assert name == "initiative"
        return self.initiative


@pytest.mark.parametrize("charging, initiative, expected", [
    # The attacker first: what it leaves standing strikes back.
    (True, 1, (Fraction(1, 4), Fraction(1, 6))),
    (False, 4, (Fraction(1, 4), Fraction(1, 6))),
    # The target first.
    (False, 2, (Fraction(1, 12), Fraction(1, 3))),
    # At once: both may fall.
    (False, 3, (Fraction(1, 4), Fraction(1, 3))),
])  # fmt: skip
def test_both_strike_in_their_order(charging, initiative, expected):
    attacker: Any = Fighter("A", initiative)
    target: Any = Fighter("B", 3)
    mode: Any = Mode()
    met = Encounter(mode, None, None, attacker, target, {"charging": charging})
    found = both_strike(met)
    assert isinstance(found, BothStrike)
    assert (found.takes_out, found.is_taken_out) == expected


def test_load_outs_stand_beside_what_was_chosen() -> None:
    first, second = find_odds_subject(NOBODY, CAPTAIN), find_odds_subject(NOBODY, KEY)
    page = build_page(first, second, {}, is_asked=False)
    chosen, *others = page["load_outs"]
    assert (chosen.name, chosen.points) == ("As chosen", 50)
    assert others
    armed = next(one for one in others if one.name == "With Great Weapon")
    assert armed.points > 50
    assert armed.chance > chosen.chance
    assert armed.price == f"{float(armed.points / armed.chance):.0f}"
    assert all((one.chance, one.fight) != (chosen.chance, chosen.fight) for one in others)


@pytest.mark.django_db
def test_page_shows_them_and_one_roll_has_no_both_strike() -> None:
    address = reverse("odds-read")
    html = Client().get(f"{address}?a={CAPTAIN}&b={KEY}").content.decode()
    assert "Is it worth it?" in html
    assert "Points for each casualty" in html
    assert "Both strike: takes out" in html


def test_own_load_outs_are_what_each_column_chose() -> None:
    first, second = find_odds_subject(NOBODY, CAPTAIN), find_odds_subject(NOBODY, KEY)
    sets = [None, ("great-weapon",), ()]
    page = build_page(first, second, {}, sets, is_asked=False)
    found = [column["load_out"] for column in page["columns"]]
    assert all(one is not None for one in found)
    assert page["faults"] == ()
    by_name = {one.name: one for one in page["load_outs"]}
    as_chosen, great, plain = found
    assert as_chosen is not None
    assert great is not None
    assert plain is not None
    assert (as_chosen.points, as_chosen.chance) == (
        by_name["As chosen"].points,
        by_name["As chosen"].chance,
    )
    armed = by_name["With Great Weapon"]
    assert (great.points, great.chance, great.fight) == (
        armed.points,
        armed.chance,
        armed.fight,
    )
    ticks = {option.key: told for option, told in page["option_rows"]}
    assert ticks["great-weapon"] == [(1, False), (2, True), (3, False)]


def test_options_that_exclude_each_other_are_refused_by_column() -> None:
    first, second = find_odds_subject(NOBODY, CAPTAIN), find_odds_subject(NOBODY, KEY)
    sets = [(), ("great-weapon", "halberd")]
    page = build_page(first, second, {}, sets, is_asked=False)
    assert [one["load_out"] is None for one in page["columns"]] == [False, True]
    (fault,) = page["faults"]
    assert (fault.field, "not both" in fault.message) == ("l2", True)


@pytest.mark.django_db
def test_page_compares_sets_that_somebody_chose() -> None:
    address = f"{reverse('odds-read')}?a={CAPTAIN}&b={KEY}"
    ask = Client()
    assert 'name="sets" value="2"' in ask.get(address).content.decode()
    html = ask.get(f"{address}&sets=2").content.decode()
    assert "Load-out 2" in html
    assert "Load-out 3" not in html
    asked = f"{address}&sets=2&sets=3&l1=&l2=&l2=great-weapon&l2=nonsense&l3="
    html = ask.get(asked).content.decode()
    assert 'aria-label="Great Weapon in load-out 2" checked' in html
    assert 'aria-label="Great Weapon in load-out 1" checked' not in html
    assert "Remove the last load-out" in html
    clash = ask.get(f"{address}&sets=2&l1=&l2=great-weapon&l2=halberd")
    assert clash.status_code == 422
    for wrong in ("1", "5", "x", "2222"):
        page = ask.get(f"{address}&sets={wrong}")
        assert (page.status_code, "Load-out 1" in page.content.decode()) == (200, False)
