"""Checks of what may be agreed under a rule system: alternatives of rulings, house rules."""

from collections.abc import Iterator

from engine.records import Texts
from engine.roster import EDITION, SCENARIO
from rulesdata.pack_files.folders import (
    ALTERNATIVES,
    SYSTEM_FILES,
    Spot,
    SystemPack,
    phrases_found,
)
from rulesdata.schema.system import (
    AlternativesFile,
    HouseRulesFile,
    RulingsFile,
    ScenariosFile,
)

_EDITIONS = tuple(f"edition_{number}" for number in range(1, EDITION))


def check_rulings(pack: SystemPack, spot: Spot, file: RulingsFile) -> None:
    """An alternative that nobody could tell from the text is no choice."""
    alternatives = pack.find(AlternativesFile)
    if alternatives is None:  # its own fault is told where it is read
        return
    changed = {choice.id for choice in alternatives.alternatives}
    for at, ruling in spot.at("rulings").each(file.rulings):
        values = ruling.values
        for place in range(1, len(ruling.alternatives) + 1):
            has_value = len(values) > place and (
                values[place] is not None or values[0] is None
            )
            if not (has_value or f"{ruling.ref}.{place}" in changed):
                change = f"give it a value, or write {ruling.ref}.{place} in {ALTERNATIVES}"
                message = f"nothing takes alternative {place}: {change}"
                at.at("alternatives").fault(message)


def _choice_ids(pack: SystemPack) -> set[str]:
    """Return the ids of the editions, the alternatives of rulings and the house rules."""
    choices = set(_EDITIONS)
    if rulings := pack.find(RulingsFile):
        for ruling in rulings.rulings:
            places = range(1, len(ruling.alternatives) + 1)
            choices |= {f"{ruling.ref}.{place}" for place in places}
    if house := pack.find(HouseRulesFile):
        choices |= {rule.id for rule in house.house_rules}
    return choices


def check_alternatives(pack: SystemPack, spot: Spot, file: AlternativesFile) -> None:
    """Each names a choice there is, phrases that stand there, and files that can be read."""
    choices = _choice_ids(pack)
    documents = pack.reader.documents
    texts = [documents[name].data for name in SYSTEM_FILES if name in documents]
    for at, choice in spot.at("alternatives").each(file.alternatives):
        at.at("id").report_unknown([choice.id], choices, "alternative or house rule")
        at.at("sets").report_unknown(choice.sets, SYSTEM_FILES, "file of a system")
        if not (choice.words or choice.sets or choice.told):
            at.fault("it changes nothing")
        # Under other choices a phrase may be gone already: that is what they are for.
        for target, phrases in choice.words.items() if not pack.reader.chosen else ():
            for phrase in phrases:
                # A state, a phase and a note may bear one name; the phrase stands in one of them.
                if not any(phrases_found(text, target, phrase) for text in texts):
                    at.at("words", target).fault(f"'{phrase}' does not stand there")


def _stands_at(key: str, place: int) -> bool:
    """Whether the alternative is its ruling's of that place; a house rule is a first one."""
    if key in _EDITIONS:
        return False
    return key.endswith(f".{place}") or (place == 1 and "." not in key)


def agreed_together(pack: SystemPack) -> Iterator[Texts]:
    """Yield the alternatives to try together: every first one with all house rules, every second
    one, and so on; then the editions before this one, and each scenario with rules.
    """
    file = pack.find(AlternativesFile)
    keys = [choice.id for choice in file.alternatives] if file else []
    for place in range(1, 10):
        if together := tuple(key for key in keys if _stands_at(key, place)):
            yield together
    yield _EDITIONS
    scenarios = pack.find(ScenariosFile)
    for scenario in scenarios.scenarios if scenarios else ():
        if scenario.sets:
            yield (f"{SCENARIO}{scenario.id}",)
