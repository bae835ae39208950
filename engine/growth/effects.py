"""The effects that rows of tables may have: each verb, when it can be, and what it does.

A verb that leaves a choice names what may be chosen; one possibility is taken without asking, and
where there is none the row's other effect is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from engine.growth import warriors
from engine.growth.campaign import CampaignInPlay, WarbandInPlay
from engine.growth.dues import Due, DueThrow
from engine.growth.happenings import LEARNED, RAISED, ROWS_TOLD
from engine.growth.money import raisable
from engine.growth.tables import RowEffect, roll_of
from engine.growth.warriors import GearPiece, GrownWarrior, OldWound
from engine.records import TextPairs, frozen_dataclass

DONE: TextPairs = (("done", ""),)
"""The one possibility of a verb that leaves nothing to choose."""
PROMOTED: TextPairs = (("promoted", ""),)
IMPOSSIBLE: TextPairs = ()


@dataclass(slots=True)
class EffectScene:
    """Whom an effect befalls, and for which due.

    ``warrior`` is a key, "" for the warband itself. ``captor``: who would hold a captive.
    ``is_again``: within an ``again``, where another counts as nothing. ``table`` is the one that
    was rolled on.
    """

    play: CampaignInPlay
    warband: WarbandInPlay
    due: Due
    warrior: str = ""
    captor: str = ""
    is_again: bool = False
    table: str = ""

    @property
    def one(self) -> GrownWarrior:
        """The warrior as it is now."""
        return self.warband.warriors[self.warrior]

    def change(self, verb: Callable[..., GrownWarrior], *values: object) -> None:
        """Let something happen to the warrior."""
        self.warband.put(verb(self.one, *values))

    def amount(self, effect: RowEffect, ending: str) -> int:
        """Return its number, or what its own due came to (0 while that is open)."""
        if not effect.dice:
            return effect.number
        due = replace(self.due, key=f"{self.due.key}/{ending}", dice=effect.dice)
        throw = self.play.book.throw(due)
        return roll_of(effect.dice, throw.faces) if throw else 0


Possible = Callable[[EffectScene, RowEffect], TextPairs]
Apply = Callable[[EffectScene, RowEffect, str], None]


@frozen_dataclass
class EffectVerb:
    """A verb: what may be chosen (nothing: it cannot be), and what it does."""

    apply: Apply
    possible: Possible = lambda scene, effect: DONE


def resolve(scene: EffectScene, table_id: str) -> str | None:
    """Ask for a roll on a table, let its row happen, and return what was chosen.

    None: the roll or its choice is open. "": there was nothing left to gain.
    """
    table = scene.play.rules.tables[table_id]
    due = scene.due if scene.due.dice == table.dice else replace(scene.due, dice=table.dice)
    throw = scene.play.book.throw(due, table)
    if throw is None:
        return None
    scene = replace(scene, due=due, table=table_id)
    row = throw.row_in(table)
    scene.play.book.rolled[due.warband, due.key] = row
    effect, choices = row.effect, VERBS[row.effect.verb].possible(scene, row.effect)
    if not choices and row.otherwise.verb:
        effect = row.otherwise
        choices = VERBS[effect.verb].possible(scene, effect)
    choice = _chosen(scene, throw, choices, row.name)
    if choice:
        VERBS[effect.verb].apply(scene, effect, choice)
        if scene.warrior and effect.verb in ROWS_TOLD:
            _tell(scene, effect, row.name, choice)
    return choice


def _tell(scene: EffectScene, effect: RowEffect, row: str, choice: str) -> None:
    """Write down what a row did to a warrior, for the story of the round."""
    due, one = scene.due, scene.one
    scene.play.tell(
        scene.warband.id,
        effect.verb,
        one.key,
        fixture=due.fixture,
        row=row,
        choice=choice if effect.verb in (RAISED, LEARNED) else effect.name,
        other=one.captor,
    )


def _chosen(
    scene: EffectScene, throw: DueThrow, choices: TextPairs, words: str
) -> str | None:
    """Return the choice that stands beside a throw, or the only one there is.

    None: several are there, and the due is left open with them. "": there is none.
    """
    # A choice that was made for other faces, or is at its maximum by now, is none.
    ids = [key for key, _ in choices]
    wanted = scene.play.book.choice_beside(scene.due)
    if wanted in ids:
        return wanted
    if len(ids) > 1:
        due = replace(scene.due, choices=choices)
        scene.play.book.leave_choice(due, throw, words)
        return None
    return next(iter(ids), "")


# When a verb can be


def _raises(scene: EffectScene, effect: RowEffect) -> TextPairs:
    """An advance raises what is below its maximum."""
    rules, army = scene.play.rules, scene.warband.army
    return tuple((stat, stat) for stat in raisable(rules, army, scene.one, effect.names))


def _skills(scene: EffectScene, effect: RowEffect) -> TextPairs:
    """A skill comes from the row's lists, or from those of the kind, and is new."""
    rules = scene.play.rules
    lists = effect.names or scene.play.kind_of(scene.one).lists
    known = scene.one.skills
    ids = [skill for one in lists for skill in rules.skill_lists.get(one, ())]
    return tuple((skill, rules.skills[skill].name) for skill in ids if skill not in known)


