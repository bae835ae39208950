"""The pages on which a club writes: a form keeps what it shows and nothing else, and a preview
keeps nothing.
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from rulesdata import registry
from rulesdata.models import Army, Profile
from rulesdata.operations.own_lists import RecordPlace, retire_list, save_record
from tests.factories import SYSTEM, make_club, make_person
from tests.guards.corpus import INJECTIONS
from tests.guards.pages import shape_of
from tests.rulesdata.own_lists import make_list, make_profile

pytestmark = pytest.mark.django_db

MOST = 10
ODD = [
    "", " ", "-1", "1e9", "9" * 400, "x" * 5000, "\x00", "\u202e", "½", "None", "../..",
    "NaN",
]  # fmt: skip


class Place:
    """A club's list over the Empire with a profile, and the browser of its organiser."""

    def __init__(self):
        self.organiser = make_person()
        self.club = make_club(owner=self.organiser)
        self.own = make_list(club=self.club, actor=self.organiser)
        self.key = make_profile(own=self.own, actor=self.organiser)
        self.client = Client()
        self.client.force_login(User.objects.get(pk=self.organiser.user_id))
        self.home = f"/rules/clubs/{self.club.slug}/"
        self.url = f"{self.home}lists/{self.own.token}/"

    def pages(self):
        inner = [
            "", "edit/", "upload/", "profiles/new/", "profiles/new/?from=captain",
            "weapons/new/", "armour/new/",
        ]  # fmt: skip
        inner += [
            f"profiles/{self.key}/",
            f"profiles/{self.key}/edit/",
            "profiles/captain/edit/",
        ]
        inner += ["armour/shield/edit/"]
        own = [
            f"{self.home}{page}"
            for page in ("", "lists/new/", "lists/upload/", f"levels/{SYSTEM}/")
        ]
        return [*own, *(f"{self.url}{page}" for page in inner)]


@pytest.fixture
def place():
    return Place()


def profile(**changes):
    """What a browser sends for a new profile with one option."""
    row = {
        "id": "", "name": "Cork vest", "points": "3", "kind": "armour", "per": "model",
        "item": "", "group": "",
    }  # fmt: skip
    stats = dict.fromkeys(("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld"), "4")
    return {
        "name": "Ferryman", "category": "core", "troop_type": "infantry", "points": "8", "miniatures": "1",
        "default_equipment": "hand-weapon", "special_rules": "Swims\nRows", "options-TOTAL_FORMS": "1",
        "options-INITIAL_FORMS": "0", **{f"stat-{k}": v for k, v in stats.items()},
        **{f"options-0-{k}": v for k, v in row.items()}, **changes,
    }  # fmt: skip


def said(field):
    """What a browser sends of a field that nobody touched."""
    return "" if field.value() is None else field.value()


def test_every_page_is_drawn_in_at_most_ten_queries(place):
    for url in place.pages():
        place.client.get(url)
        with CaptureQueriesContext(connection) as queries:
            answer = place.client.get(url)
        assert (answer.status_code, len(queries) <= MOST) == (200, True), (
            url,
            len(queries),
        )
        assert shape_of(answer.content.decode()).faults == [], url


def test_profile_is_written_in_the_form_and_changed_without_losing_the_rest(place):
    answer = place.client.post(f"{place.url}profiles/new/", profile())
    assert answer.status_code == 302
    row = Profile.objects.get(name="Ferryman")
    assert (row.points, row.data["special_rules"], row.data["options"][0]["points"]) == (
        8, ["Swims", "Rows"], 3,
    )  # fmt: skip
    captain = registry.find_printed_lists("whfb6", "the-empire").army.units
    shown = place.client.get(f"{place.url}profiles/captain/edit/").context
    sent = {**{f.html_name: said(f) for f in shown["form"]}, "points": "51"}
    rows = {
        f.html_name: said(f) for row in shown["options"] for f in row if f.name != "gone"
    }
    management = {f.html_name: f.value() for f in shown["options"].management_form}
    answer = place.client.post(
        f"{place.url}profiles/captain/edit/", {**sent, **rows, **management}
    )
    assert answer["Location"] == f"/warbands/prices/{place.club.slug}/{place.own.token}/"
    before = next(unit for unit in captain if unit.id == "captain").model_dump(
        exclude_unset=True, by_alias=True
    )
    after = Profile.objects.get(army=place.own, key="captain").data
    assert {key for key in {*before, *after} if before.get(key) != after.get(key)} == {
        "points"
    }


def test_club_describes_a_unit_its_rules_and_options(place):
    words = {
        "description": "Poles the ferry.",
        "rule_texts": "Swims: Crosses deep water.\nRows: Moves a boat.",
        "options-0-description": "Keeps afloat.",
    }
    assert (
        place.client.post(f"{place.url}profiles/new/", profile(**words)).status_code == 302
    )
    row = Profile.objects.get(name="Ferryman")
    assert row.data["rule_texts"] == {
        "Swims": "Crosses deep water.",
        "Rows": "Moves a boat.",
    }
    page = place.client.get(f"{place.url}profiles/{row.key}/").content.decode()
    for text in ("Poles the ferry.", "Crosses deep water.", "Keeps afloat."):
        assert text in page
    # The form shows the words again, and without them they are gone.
    form = place.client.get(f"{place.url}profiles/{row.key}/edit/").context["form"]
    assert "Swims: Crosses deep water." in str(form["rule_texts"])
    empty = profile(seen=form["seen"].value(), **{"options-0-id": "cork-vest"})
    assert (
        place.client.post(f"{place.url}profiles/{row.key}/edit/", empty).status_code == 302
    )
    row.refresh_from_db()
    assert not {"description", "rule_texts"} & set(row.data)


