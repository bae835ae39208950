"""A unit of an army list as the rule book reads it.

One view serves its page, the army's page, a club's own page, the builder and the comparison: each
part of it is worked out when it is first drawn. No query.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from engine import equipment, option_rules
from engine.findings.case import Finding
from engine.findings.checks import check
from engine.records import Fields, Numbers, TextPairs, Texts, frozen_dataclass, grouped
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, command_prices, select
from engine.text import capital, join_words, signed
from engine.types.lists import CHAMPION, Army, Figure, Option, Profile, StatLine
from engine.types.systems import System
from rulesdata import text as wording
from rulesdata.queries.lookup import stat_pairs
from rulesdata.text import folded

# These speak of a whole warband, or of a choice not yet made.
NOT_THE_UNITS = ("points.", "leader.", "option.", "list.minimum")


@frozen_dataclass
class Item:
    """A line with a dotted leader: ``value`` is its price or *included*; ``doubts`` are numbers of
    the margin notes, ``advice`` is what guidelines it would go against, ``description`` is a
    club's own words.

    Without points it has neither leader nor value.
    """

    name: str
    value: str
    note: str = ""
    doubts: Numbers = ()
    advice: Fields | None = None
    description: str = ""


def signed_price(points: int) -> str:
    """A price that is added: +13, −2, +0."""
    return signed(points) if points else "+0"


class UnitView:
    """A unit in its list and system. ``path`` is how the comparison names it."""

    def __init__(self, system: System, army: Army, profile: Profile) -> None:
        self.system, self.army, self.profile = system, army, profile
        self.doubts = (*profile.incomplete, *profile.doubts)

    @property
    def path(self) -> str:
        return f"{self.system.address}/{self.army.key}/{self.profile.key}"

    @property
    def price(self) -> str:
        if not self.army.has_points:
            return ""
        return wording.price_words(self.profile, self.army)

    @property
    def facts(self) -> Texts:
        """What it is, in words: category, type, models and special cases."""
        profile = self.profile
        facts = [wording.category_label(profile, self.army)]
        facts.append(wording.troop_name(profile.troop_type))
        if profile.miniatures > 1:
            facts.append(f"{profile.miniatures} models")
        if profile.is_special_character:
            facts.append("Special character")
        if profile.is_regiment_of_renown:
            facts.append("Regiment of renown")
        if profile.faction:
            facts.append(f"{profile.faction.capitalize()} faction")
        return tuple(facts)

    @property
    def flags(self) -> Texts:
        return wording.flag_words(self.profile)

    @property
    def traits(self) -> Texts:
        """Flags and other figures in words."""
        return (*self.flags, *wording.figures(self.profile))

    @property
    def marks(self) -> TextPairs:
        """What its figures lack or had wrong, each with its level."""
        marks = [("warning", "incomplete")] if self.profile.incomplete else []
        if count := len(self.profile.doubts):
            marks.append(("warning", f"{count} doubt{'s' if count > 1 else ''}"))
        if self.profile.corrected:
            marks.append(("note", "corrected"))
        return tuple(marks)

    @property
    def searched_text(self) -> str:
        """What the filter of an army's page looks through, folded."""
        profile = self.profile
        kind = (profile.name, profile.model_name, profile.category, profile.troop_type)
        lines = (line.name for line in profile.lines)
        carried = (wording.item_name(self.army, key) for key in profile.default_items)
        names = (*kind, *profile.special_rules, *self.flags, *lines, *carried)
        return folded(" ".join((*names, *profile.default_upgrades)))

    # Stat lines

    @property
    def main_line(self) -> StatLine | None:
        """The line a warrior is known by: rider, crew or model before any mount."""
        lines = self.profile.lines
        fighters = [line for line in lines if line.role != "mount"]
        return next(iter(fighters or lines), None)

    @property
    def list_lines(self) -> list[tuple[str, tuple[Figure, ...]]]:
        """Its stat lines in an army's list; a single one of the unit's own name goes unnamed."""
        lines = self.profile.lines
        if not lines:
            return [("", tuple(None for _ in self.system.stats))]
        is_named = len(lines) > 1 or lines[0].name != self.profile.name
        return [
            (
                line.name if is_named else "",
                tuple(value for _, value in stat_pairs(self.system, line.stats)),
            )
            for line in lines
        ]

    @cached_property
    def rows(self) -> list[Fields]:
        """The stat lines, the champion's after the model's with what differs; prices stand at the
        first line of each.
        """
        profile, champion = self.profile, self.profile.champion
        rows = []
        for place, line in enumerate(profile.lines):
            note = _describe_line(line, with_role=len(profile.lines) > 1)
            price = "" if place else profile.points
            rows.append(self._row(line, note, price if self.army.has_points else None))
        if rows and champion and champion.stats is not None:
            pairs = stat_pairs(self.system, champion.stats)
            stats = profile.lines[0].stats
            champion_row = {
                "name": champion.name,
                "note": "always present" if champion.is_always_present else "champion",
                "stats": pairs,
                "changed": [key for key, value in pairs if value != stats.get(key)],
                "extra": [(self.army.currency.head, signed_price(champion.points))],
            }
            rows.insert(1, champion_row)
        return rows

    @property
    def differs(self) -> bool:
        return any(row["changed"] for row in self.rows)

    def _row(self, line: StatLine, note: str, points: object) -> Fields:
        price = (self.army.currency.head, " " if points == "" else points)
        return {
            "name": line.name,
            "note": note,
            "stats": stat_pairs(self.system, line.stats),
            "changed": [],
            "extra": [] if points is None else [price],
        }

    @cached_property
    def mounts(self) -> list[Fields]:
        """The lines of what it may ride; the price and flags of each stand at its first."""
        rows = []
        for option in self.profile.options:
            ridden = self.army.ridden(option.mount) if option.mount else None
            if ridden is None:
                continue
            flags = [wording.key_words(flag).lower() for flag in sorted(ridden.flags)]
            points = signed_price(option.points)
            for line in ridden.lines:
                notes = (_describe_line(line, with_role=False), *flags)
                row = self._row(line, ", ".join(filter(None, notes)), points)
                is_only = len(ridden.lines) == 1 or line.name == ridden.name
                row["name"] = ridden.name if is_only else f"{ridden.name}: {line.name}"
                rows.append(row)
                flags, points = [], ""
        return rows

    # What it carries and may take

    @cached_property
    def usual_options(self) -> Texts:
        """What it is looked at with: priced defaults, and the first choice of each group that
        needs one.
        """
        keys = list(option_rules.listed_on_purchase(self.profile))
        for options in option_rules.required_groups(self.profile).values():
            free = any(o.is_default and not o.points for o in options)
            if not free and not any(o.key in keys for o in options):
                keys.append(option_rules.cheapest(options).key)
        return tuple(keys)

    @cached_property
    def selection(self) -> Selection | None:
        """The unit with its usual options; None for a mount."""
        if self.profile.key not in self.army.profiles:
            return None
        return select(self.army, RosterEntry(self.profile.key, options=self.usual_options))

    @cached_property
    def save(self) -> equipment.Save:
        if self.selection is None:
            return equipment.Save(None)
        return equipment.armour_save(self.selection, self.army, self.system.saves)

    @property
    def ward(self) -> str:
        return f"{self.save.ward}+" if self.save.ward else ""

    @cached_property
    def bearer(self) -> wording.Bearer:
        """Whoever carries what the unit buys: the first line that is no mount's."""
        lines = self.profile.lines
        first = next((line for line in lines if line.role != "mount"), None)
        strength = first.stats.get(self.army.strength_stat) if first else None
        if any(line.role == "rider" for line in lines):
            return wording.Bearer(strength, is_mounted=True)
        # Who may buy a mount is read both ways.
        may_ride = any(option.mount for option in self.profile.options)
        return wording.Bearer(strength, is_mounted=None if may_ride else False)

    def find_doubts(self, name: str) -> Numbers:
        """Numbers of the doubts that speak of this name, from 1."""
        wanted = name.casefold()
        return tuple(
            n for n, doubt in enumerate(self.doubts, 1) if wanted in doubt.casefold()
        )

    @cached_property
    def carries(self) -> list[Item]:
        """What it has without buying it."""
        items = []
        for key in self.profile.default_items:
            name = wording.item_name(self.army, key)
            note = wording.item_words(self.army, key, self.bearer)
            items.append(Item(name, "included", note, self.find_doubts(name)))
        upgrades = self.profile.default_upgrades
        items += [Item(name, "included", "", self.find_doubts(name)) for name in upgrades]
        if self.profile.is_barded:
            items.append(Item("Barding", "included", "counted in the save"))
        return items

    @cached_property
    def takes(self) -> list[Fields]:
        return self._group_options(o for o in self.profile.options if not o.is_put_away)

    @cached_property
    def champion_takes(self) -> list[Fields]:
        champion = self.profile.champion
        return self._group_options(champion.options if champion else ())

    def _group_options(self, options: Iterable[Option]) -> list[Fields]:
        """Options as the list groups them: each exclusive group, of which only one is taken."""
        groups = grouped((o.group if o.shuts_out else "", o) for o in options)
        # What stands alone comes first, wherever the list has it.
        ordered = {"": groups.pop("", []), **groups}
        return [
            {
                "name": wording.key_words(name) if len(members) > 1 else "",
                "rule": _group_rule(name, members),
                "items": [self._option_item(option) for option in members],
            }
            for name, members in ordered.items()
            if members
        ]

    def _option_item(self, option: Option) -> Item:
        """The line of an option: its price where the list has points, words, doubt, advice."""
        if option.points:
            price = signed_price(option.points)
        elif option.is_default:
            price = "included"
        elif not self.army.has_points:
            price = ""
        else:
            is_unpriced = any(option.key == other.key for other in self.system.options)
            price = "no price" if is_unpriced else "free"
        return Item(
            option.name,
            price,
            wording.option_words(option, self.profile, self.army, self.bearer),
            self.find_doubts(option.name),
            self._advice_against(option.key),
            option.words,
        )

    @cached_property
    def command(self) -> list[Item]:
        """Champion, musician and standard bearer, where the unit may have them."""
        items, champion = [], self.profile.champion
        for key, (name, points) in command_prices(self.profile).items():
            value, note = signed_price(points) if points else "free", ""
            if champion and key == CHAMPION:
                note = "the list always has one" if champion.is_always_present else ""
                if champion.stats is None:
                    note = "no source prints its stat line"
            doubts = self.find_doubts(key.replace("-", " "))
            items.append(Item(name, value, note, doubts, self._advice_against(key)))
        return items

    @cached_property
    def magic(self) -> list[Item]:
        """Its level as a wizard, and what it may spend on magic items."""
        profile, items = self.profile, []
        level = profile.wizard_level
        if profile.is_wizard or level:
            note = "none unless bought" if level == 0 else ""
            value = "not stated" if level is None else str(level)
            items.append(Item("Wizard level", value, note, self.find_doubts("wizard")))
        if profile.magic_allowance:
            allowance = f"up to {profile.magic_allowance} {self.army.currency.short}"
            items.append(Item("Magic items", allowance))
        return items

    # What the guidelines say

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the guidelines find on it alone; nothing on a mount."""
        return self.advice.get("", ())

    @cached_property
    def advice(self) -> Mapping[str, tuple[Finding, ...]]:
        """The findings on it alone (under the empty key), and those each purchase would add."""
        profile, usual = self.profile, self.usual_options
        if profile.key not in self.army.profiles:
            return {}
        alone = self._check(usual)
        codes = {finding.code for finding in alone}
        advice = {"": alone}
        options = (option.key for option in profile.all_options)
        for key in (*command_prices(profile), *options):
            findings = self._check((*usual, key))
            advice[key] = tuple(f for f in findings if f.code not in codes)
        return advice

    def _check(self, options: Texts) -> tuple[Finding, ...]:
        """What the check says of this unit alone with these options."""
        system, army, profile = self.system, self.army, self.profile
        # A unit of fewer models than its list allows would only be told of that.
        size = profile.unit_size if system.regiments else None
        count = (size[0] or 1) if size else 1
        entry = RosterEntry(profile.key, count=count, options=options)
        roster = Roster(system.key, army.key, variant=system.variant, warriors=(entry,))
        findings = check(roster, system, army)
        return tuple(f for f in findings if not f.code.startswith(NOT_THE_UNITS))

    def _advice_against(self, key: str) -> Fields | None:
        """The guidelines that a purchase would go against, beyond notes."""
        against = [f for f in self.advice.get(key, ()) if f.level != "note"]
        if not against:
            return None
        return {
            "titles": join_words((f.title or f.code).lower() for f in against),
            "level": against[0].level,
            "anchor": against[0].code.replace(".", "-"),
        }

    # What the list says beside it

    @cached_property
    def conditions(self) -> Texts:
        """What the list says of how many, when and beside whom; regiments' figures that a skirmish
        does not use; what it says of campaigns.
        """
        return (
            *self._restrictions(),
            *self._printed_conditions(),
            *self._campaign_conditions(),
        )

    def _restrictions(self) -> Iterator[str]:
        profile = self.profile
        if profile.requires_army:
            yield f"Only in these armies: {', '.join(profile.requires_army)}."
        if profile.upgrade_of:
            names = ", ".join(wording.key_words(key) for key in profile.upgrade_of)
            yield f"Bought with: {names}."
        for category, generals in profile.category_when:
            yield f"{wording.category_name(category)} with: {', '.join(generals)}."
        if profile.army_max is not None:
            number = wording.number_word(profile.army_max)
            yield f"The list allows {number} of these in an army."
        if profile.unit_size is not None:
            yield self._describe_size(*profile.unit_size)

    def _describe_size(self, low: int | None, high: int | None) -> str:
        """How many models its regiments or its groups have."""
        size = f"{low} to {high}" if low and high else f"at most {high}"
        if low and not high:
            size = f"at least {low}"
        heading = self.army.category(self.profile.category)
        if self.system.regiments:
            return f"A regiment has {size} models."
        if heading and heading.is_alike:
            return f"A group has {size} models."
        return f"Regiments of the full game have {size} models; here every model is bought alone."

    def _printed_conditions(self) -> Iterator[str]:
        """What the list prints without it having an effect here."""
        source = self.profile.source
        if self.profile.must_ride:
            yield "It must ride one of its mounts."
        if included := source.get("points_include"):
            yield f"{_plain(included)} points of its price are for what must come along."
        if source.get("army_max_depends"):
            yield "How many the list allows depends on other choices."
        if hired := source.get("hired_as"):
            yield f"Hired by another army it counts as {wording.category_name(str(hired))}."
        for sentence in source.get("profile_when", ()):
            yield f"{sentence}."

    def _campaign_conditions(self) -> Iterator[str]:
        joining = self.profile.joining
        category = self.army.category(self.profile.category)
        if joining.rarity:
            yield f"Rare in campaigns: found on {joining.rarity} or more."
        if joining.upkeep is not None:
            yield f"Hired sword: costs {joining.upkeep} after each battle of a campaign."
        if joining.experience:
            yield f"Begins a campaign with {joining.experience} experience."
        if category and category.is_alike:
            yield "A group of these buys the same for each of its models."

    @property
    def sources(self) -> TextPairs:
        """Where each kind of figure is from: what it is and the source's name, those from one
        source together.
        """
        profile = self.profile
        kinds = {"profiles": "Stat lines", "points": "prices", "equipment": "equipment"}
        if not self.army.has_points:
            del kinds["points"]
        by_source = grouped(
            (str(profile.source[key]), kind)
            for key, kind in kinds.items()
            if profile.source.get(key)
        )
        pairs = [(capital(join_words(kind)), source) for source, kind in by_source.items()]
        if stated := profile.source.get("armour_save_stated"):
            pairs.append(("Armour save printed by the second source", f"{stated}+"))
        if profile.champion and profile.champion.source:
            pairs.append(("Champion", profile.champion.source))
        return tuple(pairs)


def _describe_line(line: StatLine, *, with_role: bool) -> str:
    """A stat line's role, number of models and Move with barding, in inches."""
    notes = [line.role] if with_role and line.role != "model" else []
    if line.count and line.count > 1:
        notes.append(f"{line.count} of them")
    if line.barded_move is not None:
        notes.append(f"Move {line.barded_move} with barding")
    return ", ".join(notes)


def _group_rule(name: str, members: list[Option]) -> str:
    """How many of a group may or must be taken, in words, or ""."""
    is_required = any(option.is_required for option in members)
    if not name or len(members) == 1:
        return "must be taken" if name and is_required else ""
    count = wording.number_word(len(members))
    if is_required:
        return f"one of these {count} must be taken"
    return f"at most one of these {count}"


def _plain(value: object) -> str:
    """A value as text: mappings and lists with commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        pairs = value.items()
        return ", ".join(f"{wording.key_words(str(k)).lower()} {v}" for k, v in pairs)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "other choices" if value is True else str(value)
