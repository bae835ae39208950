"""What a campaign keeps under keys, by name: units, gear, dues, rows of tables, sums of money."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

import re2

from campaigns.models import CampaignWarband
from campaigns.queries.growth.ledger import (
    CampaignLedger,
    ReadEvent,
    load_ledger,
    warbands_of,
    without_secrets,
)
from engine.growth import dues
from engine.growth.acts import ActOutcome
from engine.growth.log import STASH, Founding
from engine.growth.rules import CampaignRules, GrowthKind
from engine.growth.state import old_wound_words, piece_name
from engine.growth.tables import DiceTable, RowEffect
from engine.growth.warriors import GearPiece, GrownWarrior, Joiner
from engine.records import NumberByKey, Texts
from engine.types.lists import POINTS, Army, Profile
from engine.types.systems import System
from engine.words import capital
from rulesdata import registry

NO_NAME = "Unnamed unit"
_UNIT_KEY = re2.compile(r"w\d{1,4}")
BONUS = "Underdog"
"""What an underdog's bonus is called among awards."""
WHY = {
    "result": "Result",
    "dice": "Dice",
    "objective": "Objectives",
    "unfought": "Game not fought",
    "territories": "Territories",
    "underdog": "Underdog",
    "upkeep": "Upkeep",
    "gain": "Found",
    "ransom": "Ransom",
    "refused": "Ransom refused",
    "price": "Bought",
    "sale": "Sold",
    "start": "Purse",
    "late": "Joined late",
    "adjusted": "Organiser’s adjustment",
}
"""What an amount came into a treasury for, or left it."""
WHATS = {
    dues.INJURY: "Injury",
    dues.OLD_WOUND: "Old wound",
    dues.INCOME: "Income",
    dues.CLAIM: "Claim a territory",
    dues.ROLL: "Further roll",
    dues.ADVANCE: "Advance",
    dues.RANSOM: "Ransom",
    dues.SUCCESSION: "New leader",
}


