"""`odds/`: the worked examples and the rulings, exactly; what cannot be asked is a 400 that names
it. No database.
"""

import json
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
    "armour_guards_attacker", "frenzy_and_hatred", "voluntary_rout_test",
    "low_av_melee_only", "penetration_must_reach", "melee_weapon_defends",
}  # fmt: skip


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


def test_answer_has_the_promised_shape(post):
    answer = post(question(), ODDS)
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["outcomes", "values", "steps"]
    assert body["outcomes"]["out_of_action"] == {"fraction": "11/54", "decimal": 0.203704}
    assert body["values"] == {}
    assert body["steps"][1].startswith("Wounds on 4+")


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
    if value is None:
        return "none"
    return json.dumps(value) if isinstance(value, bool) else str(value)


def test_certain_outcomes_are_whole(post):
    body = question("rout_test", {"force_size": 12, "out_of_action": 1})
    answer = post(body, ODDS).json()
    assert answer["outcomes"] == {"fight_on": {"fraction": "1", "decimal": 1.0}}
    assert answer["values"]["test_required"] is False
    hopeless = {"ws_attacker": 1, "ws_defender": 1, "strength": 1, "toughness": 10}
    never = post(question("unit_attacks", hopeless, "english-civil-war"), ODDS).json()
    none = {"fraction": "0", "decimal": 0.0}
    assert never["outcomes"]["expected_casualties"] == none


def test_what_may_be_left_out(post):
    whole = question("affordable_bonus_dice", {}, "d10-skirmish")
    least = {"system": "d10-skirmish", "call": "affordable_bonus_dice"}
    first, *others = (
        post(body, ODDS).json() for body in (whole, least, {**whole, "rulings": None})
    )
    assert others == [first, first]


def test_rulings_without_dice_change_nothing(post):
    plain = post(question(), ODDS).json()
    rulings = {"interception": "fail", "flee_distance": "flat_2d6", "max_wizards": 2}
    assert post(question(rulings=rulings), ODDS).json() == plain


def test_a_ruling_may_be_named_by_its_number(post):
    def ask(**rulings):
        inputs = {"strength": 4, "toughness": 3, "save": 1}
        return post(question("cavalry_hit", inputs, rulings=rulings), ODDS)

    assert ask(best_save=2).json() == ask(G11=2).json() != ask().json()
    assert ask(C15="fail", G20="points").status_code == 200
    both = question(rulings={"G11": 2, "best_save": 2})
    assert "one ruling" in refused(post, both, "rulings.best_save")


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


# tests/engine/test_calls.py has every fault; these show how a field is named from outside.
@pytest.mark.parametrize("call,inputs,field,message", [
    ("hit", {**HIT, "save": "5+"}, "save", "from 1 to 6"),
    ("hit", {**HIT, "oddity": 1}, "oddity", "may be strength, toughness"),
    ("hit", {"strength": 3}, "toughness", "needed"),
    ("hit", {**HIT, "injury_table": "D7"}, "injury_table", "standard, stun_2_4"),
    ("melee", {"attacker": 7, "defender": TARGET}, "attacker", "object"),
    ("melee_sequence", {"attackers": [MAN, {**MAN, "hatred": True}], "defender": TARGET},
     "attackers.1.hatred", "no frenzy"),
    ("shoot", {"bs": 3, "modifiers": [-1, 0.5], **HIT}, "modifiers.1", "from -9 to 9"),
    ("rout_test", {"force_size": 10**19, "out_of_action": 1}, "force_size", "to 200"),
])  # fmt: skip
@BOTH
def test_input_that_cannot_be_is_named_with_its_range(
    post, address, call, inputs, field, message
):
    told = refused(post, question(call, inputs), f"inputs.{field}", address)
    assert message in told.lower()


@pytest.mark.parametrize(
    "key,value,message",
    [
        ("k" * 5000, True, "no ruling"), ("", True, "no ruling"),
        ("G47", True, "no ruling 'G47' in this system"), ("G11", 9, "from 1 to 6"),
        # Another rule book's, which no die knows.
        ("save_column", "total", "no ruling"), ("interception", ["fail"], "Give a word"),
        ("critical_mode", 10**19, "Give a word"), ("critical_mode", {"x": 1}, "Give a word"),
    ],
)  # fmt: skip
@BOTH
def test_ruling_that_cannot_be_is_named(post, address, key, value, message):
    told = refused(post, question(rulings={key: value}), f"rulings.{key[:80]}", address)
    assert message.lower() in told.lower()


HOSTILE = {
    "90,000 unknown inputs": question(inputs=dict.fromkeys(map(str, range(60_000)), 0)),
    "90,000 unknown rulings": question(rulings=dict.fromkeys(map(str, range(60_000)), 0)),
    "300,000 attackers": question(
        "melee_sequence", {"attackers": [0] * 300_000, "defender": TARGET}
    ),
    "a call of 900 kB": question("x" * 900_000),
    "a ruling of 900 kB": question(rulings={"critical_mode": "x" * 900_000}),
    "a roster": document(),
    "a lone surrogate": question("\ud800"),
}


@BOTH
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_body_is_refused(post, address, name):
    answer = post(HOSTILE[name], address)
    assert answer.status_code == 400, answer.content[:300]
    assert is_refusal(answer)
    assert len(answer.content) < 20_000


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
