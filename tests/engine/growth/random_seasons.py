"""Seasons by chance: rosters, battles, corrections, answers early and late, acts that cannot be.

A season grows item by item, for what may happen next depends on what there is by then.
"""

import random
from typing import Any

Item = dict[str, Any]
PLACES = ["The Mill", "The Ford", "The Chapel", "The Quarry", "The Old Road", "The Market"]
STATS = ["WS", "BS", "I", "Ld", "S", "T", "A", "W"]
SKILLS = ["second-wind", "fleet", "stubborn", "pedlar", "marksman", "long-shot"]
GOODS = ["good-boots", "long-glass", "fine-blade", "lucky-coin", "physick"]
BODIES = [("hero", "infantry"), ("core", "infantry"), ("special", "monstrous-infantry")]


def rows(*spans: tuple[int, int, Item]) -> list[Item]:
    """Rows of a table by their first roll, last roll and effect."""
    return [
        {"least": least, "most": most, "name": f"From {least}", "effect": effect}
        for least, most, effect in spans
    ]


EVERYBODY = ["hero", "soldier", "hired"]
RULE_CHANGES: list[Item] = [
    {"upkeep": {"each": 5}},
    {
        "income": [
            {"currency": "crowns", "when": "result", "won": 35, "drawn": 10, "lost": 8},
            {"currency": "crowns", "when": "dice", "dice": "D6", "times": 3},
            {"currency": "renown", "when": "result", "won": 3, "drawn": 2, "lost": 1},
            {"currency": "crowns", "when": "unfought", "bye": 11, "walkover": 9},
        ]
    },
    {"captives": {"refused": 17}},
    {"captives": {"ransom": {"part": [1, 3], "least": 25}}},
    {"gone_gear": "lost"},
    {"recruits": {"per_experience": 2}},
    {"territories": {"most": 1, "income": {"amount": 5}}},
    {"trade": {"sell": [1, 4]}},
    {"underdog": [{"from": 10, "experience": 2, "kinds": EVERYBODY, "amount": 7}]},
    {
        "rating": [
            {"of": "price", "times": [1, 2]},
            {"of": "experience", "times": [4, 3], "kinds": ["hero"]},
            {"of": "models", "times": [2, 1]},
        ]
    },
    {
        "tables": {
            "hero-injury": {"rows": rows((2, 7, {"captive": True}), (8, 12, {"again": 3}))}
        }
    },
    {
        "tables": {
            "soldier-injury": {
                "rows": rows(
                    (1, 3, {"misses": 2}), (4, 5, {"gone": True}), (6, 6, {"experience": 3})
                )
            }
        }
    },
    {
        "tables": {
            "lasting": {
                "dice": "2D6",
                "rows": rows(
                    (2, 7, {"lower": "WS"}),
                    (8, 12, {"old_wound": {"dice": "D6", "at_most": 1}}),
                ),
            }
        }
    },
    {
        "experience": [
            {"id": "a", "name": "A", "when": "fought", "amount": 3, "kinds": EVERYBODY},
            {
                "id": "b",
                "name": "B",
                "when": "put_out",
                "amount": 2,
                "most": 3,
                "kinds": EVERYBODY,
            },
        ]
    },
    {"maxima": {"gain": {"hero": {"WS": 5}}, "most": {"WS": 10}}},
]