@pytest.mark.parametrize("line", ["Flies: Over walls.", "Swims", "Swims:"])
def test_words_of_no_special_rule_are_refused(place, line):
    answer = place.client.post(f"{place.url}profiles/new/", profile(rule_texts=line))
    assert answer.status_code == 422
    assert "begin the line with one of the special rules" in answer.content.decode()


def test_preview_keeps_nothing_with_script_or_without(place):
    before = Profile.objects.count()
    sent = profile(go="preview")
    whole = place.client.post(f"{place.url}profiles/new/", sent)
    part = place.client.post(
        f"{place.url}profiles/new/",
        sent,
        headers={"HX-Request": "true", "HX-Target": "preview"},
    )
    assert (whole.status_code, part.status_code, Profile.objects.count()) == (
        200, 200, before,
    )  # fmt: skip
    assert "Ferryman" in part.content.decode()
    assert "<html" not in part.content.decode()


def test_odd_values_are_refused_in_words_and_never_break(place, share):
    stored = Profile.objects.count()
    tried = 0
    for name in profile():
        for value in share(ODD, 11, tried):
            answer = place.client.post(
                f"{place.url}profiles/new/", profile(**{name: value, "go": "preview"})
            )
            assert answer.status_code in (200, 400, 422), (
                name,
                value[:20],
                answer.status_code,
            )
            tried += 1
    for part, own in (("weapons", {"type": "melee"}), ("armour", {"save": "5"})):
        for name in (
            "name", "range", "strength", "hands", "save_modifier", "shots", "note",
            "improves", "type",
        ):  # fmt: skip
            value = ODD[tried % len(ODD)]
            sent = {"name": "Gaff", **own, name: value, "go": "preview"}
            assert place.client.post(f"{place.url}{part}/new/", sent).status_code in (
                200, 400, 422,
            ), (name, value)  # fmt: skip
            tried += 1
    assert (tried > 40, Profile.objects.count()) == (True, stored)


@pytest.mark.parametrize("part, name, allowed, refused", [
    ("weapons", "note", "x" * 300, "x" * 301),
    ("weapons", "shots", "200", "201"),
    ("weapons", "shots", "1", "D6"),
    ("profiles", "miniatures", "1", ""),
    ("profiles", "miniatures", "200", "201"),
    ("profiles", "options-0-kind", "other", "mount"),
])  # fmt: skip
def test_forms_are_narrower_than_files(place, part, name, allowed, refused):
    weapon = {"name": "Gaff", "type": "missile"}
    sent = {**(weapon if part == "weapons" else profile()), "go": "preview"}

    def errors(value):
        answer = place.client.post(f"{place.url}{part}/new/", {**sent, name: value})
        rows = answer.context.get("options") or ()
        return {
            f.html_name
            for form in (answer.context["form"], *rows)
            for f in form
            if f.errors
        }

    assert (errors(allowed), errors(refused)) == (set(), {name})


def test_armour_needs_no_figure_in_a_list_that_has_none(place):
    columns = "frame: {stats: [{id: Qu, name: Quality}]}"
    text = f"army: raft\nname: Raft\nedition: 6\ncollection: whfb6\n{columns}\n"
    place.client.post(f"{place.home}lists/upload/", {"text": text})
    raft = Army.objects.get(name="Raft")
    url = f"{place.home}lists/{raft.token}/armour/new/"
    assert place.client.post(url, {"name": "Cork vest"}).status_code == 302
    assert place.client.post(f"{place.url}armour/new/", {"name": "Vest"}).status_code == 422


def test_typed_text_adds_no_element(place):
    def drawn(text):
        own = make_list(club=place.club, actor=place.organiser, name=text)
        key = make_profile(
            own=own, actor=place.organiser, name=text, special_rules=[text], model_name=text
        )
        weapon = {"name": text, "type": "melee", "note": text, "sources": ["first"]}
        save_record(place.organiser, RecordPlace(str(own.token), "weapons"), weapon)
        inner = ("", f"profiles/{key}/", f"profiles/{key}/edit/")
        pages = [place.home, *(f"{place.home}lists/{own.token}/{page}" for page in inner)]
        shapes = [shape_of(place.client.get(url).content.decode()) for url in pages]
        retire_list(place.organiser, str(own.token))
        return [
            (shape.elements["script"], shape.elements["img"], shape.faults)
            for shape in shapes
        ]

    texts = [
        text.strip()
        for text in INJECTIONS
        if text.isprintable() and 3 < len(text.strip()) <= 70
    ][::9]
    plain = drawn("Plain words here")
    for number, text in enumerate(texts):
        assert drawn(f"{text} {number}") == plain, text
    assert len(texts) > 4


def test_upload_page_names_the_line_and_takes_a_file(place):
    url = f"{place.home}lists/upload/"
    answer = place.client.post(
        url, {"text": "army: raft\nname: Raft\nedition: x\n", "collection": "whfb6"}
    )
    assert answer.status_code == 422
    assert "line 3: edition: " in answer.content.decode()
    assert place.client.post(url, {"collection": "whfb6"}).status_code == 422
    raw = b"army: raft\nname: Raft\nedition: 6\ncollection: whfb6\nbase: the-empire\n"
    done = place.client.post(url, {"file": SimpleUploadedFile("raft.yaml", raw)})
    assert done.status_code == 302
    token = Army.objects.get(name="Raft").token
    assert (
        place.client.get(f"{place.home}lists/{token}/file/")
        .content.decode()
        .startswith("army: raft\nname: Raft\n")
    )