class CampaignNames:
    """What the keys of one campaign are called: its warbands, their units, gear and dues."""

    def __init__(
        self, ledger: CampaignLedger, system: System, rows: tuple[CampaignWarband, ...]
    ) -> None:
        """Keep the campaign warbands by token; armies are loaded when first asked for."""
        self.ledger, self.system = ledger, system
        self.rows = {row.token: row for row in rows}
        self.rules: CampaignRules = ledger.rules
        self._armies: dict[str, Army | None] = {}

    @cached_property
    def army_keys(self) -> Mapping[str, str]:
        """The army list of each warband, by its id."""
        entries = (row.entry for row in self.ledger.log.rows)
        return {one.warband: one.army for one in entries if isinstance(one, Founding)}

    def army(self, warband: str) -> Army | None:
        """Return the army list of a warband; None for one that has left the packs."""
        key = self.army_keys.get(warband, "")
        if key not in self._armies:
            # A club may have archived its list since; keys are shown then.
            try:
                self._armies[key] = registry.fielded_army(self.system, key)
            except registry.UnknownKey:
                self._armies[key] = None
        return self._armies[key]

    def army_name(self, warband: str) -> str:
        """Return the name of a warband's army list, "" for one that has left the packs."""
        army = self.army(warband)
        return army.name if army else ""

    def unit_of_price(self, warband: str) -> str:
        """Return what a warband's army list counts prices in: points, or the list's currency."""
        army = self.army(warband)
        return (army.currency if army else POINTS).name

    def profile(self, warband: str, one: GrownWarrior) -> Profile | None:
        """Return what the army list says of a unit, where it still does."""
        army = self.army(warband)
        return army.profiles.get(one.joined.profile) if army else None

    def warband(self, token: str) -> str:
        """Return the name of a warband's player."""
        row = self.rows.get(token)
        return row.entry.name if row else ""

    def unit(self, warband: str, key: str) -> str:
        """Return the name of a unit; of w3#2 with the number of its model."""
        warrior, _, number = key.partition("#")
        grown = self.ledger.state.warbands.get(warband)
        one = grown.warriors.get(warrior) if grown else None
        if one is None:
            return NO_NAME
        name = self.unit_name(warband, one)
        # Dues of a model alone have no number, or the first.
        is_several = bool(number) and (one.joined.count > 1 or one.count > 1)
        return f"{name}, model {number}" if is_several else name

    def outcome(self, outcome: ActOutcome) -> str:
        """Return why an act does not count, with the name of the unit that it is about."""
        key, _, rest = outcome.why.partition(" ")
        # The reasons of the engine begin with the key of the unit, where they are about one.
        if not _UNIT_KEY.fullmatch(key):
            return outcome.why
        grown = self.ledger.state.warbands.get(outcome.warband)
        is_known = grown is not None and key in grown.warriors
        return f"{self.unit(outcome.warband, key) if is_known else 'A unit'} {rest}"

    def joiner(self, warband: str, joiner: Joiner) -> str:
        """Return the name of whoever joins, also of one that nobody found."""
        army = self.army(warband)
        profile = army.profiles.get(joiner.profile) if army else None
        return joiner.name or (profile.name if profile else "") or NO_NAME

    def unit_name(self, warband: str, one: GrownWarrior) -> str:
        """Return the name of a unit as it stands, else what its army list calls it."""
        return self.joiner(warband, one.joined)

    def held_by(self, captor: str) -> Texts:
        """Return the captives that a warband holds, each with whose it is."""
        found = []
        for token, grown in self.ledger.state.warbands.items():
            held = [one for one in grown.warriors.values() if one.captor == captor]
            owner = self.warband(token)
            found += [f"{self.unit_name(token, one)} of {owner}" for one in held]
        return tuple(found)

    def gear(self, warband: str, item: str) -> str:
        """Return the name of something bought, of the rules or of the army list."""
        return piece_name(item, self.rules, self.army(warband))

    # What a warband owns

    def pieces(self, warband: str, pieces: tuple[GearPiece, ...]) -> Texts:
        """Return the names of pieces in their order."""
        return tuple(self.gear(warband, piece.id) for piece in pieces)

    def bearer(self, warband: str, key: str) -> str:
        """Return whose a piece is: a unit, or the stash."""
        return "the stash" if key == STASH else self.unit(warband, key)

    def skill(self, key: str) -> str:
        """Return the name of a skill."""
        skill = self.rules.skills.get(key)
        return skill.name if skill else key

    def kind(self, key: str) -> str:
        """Return the name of a kind."""
        kind = self.rules.kinds.get(key)
        return kind.name if kind else key

    def currency(self, key: str) -> str:
        """Return the name of a currency."""
        return self.rules.currency_name(key)

    def money(self, treasury: NumberByKey) -> Texts:
        """Return what is in a treasury: "84 crowns"."""
        # PostgreSQL keeps no order of stored keys.
        known = (one for one in self.rules.currencies if one.id in treasury)
        return tuple(f"{treasury[one.id]} {one.name}" for one in known)

    @property
    def territory_word(self) -> str:
        """What a territory is called here, "" where there are none."""
        ground = self.rules.territories
        return ground.word if ground else ""

    # Dues

    def due(self, warband: str, key: str) -> tuple[str, str]:
        """Return whom a due is about ("" for the warband) and what it asks."""
        parts = key.split("/")
        # Advances, ransoms and successions begin with their kind, the others with their game.
        if parts[0] in dues.STANDING:
            kind = parts[0]
            if kind == dues.ADVANCE:
                what = _with_parts(f"{WHATS[kind]} {parts[2]}", parts[3:])
                return self.unit(warband, parts[1]), what
            # The successor of somebody fallen is the warband's own choice.
            who = self.unit(warband, parts[-1]) if kind == dues.RANSOM else ""
            return who, WHATS[kind]
        kind = parts[1] if len(parts) > 1 else ""
        if kind == dues.ROLL:
            named = (one.name for one in self.rules.rolls if one.id == parts[2])
            who = self.unit(warband, parts[3]) if len(parts) > 3 else ""
            return who, next(named, WHATS[dues.ROLL])
        if kind in (dues.INJURY, dues.OLD_WOUND):
            return self.unit(warband, parts[2]), _with_parts(WHATS[kind], parts[3:])
        if kind == dues.CLAIM:
            return "", f"{self.territory_word} to claim"
        return "", _with_parts(WHATS.get(kind, kind), parts[2:])

    def due_words(self, warband: str, key: str) -> str:
        """Return a due in one phrase: "Injury of Otto"."""
        who, what = self.due(warband, key)
        return f"{what} of {who}" if who else what

    def table_of(self, warband: str, key: str) -> DiceTable | None:
        """Return the table that a due is rolled on, None for one without."""
        parts = key.split("/")
        # A table below another one stands at the end of the key by its own name.
        found = self.rules.tables.get(parts[-1]) if len(parts) > 3 else None
        return found or self.rules.tables.get(self._table_name(warband, parts))

    def _table_name(self, warband: str, parts: list[str]) -> str:
        """Return the name of the first table of a due, "" for one without."""
        if parts[0] == dues.ADVANCE:
            kind = self._kind_of(warband, parts[1])
            return kind.advances if kind else ""
        if parts[1:2] == [dues.INJURY]:
            kind = self._kind_of(warband, parts[2].partition("#")[0])
            return kind.injuries if kind else ""
        if parts[1:2] == [dues.ROLL]:
            return next((one.table for one in self.rules.rolls if one.id == parts[2]), "")
        return ""

    def _kind_of(self, warband: str, key: str) -> GrowthKind | None:
        """Return the kind of a unit, None for one that the campaign does not know."""
        grown = self.ledger.state.warbands.get(warband)
        one = grown.warriors.get(key) if grown else None
        return self.rules.kinds.get(one.kind) if one else None

    # Rows of tables

    def effect(self, effect: RowEffect) -> str:
        """Return what a row does, in a phrase; "" for nothing."""
        write = EFFECTS.get(effect.verb)
        said = write(self, effect) if write else ""
        return ". ".join(part for part in (said, effect.words) if part)