class SeasonMaker:
    """Makes a season's next item out of what it has come to."""

    def __init__(self, seed: int, *, is_settled: bool = False) -> None:
        """``is_settled``: every answer fits, and the rules stay as they are."""
        self.chance = random.Random(seed)
        self.is_settled = is_settled
        bands = [self._band(number) for number in range(self.chance.randint(2, 4))]
        self.season: Item = {"bands": bands, "timeline": []}
        self.names = [band["id"] for band in bands]
        self.sides: dict[str, list[str]] = {}
        self.void: set[str] = set()
        self.answered: set[tuple[str, str]] = set()
        self.acts = 0
        self.joined = 50

    def next_item(self, state: Item) -> Item:
        """Something that happens next; it stands at the end of the season's timeline."""
        item = self._item(state)
        for band, answers in item.get("answers", {}).items():
            self.answered |= {(band, due) for due in answers}
        self.season["timeline"].append(item)
        return item

    def _item(self, state: Item) -> Item:
        kinds: list[tuple[int, Any]] = [
            (38, self.battle),
            (20, self.answers),
            (8, self.correct),
            (4, self.void_or_restore),
            (4, self.take_back),
            (0 if self.is_settled else 3, self.rules),
            (2, self.unfought),
            (24, self.act),
        ]
        if not self.sides:
            return self.battle(state)
        [make] = self.chance.choices(
            [one for _, one in kinds], [weight for weight, _ in kinds]
        )
        return make(state)

    # Rosters

    def _band(self, number: int) -> Item:
        size = self.chance.randint(3, 6)
        warriors = [self._warrior("w1", is_leader=True)]
        warriors += [self._warrior(f"w{place}") for place in range(2, size + 1)]
        army = self.chance.choice(["dwarfs", "skaven", "the-empire"])
        band: Item = {"id": f"band{number}", "army": army, "warriors": warriors}
        if self.chance.random() < 0.1:
            band["late_rounds"] = self.chance.randint(1, 8)
        return band

    def _warrior(
        self, key: str, *, is_leader: bool = False, is_hired: bool = False
    ) -> Item:
        chance = self.chance
        category, troop = ("hero", "infantry") if is_leader else chance.choice(BODIES)
        one: Item = {"key": key, "profile": "someone", "category": category}
        one["troop_type"] = troop
        one["price"] = chance.randint(2, 60)
        one["stats"] = [chance.randint(0, 7) for _ in range(8)] + [chance.randint(4, 10)]
        if category == "core" and not is_hired and chance.random() < 0.7:
            one["count"], one["price"] = chance.randint(2, 6), chance.randint(2, 9)
        if chance.random() < 0.5:
            ids = ["shield", "halberd", "good-boots", "fine-blade"]
            one["gear"] = [
                {"id": chance.choice(ids), "paid": chance.choice([0, 2, 4, 4, 12])}
                for _ in range(chance.randint(1, 3))
            ]
        if is_leader:
            one["leader"] = True
        if is_hired:
            one |= {"hired": True, "upkeep": chance.randint(0, 9)}
        return one

    # Battles

    def battle(self, state: Item) -> Item:
        key = f"f{len(self.sides) + 1}"
        self.sides[key] = sides = self.chance.sample(self.names, 2)
        item: Item = {"battle": key, "sides": sides, **self._facts(state, sides)}
        present = {side: self._present(state, side) for side in sides}
        if self.chance.random() < 0.3 and present[sides[0]]:
            present[sides[0]].pop()
        if self.chance.random() < 0.2:
            present[sides[1]] = list(state["bands"][sides[1]]["warriors"])
        item["fought"] = present
        return item

    def correct(self, state: Item) -> Item:
        key = self.chance.choice(list(self.sides))
        return {"correct": key, **self._facts(state, self.sides[key])}

    def void_or_restore(self, _state: Item) -> Item:
        key = self.chance.choice(list(self.sides))
        verb = "restore" if key in self.void else "void"
        self.void ^= {key}
        return {verb: key}

    def _present(self, state: Item, side: str) -> list[str]:
        return [
            key
            for key, one in state["bands"][side]["warriors"].items()
            if not one.get("gone")
            and not one.get("captive_of")
            and len(one.get("misses", [])) < one["count"]
        ]

    def _facts(self, state: Item, sides: list[str]) -> Item:
        alive = {side: self._present(state, side) or ["w1"] for side in sides}
        out = {
            side: self._out(state, side, alive, foe)
            for side, foe in zip(sides, reversed(sides), strict=True)
        }
        chance = self.chance
        facts: Item = {"winner": chance.choice([*sides, None]), "out": out}
        if chance.random() < 0.5:
            facts["objectives"] = {side: {"loot": chance.randint(0, 4)} for side in sides}
        if chance.random() < 0.5:
            facts["objective_by"] = [
                f"{side}/{chance.choice(alive[side])}" for side in sides
            ]
        return facts

    def _out(
        self, state: Item, side: str, alive: dict[str, list[str]], foe: str
    ) -> list[Item]:
        found = []
        for key in alive[side]:
            count = max(1, state["bands"][side]["warriors"].get(key, {"count": 1})["count"])
            for model in range(1, count + 1):
                if self.chance.random() < 0.3:
                    by = self.chance.choice(
                        [f"{foe}/{self.chance.choice(alive[foe])}", None]
                    )
                    who = f"{key}#{model}" if count > 1 else key
                    found.append({"who": who, "by": by})
        return found

    # Answers

    def answers(self, state: Item) -> Item:
        told: Item = {}
        for owed in state["open"]:
            if self.chance.random() < 0.75:
                band, due = owed.split("/", 1)
                answer = self._answer(state, band, due)
                told.setdefault(band, {})[due.removesuffix(" (choice)")] = answer
        if self.chance.random() < 0.1:
            early = f"advance/w{self.chance.randint(1, 4)}/{self.chance.randint(1, 4)}"
            told.setdefault(self.chance.choice(self.names), {}).setdefault(
                early, self._throw("D6")
            )
        return {"answer": "some", "answers": told}

    def _answer(self, state: Item, band: str, due: str) -> Any:
        parts = due.removesuffix(" (choice)").split("/")
        if parts[0] == "ransom":
            return {"choice": self.chance.choice(["pay", "pay", "refuse"])}
        if parts[0] == "succession":
            return {"choice": self.chance.choice(list(state["bands"][band]["warriors"]))}
        if parts[-1] == "claim":
            return {"choice": self.chance.choice(["none", *PLACES])}
        choice = self.chance.choice([*STATS, *SKILLS])
        if due.endswith("(choice)"):
            return {"choice": choice}
        faces = self._throw(self._dice(state, band, parts))
        is_chosen = parts[0] == "advance" and self.chance.random() < 0.5
        return {"faces": faces, "choice": choice} if is_chosen else faces

    def _dice(self, state: Item, band: str, parts: list[str]) -> str:
        if not self.is_settled and self.chance.random() < 0.05:
            return self.chance.choice(["D6", "2D6"])
        is_injury = len(parts) > 2 and parts[1] == "injury" and "lasting" not in parts
        who = parts[2].split("#")[0] if is_injury else ""
        kind = state["bands"][band]["warriors"].get(who, {}).get("kind")
        return "2D6" if kind == "hero" else "D6"

    def _throw(self, dice: str) -> list[int]:
        return [self.chance.randint(1, 6) for _ in range(2 if dice == "2D6" else 1)]

    # The rest

    def take_back(self, _state: Item) -> Item:
        if self.answered and (self.chance.random() < 0.7 or not self.acts):
            band, due = self.chance.choice(sorted(self.answered))
            return {"take_back": band, "due": due}
        return {"take_back": self.chance.randint(1, max(1, self.acts))}

    def rules(self, _state: Item) -> Item:
        change = self.chance.choice(RULE_CHANGES)
        return {"rules": change, "from": self.chance.choice(["now", "start"])}

    def unfought(self, _state: Item) -> Item:
        word = self.chance.choice(["bye", "walkover"])
        return {"unfought": 1, "band": self.chance.choice(self.names), "as": word}

    def act(self, state: Item) -> Item:
        self.acts += 1
        band = self.chance.choice(self.names)
        warriors = state["bands"][band]["warriors"]
        make = self.chance.choice(ACTS)
        item: Item = {"id": self.acts, "band": band}
        return item | make(self, warriors, self.chance.choice(list(warriors)))

    def _recruit(self, _warriors: Item, _who: str) -> Item:
        self.joined += 1
        joiner = self._warrior(f"w{self.joined}", is_hired=self.chance.random() < 0.3)
        return {"act": "recruit", "warrior": joiner}

    def _into(self, _warriors: Item, who: str) -> Item:
        return {"act": "recruit", "into": who, "count": self.chance.randint(1, 3)}

    def _buy(self, _warriors: Item, who: str) -> Item:
        item = self.chance.choice(["shield", "physick", "good-boots", "axe"])
        bearer = self.chance.choice([who, who, "stash"])
        return {
            "act": "buy",
            "item": item,
            "price": self.chance.randint(1, 20),
            "for": bearer,
        }

    def _search(self, warriors: Item, who: str) -> Item:
        return {
            "act": "search",
            "seeker": self.chance.choice(list(warriors)),
            "item": self.chance.choice(GOODS),
            "faces": self._throw("2D6"),
            "for": self.chance.choice([who, who, "stash"]),
        }

    def _piece(self, warriors: Item, who: str) -> str:
        return self.chance.choice([*warriors[who].get("gear", ["shield"]), "good-boots"])

    def _sell(self, warriors: Item, who: str) -> Item:
        source = self.chance.choice([who, who, "stash"])
        return {"act": "sell", "item": self._piece(warriors, who), "from": source}

    def _give(self, warriors: Item, who: str) -> Item:
        to = self.chance.choice([*warriors, "stash"])
        source = self.chance.choice([who, who, "stash"])
        return {"act": "give", "item": self._piece(warriors, who), "from": source, "to": to}

    def _dismiss(self, _warriors: Item, who: str) -> Item:
        return {"act": "dismiss", "who": who, "count": self.chance.choice([1, 1, 2])}

    def _adjust(self, _warriors: Item, _who: str) -> Item:
        currency = self.chance.choice(["crowns", "renown"])
        return {
            "act": "adjust",
            "currency": currency,
            "amount": self.chance.randint(-40, 40),
        }

    def _teach(self, _warriors: Item, who: str) -> Item:
        return {"act": "adjust", "who": who, "experience": self.chance.randint(1, 9)}

    def _disband(self, warriors: Item, who: str) -> Item:
        if self.chance.random() < 0.15:
            return {"act": "disband"}
        return self._teach(warriors, who)


ACTS = [
    SeasonMaker._recruit, SeasonMaker._into, SeasonMaker._into, SeasonMaker._buy,
    SeasonMaker._buy, SeasonMaker._search, SeasonMaker._search, SeasonMaker._sell,
    SeasonMaker._sell, SeasonMaker._give, SeasonMaker._give, SeasonMaker._dismiss,
    SeasonMaker._adjust, SeasonMaker._teach, SeasonMaker._disband,
]  # fmt: skip
