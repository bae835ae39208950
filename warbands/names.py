"""Names to suggest for a warband, put together from words of our own."""

from secrets import SystemRandom

from engine.records import Texts

SUGGESTED = 20
FIRST = (
    "Ashen", "Bitter", "Broken", "Crooked", "Drowned", "Eastbank", "Faithful", "Grey",
    "Hollow", "Iron", "Lantern", "Last", "Marsh", "Northgate", "Patient", "Quiet", "Rusted",
    "Salt", "Second", "Stubborn", "Tattered", "Unpaid", "Wayward", "Winter",
)  # fmt: skip
SECOND = (
    "Axes", "Banners", "Bells", "Boots", "Company", "Crows", "Drums", "Ferrymen", "Foxes",
    "Hammers", "Hounds", "Hundred", "Keys", "Kettles", "Lances", "Oars", "Pikes", "Ravens",
    "Shields", "Spades", "Spurs", "Wagons", "Watch", "Wolves",
)  # fmt: skip


def suggest_names() -> Texts:
    """Return different names in no order: the Quiet Oars, the Unpaid Company."""
    dice = SystemRandom()
    firsts, seconds = dice.sample(FIRST, SUGGESTED), dice.sample(SECOND, SUGGESTED)
    return tuple(f"The {a} {b}" for a, b in zip(firsts, seconds, strict=True))
