"""What a club's list says of its prices is said wherever they are shown: gold crowns for points,
a second price that is added up, the limit that new warbands begin with.
"""

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.utils.html import strip_tags

from accounts.models import User
from engine.types.lists import POINTS, Currency
from engine.types.systems import COMMON_LIMIT, System
from rulesdata import registry
from rulesdata.operations.own_lists import change_own_list
from tests.factories import (
    SYSTEM,
    as_words,
    make_club,
    make_person,
    make_warband,
    make_warrior,
    record_of,
)
from tests.rulesdata.own_lists import make_list, make_profile
from tests.systems import in_turn
from warbands.exchange.text import as_compact, as_markdown, as_text
from warbands.forms.warbands import NewWarbandForm
from warbands.pdf.header import BIG, NORMAL, facts, head
from warbands.pdf.measure import gap
from warbands.pdf.stat_strip import sheet_strip
from warbands.queries.lists import starter
from warbands.queries.profile_picker import choices_for
from warbands.queries.warbands import sheet_of
from warbands.sheet.frozen import from_json, to_json
from warbands.sheet.structure import RosterSheet
from warbands.views.presenters import magic_left

CROWNS = Currency("gold crowns", "gc")
TERMS = {
    "currency": {"name": "gold crowns", "short": "gc"},
    "second_price": {"name": "Warband rating", "short": "rating", "max": 10},
    "default_limit": 500,
}


@pytest.mark.django_db
@pytest.mark.parametrize("system", in_turn(registry.rulesets(), of=3))
def test_form_api_and_starter_begin_with_the_same_limit(system: System) -> None:
    """Whatever an army list says of it, which printed ones may too."""
    actor = make_person()
    for key in registry.list_army_keys(system.key):
        army = registry.printed_army(system.key, key)
        form = NewWarbandForm(owner=actor, system=system, wishes={"army": key})
        told = form.initial["limit"]
        limit = None if told == "none" else int(form.initial.get("other_limit", told))
        assert limit == system.usual_limit(army.default_limit)
        found = starter(f"{system.address}--{key}")
        if found and not army.starter:
            assert found.roster.points_limit == (limit or COMMON_LIMIT)


@pytest.mark.parametrize("of_list, of_system, is_optional, usual", [
    (500, 200, False, 500), (500, None, True, 500), (None, 200, True, 200),
    (None, None, False, 150), (None, None, True, None), (None, 0, False, 150),
])  # fmt: skip
def test_a_list_names_its_limit_before_its_system(of_list, of_system, is_optional, usual):
    base = registry.load_base(SYSTEM)
    system = replace(base, default_limit=of_system, are_points_optional=is_optional)
    assert system.usual_limit(of_list) == usual


class Crowns:
    """A member's warband of three boatmen at 9 gold crowns and a rating of 5 each."""

    def __init__(self) -> None:
        self.organiser, self.member = make_person(), make_person()
        self.club = make_club(owner=self.organiser, members=[self.member])
        self.own = make_list(club=self.club, actor=self.organiser)
        self.key = make_profile(own=self.own, actor=self.organiser, second=5)
        change_own_list(self.organiser, self.token, lambda data, _: data.update(TERMS))
        self.warband = make_warband(actor=self.member, army=self.token, points_limit=30)
        make_warrior(warband=self.warband, profile=self.key, count=3)

    @property
    def token(self) -> str:
        return str(self.own.token)

    def sheet(self) -> RosterSheet:
        return sheet_of(record_of(self.warband))

    def client(self) -> Client:
        client = Client()
        client.force_login(User.objects.get(pk=self.member.user_id or 0))
        return client


@pytest.fixture
def crowns(db: None) -> Crowns:
    return Crowns()


@pytest.mark.parametrize("text, expected", [
    ("12 of 30 points: 3 left.", "12 of 30 gc: 3 left."),
    ("1 point each", "1 gc each"),
    ("−4 pts", "−4 gc"),
    ("The points limit is 30.", "The points limit is 30."),
    ("a 30 points limit", "a 30 points limit"),
    ("3 pointless words", "3 pointless words"),
])  # fmt: skip
def test_amounts_are_told_in_what_the_list_counts(text: str, expected: str) -> None:
    assert CROWNS.amounts_in(text) == expected
    assert POINTS.amounts_in(text) == text


