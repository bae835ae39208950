"""A list of another tool, from upload to warband, by plain forms."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from rulesdata import registry
from tests.factories import EMPIRE, SYSTEM
from tests.foreign.lantern_gangs import made
from tests.foreign.test_export import said
from warbands.exchange.foreign.export import FORMS, OutgoingRoster, write_roster
from warbands.exchange.foreign.matches import Aliases
from warbands.exchange.foreign.reader import read_list
from warbands.forms import foreign_lists
from warbands.models import Warband
from warbands.queries.lists import starter
from warbands.queries.warbands import build_roster, load_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
TEXT = "The Watch\nThe Empire\nCaptain, halberd - 54\n4x Halberdiers - 24 pts\nHalbard men x3, 18 pts\nDragon 300 pts\n"


def post(client: Client, **fields: object) -> HttpResponse:
    return client.post(reverse("warband-import"), {"rules": SYSTEM, **fields})


def held_of(answer: HttpResponse) -> str:
    found = re.search(r'name="held" value="([^"]+)"', answer.content.decode())
    assert found
    return found[1]


def test_text_is_previewed_and_nothing_is_stored(client: Client) -> None:
    answer = post(client, text=TEXT)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "2 of 4 lines matched" in page
    assert "By name" in page
    assert "Becomes a note." in page
    assert not Warband.objects.exists()


def test_preview_becomes_a_warband_with_what_was_chosen(client: Client) -> None:
    held = held_of(post(client, text=TEXT, army=EMPIRE))
    choice = {"unit-3": "halberdiers", "unit-4": "-"}
    again = post(client, held=held, army=EMPIRE, **choice)
    assert "3 of 4 lines matched" in again.content.decode()
    answer = post(client, held=held, army=EMPIRE, create="1", key="k1", **choice)
    assert answer.status_code == 302
    warband = Warband.objects.get()
    roster = build_roster(warband, load_rows(warband.pk))
    counts = [(one.profile, one.count) for one in roster.warriors]
    assert counts == [("captain", 1), ("halberdiers", 4), ("halberdiers", 3)]
    assert "Dragon (300)" in warband.note
    # The same form sent twice makes one warband.
    post(client, held=held, army=EMPIRE, create="1", key="k1", **choice)
    assert Warband.objects.count() == 1


@pytest.mark.parametrize("form", sorted(FORMS))
def test_files_come_in_by_their_content(client: Client, form: str) -> None:
    ready = starter(f"{SYSTEM}--{EMPIRE}")
    assert ready is not None
    out = OutgoingRoster(ready.roster, *registry.load_ruleset(ready.roster), Aliases())
    file = SimpleUploadedFile("list.bin", write_roster(out, form).write())
    held = held_of(post(client, file=file))
    post(client, held=held, army=EMPIRE, create="1")
    warband = Warband.objects.get()
    roster = build_roster(warband, load_rows(warband.pk))
    assert said(roster.warriors) == said(ready.roster.warriors)


def test_army_that_is_not_found_is_asked_for(client: Client) -> None:
    answer = post(client, file=SimpleUploadedFile("a.ros", made("gang.ros")), create="1")
    page = answer.content.decode()
    assert "We could not tell which army this is." in page
    assert "Create warband" not in page
    assert not Warband.objects.exists()


@pytest.mark.parametrize("sent,sentence", [
    ({}, "Paste a list here, or choose its file."),
    ({"text": "<!DOCTYPE a><a/>"}, "document type or entities"),
    ({"text": "<a>\n<b"}, "line 2, column"),
    ({"held": "forged:1:2"}, "more than a day old"),
    ({"text": "hello"}, "has no units"),
    ({"text": "4 Owls", "rules": "chess"}, "Rules: choose one of the list."),
])  # fmt: skip
def test_refusals_stand_on_the_page(client, sent, sentence):
    answer = post(client, **sent)
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not Warband.objects.exists()


def test_list_that_no_page_can_hold_is_refused(client, monkeypatch):
    monkeypatch.setattr(foreign_lists, "HELD_MAX", 10)
    answer = post(client, text=TEXT, army=EMPIRE)
    assert answer.status_code == 400
    assert "at most 10 are possible" in answer.content.decode()


def test_names_of_others_are_escaped(client: Client) -> None:
    answer = post(client, text="4 <script>x</script> - 24\n4 Halberdiers - 24", army=EMPIRE)
    assert "<script>x" not in answer.content.decode()


def test_roster_goes_out_in_each_form_its_army_has(client: Client) -> None:
    post(
        client, held=held_of(post(client, text=TEXT, army=EMPIRE)), army=EMPIRE, create="1"
    )
    token = Warband.objects.get().token
    page = client.get(reverse("list-export", args=[token])).content.decode()
    for form in ("ros", "rosz", "newrecruit-json", "owb-json"):
        url = reverse("list-export-file", args=[token, form])
        assert url in page
        answer = client.get(url)
        tree = read_list("x", answer.content)
        assert [one.name for one in tree.units] == ["Captain", "Halberdiers"]
        assert "attachment" in answer.headers["Content-Disposition"]
    assert client.get(reverse("list-export-file", args=[token, "pdf"])).status_code == 404
    assert Client().get(reverse("list-export", args=[token])).status_code == 404


def test_rules_are_told_apart_by_their_variants(client: Client) -> None:
    page = post(client, text=TEXT).content.decode()
    page = page[page.index('id="id_rules"') : page.index('id="id_army"')]
    names = re.findall(r"<option[^>]*>([^<]+)</option>", page)
    assert "Mordheim rulings, version A" in names
    assert len(set(names)) == len(names)


def test_units_of_a_list_without_an_army_are_named(client: Client) -> None:
    page = post(client, file=SimpleUploadedFile("a.ros", made("gang.ros")))
    words = " ".join(page.content.decode().split())
    assert "It has 4 units: Lamp Captain, Lamplighters, Fog Engine, Owl Keeper." in words
    assert "An organiser can bring it to your club" in words


def test_lines_of_another_army_match_again_under_the_first(client: Client) -> None:
    first = post(client, text=TEXT, army=EMPIRE)
    held = held_of(first)
    assert f'name="shown" value="{SYSTEM}/{EMPIRE}"' in first.content.decode()
    notes = {f"unit-{line}": "-" for line in range(1, 5)}
    shown = f"{SYSTEM}/dwarfs"
    back = post(client, held=held, army=EMPIRE, shown=shown, **notes)
    assert "2 of 4 lines matched" in back.content.decode()
    kept = post(client, held=held, army=EMPIRE, shown=f"{SYSTEM}/{EMPIRE}", **notes)
    assert "0 of 4 lines matched" in kept.content.decode()


def test_rules_are_found_by_what_the_list_says_or_by_its_units(client: Client) -> None:
    def rules(text: str) -> list[str]:
        page = client.post(reverse("warband-import"), {"text": text}).content.decode()
        return re.findall(r'name="shown" value="([^"]+)"', page)

    assert rules(TEXT) == [f"{SYSTEM}/{EMPIRE}"]
    head = "Owls\n{} · {} · 30 / 500 gc · 1 model\n\nPike - 30 gc\n"
    assert rules(head.format("Parliament", "English Civil War"))[0].startswith(
        "english-civil-war/"
    )
    # The units alone tell a game that no line names.
    captain = "Mercenary Captain (60)\nYoungblood (15)\n2 Warriors (50)\nMarksman (25)"
    assert rules(captain)[0].startswith("mordheim")


def test_lines_that_were_not_read_are_on_the_page(client: Client) -> None:
    page = post(client, text=TEXT + "see you at eight\n").content.decode()
    assert "Line 2: The Empire" in page
    assert "Line 7: see you at eight" in page
