"""Shapes of what people type about warbands.

What may be done with it is decided by the operations.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any

from django import forms
from django.utils.text import capfirst

from accounts.errors import Refusal, Stale
from accounts.forms import (
    LongTextField,
    NumberField,
    PageForm,
    PickField,
    RadioField,
    RefusalForm,
    TextField,
    TicksField,
    UnfilledField,
)
from accounts.owner import Owner
from engine.records import ChoiceList, Fields, TextByKey, grouped, named_values
from engine.roster import MAX_LIMIT, Roster
from engine.types.lists import POINTS, Army
from engine.types.systems import System
from rulesdata import registry
from rulesdata.forms.rulings import HouseRuleFields, RulingFields
from rulesdata.queries import scenarios
from rulesdata.queries.clubs import ListChoice, list_choices
from warbands.models import NAME_MAX, NOTE_MAX, WarbandVisibility
from warbands.operations.warbands import WarbandChanges
from warbands.queries.lists import SORTS
from warbands.queries.records import WarbandRecord

USUAL_LIMITS = (100, 150, 200, 250)
SAME_VERSION = "Both players must use the same version."


def offer(form: forms.Form, name: str, choices: Iterable[Any]) -> None:
    """Give a field its choices; where there are none the form goes without it."""
    if offered := list(choices):
        form.fields[name].choices = offered  # type: ignore[attr-defined]
    else:
        del form.fields[name]


class ClubForm(PageForm):
    """What to look for among a club's warbands."""

    army = PickField("Army")
    points_from = NumberField("Points from", MAX_LIMIT)
    points_to = NumberField("Points to", MAX_LIMIT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "army", [("", "Every army"), *army_choices()])


class PublicForm(ClubForm):
    """What to look for among the public warbands."""

    search = TextField("Name begins with", NAME_MAX)
    field_order = ["search", "army", "points_from", "points_to"]


class OwnForm(PageForm):
    """What to look for among one's own warbands, and how they are sorted."""

    search = TextField("Name or army", NAME_MAX)
    sort = PickField("Sort by", choices=SORTS.items())


def army_choices() -> list[tuple[str, Any]]:
    """Every army as ``system/army``, by system where there are several."""
    groups: list[tuple[str, Any]] = []
    for key in registry.systems():
        armies = registry.army_names(key).items()
        choices = [(f"{key}/{army}", name) for army, name in armies]
        groups.append((registry.load_base(key).name, choices))
    return list(groups[0][1]) if len(groups) == 1 else groups


class WarbandForm(RefusalForm):
    """A form of a warband's pages, which keeps apart what is refused and what came too late.

    ``stale`` is told beside the form: what was typed is still right, and may be sent again.
    """

    stale = ""

    def add_refusal(self, refusal: Refusal) -> None:
        if isinstance(refusal, Stale):
            self.stale = refusal.message
        else:
            super().add_refusal(refusal)

    @property
    def status(self) -> int:
        """The HTTP status of the page that shows it."""
        if self.stale:
            return 409
        return (self.limit_status or 400) if self.errors else 200


class LimitFields(WarbandForm):
    """The points limit as one of the usual figures, another one, or none."""

    limit = RadioField("Points limit")
    other_limit = NumberField("Other limit", MAX_LIMIT)
    refused_fields = {"points_limit": "limit"}

    def __init__(
        self,
        *args: Any,
        system: System,
        limit: int | None,
        of_lists: Collection[int] = (),
        has_limit: bool = False,
        army: Army | None = None,
        **kwargs: Any,
    ) -> None:
        """``of_lists`` are limits that armies name beside those about the one of the ``army``.
        Without prices in its lists none is asked for, unless the warband ``has_limit``, which may
        always change.
        """
        usual = _usual_limits(system, army)
        figures = list(map(str, sorted({*usual, *of_lists})))
        values: Fields = {"limit": str(limit or "none")}
        if limit is not None and str(limit) not in figures:
            values = {"limit": "other", "other_limit": limit}
        kwargs["initial"] = {**values, **kwargs["initial"]}
        super().__init__(*args, **kwargs)
        if army and army.currency != POINTS:
            self.fields["limit"].label = f"Limit in {army.currency.name}"
        none = "No points" if system.are_points_optional else "None"
        if has_limit or of_lists or _has_points(system):
            choices = zip(figures, figures, strict=True)
            offer(self, "limit", [*choices, ("other", "Another"), ("none", none)])
        else:
            del self.fields["limit"], self.fields["other_limit"]
        offer(self, "tags", [(tag.key, tag.name) for tag in system.tags])

    def clean(self) -> Fields:
        cleaned = super().clean() or {}
        is_empty = cleaned.get("other_limit") is None and "other_limit" not in self.errors
        if cleaned.get("limit") == "other" and is_empty:
            sentence = f"Points limit: enter a number from 0 to {MAX_LIMIT:,}."
            self.add_error("other_limit", sentence)
        return cleaned

    @property
    def points_limit(self) -> int | None:
        """The limit that was chosen, None where none is asked for; only of a valid form."""
        limit: str = self.cleaned_data.get("limit", "none")
        if limit == "none":
            return None
        return int(self.cleaned_data["other_limit"] if limit == "other" else limit)


