"""The worked season, played through the API as a program plays it: each of its states is reached."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from accounts.owner import Owner
from campaigns.growth.operations.ledger import recount_growth
from rulesdata import registry
from tests.api.conftest import Call
from tests.engine.growth.seasons import HERE, load
from tests.factories import SYSTEM, make_club, make_person, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Caller = Callable[[Owner], Call]
Item = dict[str, Any]
SEASON: Item = load(HERE / "season_public.yaml")
EVENINGS = 4
MORDHEIM = sorted(Path(__file__).with_name("mordheim_seasons").glob("*.json"))


@dataclass
class Program:
    """A program that plays a season: what it calls things, and what the site calls them."""

    call: Call
    season: Item = field(default_factory=lambda: SEASON)
    event: str = ""
    entries: dict[str, str] = field(default_factory=dict)
    warbands: dict[str, str] = field(default_factory=dict)
    fixtures: dict[str, str] = field(default_factory=dict)
    battles: dict[str, str] = field(default_factory=dict)
    acts: dict[int, int] = field(default_factory=dict)

    @property
    def growth(self) -> str:
        return f"events/{self.event}/growth/"

    def of(self, band: str) -> str:
        return f"{self.growth}warbands/{self.warbands[band]}/"

    def begin(self, club: str) -> None:
        asked = {
            "club": club,
            "name": "The worked season",
            "kind": "campaign",
            "method": "challenge",
            "system": self.season.get("system", SYSTEM),
            "variant": self.season.get("variant"),
        }
        self.event = self.call("POST", "events/", asked, 201).json()["id"]
        told = self.call("GET", f"events/{self.event}/")
        rules = {"rules": self.season["rules"].removesuffix(".yaml")}
        self.call("PUT", self.growth, rules, If_Match=told.headers["ETag"])
        for band in self.season["bands"]:
            self.enter(band)
        for _ in range(EVENINGS):
            number = self.call("POST", f"events/{self.event}/rounds/", {}, 201).json()
            address = f"events/{self.event}/rounds/{number['number']}/publish/"
            self.call("POST", address, {}, If_Match="*")

    def enter(self, band: Item) -> None:
        address, name = f"events/{self.event}/entries/", band["id"]
        entry = self.call("POST", address, {"name": name}, 201).json()["id"]
        self.entries[name] = entry
        roster = {
            "format": "muster-roll/1",
            "system": self.season.get("system", SYSTEM),
            "variant": self.season.get("variant"),
            "army": band["army"],
            "name": name,
            "warriors": [roster_entry(one) for one in joiners(band)],
        }
        asked = {"entry": entry, "roster": roster}
        made = self.call("POST", f"{self.growth}warbands/", asked, 201).json()
        self.warbands[name] = made["id"]

    def play(self, item: Item) -> None:
        for verb in ("battle", "correct", "void", "restore", "act", "unfought", "rules"):
            if verb in item:
                getattr(self, verb)(item)
        if "take_back" in item:
            self.take_back(item)
        for band, told in item.get("answers", {}).items():
            self.answer(band, told)

    def battle(self, item: Item) -> None:
        number = (len(self.fixtures) // 2) + 1
        one, other = (self.entries[side] for side in item["sides"])
        address = f"events/{self.event}/rounds/{number}/fixtures/"
        made = self.call("POST", address, {"one": one, "other": other}, 201).json()
        self.fixtures[item["battle"]] = made["id"]
        sent = {
            name: {self.entries[side]: keys for side, keys in item[name].items()}
            for name in ("absent", "fielded")
            if name in item
        }
        fielded = self.call("POST", f"fixtures/{made['id']}/field/", sent, 201).json()
        self.battles[item["battle"]] = fielded["battle"]
        self.report(item["battle"], item)

    def correct(self, item: Item) -> None:
        self.report(item["correct"], item, reason="It was otherwise.")

    def report(self, name: str, item: Item, **more: str) -> None:
        sent: Item = {**more}
        winner = item.get("winner")
        sent["winner"] = self.entries[winner] if winner else None
        sent["how"] = "rout" if winner else "drawn"
        if "out" in item:
            sent["fates"] = {
                self.entries[side]: [self.fate(one) for one in out]
                for side, out in item["out"].items()
            }
        if "objectives" in item:
            told = item["objectives"].items()
            sent["objectives"] = {self.entries[side]: taken for side, taken in told}
        if "objective_by" in item:
            sent["objective_by"] = [self.named(one) for one in item["objective_by"]]
        address = f"fixtures/{self.fixtures[name]}/result/"
        self.call("POST", address, sent, If_Match="*")

    def fate(self, told: Item) -> Item:
        return {**told, "by": self.named(told["by"]) if told.get("by") else None}

    def named(self, told: str) -> str:
        side, _, who = told.partition("/")
        return f"{self.entries[side]}/{who}"

    def void(self, item: Item) -> None:
        self.step(item["void"], "void")

    def restore(self, item: Item) -> None:
        self.step(item["restore"], "restore")

    def step(self, name: str, verb: str) -> None:
        address = f"battles/{self.battles[name]}/result/{verb}/"
        self.call("POST", address, {"reason": "As agreed."})

    def answer(self, band: str, told: Item) -> None:
        sent = []
        for due, given in told.items():
            answer = given if isinstance(given, dict) else {"faces": given}
            sent.append({"due": self.due(due), **answer})
        self.call("POST", f"{self.of(band)}answers/", {"answers": sent})

    def due(self, key: str) -> str:
        parts = (self.fixtures.get(part, part) for part in key.split("/"))
        return "/".join(parts)

    def act(self, item: Item) -> None:
        sent = act_of(item)
        if sent["kind"] == "captive":
            sent["from"] = self.warbands[sent["from"]]
        done = self.call("POST", f"{self.of(item['band'])}acts/", sent, 201)
        self.acts[item["id"]] = done.json()["act"]

    def unfought(self, item: Item) -> None:
        sent = {"kind": "unfought", "as": item["as"]}
        self.call("POST", f"{self.of(item['band'])}acts/", sent, 201)

    def rules(self, item: Item) -> None:
        sent = {"changes": item["rules"], "from": item["from"], "reason": "As agreed."}
        self.call("PATCH", self.growth, sent)

    def take_back(self, item: Item) -> None:
        if "due" in item:
            band, sent = item["take_back"], {"due": self.due(item["due"])}
        else:
            band, sent = item["band"], {"act": self.acts[item["take_back"]]}
        self.call("POST", f"{self.of(band)}take-back/", sent)

    def state(self) -> Item:
        told = self.call("GET", self.growth).json()
        bands = {token: name for name, token in self.warbands.items()}
        fixtures = {token: name for name, token in self.fixtures.items()}
        numbers = {number: name for name, number in self.acts.items()}

        def named(text: str) -> str:
            return "/".join(fixtures.get(part, part) for part in text.split("/"))

        found: Item = {"bands": {}, "open": [], "aside": [], "notes": told["notes"]}
        for one in told["warbands"]:
            state = {
                key: value
                for key, value in one.items()
                if key not in ("id", "entry", "name", "position")
            }
            for warrior in state["warriors"].values():
                if "captive_of" in warrior:
                    warrior["captive_of"] = bands[warrior["captive_of"]]
            found["bands"][bands[one["id"]]] = state
        for due in told["open"]:
            ending = " (choice)" if due["faces"] else ""
            found["open"].append(f"{bands[due['warband']]}/{named(due['due'])}{ending}")
        for one in told["aside"]:
            what = named(one["due"]) if one["due"] else f"act {numbers[one['act']]}"
            found["aside"].append(f"{bands[one['warband']]}/{what}")
        return {**found, "open": sorted(found["open"]), "aside": sorted(found["aside"])}


def joiners(band: Item) -> list[Item]:
    """Who founds a warband; where the season says nothing, the starter of its army."""
    if "warriors" in band:
        return band["warriors"]
    starter = registry.army_file("mordheim", band["army"]).starter
    assert starter
    return [entry.model_dump(exclude_none=True) for entry in starter.warriors]


def roster_entry(one: Item) -> Item:
    entry = {
        "profile": one["profile"],
        "count": one.get("count", 1),
        "options": one.get("options", [piece["id"] for piece in one.get("gear", [])]),
    }
    if one.get("name"):
        entry["name"] = one["name"]
    return {**entry, "leader": True} if one.get("leader") else entry


def act_of(item: Item) -> Item:
    verb = item["act"]
    sent: Item = {"kind": verb}
    if verb == "recruit" and "into" not in item:
        warrior = roster_entry(item["warrior"])
        return {**sent, **warrior}
    names = ("band", "id", "act", "price", "answers", "expect", "ransom")
    for key, value in item.items():
        if key not in names:
            sent[key] = value
    if verb in ("buy", "search"):
        sent["option" if verb == "buy" else "good"] = sent.pop("item")
    if verb in ("adjust", "disband"):
        sent.setdefault("reason", "As agreed.")
    return sent


def play_mordheim(program: Program, club: str) -> None:
    """Play a season that tells what changed in its warbands after each of its items."""
    program.begin(club)
    expected: Item = {}
    for number, item in enumerate(program.season["timeline"]):
        program.play(item)
        for band, change in item.get("expect", {}).items():
            current = expected.setdefault(band, {"territories": [], "warriors": {}})
            warriors = current["warriors"] | change.get("warriors", {})
            expected[band] = {**current, **change, "warriors": warriors}
        state = program.state()
        for band in item.get("expect", ()):
            current = {"veterans": 0, **state["bands"][band]}
            assert current == expected[band], (number, band)
        assert state["aside"] == item.get("aside", []), number
        # Before a warband acts all is rolled; a captor and an owner may wait longer.
        waits = [due for due in state["open"] if "/ransom/" not in due]
        assert not (waits and "act" in item), number


def play_season(program: Program, club: str) -> None:
    program.begin(club)
    for number, item in enumerate(SEASON["timeline"]):
        program.play(item)
        found, expected = program.state(), SEASON["expect"][number]["state"]
        for band in expected["bands"]:
            assert found["bands"][band] == expected["bands"][band], (number, band)
        for key in ("open", "aside"):
            assert found[key] == expected[key], (number, key)
        assert len(found["notes"]) == len(expected["notes"]), number


def test_the_season_played_through_the_api_gives_each_of_its_states(caller: Caller) -> None:
    olga = make_person(user=make_user(name="Olga"))
    club = make_club(owner=olga, name="The Quay")
    play_season(Program(caller(olga)), club.slug)
    # What is stored is what the log comes to.
    assert recount_growth() == (1, [])


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.soak) if n else path
        for n, path in enumerate(MORDHEIM)
    ],
    ids=lambda path: path.stem,
)
def test_a_season_of_mordheim_comes_to_what_the_published_rules_come_to(caller, path):
    olga = make_person(user=make_user(name="Olga"))
    club = make_club(owner=olga, name="The Quay")
    season = json.loads(path.read_text("utf-8"))
    play_mordheim(Program(caller(olga), season), club.slug)


def test_the_purse_is_the_limit_of_the_list_where_that_is_above_the_rules(caller):
    olga = make_person(user=make_user(name="Olga"))
    club = make_club(owner=olga, name="The Quay")
    # Their starter costs 595, and their list says 600.
    band = {"id": "river", "army": "marienburgers"}
    season = {"rules": "mordheim-campaign", "system": "mordheim-draft", "bands": [band]}
    program = Program(caller(olga), season)
    program.begin(club.slug)
    assert program.state()["bands"]["river"]["treasury"] == {"crowns": 5, "shards": 0}


def test_goods_of_the_trading_post_are_sold_to_the_armies_that_may_have_them(caller):
    olga = make_person(user=make_user(name="Olga"))
    club = make_club(owner=olga, name="The Quay")
    bands = [{"id": army, "army": army} for army in ("undead", "orc-mob", "reiklanders")]
    season = {"rules": "mordheim-campaign", "system": "mordheim-draft", "bands": bands}
    program = Program(caller(olga), season)
    program.begin(club.slug)
    hired = {"kind": "recruit", "profile": "hired-halfling-scout", "hired": True}
    for army, sent, why in (
        ("undead", {"option": "garlic", "for": "stash"}, "is not for sale here."),
        ("orc-mob", {"option": "garlic", "for": "stash"}, ""),
        ("reiklanders", {"option": "flail", "for": "w1"}, "Flail is not for w1."),
        ("reiklanders", {"option": "pistol", "for": "w1"}, "It is rare: somebody must"),
        ("reiklanders", {"option": "hammer", "for": "w1"}, ""),
        ("undead", hired, "Undead may not hire Halfling Scout."),
        ("orc-mob", hired | {"count": 201}, "The models are a number from 1 to"),
    ):
        status = 400 if why else 201
        sent = {"kind": "buy", **sent}
        answer = program.call("POST", f"{program.of(army)}acts/", sent, status)
        assert why in answer.content.decode()
        # What is refused names its field.
        field = next(key for key in ("count", "profile", "option") if key in sent)
        assert (f'"{field}"' in answer.content.decode()) is bool(why)
