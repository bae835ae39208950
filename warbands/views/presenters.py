"""The builder as its templates want it: rows, findings with their fixes, option groups with totals.

No rules here.
"""

import secrets
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from engine.choices import Choice, ChoiceGroup
from engine.findings.case import Finding
from engine.records import Fields, TextByKey, TextPairs, frozen_dataclass
from engine.types.lists import Currency
from engine.types.systems import System
from engine.words import capital
from odds.fight_modes import yardstick_words
from rulesdata import registry
from warbands.queries.odds_subjects import effects_for
from warbands.queries.prices import is_about_figures
from warbands.queries.profile_picker import choices_for, fix_fields, load_picker
from warbands.queries.records import (
    MagicChoices,
    PickerCategory,
    PickerProfile,
    WarbandRecord,
    WarriorChoices,
)
from warbands.queries.warbands import sheet_of
from warbands.sheet.structure import FINDINGS_SHOWN, RosterSheet, SheetWarrior, head_lines

KEPT = 2000  # lines: about 10 MB, and 40 where each is of thirty miniatures with boxes of their own


@lru_cache(maxsize=KEPT)
def render_line(template: str, line: Hashable, form: str = "") -> SafeString:
    """The template with ``line``; ``form`` is the id of the form that its buttons send.

    A field holds text or markup, never now one, now the other: they compare equal.
    """
    return render_to_string(template, {"line": line, "form": form})


@frozen_dataclass
class Badge:
    level: str
    label: str


@frozen_dataclass
class RollLine:
    """A line of the roll, as it is kept once drawn; ``home`` is the warband's address.

    ``currency`` is what its price is counted in, None where no line shows one.
    """

    home: str
    token: str
    warrior: SheetWarrior
    badges: tuple[Badge, ...]
    currency: Currency | None

    @property
    def gear(self) -> str:
        return ", ".join(self.warrior.gear).lower()

    @property
    def closed(self) -> SafeString:
        """The line of the builder with its options folded away."""
        return render_line("warbands/builder/closed.html", self)

    @property
    def reading(self) -> SafeString:
        """The line for those who only read."""
        return render_line("warbands/read_line.html", self)


def without_place(warrior: SheetWarrior, **other: Any) -> SheetWarrior:
    """The warrior without its place in the roster and its findings, which no line shows.

    A line that was drawn is found again by all it holds, so it must not change with its neighbours.
    ``other`` are further fields to replace.
    """
    return replace(warrior, index=0, number=0, findings=(), **other)


SHORT_DETAIL = 16
"""Characters about an option that still fit behind its name; more stand below."""


@frozen_dataclass
class FixButton:
    """A remedy: ``fields`` are what its form sends."""

    label: str
    fields: TextByKey
    variant: str


@frozen_dataclass
class FindingLine:
    """A finding at the head of the roster.

    ``level`` is waived where the scenario allows it, acknowledged where the owner knows of it.
    ``is_uncertain``: it is about figures that can be acknowledged here.
    """

    finding: Finding
    level: str
    buttons: tuple[FixButton, ...]
    is_uncertain: bool = False

    @property
    def message(self) -> str:
        who = self.finding.acknowledged_by
        return self.finding.message + (f" Acknowledged: {who}." if who else "")


@frozen_dataclass
class OptionLine:
    """One choice of the picker with its input.

    ``total`` is the warband's if it is taken, ``over`` how far above the limit that is.
    """

    choice: Choice
    name: str
    kind: str
    total: int
    over: int
    why: str = ""
    group: str = ""
    effect: str = ""

    @property
    def detail(self) -> str:
        return self.choice.detail if _is_short(self.choice) else ""

    @property
    def is_included(self) -> bool:
        """Whether the profile has it without buying it; to take nothing is no part of a profile."""
        return bool(self.choice.key) and self.choice.is_taken and not self.choice.times

    @property
    def swap(self) -> str:
        """The keys that a swap sends: what to take off and what to take instead."""
        return f"{self.choice.swaps[0]} {self.choice.key}" if self.choice.swaps else ""


@frozen_dataclass
class OptionGroup:
    title: str
    hint: str
    lines: tuple[OptionLine, ...]


