"""Units of a catalogue: one for each kind of miniature, with price, limits and options."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from engine.errors import Refusal
from engine.records import Texts, frozen_dataclass
from rulesdata.foreign.entries import Constraint, Element, clean_name, names_of
from rulesdata.foreign.evaluation import Evaluation, StepCount, Trace, View, number_text
from rulesdata.foreign.places import MODEL_TYPES, Place
from rulesdata.foreign.stat_lines import StatLines
from rulesdata.schema.lists import OWN_UNITS_MAX

_HIGHEST_PRICE = 5_000
Counts = dict[Place, Decimal]
_LIST_SCOPES = frozenset(("roster", "force"))
_ONE = Decimal(1)


@frozen_dataclass
class Prices:
    """The ids of the price that counts and of the one that is shown beside it, empty for none."""

    first: str
    second: str = ""


@dataclass(slots=True)
class Kind:
    """A kind of miniature: the entry at the top of the list, and the model in it.

    They are the same where a single miniature is chosen.
    """

    root: Place
    model: Place
    name: str
    evaluation: Evaluation
    others: frozenset[Place] = frozenset()
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    limited: dict[Place, list[Place]] = field(default_factory=dict)

    @property
    def is_single(self) -> bool:
        """Whether the entry itself is the miniature."""
        return self.root is self.model

    def note(
        self,
        what: str,
        why: str,
        figure: str = "",
    ) -> None:
        """Write down a doubt: what, why, the figure as it stands in the file."""
        self.notes.append((what, why, figure))

    def is_of_other(self, place: Place) -> bool:
        """Whether a place belongs to another kind of miniature of the same unit."""
        return not self.others.isdisjoint(place.path)

    def counts(self, models: int) -> Counts:
        """Return what a unit of so many has with nothing chosen: itself and what it must have."""
        found: Counts = {self.root: _ONE}
        if not self.is_single:
            self._add_way(
                found,
                self.model,
                Decimal(models),
            )
        self.add_compulsory(found, self.root)
        return found

    def _add_way(
        self,
        found: Counts,
        place: Place,
        number: Decimal,
    ) -> None:
        """Add a place, and the entries around it as often as what they stand in."""
        above = place.entry
        if above is not None and above not in found:
            self._add_way(
                found,
                above,
                found.get(self.root, _ONE),
            )
        found[place] = number

    def add_chosen(self, found: Counts, place: Place) -> None:
        """Add a place that is chosen once for each of what it stands in."""
        # Most stand in the unit itself, and what that must have is there already.
        if place in found:
            return
        for above in reversed([one for one in place.path if not one.is_group]):
            if above not in found:
                found[above] = found[above.entry] if above.entry else _ONE
        self.add_compulsory(found, place)

    def add_compulsory(self, found: Counts, below: Place) -> None:
        """Add what must be taken below a place, as often as it must."""
        for place in self._limited_below(below):
            if place in found or place.entry not in found:
                continue
            least = self.least(place, found)
            if least >= 1 and self.is_visible(
                place,
                found,
                Trace(),
            ):
                found[place] = least * found[place.entry]

    def _limited_below(self, below: Place) -> list[Place]:
        """Return the places below one that might have to be taken, looked for only once."""
        if below not in self.limited:
            self.limited[below] = [
                place
                for place in below.walk()
                if not place.is_group
                and place.type != "model"
                and any(limits(place, "min"))
                and not self.is_of_other(place)
            ]
        return self.limited[below]

    def least(self, place: Place, counts: Counts) -> Decimal:
        """Return how many of a place its parent must have."""
        values = [
            self.evaluation.limit(
                place,
                one,
                counts,
                Trace(),
            )
            for one in limits(place, "min")
        ]
        return max(values, default=Decimal(0))

    def most(self, place: Place, counts: Counts) -> Decimal | None:
        """Return how many of a place, or of a group's content, its parent may have."""
        values = [
            self.evaluation.limit(
                place,
                one,
                counts,
                Trace(),
            )
            for one in limits(place, "max")
        ]
        return min((value for value in values if value >= 0), default=None)

    def is_visible(
        self,
        place: Place,
        counts: Counts,
        trace: Trace,
    ) -> bool:
        """Whether a place and all around it but the root are shown."""
        around = (one for one in place.path if one is not self.root)
        return not any(
            self.evaluation.is_hidden(
                one,
                counts,
                trace,
            )
            for one in around
        )

    def total(
        self,
        counts: Counts,
        price: str,
        trace: Trace,
    ) -> Decimal:
        """Return what everything there costs: the price of each by how many there are."""
        prices = [
            number
            * self.evaluation.price(
                place,
                price,
                counts,
                trace,
            )
            for place, number in counts.items()
        ]
        return sum(prices, Decimal(0))


