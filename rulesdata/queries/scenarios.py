"""Scenarios of the packs and of people.

An own one is named ``own/<token>``; its token cannot be guessed.
"""

from itertools import chain
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet

from accounts.access import clubs_joined_by
from accounts.owner import NOBODY, Owner
from engine.records import (
    Fields,
    TextPairs,
    Texts,
    copy_fields,
    frozen_dataclass,
    named_values,
)
from engine.types.systems import Scenario, System
from rulesdata import access, registry
from rulesdata.models import Scenario as ScenarioRow
from rulesdata.models import ScenarioVisibility
from rulesdata.queries.lookup import NotInRuleBook, find_book, list_guidelines

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


def may_choose_scenario(actor: Owner, system_key: str, key: str) -> bool:
    """Whether this actor may give a warband this scenario: the pack's, their own and those shared
    with them.
    """
    return key.isprintable() and load_scenario(system_key, key, actor) is not None


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
    listed = rows.exclude(visibility=ScenarioVisibility.PUBLIC) | rows.filter(
        author_id=owner.user_id
    )
    chosen = listed.order_by("name", "pk").values_list("key", "name")[:CHOICES_MAX]
    return (*pack, *((OWN_PREFIX + token, name) for token, name in chosen))


def with_parts(system_key: str, choices: TextPairs) -> TextPairs:
    """The same choices with the sides of each behind it, for a warband that plays one of them."""
    system = registry.load_base(system_key)
    pairs = []
    for key, name in choices:
        pairs.append((key, name))
        if scenario := system.scenarios.get(key):
            parts = filter(None, (scenario.of_part(part) for part in scenario.parts))
            pairs += [(part.key, part.name) for part in parts]
    return tuple(pairs)


def load_scenarios(system_key: str, actor: Owner, page: int = 1, show: str = "") -> Fields:
    """A system's scenarios for this reader: the rule book's all at once, people's by pages.

    ``show`` archived lists what they have archived. Raises NotInRuleBook.
    """
    system = find_book(system_key)
    is_archived = show == "archived"
    rule = access.changeable_by(actor) if is_archived else access.listed_to(actor)
    rows = _rows(system_key, rule, retired_at__isnull=not is_archived)
    ordered = rows.select_related("author").order_by("name", "pk")
    own = Paginator(ordered, PAGE_SIZE).get_page(page)
    return {
        "system": system,
        "pack": [ScenarioCard(scenario) for scenario in system.scenarios.values()],
        "own": own,
        "cards": [_card(row, actor) for row in own.object_list],
        "show": show,
    }


def load_pack_scenario(system_key: str, key: str) -> Fields:
    """A scenario of the rule book. Raises NotInRuleBook."""
    system = find_book(system_key)
    scenario = system.scenarios.get(key)
    if scenario is None:
        raise NotInRuleBook(f"{system.name} has no scenario '{key[:60]}'.")
    return _scenario_page(system, ScenarioCard(scenario))


def load_own_scenario(system_key: str, token: str, actor: Owner) -> Fields:
    """A person's scenario that this reader may open.

    Raises NotInRuleBook, also for somebody else's private one.
    """
    system = find_book(system_key)
    rows = _rows(system_key, access.readable_by(actor), key=token)
    row = rows.select_related("author", "club").first()
    if row is None:
        raise NotInRuleBook("There is no such scenario, or it is not shared with you.")
    club = row.club.name if row.club else ""
    page = _scenario_page(system, _card(row, actor))
    return {**page, "club": club, "changed_at": row.changed_at}


def _scenario_page(system: System, card: ScenarioCard) -> Fields:
    """A scenario with the guidelines it waives for every side, then those for one side alone; and
    whether its sides have points, or play with points that they agree on.
    """
    scenario = card.scenario
    codes = [(code, "") for code in scenario.waives]
    codes += [
        (code, str(s["name"])) for s in scenario.sides for code in s.get("waives", ())
    ]
    waived = [
        {"title": guideline.title or code, "side": side}
        for code, side in codes
        if (guideline := system.guideline(code))
    ]
    has_points = not system.are_points_optional or any(
        side.get("points") is not None for side in scenario.sides
    )
    return {
        "system": system,
        "card": card,
        "scenario": scenario,
        "waived": waived,
        "has_points": has_points,
    }


def load_draft_page(
    system_key: str, actor: Owner, token: str = "", copy_of: str = ""
) -> Fields:
    """What the form begins with: the person's own scenario of that token, a copy of another one, or
    nothing.

    At most two queries. Raises NotInRuleBook for one that is not theirs to change, or not theirs to
    read.
    """
    system = find_book(system_key)
    fields: Fields = {}
    if token:
        row = _rows(system_key, access.changeable_by(actor), key=token).first()
        if row is None:
            raise NotInRuleBook("There is no such scenario, or it is not yours to change.")
        fields = draft_fields(as_scenario(row))
        fields |= {"visibility": row.visibility, "club": row.club_id or ""}
    elif copy_of:
        scenario = load_scenario(system_key, copy_of, actor)
        if scenario is None:
            raise NotInRuleBook(
                "There is no such scenario to copy, or it is not shared with you."
            )
        fields = {**draft_fields(scenario), "name": f"{scenario.name} (copy)"}
    return {
        "system": system,
        "fields": fields,
        "guidelines": [g for g in list_guidelines(system) if g.is_waivable],
        "clubs": list(clubs_joined_by(actor).values_list("pk", "name")),
        "token": token,
    }


def draft_fields(scenario: Scenario) -> Fields:
    """A scenario as the fields of its form; special rules one to the line."""
    waived_by_sides = chain.from_iterable(side.get("waives", ()) for side in scenario.sides)
    return {
        **named_values(scenario, "name", "summary", "setup", "objectives", "length"),
        "sides": [
            {key: side[key] for key in ("name", "points", "role") if key in side}
            for side in scenario.sides
        ],
        "special_rules": "\n".join(scenario.special_rules),
        # A scenario of one's own waives for all sides alike.
        "waives": list(dict.fromkeys([*scenario.waives, *waived_by_sides])),
    }


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
