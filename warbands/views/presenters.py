"""The builder as its templates want it: rows, findings with their fixes, option groups with totals.

No rules here.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from engine.choices import Choice, ChoiceGroup
from engine.findings.case import Finding
from odds.fight_modes import yardstick_words
from rulesdata import registry
from warbands.queries.odds_subjects import effects_for
from warbands.queries.profile_picker import choices_for, fix_fields, load_picker
from warbands.queries.records import PickerCategory, PickerProfile, WarbandRecord, WarriorChoices
from warbands.queries.warbands import sheet_of
from warbands.sheet.structure import RosterSheet, SheetWarrior

KEPT = 2000  # lines: about 10 MB, and 40 where each is of thirty miniatures with boxes of their own


@lru_cache(maxsize=KEPT)
def render_line(template: str, line: Hashable) -> SafeString:
    """The template with ``line``.

    A field holds text or markup, never now one, now the other: they compare equal.
    """
    return render_to_string(template, {"line": line})


@dataclass(frozen=True, slots=True)
class Badge:
    level: str
    label: str


@dataclass(frozen=True, slots=True)
class RollLine:
    """A line of the roll, as it is kept once drawn; ``home`` is the warband's address."""

    home: str
    token: str
    warrior: SheetWarrior
    badges: tuple[Badge, ...]
    is_priced: bool

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


@dataclass(frozen=True, slots=True)
class FixButton:
    """A remedy: ``fields`` are what its form sends."""

    label: str
    fields: dict[str, str]
    variant: str


@dataclass(frozen=True, slots=True)
class FindingLine:
    """A finding at the head of the roster. ``level`` is waived where the scenario allows it."""

    code: str
    level: str
    title: str
    message: str
    source: str
    fixes: tuple[FixButton, ...]


@dataclass(frozen=True, slots=True)
class OptionLine:
    """One option of the picker: ``total`` is the warband's if it is taken, ``over`` how far above
    the limit that is.
    """

    name: str
    value: str
    label: str
    price: int
    total: int | None
    kind: str
    is_taken: bool
    is_included: bool
    over: int
    why: str
    why_not: str = ""
    swap: str = ""
    swap_label: str = ""
    times: int = 0
    maximum: int = 1
    group: str = ""
    effect: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class OptionGroup:
    title: str
    hint: str
    lines: tuple[OptionLine, ...]


@dataclass(frozen=True, slots=True)
class OpenPanel:
    """What stands under a row whose options are open.

    ``kept`` are keys no list knows, sent along as they are.
    """

    id: str
    choices: WarriorChoices
    groups: tuple[OptionGroup, ...]
    magic: tuple[OptionLine, ...]
    magic_left: str
    has_magic: bool
    kept: tuple[str, ...]
    receipt: tuple[tuple[str, int], ...]
    measured_against: str = ""


@dataclass(frozen=True, slots=True)
class RollRow:
    """One line of the roll, and what stands under it where its options are open."""

    warrior: SheetWarrior
    line: RollLine
    panel: OpenPanel | None
    is_first: bool
    is_last: bool
    may_lead: bool


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """Why a change was not made, what was sent, and where the same may be sent again."""

    title: str
    sentence: str
    typed: tuple[tuple[str, str], ...] = ()
    action: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def page_key() -> str:
    """A fresh key for all forms of one page."""
    return secrets.token_urlsafe(12)


def finding_lines(record: WarbandRecord, findings: Iterable[Finding]) -> tuple[FindingLine, ...]:
    """The findings of a roster with their fixes; only who may change the warband gets buttons."""
    lines = []
    for finding in findings:
        fixes = finding.fixes if record.may_change and not record.archived_at else ()
        buttons = tuple(
            FixButton(fix.label, fix_fields(record, fix), "primary" if first else "secondary")
            for first, fix in zip(
                (finding.level == "error", *[False] * len(fixes)), fixes, strict=False
            )
        )
        lines.append(
            FindingLine(
                finding.code,
                _level(finding),
                finding.title,
                finding.message,
                finding.source,
                buttons,
            )
        )
    return tuple(lines)


