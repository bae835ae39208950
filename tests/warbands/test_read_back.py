"""A roster as words, and read back: what was written by our text, Markdown or compact line."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from accounts.owner import NOBODY
from engine.errors import Refusal
from engine.roster import Roster, RosterEntry
from engine.types.lists import COMMAND, Army, Profile
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry, make_roster
from warbands.exchange.foreign.reader import read_text
from warbands.exchange.text import as_compact, as_markdown, as_text
from warbands.queries.foreign_lists import ListPreview, ListWishes, load_list_preview
from warbands.queries.warbands import sheet_of_roster

pytestmark = pytest.mark.django_db

FORMS = {"text": as_text, "markdown": as_markdown, "compact": as_compact}
NAMES = (
    "", "", "Otto", "The “Rooks”", "Al (leader)", "A, B - 5 pts", "x [y] | *z*", "”", "3x", "日本 🐺",
    "- Captain 54, 2x", "C:\\a", "# 1", "Björn & <b>", "with oars", "https://x.y/z",
)  # fmt: skip


def written(roster: Roster, form: str, **printed: str) -> str:
    _, army = registry.load_ruleset(roster)
    return FORMS[form](replace(sheet_of_roster(roster), **printed), army)


def read_back(text: str, roster: Roster) -> ListPreview:
    rules = roster.system + (f".{roster.variant}" if roster.variant else "")
    return load_list_preview(NOBODY, read_text(text), ListWishes(rules, roster.army))


def entries(roster: Roster) -> list[tuple[object, ...]]:
    return [
        (e.profile, e.count, Counter(e.options), e.is_leader, e.name)
        for e in roster.warriors
    ]


# Rosters by chance


def roster_of(chance: random.Random, system: System, army: Army) -> Roster:
    profiles = list(army.profiles.values())
    some = [
        entry_of(chance, chance.choice(profiles), army)
        for _ in range(chance.randrange(1, 7))
    ]
    if system.leader_name and chance.random() < 0.7:
        some[0] = replace(some[0], count=1, is_leader=True)
    return Roster(
        system.key,
        army.key,
        chance.choice(NAMES),
        chance.choice((None, 150, 2000)),
        system.variant,
        warriors=tuple(some),
        note=chance.choice(("", "Meet at eight\n\nwith dice")),
    )


def entry_of(chance: random.Random, profile: Profile, army: Army) -> RosterEntry:
    bought: list[str] = []
    for option in chance.sample(profile.all_options, min(3, len(profile.all_options))):
        most = option.maximum or 3 if option.per == "each" else 1
        bought += [option.key] * chance.randrange(1, most + 1)
    items = [item.option_key for item in army.magic_items.values()]
    bought += chance.sample(items, min(len(items), chance.randrange(3)))
    prices = (profile.champion, profile.musician_points, profile.standard_bearer_points)
    bought += [
        key
        for key, price in zip(COMMAND, prices, strict=True)
        if price is not None and chance.random() < 0.5
    ]
    return RosterEntry(
        profile.key,
        count=chance.choice((1, 1, 2, 5, 20)),
        options=tuple(bought),
        name=chance.choice(NAMES),
        note=chance.choice(("", "", "with a limp\ncarries Halberd", "Halberd")),
    )


def cases(chance: random.Random, number: int) -> Iterator[Roster]:
    """Rosters of all systems in turn, each of another of its armies."""
    books = registry.rulesets()
    for place in range(number):
        system = books[place % len(books)]
        key = chance.choice(registry.list_army_keys(system.key))
        army = registry.load_army(system.key, key, system.variant)
        yield roster_of(chance, system, army)


def test_rosters_by_chance_come_back(soak: Callable[[int, int], int]) -> None:
    chance = random.Random("words")
    seen = 0
    for roster in cases(chance, soak(24, 500)):
        for form in FORMS:
            text = written(roster, form, url="https://club.example/w/abc/")
            result = read_back(text, roster)
            assert result.preview is not None
            assert result.tree.settings == (), text
            assert entries(result.preview.roster) == entries(roster), text
            assert result.preview.roster.name == roster.name, text
            if result.tree.stated_total is not None:
                assert result.tree.limit == roster.points_limit, text
                assert result.preview.points_ours == result.tree.total, text
            seen += len(roster.warriors)
    assert seen > 100


# What stands in them


ROSTER = make_roster(
    name="Reed watch",
    points_limit=150,
    warriors=[
        make_entry(profile="captain", options=["halberd"], is_leader=True),
        make_entry(count=4),
    ],
)
# As releases before this one wrote them: with everything carried.
OLD_TEXT = """Reed watch
The Empire · Warhammer Skirmish · 78 / 150 pts · 5 models

