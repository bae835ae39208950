"""What warriors carry that their system's text forbids, or sells without a price."""

from __future__ import annotations

from collections.abc import Iterator

from engine.equipment import carried_items
from engine.findings.cases import Case, Fix, Occurrence, count, indexes, names
from engine.selection import Selection
from engine.types import Guideline, Option


def difficult_weapon(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """A weapon marked difficult beside any other weapon; ``items`` (a plain hand weapon) do not count."""
    ignored = set(guideline.parameters.get("items", ()))
    for s in case.selections:
        arms = [
            case.army.weapons[key]
            for key in carried_items(s)
            if key in case.army.weapons and key not in ignored
        ]
        difficult = [weapon for weapon in arms if weapon.traits.get("difficult")]
        if difficult and len(arms) > 1:
            others = [weapon for weapon in arms if weapon is not difficult[0]]
            fields = {
                "name": s.label,
                "weapon": difficult[0].name.lower(),
                "others": " and ".join(weapon.name.lower() for weapon in others),
            }
            yield Occurrence(fields, (s.index,), _without(s, {weapon.key for weapon in arms}))


def armour_only_for(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Armour kept for one people: those of the ``armies``, and profiles with one of the ``words`` in their name."""
    armies, words = guideline.parameters.get("armies", ()), guideline.parameters.get("words", ())
    for s in case.selections:
        if s.profile is None or s.profile.army in armies or _is_called(s, words):
            continue
        for key in carried_items(s):
            piece = case.army.armour.get(key)
            if piece and piece.traits.get("only_for"):
                fields = {
                    "name": s.label,
                    "armour": piece.name.lower(),
                    "only_for": piece.traits["only_for"],
                }
                yield Occurrence(fields, (s.index,), _without(s, {key}))


def _is_called(selection: Selection, words: tuple[str, ...]) -> bool:
    profile = selection.profile
    assert profile is not None
    called = f"{profile.name} {profile.model_name}".lower().split()
    return any(word.lower() in called for word in words)


def unpriced(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Options that the system itself offers, whose text prints no price."""
    keys = {option.key for option in case.system.options if not option.points}
    bearers = [(s, [o for o in s.options if o.key in keys]) for s in case.selections]
    found = [s for s, options in bearers if options]
    if found:
        listed = dict.fromkeys(o.name.lower() for _, options in bearers for o in options)
        yield Occurrence(
            {"count": count(found), "names": names(found), "options": ", ".join(listed)},
            indexes(found),
        )


def _without(selection: Selection, items: set[str]) -> tuple[Fix, ...]:
    """Remedies: to leave one of the options that brought these items."""
    bought: list[Option] = [
        o for o in (*selection.options, *selection.champions_options) if items & set(o.items)
    ]
    return tuple(
        Fix(f"{selection.label} without {o.name.lower()}", "remove_option", selection.index, o.key)
        for o in bought
    )