def _level(finding: Finding) -> str:
    return "waived" if finding.waived_by else finding.level


def roll_rows(
    record: WarbandRecord, sheet: RosterSheet, home: str, opened: Iterable[int] = ()
) -> tuple[RollRow, ...]:
    """The lines of the roll, those in ``opened`` with their options.

    ``home`` is the warband's address.
    """
    wanted, last = set(opened), len(sheet.warriors) - 1
    is_priced = sheet.shows_points
    return tuple(
        RollRow(
            warrior=warrior,
            line=RollLine(home, record.token, without_place(warrior), _badges(warrior), is_priced),
            panel=_panel(record, warrior) if warrior.id in wanted else None,
            is_first=place == 0,
            is_last=place == last,
            may_lead=not warrior.is_leader and warrior.leadership is not None,
        )
        for place, warrior in enumerate(sheet.warriors)
    )


def _badges(warrior: SheetWarrior) -> tuple[Badge, ...]:
    found: dict[tuple[str, str], None] = {}
    for finding in warrior.findings:
        if finding.title:
            found[_level(finding), finding.title.rstrip(".")] = None
    return tuple(Badge(level, label) for level, label in found)


def _panel(record: WarbandRecord, warrior: SheetWarrior) -> OpenPanel | None:
    if warrior.id is None:
        return None
    choices = choices_for(record, warrior.id)
    if choices is None:
        return None
    told = effects_for(record, choices)
    system = registry.load_system(record.roster.system, record.roster.variant)
    groups = tuple(
        _group(group, choices, f"c{warrior.id}-{place}", told)
        for place, group in enumerate(choices.groups)
    )
    magic = _magic_lines(choices)
    return OpenPanel(
        id=str(warrior.id),
        choices=choices,
        groups=groups,
        magic=magic,
        magic_left=_magic_left(magic, choices.magic_allowance or 0),
        has_magic=any(line.is_taken for line in magic),
        kept=choices.unknown,
        receipt=_receipt(choices),
        measured_against=yardstick_words(system) if told else "",
    )


def _magic_lines(choices: WarriorChoices) -> tuple[OptionLine, ...]:
    name, lines = f"c{choices.warrior_id}-magic", []
    for group in choices.magic:
        lines += [
            replace(_line(choice, choices, name, "checkbox"), why=_joined(group.name, choice))
            for choice in group.choices
        ]
    return tuple(lines)


def _magic_left(magic: Iterable[OptionLine], allowance: int) -> str:
    """What is spent on magic items of what may be, in words."""
    if not allowance:
        return "none allowed to this profile"
    return f"{sum(line.price for line in magic if line.is_taken)} of {allowance} points"


def _receipt(choices: WarriorChoices) -> tuple[tuple[str, int], ...]:
    lines = [
        (f"{p.label}, {p.times} of them" if p.times > 1 else p.label, p.points)
        for p in choices.receipt
        if not p.is_once
    ]
    if choices.count > 1:
        lines.append((f"Each of the {choices.count}", choices.points_each))
    return (*lines, *((f"{p.label}, once", p.points) for p in choices.receipt if p.is_once))


def _group(
    group: ChoiceGroup, choices: WarriorChoices, name: str, told: Mapping[str, str]
) -> OptionGroup:
    kind = "radio" if group.is_exclusive else "checkbox"
    key = group.key if group.is_exclusive else ""
    lines = [
        replace(_line(one, choices, name, kind), group=key, effect=told.get(one.key, ""))
        for one in group.choices
    ]
    if group.has_none:
        lines.insert(0, _nothing(group, choices, name))
    return OptionGroup(group.name, _hint(group), tuple(lines))


def _hint(group: ChoiceGroup) -> str:
    """How many of a group may be chosen, in words."""
    if not group.is_exclusive:
        return "any"
    return "choose one" if group.is_required or not group.has_none else "one or none"