def limits(place: Place, kind: str) -> Iterator[Constraint]:
    """Yield the limits of a kind that count within the parent; percentages are none of them."""
    for element in place.elements:
        for one in element.constraints:
            if one.type == kind and one.field == "selections" and not one.is_percent:
                if one.scope not in _LIST_SCOPES:
                    yield one


def list_limits(place: Place, kind: str) -> Iterator[Constraint]:
    """Yield the limits of a kind that count in the whole list."""
    for element in place.elements:
        for one in element.constraints:
            if one.type == kind and one.field == "selections" and one.scope in _LIST_SCOPES:
                yield one


def check_unit_count(number: int) -> None:
    """Refuse more units than a club's list may have."""
    if number > OWN_UNITS_MAX:
        raise Refusal(
            f"This catalogue has more than {OWN_UNITS_MAX} units, the most of a list.",
            field="files",
        )


def kinds_of(
    root: Place,
    around: frozenset[str],
    lines: StatLines,
    steps: StepCount,
) -> list[Kind]:
    """Return the kinds of miniatures of a root; none where it is only a setting."""
    evaluation = Evaluation(
        root,
        around,
        steps,
    )
    if root.type in MODEL_TYPES:
        return [Kind(root, root, root.name, evaluation)]
    models = list(_models_in(root, "model")) or list(_models_in(root, "crew"))
    models = models or list(_models_in(root, "mount"))
    if not models:
        is_unit = root.type in ("unit", "unit-group") or lines.line_of(root) is not None
        return [Kind(root, root, root.name, evaluation)] if is_unit else []
    check_unit_count(len(models))
    kinds = []
    for model in models:
        name = root.name if len(models) == 1 else clean_name(f"{root.name}: {model.name}")
        others = frozenset(models) - {model}
        kinds.append(
            Kind(
                root,
                model,
                name,
                evaluation,
                others,
            )
        )
    # Whoever must be there comes first: the list begins with the usual miniature.
    return sorted(kinds, key=lambda one: not any(limits(one.model, "min")))


def _models_in(place: Place, type_: str) -> Iterator[Place]:
    """Yield the nearest models below a place, not those within a model."""
    for child in place.children:
        if child.type == type_:
            yield child
        else:
            yield from _models_in(child, type_)


@frozen_dataclass
class UnitPrice:
    """What one miniature costs, in both prices."""

    points: int
    second: int


def price_of(kind: Kind, prices: Prices) -> UnitPrice:
    """Return the price of one miniature; what makes it doubtful is noted."""
    trace = Trace()
    # Two tell a price of each miniature from one of the whole unit.
    one = kind.total(
        kind.counts(1),
        prices.first,
        trace,
    )
    if not kind.is_single:
        two = kind.total(
            kind.counts(2),
            prices.first,
            trace,
        )
        if two != 2 * one:
            each = two - one
            kind.note(
                "Price",
                "the second model costs another price than the first",
                f"{number_text(one)}, then {number_text(each)}",
            )
    _note_trace(kind, "Price", trace)
    _note_companions(kind, prices)
    second = Decimal(0)
    if prices.second:
        second = kind.total(
            kind.counts(1),
            prices.second,
            Trace(),
        )
    points = whole(
        kind,
        "Price",
        one,
        0,
    )
    return UnitPrice(
        points,
        max(0, min(_HIGHEST_PRICE, int(second))),
    )


