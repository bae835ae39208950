"""Warbands of a club's list: who may muster them, who may read them, and what a change of prices
does to them.
"""

import pytest
from django.test import Client, TestCase
from django.urls import reverse

from accounts.errors import FaultyDocument, NotFound, Refusal
from accounts.models import User
from rulesdata.operations.own_lists import retire_list
from tests.factories import (
    SYSTEM,
    make_club,
    make_person,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.rulesdata.own_lists import make_list, make_profile, unit_record
from warbands.exchange.document import to_document
from warbands.models import WarbandEvent
from warbands.operations.transaction import WriteContext
from warbands.operations.upkeep import take_prices
from warbands.operations.warbands import (
    change_warband,
    duplicate_warband,
    import_document,
    replace_roster,
    undo_last_change,
)
from warbands.operations.warriors import (
    apply_fix,
    change_warrior,
    duplicate_warrior,
    set_leader,
    split_warrior,
    take_price,
)
from warbands.queries.profile_picker import fix_fields
from warbands.queries.warbands import load_prices, sheet_of

pytestmark = pytest.mark.django_db


class Place:
    """A club with a list over the Empire that sells boatmen at 9 points, and a member's warband of
    three of them.
    """

    def __init__(self):
        self.organiser, self.member, self.stranger = (
            make_person(),
            make_person(),
            make_person(),
        )
        self.club = make_club(owner=self.organiser, members=[self.member])
        self.own = make_list(club=self.club, actor=self.organiser)
        self.key = make_profile(own=self.own, actor=self.organiser)
        self.warband = self.mustered(visibility="club", club_id=self.club.pk)

    def describe(self):
        """Words of the club for the boatman, a rule of it and its shield."""
        shield = {**unit_record()["options"][0], "description": "Wards off splashes."}
        return make_profile(
            own=self.own,
            actor=self.organiser,
            name="Pilot",
            description="Knows the shoals.",
            special_rules=["Swims", "Shouts"],
            rule_texts={"Swims": "Crosses deep water.", "Sinks": "Never."},
            options=[shield],
        )

    def mustered(self, **fields):
        warband = make_warband(
            actor=self.member, army=self.own.token, points_limit=30, **fields
        )
        make_warrior(warband=warband, profile=self.key, count=3)
        return warband

    def reprice(self, points):
        with TestCase.captureOnCommitCallbacks(execute=True):
            make_profile(own=self.own, actor=self.organiser, key=self.key, points=points)

    def points(self, warband=None):
        warband = warband or self.warband
        warband.refresh_from_db()
        record = record_of(warband)
        assert sheet_of(record).points == warband.points
        return warband.points


@pytest.fixture
def place():
    return Place()


def client_of(owner):
    client = Client()
    if owner.is_person:
        client.force_login(User.objects.get(pk=owner.user_id))
    return client


def test_members_muster_from_it_and_nobody_else(place):
    assert place.points() == 27
    for who in (place.stranger, owner_of(make_warband())):
        with pytest.raises(Refusal, match="is not fielded"):
            make_warband(actor=who, army=place.own.token)
        with pytest.raises(FaultyDocument):
            import_document(WriteContext(who), to_document(record_of(place.warband).roster))
    assert (
        import_document(
            WriteContext(place.member), to_document(record_of(place.warband).roster)
        ).record.points
        == 27
    )
    shown = client_of(place.member).get(reverse("warband-new")).content.decode()
    assert f'<option value="{place.own.token}">River Empire</option>' in shown
    assert (
        place.own.token
        not in client_of(place.stranger).get(reverse("warband-new")).content.decode()
    )


def test_retired_list_is_known_to_its_own_warbands_alone(place):
    """A document replaces what its warband holds, and founds nothing new from the list."""
    document = to_document(record_of(place.warband).roster)
    other = make_warband(actor=place.member)
    retire_list(place.organiser, place.own.token)
    renamed = {**document, "name": "Pilots"}
    replaced = replace_roster(WriteContext(place.member, place.warband.token), renamed)
    assert replaced.record.roster.name == "Pilots"
    assert replaced.record.points == 27
    for context in (
        WriteContext(place.member, other.token),
        WriteContext(place.stranger, place.warband.token),
    ):
        with pytest.raises(FaultyDocument) as refused:
            replace_roster(context, renamed)
        assert [fault.path for fault in refused.value.faults] == ["army"]


def test_shared_with_outsiders_its_pages_are_drawn_and_its_list_stays_hidden(place):
    change_warband(WriteContext(place.member, place.warband.token), visibility="link")
    client, token = client_of(place.stranger), place.warband.token
    for name in ("warband-read", "sheet-read", "sheet-pdf", "roster-text", "roster-json"):
        answer = client.get(reverse(name, args=[token]))
        assert answer.status_code == 200, name
    assert "Boatman" in client.get(reverse("roster-text", args=[token])).content.decode()
    with pytest.raises(Refusal, match="belongs to a club"):
        duplicate_warband(WriteContext(place.stranger, token))
    own = place.own.token
    for url in (
        f"/rules/{SYSTEM}/armies/{own}/",
        f"/rules/{SYSTEM}/armies/{own}/units/{place.key}/",
        f"/odds/?a=p:{SYSTEM}:{own}:{place.key}",
        f"/rules/compare/?a={SYSTEM}/{own}/{place.key}",
    ):
        assert client.get(url).status_code == 404, url
    assert "Boatman" not in client.get(f"/odds/choose/?army={own}").content.decode()


def test_change_of_price_leaves_every_warband_as_it_was_and_tells_it(place):
    version = place.warband.version
    place.reprice(12)
    assert place.points() == 27
    record = record_of(place.warband)
    found = [
        finding for finding in sheet_of(record).findings if finding.code == "price.kept"
    ]
    assert [f.message for f in found] == ["Old prices: Boatman 9 each, now 12 in the list."]
    assert (record.version, place.warband.notes) == (version + 1, sheet_of(record).notes)
    place.reprice(9)  # and back: nothing is kept any more
    assert "price.kept" not in {
        finding.code for finding in sheet_of(record_of(place.warband)).findings
    }


def test_the_first_price_is_kept_through_several_changes(place):
    for points in (12, 15, 7):
        place.reprice(points)
        assert place.points() == 27
    (warrior,) = place.warband.warriors.all()
    assert (warrior.keeps_price, warrior.paid_each) == (True, 9)
    place.reprice(9)
    warrior.refresh_from_db()
    assert (warrior.keeps_price, warrior.paid_each) == (False, 9)


def test_dearer_options_are_kept_by_those_who_have_them(place):
    armed = make_warband(actor=place.member, army=place.own.token)
    make_warrior(warband=armed, profile=place.key, count=2, options=["shield"])
    assert place.points(armed) == 2 * (9 + 2)
    shield = {**unit_record()["options"][0], "points": 5}
    with TestCase.captureOnCommitCallbacks(execute=True):
        make_profile(own=place.own, actor=place.organiser, key=place.key, options=[shield])
    assert place.points(armed) == 2 * (9 + 2)
    assert [one.keeps_price for one in armed.warriors.all()] == [True]
    assert [one.keeps_price for one in place.warband.warriors.all()] == [False]


def test_new_purchases_pay_todays_price(place):
    place.reprice(12)
    make_warrior(warband=place.warband, profile=place.key)
    assert place.points() == 27 + 12
    first = record_of(place.warband).roster.warriors[0].id
    change_warrior(WriteContext(place.member, place.warband.token), first, count=4)
    assert place.points() == 48 + 12


def test_who_is_split_off_keeps_the_old_price_and_a_copy_does_not(place):
    place.reprice(12)
    context = WriteContext(place.member, place.warband.token)
    first = record_of(place.warband).roster.warriors[0].id
    split_warrior(context, first)
    assert place.points() == 27
    set_leader(context, first)
    assert place.points() == 27
    leader = next(one for one in record_of(place.warband).roster.warriors if one.is_leader)
    assert (leader.count, leader.kept) == (1, 9)
    duplicate_warrior(context, leader.id)
    assert place.points() == 27 + 12
    # Whoever leads stays alone: those there are besides are bought today.
    change_warrior(context, leader.id, count=3)
    assert place.points() == 27 + 12 + 2 * 12


def test_owner_takes_the_price_with_the_findings_fix_and_back(place):
    place.reprice(12)
    fix = next(
        f for f in sheet_of(record_of(place.warband)).findings if f.code == "price.kept"
    ).fixes[0]
    fields = fix_fields(record_of(place.warband), fix)
    assert (fix.label, fields["action"]) == ("Update price of Boatman, +9", "take_price")
    apply_fix(
        WriteContext(place.member, place.warband.token),
        action="take_price",
        warrior_id=int(fields["warrior"]),
    )
    assert place.points() == 36
    undo_last_change(WriteContext(place.member, place.warband.token))
    assert place.points() == 27


def test_page_of_prices_tells_old_new_and_limit_and_takes_those_chosen(place):
    mine = place.mustered()
    place.reprice(12)
    page = load_prices(place.organiser, place.club.slug, place.own.token)
    (row,) = page["rows"]
    figures = (row["points"], row["points_then"], row["over"], page["hidden"])
    assert (row["token"], figures) == (place.warband.token, (27, 36, 6, 1))
    url = reverse("content-prices", args=[place.club.slug, place.own.token])
    assert client_of(place.member).get(url).status_code == 403
    assert client_of(place.stranger).get(url).status_code == 404
    client = client_of(place.organiser)
    assert "6 over its limit" in client.get(url).content.decode()
    assert client.post(url, {}).status_code == 422
    assert (
        client.post(url, {"warband": f"{place.warband.token}:{row['version']}"}).status_code
        == 302
    )
    assert (place.points(), place.points(mine)) == (36, 27)
    event = WarbandEvent.objects.filter(warband=place.warband).first()
    assert (event.verb, event.actor_id) == ("take_prices", place.organiser.user_id)
    assert load_prices(place.organiser, place.club.slug, place.own.token)["rows"] == []


def test_two_who_decide_at_once_lose_nothing(place):
    place.reprice(12)
    seen = {place.warband.token: record_of(place.warband).version}
    change_warband(
        WriteContext(place.member, place.warband.token), name="Renamed meanwhile"
    )
    done = take_prices(place.organiser, place.own.token, place.club.pk, seen)
    assert (*done, place.points()) == ((), ("Renamed meanwhile",), 27)
    seen = {place.warband.token: record_of(place.warband).version}
    assert take_prices(place.organiser, place.own.token, place.club.pk, seen)[0]
    assert take_prices(place.organiser, place.own.token, place.club.pk, seen)[1] == (
        "Renamed meanwhile",
    )


def test_nobody_prices_anew_what_the_club_is_not_shown(place):
    mine = place.mustered()
    place.reprice(12)
    for who, warband in ((place.organiser, mine), (place.stranger, place.warband)):
        seen = {warband.token: record_of(warband).version}
        with pytest.raises(Refusal, match="not yours to price anew"):
            take_prices(who, place.own.token, place.club.pk, seen)
    with pytest.raises(NotFound):
        take_price(WriteContext(place.organiser, mine.token), 1)


def test_lists_and_prices_ask_as_much_for_three_as_for_one(
    place, django_assert_num_queries
):
    place.reprice(12)
    client, runner = client_of(place.member), client_of(place.organiser)
    url = reverse("content-prices", args=[place.club.slug, place.own.token])
    for name in ("Another", "One more"):
        client.get(
            reverse("warband-list")
        )  # what a process keeps of the lists it has just met
        runner.get(url)
        with django_assert_num_queries(3):
            assert client.get(reverse("warband-list")).status_code == 200
        with django_assert_num_queries(8):
            assert runner.get(url).status_code == 200
        place.mustered(visibility="club", club_id=place.club.pk)
        other = make_list(club=place.club, actor=place.organiser, name=name)
        make_warband(actor=place.member, army=other.token)
        place.reprice(13)


def test_clubs_words_stand_in_the_picker_and_on_the_quick_reference(place):
    pilot = place.describe()
    make_warrior(warband=place.warband, profile=pilot, options=("shield",))
    client = Client()
    client.force_login(User.objects.get(pk=place.member.user_id))
    about = reverse("unit-about", args=[place.warband.token])
    shown = client.get(about, {"unit": pilot}).content.decode()
    for text in ("Knows the shoals.", "Crosses deep water.", "Wards off splashes."):
        assert text in shown
    sections = dict(sheet_of(record_of(place.warband)).reference.sections)
    notes = sections["The list in its club's words"]
    assert [(one.title, one.text) for one in notes] == [
        ("Pilot", "Knows the shoals."),
        ("Swims", "Crosses deep water."),
        ("Shield", "Wards off splashes."),
    ]
