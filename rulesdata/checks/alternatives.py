"""Checks of what may be agreed: each alternative is taken, and changes what there is."""

from collections.abc import Iterable, Iterator

from engine.records import Texts
from engine.roster import EDITION, SCENARIO
from rulesdata.pack_files.alternatives import phrases_found
from rulesdata.pack_files.folders import (
    ALTERNATIVES,
    SYSTEM_FILES,
    Spot,
    SystemPack,
)
from rulesdata.schema.system import (
    AlternativeRecord,
    AlternativesFile,
    HouseRulesFile,
    RulingsFile,
    ScenariosFile,
)

_EDITIONS = tuple(f"edition_{number}" for number in range(1, EDITION))


def check_taken(pack: SystemPack, spot: Spot, file: RulingsFile) -> None:
    """An alternative that nobody could tell from the text is no choice."""
    written = pack.find(AlternativesFile)
    if written is None:  # its own fault is told where it is read
        return
    changed = {one.id for one in written.alternatives}
    for at, ruling in spot.at("rulings").each(file.rulings):
        for place in range(1, len(ruling.alternatives) + 1):
            values = ruling.values
            has_value = len(values) > place and (
                values[place] is not None or values[0] is None
            )
            if not (has_value or f"{ruling.ref}.{place}" in changed):
                change = f"give it a value, or write {ruling.ref}.{place} in {ALTERNATIVES}"
                message = f"nothing takes alternative {place}: {change}"
                at.at("alternatives").fault(message)


def check_alternatives(pack: SystemPack, spot: Spot, file: AlternativesFile) -> None:
    """Each names a choice there is, phrases that stand there, and files that can be read."""
    choices = set(_choices(pack))
    # Under other choices a phrase may be gone already: that is what they are for.
    is_plain = not pack.reader.chosen
    for at, one in spot.at("alternatives").each(file.alternatives):
        at.at("id").report_unknown([one.id], choices, "alternative or house rule")
        at.at("sets").report_unknown(one.sets, SYSTEM_FILES, "file of a system")
        if not (one.words or one.sets or one.told):
            at.fault("it changes nothing")
        if is_plain:
            _check_words(pack, at.at("words"), one)


def _choices(pack: SystemPack) -> Iterator[str]:
    """All that may be agreed, as alternatives.yaml names it."""
    rulings, house = pack.find(RulingsFile), pack.find(HouseRulesFile)
    for ruling in rulings.rulings if rulings else ():
        for place in range(1, len(ruling.alternatives) + 1):
            yield f"{ruling.ref}.{place}"
    for rule in house.house_rules if house else ():
        yield rule.id
    yield from _EDITIONS


def _check_words(pack: SystemPack, spot: Spot, one: AlternativeRecord) -> None:
    """Report each phrase of an alternative that stands in no file of the system."""
    # A state, a phase and a note may bear one name; the phrase stands in one of them.
    documents = [pack.reader.documents.get(name) for name in SYSTEM_FILES]
    known = [document.data for document in documents if document]
    for target, phrases in one.words.items():
        for phrase in phrases:
            found = (phrases_found(data, target, phrase) for data in known)
            if not any(found):
                spot.at(target).fault(f"'{phrase}' does not stand there")


def agreed_together(pack: SystemPack) -> Iterator[Texts]:
    """The alternatives to try together: every first one with all house rules, every second one, and
    so on; then the editions before this one, and each scenario with rules.
    """
    file = pack.find(AlternativesFile)
    written = [one.id for one in file.alternatives] if file else []
    known = [key for key in written if key not in _EDITIONS]
    together = (_of_place(known, place) for place in range(1, 10))
    yield from filter(None, together)
    yield _EDITIONS
    yield from _scenarios_with_rules(pack)


def _of_place(known: Iterable[str], place: int) -> Texts:
    """The alternatives at this place of their rulings; house rules with the first."""
    return tuple(
        key for key in known if key.endswith(f".{place}") or (place == 1 and "." not in key)
    )


def _scenarios_with_rules(pack: SystemPack) -> Iterator[Texts]:
    file = pack.find(ScenariosFile)
    found = (one.id for one in file.scenarios if one.sets) if file else ()
    return ((f"{SCENARIO}{key}",) for key in found)