def _usual_limits(system: System, army: Army | None) -> tuple[int, ...]:
    """Figures about the limit of an army or of its system, or the most common ones."""
    default = (army and army.default_limit) or system.default_limit
    if default is None or default in USUAL_LIMITS:
        return USUAL_LIMITS
    return default // 2, default, default * 2


def _has_points(system: System) -> bool:
    armies = registry.list_army_keys(system.key)
    return any(registry.printed_army(system.key, army).has_points for army in armies)


class NewWarbandForm(LimitFields):
    """A warband before its first warrior."""

    system = forms.CharField(widget=forms.HiddenInput)
    variant = forms.ChoiceField(label="Version")
    army = forms.ChoiceField(label="Army", error_messages={"required": "Choose an army."})
    name = UnfilledField(
        "Name", NAME_MAX, help_text="Optional. Others see it if you share the warband."
    )
    scenario = PickField(
        "Scenario", help_text="Some scenarios allow units the guidelines advise against."
    )
    tags = TicksField("From")
    field_order = [
        "system",
        "variant",
        "army",
        "name",
        "limit",
        "other_limit",
        "scenario",
        "tags",
    ]

    def __init__(
        self,
        *args: Any,
        owner: Owner,
        system: System,
        wishes: TextByKey | None = None,
        **kwargs: Any,
    ) -> None:
        # The armies of the system, and for each club of the maker a group of its lists.
        printed = registry.army_names(system.key)
        club_lists = list_choices(owner, system.key)
        groups = grouped((each.club, (each.token, each.name)) for each in club_lists)
        limits = _list_limits(system, club_lists)
        wishes = wishes or {}
        army = wishes.get("army", "")
        usual = limits.get(army)
        text = wishes.get("points_limit", "")
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_LIMIT))
        limit = int(text) if is_number and int(text) <= MAX_LIMIT else None
        if limit is None:
            limit = system.usual_limit(usual)
        kwargs["initial"] = {
            "system": system.key,
            "variant": system.default_variant,
            **wishes,
        }
        kwargs["of_lists"] = [usual] if usual else limits.values()
        kwargs["army"] = registry.printed_army(system.key, army) if usual else None
        super().__init__(*args, system=system, limit=limit, **kwargs)
        self._offer_variants(system)
        offer(self, "army", [("", "Choose an army"), *printed.items(), *groups.items()])
        offer(self, "scenario", part_choices(owner, system.key))

    def _offer_variants(self, system: System) -> None:
        """Offer the versions of a system, and say why it begins with one of them."""
        variants = system.variants
        reasons = [each.default_reason for each in variants if each.default_reason]
        self.fields["variant"].help_text = " ".join([*reasons, SAME_VERSION])
        names = ((each.key, f"{capfirst(each.name)}: {each.summary}") for each in variants)
        offer(self, "variant", names)

    @property
    def roster(self) -> Roster:
        """What `create_warband` makes; only of a valid form."""
        cleaned = self.cleaned_data
        return Roster(
            system=cleaned["system"],
            army=cleaned["army"],
            name=cleaned["name"],
            points_limit=self.points_limit,
            variant=cleaned.get("variant") or None,
            scenario=cleaned["scenario"] or None,
            tags=tuple(cleaned.get("tags", ())),
        )


def _list_limits(system: System, club_lists: Iterable[ListChoice]) -> dict[str, int]:
    """The limits that lists name, by the key of a printed one and the token of a club's own."""
    keys = registry.army_names(system.key)
    limits = {key: registry.printed_army(system.key, key).default_limit for key in keys}
    limits |= {each.token: each.default_limit for each in club_lists}
    return {key: limit for key, limit in limits.items() if limit}


def scenario_choices(owner: Owner, system: str) -> ChoiceList:
    """No scenario, then those of the system and one's own."""
    return [("", "None agreed"), *scenarios.scenario_choices(system, owner)]


def part_choices(owner: Owner, system: str) -> ChoiceList:
    """The same for a warband, with the sides of each scenario."""
    offered = scenarios.scenario_choices(system, owner)
    return [("", "None agreed"), *scenarios.with_parts(system, offered)]


