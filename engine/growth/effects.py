"""The effects that rows of tables may have: each verb is declared once, beside its function.

A declaration says what a document may write behind the verb (`rulesdata.schema.campaign_tables` makes
its key of that), whom it may befall, and what is said of it. So a new verb is a function here;
without a phrase it cannot be declared. A verb that leaves a choice names what may be chosen; one
possibility is taken without asking, and where there is none the row's other effect is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, count

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import Due, StoredAnswer
from engine.growth.money import raisable
from engine.growth.rules import CampaignRules
from engine.growth.tables import SUM, RolledRow, RowEffect, sum_faces
from engine.growth.warriors import GearPiece, GrownWarrior
from engine.records import TextPairs, Texts, frozen_dataclass
from engine.words import capital, join_words

DONE: TextPairs = (("done", ""),)
"""The one possibility of a verb that leaves nothing to choose: it has no name."""
PROMOTED: TextPairs = (("promoted", ""),)
IMPOSSIBLE: TextPairs = ()
INJURED = "{who} is injured ({row})"


@dataclass(slots=True)
class EffectContext:
    """Whom an effect befalls, and for which due.

    ``key`` is a warrior's, "" for the warband itself. ``captor``: who would hold a captive.
    ``is_again``: within an ``again``, where another counts as nothing. ``table`` is the one that
    was rolled on.
    """

    play: CampaignInPlay
    warband: WarbandInPlay
    due: Due
    key: str = ""
    captor: str = ""
    is_again: bool = False
    table: str = ""

    @property
    def warrior(self) -> GrownWarrior:
        """The warrior as it is now."""
        return self.warband.warriors[self.key]

    def change(self, happen: Callable[..., GrownWarrior], *values: object) -> None:
        """Let something happen to the warrior."""
        self.warband.put(happen(self.warrior, *values))

    def amount(self, effect: RowEffect, ending: str) -> int | None:
        """Return its number, or what its own due came to; None while that is open."""
        if not effect.dice:
            return effect.number
        due = replace(self.due, key=f"{self.due.key}/{ending}", dice=effect.dice)
        throw = self.play.book.throw(due)
        return sum_faces(effect.dice, throw.faces) if throw else None

    def roll_below(self, ending: str, table: str, *, is_again: bool = False) -> bool:
        """Roll on a table under the same due with an ending; return whether that is settled."""
        book = self.play.book
        due = replace(self.due, key=f"{self.due.key}/{ending}")
        key = due.warband, due.key
        # A standing due is asked for until all of it is settled, and happens once.
        if key not in book.settled:
            below = replace(self, due=due, is_again=is_again)
            if resolve(below, table) is None:
                return False
            book.settled.add(key)
        return True


# How a verb is declared


@frozen_dataclass
class Shape:
    """What a document may write behind a verb.

    ``sort``: flag, id, ids, some_ids (one at least), number, dice, choice, amount (of a currency)
    or roll (dice and the most that counts). ``names`` says what its ids name.
    """

    sort: str
    names: str = ""
    most: int = 0
    choices: Texts = ()


FLAG, DICE, ROLL = Shape("flag"), Shape("dice"), Shape("roll")
STAT, SOME_STATS = Shape("id", "characteristic"), Shape("some_ids", "characteristic")
SKILL_LISTS, AMOUNT = Shape("ids", "list of skills"), Shape("amount", "currency")
KIND, TABLE, GOOD = Shape("id", "kind"), Shape("id", "table"), Shape("id", "good")


def up_to(most: int) -> Shape:
    """Return the shape of a number from 1 on."""
    return Shape("number", most=most)


Possible = Callable[[EffectContext, RowEffect], TextPairs]
Apply = Callable[[EffectContext, RowEffect, str], bool | None]
"""What a verb does; False while a due below it is open."""


@dataclass(slots=True)
class EffectVerb:
    """All that is known of a verb; as a decorator it takes in what the verb does.

    ``phrase`` says what a row does in a ledger, ``rule`` in the rule book (else the phrase does),
    with the values of `_values`. ``happening`` is what a round tells of it, "" for nothing;
    ``gain`` what it gave as an advance. ``mark`` makes it a lasting injury: it is kept with its
    bearer, and this stands behind the row's name on the sheet. "": the stat line shows it; None: it
    leaves none. A mark with dice is rolled for before each battle. ``possible`` is what may be
    chosen; nothing: it cannot be.
    """

    name: str
    shapes: tuple[Shape, ...]
    phrase: str
    rule: str = ""
    happening: str = ""
    gain: str = ""
    mark: str | None = None
    is_for_groups: bool = False
    is_for_warbands: bool = False
    possible: Possible = lambda context, effect: DONE
    apply: Apply = field(init=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a verb that would print nothing."""
        if self.shapes and not self.phrase:
            raise ValueError(f"The verb {self.name} needs a phrase.")
        if self.mark is not None and not self.happening:
            self.happening = INJURED

    def __call__(self, apply: Apply) -> Apply:
        """Declare the verb with what it does."""
        self.apply = apply
        VERBS[self.name] = self
        return apply


