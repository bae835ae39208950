"""What a kind of miniature may buy: options, its command, magic items, with what goes with what."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.records import Fields, Texts, frozen_dataclass
from engine.types.lists import CHAMPION, COMMAND, STANDARD_BEARER
from interchange.entries import Place, shared_groups
from interchange.evaluation import Trace
from interchange.gear import GearTable, MagicItems, command_role, magic_group
from interchange.names import KeySet, clean_name
from interchange.prices import OptionPrices, Prices, option_terms
from interchange.reports import (
    Purchases,
    TranslatedChampion,
    TranslatedLimit,
    TranslatedOption,
    without_unknown,
)
from interchange.stat_lines import StatLines
from interchange.units import (
    PIECES_HELD,
    Counts,
    Kind,
    group_bounds,
    line_stats,
    points_limit,
)

ASKED_MAX = 12
ALLOWANCE_MAX = 5_000


@frozen_dataclass
class Shelves:
    """What the units of a list share: weapons of its own and magic items."""

    gear: GearTable
    magic: MagicItems


@dataclass(slots=True, eq=False)
class Candidate:
    """A place that a kind may buy, below another one or not.

    ``role`` is its key in a unit's command, ``magic`` the group that limits magic items.
    """

    place: Place
    above: "Candidate | None"
    container: str
    role: str = ""
    magic: Place | None = None
    key: str = ""
    name: str = ""

    @property
    def top(self) -> "Candidate":
        """The candidate that it stands below at last, or itself."""
        return self.above.top if self.above else self

    @property
    def is_named(self) -> bool:
        """Whether other options may name it: a list has no words for magic and for most command."""
        return not self.magic and self.role in ("", STANDARD_BEARER)


SoldThing = tuple[Texts, int, Candidate | None]
"""The entry or the name of what is sold, at which price, and what it stands below."""


class OptionTable:
    """All that one kind of miniature may buy."""

    def __init__(
        self, kind: Kind, prices: Prices, lines: StatLines, shelves: Shelves
    ) -> None:
        """Take a kind of miniature with prices, stat lines and gear; no options yet."""
        self.kind = kind
        self.price_type = prices.first
        self.prices = OptionPrices(kind, prices)
        self.lines = lines
        self.shelves = shelves
        self.candidates: list[Candidate] = []
        self.keys: dict[Place, str] = {}
        self.groups: dict[Place, str] = {}
        self.hidden = 0
        self._command: dict[str, int] = {}
        self._champion: TranslatedChampion | None = None

    def purchases(self) -> Purchases:
        """Return what it may buy, in the order of the file; the same thing at one price is one."""
        self._collect(self.kind.root, None, "")
        self._name()
        found: dict[SoldThing, TranslatedOption] = {}
        champions: dict[str, TranslatedOption] = {}
        capped: dict[Place, None] = {}
        for one in self.candidates:
            option = self._option(one)
            if option is None or (one.above and one.above.magic):
                self.hidden += 1
            elif one.role:
                # Add a model of the command; the unit pays it once, and never less than
                # nothing.
                points = max(0, option.points)
                if points != option.points:
                    self.kind.note(
                        one.name, "a command model costs 0 or more", str(option.points)
                    )
                self._command[one.role] = points
                if one.role == CHAMPION:
                    counts = self.prices.counts_with(1, (one.place,))
                    stats = line_stats(self.kind, self.lines, one.place, counts)
                    self._champion = TranslatedChampion(one.name, points, stats)
            elif one.magic and self.shelves.magic.add(one.place, option.points):
                capped[one.magic] = None
            elif one.top.role == CHAMPION:
                champions[option.key] = self._described(one, option)
            else:
                self._merge(found, one, self._described(one, option))
        return self._bought(tuple(found.values()), tuple(champions.values()), tuple(capped))

    def _bought(
        self,
        options: tuple[TranslatedOption, ...],
        champions: tuple[TranslatedOption, ...],
        capped: tuple[Place, ...],
    ) -> Purchases:
        """Return all purchases, without what names options that are not there."""
        left = list(without_unknown((*options, *champions), self._command.keys()))
        own = {option.key for option in options}
        champion = self._champion
        if champion is not None:
            of_champion = tuple(one for one in left if one.key not in own)
            champion = replace(champion, options=of_champion)
        return Purchases(
            options=tuple(one for one in left if one.key in own),
            champion=champion,
            musician=self._command.get("musician"),
            standard_bearer=self._command.get(STANDARD_BEARER),
            magic_allowance=self._allowance(capped),
            limits=tuple(self._limits({one.key: one for one in left})),
        )

    def _merge(
        self,
        found: dict[SoldThing, TranslatedOption],
        one: Candidate,
        option: TranslatedOption,
    ) -> None:
        """Add an option to those found; where the same is sold twice, the first is meant."""
        # An entry without an id is known by its name.
        same = (one.place.ids[-1:] or (one.name,), option.points, one.above)
        if same in found and not one.above:
            known = found[same]
            origins = tuple(dict.fromkeys((*known.origins, *option.origins)))
            # What a unit may begin with is not for trade alone, wherever else it is sold.
            is_for_trade = known.settings.get("trade_only", False)
            settings = option.settings if is_for_trade else known.settings
            found[same] = replace(known, origins=origins[:20], settings=settings)
            self.keys[one.place] = known.key
        else:
            found.setdefault(same, option)

    # Collecting

    def _collect(self, place: Place, above: Candidate | None, container: str) -> None:
        """Collect what a place offers, groups and containers opened."""
        for child in place.children:
            if self.kind.is_of_other(child):
                continue
            if child.is_group or child in self.prices.base[1]:
                self._collect(child, above, container)
            elif self._is_container(child):
                self._collect(child, above, child.name)
            elif child.type != "model":
                candidate = Candidate(child, above, container)
                # Which command model a candidate is; a unit has one of each.
                role = "" if candidate.above else command_role(candidate.place, self.lines)
                candidate.role = (
                    role if all(other.role != role for other in self.candidates) else ""
                )
                candidate.magic = magic_group(child, self.price_type)
                self.candidates.append(candidate)
                self._collect(child, candidate, container)

    def _is_container(self, place: Place) -> bool:
        """Whether an entry only holds others: without a price, a line or a rule of its own."""
        if place.price(self.price_type) or not place.children:
            return False
        elements = place.elements
        changes = [change for one in elements for change in one.changes_of(self.price_type)]
        return not (
            changes or any(self.lines.profiles(place)) or any(self.lines.rules(place))
        )

    def _name(self) -> None:
        """Give every candidate a name and a key that no other of the unit has."""
        keys = KeySet(COMMAND)
        seen: set[str] = set()
        for one in self.candidates:
            name = one.place.name or "Option"
            # Its champion's things stand under the champion's name anyway.
            if one.above and one.above.role != CHAMPION:
                name = f"{one.above.name}: {name}"
            if name in seen and one.container:
                name = f"{name} ({one.container})"
            seen.add(name)
            one.name = clean_name(name)
            one.key = one.role or keys.take(one.name, "option")
            if one.is_named:
                self.keys[one.place] = one.key

    # Each option

    def _option(self, one: Candidate) -> TranslatedOption | None:
        """Return an option, None for one that is never shown."""
        counts = self.prices.counts_with(1, (one.place,))
        trace = Trace()
        is_visible = self.kind.is_visible(one.place, counts, trace)
        needs = self._needs(one, trace, is_visible=is_visible)
        if needs is None:
            return None
        price = self.prices.price(one.place, one.name)
        maximum = self.kind.most(one.place, counts)
        # Without a limit a thing is bought once: most catalogues leave the limit out.
        is_several = maximum is not None and 1 < maximum <= PIECES_HELD
        return TranslatedOption(
            key=one.key,
            name=one.name,
            points=price.points,
            origins=one.place.ids,
            per="each" if is_several else price.per,
            maximum=int(maximum) if is_several and maximum else None,
            second=self.prices.second(one.place),
            shared=shared_groups(one.place),
            points_if=self.prices.points_if(one.place, one.name, price, self.keys),
            settings=needs,
        )

    def _described(self, one: Candidate, option: TranslatedOption) -> TranslatedOption:
        """Return an option with what it is and the group it stands in."""
        gear = self.shelves.gear.fields(one.place, self.lines)
        group = self._group(one.place, self.prices.counts_with(1, (one.place,)))
        terms = option_terms(one.place, self.prices.prices)
        return replace(option, settings=gear | group | terms | option.settings)

    def _allowance(self, capped: tuple[Place, ...]) -> int | None:
        """Return for how many points a unit may carry magic items, None for none of them."""
        if not capped:
            return None
        trace, counts = Trace(), self.prices.counts_with(1, ())
        values = []
        for group in capped:
            limit = points_limit(group, self.price_type)
            if limit is not None:
                value = self.kind.evaluation.limit(group, limit, counts, trace)
                values.append(max(0, int(value)))
        if not trace.is_certain:
            self.kind.note("Magic items", "their limit depends on the rest of the list")
        if len(values) > 1:
            why = "several limits of the catalogue are one here"
            self.kind.note("Magic items", why, ", ".join(map(str, values)))
        return min(ALLOWANCE_MAX, sum(values))

    # What goes with what

    def _needs(self, one: Candidate, trace: Trace, *, is_visible: bool) -> Fields | None:
        """Return what an option needs and shuts out, None where nothing makes it appear."""
        # What an option needs because it stands below that.
        above = one.above
        if above is None or above.role == CHAMPION:
            needs = {}
        else:
            # Where the same thing is sold twice, it is the first that is needed.
            if above.place in self.keys:
                needs = {"requires": [self.keys[above.place]]}
            else:
                self.kind.note(one.name, f"it goes with {above.name} alone")
                needs = {}
        keys, is_turned = self._turning(one, trace, is_visible=is_visible)
        if keys:
            return needs | {"excludes" if is_visible else "requires_any": keys}
        if is_visible or is_turned:
            return needs
        if not trace.is_list:
            return None
        # What stands below such a thing is told with it.
        if not needs:
            self.kind.note(one.name, "the catalogue offers it only in some lists")
        return needs

    def _turning(
        self, one: Candidate, trace: Trace, *, is_visible: bool
    ) -> tuple[list[str], bool]:
        """Return the options that show a hidden one, or hide a shown one, and whether any does.

        What a list cannot name is noted.
        """
        asked = sorted(trace.options, key=lambda place: self.keys.get(place, place.name))
        turning = [
            place for place in asked[:ASKED_MAX] if self._is_shown(one, place) != is_visible
        ]
        words = "not with" if is_visible else "only with"
        for place in turning:
            if place not in self.keys:
                self.kind.note(one.name, f"the catalogue offers it {words} {place.name}")
        own = {one.key, one.above.key if one.above else one.key, ""}
        keys = dict.fromkeys(self.keys.get(place, "") for place in turning)
        return [key for key in keys if key not in own], bool(turning)

    def _is_shown(self, one: Candidate, beside: Place) -> bool:
        counts = self.prices.counts_with(1, (beside, one.place))
        return self.kind.is_visible(one.place, counts, Trace())

    # Groups

    def _group(self, place: Place, counts: Counts) -> Fields:
        """Return the group that an option stands in: one of which a choice has to be made.

        Of some only one may be taken, of some at least one must.
        """
        group = place.parent
        while group is not None and group.is_group:
            # What stands below an option asks for nothing while that is not bought.
            is_asked = group.entry in self.prices.base[1]
            is_required = is_asked and self.kind.least(group, counts) >= 1
            is_exclusive = self.kind.most(group, counts) == 1
            if is_required or is_exclusive:
                if group not in self.groups:
                    keys = KeySet(self.groups.values())
                    self.groups[group] = keys.take(group.name, "group")
                fields: Fields = {"group": self.groups[group]}
                marks = {"exclusive": is_exclusive, "group_required": is_required}
                default = group.elements[0].node.get("defaultSelectionEntryId")
                marks["default"] = bool(default) and default in place.ids
                return fields | {key: True for key, holds in marks.items() if holds}
            group = group.parent
        return {}

    def _limits(self, options: dict[str, TranslatedOption]) -> Iterator[TranslatedLimit]:
        """Yield how many may be taken of the groups that allow several, or ask for several."""
        for group in self.kind.root.walk():
            if group.is_group and not self.kind.is_of_other(group):
                keys = self._keys_in(group, options)
                # A limit that cannot be broken says nothing.
                pieces = sum(options[key].maximum or 1 for key in keys)
                limit = self._limit(group, keys, pieces)
                if limit.least or limit.most:
                    yield limit

    def _limit(self, group: Place, keys: Texts, pieces: int) -> TranslatedLimit:
        """Return the limit of a group of which so many pieces can be bought."""
        counts = self.prices.counts_with(1, ())
        least, most, depends = group_bounds(self.kind, group, counts)
        # One alone is the choice of a group, and what stands below an option asks for nothing.
        is_asked = group.entry in self.prices.base[1] and pieces > 0
        return TranslatedLimit(
            name=group.name,
            options=keys,
            least=least if least and least > 1 and is_asked else None,
            most=most if most and 1 < most < pieces else None,
            depends=depends,
        )

    def _keys_in(self, group: Place, options: dict[str, TranslatedOption]) -> Texts:
        """Return the keys of the options that count in a group, those of groups in it too."""
        inside = (
            self.keys[one.place]
            for one in self.candidates
            if one.place in self.keys
            and one.place.entry is group.entry
            and one.place.is_below(group)
        )
        return tuple(dict.fromkeys(key for key in inside if key in options))