def _promotion(scene: EffectScene, effect: RowEffect) -> TextPairs:
    """Somebody is promoted while the other kind has room."""
    most = scene.play.rules.kinds[effect.name].most
    alike = sum(one.kind == effect.name for one in scene.warband.alive())
    return PROMOTED if most is None or alike < most else IMPOSSIBLE


def _captivity(scene: EffectScene, _effect: RowEffect) -> TextPairs:
    """Somebody is captured where there is a captor."""
    return DONE if scene.captor else IMPOSSIBLE


def _loss(scene: EffectScene, _effect: RowEffect) -> TextPairs:
    """A piece is lost by those who have one."""
    return DONE if scene.one.gear else IMPOSSIBLE


# What a verb does


def _nothing(_scene: EffectScene, _effect: RowEffect, _choice: str) -> None:
    """Words are printed, and do nothing."""


def _raise(scene: EffectScene, _effect: RowEffect, stat: str) -> None:
    """Raise the characteristic that was chosen."""
    scene.change(warriors.gain, stat)


def _skill(scene: EffectScene, _effect: RowEffect, skill: str) -> None:
    """Learn the skill that was chosen."""
    scene.change(warriors.take_skill, skill)


def _promote(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Promote one model; the number of the advance marks its key."""
    number = scene.due.key.rpartition("/")[2]
    promote_one(scene.play, scene.warband, scene.one, effect.name, number)


def _gone(scene: EffectScene, _effect: RowEffect, _choice: str) -> None:
    """Take one model out of the campaign."""
    scene.play.lose(scene.warband, scene.one, 1, warriors.GONE)


def _misses(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Keep a model away from battles; by dice it is a due of its own."""
    if battles := scene.amount(effect, "misses"):
        scene.change(warriors.miss_battles, battles)


def _lower(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Lower a characteristic for good."""
    scene.change(warriors.hurt, effect.name)


def _table(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Roll on another table, under the same due with that table's name."""
    below = replace(scene.due, key=f"{scene.due.key}/{effect.name}")
    resolve(replace(scene, due=below), effect.name)


def _again(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Roll on the same table so many times, until whoever it befalls is gone or held."""
    # Met again inside itself it counts as nothing.
    if scene.is_again:
        return
    for number in range(1, effect.number + 1):
        if scene.warrior and not scene.one.is_free:
            return
        due = replace(scene.due, key=f"{scene.due.key}/{number}")
        resolve(replace(scene, due=due, is_again=True), scene.table)


def _captive(scene: EffectScene, _effect: RowEffect, _choice: str) -> None:
    """Let the captor hold the warrior from this fixture on."""
    scene.change(warriors.capture, scene.captor, scene.due.fixture)


def _loses(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Take the dearest piece away, or all of them."""
    scene.change(warriors.lose_all if effect.name == "all" else warriors.lose_dearest)


def _experience(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Add experience to what the battle gives."""
    scene.change(warriors.learn, effect.number)


def _gain(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Pay something to the warband; by dice it is a due of its own."""
    scene.play.move(scene.warband, effect.name, scene.amount(effect, "gain"), "gain")


def _item(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Give a piece to a single warrior, or else to the stash."""
    piece = GearPiece(effect.name, 0)
    if scene.warrior and scene.one.count == 1 and not scene.one.gone:
        scene.change(warriors.add_gear, piece)
    else:
        scene.warband.stash.append(piece)


def _old_wound(scene: EffectScene, effect: RowEffect, _choice: str) -> None:
    """Note a wound that is rolled for before each battle."""
    scene.change(warriors.take_wound, OldWound(effect.dice, effect.number))


VERBS: Mapping[str, EffectVerb] = {
    "": EffectVerb(_nothing),
    "raise": EffectVerb(_raise, _raises),
    "skill": EffectVerb(_skill, _skills),
    "promote": EffectVerb(_promote, _promotion),
    "gone": EffectVerb(_gone),
    "misses": EffectVerb(_misses),
    "lower": EffectVerb(_lower),
    "table": EffectVerb(_table),
    "again": EffectVerb(_again),
    "captive": EffectVerb(_captive, _captivity),
    "loses": EffectVerb(_loses, _loss),
    "experience": EffectVerb(_experience),
    "gain": EffectVerb(_gain),
    "item": EffectVerb(_item),
    "old_wound": EffectVerb(_old_wound),
    "words": EffectVerb(_nothing),
}
"""Every verb that rules may use."""


def promote_one(
    play: CampaignInPlay,
    warband: WarbandInPlay,
    warrior: GrownWarrior,
    kind: str,
    mark: str,
) -> GrownWarrior:
    """Make one of a group, or a single warrior, somebody of another kind. Return them."""
    one = warriors.promote(warrior, play.rules.kinds[kind], mark)
    if one.key == warrior.key:
        warband.put(one)
        return one
    warband.put(warriors.lose_models(warrior, 1, warriors.GONE))
    warband.add(one)
    return one
