"""Sheets to play a campaign with: boxes of experience, rows to write on, treasury and stash."""

import io
import re
from dataclasses import replace
from html import unescape
from itertools import product

import pytest
from pypdf import PdfReader

from accounts.owner import NOBODY
from engine.roster import EntryGrowth, Roster, RosterEntry, RosterGrowth
from tests.rulesdata.test_mordheim_warbands import STARTERS
from warbands.exchange.document import to_document
from warbands.pdf.documents import roster_pdf
from warbands.pdf.header import BIG, NORMAL, STEP_MM, head
from warbands.pdf.measure import BOLD, LIVE_MM, TRACK, width
from warbands.pdf.phrases import left_tokens, list_groups
from warbands.queries.lists import starter
from warbands.queries.warbands import check_document, sheet_of_roster
from warbands.sheet.structure import ExperienceTrack, RosterSheet, head_lines
from warbands.views.sheets import TRACKS_MAX, drawn_warriors

RULINGS, DRAFT = "mordheim-rulings", "mordheim-draft"
HENCHMAN = (2, 5, 9, 14)


def ready(army: str, book: str = f"{RULINGS}.A") -> RosterSheet:
    found = starter(f"{book}--{army}")
    assert found
    return found.sheet


def sheet_with(*entries, army="reiklanders", **more) -> RosterSheet:
    return sheet_of_roster(Roster(RULINGS, army, "", 500, "A", warriors=entries, **more))


def tracks(sheet: RosterSheet) -> dict[str, ExperienceTrack | None]:
    return {warrior.profile_key: warrior.track for warrior in sheet.warriors}


def count_boxes(sheet: RosterSheet) -> list[int]:
    """How many boxes of each sort are printed: blank, ticked, steps blank and ticked."""
    pages = PdfReader(io.BytesIO(roster_pdf(sheet, parts=("roster",)))).pages
    text = "".join(page.extract_text() for page in pages)
    return [text.count(box) for box in TRACK]


@pytest.mark.parametrize("book", [f"{RULINGS}.A", DRAFT])
def test_heroes_and_groups_begin_as_their_list_and_kind_say(book: str) -> None:
    men = tracks(ready("reiklanders", book))
    captain, group = men["mercenary-captain"], men["warrior"]
    assert captain
    assert group
    assert (captain.experience, captain.is_group) == (20, False)
    assert (captain.steps[0], captain.steps[-1], len(captain.steps)) == (2, 90, 21)
    assert (group.experience, group.is_group, group.steps) == (0, True, HENCHMAN)


def test_who_never_learns_has_no_boxes() -> None:
    dead = tracks(ready("undead"))
    assert dead["zombie"] is dead["dire-wolf"] is None
    assert dead["ghoul"]
    assert dead["vampire"]


def test_a_list_without_experience_is_printed_as_ever() -> None:
    sheet = ready("the-empire", DRAFT)
    assert set(tracks(sheet).values()) == {None}
    assert (sheet.purse, sheet.has_records, sheet.purse_labels) == ((), False, ())


@pytest.mark.parametrize("experience, steps, first, last, filled", [
    (0, HENCHMAN, 1, 14, 0), (11, HENCHMAN, 1, 14, 11), (12, HENCHMAN, 1, 15, 12),
    (87, (2, 90), 1, 90, 87), (88, (2, 90), 2, 91, 87), (0, (2, 500), 1, 90, 0),
])  # fmt: skip
def test_boxes_reach_the_last_step_and_three_blank_ones(
    experience: int, steps: tuple[int, ...], first: int, last: int, filled: int
) -> None:
    boxes = ExperienceTrack(experience, steps).boxes
    assert (boxes[0].number, boxes[-1].number) == (first, last)
    assert sum(box.is_filled for box in boxes) == filled
    assert [box.number for box in boxes if box.is_step] == [
        step for step in steps if first <= step <= last
    ]


def test_boxes_are_printed_for_each_hero_and_once_for_a_group() -> None:
    hero = RosterEntry("youngblood", "Wenzel, Ilse", 2)
    group = RosterEntry("warrior", "Ferrymen", 3)
    blank, ticked, steps, ticked_steps = count_boxes(sheet_with(hero, group))
    assert (blank, steps) == (2 * (90 - 21) + 14 - 4, 2 * 21 + 4)
    assert (ticked, ticked_steps) == (0, 0)
    # Two equal groups learn apart from one another.
    assert count_boxes(sheet_with(group, group))[2] == 8


def test_a_campaign_prints_what_its_warriors_have() -> None:
    growth = EntryGrowth("Hero", 5, (2, 4, 6, 8))
    entry = RosterEntry("youngblood", growth=growth)
    sheet = sheet_with(entry, growth=RosterGrowth(campaign="Ruins", rating=99))
    assert sheet.warriors[0].track == ExperienceTrack(5, (2, 4, 6, 8))
    assert count_boxes(sheet) == [1, 3, 2, 2]
    # Its own rating and treasury stand at its head.
    assert (sheet.second, sheet.purse_labels) == (None, ())