def awards_words(awards: Iterable[tuple[str, int]]) -> str:
    """Return what a unit learned for, each with its experience."""
    return ", ".join(f"{name or BONUS} {amount:+}" for name, amount in awards)


def load_campaign_names(event: ReadEvent, *, rosters: bool = True) -> CampaignNames:
    """Return a campaign as its reader may know it, with what its keys are called. Two queries.

    ``rosters`` loads the roster of each warband with it. Raises NotFound for an event in which
    warbands do not grow.
    """
    rows = tuple(warbands_of(event.id, rosters=rosters))
    ledger = without_secrets(event, load_ledger(event), rows)
    return CampaignNames(ledger, registry.system_of(event), rows)


def _with_parts(what: str, parts: list[str]) -> str:
    """Return what a due asks, with the tables and rolls that led to it: "Injury, roll 2"."""
    # The table of several injuries leads back to its own.
    others = [part for part in parts if part != what.lower()]
    said = [f"roll {part}" if part.isdigit() else part.replace("-", " ") for part in others]
    return ", ".join((what, *said))


def _amount(effect: RowEffect) -> str:
    """Return a number, or the dice it is thrown with."""
    return effect.dice or str(effect.number)


def _games(effect: RowEffect) -> str:
    """Return how many games: "1 game", "D3 games"."""
    amount = _amount(effect)
    return "1 game" if amount == "1" else f"{amount} games"


def _item(names: CampaignNames, effect: RowEffect) -> str:
    """Return what is found."""
    good = names.rules.trade.goods.get(effect.name)
    return f"Gets {good.name if good else effect.name}"


def _old_wound(names: CampaignNames, effect: RowEffect) -> str:
    """Return what an old wound does before each battle."""
    return capital(old_wound_words(effect))


def _loses(names: CampaignNames, effect: RowEffect) -> str:
    """Return which gear is lost."""
    return "Loses all gear" if effect.name == "all" else "Loses the dearest piece"


def _gain(names: CampaignNames, effect: RowEffect) -> str:
    """Return what is paid to the warband."""
    return f"+{_amount(effect)} {names.currency(effect.name)}"


EFFECTS: Mapping[str, Callable[[CampaignNames, RowEffect], str]] = {
    "raise": lambda names, effect: f"+1 {' or '.join(effect.names)}",
    "skill": lambda names, effect: "A new skill",
    "promote": lambda names, effect: f"One model becomes: {names.kind(effect.name)}",
    "gone": lambda names, effect: "Out of the campaign",
    "misses": lambda names, effect: f"Misses {_games(effect)}",
    "lower": lambda names, effect: f"−1 {effect.name}",
    "table": lambda names, effect: f"Roll on: {effect.name.replace('-', ' ')}",
    "again": lambda names, effect: f"Roll {effect.number} more times",
    "captive": lambda names, effect: "Taken captive",
    "loses": _loses,
    "experience": lambda names, effect: f"+{effect.number} experience",
    "gain": _gain,
    "item": _item,
    "old_wound": _old_wound,
}
"""What each verb of a row is called; one that is not named does nothing."""
