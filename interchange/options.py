"""What a kind of miniature may buy: options, its command, magic items, with what goes with what."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from engine.records import Fields, TextPairs, Texts, frozen_dataclass
from engine.types.lists import CHAMPION, COMMAND, MUSICIAN, STANDARD_BEARER
from interchange.catalogues import KeySet, clean_name
from interchange.entries import Place, shared_groups
from interchange.evaluation import Dependencies
from interchange.prices import OptionPrices, Prices, option_terms
from interchange.profiles import ArmyItems, StatLines, command_role, magic_group
from interchange.units import PIECES_HELD, Kind, group_bounds, line_stats

ASKED_MAX = 12
ALLOWANCE_MAX = 5_000


@frozen_dataclass
class TranslatedOption:
    """Something a unit may buy. ``origins`` are the ids of links and entry, the entry last.

    ``settings`` are further keys of an option in a list: its kind, its group, what it needs.
    ``shared`` are id and name of the shared groups it stands in, the outermost first.
    """

    key: str
    name: str
    points: int
    origins: Texts = ()
    per: str = "model"
    maximum: int | None = None
    settings: Fields = field(default_factory=dict)
    points_if: tuple[tuple[Texts, int], ...] = ()
    second: int = 0
    shared: TextPairs = ()


@frozen_dataclass
class TranslatedChampion:
    """The champion of a unit: what it adds to the price, its line and what it may buy.

    ``stats`` is empty where the file has no line for it.
    """

    name: str
    points: int
    stats: Fields = field(default_factory=dict)
    options: tuple[TranslatedOption, ...] = ()


@frozen_dataclass
class TranslatedLimit:
    """How many of some of its options a unit must and may buy. ``depends`` on the rest of the list.

    ``name`` is that of the group. Of an ``entry``, by its id, the whole list may have so many.
    """

    name: str
    options: Texts
    least: int | None = None
    most: int | None = None
    depends: bool = False
    entry: str = ""


@frozen_dataclass
class Purchases:
    """All that a unit may buy: options, its command with prices, points for magic items, limits."""

    options: tuple[TranslatedOption, ...] = ()
    champion: TranslatedChampion | None = None
    musician: int | None = None
    standard_bearer: int | None = None
    magic_allowance: int | None = None
    limits: tuple[TranslatedLimit, ...] = ()


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


class OptionTable:
    """All that one kind of miniature may buy."""

    def __init__(
        self, kind: Kind, prices: Prices, lines: StatLines, items: ArmyItems
    ) -> None:
        """Take a kind of miniature with prices, stat lines and gear; no options yet."""
        self.kind = kind
        self.price_type = prices.first
        self.prices = OptionPrices(kind, prices)
        self.lines = lines
        self.items = items
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
        sold: dict[object, TranslatedOption] = {}
        of_champion: dict[str, TranslatedOption] = {}
        capped: dict[Place, None] = {}
        for candidate in self.candidates:
            option = self._option(candidate)
            if option is None or (candidate.above and candidate.above.magic):
                self.hidden += 1
            elif candidate.role:
                points = self._command[candidate.role] = max(0, option.points)
                if points != option.points:
                    self.kind.note(
                        candidate.name,
                        "a command model costs 0 or more",
                        str(option.points),
                    )
                if candidate.role == CHAMPION:
                    counts = self.prices.counts_with(1, (candidate.place,))
                    stats = line_stats(self.kind, self.lines, candidate.place, counts)
                    self._champion = TranslatedChampion(candidate.name, points, stats)
            elif candidate.magic and self.items.add_magic(candidate.place, option.points):
                capped[candidate.magic] = None
            else:
                # What it is, and the group that it stands in.
                fields = self.items.option_fields(candidate.place, self.lines)
                fields |= self._group(candidate.place)
                fields |= option_terms(candidate.place, self.prices.prices)
                option = replace(option, settings=fields | option.settings)
                if candidate.top.role == CHAMPION:
                    of_champion[option.key] = option
                else:
                    self._add_option(sold, candidate, option)
        return self._bought(tuple(sold.values()), tuple(of_champion.values()), capped)

    def _bought(
        self,
        sold: tuple[TranslatedOption, ...],
        of_champion: tuple[TranslatedOption, ...],
        capped: Iterable[Place],
    ) -> Purchases:
        """Return all purchases, without what names options that are not there."""
        left = list(without_unknown((*sold, *of_champion), self._command))
        unit_keys = {option.key for option in sold}
        champion = self._champion
        if champion is not None:
            things = tuple(option for option in left if option.key not in unit_keys)
            champion = replace(champion, options=things)
        return Purchases(
            options=tuple(option for option in left if option.key in unit_keys),
            champion=champion,
            musician=self._command.get(MUSICIAN),
            standard_bearer=self._command.get(STANDARD_BEARER),
            magic_allowance=self._allowance(capped),
            limits=tuple(self._limits({option.key: option for option in left})),
        )

    def _add_option(
        self,
        sold: dict[object, TranslatedOption],
        candidate: Candidate,
        option: TranslatedOption,
    ) -> None:
        """Add an option to those sold; where the same is sold twice, the first is meant."""
        # An entry without an id is known by its name.
        same = (
            candidate.place.ids[-1:] or (candidate.name,),
            option.points,
            candidate.above,
        )
        if same not in sold or candidate.above:
            sold.setdefault(same, option)
            return
        first = sold[same]
        # The entry's own id stays the last one.
        origins = tuple(dict.fromkeys((*first.origins[:-1], *option.origins)))
        # What a unit may begin with is not for trade alone, wherever else it is sold.
        is_for_trade = first.settings.get("trade_only", False)
        settings = option.settings if is_for_trade else first.settings
        sold[same] = replace(first, origins=origins[-20:], settings=settings)
        self.keys[candidate.place] = first.key

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
                role = "" if above else command_role(child, self.lines)
                if all(other.role != role for other in self.candidates):
                    candidate.role = role
                candidate.magic = magic_group(child, self.price_type)
                self.candidates.append(candidate)
                self._collect(child, candidate, container)

    def _is_container(self, place: Place) -> bool:
        """Whether an entry only holds others: without a price, a line or a rule of its own."""
        if place.price(self.price_type) or not place.children:
            return False
        if any(any(element.changes_to(self.price_type)) for element in place.elements):
            return False
        return not (any(self.lines.profiles(place)) or any(self.lines.rules(place)))

    def _name(self) -> None:
        """Give every candidate a name and a key that no other of the unit has."""
        keys = KeySet(COMMAND)
        seen = set[str]()
        for candidate in self.candidates:
            name = candidate.place.name or "Option"
            # Its champion's things stand under the champion's name anyway.
            if candidate.above and candidate.above.role != CHAMPION:
                name = f"{candidate.above.name}: {name}"
            if name in seen:
                groups = (above.name for above in candidate.place.path if above.is_group)
                around = candidate.container or next(filter(None, groups), "")
                name = f"{name} ({around})" if around else name
            seen.add(name)
            candidate.name = clean_name(name)
            candidate.key = candidate.role or keys.take(candidate.name, "option")
            if candidate.is_named:
                self.keys[candidate.place] = candidate.key

    # Each option

    def _option(self, candidate: Candidate) -> TranslatedOption | None:
        """Return an option, None for one that is never shown."""
        counts = self.prices.counts_with(1, (candidate.place,))
        dependencies = Dependencies()
        is_visible = self.kind.is_visible(candidate.place, counts, dependencies)
        needs = self._needs(candidate, dependencies, is_visible=is_visible)
        if needs is None:
            return None
        price = self.prices.price(candidate.place, candidate.name)
        maximum = self.kind.most(candidate.place, counts)
        # Without a limit a thing is bought once: most catalogues leave the limit out.
        is_several = maximum is not None and 1 < maximum <= PIECES_HELD
        return TranslatedOption(
            key=candidate.key,
            name=candidate.name,
            points=price.points,
            origins=candidate.place.ids,
            per="each" if is_several else price.per,
            maximum=int(maximum) if is_several and maximum else None,
            second=self.prices.second(candidate.place),
            shared=shared_groups(candidate.place),
            points_if=self.prices.points_if(
                candidate.place, candidate.name, price, self.keys
            ),
            settings=needs,
        )

    def _allowance(self, capped: Iterable[Place]) -> int | None:
        """Return for how many points a unit may carry magic items, None for none of them."""
        dependencies, counts = Dependencies(), self.prices.counts_with(1, ())
        values = []
        for group in capped:
            limit = group.points_limit(self.price_type)
            if limit is not None:
                at = self.kind.evaluation.at(group, counts, dependencies)
                values.append(max(0, int(at.limit(limit))))
        if not values:
            return None
        if not dependencies.is_certain:
            self.kind.note("Magic items", "their limit depends on the rest of the list")
        if len(values) > 1:
            why = "several limits of the catalogue are one here"
            self.kind.note("Magic items", why, ", ".join(map(str, values)))
        return min(ALLOWANCE_MAX, sum(values))

    # What goes with what

    def _needs(
        self, candidate: Candidate, dependencies: Dependencies, *, is_visible: bool
    ) -> Fields | None:
        """Return what an option needs and shuts out, None where nothing makes it appear."""
        needs, above = self._needs_above(candidate), candidate.above
        turning = self._turning(candidate, dependencies, is_visible=is_visible)
        excluded = {candidate.key, above.key if above else candidate.key, ""}
        keys = dict.fromkeys(self.keys.get(place, "") for place in turning)
        if turning_keys := [key for key in keys if key not in excluded]:
            return needs | {"excludes" if is_visible else "requires_any": turning_keys}
        if is_visible or turning:
            return needs
        if not dependencies.is_list:
            return None
        # What stands below such a thing is told with it.
        if not needs:
            self.kind.note(candidate.name, "the catalogue offers it only in some lists")
        return needs

    def _needs_above(self, candidate: Candidate) -> Fields:
        """Return what an option needs because it stands below that."""
        above = candidate.above
        if above is None or above.role == CHAMPION:
            return {}
        # Where the same thing is sold twice, it is the first that is needed.
        if above.place in self.keys:
            return {"requires": [self.keys[above.place]]}
        self.kind.note(candidate.name, f"it goes with {above.name} alone")
        return {}

    def _turning(
        self, candidate: Candidate, dependencies: Dependencies, *, is_visible: bool
    ) -> list[Place]:
        """Return the options that show a hidden one, or hide a shown one. What a list cannot name
        is noted.
        """
        options = dependencies.options
        others = sorted(options, key=lambda place: self.keys.get(place, place.name))
        condition = "not with" if is_visible else "only with"
        turning = []
        for place in others[:ASKED_MAX]:
            counts = self.prices.counts_with(1, (place, candidate.place))
            if self.kind.is_visible(candidate.place, counts) == is_visible:
                continue
            turning.append(place)
            if place not in self.keys:
                why = f"the catalogue offers it {condition} {place.name}"
                self.kind.note(candidate.name, why)
        return turning

    # Groups

    def _group(self, place: Place) -> Fields:
        """Return the group that an option stands in: one of which a choice has to be made.

        Of some only one may be taken, of some at least one must.
        """
        counts = self.prices.counts_with(1, (place,))
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
                default = group.elements[0].node.get("defaultSelectionEntryId")
                fields = {
                    "group": self.groups[group],
                    "exclusive": is_exclusive,
                    "group_required": is_required,
                    "default": bool(default) and default in place.ids,
                }
                return {key: value for key, value in fields.items() if value}
            group = group.parent
        return {}

    def _limits(self, options: dict[str, TranslatedOption]) -> Iterator[TranslatedLimit]:
        """Yield how many may be taken of the groups that allow several, or ask for several."""
        yield from self._list_limits(options)
        for group in self.kind.root.walk():
            if not group.is_group or self.kind.is_of_other(group):
                continue
            keys = self._keys_in(group, options)
            pieces = sum(options[key].maximum or 1 for key in keys)
            limit = self._limit(group, keys, pieces)
            if limit.least or limit.most:
                yield limit

    def _list_limits(
        self, options: dict[str, TranslatedOption]
    ) -> Iterator[TranslatedLimit]:
        """Yield how many of an option the whole list may have."""
        counts = self.prices.counts_with(1, ())
        for place, key in self.keys.items():
            dependencies = Dependencies()
            at = self.kind.evaluation.at(place, counts, dependencies)
            limits = place.list_limits("max") if key in options else ()
            values = [int(at.limit(limit)) for limit in limits if not limit.is_percent]
            if values and 0 <= (most := min(values)) <= PIECES_HELD:
                entry = place.ids[-1] if place.ids else key
                depends = not dependencies.is_certain
                yield TranslatedLimit(options[key].name, (key,), None, most, depends, entry)

    def _limit(self, group: Place, keys: Texts, pieces: int) -> TranslatedLimit:
        """Return the limit of a group of which so many pieces can be bought."""
        counts = self.prices.counts_with(1, ())
        least, most, depends = group_bounds(self.kind, group, counts)
        # One alone is the choice of a group, and what stands below an option asks for nothing.
        if least == 1 or not pieces or group.entry not in self.prices.base[1]:
            least = None
        # A limit that cannot be broken says nothing.
        if most is not None and not 1 < most < pieces:
            most = None
        return TranslatedLimit(group.name, keys, least, most, depends)

    def _keys_in(self, group: Place, options: dict[str, TranslatedOption]) -> Texts:
        """Return the keys of the options that count in a group, those of groups in it too."""
        places = (
            candidate.place
            for candidate in self.candidates
            if candidate.place.entry is group.entry and candidate.place.is_below(group)
        )
        keys = (self.keys.get(place, "") for place in places)
        return tuple(dict.fromkeys(key for key in keys if key in options))


# Options that name others


def without_unknown(
    options: Iterable[TranslatedOption], command: Iterable[str]
) -> Iterator[TranslatedOption]:
    """Yield options that name only options which are there; what needs another one goes too."""
    named_command = {STANDARD_BEARER}.intersection(command)
    left, before = list(options), 0
    keys = set[str]()
    while len(left) != before:
        before = len(left)
        keys = {option.key for option in left} | named_command
        # Everything is there that an option needs.
        left = [o for o in left if keys.issuperset(o.settings.get("requires", ()))]
        needs = [(o, o.settings.get("requires_any", ())) for o in left]
        left = [o for o, some in needs if not some or not keys.isdisjoint(some)]
    for option in left:
        prices = (price for price in option.points_if if keys.issuperset(price[0]))
        settings = _known_settings(option.settings, keys)
        yield replace(option, settings=settings, points_if=tuple(prices))


def _known_settings(settings: Fields, keys: set[str]) -> Fields:
    """Return settings without the options that are not there."""
    left = dict(settings)
    for name in ("requires_any", "excludes"):
        if name in left:
            left[name] = [key for key in left[name] if key in keys]
    return {name: value for name, value in left.items() if value != []}
