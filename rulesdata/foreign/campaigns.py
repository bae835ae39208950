"""What a catalogue says of campaigns: what is rare or traded, who is hired, who has experience.

Catalogues have no fields for it, so it is read from the names that authors use.
"""

from collections.abc import Iterable
from decimal import Decimal

from engine.records import Fields
from engine.types.lists import (
    RARITY_LEAST,
    RARITY_MOST,
    STARTING_EXPERIENCE_MOST,
    UPKEEP_MOST,
)
from rulesdata.foreign.places import Place
from rulesdata.foreign.prices import Prices
from rulesdata.foreign.units import Kind

# What stands in a group of such a name is bought between battles.
TRADE_WORDS = ("trading", "trader", "market", "bazaar")
HIRED_WORDS = ("hired", "mercenar")


def option_terms(place: Place, prices: Prices) -> Fields:
    """Return what a list says of an option in campaigns: its rarity, and that only they sell it."""
    found: Fields = {}
    around = (above.name for above in place.path if above not in (place, place.root))
    if any(_has_word(name, TRADE_WORDS) for name in around):
        found["trade_only"] = True
    return found | rarity_terms(_figure(place, prices.rarity))


def unit_terms(kind: Kind, prices: Prices, headings: Iterable[str]) -> Fields:
    """Return what a list says of a unit in campaigns.

    ``headings`` are the names of its category and of its catalogue. An upkeep that the catalogue
    does not have is noted.
    """
    found: Fields = {}
    experience = max(kind.root.experience, kind.model.experience)
    if experience:
        found["starting_experience"] = min(experience, STARTING_EXPERIENCE_MOST)
    found |= rarity_terms(_figure(kind.root, prices.rarity))
    if any(_has_word(name, HIRED_WORDS) for name in headings):
        upkeep = max(_figure(kind.root, prices.upkeep), _figure(kind.model, prices.upkeep))
        if not upkeep:
            kind.note("Hired sword", "the catalogue has no upkeep for it")
        found["hired"] = {"upkeep": max(0, min(upkeep, UPKEEP_MOST))}
    return found


def rarity_terms(figure: int) -> Fields:
    """Return a rarity that a list can hold, nothing for another figure."""
    return {"rarity": figure} if RARITY_LEAST <= figure <= RARITY_MOST else {}


def _figure(place: Place, price_type: str) -> int:
    """Return what stands under a type of price, 0 for nothing."""
    return int(place.price(price_type) or Decimal(0)) if price_type else 0


def _has_word(name: str, words: Iterable[str]) -> bool:
    return any(word in name.lower() for word in words)
