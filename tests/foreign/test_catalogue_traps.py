"""Traps of catalogues, each with a file that has it, and the conditions that prices are read with."""

from collections.abc import Sequence

import pytest

from engine.errors import Refusal
from interchange.catalogues import choose_catalogue, close, read_catalogue_file
from interchange.files import OpenedFile
from interchange.translation import Translation, translate
from rulesdata.catalogue_lists.versions import unit_digests
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogue_mapping import document_of, doubts
from tests.foreign.test_catalogues import FRAME, NAMES, option, unit

MIRE = "lantern-mire.cat"
WARDEN, ROWERS, BOAT = "mire-wardens-man", "rowers", "boat"
CHANGES = "<!-- changes of the boat -->"


def translated(text: str = "", instead: str = "") -> Translation:
    found = (MADE / MIRE).read_text()
    if text:
        assert text in found
        found = found.replace(text, instead)
    texts = {NAMES[0]: (MADE / NAMES[0]).read_text(), MIRE: found}
    files = [
        read_catalogue_file(OpenedFile(name, "xml", text)) for name, text in texts.items()
    ]
    return translate(close(choose_catalogue(files), files), FRAME)


@pytest.fixture(scope="module")
def mire() -> Translation:
    return translated()


# Links, groups and limits


def test_limits_and_changes_of_link_and_target_both_hold(mire: Translation) -> None:
    torch = option(mire, WARDEN, "torch")
    # The target sets 10 and then the link adds 5; of 3 and 2 the lower one holds.
    assert (torch.points, torch.maximum) == (15, 2)


def test_a_parent_is_beyond_groups_and_an_ancestor_may_be_one(mire: Translation) -> None:
    # Its parent is the model around both groups, and one of these sets its price.
    assert option(mire, WARDEN, "bell").points == 2
    inner = translated('childId="g-pouch"', 'childId="g-inner"')
    assert option(inner, WARDEN, "bell").points == 2
    model = translated('scope="parent" childId="upgrade"', 'scope="parent" childId="model"')
    assert option(model, WARDEN, "bell").points == 32


def test_minus_one_is_no_limit_and_a_share_is_a_doubt(mire: Translation) -> None:
    warden = unit(mire, WARDEN)
    assert (warden.least, warden.most) == (None, None)
    assert (
        doubts(mire, "Mire Warden's Man")["Limit"] == "a share of the list is not checked"
    )
    limited = translated('scope="force" value="-1"', 'scope="force" value="0"')
    assert unit(limited, WARDEN).most == 0


def test_an_unshared_limit_counts_for_each_link(mire: Translation) -> None:
    eels = [(one.key, one.most, one.origins) for one in mire.units if "eel" in one.key]
    assert eels == [("eel", 2, ("l-eel", "u-eel")), ("old-eel", 2, ("l-eel-old", "u-eel"))]


def test_what_is_hidden_is_looked_at_before_it_is_dropped(mire: Translation) -> None:
    assert option(mire, WARDEN, "stilts").points == 7
    assert "stilts" not in [one.key for one in unit(mire, ROWERS).options]
    assert mire.report.dropped["Hidden choices"] == 1


def test_collective_changes_no_price(mire: Translation) -> None:
    old = 'name="Boat" type="upgrade" hidden="false"'
    assert translated(old, f'{old} collective="true"').units == mire.units


def test_names_are_cleaned(mire: Translation) -> None:
    assert unit(mire, WARDEN).name == "Mire Warden's Man"


def test_a_revision_says_nothing() -> None:
    before = document_of(translated())
    after = document_of(translated('typeId="coin" value="4"', 'typeId="coin" value="3"'))
    changed = dict(unit_digests(after).items() - unit_digests(before).items())
    assert set(changed) == {"eel", "old-eel"}
    assert before["catalogues"][0]["revision"] == after["catalogues"][0]["revision"]
    # The same prices under a higher revision are no difference.
    raised = document_of(translated('revision="1"', 'revision="9"'))
    assert unit_digests(raised) == unit_digests(before)


