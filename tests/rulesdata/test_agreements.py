"""Rulings that are agreed on: what each alternative changes, which layer wins, and what is refused."""

from typing import Any, NamedTuple

import pytest

from engine.errors import Refusal
from engine.roster import (
    Agreement,
    Roster,
    RosterEntry,
    agreement,
    in_force,
    layered,
    of_layer,
    ruling_source,
)
from engine.types.mechanics import Ruling
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import checked_rulings, open_rulings, played_rulings
from rulesdata.pack_files.folders import read_system
from rulesdata.schema.system import AlternativesFile, RulingsFile
from tests.conftest import Share
from warbands.checks import check_roster

SKIRMISH, DRAFT, ECW, D10 = (
    "warhammer-skirmish", "mordheim-draft", "english-civil-war", "d10-skirmish",
)  # fmt: skip


class Choice(NamedTuple):
    """An alternative of a ruling, or a house rule, of a system."""

    system: System
    agreed: Agreement

    @property
    def name(self) -> str:
        return f"{self.system.address} {' '.join(self.agreed.changes)}"


def choices() -> list[Choice]:
    """Every alternative of every system, and every house rule."""
    found = []
    for system in registry.rulesets():
        for ruling in open_rulings(system):
            for place in range(1, len(ruling.ways)):
                found.append(Choice(system, Agreement(((ruling.ref, place),))))
        for rule in system.house_rules:
            found.append(Choice(system, Agreement((), (rule.key,))))
    return found


def played(key: str, *rulings: tuple[str, int], house: tuple[str, ...] = ()) -> System:
    return registry.load_system(key, None, Agreement(rulings, house))


def test_there_are_choices_in_every_text() -> None:
    assert {one.system.address for one in choices()} == {
        one.address for one in registry.rulesets() if one.rulings or one.house_rules
    }
    assert len(choices()) > 200


def test_every_choice_changes_what_the_reference_says(share: Share) -> None:
    """Whether it changes anything of the files, the check of the packs says of all."""
    shown = ("notes", "states", "charts", "tables")
    for choice in share(choices(), 3):
        system, agreed = choice
        now = registry.load_system(system.key, system.variant, agreed)
        changed = [name for name in shown if getattr(now, name) != getattr(system, name)]
        assert changed, choice.name


def test_every_choice_that_a_die_knows_changes_the_figures(share: Share) -> None:
    for choice in share(choices(), 3, start=1):
        system, agreed = choice
        before = registry.combat_rules(system.key, system.variant).rulings()
        after = registry.combat_rules(system.key, system.variant, agreed).rulings()
        for ruling in system.rulings:
            place = dict(agreed.rulings).get(ruling.ref, 0)
            is_known = place and ruling.values and ruling.values[place] is not None
            if ruling.key in before:
                differs = before[ruling.key] != after[ruling.key]
                assert differs == bool(is_known), choice.name


def test_a_chosen_ruling_stands_in_the_place_of_the_text() -> None:
    ruling = Ruling("C1", "Title", "text", alternatives=("one", "two"), values=(1, 2, 3))
    second = ruling.agreed(2)
    assert (second.default, second.alternatives) == ("two", ("text", "one"))
    assert second.values == (3, 1, 2)
    assert second.ways == ruling.ways == ("text", "one", "two")
    assert ruling.agreed(1).ways == ruling.ways
    unknown = Ruling("C1", "Title", "text", alternatives=("one",), values=(1, None))
    assert unknown.agreed(1).values == ()


# Figures and findings follow


def test_no_penalty_for_a_single_target() -> None:
    chart = "shooting-modifiers"
    usual = registry.load_system(SKIRMISH)
    assert "A single target" in usual.charts[chart].rows
    for system in (
        played(SKIRMISH, ("C28", 1)),
        played(SKIRMISH, house=("ignore_single_target_penalty",)),
    ):
        assert "A single target" not in system.charts[chart].rows
    assert played(DRAFT, ("C28", 1)).charts[chart].rows["A single target"] == (-1,)


def test_flight_by_foot_or_mount() -> None:
    usual, other = registry.load_system(SKIRMISH), played(SKIRMISH, ("C18", 2))
    assert usual.movement
    assert other.movement
    assert (usual.movement.flight, usual.movement.mounted_flight) == (
        ((6, "2D6"), (None, "3D6")),
        "",
    )
    assert (other.movement.flight, other.movement.mounted_flight) == (
        ((None, "2D6"),),
        "3D6",
    )


def test_the_draft_may_take_the_rout_test() -> None:
    assert registry.battle_rules(DRAFT).rout is None
    rules = registry.battle_rules(DRAFT, None, Agreement((("G52", 1),)))
    assert rules.rout is not None
    assert (rules.rout.numerator, rules.rout.denominator) == (1, 4)
    assert "rout" in rules.endings
    assert "rout" in rules.tests


@pytest.mark.parametrize(
    "system, variant", [(DRAFT, None), ("mordheim-rulings", "B"), ("mordheim-rulings", "C")]
)
def test_whoever_takes_the_rout_test_reads_whose_leadership_counts(system, variant):
    notes = registry.load_system(system, variant, Agreement((("G52", 1),))).notes
    assert [note.key for note in notes if "the best Leadership of those" in note.text]


@pytest.mark.parametrize("rulings", [(), (("G07", 1),)])
def test_hits_on_who_breaks_from_combat_are_asked_for(rulings):
    """Warhammer Skirmish, BREAKING FROM COMBAT; ALL ALONE: each opponent hits once."""
    prompts = registry.battle_rules(SKIRMISH, None, Agreement(rulings)).prompts
    [hits] = [prompt for prompt in prompts if "automatic hit" in prompt.text]
    assert (hits.phase, hits.whose) == ("close-combat", "all")