def whole(
    kind: Kind,
    what: str,
    value: Decimal,
    least: int,
) -> int:
    """Return a price as a list can hold it: a whole number within its limits."""
    rounded = int(value.to_integral_value())
    points = max(least, min(_HIGHEST_PRICE, rounded))
    if points != value:
        kind.note(
            what,
            "a list holds whole prices only, within limits",
            number_text(value),
        )
    return points


def _note_trace(
    kind: Kind,
    what: str,
    trace: Trace,
) -> None:
    """Note what a figure depends on, or what of it was not evaluated."""
    if trace.is_list:
        kind.note(what, "it depends on the rest of the list")
    for reason in sorted(trace.unread):
        kind.note(what, f"{reason} is not evaluated")


def _note_companions(kind: Kind, prices: Prices) -> None:
    """Note a mount or crew that must be taken and costs much beside its rider."""
    counts = kind.counts(1)
    own = kind.evaluation.price(
        kind.model,
        prices.first,
        counts,
        Trace(),
    )
    for place in counts:
        # A steed dearer than half its rider may be meant as a choice.
        if place.type in ("mount", "crew") and place is not kind.model:
            price = kind.evaluation.price(
                place,
                prices.first,
                counts,
                Trace(),
            )
            if price * 2 > own:
                kind.note(
                    "Price",
                    f"{place.name} must be taken and is part of the price",
                    number_text(price),
                )


def list_limit(kind: Kind, type_: str) -> tuple[int | None, bool]:
    """Return how many a list must or may have, and whether that depends on the list."""
    trace = Trace()
    counts = kind.counts(1)
    values = []
    for place in dict.fromkeys((kind.root, kind.model)):
        for one in list_limits(place, type_):
            if one.is_percent:
                kind.note(
                    "Limit", "a share of the list is not checked", number_text(one.value)
                )
                continue
            value = kind.evaluation.limit(
                place,
                one,
                counts,
                trace,
            )
            values.append(int(value))
    kept = [value for value in values if value >= (0 if type_ == "max" else 1)]
    if not kept:
        return None, False
    return (min(kept) if type_ == "max" else max(kept)), trace.is_list


def size_of(kind: Kind) -> tuple[int | None, int | None]:
    """Return how many miniatures the unit has in the catalogue, at least and at most."""
    if kind.is_single:
        return None, None
    counts = kind.counts(1)
    least = int(kind.least(kind.model, counts))
    most = kind.most(kind.model, counts)
    return (least if 1 <= least <= 200 else None), (
        int(most) if most is not None and 1 <= most <= 200 else None
    )


def stats_of(kind: Kind, lines: StatLines) -> dict[str, int | str | None]:
    """Return the figures of the miniature, empty where the file has none."""
    counts = kind.counts(1)
    for place in dict.fromkeys((kind.model, kind.root)):
        profile = lines.line_of(place)
        if profile is None:
            continue
        stats, strange = lines.stats(
            profile, partial(_figure, kind, View(place, counts, Trace()))
        )
        for figure in strange:
            kind.note("Stat line", "a figure is no number", figure)
        return stats
    kind.note("Stat line", "the catalogue has none for it")
    return {}


def rules_of(kind: Kind, lines: StatLines) -> Texts:
    """Return the names of the unit's rules; their words are not kept."""
    places = dict.fromkeys((kind.root, kind.model))
    return names_of(node for place in places for node in lines.rules(place))


def _figure(
    kind: Kind,
    view: View,
    text: str,
    key: str,
    element: Element,
) -> str:
    """Return a figure of a stat line after the changes of the catalogue."""
    return kind.evaluation.figure(
        text,
        key,
        element,
        view,
    )
