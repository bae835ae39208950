"""A second fold of campaigns, independent of the engine: slow, obvious, on plain dictionaries.

It reads the rules' document itself and plays a season's timeline anew from its first line for each
state. Nothing of the engine is used, and nothing is remembered from one state to the next but the
price that a purchase was made at.
"""

import copy
import re
from fractions import Fraction
from typing import Any

Bag = dict[str, Any]
STATS = ["M", "WS", "BS", "S", "T", "W", "I", "A", "Ld"]
TRACKED = ("advance", "ransom", "succession")


def state_after(document: Bag, season: Bag, count: int) -> Bag:
    """What the first so many items of a season come to."""
    return World(document, season, count).told()


class World:
    """Everything at once; each method is one paragraph of the rules."""

    def __init__(self, document: Bag, season: Bag, count: int) -> None:
        self.items = season["timeline"][:count]
        self.rules = copy.deepcopy(document)
        self.bands: Bag = {}
        self.owner: dict[str, str] = {}
        self.asked: set[tuple[str, str]] = set()
        self.open_slots: set[str] = set()
        self.open_now: dict[str, set[str]] = {}
        self.notes: list[tuple[str, str, str]] = []
        self.failed: list[str] = []
        self.answers = self._collect_answers()
        self.facts = self._collect_facts()
        self.undone = {
            item["take_back"]
            for item in self.items
            if "take_back" in item and "due" not in item
        }
        for item in self.items:
            if item.get("from") == "start":
                lay_over(self.rules, item["rules"])
        for band in season["bands"]:
            self._found(band)
        self.time = -1
        for number, item in enumerate(self.items):
            self.time = number
            self._happen(item)

    # What was written down

    def _collect_answers(self) -> dict[tuple[str, str], Bag]:
        kept: dict[tuple[str, str], Bag] = {}
        for number, item in enumerate(self.items):
            if "take_back" in item and "due" in item:
                key = item["take_back"], item["due"]
                if key in kept:
                    kept[key]["counts"] = False
            for band, told in item.get("answers", {}).items():
                for due, answer in told.items():
                    new = answer if isinstance(answer, dict) else {"faces": answer}
                    old = kept.get((band, due), {})
                    kept[band, due] = {**old, **new, "counts": True, "time": number}
        return kept

    def _collect_facts(self) -> dict[str, Bag]:
        facts: dict[str, Bag] = {}
        for item in self.items:
            if "battle" in item:
                facts[item["battle"]] = {**item, "stands": True}
            for verb, stands in (("void", False), ("restore", True)):
                if verb in item:
                    facts[item[verb]]["stands"] = stands
            if "correct" in item:
                facts[item["correct"]].update(item)
        return facts

    def _happen(self, item: Bag) -> None:
        if "battle" in item:
            if self.facts[item["battle"]]["stands"]:
                self._battle(item["battle"], self.facts[item["battle"]])
            self._everybody_settles()
        if "act" in item and item["id"] not in self.undone and not self._act(item):
            self.failed.append(f"{item['band']}/act {item['id']}")
        if "unfought" in item:
            self._unfought(item)
        if "join" in item:
            self._found(item["join"])
        if {"act", "unfought", "join"} & item.keys():
            self._everybody_settles()
        if item.get("from") == "now":
            lay_over(self.rules, item["rules"])
            self._everybody_settles()
        if "answers" in item:
            self._everybody_settles()

    def _unfought(self, item: Bag) -> None:
        for line in self.rules["income"]:
            if line["when"] == "unfought":
                self.bands[item["band"]]["money"][line["currency"]] += line[item["as"]]

    # Warbands and warriors

    def _found(self, spec: Bag) -> None:
        money = {one["id"]: one["start"] for one in self.rules["currencies"]}
        if rounds := spec.get("late_rounds"):
            late = self.rules["late"]
            money[late["currency"]] += min(late["most"], rounds * late["per_round"])
        band = {
            "id": spec["id"],
            "army": spec["army"],
            "money": money,
            "stash": [],
            "people": {},
        }
        self.bands[spec["id"]] = band
        for one in spec["warriors"]:
            self._pay(band, worth(self._join(band, one)))

    def _join(self, band: Bag, spec: Bag) -> Bag:
        one = copy.deepcopy(spec)
        one.setdefault("count", 1)
        one["gear"] = list(one.get("gear", []))
        one["stats"] = dict(zip(STATS, spec["stats"], strict=True))
        one["kind"] = self._kind_for(spec)
        one.update(xp=0, plus={}, minus={}, skills=[], done={}, skip=0, away=[], wounds=0)
        one.update(held_by=None, held_since="", gone="")
        band["people"][spec["key"]] = one
        return one

    def _kind_for(self, spec: Bag) -> str:
        for kind in self.rules["kinds"]:
            rule = kind["match"]
            reasons = [
                not rule,
                rule.get("leader") and spec.get("leader"),
                rule.get("hired") and spec.get("hired"),
                spec.get("category") in rule.get("categories", []),
                spec.get("troop_type", "infantry") in rule.get("troop_types", []),
                spec.get("profile") in rule.get("profiles", []),
            ]
            if any(reasons):
                return kind["id"]
        raise AssertionError

    def _kind(self, one: Bag) -> Bag:
        return next(kind for kind in self.rules["kinds"] if kind["id"] == one["kind"])

    def _pay(self, band: Bag, points: int) -> None:
        prices = self.rules["prices"]
        band["money"][prices["currency"]] -= points * prices["per_point"]

    def _rating(self, band: Bag) -> int:
        total = Fraction(0)
        for term in self.rules["rating"]:
            for one in band["people"].values():
                if is_home(one) and one["kind"] in term.get("kinds", [one["kind"]]):
                    amounts = {
                        "price": worth(one),
                        "experience": one["xp"] * one["count"],
                        "models": one["count"],
                    }
                    total += amounts[term["of"]] * Fraction(*term["times"])
        return int(total // 1)

    def _take_models(self, band: Bag, one: Bag, count: int, why: str) -> None:
        if why == "gone" and self.rules["gone_gear"] == "stash":
            for piece in one["gear"]:
                band["stash"] += [piece] * count
        one["count"] -= count
        one["away"] = one["away"][: one["count"]]
        if one["count"] == 0:
            one["gone"] = why
            one["gear"] = []

    # Asking

    def _faces(self, band: Bag, due: str, dice: str, opened: set[str]) -> list[int] | None:
        answer = self.answers.get((band["id"], due))
        count, sides = dice.split("D")
        if answer and answer["counts"] and answer.get("faces"):
            faces = answer["faces"]
            if len(faces) == int(count or 1) and max(faces) <= int(sides):
                self.asked.add((band["id"], due))
                return faces
        elif answer:
            self.asked.add((band["id"], due))
        opened.add(f"{band['id']}/{due}")
        return None

    def _choice(self, band: Bag, due: str, opened: set[str]) -> str:
        answer = self.answers.get((band["id"], due))
        if answer:
            self.asked.add((band["id"], due))
            if answer["counts"] and answer.get("choice"):
                return answer["choice"]
        opened.add(f"{band['id']}/{due}")
        return ""

    # A battle

    def _battle(self, key: str, facts: Bag) -> None:
        sides = [self.bands[name] for name in facts["sides"]]
        ratings = {side["id"]: self._rating(side) for side in sides}
        fought = {}
        for side in sides:
            told = facts["fought"][side["id"]]
            home = [name for name, one in side["people"].items() if is_home(one)]
            fought[side["id"]] = [name for name in told if name in home]
            self.notes += [(side["id"], name, key) for name in told if name not in home]
            for name in home:
                self._wound_speaks(side, side["people"][name], key, name in told)
            for name in home:
                one = side["people"][name]
                one["away"] = [left - 1 for left in one["away"] if left > 1]
        for side in sides:
            self._injuries(side, key, facts)
        for side in sides:
            others = [ratings[name] for name in ratings if name != side["id"]]
            behind = max(others) - ratings[side["id"]]
            reached = [row for row in self.rules["underdog"] if row["from"] <= behind]
            bonus = reached[-1] if reached else None
            for name in fought[side["id"]]:
                self._learns(side, side["people"][name], facts, bonus)
            self._income(side, key, facts, bonus)
            self._upkeep(side, fought[side["id"]])
        for side in sides:
            if facts.get("winner") == side["id"]:
                self._claim(side, key, facts)

    def _learns(self, side: Bag, one: Bag, facts: Bag, bonus: Bag | None) -> None:
        if not one["gone"]:
            one["xp"] += self._earned(side, one, facts)
            if bonus and one["kind"] in bonus["kinds"]:
                one["xp"] += bonus["experience"]

    def _wound_speaks(self, side: Bag, one: Bag, key: str, fights: bool) -> None:
        rolls = []
        for number in range(one["wounds"]):
            ending = f"/{number + 1}" if number else ""
            due = f"{key}/old-wound/{one['key']}{ending}"
            rolls.append(self._faces(side, due, "D6", self.open_slots))
        if [1] in rolls and fights:
            self.notes.append((side["id"], one["key"], key))

    def _injuries(self, side: Bag, key: str, facts: Bag) -> None:
        def place(out: Bag) -> list[int]:
            return [int(part) for part in re.findall(r"\d+", out["who"])]

        for out in sorted(facts.get("out", {}).get(side["id"], []), key=place):
            one = side["people"].get(out["who"].split("#")[0])
            if one is None or one["gone"]:
                continue
            foes = [name for name in facts["sides"] if name != side["id"]]
            captor = out["by"].split("/")[0] if out.get("by") else foes[0]
            table = self._kind(one)["injuries"]
            self._injure(
                side, one, f"{key}/injury/{out['who']}", table, (key, captor, False)
            )

    def _injure(  # noqa: C901 (one paragraph for each word a row may have)
        self, side: Bag, one: Bag, due: str, name: str, about: tuple[str, str, bool]
    ) -> None:
        key, captor, is_again = about
        table = self.rules["tables"][name]
        faces = self._faces(side, due, table["dice"], self.open_slots)
        if faces is None:
            return
        [row] = [row for row in table["rows"] if row["least"] <= sum(faces) <= row["most"]]
        effect = row["effect"]
        if "gone" in effect:
            self._take_models(side, one, 1, "gone")
        if "again" in effect and not is_again:
            for number in range(effect["again"]):
                if is_home(one):
                    below = f"{due}/{number + 1}"
                    self._injure(side, one, below, name, (key, captor, True))
        if "table" in effect:
            self._injure(side, one, f"{due}/{effect['table']}", effect["table"], about)
        if "misses" in effect:
            if one["count"] == 1 and one["away"]:
                one["away"] = [one["away"][0] + effect["misses"]]
            elif len(one["away"]) < one["count"]:
                one["away"] = [*one["away"], effect["misses"]]
        if "loses" in effect and one["gear"]:
            prices = [piece["paid"] for piece in one["gear"]]
            one["gear"] = list(one["gear"])
            del one["gear"][prices.index(max(prices))]
        if "captive" in effect:
            one["held_by"], one["held_since"] = captor, key
        if "experience" in effect:
            one["xp"] += effect["experience"]
        if "lower" in effect:
            one["minus"][effect["lower"]] = one["minus"].get(effect["lower"], 0) + 1
        if "old_wound" in effect:
            one["wounds"] += 1

    def _earned(self, side: Bag, one: Bag, facts: Bag) -> int:
        me = f"{side['id']}/{one['key']}"
        won = facts.get("winner") == side["id"]
        put_out = 0
        for name in facts["sides"]:
            if name != side["id"]:
                put_out += [
                    out.get("by") for out in facts.get("out", {}).get(name, [])
                ].count(me)
        times = {
            "fought": 1,
            "put_out": put_out,
            "leader_won": 1 if won and one.get("leader") else 0,
            "objective": facts.get("objective_by", []).count(me),
        }
        total = 0
        for award in self.rules["experience"]:
            if one["kind"] in award["kinds"]:
                amount = times[award["when"]] * award["amount"]
                total += min(amount, award.get("most", amount))
        return total

    def _income(self, side: Bag, key: str, facts: Bag, bonus: Bag | None) -> None:
        winner, money = facts.get("winner"), side["money"]
        result = "won" if winner == side["id"] else "lost" if winner else "drawn"
        for line in self.rules["income"]:
            amount = 0
            if line["when"] == "result":
                amount = line[result]
            elif line["when"] == "objective":
                taken = facts.get("objectives", {}).get(side["id"], {})
                amount = line["each"] * min(line["most"], taken.get(line["objective"], 0))
            elif line["when"] == "dice":
                faces = self._faces(side, f"{key}/income", line["dice"], self.open_slots)
                amount = sum(faces or []) * line["times"]
            money[line["currency"]] += amount
        ground = self.rules["territories"]["income"]
        held = list(self.owner.values()).count(side["id"])
        money[ground["currency"]] += ground["amount"] * held
        if bonus:
            money[self.rules["prices"]["currency"]] += bonus["amount"]

    def _upkeep(self, side: Bag, fought: list[str]) -> None:
        rule = self.rules["upkeep"]
        home = [one for one in side["people"].values() if is_home(one)]
        models = sum(one["count"] for one in home)
        owed = rule["each"] * max(0, models - rule["free_models"])
        owed += sum(one.get("upkeep", 0) for one in home if one["key"] in fought)
        there = max(0, side["money"][rule["currency"]])
        side["money"][rule["currency"]] -= min(owed, there)

    def _claim(self, side: Bag, key: str, facts: Bag) -> None:
        choice = self._choice(side, f"{key}/claim", self.open_slots)
        if choice in ("", "none"):
            return
        held = list(self.owner.values()).count(side["id"])
        holder = self.owner.get(choice)
        may = holder is None or (holder != side["id"] and holder in facts["sides"])
        if may and held < self.rules["territories"]["most"]:
            self.owner[choice] = side["id"]
        else:
            self.open_slots.add(f"{side['id']}/{key}/claim (choice)")

    # What is owed at any moment

    def _everybody_settles(self) -> None:
        for band in self.bands.values():
            opened: set[str] = set()
            self.open_now[band["id"]] = opened
            if not band.get("closed"):
                for one in list(band["people"].values()):
                    if not one["gone"]:
                        self._advances(band, one, opened)
                for one in list(band["people"].values()):
                    if not one["gone"] and one["held_by"]:
                        self._ransom(band, one, opened)
                alive = [one for one in band["people"].values() if not one["gone"]]
                if not any(one.get("leader") for one in alive):
                    self._succession(band, opened)

    def _advances(self, band: Bag, one: Bag, opened: set[str]) -> None:
        kind = self._kind(one)
        reached = len([step for step in kind["steps"] if step <= one["xp"]])
        for number in range(1, reached + 1):
            if number <= one["skip"] or number in one["done"] or one["kind"] != kind["id"]:
                continue
            due = f"advance/{one['key']}/{number}"
            table = self.rules["tables"][kind["advances"]]
            faces = self._faces(band, due, table["dice"], opened)
            if faces is None:
                continue
            [row] = [
                row for row in table["rows"] if row["least"] <= sum(faces) <= row["most"]
            ]
            options = self._options(band, one, row["effect"])
            effect = row["effect"]
            if not options:
                effect = row["otherwise"]
                options = self._options(band, one, effect)
            wanted = self.answers[band["id"], due].get("choice")
            if wanted not in options and len(options) > 1:
                opened.add(f"{band['id']}/{due} (choice)")
                continue
            pick = wanted if wanted in options else (options or [None])[0]
            one["done"][number] = pick
            if pick is None:
                continue
            if "promote" in effect:
                self._promote(band, one, effect["promote"], str(number))
            elif "skill" in effect:
                one["skills"] = [*one["skills"], pick]
            else:
                one["plus"] = {**one["plus"], pick: one["plus"].get(pick, 0) + 1}

    def _options(self, band: Bag, one: Bag, effect: Bag) -> list[str]:
        if "promote" in effect:
            [kind] = [
                kind for kind in self.rules["kinds"] if kind["id"] == effect["promote"]
            ]
            people = band["people"].values()
            alike = [x for x in people if not x["gone"] and x["kind"] == kind["id"]]
            return ["yes"] if len(alike) < kind["most"] else []
        if "skill" in effect:
            lists = [self.rules["skills"][name] for name in self._kind(one)["lists"]]
            known = [skill["id"] for skills in lists for skill in skills]
            return [skill for skill in known if skill not in one["skills"]]
        maxima, options = self.rules["maxima"], []
        for stat in effect["raise"]:
            top = maxima["most"][stat]
            for other in maxima["for"]:
                if band["army"] in other.get("armies", []):
                    top = other["most"].get(stat, top)
            gained = one["plus"].get(stat, 0)
            if (
                gained < maxima["gain"][one["kind"]][stat]
                and one["stats"][stat] + gained < top
            ):
                options.append(stat)
        return options

    def _promote(self, band: Bag, one: Bag, kind: str, mark: str) -> Bag:
        if one["count"] > 1:
            new = copy.deepcopy(one)
            new.update(key=f"{one['key']}.{mark}", count=1, away=[])
            one["count"] -= 1
            one["away"] = one["away"][: one["count"]]
            band["people"][new["key"]] = new
            one = new
        one.update(kind=kind, done={})
        one["skip"] = len([step for step in self._kind(one)["steps"] if step <= one["xp"]])
        return one

    def _ransom(self, band: Bag, one: Bag, opened: set[str]) -> None:
        due = f"ransom/{one['held_since']}/{one['key']}"
        choice = self._choice(band, due, opened)
        if not choice or self.answers[band["id"], due]["time"] > self.time:
            return
        rule, currency = self.rules["captives"], self.rules["prices"]["currency"]
        captor = self.bands[one["held_by"]]
        one["held_by"] = None
        if choice == "pay":
            share = worth(one) * Fraction(*rule["ransom"]["part"])
            price = max(rule["ransom"]["least"], -int(-share // 1))
            band["money"][currency] -= price
            captor["money"][currency] += price
        else:
            captor["money"][currency] += rule["refused"]
            self._take_models(band, one, 1, "refused")

    def _succession(self, band: Bag, opened: set[str]) -> None:
        dead = [k for k, one in band["people"].items() if one.get("leader") and one["gone"]]
        due = f"succession/{dead[-1] if dead else 'none'}"
        choice = self._choice(band, due, opened)
        if not choice:
            return
        one = band["people"].get(choice)
        if (
            not one
            or not is_home(one)
            or one["kind"] not in self.rules["leader"]["successors"]
        ):
            opened.add(f"{band['id']}/{due} (choice)")
            return
        if one["kind"] != "hero":
            one = self._promote(band, one, "hero", "leader")
        one["leader"] = True

    # Free acts

    def _act(self, act: Bag) -> bool:
        band = self.bands[act["band"]]
        if band.get("closed"):
            return False
        return bool(getattr(self, f"_act_{act['act']}")(band, act))

    def _home(self, band: Bag, key: str) -> Bag | None:
        one = band["people"].get(key)
        return one if one and is_home(one) else None

    def _spend(self, band: Bag, act: Bag, price: int) -> bool:
        act.setdefault("paid", price)
        self._pay(band, act["paid"])
        return True

    def _act_recruit(self, band: Bag, act: Bag) -> bool:
        if "into" not in act:
            return self._spend(band, act, worth(self._join(band, act["warrior"])))
        group, count = self._home(band, act["into"]), act.get("count", 1)
        if group is None:
            return False
        each = (
            worth({**group, "count": 1})
            + group["xp"] * self.rules["recruits"]["per_experience"]
        )
        group["count"] += count
        return self._spend(band, act, each * count)

    def _act_buy(self, band: Bag, act: Bag) -> bool:
        rare = self._good(act["item"]).get("rare")
        return not rare and self._get(band, act, act["price"])

    def _act_search(self, band: Bag, act: Bag) -> bool:
        good, seeker = self._good(act["item"]), self._home(band, act["seeker"])
        if act["for"] != "stash" and not self._home(band, act["for"]):
            return False
        if good.get("rare"):
            if seeker is None:
                return False
            if sum(act["faces"]) + seeker["skills"].count("pedlar") < good["rare"]:
                return True
        return self._get(band, act, good["price"])

    def _get(self, band: Bag, act: Bag, price: int) -> bool:
        piece = {"id": act["item"], "paid": price}
        if act["for"] == "stash":
            band["stash"].append(piece)
            return self._spend(band, act, price)
        one = self._home(band, act["for"])
        if one is None:
            return False
        one["gear"] = [*one["gear"], piece]
        return self._spend(band, act, price * one["count"])

    def _good(self, key: str) -> Bag:
        return next(
            (good for good in self.rules["trade"]["goods"] if good["id"] == key), {}
        )

    def _held(self, band: Bag, place: str, item: str) -> tuple[list[Bag], int] | None:
        if place == "stash":
            pieces = band["stash"]
        else:
            one = self._home(band, place)
            if one is None or one["count"] > 1:
                return None
            one["gear"] = pieces = list(one["gear"])
        ids = [piece["id"] for piece in pieces]
        return (pieces, ids.index(item)) if item in ids else None

    def _act_sell(self, band: Bag, act: Bag) -> bool:
        found = self._held(band, act["from"], act["item"])
        if not found:
            return False
        piece = found[0].pop(found[1])
        share = piece["paid"] * Fraction(*self.rules["trade"]["sell"])
        band["money"][self.rules["prices"]["currency"]] += int(share // 1)
        return True

    def _act_give(self, band: Bag, act: Bag) -> bool:
        to = None if act["to"] == "stash" else self._home(band, act["to"])
        if act["to"] != "stash" and (to is None or to["count"] > 1):
            return False
        found = self._held(band, act["from"], act["item"])
        if not found:
            return False
        piece = found[0].pop(found[1])
        if to is None:
            band["stash"].append(piece)
        else:
            to["gear"] = [*to["gear"], piece]
        return True

    def _act_dismiss(self, band: Bag, act: Bag) -> bool:
        one = self._home(band, act["who"])
        if one is None or one["count"] < act.get("count", 1):
            return False
        self._take_models(band, one, act.get("count", 1), "gone")
        return True

    def _act_adjust(self, band: Bag, act: Bag) -> bool:
        if "who" not in act:
            band["money"][act["currency"]] += act["amount"]
            return True
        one = self._home(band, act["who"])
        if one:
            one["xp"] += act["experience"]
        return one is not None

    def _act_disband(self, band: Bag, act: Bag) -> bool:
        band["closed"] = True
        self.owner = {name: who for name, who in self.owner.items() if who != act["band"]}
        return True

    # Telling

    def told(self) -> Bag:
        opened = set(self.open_slots).union(*self.open_now.values())
        aside = [
            f"{band}/{due}"
            for (band, due), answer in self.answers.items()
            if answer["counts"] and (band, due) not in self.asked
        ]
        return {
            "bands": {key: self._told_band(band) for key, band in self.bands.items()},
            "open": sorted(opened),
            "aside": sorted(aside + self.failed),
            "notes": self.notes,
        }

    def _told_band(self, band: Bag) -> Bag:
        closed = {"closed": True} if band.get("closed") else {}
        return {
            "treasury": band["money"],
            "rating": 0 if closed else self._rating(band),
            "stash": [piece["id"] for piece in band["stash"]],
            "territories": sorted(n for n, who in self.owner.items() if who == band["id"]),
            **closed,
            "warriors": {key: self._told_one(one) for key, one in band["people"].items()},
        }

    def _told_one(self, one: Bag) -> Bag:
        known = [skill for skills in self.rules["skills"].values() for skill in skills]
        bonuses = [
            skill.get("effects", {}) for skill in known if skill["id"] in one["skills"]
        ]
        bonuses += [self._good(piece["id"]).get("effects", {}) for piece in one["gear"]]
        stats = {}
        for stat, base in one["stats"].items():
            change = one["plus"].get(stat, 0) - one["minus"].get(stat, 0)
            change += sum(bonus.get(stat, 0) for bonus in bonuses)
            if change:
                stats[stat] = min(10, max(0 if base == 0 else 1, base + change))
        told = {
            "gone": one["gone"],
            "captive_of": one["held_by"],
            "leader": bool(one.get("leader")) and not one["gone"],
            "stats": stats,
            "skills": one["skills"],
            "misses": one["away"],
            "old_wounds": one["wounds"],
            "gear": [piece["id"] for piece in one["gear"]],
        }
        plain = {"kind": one["kind"], "count": one["count"], "experience": one["xp"]}
        return plain | {key: value for key, value in told.items() if value}


def is_home(one: Bag) -> bool:
    return not one["gone"] and not one["held_by"]


def worth(one: Bag) -> int:
    return (one["price"] + sum(piece["paid"] for piece in one["gear"])) * one["count"]


def lay_over(below: Bag, above: Bag) -> None:
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            lay_over(below[key], value)
        else:
            below[key] = copy.deepcopy(value)
