"""The pages of every rule system: its book, and a warband of it, taken from its first starter."""

from django.urls import reverse

from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_person
from tests.guards.cast import World
from tests.guards.pages import Page
from tests.guards.routes import named
from warbands.models import Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, create_from_starter
from warbands.queries.lists import starters

CHAPTERS = ("system-detail", "chart-list", "weapon-list", "armour-list", "army-list")
OF_A_LIST = ("army-detail", "unit-detail")
OF_A_WARBAND = (
    "warband-read", "sheet-read", "sheet-cards", "sheet-reference", "sheet-opponent",
    "sheet-blank",
)  # fmt: skip


def others() -> tuple[System, ...]:
    """Every rule system, in each of its variants, but the first, which the cast plays."""
    return registry.rulesets()[1:]


def book_pages() -> list[Page]:
    """The chapters of every other book, and one list with one unit of each collection."""
    found, seen = [], set(registry.rulesets()[0].collections)
    for book in others():
        army = registry.load_army(
            book.key, registry.list_army_keys(book.key)[0], book.variant
        )
        names = CHAPTERS if army.collection in seen else (*CHAPTERS, *OF_A_LIST)
        seen.add(army.collection)
        values = {
            "system": book.address,
            "army": army.key,
            "unit": next(iter(army.profiles)),
        }
        found += [Page(name, named(name).url(values)) for name in names]
    shared = [key for key in registry.systems() if registry.load_base(key).variants]
    return found + [
        Page("system-detail", reverse("system-detail", args=[key])) for key in shared
    ]


def warband_pages(world: World) -> list[Page]:
    """The pages of a warband of every other system, which the owner shows to everybody."""
    owner, found = make_person(user=world.cast["owner"].user), []
    for book in others():
        token = create_from_starter(
            WriteContext(owner), starters(book.address)[0].key
        ).token
        change_warband(WriteContext(owner, token), visibility="public")
        pk = Warrior.objects.filter(warband__token=token).latest("position").pk
        values = {"token": token, "warrior_id": pk}
        found += [
            Page(name, named(name).url(values)) for name in (*OF_A_WARBAND, "warrior-read")
        ]
        found.append(Page("odds-read", f"{reverse('odds-read')}?a=w:{token}:{pk}"))
    return found
