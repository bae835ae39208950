"""Magic items of a catalogue: what stands in a group that may cost only so many points together."""

from collections.abc import Iterator

from engine.types.lists import OWN_MAGIC_MAX
from rulesdata.foreign.keys import KeySet, plain_name, slug
from rulesdata.foreign.limits import is_one_per_list, points_limit
from rulesdata.foreign.places import Place
from rulesdata.foreign.reports import TranslatedItem

ITEM_POINTS_MAX = 1_000
_ANY = "item"


class MagicItems:
    """The magic items of a list. What several units may carry at one price is one item."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int], TranslatedItem] = {}
        self._keys = KeySet()

    @property
    def items(self) -> tuple[TranslatedItem, ...]:
        """The items so far, in the order of the file."""
        return tuple(self._found.values())

    def add(self, place: Place, points: int) -> bool:
        """Add an item, and return whether the list can hold it.

        A list holds so many of them, each at 1 to 1,000 points; others stay options.
        """
        type_ = item_type(place)
        same = (plain_name(place.name), type_, points)
        if same in self._found:
            return True
        if not 1 <= points <= ITEM_POINTS_MAX or len(self._found) >= OWN_MAGIC_MAX:
            return False
        key = self._keys.take(place.name, _ANY)
        is_unique = is_one_per_list(place)
        self._found[same] = TranslatedItem(key, place.name, type_, points, is_unique)
        return True


def magic_group(place: Place, price: str) -> Place | None:
    """Return the outermost group around an entry whose content may cost only so much together.

    ``price`` is the id of the price that counts. Without such a group it is no magic item.
    """
    found = None
    for group in _groups_around(place):
        if points_limit(group, price) is not None:
            found = group
    return found


def item_type(place: Place) -> str:
    """Return what sort of item it is by the group it stands in: weapon, talisman, arcane-item."""
    nearest = next(_groups_around(place), None)
    words = plain_name(nearest.name).split() if nearest is not None else []
    return slug(" ".join(word for word in words if word != "magic"), _ANY)


def _groups_around(place: Place) -> Iterator[Place]:
    """Yield the groups around an entry, the nearest first, up to the entry that it stands in."""
    above = place.parent
    while above is not None and above.is_group:
        yield above
        above = above.parent
