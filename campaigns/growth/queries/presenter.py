"""A campaign as its reader may know it, with what its keys are called.

The state of the engine has keys for units, gear, dues, rows and currencies. Pages, notices, files
and answers name them through a `CampaignPresenter`; the phrases are in `phrases`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from itertools import chain
from typing import Any

import re2

from campaigns.growth.queries import phrases
from campaigns.growth.queries.ledger import (
    CampaignLedger,
    load_campaign_warbands,
    load_ledger,
    without_secrets,
)
from campaigns.models import CampaignWarband, Fixture
from campaigns.queries.records import Choices, ClubEventRecord
from engine.growth import dues
from engine.growth.acts import GrowthAct, RecruitAct
from engine.growth.campaign import MoneyMove
from engine.growth.campaign_fold import LIST, PAY
from engine.growth.dues import WARBAND, DueKey
from engine.growth.effects import describe_effect
from engine.growth.happenings import Happening
from engine.growth.rules import CampaignRules, GrowthKind
from engine.growth.slots import NONE
from engine.growth.state import CampaignState, piece_name
from engine.growth.tables import MORE, RolledRow, RowEffect
from engine.growth.warriors import STASH, GearPiece, GrownWarrior, Joiner
from engine.records import NumberByKey, Texts
from engine.text import capital
from engine.types.lists import POINTS, Army, Profile
from rulesdata import registry

NO_NAME = "Unnamed unit"
_UNIT_KEY = re2.compile(r"w\d{1,4}(\.\w+)?")
AMOUNTS = ("gain", "misses")
"""What stands at the end of a due whose dice are an amount of the row above."""


class CampaignPresenter:
    """Names the warbands, units, gear and dues of one campaign."""

    def __init__(
        self, ledger: CampaignLedger, event: Any, rows: Iterable[CampaignWarband]
    ) -> None:
        """``event`` is a row, or the record of a reader; armies are loaded when first used."""
        self.ledger, self.event = ledger, event
        self.rows = {row.token: row for row in rows}
        self.rules: CampaignRules = ledger.rules
        self._armies: dict[str, Army | None] = {}

    @property
    def state(self) -> CampaignState:
        """What the log comes to."""
        return self.ledger.state

    # Warbands and units

    def army(self, warband: str) -> Army | None:
        """Return the army list of a warband; None for one that has left the packs."""
        if warband not in self._armies:
            key = self.ledger.log.find_army(warband)
            # A club may have archived its list since; keys are shown then.
            try:
                system = registry.system_of(self.event)
                self._armies[warband] = registry.fielded_army(system, key)
            except registry.UnknownKey:
                self._armies[warband] = None
        return self._armies[warband]

    def unit_of_price(self, warband: str) -> str:
        """Return what a warband's army list counts prices in: points, or the list's currency."""
        army = self.army(warband)
        return (army.currency if army else POINTS).name

    def profile(self, warband: str, joiner: Joiner) -> Profile | None:
        """Return what the army list says of somebody, where it still does."""
        army = self.army(warband)
        return army.profiles.get(joiner.profile) if army else None

    def warband(self, token: str) -> str:
        """Return the name of a warband's player."""
        row = self.rows.get(token)
        return row.entry.name if row else ""

    def find_warrior(self, warband: str, key: str) -> GrownWarrior | None:
        """Return a unit, None for one that the campaign does not know."""
        grown = self.state.warbands.get(warband)
        return grown.warriors.get(key) if grown else None

    def unit(self, warband: str, key: str) -> str:
        """Return the name of a unit; of w3#2 with the number of its model."""
        key, _, number = key.partition("#")
        warrior = self.find_warrior(warband, key)
        if warrior is None:
            return NO_NAME
        name = self.joiner(warband, warrior.joined)
        # Dues of a model alone have no number, or the first.
        return f"{name}, model {number}" if number and warrior.is_several else name

    def joiner(self, warband: str, joiner: Joiner) -> str:
        """Return the name of whoever joined, else what the army list calls them."""
        profile = self.profile(warband, joiner)
        return joiner.name or (profile.name if profile else "") or NO_NAME

    def held_by(self, captor: str) -> Texts:
        """Return the captives that a warband holds, each with whose it is."""
        return tuple(name for _, name in self.list_captives(captor))

    def list_captives(self, captor: str) -> Choices:
        """Return the same, each behind the warband and the key that it has there."""
        return tuple(
            (
                f"{token} {warrior.key}",
                f"{self.joiner(token, warrior.joined)} of {self.warband(token)}",
            )
            for token, grown in self.state.warbands.items()
            for warrior in grown.warriors.values()
            if warrior.captor == captor
        )

    # What a warband owns

    def gear(self, warband: str, item: str) -> str:
        """Return the name of something bought, of the rules or of the army list."""
        return piece_name(item, self.rules, self.army(warband))

    def pieces(self, warband: str, pieces: Iterable[GearPiece]) -> Texts:
        """Return the names of pieces in their order."""
        return tuple(self.gear(warband, piece.id) for piece in pieces)

    def bearer(self, warband: str, key: str) -> str:
        """Return whose a piece is: a unit, or the stash."""
        return "the stash" if key == STASH else self.unit(warband, key)

    def trait(self, key: str) -> str:
        """Return the name of a skill, a mark or a piece of the rules."""
        trait = self.rules.find_trait(key)
        return trait.name if trait else key

    def kind(self, key: str) -> str:
        """Return the name of a kind."""
        return self.rules.kind_name(key)

    def currency(self, key: str = "", count: int = 0) -> str:
        """Return the name of a currency, that of prices where none is named; of one its singular."""
        return self.rules.currency_name(key or self.rules.prices.currency, count)

    def money(self, treasury: NumberByKey) -> Texts:
        """Return what is in a treasury: "84 crowns"."""
        # PostgreSQL keeps no order of stored keys.
        ids = (currency.id for currency in self.rules.currencies)
        return tuple(self.rules.amount(treasury[id], id) for id in ids if id in treasury)

    @property
    def territory_word(self) -> str:
        """What a territory is called, "" where there are none."""
        ground = self.rules.territories
        return ground.word if ground else ""

    # Dues

    def due(self, warband: str, key: str) -> tuple[str, str]:
        """Return whom a due is about ("" for the warband) and what it asks."""
        above, _, source = key.partition(f"/{dues.AGAIN}/")
        who, what = self._name_due(warband, above)
        if source:
            bearer, _, trait = source.partition("/")
            owner = f" of {self.unit(warband, bearer)}" if bearer != STASH else ""
            what = f"{what}, {self.trait(trait)}{owner}"
        return who, what

    def _name_due(self, warband: str, key: str) -> tuple[str, str]:
        parts = _split_due(key)
        # Advances, ransoms and successions begin with their kind, the others with their game.
        kind = kind_of_due(key)
        name = phrases.DUES.get(kind, kind)
        warrior, below = "", parts[3:]
        if kind == dues.ADVANCE:
            warrior, name = parts[1], f"{name} {parts[2]}"
            if parts[2] == LIST:
                name, below = f"List of skills {parts[-1]}", []
        elif kind in (dues.RANSOM, dues.UPKEEP):
            warrior = parts[2]
        elif kind in (dues.INJURY, dues.OLD_WOUND, dues.RULING):
            warrior = parts[2].replace(WARBAND, "")
        elif kind == dues.ROLL:
            # Behind a roll stands who made it, or what the roll of the warband led to.
            warrior = parts[3] if self.find_warrior(warband, "".join(below[:1])) else ""
            below = below[bool(warrior) :]
            names = (roll.name for roll in self.rules.rolls if roll.id == parts[2])
            name = next(names, name)
        elif kind == dues.CLAIM:
            name, below = f"{self.territory_word} to claim", []
        elif kind != dues.SUCCESSION:
            # The successor of somebody fallen is the warband's own choice.
            below = parts[2:]
        steps = self._name_steps((warband, key), name, tuple(below))
        return self.unit(warband, warrior) if warrior else "", ", ".join((name, *steps))

    def _name_steps(self, due: DueKey, name: str, parts: Texts) -> list[str]:
        """Return the tables and rolls that led to a due: "Injury, roll 2"."""
        above = self.state.rolled.get((due[0], due[1].rpartition("/")[0]))
        # A row that leads on says more than the table to which it leads.
        if above and parts and parts[-1] in (*self.rules.tables, *AMOUNTS):
            return [above.name]
        # The table of several injuries leads back to its own.
        return [
            f"roll {part}" if part.isdigit() else part.replace("-", " ")
            for part in parts
            if part and part != name.lower()
        ]

    def rolled_rows(self, warband: str, due: str) -> list[RolledRow]:
        """Return the row that a due came to, and those that its faces came to besides."""
        keys = [due]
        if kind_of_due(due) == dues.ROLL:
            tables = chain(*(roll.alike.values() for roll in self.rules.rolls))
            keys += [f"{due}/{table}" for table in tables]
        rows = (self.state.rolled.get((warband, key)) for key in keys)
        return [row for row in rows if row]

    def due_words(self, warband: str, key: str) -> str:
        """Return a due in one phrase: "Injury of Otto"."""
        who, what = self.due(warband, key)
        return f"{what} of {who}" if who else what

    def due_kinds(self, warband: str) -> Texts:
        """Return what a warband owes, counted by what is asked: "2 × Injury".

        In the order of the page after a battle, whatever the keys of the games are.
        """
        order = list(phrases.DUES)
        kinds = [due.kind for due in self.state.open if due.warband == warband]
        kinds.sort(key=lambda kind: order.index(kind) if kind in order else len(order))
        return count_phrases(phrases.DUES.get(kind, kind) for kind in kinds)

    def ruling_rows(self, warband: str, due: str) -> Choices:
        """Return the rows that an organiser may rule a due to be: the least roll and the name."""
        if f"/{dues.AGAIN}/" in due:
            return ()
        table = self.rules.tables.get(self._find_table(warband, due))
        return tuple((str(row.least), row.name) for row in table.rows) if table else ()

    def _find_table(self, warband: str, due: str) -> str:
        """Return the id of the table that a due is rolled on, "" for none."""
        parts = _split_due(due)

        # A table below another one stands at the end of the key by its own name.
        if parts[3:] and parts[-1] in self.rules.tables:
            return parts[-1]
        if parts[0] == dues.ADVANCE:
            promoted = (
                self.rules.kinds[part] for part in parts[3:] if part in self.rules.kinds
            )
            kind = next(promoted, None) or self._find_kind(warband, parts[1])
            return kind.advances if kind else ""
        if parts[1] == dues.INJURY:
            kind = self._find_kind(warband, parts[2].partition("#")[0])
            return kind.injuries if kind else ""
        tables = {roll.id: roll.table for roll in self.rules.rolls}
        return tables.get(parts[2], "") if parts[1] == dues.ROLL else ""

    def _find_kind(self, warband: str, key: str) -> GrowthKind | None:
        """Return the kind of a unit, None for one that the campaign does not know."""
        warrior = self.find_warrior(warband, key)
        return self.rules.kinds.get(warrior.kind) if warrior else None

    def choice(self, warband: str, due: str, key: str, name: str = "") -> str:
        """Return what a choice of a due is called."""
        kind = kind_of_due(due)
        if kind in phrases.REFUSALS and key != PAY:
            return phrases.REFUSALS[kind][not name]
        # The choices of a payment carry their sums as names; an answer of before has none.
        if kind in phrases.REFUSALS:
            upkeep = self.rules.upkeep_currency if kind == dues.UPKEEP else ""
            return f"Pay {self.rules.amount(int(name), upkeep)}" if name else "Paid"
        if kind == dues.SUCCESSION:
            return self.unit(warband, key)
        if kind == dues.CLAIM:
            return {NONE: "Claim nothing"}.get(key, key)

        if key in self.rules.skills:
            return self.trait(key)
        if key in self.rules.skill_lists:
            key = capital(key.replace("-", " "))
        elif key.isdigit():
            key = self._name_face(due, key)
        elif key:
            key = f"+1 {key}"
        return key

    def _name_face(self, due: str, face: str) -> str:
        """Return what becomes of a die that is named for a throw made again."""
        trait = self.rules.find_trait(due.rpartition("/")[2])
        is_more = trait and trait.again and trait.again.dice == MORE
        return f"Leave out the {face}" if is_more else f"Throw the {face} again"

    # Phrases

    def effect(self, effect: RowEffect) -> str:
        """Return what a row does, in a phrase; "" for nothing."""
        return describe_effect(self.rules, effect)

    def gain(self, event: Happening) -> str:
        """Return what an advance gave, "" for any other happening."""
        return phrases.GAINS.get(event.what, "").format(
            choice=event.choice,
            skill=self.trait(event.choice),
            kind=self.kind(event.choice),
        )

    def happening(self, event: Happening) -> str:
        """Return what befell a warband, in a phrase without its name."""
        who, other = self.unit(event.warband, event.warrior), self.warband(event.other)
        unit = self.find_warrior(event.warband, event.warrior)
        return phrases.HAPPENINGS[event.what].format(
            who=who,
            # Of a group it is one of several models.
            model=f"one of {who}" if unit and unit.is_several else who,
            gain=self.gain(event),
            row=event.row,
            choice=event.choice,
            other=other,
            holder=f" from {other}" if event.other else "",
            models=event.models,
            several=f" ({event.models} models)" if event.models > 1 else "",
        )

    def list_happenings(self, warband: str, key: str) -> list[Happening]:
        """Return what befell a unit, the first first."""
        return [
            event
            for event in self.state.happenings
            if (event.warband, event.warrior) == (warband, key)
        ]

    def act(self, act: GrowthAct) -> tuple[str, str]:
        """Return an act with names in the place of keys and what was paid, and what became of it."""
        values = self._name_act_fields(act)
        phrase = act.phrase
        if isinstance(act, RecruitAct):
            count = act.joiner.count
            values["several"] = f", {count} models" if count > 1 else ""
            phrase = phrases.RARE_RECRUIT if act.rarity else phrase
        text = phrase.format(**values)
        outcome = self.state.acts.get(act.number)
        # The fold leaves out what was taken back.
        if outcome is None:
            return text, phrases.ANSWER_STATES[dues.TAKEN_BACK]
        if outcome.why:
            # The reasons of the engine begin with the key of the unit that they are about.
            key, _, rest = outcome.why.partition(" ")
            warrior = self.find_warrior(outcome.warband, key)
            name = self.unit(outcome.warband, key) if warrior else "A unit"
            reason = f"{name} {rest}" if _UNIT_KEY.fullmatch(key) else outcome.why
            return text, f"does not count: {reason}"
        if not outcome.is_found:
            return f"{text}: not found", ""
        # Only what was looked for has dice.
        if values["faces"]:
            text += ": found"
        if outcome.paid:
            text += f", {self.rules.amount(self.rules.prices.of(outcome.paid))}"
        if sale := self.sales.get(act.number):
            text += f", {self.rules.amount(sale.amount, sale.currency)}"
        return text, ""

    @cached_property
    def sales(self) -> dict[int, MoneyMove]:
        """What each sale brought, by the number of its act."""
        rows = self.ledger.log.rows
        acts = {row.position: row.entry for row in rows if isinstance(row.entry, GrowthAct)}
        moves = (move for move in self.state.moves if move.amount > 0)
        return {acts[m.position].number: m for m in moves if m.why == "sale"}

    def _name_act_fields(self, act: Any) -> dict[str, Any]:
        """Return the fields of an act with names in the place of keys."""
        values = {each.name: getattr(act, each.name) for each in fields(act)}
        for find_name, field_names in (
            (self.unit, ("who", "into", "seeker")),
            (self.bearer, ("bearer", "source")),
            (self.gear, ("item",)),
            # Somebody who was taken back is in the log alone.
            (self.joiner, ("joiner",)),
        ):
            for name in field_names:
                if name in values:
                    values[name] = find_name(act.warband, values[name])
        if "owner" in values:
            values["who"] = self.unit(act.owner, act.who)
            values["price"] = act.price or "set free"
            if act.exchange:
                values["price"] = f"exchange for {self.unit(act.warband, act.exchange)}"
        if "effect" in values:
            values["effect"] = self.effect(act.effect)
            values["who"] = values["who"] if act.who else "the warband"
        if "currency" in values:
            count = values.get("count", values.get("amount", 0))
            values["currency"] = self.currency(values["currency"], count)
        values["faces"] = ", ".join(map(str, values.get("faces", ())))
        return values

    @cached_property
    def rounds(self) -> NumberByKey:
        """The number of each game's round. One query."""
        games = Fixture.objects.filter(round__event_id=self.event.id).order_by()
        return dict(games.values_list("token", "round__number"))

    def find_round(self, event: Happening) -> int:
        """Return the round of what happened; 0 before the first one.

        What belongs to no game belongs to the last one of its warband.
        """
        if event.fixture:
            return self.rounds.get(event.fixture, 0)
        battles = self.state.list_battles(event.warband)
        before = [battle.fixture for battle in battles if battle.position <= event.position]
        return self.rounds.get(before[-1], 0) if before else 0

    def add_round(self, text: str, event: Happening | None) -> str:
        """Return a text with the round of what it tells, where that is known."""
        number = self.find_round(event) if event else 0
        return f"{text} (round {number})" if number else text

    def last_game(self, warband: str) -> str:
        """Return the last game that counts for a warband, "" before there is one."""
        battles = self.state.list_battles(warband)
        return battles[-1].fixture if battles else ""