verb = EffectVerb
VERBS: dict[str, EffectVerb] = {}
"""Every verb that rules may use."""


def describe_effect(
    rules: CampaignRules, effect: RowEffect, *, in_book: bool = False
) -> str:
    """Return what an effect does, for a ledger or the rule book; "" for nothing."""
    declared = VERBS[effect.verb]
    template = (in_book and declared.rule) or declared.phrase
    text = template.format(**_values(rules, effect))
    return ". ".join(filter(None, (text, effect.words)))


def describe_mark(rules: CampaignRules, effect: RowEffect) -> str:
    """Return what stands behind a lasting injury on the sheet, "" where its name says all."""
    return (VERBS[effect.verb].mark or "").format(**_values(rules, effect))


def _values(rules: CampaignRules, effect: RowEffect) -> dict[str, object]:
    """Return what phrases may say of an effect."""
    name, number, amount = effect.name, effect.number, effect.dice or str(effect.number)
    good = rules.trade.goods.get(name)
    lists = join_words(map(_title, effect.names), "or")
    if effect.dice:
        battles = f"{effect.dice} battles"
    else:
        battles = "the next battle" if number == 1 else f"the next {number} battles"
    return {
        "name": name,
        "plain": name.replace("-", " "),
        "title": _title(name),
        "names": join_words(effect.names, "or"),
        "either": " or ".join(effect.names),
        "lists": f" of {lists}" if lists else "",
        "number": number,
        "dice": effect.dice,
        "amount": amount,
        "games": "1 game" if amount == "1" else f"{amount} games",
        "battles": battles,
        "kind": rules.kind_name(name),
        "currency": rules.currency_name(name),
        "good": good.name if good else name,
        "gear": "all gear" if name == "all" else "the dearest piece",
        "carried": "everything" if name == "all" else "the dearest piece",
    }


def _title(key: str) -> str:
    return capital(key.replace("-", " ").replace("_", " "))


def resolve(context: EffectContext, table_id: str) -> str | None:
    """Ask for a roll on a table, let its row happen, and return what was chosen.

    None: the roll or its choice is open. "": there was nothing left to gain.
    """
    book, table = context.play.book, context.play.rules.tables[table_id]
    due = context.due
    if due.dice != table.dice != SUM:
        due = replace(due, dice=table.dice)
    throw = book.throw(due, table)
    if throw is None:
        return None
    context = replace(context, due=due, table=table_id)
    row = throw.row_in(table)
    book.rolled[due.warband, due.key] = row
    return happen(context, row, throw)


def happen(
    context: EffectContext, row: RolledRow, throw: StoredAnswer | None = None
) -> str | None:
    """Let a row happen, and return what was chosen, as `resolve` does."""
    effect, choices = _find_effect(context, row)
    choice = _choose(context, throw, choices, row.name)
    if not choice:
        return choice
    declared = VERBS[effect.verb]
    is_open = declared.apply(context, effect, choice) is False
    if is_open and (not throw or context.play.book.is_recent(context.due)):
        return None
    if context.key and declared.mark:
        context.change(warriors.mark, effect)
    if context.key and declared.happening:
        context.play.tell(
            context.warband.id,
            effect.verb,
            context.key,
            fixture=context.due.fixture,
            row=row.name,
            # What has no name was no choice: the effect says then what it was.
            choice=choice if dict(choices)[choice] else effect.name,
            other=context.warrior.captor,
        )
    return choice


def _find_effect(context: EffectContext, row: RolledRow) -> tuple[RowEffect, TextPairs]:
    """Return what a row does, or does otherwise where that cannot be, with the possibilities."""
    effect = row.effect
    choices = VERBS[effect.verb].possible(context, effect)
    if not choices and row.otherwise.verb:
        effect = row.otherwise
        choices = VERBS[effect.verb].possible(context, effect)
    return effect, choices


def _choose(
    context: EffectContext, throw: StoredAnswer | None, choices: TextPairs, row: str
) -> str | None:
    """Return the choice that stands beside a throw or alone, or the only one there is.

    None: several are there, and the due is left open with them. "": there is none.
    """
    # A choice that was made for other faces, or is at its maximum by now, is none.
    ids, book = [key for key, _ in choices], context.play.book
    due = replace(context.due, choices=choices, words=row)
    if throw is None and len(ids) > 1:
        wanted = book.choose(due)
    else:
        wanted = book.choice_beside(due)
    if wanted in ids:
        return wanted
    if len(ids) > 1:
        if throw or wanted:
            book.leave_choice(due, throw)
        return None
    return next(iter(ids), "")


# When a verb can be


def _raisable(context: EffectContext, effect: RowEffect) -> TextPairs:
    """An advance raises what is below its maximum."""
    rules, army = context.play.rules, context.warband.army
    stats = raisable(rules, army, context.warrior, effect.names)
    return tuple((stat, stat) for stat in stats)


