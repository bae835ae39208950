"""Shapes of what people type about warbands.

What may be done with it is decided by the operations.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django import forms

from accounts.errors import (
    Fault,
    FaultyDocument,
    Refusal,
    Stale,
)
from accounts.form_fields import (
    LongTextField,
    NumberField,
    PickField,
    RadioField,
    TextField,
    TickField,
    TicksField,
    UnfilledField,
)
from accounts.forms import PageForm, RefusalForm
from accounts.owner import Owner
from engine.records import (
    ChoiceList,
    Fields,
    TextByKey,
    named_values,
)
from engine.roster import MAX_LIMIT, Roster
from engine.types.systems import System
from rulesdata import registry
from rulesdata.forms.rulings import RulingFields
from warbands import rulebook
from warbands.exchange.content import MAX_BYTES
from warbands.models import (
    NAME_MAX,
    NOTE_MAX,
    WarbandVisibility,
)
from warbands.operations.warbands import WarbandChanges, WarbandDraft
from warbands.queries.records import WarbandRecord

USUAL_LIMITS = (100, 150, 200, 250)


def offer(form: forms.Form, name: str, choices: Iterable[Any]) -> None:
    """Give a field its choices; where there are none the form goes without it."""
    if found := list(choices):
        form.fields[name].choices = found  # type: ignore[attr-defined]
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


def army_choices() -> list[tuple[str, Any]]:
    """Every army as ``system/army``, by system where there are several."""
    groups: list[tuple[str, Any]] = []
    for key in registry.systems():
        armies = registry.army_names(key).items()
        named = [(f"{key}/{army}", name) for army, name in armies]
        groups.append((registry.load_base(key).name, named))
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
        return 400 if self.errors else 200


class LimitFields(WarbandForm):
    """The points limit as one of the usual figures, another one, or none."""

    limit = RadioField("Points limit")
    other_limit = NumberField("Other limit", MAX_LIMIT)
    refused_fields = {"points_limit": "limit"}

    def clean(self) -> Fields:
        cleaned = super().clean() or {}
        is_empty = cleaned.get("other_limit") is None and "other_limit" not in self.errors
        if cleaned.get("limit") == "other" and is_empty:
            words = f"Points limit: enter a number from 0 to {MAX_LIMIT:,}."
            self.add_error("other_limit", words)
        return cleaned

    @property
    def points_limit(self) -> int | None:
        """The limit that was chosen, None where none is asked for; only of a valid form."""
        chosen: str = self.cleaned_data.get("limit", "none")
        if chosen == "none":
            return None
        return int(self.cleaned_data["other_limit"] if chosen == "other" else chosen)


def limit_choices(system: System, of_lists: Iterable[int] = ()) -> ChoiceList:
    """The usual figures of a system as choices: about its own, or the most common ones, and those
    that armies name; then another, and none.
    """
    own = system.default_limit
    figures = (
        USUAL_LIMITS if own is None or own in USUAL_LIMITS else (own // 2, own, own * 2)
    )
    none = "No points" if system.are_points_optional else "None"
    usual = [(str(figure), str(figure)) for figure in sorted({*figures, *of_lists})]
    return [*usual, ("other", "Another"), ("none", none)]


def limit_fields(limit: int | None, system: System, of_lists: Iterable[int] = ()) -> Fields:
    """Initial values of the limit's two fields."""
    if limit is None:
        return {"limit": "none"}
    if str(limit) in dict(limit_choices(system, of_lists)):
        return {"limit": str(limit)}
    return {"limit": "other", "other_limit": limit}


def offer_limit(
    form: forms.Form,
    system: System,
    limit: int | None = None,
    of_lists: Collection[int] = (),
) -> None:
    """The choices of the limit; without prices in its lists none is asked for, unless there is a
    ``limit``.
    """
    lists = [
        registry.printed_army(system.key, army) for army in registry.armies_of(system.key)
    ]
    # A warband that has a limit may always change it.
    has_points = limit is not None or of_lists or any(one.has_points for one in lists)
    if not has_points:
        del form.fields["limit"], form.fields["other_limit"]
    else:
        offer(form, "limit", limit_choices(system, of_lists))