def test_two_choices_that_touch_one_sentence_are_both_told() -> None:
    system = played(SKIRMISH, ("C02", 1), ("C04", 1))
    text = next(note.text for note in system.notes if note.key == "fight-critical")
    assert "roll on the critical table" in text
    assert "As many as are rolled" in text


def test_a_choice_without_a_sentence_of_its_own_is_told_under_agreed() -> None:
    system = played(SKIRMISH, ("G28", 1), house=("plaguebearer_proximity_wizard",))
    told = [(note.title, note.text) for note in system.notes if note.section == "Agreed"]
    assert told[0] == ("Criticals by several shots", "One for each shooter in a phase.")
    assert told[1][0] == "Daemons cast together"


FINDINGS = [
    ("C20", 1, "leader.not_highest_leadership", "error", None),
    ("C20", 1, "leader.below_troops", "note", None),
    ("C20", 2, "leader.below_troops", "note", None),
    ("C25", 1, "category.rare", "warning", "error"),
    ("C57", 1, "wizard.count", None, "error"),
]


@pytest.mark.parametrize("ref, place, code, before, after", FINDINGS)
def test_findings_follow_the_rulings(ref, place, code, before, after):
    warriors = (
        RosterEntry("halberdiers", is_leader=True), RosterEntry("captain"),
        RosterEntry("battle-wizard"), RosterEntry("flagellants"),
    )  # fmt: skip

    def level(rulings: dict[str, int]) -> str | None:
        roster = Roster(
            SKIRMISH, "the-empire", points_limit=250, warriors=warriors, rulings=rulings
        )
        found = check_roster(roster, *registry.load_ruleset(roster)).findings
        return next((one.level for one in found if one.code == code), None)

    assert (level({}), level({ref: place})) == (before, after)
    assert level({ref: 0}) == before


# Layers


def test_the_nearest_layer_wins() -> None:
    club, event, battle = {"C03": 1, "C04": 1}, {"C03": 0}, {"C04": 0, "C07": 1}
    rulings = layered(club=club, event=event, battle=battle)
    assert in_force(rulings) == {"C03": 0, "C04": 0, "C07": 1}
    assert [ruling_source(rulings, ref) for ref in ("C03", "C04", "C07", "C05")] == [
        "event", "battle", "battle", "text",
    ]  # fmt: skip
    assert in_force(layered(club=club)) == club
    assert (of_layer(rulings, "event"), of_layer({"C03": 1}, "event")) == (
        event,
        {"C03": 1},
    )
    assert of_layer(layered(club=club), "event") == {}
    assert layered(club={}, battle={}) == {}


def test_what_the_packs_do_not_know_is_not_agreed() -> None:
    known = registry.load_system(SKIRMISH).rulings
    most = len(next(one for one in known if one.ref == "C15").alternatives)
    asked = {"C15": most + 1, "Z99": 1, "C03": 1, "C04": 0}
    assert agreement(asked, {"a": True, "b": False}, known) == Agreement(
        (("C03", 1),), ("a",)
    )
    assert agreement({"C15": most}, {}, known) == Agreement((("C15", most),))


BAD: list[tuple[Any, str]] = [
    ({"Z99": 1}, "has no ruling “Z99” to choose"),
    ({"C52": 1}, "has no ruling “C52” to choose"),
    ({"C03": 2}, "from 0 to 1"),
    ({"C03": -1}, "from 0 to 1"),
    ({"C15": 3}, "from 0 to 2"),
    ({"C03": True}, "from 0 to 1"),
    ({"C03": "1"}, "from 0 to 1"),
    ({"C03": None}, "from 0 to 1"),
]


@pytest.mark.parametrize("rulings, told", BAD)
def test_a_choice_there_is_not_is_refused(rulings: Any, told: str) -> None:
    with pytest.raises(Refusal) as caught:
        checked_rulings(registry.load_system(SKIRMISH), rulings)
    assert caught.value.field == "rulings"
    assert told in caught.value.message


def test_choices_at_both_ends_are_taken() -> None:
    system = registry.load_system(SKIRMISH)
    assert checked_rulings(system, {"C15": 0, "C03": 1}) == {"C15": 0, "C03": 1}
    assert checked_rulings(system, {"C15": 2}) == {"C15": 2}


def test_what_is_played_is_told_with_its_source() -> None:
    system = registry.load_system(SKIRMISH)
    rulings = layered(club={"C04": 1, "C03": 1}, event={"C03": 0, "C07": 1})
    told = {one.ref: (one.says, one.words) for one in played_rulings(system, rulings)}
    assert told == {
        "C04": ("No limit.", "as the club plays"),
        "C07": ("Roll to hit, and a hit is the end of it.", "agreed for the event"),
    }


# Alternatives that change words and no table: who stands where, how far somebody goes and who strikes
# first is told and not recorded. What is rolled, marked or asked for needs more than words.
WORDS_ALONE = {
    "C05", "C06", "C15", "C16", "C19", "C24", "C34", "C35", "C37-02", "C38", "C43", "C44",
    "C45", "C48", "C50", "C55", "C56", "G27", "G32", "G39", "G48", "G60",
}  # fmt: skip


def test_alternatives_that_change_words_alone_are_of_what_is_only_told() -> None:
    changed = set()
    for system in registry.rulesets():
        folder = registry.PACKS / "systems" / system.key
        pack = read_system(folder, system.variant or "")
        file, rulings = pack.find(AlternativesFile), pack.find(RulingsFile)
        figures = {ruling.ref for ruling in rulings.rulings if ruling.values}
        changed |= {
            ref
            for choice in file.alternatives
            for ref in [choice.id.partition(".")[0]]
            if choice.words and not choice.sets and "." in choice.id and ref not in figures
        }
    assert changed == WORDS_ALONE
