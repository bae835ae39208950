"""A warband of regiments and one without points: built, checked, shown, printed, written out and
read back.
"""

import io
import json

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from accounts.owner import Owner
from rulesdata import registry
from tests.factories import (
    as_words,
    make_person,
    make_user,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.systems import systems_with
from warbands.exchange import document, text
from warbands.forms.warbands import NewWarbandForm
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import (
    change_warband,
    create_from_starter,
    import_document,
)
from warbands.operations.warriors import apply_fix, change_warrior
from warbands.pdf import measure
from warbands.pdf.documents import blank_pdf, roster_pdf
from warbands.queries.lists import starters
from warbands.queries.profile_picker import choices_for, fix_fields
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db
CIVIL_WAR, D10 = "english-civil-war", "d10-skirmish"
ALL = ("roster", "reference", "cards")


def words(pdf: bytes) -> str:
    return " ".join(
        " ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages
    )


def make_army(actor: Owner | None = None, **fields: object) -> Warband:
    """A mounted General, 20 pikes with standard and drum, and five dragoons."""
    warband = make_warband(
        actor=actor, system=CIVIL_WAR, army="royalists", name="Levy", **fields
    )
    make_warrior(warband=warband, profile="general", options=["horse"], is_leader=True)
    make_warrior(
        warband=warband,
        profile="pikemen",
        count=20,
        options=["standard-bearer", "musician", "light-armour"],
    )
    make_warrior(warband=warband, profile="dragoons")
    warband.refresh_from_db()
    return warband


def make_patrol(actor: Owner | None = None) -> Warband:
    """Three soldiers in flak jackets, a hound and a beast in a thick hide."""
    warband = make_warband(actor=actor, system=D10, army="starter-list", name="Patrol")
    make_warrior(
        warband=warband, profile="soldier", count=3, options=["flak-jacket", "fast"]
    )
    make_warrior(warband=warband, profile="hound")
    make_warrior(warband=warband, profile="great-beast", options=["thick-hide"])
    warband.refresh_from_db()
    return warband


def test_regiments_begin_with_five_and_pay_their_command_once() -> None:
    warband = make_army()
    pikes, dragoons = sheet_of(record_of(warband)).warriors[1:]
    assert dragoons.count == 5
    assert (pikes.points_each, pikes.points) == (7, 160)
    assert warband.points == 80 + 160 + 55
    assert (warband.errors, warband.warnings) == (0, 0)


def test_choices_tell_the_total_with_something_paid_once() -> None:
    warband = make_army()
    record = record_of(warband)
    dragoons = record.roster.warriors[2].id
    assert dragoons is not None
    choices = choices_for(record, dragoons)
    assert choices is not None
    musician = next(
        c for group in choices.groups for c in group.choices if c.key == "musician"
    )
    assert choices.total + musician.change == warband.points + 8
    musket = next(c for group in choices.groups for c in group.choices if c.key == "musket")
    assert choices.total + musket.change == warband.points + 5


def test_a_small_unit_is_mended_by_its_fix() -> None:
    warband = make_army()
    actor = owner_of(warband)
    pikes = record_of(warband).roster.warriors[1].id
    assert pikes is not None
    change_warrior(WriteContext(actor, warband.token), pikes, count=3)
    (finding,) = [
        f for f in sheet_of(record_of(warband)).findings if f.code == "unit.too_small"
    ]
    fields = fix_fields(record_of(warband), finding.fixes[0])
    apply_fix(
        WriteContext(actor, warband.token),
        action=fields["action"],
        warrior_id=int(fields["warrior"]),
        value=int(fields["value"]),
    )
    assert record_of(warband).roster.warriors[1].count == 5


def test_points_may_be_switched_off_and_on() -> None:
    warband = make_army()
    change_warband(WriteContext(owner_of(warband), warband.token), points_limit=None)
    warband.refresh_from_db()
    assert warband.points == 0
    sheet = sheet_of(record_of(warband))
    for written in (
        as_words(text.as_text, sheet),
        as_words(text.as_markdown, sheet),
        as_words(text.as_compact, sheet),
    ):
        assert "pts" not in written.lower()
        assert "160" not in written
    assert "Points" not in words(roster_pdf(sheet, "a4", ALL))
    change_warband(WriteContext(owner_of(warband), warband.token), points_limit=300)
    warband.refresh_from_db()
    assert warband.points == 295


def test_new_patrol_has_no_limit_and_no_points() -> None:
    warband = make_patrol()
    assert (warband.points_limit, warband.points, warband.errors, warband.warnings) == (
        None,
        0,
        0,
        0,
    )
    assert warband.miniatures == 5


def test_paper_of_regiments_has_ranks_and_losses_and_names_the_general() -> None:
    sheet = sheet_of(record_of(make_army()))
    printed = words(roster_pdf(sheet, "a4", ALL))
    assert "20 models in 4 ranks of 5, rank bonus +3" in printed
    assert "Losses ☐☐☐☐☐ ☐☐☐☐☐ ☐☐☐☐☐ ☐☐☐☐☐" in printed
    assert "Units lost" in printed
    assert "Rout" not in printed
    assert "March or charge" in printed


def test_paper_without_saves_wounds_points_or_leader_says_nothing_of_them() -> None:
    sheet = sheet_of(record_of(make_patrol()))
    printed = words(roster_pdf(sheet, "a4", ALL))
    for word in ("Save", "Wounds", "Pts", "eader", "armour save", "No armour"):
        assert word not in printed
    for word in ("Flak jacket", "Casualty test", "Immob", "Mv9"):
        assert word.lower() in printed.lower()


@pytest.mark.parametrize("key,has_save", [(CIVIL_WAR, True), (D10, False)])
def test_blank_sheet_has_the_systems_own_boxes(key: str, has_save: bool) -> None:
    printed = words(blank_pdf(registry.load_system(key)))
    assert ("Wounds" in printed) is has_save
    assert ("General" in printed) is (key == CIVIL_WAR)


@pytest.mark.parametrize("make", [make_army, make_patrol])
def test_document_comes_back_as_it_went(make) -> None:
    record = record_of(make())
    data = json.loads(json.dumps(document.to_document(record.roster)))
    actor = make_person()
    token = import_document(WriteContext(actor), data).token
    copy = load_warband(actor, token)
    assert copy is not None
    assert document.to_document(copy.roster) == data
    assert (copy.points, copy.models) == (record.points, record.models)


@pytest.mark.parametrize("make", [make_army, make_patrol])
def test_words_tell_the_stat_line_and_the_gear(make) -> None:
    sheet = sheet_of(record_of(make()))
    written = as_words(text.as_text, sheet)
    assert ("save" in written) is sheet.shows_saves
    assert ("(general)" in written) is bool(sheet.leader_name)
    heads = as_words(text.as_markdown, sheet).splitlines()[4]
    assert ("| Save |" in heads) is sheet.shows_saves
    assert ("| Pts |" in heads) is sheet.shows_points


@pytest.mark.parametrize(
    "options, gear", [((), ("Dagger",)), (("dagger",), ("Dagger", "Second dagger"))]
)
def test_a_second_dagger_stands_beside_the_free_one(
    options: tuple[str, ...], gear: tuple[str, ...]
) -> None:
    warband = make_warband(system="mordheim-rulings", variant="A", army="averlanders")
    make_warrior(warband=warband, profile="captain", options=options)
    [captain] = sheet_of(record_of(warband)).warriors
    assert captain.gear == gear


@pytest.mark.parametrize("make", [make_army, make_patrol])
def test_every_page_is_drawn(client: Client, make) -> None:
    user = make_user()
    client.force_login(user)
    warband = make(Owner(user_id=user.pk))
    sheets = ("read", "cards", "reference", "blank", "opponent", "pdf")
    for page in ("warband-read", *(f"sheet-{name}" for name in sheets)):
        assert client.get(reverse(page, args=[warband.token])).status_code == 200, page


DRAW = "add {!r} to warbands/pdf/measure.py and draw the fonts anew with script/fonts"


@pytest.mark.parametrize("address", [book.address for book in systems_with()])
def test_every_box_of_a_sheet_has_a_label_in_its_font(address: str) -> None:
    system = next(book for book in registry.rulesets() if book.address == address)
    labels = [*(state.name for state in system.states if state.is_ticked), *system.marks]
    assert labels
    for name in labels:
        assert name in measure.STATE_LABELS or name in measure.MARK_LABELS, DRAW.format(
            name
        )
    for stat in system.stats:
        assert stat.key in measure.STATS, DRAW.format(stat.key)


def test_box_for_what_only_big_models_suffer_stands_beside_big_models_only() -> None:
    warband = make_warband(system=D10, army="starter-list", name="Patrol")
    make_warrior(warband=warband, profile="soldier")
    small = sheet_of(record_of(warband))
    assert "Immobilised" not in {state.name for state in small.states}
    assert "big-casualty" not in {table.key for table in small.reference.tables}
    make_warrior(warband=warband, profile="truck")
    assert "Immobilised" in {state.name for state in sheet_of(record_of(warband)).states}


def test_sheets_call_their_entries_what_the_rules_do() -> None:
    for make, entry, lost in (
        (make_army, "Unit", "Units lost"),
        (make_patrol, "Model", "Removed"),
    ):
        sheet = sheet_of(record_of(make()))
        assert sheet.words.entry == entry
        assert lost in words(roster_pdf(sheet, "a4", ("roster",)))
        assert as_words(text.as_markdown, sheet).splitlines()[4].startswith(f"| {entry} |")


def test_army_list_of_regiments_prices_what_a_tap_adds(client: Client) -> None:
    user = make_user()
    client.force_login(user)
    warband = make_army(Owner(user_id=user.pk), points_limit=500)
    page = client.get(reverse("warband-read", args=[warband.token])).content.decode()
    assert 'aria-label="Add Pikemen, 30 points"' in page
    assert "+5 models" in page
    change_warband(WriteContext(owner_of(warband), warband.token), points_limit=None)
    page = client.get(reverse("warband-read", args=[warband.token])).content.decode()
    assert 'aria-label="Add Pikemen"' in page


@pytest.mark.parametrize(
    "system, limits, chosen",
    [
        ("warhammer-skirmish", ["100", "150", "200", "250", "other", "none"], "150"),
        (CIVIL_WAR, ["250", "500", "1000", "other", "none"], "500"),
        (D10, [], None),
    ],
)
def test_new_warband_is_asked_for_a_limit_where_the_lists_have_prices(
    system: str, limits: list[str], chosen: str | None
) -> None:
    form = NewWarbandForm(owner=make_person(), system=registry.load_base(system))
    if chosen is None:
        assert "limit" not in form.fields
        return
    assert [value for value, _ in form.fields["limit"].choices] == limits
    assert form.get_initial_for_field(form.fields["limit"], "limit") == chosen


def test_new_warband_without_a_limit_is_made(client: Client) -> None:
    sent = {"system": D10, "army": "starter-list", "name": "Patrol", "key": "k1"}
    assert client.post("/warbands/new/", sent).status_code == 302
    assert Warband.objects.get().points_limit is None


def test_option_says_what_it_brings(client: Client) -> None:
    record = record_of(make_patrol())
    soldier = record.roster.warriors[0].id
    assert soldier is not None
    choices = choices_for(record, soldier)
    assert choices is not None
    details = {
        choice.key: choice.detail for group in choices.groups for choice in group.choices
    }
    assert details["laser-rifle"] == "any range, 2 shots, armour penetration 1"
    assert details["powered-armour"] == "armour values 1 front, 1 side, 1 rear"
    assert details["tough-1"] == "Me +1, Df +1"


def test_builder_without_points_shows_none(client: Client) -> None:
    user = make_user()
    client.force_login(user)
    warband = make_patrol(Owner(user_id=user.pk))
    soldier = record_of(warband).roster.warriors[0].id
    page = client.get(
        reverse("warrior-read", args=[warband.token, soldier])
    ).content.decode()
    for word in (
        " pts",
        'class="pts"',
        "Points </span>",
        "Make leader",
        ">Save<",
        "What makes up",
    ):
        assert word not in page
    assert "5 of 12 models" in " ".join(page.split())
    assert "Powered armour" in page


def test_builder_of_regiments_asks_for_a_number_and_a_general(client: Client) -> None:
    user = make_user()
    client.force_login(user)
    warband = make_army(Owner(user_id=user.pk))
    pikes = record_of(warband).roster.warriors[1].id
    page = " ".join(
        client.get(reverse("warrior-read", args=[warband.token, pikes]))
        .content.decode()
        .split()
    )
    assert "Make general" in page
    assert "Standard bearer, once" in page
    assert "One on its own" not in page
    assert 'name="count" value="20"' in page


@pytest.mark.parametrize("make", [make_army, make_patrol])
def test_programs_check_and_print_it(client: Client, make) -> None:
    record = record_of(make())
    data = document.to_document(record.roster)
    checked = client.post(
        "/api/v1/check/", json.dumps(data), content_type="application/json"
    )
    assert checked.status_code == 200
    answer = checked.json()
    assert (answer["points"], answer["models"]) == (record.points, record.models)
    assert {finding["level"] for finding in answer["findings"]} <= {"note"}
    printed = client.post(
        "/api/v1/sheet/", json.dumps(data), content_type="application/json"
    )
    assert printed.status_code == 200
    assert printed.content.startswith(b"%PDF")


def test_programs_count_points_only_under_a_limit(client: Client) -> None:
    data = document.to_document(record_of(make_army()).roster)
    found = client.post(
        "/api/v1/check/",
        json.dumps({**data, "points_limit": None}),
        content_type="application/json",
    )
    assert (found.json()["points"], [w["points"] for w in found.json()["warriors"]]) == (
        0,
        [0, 0, 0],
    )


@pytest.mark.parametrize(
    "system,armies", [(CIVIL_WAR, {"royalists", "parliament"}), (D10, {"starter-list"})]
)
def test_starters_have_no_findings_and_can_be_taken(system: str, armies: set[str]) -> None:
    found = starters(system)
    assert {one.sheet.army_key for one in found} == armies
    assert {(one.sheet.errors, one.sheet.warnings) for one in found} == {(0, 0)}
    done = create_from_starter(WriteContext(make_person()), found[0].key)
    assert done.record is not None
    assert done.record.models == found[0].sheet.models