def _nothing(group: ChoiceGroup, choices: WarriorChoices, name: str) -> OptionLine:
    saved = sum(c.points * c.times for c in group.choices if c.is_taken) * choices.count
    total = choices.total - saved
    return OptionLine(
        name=name,
        value="",
        label="Nothing",
        price=0,
        total=total,
        kind="radio",
        is_taken=group.nothing_taken,
        is_included=False,
        over=max(0, total - choices.limit) if choices.limit is not None else 0,
        why="",
        group=group.key,
    )


def _line(choice: Choice, choices: WarriorChoices, name: str, kind: str) -> OptionLine:
    is_many = choice.maximum > 1
    return OptionLine(
        name=f"n{choices.warrior_id}-{choice.key}" if is_many else name,
        value=choice.key,
        label=choice.name,
        detail=choice.detail if _is_short(choice) else "",
        price=choice.points,
        total=choices.total_with(choice),
        kind="number" if is_many else kind,
        is_taken=choice.is_taken,
        is_included=choice.is_taken and not choice.times,
        over=choices.over_with(choice),
        why=_joined("", choice),
        why_not=choice.why_not,
        swap=f"{choice.swaps[0]} {choice.key}" if choice.swaps else "",
        swap_label=f"Swap for {choice.name}" if choice.swaps else "",
        times=choice.times,
        maximum=choice.maximum,
    )


def _is_short(choice: Choice) -> bool:
    return len(choice.detail) <= SHORT_DETAIL


def _joined(why: str, choice: Choice) -> str:
    """What stands below an option: its group where it is magic, a long detail, its note."""
    detail = "" if _is_short(choice) else f"{_capital(choice.detail)}."
    return " ".join(filter(None, (why, detail, choice.note)))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def first_choices(categories: Iterable[PickerCategory]) -> tuple[PickerProfile, ...]:
    """Whom an empty roster might begin with: characters that fit, otherwise the best there is by
    Leadership.
    """
    able = [(p, category.is_character) for category in categories for p in category.profiles]
    able = [(p, is_character) for p, is_character in able if p.is_offered and not p.over]
    characters = [p for p, is_character in able if is_character]
    return tuple(characters[:6] or [p for p, _ in able[:4]])


@lru_cache(maxsize=4000)
def army_line(profile: PickerProfile, is_priced: bool) -> SafeString:
    """A line of the army list, drawn.

    It is the same in every warband, so most have been drawn before.
    """
    return render_to_string(
        "warbands/builder/profile.html", {"profile": profile, "is_priced": is_priced}
    )


def models_guideline(system_key: str, variant: str | None = None) -> int | None:
    """How many models the system advises at most, or None where it says nothing."""
    for guideline in registry.load_system(system_key, variant).guidelines:
        if guideline.kind == "models_max":
            return int(guideline.parameters["maximum"])
    return None


def characters_of(record: WarbandRecord) -> str:
    """What the list calls those who lead, in the order of the builder: Heroes."""
    categories = registry.printed_army(record.roster.system, record.roster.army).categories
    return next((c.plural for c in reversed(categories) if c.is_character), "characters")


def roster_context(
    request: HttpRequest,
    record: WarbandRecord,
    *,
    opened: Iterable[int] = (),
    notice: ChangeNotice | None = None,
    said: str = "",
) -> dict[str, Any]:
    """Everything the roster, its findings and the bar are drawn from."""
    sheet = sheet_of(record)
    home = reverse("warband-read", args=[record.token])
    lines = roll_rows(record, sheet, home, opened)
    shown = [row.warrior.id for row in lines if row.panel]
    key = page_key()
    return {
        "record": record,
        "sheet": sheet,
        "rows": lines,
        "findings": finding_lines(record, sheet.findings),
        "firsts": first_choices(load_picker(record)) if not lines and record.may_change else (),
        "stat_names": [stat.key for stat in sheet.stats],
        "models_max": models_guideline(record.roster.system, record.roster.variant),
        "key": key,
        "forms": {"version": record.version, "key": key, "open": ",".join(map(str, shown))},
        "characters": characters_of(record),
        "army_note": registry.printed_army(record.roster.system, record.roster.army).note,
        "notice": notice,
        "said": said,
        "home": home,
    }
