"""The effects that rows of tables may have: each verb is declared once, beside its function."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain, count

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.money import list_skills, raisable
from engine.growth.tables import RolledRow, RowEffect
from engine.growth.verbs import (
    AMOUNT,
    DICE,
    DONE,
    FLAG,
    GOOD,
    IMPOSSIBLE,
    KIND,
    MARK,
    PROMOTED,
    PROMOTION,
    SKILL_LISTS,
    SOME_STATS,
    STAT,
    TABLE,
    TIMES,
    VERBS,
    WOUND,
    EffectContext,
    Shape,
    describe_effect,
    describe_mark,
    happen,
    resolve,
    throw_final,
    up_to,
    verb,
)
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.records import TextPairs

# Whoever asks for a verb needs all of them declared, and so reads these names here.
__all__ = (
    "VERBS", "EffectContext", "describe_effect", "describe_mark", "happen", "resolve",
    "throw_final",
)  # fmt: skip
OTHERS = "others"
"""Stands behind the key of an advance that promoted one of a group: the throw of the others."""
RETHROWS_MOST = 20
"""How often a roll is made again in place of one that cannot be."""
_RETHROW = re.compile(r"again\d{1,2}")
# When a verb can be


def _raisable(context: EffectContext, effect: RowEffect) -> TextPairs:
    """An advance raises what is below its maximum."""
    rules, army = context.play.rules, context.warband.army
    stats = raisable(rules, army, context.warrior, effect.names)
    return tuple((stat, stat) for stat in stats)


def _learnable(context: EffectContext, effect: RowEffect) -> TextPairs:
    """A skill comes from the row's lists, or from those of the kind, and is new."""
    rules = context.play.rules
    ids = list_skills(rules, context.warrior, effect.names)
    return tuple((key, rules.skills[key].name) for key in ids)


def _has_room(context: EffectContext, effect: RowEffect) -> TextPairs:
    """Somebody is promoted while the other kind has room."""
    if context.is_others or not context.warrior.joined.is_promotable:
        return IMPOSSIBLE
    most = context.play.rules.kinds[effect.name].most
    alike = sum(warrior.kind == effect.name for warrior in context.warband.alive())
    return PROMOTED if most is None or alike < most else IMPOSSIBLE


def _can_rethrow(context: EffectContext, _effect: RowEffect) -> TextPairs:
    """Something is thrown again while anything on its table can be, but for further throws."""
    table = context.play.rules.tables.get(context.table)
    for row in table.rows if table else ():
        effects = [e for e in (row.effect, *row.otherwise) if e.verb not in ("", "rethrow")]
        can_be = (VERBS[effect.verb].possible(context, effect) for effect in effects)
        if not row.effect.verb or any(can_be):
            return DONE
    return IMPOSSIBLE


def _is_unmarked(context: EffectContext, effect: RowEffect) -> TextPairs:
    """Nobody bears a mark twice."""
    borne = {(mark.verb, mark.name) for mark in context.warrior.marks}
    return IMPOSSIBLE if (effect.verb, effect.name) in borne else DONE


def _has_part(context: EffectContext, effect: RowEffect) -> TextPairs:
    is_possible = any(VERBS[part.verb].possible(context, part) for part in effect.parts)
    return DONE if is_possible else IMPOSSIBLE


# The verbs. Groups share one experience and one stat line, so few befall one of a group; what
# a warband rolls for itself befalls nobody.


