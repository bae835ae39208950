"""What a unit carries, may take and may be led by, as lines with a price, a doubt and what the
guidelines say beside them.
"""

from collections.abc import Mapping

from engine import option_rules
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.records import Texts, frozen_dataclass, grouped
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, command_prices, select
from engine.types.lists import CHAMPION, Champion, Option, Profile
from engine.words import join_words, signed
from rulesdata import text
from rulesdata.queries.lookup import Unit


@frozen_dataclass
class Advice:
    """The guidelines that a purchase would go against.

    ``anchor`` is the first one's place on the system's page.
    """

    titles: str
    level: str
    anchor: str


@frozen_dataclass
class Item:
    """A line with a dotted leader: ``value`` is its price or *included*; ``doubts`` are numbers of
    the margin notes, ``description`` is a club's own words.

    Without points it has neither leader nor value.
    """

    name: str
    value: str
    note: str = ""
    doubts: tuple[int, ...] = ()
    advice: Advice | None = None
    description: str = ""


@frozen_dataclass
class ItemGroup:
    """Options under one heading; ``rule`` says how many of them may be taken."""

    name: str
    rule: str
    items: tuple[Item, ...]


def signed_price(points: int) -> str:
    """A price that is added: +13, −2, +0."""
    return signed(points) if points else "+0"


def bearer_of(unit: Unit) -> text.Bearer:
    """Whoever carries what the unit buys: the first line that is no mount's."""
    lines = unit.profile.lines
    first = next((line for line in lines if line.role != "mount"), None)
    strength = first.stats.get(unit.army.strength_stat) if first else None
    if any(line.role == "rider" for line in lines):
        return text.Bearer(strength, is_mounted=True)
    # Who may buy a mount is read both ways.
    may_ride = any(option.mount for option in unit.profile.options)
    return text.Bearer(strength, is_mounted=None if may_ride else False)


@frozen_dataclass
class Holdings:
    """A unit with its doubts and what the guidelines find on each purchase, by its key."""

    unit: Unit
    doubts: Texts
    advice: Mapping[str, tuple[Finding, ...]]

    def about(self, *names: str) -> tuple[int, ...]:
        """Numbers of the doubts that speak of one of these names, from 1."""
        wanted = [name.casefold() for name in names if name]
        numbered = enumerate(map(str.casefold, self.doubts), 1)
        return tuple(n for n, doubt in numbered if any(name in doubt for name in wanted))

    def carries(self) -> tuple[Item, ...]:
        """What it has without buying it."""
        army, bearer = self.unit.army, bearer_of(self.unit)
        items = []
        for key in self.unit.profile.default_items:
            name = text.item_name(army, key)
            words = text.item_words(army, key, bearer)
            items.append(Item(name, "included", words, self.about(name)))
        upgrades = self.unit.profile.default_upgrades
        items += [Item(name, "included", "", self.about(name)) for name in upgrades]
        if self.unit.profile.is_barded:
            items.append(Item("Barding", "included", "counted in the save"))
        return tuple(items)

    def takes(self, options: tuple[Option, ...]) -> tuple[ItemGroup, ...]:
        """Options as the list groups them: each exclusive group, of which only one is taken."""
        groups = grouped((o.group if o.shuts_out else "", o) for o in options)
        # What stands alone comes first, wherever the list has it.
        ordered = {"": groups.pop("", []), **groups}
        return tuple(
            ItemGroup(
                text.key_words(name) if len(members) > 1 else "",
                _group_rule(name, members),
                tuple(map(self._option_item, members)),
            )
            for name, members in ordered.items()
            if members
        )

    def _option_item(self, option: Option) -> Item:
        """Return the line of an option: price in points, words, doubt and advice."""
        words = text.option_words(
            option, self.unit.profile, self.unit.army, bearer_of(self.unit)
        )
        price = _option_price(option, self.unit)
        about, advised = self.about(option.name), self._advised(option.key)
        return Item(option.name, price, words, about, advised, option.words)

    def command(self) -> tuple[Item, ...]:
        """Champion, musician and standard bearer, where the unit may have them."""
        items = []
        for key, (name, points) in command_prices(self.unit.profile).items():
            note = _champion_note(self.unit.profile.champion) if key == CHAMPION else ""
            value = signed_price(points) if points else "free"
            noted = self.about(key.replace("-", " "))
            items.append(Item(name, value, note, noted, self._advised(key)))
        return tuple(items)

    def magic(self) -> tuple[Item, ...]:
        """Its level as a wizard, and what it may spend on magic items."""
        profile = self.unit.profile
        items = []
        if profile.is_wizard or profile.wizard_level:
            level = (
                "not stated" if profile.wizard_level is None else str(profile.wizard_level)
            )
            note = "none unless bought" if profile.wizard_level == 0 else ""
            items.append(Item("Wizard level", level, note, self.about("wizard")))
        if profile.magic_allowance:
            unit = self.unit.army.currency.short
            items.append(Item("Magic items", f"up to {profile.magic_allowance} {unit}"))
        return tuple(items)

    def _advised(self, key: str) -> Advice | None:
        """Return what the guidelines say against a purchase, beyond notes, or None."""
        against = [
            finding for finding in self.advice.get(key, ()) if finding.level != "note"
        ]
        if not against:
            return None
        titles = join_words((f.title or f.code).lower() for f in against)
        return Advice(titles, against[0].level, against[0].code.replace(".", "-"))


