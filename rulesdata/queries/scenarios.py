"""Scenarios of the packs and of people.

An own one is named ``own/<token>``; its token cannot be guessed.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from accounts.access import clubs_joined_by
from accounts.owner import NOBODY, Owner
from engine.records import (
    Fields,
    NamedValues,
    TextPairs,
    Texts,
    copy_fields,
    frozen_dataclass,
    named_values,
)
from engine.types.mechanics import Guideline
from engine.types.systems import Scenario, System
from rulesdata import access, registry
from rulesdata.models import Scenario as ScenarioRow
from rulesdata.models import ScenarioVisibility
from rulesdata.queries.lookup import NotInRuleBook, find_book, guidelines_of

# No key of a pack holds a slash.
OWN_PREFIX = "own/"
PAGE_SIZE = 20
# The choice of a scenario in a form, behind those of the pack.
CHOICES_MAX = 200


@frozen_dataclass
class ScenarioCard:
    """A scenario in a list. ``by`` is who wrote an own one, ``is_mine`` whether the reader did."""

    scenario: Scenario
    token: str = ""
    by: str = ""
    visibility: str = ""
    is_mine: bool = False
    is_archived: bool = False


@frozen_dataclass
class ScenarioList:
    """The scenarios of a system: the rule book's all at once, people's by pages."""

    system: System
    pack: tuple[ScenarioCard, ...]
    own: Page[ScenarioRow]
    cards: tuple[ScenarioCard, ...]
    show: str


@frozen_dataclass
class WaivedGuideline:
    """A guideline that a scenario waives, by its title; ``side``: for that one alone."""

    title: str
    side: str


@frozen_dataclass
class ScenarioPage:
    """A scenario with the guidelines it waives; the rest is known only of a person's own."""

    system: System
    card: ScenarioCard
    waived: tuple[WaivedGuideline, ...]
    club: str = ""
    changed_at: datetime | None = None

    @property
    def scenario(self) -> Scenario:
        return self.card.scenario

    @property
    def has_points(self) -> bool:
        """Whether its sides have points, or play with points that they agree on."""
        sides = self.scenario.sides
        return not self.system.are_points_optional or any(
            side.get("points") is not None for side in sides
        )


@frozen_dataclass
class DraftPage:
    """What the form of a scenario needs. ``token`` is empty for a new one."""

    system: System
    fields: NamedValues
    guidelines: tuple[Guideline, ...]
    clubs: tuple[tuple[int, str], ...]
    token: str = ""


def load_scenario(
    system_key: str, key: str | None, owner: Owner | None = None
) -> Scenario | None:
    """A scenario of the pack, or one that ``owner`` may read (without: anybody with its link);
    None: there is none.

    One query for an own one, archived or not; none for the pack's. Raises UnknownSystem.
    """
    return _find(system_key, key, access.readable_by(owner or NOBODY))


def load_carried_scenario(system_key: str, key: str | None) -> Scenario | None:
    """The scenario that a roster carries, whoever wrote it: who may read the roster may read what
    it waives.

    One query for an own one, none for the pack's. Raises UnknownSystem.
    """
    return _find(system_key, key, access.OWN)


def _find(system_key: str, key: str | None, rule: Q) -> Scenario | None:
    """Return a scenario of the packs or of people, or None; rows must fit the rule."""
    system = registry.load_base(system_key)
    if not key:
        return None
    if not key.startswith(OWN_PREFIX):
        return system.scenario(key)
    row = _rows(system_key, rule, key=key.removeprefix(OWN_PREFIX)).first()
    return as_scenario(row) if row else None


def _rows(system_key: str, rule: Q, **wanted: Any) -> QuerySet[ScenarioRow]:
    """People's scenarios of a system that a rule of access holds, with their system at hand."""
    rows = ScenarioRow.objects.filter(rule, system__key=system_key, **wanted)
    return rows.select_related("system")


def scenario_choices(system_key: str, owner: Owner = NOBODY) -> TextPairs:
    """(key, name) of every scenario this owner may choose: the pack's, their own, their clubs'. One
    query.
    """
    system = registry.load_base(system_key)
    pack = tuple((s.key, s.name) for s in system.scenarios.values())
    if not owner.is_person:
        return pack
    rows = _rows(system_key, access.listed_to(owner), retired_at=None)
    # Other people's public scenarios can be found, but would flood a form.
    theirs = rows.exclude(visibility=ScenarioVisibility.PUBLIC) | rows.filter(
        author_id=owner.user_id
    )
    named = theirs.order_by("name", "pk").values_list("key", "name")[:CHOICES_MAX]
    return (*pack, *((OWN_PREFIX + token, name) for token, name in named))


def with_parts(system_key: str, choices: TextPairs) -> TextPairs:
    """The same choices with the sides of each behind it, for a warband that plays one of them."""
    system = registry.load_base(system_key)
    return tuple(chain.from_iterable(_with_parts(system, *one) for one in choices))


def _with_parts(system: System, key: str, name: str) -> Iterator[tuple[str, str]]:
    yield key, name
    scenario = system.scenarios.get(key)
    parts = (scenario.of_part(part) for part in scenario.parts) if scenario else ()
    yield from ((part.key, part.name) for part in parts if part)