def load_campaign(event: ClubEventRecord, *, rosters: bool = True) -> CampaignPresenter:
    """Return a campaign as its reader may know it. Two queries.

    ``rosters`` loads the roster of each warband with it. Raises NotFound for an event in which
    warbands do not grow.
    """
    rows = load_campaign_warbands(event.id, rosters=rosters)
    ledger = without_secrets(event, load_ledger(event), rows)
    return CampaignPresenter(ledger, event, rows)


def kind_of_due(due: str) -> str:
    """Return the kind of a due by its key.

    Those beside games begin with it, the others with their game.
    """
    first, _, rest = due.partition("/")
    return first if first in dues.BESIDE_GAMES else rest.partition("/")[0]


def _split_due(due: str) -> list[str]:
    """Return the parts of a key, three at least: organisers answer what nobody has asked yet."""
    parts = due.split("/")
    return parts + [""] * (3 - len(parts))


def count_phrases(texts: Iterable[str]) -> Texts:
    """Return texts once each, with how often they were there: "2 × Injury"."""
    counts: Mapping[str, int] = Counter(texts)
    return tuple(
        text if count == 1 else f"{count} × {text}" for text, count in counts.items()
    )


def join_phrases(phrases: list[str], most: int) -> str:
    """Return phrases as a sentence; those that are too many are counted."""
    more = len(phrases[most:])
    return "; ".join(phrases[:most] + [f"{more} more"] * bool(more)) + "."


def award_words(awards: Iterable[tuple[str, int]]) -> str:
    """Return what a unit learned for, each with its experience; a bonus has no name."""
    return ", ".join(f"{name or 'Underdog'} {amount:+}" for name, amount in awards)