def _group_rule(name: str, members: list[Option]) -> str:
    """Return in words how many of a group may or must be taken, or ""."""
    required = any(o.is_required for o in members)
    if not name or len(members) == 1:
        return "must be taken" if name and required else ""
    count = text.number_word(len(members))
    return (
        f"one of these {count} must be taken"
        if required
        else f"at most one of these {count}"
    )


def _option_price(option: Option, unit: Unit) -> str:
    """What an option adds; nothing where the list has no points, a word where the text sells it
    without a price.
    """
    if option.points:
        return signed_price(option.points)
    if option.is_default:
        return "included"
    if not unit.army.has_points:
        return ""
    return (
        "no price" if any(option.key == own.key for own in unit.system.options) else "free"
    )


def _champion_note(champion: Champion | None) -> str:
    if champion and champion.stats is None:
        return "no source prints its stat line"
    return "the list always has one" if champion and champion.is_always_present else ""


# What the guidelines say

# These speak of a whole warband, or of a choice not yet made.
_NOT_THE_UNITS = ("points.", "leader.", "option.", "list.minimum")


def usual_options(profile: Profile) -> Texts:
    """What the unit is looked at with: priced defaults, and the first choice of each group that
    needs one.
    """
    keys = list(option_rules.listed_on_purchase(profile))
    for options in option_rules.required_groups(profile).values():
        free = any(o.is_default and not o.points for o in options)
        if not free and not any(o.key in keys for o in options):
            keys.append(option_rules.cheapest(options).key)
    return tuple(keys)


def _findings(unit: Unit, options: Texts) -> tuple[Finding, ...]:
    """Return what the check says of one unit alone with these options."""
    # A unit of fewer models than its list allows would only be told of that.
    size = unit.profile.unit_size if unit.system.regiments else None
    entry = RosterEntry(
        unit.profile.key, count=(size[0] or 1) if size else 1, options=options
    )
    roster = Roster(
        unit.system.key, unit.army.key, variant=unit.system.variant, warriors=(entry,)
    )
    return tuple(
        f
        for f in check(roster, unit.system, unit.army)
        if not f.code.startswith(_NOT_THE_UNITS)
    )


def load_holdings(unit: Unit) -> Holdings:
    """A unit with what the guidelines find on it alone (under the empty key), and with what each
    purchase would add to that.
    """
    profile = unit.profile
    doubts = (*profile.incomplete, *profile.doubts)
    if profile.key not in unit.army.profiles:
        return Holdings(unit, doubts, {})
    usual = usual_options(profile)
    alone = _findings(unit, usual)
    known = {finding.code for finding in alone}
    advice = {"": alone}
    for key in (*command_prices(profile), *(option.key for option in profile.all_options)):
        found = _findings(unit, (*usual, key))
        advice[key] = tuple(finding for finding in found if finding.code not in known)
    return Holdings(unit, doubts, advice)


def usual_selection(unit: Unit) -> Selection:
    """The unit as it is looked at: with its usual options."""
    options = usual_options(unit.profile)
    return select(unit.army, RosterEntry(unit.profile.key, options=options))