def test_a_malformed_file_is_told_with_line_and_column() -> None:
    text = (MADE / MIRE).read_text().replace('hidden="true">', 'hidden="true"//>', 1)
    line = text[: text.index("//>")].count("\n") + 1
    with pytest.raises(
        Refusal, match=rf"^mire\.cat is malformed in line {line}, column \d+"
    ):
        read_catalogue_file(OpenedFile("mire.cat", "xml", text))


# Conditions of prices


def condition(kind: str, child: str, value: int = 1, **others: str) -> str:
    attributes = {"scope": "root-entry", "field": "selections", **others}
    words = " ".join(f'{key}="{text}"' for key, text in attributes.items())
    return (
        f'<condition type="{kind}" childId="{child}" value="{value}" '
        f'includeChildSelections="true" {words}/>'
    )


def grouped(kind: str, conditions: Sequence[str]) -> str:
    inner = "".join(conditions)
    return (
        f'<conditionGroups><conditionGroup type="{kind}"><conditions>{inner}</conditions>'
        "</conditionGroup></conditionGroups>"
    )


def change(inner: str, kind: str = "increment", more: str = "") -> str:
    return f'<modifier type="{kind}" field="coin" value="5" {more}>{inner}</modifier>'


def boat(changes: str) -> Translation:
    return translated(CHANGES, changes)


def prices(changes: str) -> dict[tuple[str, ...], int]:
    """The boat's price with nothing else, and the others that it has beside something."""
    found = option(boat(f"<modifiers>{changes}</modifiers>"), ROWERS, BOAT)
    return {(): found.points, **dict(found.points_if)}


OAR, POLE = condition("atLeast", "e-a"), condition("atLeast", "e-b")


def test_all_of_a_group_or_any_of_it_or_none_of_it() -> None:
    assert prices(change(grouped("and", [OAR, POLE]))) == {(): 20, ("oar", "pole"): 25}
    either = prices(change(grouped("or", [OAR, POLE])))
    assert either == {(): 20, ("oar",): 25, ("pole",): 25}
    neither = prices(change(grouped("not", [OAR, POLE])))
    assert neither == {(): 25, ("oar",): 20, ("pole",): 20}


def test_conditions_of_a_group_of_changes_hold_for_each() -> None:
    outer = f"<conditions>{OAR}</conditions>"
    inner = (
        f"<modifiers>{change(f'<conditions>{POLE}</conditions>')}{change('')}</modifiers>"
    )
    changes = (
        f"<modifierGroups><modifierGroup>{inner}{outer}</modifierGroup></modifierGroups>"
    )
    found = option(boat(changes), ROWERS, BOAT)
    assert found.points == 20
    assert dict(found.points_if) == {("oar",): 25, ("oar", "pole"): 30}


@pytest.mark.parametrize("kind, value, alone, beside", [
    ("atLeast", 1, 20, 25), ("greaterThan", 0, 20, 25), ("equalTo", 1, 20, 25),
    ("notEqualTo", 0, 20, 25), ("lessThan", 1, 25, 20), ("atMost", 0, 25, 20),
])  # fmt: skip
def test_each_comparison(kind: str, value: int, alone: int, beside: int) -> None:
    asked = f"<conditions>{condition(kind, 'e-a', value)}</conditions>"
    assert prices(change(asked)) == {(): alone, ("oar",): beside}


def test_always_never_and_counts_of_what_is_not_there() -> None:
    assert prices(change(f"<conditions>{condition('always', '')}</conditions>")) == {(): 25}
    assert prices(change(f"<conditions>{condition('never', '')}</conditions>")) == {(): 20}
    gone = condition("equalTo", "e-nothing", 0)
    assert prices(change(f"<conditions>{gone}</conditions>")) == {(): 25}