class NewWarbandForm(LimitFields):
    """A warband before its first warrior."""

    system = forms.CharField(widget=forms.HiddenInput)
    variant = forms.ChoiceField(
        label="Text",
        help_text="The versions differ. Both players must use the same one.",
    )
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
        armies = rulebook.offered_armies(owner, system.key)
        wishes = wishes or {}
        of_lists = armies.limits.values()
        asked = wishes.get("points_limit", "")
        is_number = (
            asked.isascii() and asked.isdigit() and len(asked) <= len(str(MAX_LIMIT))
        )
        limit = int(asked) if is_number and int(asked) <= MAX_LIMIT else None
        if limit is None:
            limit = system.usual_limit(armies.limits.get(wishes.get("army", "")))
        kwargs["initial"] = {
            "system": system.key,
            **limit_fields(limit, system, of_lists),
            **wishes,
        }
        super().__init__(*args, **kwargs)
        offer_limit(self, system, of_lists=of_lists)
        known = [
            (one.key, f"{one.name.capitalize()}: {one.summary}") for one in system.variants
        ]
        offer(self, "variant", [("", "Choose a version"), *known] if known else ())
        offer(self, "tags", [(tag.key, tag.name) for tag in system.tags])
        offer(self, "army", [("", "Choose an army"), *armies.choices])
        offer(self, "scenario", part_choices(owner, system.key))

    @property
    def draft(self) -> WarbandDraft:
        """What `create_warband` makes; only of a valid form."""
        cleaned = self.cleaned_data
        roster = Roster(
            system=cleaned["system"],
            army=cleaned["army"],
            name=cleaned["name"],
            points_limit=self.points_limit,
            variant=cleaned.get("variant") or None,
            scenario=cleaned["scenario"] or None,
            tags=tuple(cleaned.get("tags", ())),
        )
        return WarbandDraft(roster)


def scenario_choices(owner: Owner, system: str) -> ChoiceList:
    """No scenario, then those of the system and one's own."""
    return [("", "None agreed"), *rulebook.offered_scenarios(owner, system)]


def part_choices(owner: Owner, system: str) -> ChoiceList:
    """The same for a warband, with the sides of each scenario."""
    return [("", "None agreed"), *rulebook.offered_parts(owner, system)]


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
        kwargs["initial"] = {
            **named_values(roster, "name", "note", "scenario", "tags"),
            **limit_fields(roster.points_limit, system),
        }
        super().__init__(*args, **kwargs)
        offer_limit(self, system, roster.points_limit)
        offer(self, "tags", [(tag.key, tag.name) for tag in system.tags])
        choices = part_choices(owner, roster.system)
        # A scenario that is offered no more stays where it was chosen before.
        if roster.scenario and roster.scenario not in dict(choices):
            found = record.scenario_record
            choices.append((roster.scenario, found.name if found else roster.scenario))
        offer(self, "scenario", choices)
        self.agreed = roster.house_rules
        self.rules = {f"rule-{rule.key}": rule for rule in system.house_rules}
        for name, rule in self.rules.items():
            on = self.agreed.get(rule.key, rule.default)
            self.fields[name] = TickField(rule.name, help_text=rule.summary, initial=on)
        self.rulings = RulingFields(self, system, roster.rulings, {})

    @property
    def rule_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.rules]

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
            "rulings": self.rulings.choices_of(cleaned),
            # What stays as the system has it is not agreed anew.
            "house_rules": {
                rule.key: cleaned[name]
                for name, rule in self.rules.items()
                if rule.key in self.agreed or cleaned[name] != rule.default
            },
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
        chosen = self.cleaned_data
        changes: WarbandChanges = {"visibility": chosen["visibility"]}
        if chosen["visibility"] == WarbandVisibility.CLUB:
            changes["club_id"] = chosen["club"]
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


class ImportForm(WarbandForm):
    """A roster document, as text or as a file; ``faults`` are what is wrong within it."""

    faults: tuple[Fault, ...] = ()

    document = forms.CharField(
        label="Document",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14}),
    )
    file = forms.FileField(
        label="Or a .json file",
        required=False,
        help_text="Up to 1 MB. A file goes before the text.",
    )

    def add_refusal(self, refusal: Refusal) -> None:
        if isinstance(refusal, FaultyDocument):
            self.faults = refusal.faults
        else:
            super().add_refusal(refusal)

    @property
    def status(self) -> int:
        return 400 if self.faults else super().status

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > MAX_BYTES:
            raise forms.ValidationError(
                f"This file is larger than 1 MB ({MAX_BYTES:,} bytes). Choose a smaller one."
            )
        try:
            return upload.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise forms.ValidationError(
                "This file is not text in UTF-8. Choose a .json file from Muster Roll."
            ) from None

    def clean(self) -> Fields:
        cleaned = super().clean() or {}
        is_empty = not cleaned.get("file") and not (cleaned.get("document") or "").strip()
        if is_empty and not self.errors:
            self.add_error("document", "Paste a roster document here, or choose a file.")
        return cleaned

    @property
    def text(self) -> str:
        """What was sent, whichever way; also of a form with faults."""
        cleaned = getattr(self, "cleaned_data", {})
        return (
            cleaned.get("file") or cleaned.get("document") or self.data.get("document", "")
        )
