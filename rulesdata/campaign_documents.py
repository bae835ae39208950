"""Campaign rules out of documents: those of the packs, and whatever else is checked for a system.

Reading a document takes some milliseconds, so what was read is kept by its digest. No database.
"""

import copy
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache, lru_cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import re2
from pydantic import ValidationError

from engine.growth.faults import (
    FaultyRules,
    RulesFault,
    check_effect,
    check_rules,
    rules_fault,
)
from engine.growth.rules import CampaignRules, MaximaOverride, SkillRule, TradeGood
from engine.growth.tables import RowEffect
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.types.systems import System
from rulesdata import registry
from rulesdata.pack_files.folders import PACKS, known_place
from rulesdata.pack_files.yaml_files import Fault, Place, ReadingError, read_file
from rulesdata.schema.campaign_tables import EffectRecord, list_references
from rulesdata.schema.campaigns import CampaignRulesFile

FOLDER = "campaigns"
READ_KEPT = 200
DOCUMENT_MAX = 256 * 1024
# A document of nothing but faults is told as far as somebody would read.
FAULTS_TOLD = 200
MENDED_MOST = 8
_WORDS = re2.compile("[a-z0-9]+")
HARMLESS: Mapping[str, Any] = {
    "missing": None, "int_type": 1, "greater_than_equal": 1, "less_than_equal": 1,
    "bool_type": False, "list_type": [], "not_rising": [], "twice": [], "dict_type": {},
    "model_type": {}, "model_attributes_type": {}, "several_verbs": {}, "too_short": [1, 1],
    "no_share": [1, 1], "empty": ["x"], "no_amount": 1, "union_tag_invalid": "result",
    "union_tag_not_found": "result",
}  # fmt: skip
"""What a document is checked further with in the place of a fault; a text elsewhere."""


@frozen_dataclass
class PackedRules:
    """Campaign rules that come with the site, and the text of their file."""

    id: str
    document: NamedValues
    rules: CampaignRules
    text: str


def read_rules(document: object, stats: Collection[str] | None = None) -> CampaignRules:
    """Return the rules of a document.

    ``stats`` are the characteristics of the system it is for; None leaves them unchecked. Raises
    FaultyRules with every fault and its path.
    """
    check_document_size(document)
    faults: list[RulesFault] = []
    try:
        file = CampaignRulesFile.model_validate(document)
    except ValidationError as error:
        faults = _shape_faults(error, document)
        mended = _mended(document)
        if mended is None:
            raise FaultyRules(faults) from None
        file = mended
    rules = file.to_rules()
    if file.collection in registry.collections():
        rules = _with_collection(rules, file.collection)
    elif file.collection:
        words = {"name": file.collection, "what": "collection"}
        faults.append(rules_fault("collection", "unknown", **words))
    faulty = {fault.path for fault in faults}
    named = list_references(file)
    others = (*file.repeated_ids(), *check_rules(rules, stats, named))
    faults += [fault for fault in others if fault.path not in faulty]
    if faults:
        raise FaultyRules(faults[:FAULTS_TOLD])
    return rules


def _with_collection(rules: CampaignRules, collection: str) -> CampaignRules:
    """Return the rules with the races, skills and goods of a collection of army lists.

    What the document says itself goes before them.
    """
    files = registry.shared_files(collection)
    races = (
        MaximaOverride((), (), dict(race.maxima), (race.id,)) for race in files.maxima.races
    )
    lists = {
        shared.id: {"-".join(_WORDS.findall(name.lower())): name for name in shared.skills}
        for shared in files.skills.skill_lists
    }
    skills = {
        key: SkillRule(key, name, "", {})
        for shared in lists.values()
        for key, name in shared.items()
    }
    return replace(
        rules,
        maxima=replace(rules.maxima, overrides=(*races, *rules.maxima.overrides)),
        skill_lists={
            **{key: tuple(each) for key, each in lists.items()},
            **rules.skill_lists,
        },
        skills={**skills, **rules.skills},
        trade=replace(rules.trade, goods=_list_goods(collection, rules.trade.goods)),
    )


def _list_goods(collection: str, goods: Mapping[str, TradeGood]) -> dict[str, TradeGood]:
    """Return what the trading post of a collection has beside goods that go before its own.

    A price that multiplies stands for one more of every close combat weapon.
    """
    common = registry.find_printed_lists(collection, "").common
    sorts = {weapon.id: weapon.type for weapon in common.weapons}
    sorts |= {piece.id: "armour" for piece in common.armour}
    items = registry.shared_files(collection).trade.items
    priced = {
        item.id: item.build(listed=sorts.get(item.id, "")) for item in items if item.price
    } | dict(goods)
    weapons = [good for good in priced.values() if good.listed == "melee"]
    # Such as gromril-sword of gromril-weapon.
    made = [
        replace(
            weapon,
            id=item.id.replace("weapon", weapon.id),
            name=item.name.replace("weapon", weapon.name.lower()),
            price=weapon.price * item.times,
            rare=item.rare,
            made_as=weapon.id,
        )
        for item in items
        if item.times
        for weapon in weapons
    ]
    return {good.id: good for good in made} | priced


def read_effect(
    document: object, rules: CampaignRules, stats: Collection[str]
) -> RowEffect:
    """Return what a row of these rules would do. Raises FaultyRules with every fault."""
    check_document_size(document)
    try:
        effect = EffectRecord.model_validate(document).build()
    except ValidationError as error:
        raise FaultyRules(_shape_faults(error, document)) from None
    if faults := list(check_effect(rules, effect, stats)):
        raise FaultyRules(faults)
    return effect