Captain (leader) - 54 pts
    Halberd
    M4 WS5 BS5 S4 T4 W2 I5 A3 Ld8 · save –
4x Halberdier - 24 pts
    Halberd, Light armour
    M4 WS3 BS3 S3 T3 W1 I3 A1 Ld7 · save 6+

Total 78 / 150 pts
Rout test from 4 out of action, Leadership 8
Note: 78 of 150 points: 72 left.
"""
OLD_MARKDOWN = """# Reed watch

The Empire · Warhammer Skirmish · 78 / 150 pts · 5 models

| Warrior | M | WS | Save | Gear | Pts |
|:--|--:|--:|--:|:--|--:|
| Captain \\(leader\\) | 4 | 5 | – | Halberd | 54 |
| 4x Halberdier | 4 | 3 | 6+ | Halberd, Light armour | 24 |

**Total 78 / 150 pts**

Rout test from 2 out of action, Leadership 8

- Note: 78 of 150 points\\: 72 left\\.
"""
OLD_COMPACT = "Reed watch (The Empire, 78/150): Captain* [halberd] 54, 4x Halberdier 24"


@pytest.mark.parametrize("text", [OLD_TEXT, OLD_MARKDOWN, OLD_COMPACT])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_words_of_earlier_releases_are_read(text: str, end: str) -> None:
    result = read_back(text.replace("\n", end), ROSTER)
    assert result.preview is not None
    assert entries(result.preview.roster) == entries(ROSTER)
    assert (result.tree.limit, result.tree.total) == (150, 78)
    assert (result.tree.settings, result.tree.remarks) == ((), ())
    assert (result.army, result.tree.name) == ("the-empire", "Reed watch")
    # The text and the table name the rules, the line has no room for them.
    assert result.tree.source.game in ("Warhammer Skirmish", "")


@pytest.mark.parametrize("form", FORMS)
def test_words_carry_the_link_of_the_roster(form: str) -> None:
    link = "https://club.example/warbands/abc/"
    assert link in written(ROSTER, form, url=link)
    tree = read_text(written(ROSTER, form, url=link))
    assert tree.remarks == (f"The roster with its notes, lores and campaign: {link}",)


@pytest.mark.parametrize("line, unread", [
    ("Halberdier", ("line 9: Halberdier",)),
    ("Rout test from 4 out of action", ("line 9: Rout test from 4 out of action",)),
    ("with Halberd", ()),
])  # fmt: skip
def test_a_line_that_is_no_entry_is_kept_with_its_number(line, unread):
    lines = written(ROSTER, "text").split("\n")
    assert lines[8].startswith("    M4")
    tree = read_text("\n".join([*lines[:8], line, *lines[9:]]))
    assert len(tree.units) == 2
    assert tree.settings == unread


def test_a_compact_line_is_read_as_far_as_it_goes() -> None:
    tree = read_text(OLD_COMPACT + ", 4x [halberd")
    assert [unit.name for unit in tree.units] == ["Captain", "Halberdier"]
    assert tree.settings == ("line 1: 4x [halberd",)


@pytest.mark.parametrize("count, is_read", [(200, True), (201, False)])
def test_counts_are_those_of_a_roster(count: int, is_read: bool) -> None:
    text = OLD_TEXT.replace("4x", f"{count}x")
    if is_read:
        assert read_text(text).units[1].count == 200
    else:
        with pytest.raises(Refusal, match="from 1 to 200, not 201"):
            read_text(text)