@verb("", (), "", is_for_groups=True, is_for_warbands=True)
@verb("words", (), "", is_for_groups=True, is_for_warbands=True)
@verb(
    "old_wound",
    (WOUND,),
    "Misses a battle on a {dice} of {number} or less",
    rule="Before each battle roll {dice}: on {number} or less, stays away",
    mark="misses a battle on a {dice} of {number} or less",
)
@verb("mark", (MARK,), "{mark}", mark="{mark}", possible=_is_unmarked)
def _nothing(_context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    """Words are printed; of others the mark is all that there is."""


@verb(
    "raise",
    (SOME_STATS,),
    "+1 {either}",
    rule="+1 {names}",
    gain="+1 {choice}",
    happening="{who} gains {gain}",
    possible=_raisable,
)
def _raise(context: EffectContext, _effect: RowEffect, stat: str) -> None:
    context.change(gains=warriors.added(context.warrior.gains, stat, 1))


@verb(
    "skill",
    (FLAG, SKILL_LISTS),
    "A new skill",
    rule="A new skill{lists}",
    gain="{skill}",
    happening="{who} learns {gain}",
    possible=_learnable,
)
def _skill(context: EffectContext, _effect: RowEffect, skill: str) -> None:
    context.change(skills=(*context.warrior.skills, skill))


@verb(
    "promote",
    (KIND, PROMOTION),
    "One model becomes: {kind}",
    gain="becomes {kind}",
    happening="{model} {gain}",
    possible=_has_room,
)
def _promote(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Promote one model; the number of the advance marks its key, unless somebody bears it.

    Throws that follow are owed by who is promoted, and by the others.
    """
    parts, warrior = context.due.key.split("/"), context.warrior
    numbers = [part for part in reversed(parts) if part.isdigit()]
    marks = chain(numbers, (f"{numbers[-1]}-{place}" for place in count(2)))
    bearers = {living.key for living in context.warband.alive()}
    mark = next(mark for mark in marks if f"{warrior.key}.{mark}" not in bearers)
    hero = promote_one(context.play, context.warband, warrior, effect.name, mark)
    key = f"{context.due.key}/{effect.name}"
    throws = [key, *(f"{key}/{place}" for place in range(2, effect.number + 1))]
    context.warband.change(hero, throws=tuple(throws[: effect.number]))
    if effect.is_repeated and hero.key != warrior.key and context.warrior.count:
        others = f"{context.due.key}/{OTHERS}"
        context.change(throws=(*context.warrior.throws, others))


@verb(
    "gone",
    (FLAG,),
    "Out of the campaign",
    happening="loses {model} ({row})",
    is_for_groups=True,
)
def _gone(context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    context.play.lose(context.warband, context.warrior, 1, warriors.GONE)


@verb(
    "misses",
    (up_to(20), DICE),
    "Misses {games}",
    rule="Misses {battles}",
    is_for_groups=True,
)
def _misses(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Keep a model away from battles; by dice it is a due of its own."""
    battles = context.amount(effect, "misses")
    if battles:
        context.warband.put(warriors.miss_battles(context.warrior, battles))
    return battles is not None


@verb("lower", (STAT,), "−1 {name}", rule="−1 {name} for good", mark="")
def _lower(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    context.change(hurts=warriors.added(context.warrior.hurts, effect.name, -1))


@verb(
    "table",
    (TABLE, TIMES),
    "Roll on: {plain}{times}",
    rule="Roll on: {title}{times}",
    is_for_groups=True,
    is_for_warbands=True,
)
def _table(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Roll on another table, under the same due with that table's name, once or several times."""
    key = f"{context.due.key}/{effect.name}"
    if not (effect.number or effect.dice):
        return context.roll_below(key, effect.name, is_again=context.is_again)
    times = context.amount(effect, f"{effect.name}/times")
    return times is not None and _roll_times(context, key, effect.name, times)


def _roll_times(
    context: EffectContext, key: str, table: str, times: int, *, is_again: bool = False
) -> bool:
    """Roll so many times, until whoever it befalls is gone or held."""
    is_settled = True
    for number in range(1, times + 1):
        if context.key and not context.warrior.is_free:
            return True
        is_settled &= context.roll_below(f"{key}/{number}", table, is_again=is_again)
    return is_settled


@verb(
    "again",
    (up_to(4),),
    "Roll {number} more times",
    rule="{number} rolls on this table; in them this row does nothing",
    is_for_groups=True,
    is_for_warbands=True,
    possible=lambda context, effect: DONE if context.table else IMPOSSIBLE,
)
def _again(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Roll on the same table so many times."""
    # Met again inside itself it counts as nothing.
    times = 0 if context.is_again else effect.number
    return _roll_times(context, context.due.key, context.table, times, is_again=True)


@verb(
    "rethrow",
    (FLAG,),
    "Roll again",
    rule="Roll again, until it can be",
    is_for_groups=True,
    is_for_warbands=True,
    possible=_can_rethrow,
)
def _rethrow(context: EffectContext, _effect: RowEffect, _choice: str) -> bool:
    """Roll on the same table in place of this roll: dues .../again1, .../again2."""
    base, _, last = context.due.key.rpartition("/")
    number = int(last[5:]) if _RETHROW.fullmatch(last) else 0
    if number >= RETHROWS_MOST:
        return True
    key = f"{base if number else context.due.key}/again{number + 1}"
    return context.roll_below(key, context.table, is_again=context.is_again)


@verb(
    "all",
    (Shape("effects"),),
    "{parts}",
    is_for_groups=True,
    is_for_warbands=True,
    possible=_has_part,
)
def _all(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Let several effects happen, each under a due of its own; what cannot be is left out."""
    is_settled, due = True, context.due
    for place, part in enumerate(effect.parts, start=1):
        below = replace(context, due=replace(due, key=f"{due.key}/part{place}", dice=""))
        row = RolledRow(0, 0, context.row, part)
        context.play.book.rolled[due.warband, below.due.key] = row
        is_settled &= below.do_once(partial(happen, below, row))
    return is_settled


@verb(
    "captive",
    (FLAG,),
    "Taken captive",
    rule="Held captive until a ransom is paid or refused",
    happening="{who} is captured by {other}",
    possible=lambda context, effect: DONE if context.captor else IMPOSSIBLE,
)
def _captive(context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    """Let the captor hold the warrior from this fixture on."""
    fixture = context.due.fixture
    context.change(captor=context.captor, captured_in=fixture, demand=0, exchange="")


@verb(
    "loses",
    (Shape("choice", choices=("dearest", "all")),),
    "Loses {gear}",
    rule="Loses {carried} carried",
    possible=lambda context, effect: DONE if context.warrior.loose else IMPOSSIBLE,
)
def _loses(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Take all that it may part with, or the piece that cost most: the first among equals."""
    loose = context.warrior.loose
    dearest = max(loose, key=lambda piece: piece.paid)
    for piece in loose if effect.name == "all" else (dearest,):
        context.warband.remove(context.key, piece)


@verb("experience", (up_to(100),), "+{number} experience", is_for_groups=True)
def _experience(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Add experience to what the battle gives."""
    context.change(experience=context.warrior.experience + effect.number)


@verb(
    "gain",
    (AMOUNT,),
    "+{amount} {currency}",
    rule="Gains {amount} {currency}",
    is_for_warbands=True,
)
def _gain(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Pay something to the warband; by dice it is a due of its own."""
    amount = context.amount(effect, "gain")
    context.play.move(context.warband, effect.name, amount or 0, "gain")
    return amount is not None


@verb("item", (GOOD,), "Gets {good}", rule="Gains {good}", is_for_warbands=True)
def _item(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Give a piece to a single warrior, or else to the stash."""
    piece = GearPiece(effect.name, 0, is_found=True)
    unit = context.warrior if context.key else None
    is_single = unit and unit.count == 1 and not unit.gone
    context.warband.hand_over(piece, context.key if is_single else warriors.STASH)


LASTING = frozenset(name for name, declared in VERBS.items() if declared.mark is not None)
"""Verbs whose rows stay with a warrior as injuries."""


def promote_one(
    play: CampaignInPlay,
    warband: WarbandInPlay,
    warrior: GrownWarrior,
    kind: str,
    suffix: str,
) -> GrownWarrior:
    """Make one of a group, or a single warrior, somebody of another kind. Return them."""
    promoted = warriors.promote(warrior, play.rules.kinds[kind], suffix)
    if promoted.key == warrior.key:
        warband.put(promoted)
        return promoted
    warband.put(warriors.lose_models(warrior, 1, warriors.GONE))
    warband.add(promoted)
    return promoted