@frozen_dataclass
class OpenPanel:
    """What stands under a row whose options are open."""

    choices: WarriorChoices
    groups: tuple[OptionGroup, ...]
    magic: tuple[OptionLine, ...]
    measured_against: str

    @property
    def id(self) -> str:
        return str(self.choices.warrior_id)

    @property
    def has_magic(self) -> bool:
        return any(line.choice.is_taken for line in self.magic)

    @property
    def magic_left(self) -> str:
        """What is spent on magic items of what may be, in words."""
        choices = self.choices
        allowance = choices.magic_allowance
        if not allowance:
            return "none allowed to this unit"
        return f"{choices.selection.magic_spent} of {allowance} {choices.currency.name}"

    @property
    def receipt(self) -> tuple[tuple[str, int], ...]:
        """What the points of the entry are made of: of each miniature, then of all together."""
        selection = self.choices.selection
        count = selection.entry.count
        each = [one for one in selection.receipt if not one.is_once]
        lines = [
            (
                f"{one.label}, {one.times} of them" if one.times > 1 else one.label,
                one.points,
            )
            for one in each
        ]
        if count > 1:
            lines.append((f"Each of the {count}", selection.points_each))
        once = (one for one in selection.receipt if one.is_once)
        return (*lines, *((f"{one.label}, once", one.points) for one in once))


@frozen_dataclass
class RollRow:
    """One line of the roll, and what stands under it where its options are open."""

    warrior: SheetWarrior
    line: RollLine
    panel: OpenPanel | None
    is_first: bool
    is_last: bool
    may_lead: bool


@frozen_dataclass
class ChangeNotice:
    """Why a change was not made, what was sent, and where the same may be sent again.

    ``status`` is the HTTP status of the page that tells it.
    """

    title: str
    sentence: str
    status: int
    typed: TextPairs
    action: str
    fields: TextPairs


def page_key() -> str:
    """A fresh key for all forms of one page."""
    return secrets.token_urlsafe(12)


def form_key(request: HttpRequest) -> str:
    """The key that a form was sent with, so that sending it again is the same request; else a
    fresh one.
    """
    return request.POST.get("key") or page_key()


def finding_lines(
    record: WarbandRecord, findings: Iterable[Finding]
) -> tuple[FindingLine, ...]:
    """The findings of a roster with their fixes; only who may change the warband gets buttons."""
    has_fixes = record.may_build
    system = registry.system_of(record.roster)
    lines = []
    for finding in findings:
        buttons: list[FixButton] = []
        for fix in finding.fixes if has_fixes else ():
            is_first_help = finding.level == "error" and not buttons
            variant = "primary" if is_first_help else "secondary"
            buttons.append(FixButton(fix.label, fix_fields(record, fix), variant))
        is_uncertain = has_fixes and is_about_figures(finding, system)
        lines.append(FindingLine(finding, _level(finding), tuple(buttons), is_uncertain))
    return tuple(lines)


def _level(finding: Finding) -> str:
    if finding.acknowledged_by:
        return "acknowledged"
    return "waived" if finding.waived_by else finding.level


def roll_rows(
    record: WarbandRecord, sheet: RosterSheet, home: str, opened: Iterable[int] = ()
) -> tuple[RollRow, ...]:
    """The lines of the roll, those in ``opened`` with their options.

    ``home`` is the warband's address.
    """
    wanted, last = set(opened), len(sheet.warriors) - 1
    return tuple(
        RollRow(
            warrior=warrior,
            line=RollLine(
                home,
                record.token,
                without_place(warrior),
                _badges(warrior),
                sheet.shown_currency,
            ),
            panel=_panel(record, warrior) if warrior.id in wanted else None,
            is_first=place == 0,
            is_last=place == last,
            may_lead=not warrior.is_leader and warrior.leadership is not None,
        )
        for place, warrior in enumerate(sheet.warriors)
    )


def _badges(warrior: SheetWarrior) -> tuple[Badge, ...]:
    titled = (finding for finding in warrior.findings if finding.title)
    return tuple(dict.fromkeys(Badge(_level(one), one.title.rstrip(".")) for one in titled))


def _panel(record: WarbandRecord, warrior: SheetWarrior) -> OpenPanel | None:
    # A roster that is stored nowhere has entries without ids, and nothing to open.
    choices = choices_for(record, warrior.id or 0)
    if choices is None:
        return None
    told = effects_for(record, choices)
    system = registry.system_of(record.roster)
    groups = tuple(
        _group(group, choices, f"c{warrior.id}-{place}", told)
        for place, group in enumerate(choices.groups)
    )
    magic = (line for group in choices.magic for line in _magic_lines(group, choices))
    against = yardstick_words(system) if told else ""
    return OpenPanel(choices, groups, tuple(magic), against)