def load_scenarios(
    system_key: str, actor: Owner, page: int = 1, show: str = ""
) -> ScenarioList:
    """A system's scenarios for this reader; ``show`` archived lists what they put away.

    Raises NotInRuleBook.
    """
    system = find_book(system_key)
    is_archived = show == "archived"
    rule = access.changeable_by(actor) if is_archived else access.listed_to(actor)
    rows = _rows(system_key, rule, retired_at__isnull=not is_archived).select_related(
        "author"
    )
    found = Paginator(rows.order_by("name", "pk"), PAGE_SIZE).get_page(page)
    cards = tuple(_card(row, actor) for row in found.object_list)
    pack = tuple(ScenarioCard(s) for s in system.scenarios.values())
    return ScenarioList(system, pack, found, cards, show)


def load_pack_scenario(system_key: str, key: str) -> ScenarioPage:
    """A scenario of the rule book. Raises NotInRuleBook."""
    system = find_book(system_key)
    scenario = system.scenarios.get(key)
    if scenario is None:
        raise NotInRuleBook(f"{system.name} has no scenario '{key[:60]}'.")
    return ScenarioPage(system, ScenarioCard(scenario), _waived(system, scenario))


def load_own_scenario(system_key: str, token: str, actor: Owner) -> ScenarioPage:
    """A person's scenario that this reader may open.

    Raises NotInRuleBook, also for somebody else's private one.
    """
    system = find_book(system_key)
    rows = _rows(system_key, access.readable_by(actor), key=token)
    row = rows.select_related("author", "club").first()
    if row is None:
        raise NotInRuleBook("There is no such scenario, or it is not shared with you.")
    card = _card(row, actor)
    return ScenarioPage(
        system,
        card,
        _waived(system, card.scenario),
        row.club.name if row.club else "",
        row.changed_at,
    )


def load_draft_page(
    system_key: str, actor: Owner, token: str = "", copy_of: str = ""
) -> DraftPage:
    """What the form begins with: the person's own scenario of that token, a copy of another one, or
    nothing.

    At most two queries. Raises NotInRuleBook for one that is not theirs to change, or not theirs to
    read.
    """
    system = find_book(system_key)
    fields: NamedValues = {}
    if token:
        # The fields of the actor's own scenario; NotInRuleBook for another's.
        row = _rows(system_key, access.changeable_by(actor), key=token).first()
        if row is None:
            raise NotInRuleBook("There is no such scenario, or it is not yours to change.")
        fields = {
            **draft_of(as_scenario(row)),
            "visibility": row.visibility,
            "club": row.club_id or "",
        }
    elif copy_of:
        scenario = load_scenario(system_key, copy_of, actor)
        if scenario is None:
            raise NotInRuleBook(
                "There is no such scenario to copy, or it is not shared with you."
            )
        fields = {**draft_of(scenario), "name": f"{scenario.name} (copy)"}
    clubs = tuple(
        (club.pk, club.name) for club in clubs_joined_by(actor).only("pk", "name")
    )
    return DraftPage(
        system,
        fields,
        tuple(g for g in guidelines_of(system) if g.is_waivable),
        clubs,
        token,
    )


def draft_of(scenario: Scenario) -> Fields:
    """A scenario as the fields of its form; special rules one to the line."""
    waived_by_sides = chain.from_iterable(side.get("waives", ()) for side in scenario.sides)
    return {
        **named_values(scenario, "name", "summary", "setup", "objectives", "length"),
        "sides": [_told_side(side) for side in scenario.sides],
        "special_rules": "\n".join(scenario.special_rules),
        # A scenario of one's own waives for all sides alike.
        "waives": list(dict.fromkeys([*scenario.waives, *waived_by_sides])),
    }


def _told_side(side: NamedValues) -> Fields:
    return {key: side[key] for key in ("name", "points", "role") if key in side}


def as_scenario(row: ScenarioRow) -> Scenario:
    """A person's row as the engine knows scenarios.

    The system must be loaded with the row, or costs a query.
    """
    return copy_fields(
        Scenario,
        row,
        key=OWN_PREFIX + row.key,
        system=row.system.key,
        sides=tuple(row.sides),
        special_rules=tuple(row.special_rules),
        waives=tuple(row.waives),
        origin="own",
    )


def find_scenarios(words: Texts, actor: Owner, limit: int) -> tuple[ScenarioCard, ...]:
    """People's scenarios this actor may find whose folded name or summary holds every word.

    One query.
    """
    rows = ScenarioRow.objects.filter(access.listed_to(actor), retired_at__isnull=True)
    for word in words:
        rows = rows.filter(search__contains=word)
    return tuple(
        _card(row, actor)
        for row in rows.select_related("author", "system").order_by("name", "pk")[:limit]
    )


def _card(row: ScenarioRow, actor: Owner) -> ScenarioCard:
    """Return a scenario as its card shows it to the actor."""
    return ScenarioCard(
        scenario=as_scenario(row),
        token=row.key,
        by=row.author.display_name if row.author else "",
        visibility=row.get_visibility_display(),
        is_mine=access.may_change(actor, row),
        is_archived=row.retired_at is not None,
    )


def _waived(system: System, scenario: Scenario) -> tuple[WaivedGuideline, ...]:
    """What is waived for every side, then what is for one alone."""
    sides = chain.from_iterable(
        ((code, str(side["name"])) for code in side.get("waives", ()))
        for side in scenario.sides
    )
    named = [*((code, "") for code in scenario.waives), *sides]
    return tuple(
        WaivedGuideline(g.title or g.code, side)
        for code, side in named
        if (g := system.guideline(code))
    )