class DetailsForm(LimitFields):
    """What belongs to the warband as a whole. One tick for each house rule of the system."""

    title = "Name, limit, scenario"
    name = UnfilledField("Name", NAME_MAX)
    scenario = PickField("Scenario")
    note = LongTextField("Note", NOTE_MAX, rows=4)
    tags = TicksField("From")
    field_order = ["name", "limit", "other_limit", "scenario", "tags", "note"]

    def __init__(
        self, *args: Any, owner: Owner, record: WarbandRecord, system: System, **kwargs: Any
    ) -> None:
        roster = record.roster
        kwargs["initial"] = named_values(roster, "name", "note", "scenario", "tags")
        limit = roster.points_limit
        kwargs["has_limit"] = limit is not None
        with suppress(registry.UnknownKey):
            kwargs["army"] = registry.printed_army(system.key, roster.army)
        super().__init__(*args, system=system, limit=limit, **kwargs)
        choices = part_choices(owner, roster.system)
        # A scenario that is offered no more stays where it was chosen before.
        if roster.scenario and roster.scenario not in dict(choices):
            scenario = record.scenario_record
            name = scenario.name if scenario else roster.scenario
            choices.append((roster.scenario, name))
        offer(self, "scenario", choices)
        self.agreed = roster.house_rules
        self.house_rules = HouseRuleFields(self, system, self.agreed)
        self.rulings = RulingFields(self, system, roster.rulings, {})

    @property
    def changes(self) -> WarbandChanges:
        """What `change_warband` is to change; only of a valid form."""
        cleaned = self.cleaned_data
        return {
            "name": cleaned["name"],
            "points_limit": self.points_limit,
            "scenario": cleaned["scenario"] or None,
            "tags": cleaned.get("tags", []),
            "note": cleaned["note"],
            "rulings": self.rulings.cleaned_choices(cleaned),
            "house_rules": self.house_rules.cleaned_choices(cleaned, self.agreed),
        }


class GrownDetailsForm(WarbandForm):
    """What a campaign leaves to the player of a warband: its name and a note."""

    title = "Name and note"
    name = UnfilledField("Name", NAME_MAX)
    note = LongTextField("Note", NOTE_MAX, rows=4)

    def __init__(self, *args: Any, record: WarbandRecord, **kwargs: Any) -> None:
        kwargs["initial"] = named_values(record.roster, "name", "note")
        super().__init__(*args, **kwargs)

    @property
    def changes(self) -> WarbandChanges:
        """What `change_warband` is to change; only of a valid form."""
        return {"name": self.cleaned_data["name"], "note": self.cleaned_data["note"]}


class ShareForm(WarbandForm):
    """Who may read the warband."""

    visibility = RadioField("Who can see it")
    club = forms.TypedChoiceField(
        label="Club", required=False, coerce=int, empty_value=None
    )
    refused_fields = {"club_id": "club"}

    def __init__(
        self, *args: Any, record: WarbandRecord, clubs: list[tuple[int, str]], **kwargs: Any
    ) -> None:
        kwargs["initial"] = {"visibility": record.visibility, "club": record.club_id or ""}
        super().__init__(*args, **kwargs)
        ways = dict(WarbandVisibility.choices)
        if not clubs:
            del ways[WarbandVisibility.CLUB]
        if record.is_unclaimed:
            del ways[WarbandVisibility.PUBLIC]
        offer(self, "club", [("", "Choose a club"), *clubs] if clubs else ())
        offer(self, "visibility", ways.items())

    def clean(self) -> Fields:
        cleaned = super().clean() or {}
        if cleaned.get("visibility") == WarbandVisibility.CLUB and not cleaned.get("club"):
            self.add_error("club", "Choose the club that can see it.")
        return cleaned

    @property
    def changes(self) -> WarbandChanges:
        """What `change_warband` is to change; a club stays unless the club is to read it."""
        cleaned = self.cleaned_data
        changes: WarbandChanges = {"visibility": cleaned["visibility"]}
        if cleaned["visibility"] == WarbandVisibility.CLUB:
            changes["club_id"] = cleaned["club"]
        return changes


class DeleteForm(WarbandForm):
    """The name of a warband, typed to delete it."""

    typed_name = UnfilledField("Type its name", NAME_MAX)
    refused_fields = {"name": "typed_name"}

    def __init__(self, *args: Any, record: WarbandRecord, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A warband without a name has nothing to type.
        name, field = record.roster.name, self.fields["typed_name"]
        field.required = bool(name)
        field.error_messages["required"] = f"Type its name, {name}, to delete it."
