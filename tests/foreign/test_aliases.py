"""What other tools call the packs' armies, and what somebody chose for a name before."""

import pytest
from django.test import Client

from accounts.models import User
from accounts.owner import NOBODY, Owner
from engine.errors import Refusal
from interchange.tree import ForeignUnit
from rulesdata import registry
from rulesdata.schema.lists import unit_names
from tests.factories import EMPIRE, SYSTEM, make_club, make_person
from tests.foreign.test_import_page import TEXT
from tests.rulesdata.own_lists import make_list, make_profile, unit_record
from warbands.exchange.foreign.export import write_roster
from warbands.exchange.foreign.matches import Aliases, ArmyNames, Match, NameIndex
from warbands.exchange.foreign.preview import LineChoice
from warbands.exchange.foreign.reader import read_list, read_text
from warbands.models import LearnedName
from warbands.operations import foreign_lists as operations
from warbands.operations.foreign_lists import import_list
from warbands.operations.transaction import WriteContext
from warbands.operations.upkeep import delete_account_warbands
from warbands.queries.foreign_lists import (
    ListPreview,
    ListWishes,
    army_choices,
    learned_files,
    load_list_preview,
    outgoing_roster,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TREE = read_text(TEXT)
# Line 3 is "Halbard men", line 4 a dragon that the Empire has not.
CHOSEN = {3: LineChoice("halberdiers"), 4: LineChoice("")}


def printed_armies() -> list[tuple[str, str]]:
    return [
        (registry.find_collection_key(system, army), army)
        for system in registry.systems()
        for army in registry.list_army_keys(system)
    ]


def test_heads_of_armies_say_what_the_whole_lists_do() -> None:
    armies = dict.fromkeys(printed_armies())
    assert len(armies) > 15
    for collection, key in armies:
        file = registry.army_file(collection, key)
        army = registry.printed_army(
            next(s for s in registry.systems() if key in registry.list_army_keys(s)), key
        )
        units = unit_names(file.units)
        assert file.name == army.name
        assert list(units) == list(army.profiles)
        for unit, (name, model) in units.items():
            profile = army.profiles[unit]
            assert (name, model) == (profile.name, profile.model_name)


def test_every_alias_of_the_packs_finds_its_unit() -> None:
    seen = 0
    for collection, key in dict.fromkeys(printed_armies()):
        file, army = (
            registry.load_aliases(collection, key),
            registry.army_file(collection, key),
        )
        aliases = Aliases(units=file.names)
        index = NameIndex(
            ArmyNames(key, army.name, collection, unit_names(army.units), aliases)
        )
        for name, unit in file.names.items():
            assert index.unit(ForeignUnit(1, name)).key == unit, (key, name)
            seen += 1
    assert seen > 100


def test_mordheim_lists_of_other_apps_find_their_warband_and_gear() -> None:
    text = (
        "The Ferrymen\nReikland Mercenaries\n"
        "Mercenary Captain [73 gc]: Free Dagger, Mace, Sword\n"
        "3x Marksmen [120 gc]: Longbow\n2x Warriors [50 gc]\n"
    )
    wishes = ListWishes("mordheim-rulings.A")
    preview = load_list_preview(NOBODY, read_text(text), wishes).preview
    assert preview is not None
    assert preview.roster.army == "reiklanders"
    lines = [
        (line.match.key, [(part.match.how, part.match.key) for part in line.parts])
        for line in preview.lines
    ]
    assert lines == [
        ("mercenary-captain", [("carried", ""), ("alias", "hammer"), ("name", "sword")]),
        ("marksman", [("alias", "longbow")]),
        ("warrior", []),
    ]


def test_model_of_one_unit_that_another_is_named_after_is_not_taken() -> None:
    units = {"savage": ("Savage Boar Cart", "Boar Cart"), "plain": ("Orc Boar Cart", "")}
    index = NameIndex(ArmyNames("orcs", "Orcs", "lists", units))
    assert index.unit(ForeignUnit(1, "Boar Cart")).how == "none"
    alone = NameIndex(ArmyNames("orcs", "Orcs", "lists", {"savage": units["savage"]}))
    assert alone.unit(ForeignUnit(1, "Boar Cart")) == Match("savage", "name")


def preview(actor: Owner = NOBODY, army: str = "", **choices: LineChoice) -> ListPreview:
    lines = {int(key.removeprefix("line")): one for key, one in choices.items()}
    return load_list_preview(actor, TREE, ListWishes(SYSTEM, army, lines))


def found_in(shown: ListPreview) -> list[tuple[str, str]]:
    assert shown.preview is not None
    return [(line.match.key, line.match.how) for line in shown.preview.lines]


def test_visitors_preview_asks_no_query(django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        shown = preview()
    assert shown.army == EMPIRE
    assert found_in(shown)[:2] == [("captain", "name"), ("halberdiers", "name")]


def bring(actor: Owner, army: str = EMPIRE, key: str = "", **fields: LineChoice) -> None:
    choices = {int(name.removeprefix("line")): one for name, one in fields.items()}
    wishes = ListWishes(SYSTEM, army, choices or CHOSEN)
    import_list(WriteContext(actor, key=key), TREE, wishes)


def test_what_was_chosen_is_known_the_next_time(django_assert_num_queries) -> None:
    actor = make_person()
    bring(actor)
    row = LearnedName.objects.get()
    assert (row.army, row.profile, row.name, row.key) == (
        EMPIRE, "", "halbard man", "halberdiers",
    )  # fmt: skip
    with django_assert_num_queries(2):
        shown = preview(actor)
    assert found_in(shown)[2] == ("halberdiers", "learned")
    # Nobody else profits, and no other army.
    assert found_in(preview(make_person()))[2][1] == "none"
    assert found_in(preview())[2][1] == "none"
    # The same again is the same row; another choice takes its place, a note removes it.
    bring(actor)
    bring(actor, line3=LineChoice("swordsmen"))
    assert [one.key for one in LearnedName.objects.all()] == ["swordsmen"]
    bring(actor, line3=LineChoice(""))
    assert not LearnedName.objects.exists()


def test_options_are_remembered_for_who_buys_them() -> None:
    actor = make_person()
    tree = read_text("Captain, Pole with a blade - 54\n4 Halberdiers - 24")
    wishes = ListWishes(SYSTEM, EMPIRE, {1: LineChoice(None, {0: "halberd"})})
    import_list(WriteContext(actor), tree, wishes)
    row = LearnedName.objects.get()
    assert (row.profile, row.name, row.key) == ("captain", "pole with a blade", "halberd")
    shown = load_list_preview(actor, tree, ListWishes(SYSTEM, EMPIRE))
    assert shown.preview is not None
    part = shown.preview.lines[0].parts[0]
    assert (part.match.key, part.match.how) == ("halberd", "learned")


def test_visitors_choices_are_not_remembered() -> None:
    bring(Owner(key="k" * 43))
    assert not LearnedName.objects.exists()


def test_only_the_newest_names_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "LEARNED_KEPT", 1)
    actor = make_person()
    bring(actor)
    bring(actor, line4=LineChoice("greatswords"))
    assert [one.key for one in LearnedName.objects.all()] == ["greatswords"]


def test_names_go_with_the_account_and_into_its_download() -> None:
    actor = make_person()
    assert actor.user_id is not None
    assert list(learned_files(actor.user_id)) == []
    bring(actor)
    [(name, rows)] = learned_files(actor.user_id)
    assert (name, [row["name"] for row in rows]) == ("names-of-other-apps", ["halbard man"])
    delete_account_warbands(actor.user_id)
    assert not LearnedName.objects.exists()


def test_clubs_lists_are_offered_to_members_and_learn_together() -> None:
    organiser, member = make_person(), make_person()
    own = make_list(club=make_club(owner=organiser, members=[member]), actor=organiser)
    make_profile(own=own, actor=organiser)
    token = str(own.token)
    shown = preview(member)
    # The Empire is taken, though the club's list over it has as many units.
    assert shown.army == EMPIRE
    assert token in [one.key for one in shown.armies]
    assert (token, "River Empire (Club)") in army_choices(member)
    taken = preview(member, token)
    assert taken.army == token
    assert found_in(taken)[:2] == [("captain", "name"), ("halberdiers", "name")]
    boats = read_text("3 Boatmen - 27\n4 Halberdiers - 24")
    with_boats = load_list_preview(member, boats, ListWishes(SYSTEM, token))
    assert found_in(with_boats)[0] == ("own-boatman", "name")
    bring(organiser, token)
    assert found_in(preview(member, token))[2] == ("halberdiers", "learned")
    assert found_in(preview(member))[2][1] == "none"
    # Others see no such list, and asking for it finds the army by its units.
    outsider = make_person()
    assert token not in [one.key for one in preview(outsider).armies]
    assert preview(outsider, token).army == EMPIRE
    assert token not in dict(army_choices(outsider))


ROSTER = """<roster battleScribeVersion="2.03" name="Quay"><forces><force name="F">
<selections><selection name="Renamed since" type="model" number="2" entryId="l-1::e-1">
<selections><selection name="Board" type="upgrade" number="2" entryId="g::o-1"/></selections>
</selection></selections></force></forces></roster>"""


def test_list_from_a_catalogue_is_known_by_the_catalogues_ids() -> None:
    organiser = make_person()
    own = make_list(club=make_club(owner=organiser), actor=organiser)
    shield = {**unit_record()["options"][0], "origins": ["g", "o-1"]}
    key = make_profile(own=own, actor=organiser, origins=["l-1", "e-1"], options=[shield])
    tree = read_list("quay.ros", ROSTER.encode())
    shown = load_list_preview(organiser, tree, ListWishes(SYSTEM, str(own.token)))
    assert shown.preview is not None
    [line] = shown.preview.lines
    assert (line.match.key, line.match.how) == (key, "id")
    assert [part.match.how for part in line.parts] == ["id"]
    assert shown.preview.roster.warriors[0].options == ("shield",)
    # It goes out under these ids, so that the other app can change it.
    file = write_roster(outgoing_roster(shown.preview.roster), "ros")
    assert file.is_complete
    assert b'entryId="e-1"' in file.write()
    assert b'entryId="o-1"' in file.write()


def test_id_of_two_units_names_neither() -> None:
    organiser = make_person()
    own = make_list(club=make_club(owner=organiser), actor=organiser)
    make_profile(own=own, actor=organiser, origins=["e-1"])
    make_profile(own=own, actor=organiser, name="Rower", origins=["e-1"])
    tree = read_list("quay.ros", ROSTER.encode())
    shown = load_list_preview(organiser, tree, ListWishes(SYSTEM, str(own.token)))
    assert found_in(shown) == [("", "none")]


def test_rules_that_are_not_there_name_their_field() -> None:
    for rules in ("chess", "mordheim-rulings", "mordheim-rulings.Z"):
        with pytest.raises(Refusal, match="Choose one of the rule systems") as error:
            load_list_preview(NOBODY, TREE, ListWishes(rules))
        assert error.value.field == "rules"


def test_page_says_what_was_chosen_before(client: Client) -> None:
    actor = make_person()
    bring(actor)
    client.force_login(User.objects.get(pk=actor.user_id))
    page = client.post("/warbands/import/", {"rules": SYSTEM, "text": TEXT})
    assert "As you chose before" in page.content.decode()