def test_what_is_carried_is_told_once() -> None:
    goods = (("Sword", ""), ("Rope and hook", ""), ("Sword", "It hums"))
    growth = EntryGrowth("Hero", 5, (6,), goods=goods)
    entry = RosterEntry("youngblood", options=("sword",), growth=growth)
    (warrior,) = sheet_with(entry, growth=RosterGrowth("Ruins", 99)).warriors
    assert "Goods: Rope and hook, Sword (It hums)" in warrior.remarks


def test_a_rule_that_is_a_trait_too_is_told_once() -> None:
    sheet = sheet_with(RosterEntry("possessed"), army="cult-of-the-possessed")
    assert sheet.warriors[0].rules == ("Fear", "Mutations")


def test_the_fields_of_the_head_fill_its_width_and_hold_their_values() -> None:
    for army, size in product(STARTERS, (NORMAL, BIG)):
        row = head(ready(army), size, ()).html.partition("<p class='fv'>")[2]
        row = row.partition("</p>")[0]
        fields = re.findall("<i class='w(.*?)'>(.*?)</i>", row)
        assert sum(int(steps) for steps, _ in fields) * STEP_MM == LIVE_MM
        for steps, text in fields:
            assert width(unescape(text), size.value_pt, BOLD) < int(steps) * STEP_MM
    gang = ready("reiklanders")
    assert "Captain Ottmar Reuss" in head(gang, NORMAL, ()).html
    endless = head(replace(gang, army_name="Wardens of the Canal " * 3), NORMAL, ()).html
    # Only the longest are cut.
    assert "Wardens of" in endless
    assert ">│3 out, Ld 8 or 7<" in endless


def test_a_hired_sword_without_gear_has_no_colon() -> None:
    group = list_groups(sheet_with(RosterEntry("hired-ogre-bodyguard")))[0]
    assert [text for text, _ in left_tokens(group)][-1] == "gc"


def test_an_opponent_gets_no_boxes_and_no_treasury() -> None:
    sheet = ready("reiklanders")
    assert sheet.purse_labels == ("Gold crowns", "Shards", "Stash")
    copy = replace(sheet, is_opponents_copy=True)
    assert count_boxes(copy) == [0, 0, 0, 0]
    assert copy.purse_labels == ()
    assert not any(line.learners for line in drawn_warriors(copy))


def test_the_page_has_rows_for_so_many_alone() -> None:
    heroes = [RosterEntry("youngblood", "", 8) for _ in range(TRACKS_MAX // 8 + 1)]
    for count in (len(heroes) - 1, len(heroes)):
        drawn = drawn_warriors(sheet_with(*heroes[:count]))
        assert sum(len(line.learners) for line in drawn) == TRACKS_MAX


def test_a_hired_sword_says_its_upkeep() -> None:
    (sword,) = sheet_with(RosterEntry("hired-pit-fighter")).warriors
    assert "upkeep 15 gc" in sword.subtitle
    assert sword.track
    assert sword.track.steps == HENCHMAN


def test_the_treasury_of_a_sheet_counts_one_and_many() -> None:
    growth = RosterGrowth("Ruins", treasury=(("gold crowns", 1), ("shards", 2)))
    assert "Treasury: 1 gold crown, 2 shards" in head_lines(growth)


def test_a_check_tells_the_rating() -> None:
    found = starter(f"{RULINGS}.A--reiklanders")
    assert found
    assert found.sheet.second
    checked = check_document(NOBODY, to_document(found.roster))
    assert checked.second_price == found.sheet.second.total == 91
    empire = Roster(DRAFT, "the-empire", warriors=(RosterEntry("captain"),))
    assert check_document(NOBODY, to_document(empire)).second_price is None


@pytest.mark.parametrize("variant", [None, "A", "B", "C"])
def test_a_parry_is_explained_by_every_text(variant: str | None) -> None:
    system = RULINGS if variant else DRAFT
    armed = RosterEntry("champion", options=("sword",))
    roster = Roster(system, "reiklanders", "", 500, variant, warriors=(armed,))
    sections = sheet_of_roster(roster).reference.sections
    titles = [note.title for _, notes in sections for note in notes]
    assert titles.count("Parry") == 1


def test_a_text_without_parries_says_so_to_those_alone_who_could() -> None:
    roster = Roster(DRAFT, "reiklanders", warriors=(RosterEntry("champion"),))
    sections = sheet_of_roster(roster).reference.sections
    assert "Parry" not in [note.title for _, notes in sections for note in notes]