def test_sheet_knows_currency_and_second_price(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    assert (sheet.currency, sheet.price_name) == (CROWNS, "Gold crowns")
    assert sheet.second_words == "Warband rating 15"
    messages = [one.message for one in sheet.findings]
    assert "Warband rating 15; the army list allows 10." in messages
    assert not any("points" in one for one in messages if one[0].isdigit())


def test_a_frozen_sheet_comes_back_with_its_prices(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    assert from_json(to_json(sheet), RosterSheet) == sheet
    old = to_json(sheet)
    del old["currency"], old["second"]
    plain = from_json(old, RosterSheet)
    assert (plain.currency, plain.second_words) == (POINTS, "")


def test_words_to_paste_say_gold_crowns(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    text = as_words(as_text, sheet)
    assert "27 / 30 gc, Warband rating 15" in text
    assert "3x Boatman - 27 gc" in text
    assert " pts" not in text + as_words(as_markdown, sheet)
    assert " pts" not in as_words(as_compact, sheet)
    assert "| Gc |" in as_words(as_markdown, sheet)


def test_pdf_head_has_both_prices_but_for_an_opponent(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    pairs = dict(facts(sheet))
    assert (pairs["Gold crowns"], pairs["Warband rating"]) == ("27 of 30", "15")
    copy = replace(sheet, is_opponents_copy=True)
    assert "Warband rating" not in dict(facts(copy))
    # Beside a second price there is room for the figures alone.
    (label, words), (usual, more) = facts(sheet)[-1], facts(replace(sheet, second=None))[-1]
    assert label.startswith("Rout test")
    assert (usual, more) == (label, f"from {words}")
    assert copy.second_words == ""
    codes = [one.code for one in sheet.shown_findings]
    assert "list.second" in codes
    assert "list.second" not in [one.code for one in copy.shown_findings]


def test_cards_say_gold_crowns(crowns: Crowns) -> None:
    page = crowns.client().get(f"/warbands/{crowns.warband.token}/sheet/cards/")
    assert "<b>9 gc</b>" in page.content.decode()


@pytest.mark.parametrize("tail", ["", "sheet/", "sheet/blank/", "?pane=army"])
def test_pages_of_a_warband_say_gold_crowns(crowns: Crowns, tail: str) -> None:
    page = crowns.client().get(f"/warbands/{crowns.warband.token}/{tail}")
    text = page.content.decode()
    assert tail == "sheet/blank/" or "Warband rating" in text
    said = " ".join(strip_tags(text[text.index("<main") : text.index("</main>")]).split())
    # The bar below names what a roster has to spend, whatever its list counts.
    said = said.replace("Points 27 / 30 gc", "").replace("points limit", "")
    assert not re.search(r"\bpts\b|\bpoints\b", said, re.IGNORECASE)
    assert "9 points" not in text


def test_list_of_warbands_says_gold_crowns(crowns: Crowns) -> None:
    text = crowns.client().get("/warbands/").content.decode()
    assert " gc" in " ".join(text.split())


def test_new_warband_is_offered_the_limit_of_its_list(crowns: Crowns) -> None:
    client = crowns.client()
    usual = client.get("/warbands/new/").context["form"]
    assert usual["limit"].value() == "150"
    assert "500" in dict(usual.fields["limit"].choices)
    page = client.get(f"/warbands/new/?system={SYSTEM}&army={crowns.token}")
    assert page.context["form"]["limit"].value() == "500"


def test_large_letters_have_room_for_names_beside_seven_fields(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    name = "Wardens of the Canal"
    sheet = replace(sheet, army_name=name, leader="Captain Wick")
    found = head(sheet, BIG, ())
    assert len(facts(sheet)) == 7
    assert name in found.html
    assert "Captain Wick" in found.html
    six = head(replace(sheet, second=None), BIG, ())
    assert (found.html.count("<p class='fl"), six.html.count("<p class='fl")) == (2, 1)
    assert round(found.mm - six.mm, 1) == BIG.fields_mm
    assert head(sheet, NORMAL, ()).html.count("<p class='fl") == 1


def test_pdf_strip_and_magic_say_gold_crowns(crowns: Crowns) -> None:
    sheet = crowns.sheet()
    kind = sheet_strip(sheet)
    assert "<u>Gc</u>" in kind.draw(sheet.warriors[0])
    plain = sheet_strip(replace(sheet, currency=POINTS))
    assert "Pts" in plain.draw(sheet.warriors[0])
    # The word has room of its own, a label of the font stands above the figures.
    assert kind.natural > plain.natural
    assert kind.unit_width > plain.unit_width == 0
    # Without labels the boxes stand under those of the strip above.
    silent = kind.silent.draw(sheet.warriors[0])
    assert silent.endswith(plain.silent.draw(sheet.warriors[0])[-4:])
    assert gap(kind.unit_width) in silent
    record = record_of(crowns.warband)
    choices = choices_for(record, record.roster.warriors[0].id or 0)
    assert choices
    profile = choices.selection.profile
    assert profile
    rich = replace(choices.selection, profile=replace(profile, magic_allowance=50))
    assert magic_left(replace(choices, selection=rich)) == "0 of 50 gold crowns"