def _learnable(context: EffectContext, effect: RowEffect) -> TextPairs:
    """A skill comes from the row's lists, or from those of the kind, and is new."""
    rules, warrior = context.play.rules, context.warrior
    lists = effect.names or context.play.get_kind(warrior).lists
    ids = [skill for key in lists for skill in rules.skill_lists.get(key, ())]
    return tuple((key, rules.skills[key].name) for key in ids if key not in warrior.skills)


def _has_room(context: EffectContext, effect: RowEffect) -> TextPairs:
    """Somebody is promoted while the other kind has room."""
    most = context.play.rules.kinds[effect.name].most
    alike = sum(warrior.kind == effect.name for warrior in context.warband.alive())
    return PROMOTED if most is None or alike < most else IMPOSSIBLE


def _has_captor(context: EffectContext, _effect: RowEffect) -> TextPairs:
    return DONE if context.captor else IMPOSSIBLE


def _has_table(context: EffectContext, _effect: RowEffect) -> TextPairs:
    return DONE if context.table else IMPOSSIBLE


def _has_gear(context: EffectContext, _effect: RowEffect) -> TextPairs:
    return DONE if context.warrior.gear else IMPOSSIBLE


# The verbs. Groups share one experience and one stat line, so few befall one of a group; what
# a warband rolls for itself befalls nobody.


@verb("", (), "", is_for_groups=True, is_for_warbands=True)
@verb("words", (), "", is_for_groups=True, is_for_warbands=True)
def _nothing(_context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    """Words are printed, and do nothing."""


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
    context.change(warriors.gain, stat)


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
    context.change(warriors.take_skill, skill)


@verb(
    "promote",
    (KIND,),
    "One model becomes: {kind}",
    gain="becomes {kind}",
    happening="{model} {gain}",
    possible=_has_room,
)
def _promote(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Promote one model; the number of the advance marks its key, unless somebody bears it."""
    parts, warrior = context.due.key.split("/"), context.warrior
    numbers = [part for part in reversed(parts) if part.isdigit()]
    marks = chain(numbers, (f"{numbers[-1]}-{place}" for place in count(2)))
    bearers = {living.key for living in context.warband.alive()}
    mark = next(mark for mark in marks if f"{warrior.key}.{mark}" not in bearers)
    promote_one(context.play, context.warband, warrior, effect.name, mark)


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
        context.change(warriors.miss_battles, battles)
    return battles is not None


@verb("lower", (STAT,), "−1 {name}", rule="−1 {name} for good", mark="")
def _lower(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    context.change(warriors.hurt, effect.name)


@verb(
    "table",
    (TABLE,),
    "Roll on: {plain}",
    rule="Roll on: {title}",
    is_for_groups=True,
    is_for_warbands=True,
)
def _table(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Roll on another table, under the same due with that table's name."""
    return context.roll_below(effect.name, effect.name, is_again=context.is_again)


@verb(
    "again",
    (up_to(4),),
    "Roll {number} more times",
    rule="{number} rolls on this table; in them this row does nothing",
    is_for_groups=True,
    is_for_warbands=True,
    possible=_has_table,
)
def _again(context: EffectContext, effect: RowEffect, _choice: str) -> bool:
    """Roll on the same table so many times, until whoever it befalls is gone or held."""
    is_settled = True
    # Met again inside itself it counts as nothing.
    for number in range(1, 1 if context.is_again else effect.number + 1):
        if context.key and not context.warrior.is_free:
            return True
        is_settled &= context.roll_below(str(number), context.table, is_again=True)
    return is_settled


@verb(
    "captive",
    (FLAG,),
    "Taken captive",
    rule="Held captive until a ransom is paid or refused",
    happening="{who} is captured by {other}",
    possible=_has_captor,
)
def _captive(context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    """Let the captor hold the warrior from this fixture on."""
    context.change(warriors.capture, context.captor, context.due.fixture)


@verb(
    "loses",
    (Shape("choice", choices=("dearest", "all")),),
    "Loses {gear}",
    rule="Loses {carried} carried",
    possible=_has_gear,
)
def _loses(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    context.change(warriors.lose_all if effect.name == "all" else warriors.lose_dearest)


@verb("experience", (up_to(100),), "+{number} experience", is_for_groups=True)
def _experience(context: EffectContext, effect: RowEffect, _choice: str) -> None:
    """Add experience to what the battle gives."""
    context.change(warriors.learn, effect.number)


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
    piece = GearPiece(effect.name, 0)
    if context.key and context.warrior.count == 1 and not context.warrior.gone:
        context.change(warriors.add_gear, piece)
    else:
        context.warband.stash.append(piece)


@verb(
    "old_wound",
    (ROLL,),
    "Misses a battle on a {dice} of {number} or less",
    rule="Before each battle roll {dice}: on {number} or less, stays away",
    mark="misses a battle on a {dice} of {number} or less",
)
def _old_wound(_context: EffectContext, _effect: RowEffect, _choice: str) -> None:
    """The mark is all: it is rolled for before each battle."""


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