def test_arithmetic_in_the_order_of_the_file() -> None:
    assert prices(change("", "multiply") + change("")) == {(): 105}
    assert prices(change("") + change("", "divide")) == {(): 5}
    assert prices(change("", "set") + change("", "decrement")) == {(): 0}


def repeat(child: str) -> str:
    return (
        f'<repeats><repeat field="selections" scope="root-entry" childId="{child}" value="1" '
        'repeats="1" includeChildSelections="true"/></repeats>'
    )


def test_repeats_count_models_and_own_options() -> None:
    found = option(boat(f"<modifiers>{change(repeat('model'))}</modifiers>"), ROWERS, BOAT)
    assert found.points == 25
    assert prices(change(repeat("e-a"))) == {(): 20, ("oar",): 25}


@pytest.mark.parametrize("number", [4, 5])
def test_a_price_hangs_on_at_most_four_options(number: int) -> None:
    asked = [condition("atLeast", f"e-{key}") for key in "abcde"[:number]]
    found = boat(f"<modifiers>{change(grouped('and', asked))}</modifiers>")
    told = option(found, ROWERS, BOAT)
    if number == 4:
        assert dict(told.points_if) == {("net", "oar", "pole", "reed"): 25}
        assert "Boat" not in doubts(found, "Rowers")
    else:
        assert told.points_if == ()
        assert doubts(found, "Rowers")["Boat"] == "its price depends on 5 other options"


@pytest.mark.parametrize("changes, why", [
    (change(f"<conditions>{condition('before', 'e-a')}</conditions>"), "“before”"),
    (change("", "prepend"), "“prepend”"),
    (change("", "replace"), "“replace”"),
    (change("", more='affects="self.entries.recursive.e-a"'), "“of other entries”"),
    (change("", more='scope="roster"'), "“of other entries”"),
    (change(grouped("atLeast", [OAR])), "a group “atLeast”"),
    (
        change('<localConditionGroups><localConditionGroup type="atLeast"/>'
               "</localConditionGroups>"),
        "“localConditionGroup”",
    ),
    (
        change(f"<conditions>{condition('atLeast', 'e-a', field='coin')}</conditions>"),
        "a count of points",
    ),
    (
        change(
            f"<conditions>{condition('atLeast', 'e-a', percentValue='true')}"
            "</conditions>"
        ),
        "shares",
    ),
])  # fmt: skip
def test_what_is_not_evaluated_is_a_doubt(changes: str, why: str) -> None:
    found = boat(f"<modifiers>{changes}</modifiers>")
    assert option(found, ROWERS, BOAT).points in (20, 25)
    reasons = [one.why for one in found.report.doubts if one.what == "Boat"]
    assert [reason for reason in reasons if why in reason and "not evaluated" in reason]


def test_a_change_of_others_does_not_hide_what_it_stands_at() -> None:
    hides = '<modifier type="set" field="hidden" value="true" affects="entries"/>'
    assert option(boat(f"<modifiers>{hides}</modifiers>"), ROWERS, BOAT).points == 20


def test_what_only_one_tool_writes_is_read_without_fault(mire: Translation) -> None:
    extras = (
        '<associations><association childId="e-a"/></associations><attributes>'
        '<attribute name="x"/></attributes><modifiers><modifier type="add" field="error" '
        'value="Too many"/><modifier type="set" field="annotation" value="x"/></modifiers>'
    )
    old = f'hidden="false">\n          {CHANGES}'
    marks = 'hidden="false" sortIndex="2" flatten="true" defaultAmount="1,1">'
    found = translated(old, f"{marks}{extras}")
    assert found.units == mire.units


@pytest.mark.parametrize("type_", ["unit-group", "mount", "crew"])
def test_types_of_only_one_tool_are_units(type_: str) -> None:
    found = translated('name="Mire  Warden’s Man" type="model"', f'name="M" type="{type_}"')
    assert unit(found, "m").points == 40