def check_document_size(document: object) -> None:
    """Raise FaultyRules for a document of more than 256 KiB."""
    try:
        size = len(json.dumps(document, default=str, ensure_ascii=False).encode())
    except (RecursionError, ValueError, TypeError):
        raise FaultyRules([rules_fault("document", "too_deep")]) from None
    if size > DOCUMENT_MAX:
        most = DOCUMENT_MAX // 1024
        raise FaultyRules([rules_fault("document", "too_large", most=most)])


def _shape_faults(error: ValidationError, document: object) -> list[RulesFault]:
    """Return what is wrong with the shape of a document, one fault for each place."""
    places: dict[str, list[RulesFault]] = {}
    for detail in error.errors(include_url=False)[: 2 * FAULTS_TOLD]:
        place = _place(document, detail)
        steps = [
            f"[{step}]" if isinstance(step, int) else f".{step[:40]}" for step in place
        ]
        path, code = "".join(steps).removeprefix("."), detail["type"]
        # In YAML's short form a comma ends a text, and the rest becomes a key.
        if code == "extra_forbidden" and detail["input"] is None:
            code = "no_value"
        fault = rules_fault(path, code, **detail.get("ctx", {}))
        places.setdefault(path, []).append(fault)
    # Where one of several shapes is possible, each of them is told.
    return [
        replace(
            faults[0],
            message=", or ".join(
                dict.fromkeys(fault.message.removesuffix(".") for fault in faults)
            )
            + ".",
        )
        for faults in places.values()
    ]


def _place(document: Any, detail: Any) -> Place:
    """Return the keys that lead to a fault, without pydantic's names of alternatives."""
    loc, code = detail["loc"], detail["type"]
    if loc[:1] == ("income",):
        # After the number of a line stands its sort, which may be a key as well.
        loc = loc[:2] + loc[3:]
    place = known_place(document, loc)
    if code == "missing":
        place = (*place, loc[-1])
    if code.startswith("union_tag"):
        place = (*place, "when")
    at = detail.get("ctx", {}).get("at")
    return (*place, at) if at else place


def _mended(document: Any) -> CampaignRulesFile | None:
    """Return a document with something harmless in the place of each fault of its shape.

    So one reading tells what else is wrong with it. None where that cannot be told.
    """
    try:
        document = copy.deepcopy(document)
    except RecursionError:
        return None
    for _ in range(MENDED_MOST):
        try:
            return CampaignRulesFile.model_validate(document)
        except ValidationError as error:
            # The last first, because those behind one that is taken out move up.
            for detail in reversed(error.errors(include_url=False)):
                _mend(document, detail)
    return None


def _mend(document: Any, detail: Any) -> None:
    """Take a fault out of a document, or put something harmless in its place.

    For some sorts it takes a further round.
    """
    place, code = _place(document, detail), detail["type"]
    if not place:
        return
    values, value = detail.get("ctx", {}), detail["input"]
    harmless = copy.copy(HARMLESS.get(code, "x"))
    if code == "literal_error":
        # 'D6', '2D6' or 'D3'; without quotes it is a flag, which is true.
        quoted = values["expected"].split("'")
        harmless = quoted[1] if len(quoted) > 1 else True
    elif code == "too_long":
        # The first are read, or everything that names one of them would be a fault too.
        first = list(value)[: values["max_length"]]
        harmless = {key: value[key] for key in first} if isinstance(value, dict) else first
    holder = reduce(getitem, place[:-1], document)
    is_key = code == "extra_forbidden" or detail["loc"][-1] == "[key]"
    is_scalar = isinstance(holder, list) and not isinstance(HARMLESS.get(code), Mapping)
    if is_key or is_scalar:
        holder.pop(place[-1])
    else:
        holder[place[-1]] = harmless


@cache
def packed_rules() -> dict[str, PackedRules]:
    """Return the sets of the packs by their ids, those of every system first.

    Raises ReadingError, FaultyRules.
    """
    packed = []
    for path in sorted((PACKS / FOLDER).glob("*.yaml")):
        document = read_file(path).data
        rules = read_rules(document)
        packed.append(PackedRules(rules.id, document, rules, path.read_text("utf-8")))
    return {each.id: each for each in sorted(packed, key=lambda each: each.rules.systems)}


MUSTER_CAMPAIGN = "muster-campaign"
"""The id of the set for systems that have none of their own."""


def find_default_rules(system: System) -> str:
    """Return the id of the set that comes with the site for this system, "" for none."""
    sets = packed_rules().values()
    return next((each.id for each in sets if system.key in each.rules.systems), "")


def check_campaign_files(packs: Path) -> list[Fault]:
    """Return what is wrong with the campaign rules in a folder of packs."""
    faults = []
    for path in sorted((packs / FOLDER).glob("*.yaml")):
        name = f"{FOLDER}/{path.name}"
        try:
            read_rules(read_file(path, name).data)
        except ReadingError as error:
            faults.append(error.fault)
        except FaultyRules as error:
            faults += [Fault(name, fault.path, fault.message) for fault in error.faults]
    return faults


@lru_cache(READ_KEPT)
def _read(text: str, stats: Texts) -> CampaignRules:
    """Return the rules of a document as JSON. Raises FaultyRules, which is not kept."""
    return read_rules(json.loads(text), stats or None)


def stat_keys(system: System) -> Texts:
    """Return the characteristics that campaign rules may name in a system."""
    return tuple(stat.key for stat in system.stats)


def read_for(system: System | None, document: NamedValues) -> CampaignRules:
    """Return the rules of a document, for a system where one is given.

    Raises FaultyRules with every fault: also where they are not for this system.
    """
    # Its size first: something nested too deeply cannot be written as JSON.
    check_document_size(document)
    rules = _read(json.dumps(document), stat_keys(system) if system else ())
    if system and rules.systems and system.key not in rules.systems:
        raise FaultyRules([rules_fault("systems", "other_system", system=system.key)])
    return rules
