"""What a kind of miniature may buy, with prices, groups and what goes with what."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from engine.records import Fields, Texts, frozen_dataclass
from rulesdata.foreign.entries import clean_name
from rulesdata.foreign.evaluation import Trace, number_text
from rulesdata.foreign.keys import KeySet, plain_name
from rulesdata.foreign.places import Place
from rulesdata.foreign.reports import TranslatedOption
from rulesdata.foreign.stat_lines import StatLines
from rulesdata.foreign.units import Counts, Kind, Prices, whole

PRICE_KEYS_MAX = 4
ASKED_MAX = 12
_PIECES_HELD = 200
_LOWEST_CHANGE = -1_000


@frozen_dataclass
class OptionItem:
    """A weapon or piece of armour that a collection knows by a name."""

    key: str
    kind: str


@dataclass(slots=True, eq=False)
class Candidate:
    """A place that a kind may buy, below another one or not."""

    place: Place
    above: "Candidate | None"
    container: str
    key: str = ""
    name: str = ""


class OptionTable:
    """All that one kind of miniature may buy."""

    def __init__(
        self,
        kind: Kind,
        prices: Prices,
        lines: StatLines,
        items: Mapping[str, OptionItem],
    ) -> None:
        self.kind = kind
        self.prices = prices
        self.lines = lines
        self.items = items
        self.base = {models: kind.counts(models) for models in (1, 2)}
        self.candidates: list[Candidate] = []
        self.keys: dict[Place, str] = {}
        self.groups: dict[Place, str] = {}
        self.hidden = 0
        self._units: dict[tuple[int, tuple[Place, ...]], tuple[Counts, Decimal]] = {}

    def translate(self) -> tuple[TranslatedOption, ...]:
        """Return the options in the order of the file; the same thing at one price is one."""
        self._collect(
            self.kind.root,
            None,
            "",
        )
        self._name()
        found: dict[tuple[str, int, Candidate | None], TranslatedOption] = {}
        for one in self.candidates:
            option = self._option(one)
            if option is None:
                self.hidden += 1
                continue
            same = (one.place.ids[-1], option.points, one.above)
            if same in found and not one.above:
                known = found[same]
                origins = tuple(dict.fromkeys((*known.origins, *option.origins)))
                found[same] = replace(known, origins=origins[:20])
                self.keys[one.place] = known.key
            else:
                found.setdefault(same, option)
        return tuple(_without_unknown(found.values()))

    def _collect(
        self,
        place: Place,
        above: Candidate | None,
        container: str,
    ) -> None:
        """Collect what a place offers, groups and containers opened."""
        for child in place.children:
            if self.kind.is_of_other(child):
                continue
            if child.is_group or child in self.base[1]:
                self._collect(
                    child,
                    above,
                    container,
                )
            elif self._is_container(child):
                self._collect(
                    child,
                    above,
                    child.name,
                )
            elif child.type != "model":
                candidate = Candidate(child, above, container)
                self.candidates.append(candidate)
                self._collect(
                    child,
                    candidate,
                    container,
                )

    def _is_container(self, place: Place) -> bool:
        """Whether an entry only holds others: without a price, a line or a rule of its own."""
        if place.price(self.prices.first) or not place.children:
            return False
        changed = any(
            True
            for element in place.elements
            for _ in element.changes_of(self.prices.first)
        )
        told = (*self.lines.profiles(place), *self.lines.rules(place))
        return not changed and not told

    def _name(self) -> None:
        """Give every candidate a name and a key that no other of the unit has."""
        keys = KeySet(("champion", "musician", "standard-bearer"))
        seen: set[str] = set()
        for one in self.candidates:
            name = one.place.name or "Option"
            if one.above:
                name = f"{one.above.name}: {name}"
            if name in seen and one.container:
                name = f"{name} ({one.container})"
            seen.add(name)
            one.name = clean_name(name)
            one.key = keys.take(one.name, "option")
            self.keys[one.place] = one.key

    def _option(self, one: Candidate) -> TranslatedOption | None:
        """Return an option, None for one that is never shown."""
        counts = self._with(1, (one.place,))
        trace = Trace()
        is_visible = self.kind.is_visible(
            one.place,
            counts,
            trace,
        )
        needs = self._needs(
            one,
            trace,
            is_visible=is_visible,
        )
        if needs is None:
            return None
        asked = Trace()
        points, per = self._price(one, asked)
        maximum = self.kind.most(one.place, counts)
        # Without a limit a thing is bought once: most catalogues leave the limit out.
        is_several = maximum is not None and 1 < maximum <= _PIECES_HELD
        second = self._second(one)
        return TranslatedOption(
            key=one.key,
            name=one.name,
            points=points,
            origins=one.place.ids,
            per="each" if is_several else per,
            maximum=int(maximum) if is_several and maximum else None,
            second=second,
            points_if=self._points_if(
                one,
                points,
                asked,
            ),
            settings=self._gear(one) | self._group(one, counts) | needs,
        )

    def _with(self, models: int, places: Iterable[Place]) -> Counts:
        """Return what a unit has with these chosen."""
        counts = dict(self.base[models])
        for place in places:
            self.kind.add_chosen(counts, place)
        return counts

    def _difference(
        self,
        models: int,
        place: Place,
        beside: tuple[Place, ...] = (),
        trace: Trace | None = None,
    ) -> Decimal:
        """Return what a place adds to the price of a unit that has others beside it."""
        without, total = self._without(models, (*_above(place), *beside))
        with_it = dict(without)
        self.kind.add_chosen(with_it, place)
        kind, price = self.kind, self.prices.first
        if trace is not None:
            for new in with_it.keys() - without.keys():
                kind.evaluation.price(
                    new,
                    price,
                    with_it,
                    trace,
                )
        return (
            kind.total(
                with_it,
                price,
                Trace(),
            )
            - total
        )

    def _without(
        self,
        models: int,
        others: tuple[Place, ...],
    ) -> tuple[Counts, Decimal]:
        """Return a unit that has these, and its price; most options ask for the same one."""
        known = self._units.get((models, others))
        if known is None:
            counts = self._with(models, others)
            total = self.kind.total(
                counts,
                self.prices.first,
                Trace(),
            )
            known = self._units[models, others] = (counts, total)
        return known

    def _price(self, one: Candidate, trace: Trace) -> tuple[int, str]:
        """Return the price of an option, and whether each model or the unit pays it."""
        first = self._difference(
            1,
            one.place,
            (),
            trace,
        )
        second = first * 2
        if not self.kind.is_single:
            second = self._difference(2, one.place)
        per = "unit" if first and second == first else "model"
        if second not in (first, first * 2):
            self.kind.note(
                one.name,
                "for two models it costs another price each",
                f"{number_text(first)}, then {number_text(second)} for both",
            )
        points = whole(
            self.kind,
            one.name,
            first,
            _LOWEST_CHANGE,
        )
        return points, per

    def _second(self, one: Candidate) -> int:
        """Return what an option costs in the second price, within what a list may hold."""
        if not self.prices.second:
            return 0
        value = self.kind.evaluation.price(
            one.place,
            self.prices.second,
            self._with(1, (one.place,)),
            Trace(),
        )
        return max(-1000, min(5000, int(value)))

    def _points_if(
        self,
        one: Candidate,
        points: int,
        trace: Trace,
    ) -> tuple[tuple[Texts, int], ...]:
        """Return other prices of an option where others are bought too, the most special first."""
        if trace.is_list:
            self.kind.note(
                one.name, "its price depends on the rest of the list", str(points)
            )
        for reason in sorted(trace.unread):
            self.kind.note(one.name, f"{reason} is not evaluated", str(points))
        asked = [place for place in trace.options if place in self.keys]
        asked.sort(key=lambda place: self.keys[place])
        if len(asked) > PRICE_KEYS_MAX:
            self.kind.note(
                one.name,
                f"its price depends on {len(asked)} other options",
                str(points),
            )
            return ()
        return tuple(
            self._special_prices(
                one,
                asked,
                points,
            )
        )

    def _special_prices(
        self,
        one: Candidate,
        asked: list[Place],
        points: int,
    ) -> Iterator[tuple[Texts, int]]:
        """Yield each set of others that makes the price another than its parts do."""
        found: dict[frozenset[Place], int] = {frozenset(): points}
        prices = {}
        for size in range(1, len(asked) + 1):
            for beside in combinations(asked, size):
                value = int(
                    self._difference(
                        1,
                        one.place,
                        beside,
                    )
                )
                parts = {
                    found[frozenset(part)]
                    for part in combinations(beside, size - 1)
                    if frozenset(part) in found
                }
                found[frozenset(beside)] = value
                # What follows from fewer of them needs no price of its own.
                if parts != {value}:
                    prices[tuple(self.keys[place] for place in beside)] = value
        yield from reversed(prices.items())

    def _needs(
        self,
        one: Candidate,
        trace: Trace,
        *,
        is_visible: bool,
    ) -> Fields | None:
        """Return what an option needs and shuts out, None where nothing makes it appear."""
        # Where the same thing is sold twice, it is the first that is needed.
        above = self.keys[one.above.place] if one.above else ""
        needs: Fields = {"requires": [above]} if above else {}
        keys = self._turning(
            one,
            trace,
            is_visible=is_visible,
        )
        if keys:
            return needs | {"excludes" if is_visible else "requires_any": keys}
        if is_visible:
            return needs
        if not trace.is_list:
            return None
        # What stands below such a thing is told with it.
        if not above:
            self.kind.note(one.name, "the catalogue offers it only in some lists")
        return needs

    def _turning(
        self,
        one: Candidate,
        trace: Trace,
        *,
        is_visible: bool,
    ) -> list[str]:
        """Return the options that show a hidden one, or hide a shown one."""
        known = (place for place in trace.options if place in self.keys)
        asked = sorted(known, key=lambda place: self.keys[place])[:ASKED_MAX]
        turning = (place for place in asked if self._is_shown(one, place) != is_visible)
        own = {one.key, one.above.key if one.above else one.key}
        keys = dict.fromkeys(self.keys[place] for place in turning)
        return [key for key in keys if key not in own]

    def _is_shown(self, one: Candidate, beside: Place) -> bool:
        counts = self._with(1, (beside, one.place))
        return self.kind.is_visible(
            one.place,
            counts,
            Trace(),
        )

    def _gear(self, one: Candidate) -> Fields:
        """Return what an option is and which things of the collection it stands for."""
        if item := self.items.get(plain_name(one.place.name)):
            return {"kind": item.kind, "items": [item.key]}
        around = " ".join(
            above.name.lower() for above in one.place.path if above is not one.place
        )
        if self.lines.is_weapon(one.place) or "weapon" in around:
            return {"kind": "weapon"}
        if "armour" in around or "armor" in around:
            return {"kind": "armour"}
        return {"kind": "other"}

    def _group(self, one: Candidate, counts: Counts) -> Fields:
        """Return the group of which only one may be taken, if it stands in such a one."""
        group = one.place.parent
        while group is not None and group.is_group:
            if self.kind.most(group, counts) == 1:
                return self._exclusive(
                    group,
                    one.place,
                    counts,
                )
            group = group.parent
        return {}

    def _exclusive(
        self,
        group: Place,
        place: Place,
        counts: Counts,
    ) -> Fields:
        """Return what an option of a group says of which only one may be taken."""
        found: Fields = {"group": self._group_key(group), "exclusive": True}
        if self.kind.least(group, counts) >= 1:
            found["group_required"] = True
        default = group.elements[0].node.get("defaultSelectionEntryId")
        if default and default in place.ids:
            found["default"] = True
        return found

    def _group_key(self, group: Place) -> str:
        if group not in self.groups:
            keys = KeySet(self.groups.values())
            self.groups[group] = keys.take(group.name, "group")
        return self.groups[group]


def _above(place: Place) -> tuple[Place, ...]:
    """Return the entry that a place stands in, which has to be there first."""
    return (place.entry,) if place.entry is not None else ()


def _without_unknown(options: Iterable[TranslatedOption]) -> Iterator[TranslatedOption]:
    """Yield options that name only options which are there; one whose parent is gone goes too."""
    left = list(options)
    while True:
        keys = {option.key for option in left}
        kept = [
            option
            for option in left
            if keys.issuperset(option.settings.get("requires", ()))
        ]
        if len(kept) == len(left):
            break
        left = kept
    for option in left:
        yield replace(
            option,
            settings=_known_settings(option.settings, keys),
            points_if=tuple(
                price for price in option.points_if if keys.issuperset(price[0])
            ),
        )


def _known_settings(settings: Fields, keys: set[str]) -> Fields:
    """Return settings without the options that are not there."""
    found = dict(settings)
    for name in ("requires_any", "excludes"):
        if name in found:
            found[name] = [key for key in found[name] if key in keys]
    return {name: value for name, value in found.items() if value != []}


def items_by_name(names: Iterable[tuple[str, OptionItem]]) -> dict[str, OptionItem]:
    """Return things of a collection by their plain names."""
    return {plain_name(name): item for name, item in names}