def _magic_lines(group: MagicChoices, choices: WarriorChoices) -> Iterable[OptionLine]:
    name = f"c{choices.warrior_id}-magic"
    for choice in group.choices:
        yield replace(
            _line(choice, choices, name, "checkbox"), why=_joined(group.name, choice)
        )


def _group(
    group: ChoiceGroup, choices: WarriorChoices, name: str, told: Mapping[str, str]
) -> OptionGroup:
    kind, key = ("radio", group.key) if group.is_exclusive else ("checkbox", "")
    every = (group.nothing, *group.choices) if group.nothing else group.choices
    lines = []
    for one in every:
        line = _line(one, choices, name, kind)
        lines.append(replace(line, group=key, effect=told.get(one.key, "")))
    if not group.is_exclusive:
        hint = "any"
    else:
        hint = "choose one" if group.is_required or not group.nothing else "one or none"
    return OptionGroup(group.name, hint, tuple(lines))


def _line(choice: Choice, choices: WarriorChoices, name: str, kind: str) -> OptionLine:
    if choice.maximum > 1:
        name, kind = f"n{choices.warrior_id}-{choice.key}", "number"
    total = choices.total_with(choice)
    return OptionLine(choice, name, kind, total, choices.over(total), _joined("", choice))


def _is_short(choice: Choice) -> bool:
    return len(choice.detail) <= SHORT_DETAIL


def _joined(why: str, choice: Choice) -> str:
    """What stands below an option: its group where it is magic, a long detail, its note."""
    detail = "" if _is_short(choice) else f"{capital(choice.detail)}."
    return " ".join(filter(None, (why, detail, choice.note)))


def first_choices(categories: Iterable[PickerCategory]) -> tuple[PickerProfile, ...]:
    """Whom an empty roster might begin with: characters that fit, otherwise the best there is by
    Leadership.
    """
    characters: list[PickerProfile] = []
    others: list[PickerProfile] = []
    for category in categories:
        able = [one for one in category.profiles if one.is_offered and not one.over]
        (characters if category.is_character else others).extend(able)
    return tuple(characters[:6] or others[:4])


@lru_cache(maxsize=4000)
def army_line(profile: PickerProfile, currency: Currency | None) -> SafeString:
    """A line of the army list, drawn; without a ``currency`` it shows no price.

    It is the same in every warband, so most have been drawn before.
    """
    return render_to_string(
        "warbands/builder/profile.html", {"profile": profile, "currency": currency}
    )


def models_guideline(system: System) -> int | None:
    """How many models the system advises at most, or None where it says nothing."""
    advised = (one for one in system.guidelines if one.kind == "models_max")
    return next((int(one.parameters["maximum"]) for one in advised), None)


def roster_context(
    record: WarbandRecord,
    *,
    opened: Iterable[int] = (),
    notice: ChangeNotice | None = None,
    said: str = "",
) -> Fields:
    """Everything the roster, its findings and the bar are drawn from."""
    sheet, roster = sheet_of(record), record.roster
    system = registry.system_of(roster)
    army = registry.printed_army(roster.system, roster.army)
    home = reverse("warband-read", args=[record.token])
    lines = roll_rows(record, sheet, home, opened)
    shown = ",".join(row.panel.id for row in lines if row.panel)
    # What the list calls those who lead, in the order of the builder: Heroes.
    characters = (one.plural for one in reversed(army.categories) if one.is_character)
    key = page_key()
    return {
        "record": record,
        "sheet": sheet,
        "rows": lines,
        "head_lines": head_lines(sheet.growth) if sheet.growth else (),
        "findings": finding_lines(record, sheet.findings[:FINDINGS_SHOWN]),
        "firsts": first_choices(load_picker(record))
        if not lines and record.may_build
        else (),
        "stat_names": [stat.key for stat in sheet.stats],
        "models_max": models_guideline(system),
        "key": key,
        "forms": {"version": record.version, "key": key, "open": shown},
        "characters": next(characters, "characters"),
        "army_note": army.note,
        "notice": notice,
        "said": said,
        "home": home,
    }
