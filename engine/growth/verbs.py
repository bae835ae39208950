"""How the verbs of rows are declared, and how a row happens to somebody.

A declaration says what a document may write behind the verb (`rulesdata.schema.campaign_tables` makes
its key of that), whom it may befall, and what is said of it. So a new verb is a function here;
without a phrase it cannot be declared. A verb that leaves a choice names what may be chosen; one
possibility is taken without asking, and where there is none the row's other effect is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import (
    AGAIN,
    INJURY,
    ROLL,
    AnswerBook,
    Due,
    Source,
    StoredAnswer,
)
from engine.growth.rules import CampaignRules
from engine.growth.tables import (
    MORE,
    ONE,
    SUM,
    AnotherThrow,
    DiceTable,
    RolledRow,
    RowEffect,
    parse_dice,
    sum_faces,
)
from engine.growth.warriors import GrownWarrior
from engine.records import Numbers, TextPairs, Texts, frozen_dataclass
from engine.text import capital, join_words

DONE: TextPairs = (("done", ""),)
"""The one possibility of a verb that leaves nothing to choose: it has no name."""
PROMOTED: TextPairs = (("promoted", ""),)
IMPOSSIBLE: TextPairs = ()


@dataclass(slots=True)
class EffectContext:
    """Whom an effect befalls, and for which due.

    ``key`` is a warrior's, "" for the warband itself. ``captor``: who would hold a captive.
    ``is_again``: within an ``again``, where another counts as nothing. ``is_others``: a throw of
    those who were not promoted, who are not promoted by it. ``table`` is the one that was rolled
    on, ``row`` the name of what it came to.
    """

    play: CampaignInPlay
    warband: WarbandInPlay
    due: Due
    key: str = ""
    captor: str = ""
    is_again: bool = False
    is_others: bool = False
    table: str = ""
    row: str = ""

    @property
    def warrior(self) -> GrownWarrior:
        """The warrior as it is now."""
        return self.warband.warriors[self.key]

    def change(self, **fields: Any) -> None:
        """Let something happen to the warrior."""
        self.warband.change(self.warrior, **fields)

    def is_of(self, kinds: Texts) -> bool:
        """Return whether it befalls somebody of these kinds; without any, whoever it is."""
        return not kinds or (bool(self.key) and self.warrior.kind in kinds)

    def amount(self, effect: RowEffect, ending: str) -> int | None:
        """Return its number, or what its own due came to; None while that is open."""
        if not effect.dice:
            return effect.number
        due = replace(self.due, key=f"{self.due.key}/{ending}", dice=effect.dice)
        throw = self.play.book.throw(due)
        return sum_faces(effect.dice, throw.faces) * (effect.number or 1) if throw else None

    def roll_below(self, key: str, table: str, *, is_again: bool = False) -> bool:
        """Roll on a table under a key below this due; return whether that is settled."""
        below = replace(self, due=replace(self.due, key=key), is_again=is_again)
        return below.do_once(lambda: resolve(below, table))

    def do_once(self, ask: Callable[[], str | None]) -> bool:
        """Let what a due asks for happen, where it has not; return whether it is settled."""
        settled, key = self.play.book.settled, (self.due.warband, self.due.key)
        # A standing due is asked for until all of it is settled, and happens once.
        if key not in settled:
            if ask() is None:
                return False
            settled.add(key)
        return True


# How a verb is declared


@frozen_dataclass
class Shape:
    """What a document may write behind a verb.

    ``sort``: flag, id, ids, some_ids (one at least), number, dice, choice, amount (of a currency),
    roll (dice and the most that counts), times (a table and how often), promotion or effects.
    ``names`` says what its ids name.
    """

    sort: str
    names: str = ""
    most: int = 0
    choices: Texts = ()


FLAG, DICE, WOUND = Shape("flag"), Shape("dice"), Shape("roll")
STAT, SOME_STATS = Shape("id", "characteristic"), Shape("some_ids", "characteristic")
SKILL_LISTS, AMOUNT = Shape("ids", "list of skills"), Shape("amount", "currency")
TIMES, PROMOTION = Shape("times", "table"), Shape("promotion", "kind")
KIND, TABLE, GOOD = Shape("id", "kind"), Shape("id", "table"), Shape("id", "good")
MARK = Shape("id", "mark")


def up_to(most: int) -> Shape:
    """Return the shape of a number from 1 on."""
    return Shape("number", most=most)


Possible = Callable[[EffectContext, RowEffect], TextPairs]
Apply = Callable[[EffectContext, RowEffect, str], bool | None]
"""What a verb does; False while a due below it is open, None where it asks for none."""


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
            self.happening = "{who} is injured ({row})"

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
    name, number = effect.name, effect.number
    # Dice may count several times over.
    amount = " × ".join(filter(None, (effect.dice, str(number or "")))) or "0"
    good, mark = rules.trade.goods.get(name), rules.marks.get(name)
    lists = join_words(map(_title, effect.names), "or")
    parts = filter(None, (describe_effect(rules, part) for part in effect.parts))
    battles = f"the next {number} battles".replace("next 1 battles", "next battle")
    return {
        "name": name,
        "plain": name.replace("-", " "),
        "title": _title(name),
        "names": join_words(effect.names, "or"),
        "either": " or ".join(effect.names),
        "lists": f" of {lists}" if lists else "",
        "number": number,
        "times": "" if amount == "0" else f", {amount} times",
        "parts": ". ".join(parts),
        "dice": effect.dice,
        "amount": amount,
        "games": "1 game" if amount == "1" else f"{amount} games",
        "battles": f"{effect.dice} battles" if effect.dice else battles,
        "kind": rules.kind_name(name),
        "currency": rules.currency_name(name, int(amount == "1")),
        "mark": f"{mark.name}: {mark.words}".removesuffix(": ") if mark else name,
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
    if table.dice not in (due.dice, SUM):
        due = replace(due, dice=table.dice)
    throw = throw_final(context, due, table)
    if throw is None:
        return None
    row = throw.ruling_in(table) or table.find_row(sum_faces(table.dice, throw.faces))
    context = replace(context, due=due, table=table_id, row=row.name)
    book.rolled[due.warband, due.key] = row
    return happen(context, row, throw)


def throw_final(context: EffectContext, due: Due, table: DiceTable) -> StoredAnswer | None:
    """Return what was thrown for a due, with what skills and gear change of it; None: it is open."""
    book, warband = context.play.book, context.warband
    throw = book.changed.get((due.warband, due.key)) or book.throw(due, table)
    if throw is None or throw.ruling_in(table):
        return throw
    for source, (below, again) in dict(_list_changes(context, due)).items():
        faces = _throw_again(book, below, throw, again, source)
        if below.key in book.open.get(warband.id, ()):
            return None
        if faces:
            throw = book.changed[due.warband, due.key] = replace(throw, faces=faces)
            book.use(source)
            for piece in warband.find_pieces(*source[2:])[: again.is_spent]:
                warband.remove(source[2], piece)
    return throw


def _list_changes(
    context: EffectContext, due: Due
) -> Iterator[tuple[Source, tuple[Due, AnotherThrow]]]:
    """Yield what may change a throw now, with the due of that and its rule."""
    warband, rules = context.warband, context.play.rules
    roll = due.key.split("/")[2] if due.kind == ROLL else due.kind
    for bearer, key in warband.list_traits() if due.kind in (INJURY, ROLL) else ():
        trait = rules.find_trait(key)
        again = trait.again if trait else None
        if trait and again and again.of == roll and context.is_of(again.kinds):
            # What is no piece is not gone with its use, but spent for good.
            is_forever = again.is_spent and not warband.find_pieces(bearer, key)
            source = warband.id, "" if is_forever else due.fixture, bearer, key
            if source not in context.play.book.spent:
                below = f"{due.key}/{AGAIN}/{bearer}/{key}"
                yield source, (replace(due, key=below, words=trait.words), again)


def _throw_again(
    book: AnswerBook, due: Due, throw: StoredAnswer, again: AnotherThrow, source: Source
) -> Numbers:
    """Return the faces of a throw that was made again; none: it is not, or a choice is open."""
    if again.dice not in (ONE, MORE):
        another = book.offer(due, source)
        return another.faces if another else ()
    due = replace(due, dice=f"D{parse_dice(due.dice)[1]}")
    if again.dice == MORE:
        another = book.throw(due)
    else:
        due = replace(due, choices=_list_faces(throw.faces))
        another = book.offer(due, source)
    if another is None:
        return ()
    faces = [*throw.faces, *another.faces]
    if again.dice == MORE:
        due = replace(due, choices=_list_faces(faces))
    choice = book.choice_beside(due)
    if choice not in dict(due.choices):
        book.leave_choice(due, another)
        return ()
    # The last one lies in the place of the one that is named, which may be itself.
    faces[faces.index(int(choice))] = faces[-1]
    return tuple(faces[:-1])


def _list_faces(faces: Iterable[int]) -> TextPairs:
    """Return faces to choose from, once each."""
    return tuple((str(face), str(face)) for face in sorted(set(faces)))


def happen(
    context: EffectContext, row: RolledRow, throw: StoredAnswer | None = None
) -> str | None:
    """Let a row happen, and return what was chosen, as `resolve` does."""
    # What the row does, or does otherwise where that cannot be, with the possibilities.
    effect, choices = row.effect, IMPOSSIBLE
    for effect in (row.effect, *row.otherwise):
        if choices := VERBS[effect.verb].possible(context, effect):
            break
    choice = _choose(context, throw, choices, row.name)
    if not choice:
        return choice
    declared = VERBS[effect.verb]
    is_open, book = declared.apply(context, effect, choice) is False, context.play.book
    # What was answered before the fold asked for what follows from it stays as it was.
    if is_open and (not throw or book.answered_at(context.due) >= book.since):
        return None
    # Of the verbs in `LASTING`, those whose mark is "" are in the stat line already.
    if context.key and declared.mark:
        context.change(marks=(*context.warrior.marks, effect))
    is_named = bool(dict(choices)[choice])
    if context.key and declared.happening:
        context.play.tell(
            context.warband.id,
            effect.verb,
            context.key,
            fixture=context.due.fixture,
            row=row.name,
            # What has no name was no choice: the effect says then what it was.
            choice=choice if is_named else effect.name,
            other=context.warrior.captor,
        )
    return choice


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
