"""`odds/`: the worked examples and the rulings, exactly; what cannot be asked is a 400 that names
it. No database.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from engine.calls import CALLS, available
from rulesdata import registry
from tests.api.conftest import document, is_refusal
from tests.systems import systems_with

ODDS, ROLL = "/api/v1/odds/", "/api/v1/roll/"
CASES = Path(__file__).parents[1] / "engine"
EXAMPLES = yaml.safe_load((CASES / "examples.yaml").read_text(encoding="utf-8"))
RULED = yaml.safe_load((CASES / "rulings.yaml").read_text(encoding="utf-8"))
SKIRMISH = "warhammer-skirmish"
HIT = {"strength": 3, "toughness": 3}
MAN = {"ws": 3, "strength": 3}
TARGET = {"ws": 3, "toughness": 3}
BOTH = pytest.mark.parametrize("address", [ODDS, ROLL])
WITHOUT_DICE = {
    "armour_guards_attacker",
    "frenzy_and_hatred",
    "voluntary_rout_test",
    "low_av_melee_only",
    "penetration_must_reach",
    "melee_weapon_defends",
}


def question(call="hit", inputs=HIT, system=SKIRMISH, **fields):
    return {
        "system": system,
        "variant": None,
        "call": call,
        "inputs": inputs,
        "rulings": {},
        **fields,
    }


def refused(post, body, field, address=ODDS):
    """The message of the one fault, which must be about that field."""
    answer = post(body, address)
    assert answer.status_code == 400, answer.content
    assert is_refusal(answer)
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert answer.json()["detail"].startswith(field)
    return error["message"]


# What comes out
# -------------------------------------------------------------------------------------------------------


def test_answer_has_the_promised_shape(post):
    answer = post(question(), ODDS)
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["outcomes", "values", "steps"]
    assert body["outcomes"]["out_of_action"] == {"fraction": "11/54", "decimal": 0.203704}
    assert body["values"] == {}
    assert body["steps"][1].startswith("Wounds on 4+")


@pytest.mark.parametrize("case", EXAMPLES, ids=[case["title"] for case in EXAMPLES])
def test_example_comes_out_exactly(post, case):
    body = question(
        case["call"],
        case["inputs"],
        case["system"],
        variant=case.get("variant"),
        rulings=case.get("rulings", {}),
    )
    answer = post(body, ODDS).json()
    expected = {name: Fraction(chance) for name, chance in case["outcomes"].items()}
    assert answer["outcomes"] == {
        name: {"fraction": str(chance), "decimal": round(float(chance), 6)}
        for name, chance in expected.items()
    }
    assert answer["values"] == case.get("values", {})
    assert answer["steps"]


@pytest.mark.parametrize(
    "case", RULED, ids=[f"{c['system']} {c['rulings']}" for c in RULED]
)
def test_ruling_changes_the_figure_it_is_about(post, case):
    body = question(
        case["call"],
        case["inputs"],
        case["system"],
        variant=case.get("variant"),
        rulings=case["rulings"],
    )
    outcomes = post(body, ODDS).json()["outcomes"]
    assert outcomes.get(case["outcome"], {"fraction": "0"})["fraction"] == case["chance"]


def test_every_alternative_of_the_rule_books_has_a_case():
    told = {
        (r.key, _plain(v))
        for s in registry.rulesets()
        for r in s.rulings
        for v in r.values[1:]
        if v is not None
    }
    tried = {
        (key, _plain(value)) for case in RULED for key, value in case["rulings"].items()
    }
    assert {pair for pair in told if pair[0] not in WITHOUT_DICE} <= tried
    assert len(told) > 25


def _plain(value):
    return (
        "none"
        if value is None
        else json.dumps(value)
        if isinstance(value, bool)
        else str(value)
    )


def test_certain_outcomes_are_whole(post):
    body = question("rout_test", {"force_size": 12, "out_of_action": 1})
    assert post(body, ODDS).json()["outcomes"] == {
        "fight_on": {"fraction": "1", "decimal": 1.0}
    }
    hopeless = {"ws_attacker": 1, "ws_defender": 1, "strength": 1, "toughness": 10}
    never = question("unit_attacks", hopeless, "english-civil-war")
    assert post(never, ODDS).json()["outcomes"]["expected_casualties"] == {
        "fraction": "0",
        "decimal": 0.0,
    }


def test_what_may_be_left_out(post):
    whole = post(question("affordable_bonus_dice", {}, "d10-skirmish"), ODDS).json()
    assert (
        post({"system": "d10-skirmish", "call": "affordable_bonus_dice"}, ODDS).json()
        == whole
    )
    assert (
        post(
            question("affordable_bonus_dice", {}, "d10-skirmish", rulings=None), ODDS
        ).json()
        == whole
    )


def test_rulings_without_dice_change_nothing(post):
    plain = post(question(), ODDS).json()
    rulings = {"interception": "fail", "flee_distance": "flat_2d6", "max_wizards": 2}
    assert post(question(rulings=rulings), ODDS).json() == plain


def test_a_ruling_may_be_named_by_its_number(post):
    inputs = {"strength": 4, "toughness": 3, "save": 1}
    by_key = post(question("cavalry_hit", inputs, rulings={"best_save": 2}), ODDS).json()
    assert post(question("cavalry_hit", inputs, rulings={"G11": 2}), ODDS).json() == by_key
    assert post(question("cavalry_hit", inputs), ODDS).json() != by_key
    assert (
        post(
            question("cavalry_hit", inputs, rulings={"C15": "fail", "G20": "points"}), ODDS
        ).status_code
        == 200
    )
    message = refused(
        post, question(rulings={"G11": 2, "best_save": 2}), "rulings.best_save"
    )
    assert "one ruling" in message


def test_every_ruling_of_every_rule_book_is_taken_by_its_number(post):
    for book in systems_with("combat"):
        call = available(registry.combat_rules(book.key, book.variant))[-1]
        for ruling in book.rulings:
            known = [value for value in ruling.values if value is not None]
            value = known[-1] if known else "as agreed"
            inputs, rulings = _least(CALLS[call].inputs), {ruling.ref: value}
            body = question(call, inputs, book.key, variant=book.variant, rulings=rulings)
            assert post(body, ODDS).status_code == 200, (book.full_name, ruling.ref)


def test_every_call_of_every_system_answers(post):
    """With the least of everything: the document's own ranges, so that the calls and the systems
    are all reached.
    """
    asked = set()
    for book in registry.rulesets():
        for call in available(registry.combat_rules(book.key, book.variant)):
            body = question(
                call, _least(CALLS[call].inputs), book.key, variant=book.variant
            )
            answer = post(body, ODDS)
            assert answer.status_code == 200 or answer.json()["errors"][0][
                "message"
            ].endswith("needed."), body
            asked.add(call)
    assert asked == set(CALLS)


def _least(fields):
    made = {
        "number": lambda f: f.low, "height": lambda f: 2, "numbers": lambda f: [max(f.low, 1)] * max(f.least, 1),
        "group": lambda f: _least(f.fields), "groups": lambda f: [_least(f.fields)] * max(f.least, 1),
        "choice": lambda f: f.choices[0], "flag": lambda f: False,
    }  # fmt: skip
    return {field.name: made[field.kind](field) for field in fields if field.is_required}


# What cannot be asked
# -------------------------------------------------------------------------------------------------


@BOTH
def test_systems_and_variants_are_named(post, address):
    assert "warhammer-skirmish" in refused(
        post, question(system="chess"), "system", address
    )
    assert "variants are A, B, C" in refused(
        post, question(system="mordheim-rulings"), "variant", address
    )
    assert "A, B, C" in refused(
        post, question(system="mordheim-rulings", variant="D"), "variant", address
    )
    assert "no variants" in refused(post, question(variant="A"), "variant", address)
    for wrong in (1, True, [], {}):
        refused(post, question(variant=wrong), "variant", address)
        refused(post, question(system=wrong), "system", address)


@BOTH
def test_call_is_one_of_the_system(post, address):
    assert "hit" in refused(post, question("hits"), "call", address)
    assert "melee" in refused(post, question("duel_ranged", {}), "call", address)
    for wrong in (1, None, ["hit"], {}):
        refused(post, question(wrong), "call", address)


@BOTH
def test_all_keys_that_are_unknown_or_missing_are_told_at_once(post, address):
    answer = post({"sistem": "x", "callz": 1, "inputs": [], "rulings": 3}, address)
    assert is_refusal(answer)
    fields = [error["field"] for error in answer.json()["errors"]]
    assert fields == ["sistem", "callz", "system", "call", "inputs", "rulings"]


def test_odds_take_no_dice(post):
    assert "no such key" in refused(post, question(dice=[1]), "dice")


@BOTH
@pytest.mark.parametrize(
    "value", [0, 11, -1, 3.0, 1e3, True, "3", None, [3], {"D7": 1}, 10**19]
)
def test_characteristics_are_1_to_10(post, address, value):
    message = refused(
        post, question(inputs={**HIT, "strength": value}), "inputs.strength", address
    )
    assert message == "Give a whole number from 1 to 10."


@pytest.mark.parametrize(
    "call,inputs,field,message",
    [
        ("hit", {**HIT, "save": "5+"}, "inputs.save", "from 1 to 6"),
        ("hit", {**HIT, "hits": 21}, "inputs.hits", "from 0 to 20"),
        ("hit", {**HIT, "oddity": 1}, "inputs.oddity", "no such input; there may be strength, toughness"),
        ("hit", {**HIT, "dice": 1}, "inputs.dice", "no such input"),
        ("hit", {**HIT, "call": 1}, "inputs.call", "no such input"),
        ("hit", {"strength": 3}, "inputs.toughness", "needed"),
        ("hit", {**HIT, "helmet": 1}, "inputs.helmet", "true or false"),
        ("hit", {**HIT, "injury_table": "D7"}, "inputs.injury_table", "standard, stun_2_4"),
        ("melee", {"attacker": {**MAN, "attacks": -1}, "defender": TARGET}, "inputs.attacker.attacks", "0 to 20"),
        ("melee", {"attacker": {**MAN, "wis": 1}, "defender": TARGET}, "inputs.attacker.wis", "no such input"),
        ("melee", {"attacker": {**MAN, "frenzy": True}, "defender": TARGET}, "inputs.attacker.frenzy", "no frenzy"),
        (
            "melee_sequence", {"attackers": [MAN, {**MAN, "hatred": True}], "defender": TARGET},
            "inputs.attackers.1.hatred", "no frenzy",
        ),
        ("melee", {"attacker": 7, "defender": TARGET}, "inputs.attacker", "object"),
        (
            "melee_sequence", {"attackers": [{**MAN, "attacks": 16}] * 2, "defender": TARGET}, "inputs.attackers",
            "at most 30",
        ),
        ("melee_sequence", {"attackers": [MAN] * 11, "defender": TARGET}, "inputs.attackers", "list of 1 to 10"),
        ("shoot", {"bs": 3, "modifiers": [-1, 0.5], **HIT}, "inputs.modifiers.1", "from -9 to 9"),
        ("fall", {"height": 0, "toughness": 3}, "inputs.height", "more than 0 and at most 100"),
        ("jump_down", {"height": 6.5, "initiative": 3, "toughness": 3}, "inputs.height", "at most 6"),
        ("rout_test", {"force_size": 10**19, "out_of_action": 1}, "inputs.force_size", "from 1 to 200"),
        ("rout_test", {"force_size": 3, "out_of_action": 4}, "inputs.out_of_action", "at most the 3"),
        ("leadership_table", {"values": [1] * 21}, "inputs.values", "list of 1 to 20"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_is_named_with_its_range(post, call, inputs, field, message):
    for address in (ODDS, ROLL):
        assert message in refused(post, question(call, inputs), field, address).lower()


@pytest.mark.parametrize(
    "key,value,message",
    [
        ("critical", True, "no ruling 'critical'"),
        ("k" * 5000, True, "no ruling"),
        ("rally", True, "no ruling"),
        ("leadership_dice", 3, "from 1 to 2"),
        ("G11", 9, "from 1 to 6"),
        ("G47", True, "no ruling 'G47' in this system"),
        ("G11", [1], "Give a word"),
        ("natural_6_fails_initiative", None, "true or false"),
        ("bonus_dice_cost", "flat", "no ruling"),
        # Another rule book's, which no die knows.
        ("save_column", "total", "no ruling"),
        ("", True, "no ruling"),
        ("critical_mode", "x", "two_wounds, draft_table, page_table"),
        ("critical_mode", 10**19, "Give a word"),
        ("critical_limit", 2, "from 1 to 1, or none"),
        ("natural_6_fails_initiative", 1, "true or false"),
        ("natural_6_fails_initiative", "yes", "true or false"),
        ("best_save", 0, "from 1 to 6"),
        ("interception", ["fail"], "Give a word"),
        ("critical_mode", {"x": 1}, "Give a word"),
    ],
)
def test_ruling_that_cannot_be_is_named(post, key, value, message):
    for address in (ODDS, ROLL):
        told = refused(post, question(rulings={key: value}), f"rulings.{key[:80]}", address)
        assert message.lower() in told.lower()


HOSTILE = {
    "90,000 unknown inputs": json.dumps(
        question(inputs={str(n): 0 for n in range(60_000)})
    ),
    "90,000 unknown rulings": json.dumps(
        question(rulings={str(n): 0 for n in range(60_000)})
    ),
    "90,000 rulings that are lists": json.dumps(
        question(rulings={str(n): [] for n in range(60_000)})
    ),
    "300,000 attackers": json.dumps(
        question("melee_sequence", {"attackers": [0] * 300_000, "defender": TARGET})
    ),
    "a call of 900 kB": json.dumps(question("x" * 900_000)),
    "a ruling of 900 kB": json.dumps(question(rulings={"critical_mode": "x" * 900_000})),
    "a roster": json.dumps(document()),
    "a lone surrogate": json.dumps(question("\ud800")),
}


@BOTH
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_body_is_refused(post, address, name):
    answer = post(HOSTILE[name], address)
    assert answer.status_code == 400, answer.content[:300]
    assert is_refusal(answer)
    assert len(answer.content) < 20_000


def test_they_count_with_the_other_endpoints(post, rate):
    rate("2/min")
    assert [post(question(), address).status_code for address in (ODDS, ROLL, ODDS)] == [
        200,
        200,
        429,
    ]


def test_the_widest_questions_are_bounded(post):
    """The largest of everything answers; how long it takes is for the benchmark to say."""
    fierce = {**MAN, "attacks": 15, "poison": True, "parry": {"defender_strength": 3}}
    defender = {**TARGET, "wounds": 10, "save": 5}
    attackers = {"attackers": [fierce, {**fierce, "strength": 4}], "defender": defender}
    volley = {"shots": 200, "bs": 3, **HIT, "unit_size": 200}
    for body in (
        question("melee_sequence", attackers, "mordheim-rulings", variant="B"),
        question("volley", volley, "english-civil-war"),
        question("round_length", {"turns": 50}, "d10-skirmish"),
        question(
            "duel_melee", {"attack_bonus_dice": 6, "defence_bonus_dice": 6}, "d10-skirmish"
        ),
    ):
        assert post(body, ODDS).status_code == 200
        assert post(body, ROLL).status_code == 200


def test_poison_of_a_call_is_critical_by_the_house_rule_alone(post):
    case = next(one for one in EXAMPLES if "poison" in one["inputs"].get("attacker", {}))
    chances, words = [], []
    for rulings in (case["rulings"], {}, {"poison_auto_wound_may_crit": False}):
        body = question(case["call"], case["inputs"], case["system"], rulings=rulings)
        answer = post(body, ODDS).json()
        chances.append(Fraction(answer["outcomes"]["out_of_action"]["fraction"]))
        words.append("House rule: a D6 still shows" in " ".join(answer["steps"]))
    assert chances[0] == Fraction(65, 648) > chances[1] == chances[2]
    assert words == [True, False, False]
