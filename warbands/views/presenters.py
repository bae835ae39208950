"""What every page of a warband takes from its request, and the builder as its templates want it:
rows, findings with their fixes, option groups with totals.

No rules here.
"""

import secrets
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import re2
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.requests import (
    owner_for_storing,
    owner_of,
    record_or_404,
    request_key,
    version_seen,
    visitor_address,
)
from engine.choices import Choice, ChoiceGroup
from engine.findings.case import Finding
from engine.records import Fields, TextByKey, TextPairs, frozen_dataclass
from engine.selection import points_over
from engine.text import capital
from engine.types.lists import Currency
from odds.fight_modes import effects, yardstick_words
from rulesdata import registry
from warbands.operations.transaction import ChangeResult, WriteContext
from warbands.operations.upkeep import purge_when_due
from warbands.queries.profile_picker import (
    PickerCategory,
    PickerProfile,
    WarriorChoices,
    choices_for,
    fix_fields,
    load_picker,
)
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import is_about_figures, load_warband, sheet_of
from warbands.sheet.structure import FINDINGS_SHOWN, RosterSheet, SheetWarrior, head_lines

_NUMBER = re2.compile(r"[0-9]{1,18}")


def record_for(request: HttpRequest, token: str) -> WarbandRecord:
    """The warband for who may see it; raises Http404 for everybody else."""
    _, record = record_or_404(load_warband, request, token)
    # What a club mate shows the club alone is not for other devices to keep.
    if not record.may_change and record.visibility == "club":
        request.is_kept_off = True  # type: ignore[attr-defined]
    return record


def own_record_for(request: HttpRequest, token: str) -> WarbandRecord:
    """The warband for who may change it; raises Http404 for everybody else, readers included."""
    record = record_for(request, token)
    if not record.may_change:
        raise Http404
    return record


def reader_address(request: HttpRequest, record: WarbandRecord) -> str:
    """The address of a warband where a reader could follow it, else empty."""
    if record.visibility not in ("link", "public"):
        return ""
    return request.build_absolute_uri(reverse("warband-read", args=[record.token]))


def write_context(request: HttpRequest, token: str) -> WriteContext:
    """Who changes a warband, the version that this form was made from, and its request key."""
    version, address = version_seen(request), visitor_address(request)
    return WriteContext(owner_of(request), token, version, request_key(request), address)


def creation_context(request: HttpRequest, token: str = "") -> WriteContext:
    """Who makes a new warband, out of the one that ``token`` names if it does.

    Once a day what nobody came back for goes then.
    """
    purge_when_due()
    owner, address = owner_for_storing(request), visitor_address(request)
    return WriteContext(owner, token, key=request_key(request), address=address)


def tell_change(request: HttpRequest, done: ChangeResult) -> None:
    """Say on the next page what was changed, unless nothing was or it was told before."""
    if done.changed and not done.is_repeat:
        messages.success(request, done.summary)


def open_warriors(request: HttpRequest) -> tuple[int, ...]:
    """The warriors whose options stand open on the page that asks; rubbish opens nothing."""
    sent = request.POST.get("open") or request.GET.get("open") or ""
    # 18 digits fit every key of a row; more would be refused by the database.
    parts = (part for part in sent[:400].split(",") if _NUMBER.fullmatch(part))
    return tuple(map(int, parts))[:20]


def page_key() -> str:
    """A fresh key for all forms of one page."""
    return secrets.token_urlsafe(12)


def form_key(request: HttpRequest) -> str:
    """The key that a form was sent with, so that sending it again is the same request; else a
    fresh one.
    """
    return request.POST.get("key") or page_key()


def build_tabs(pages: Iterable[tuple[str, str, str]], current: str) -> list[Fields]:
    """Tabs out of key, label and address of each; the one of the current key is marked."""
    return [
        {"label": label, "url": url, "current": key == current} for key, label, url in pages
    ]


# The builder

KEPT = 2000  # lines: about 10 MB, and 40 where each is of thirty miniatures with boxes of their own


@lru_cache(maxsize=KEPT)
def render_line(template: str, line: Hashable, form: str = "") -> SafeString:
    """The template with ``line``; ``form`` is the id of the form that its buttons send.

    A field holds text or markup, never now one, now the other: they compare equal.
    """
    return render_to_string(template, {"line": line, "form": form})


@frozen_dataclass
class RollLine:
    """A line of the roll, as it is kept once drawn; ``home`` is the warband's address.

    ``currency`` is what its price is counted in, None where no line shows one.
    """

    home: str
    token: str
    warrior: SheetWarrior
    badges: TextPairs
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


URGENT = ("error", "warning")
"""The first issue of these levels stands open above a roster; the others fold away."""
COUNTED = (*URGENT, "note")
SHORT_DETAIL = 16
"""Characters about an option that still fit behind its name; more stand below."""


def finding_lines(record: WarbandRecord, findings: Iterable[Finding]) -> list[Fields]:
    """The findings of a roster with their fixes; only who may change the warband gets buttons."""
    system = registry.system_of(record.roster)
    lines = []
    for finding in findings:
        buttons: list[Fields] = []
        for fix in finding.fixes if record.may_build else ():
            is_first_help = finding.level == "error" and not buttons
            variant = "primary" if is_first_help else "secondary"
            # A higher limit is the last resort.
            variant = "quiet" if fix.action == "set_limit" and buttons else variant
            fields = fix_fields(record, fix)
            buttons.append({"label": fix.label, "fields": fields, "variant": variant})
        by = finding.acknowledged_by
        lines.append(
            {
                "finding": finding,
                "level": _level(finding),
                "message": finding.message + (f" Acknowledged: {by}." if by else ""),
                "buttons": buttons,
                # About figures that can be acknowledged here.
                "is_uncertain": record.may_build and is_about_figures(finding, system),
            }
        )
    return lines


def _level(finding: Finding) -> str:
    """Waived where the scenario allows it, acknowledged where the owner knows of it."""
    if finding.acknowledged_by:
        return "acknowledged"
    return "waived" if finding.waived_by else finding.level


def roll_rows(
    record: WarbandRecord, sheet: RosterSheet, home: str, opened: Iterable[int] = ()
) -> list[Fields]:
    """The lines of the roll, those in ``opened`` with their options.

    ``home`` is the warband's address.
    """
    wanted, last = set(opened), len(sheet.warriors) - 1
    rows = []
    for place, warrior in enumerate(sheet.warriors):
        badges = dict.fromkeys(
            (_level(finding), finding.title.rstrip("."))
            for finding in warrior.findings
            if finding.title
        )
        line = RollLine(
            home,
            record.token,
            without_place(warrior),
            tuple(badges),
            sheet.shown_currency,
        )
        rows.append(
            {
                "warrior": warrior,
                "line": line,
                "panel": _panel(record, warrior) if warrior.id in wanted else None,
                "is_first": place == 0,
                "is_last": place == last,
                "may_lead": not warrior.is_leader and warrior.leadership is not None,
            }
        )
    return rows


def _panel(record: WarbandRecord, warrior: SheetWarrior) -> Fields | None:
    """What stands under a row whose options are open."""
    # A roster that is stored nowhere has entries without ids, and nothing to open.
    choices = choices_for(record, warrior.id or 0)
    if choices is None:
        return None
    system = registry.system_of(record.roster)
    entry = choices.selection.entry
    changes = effects(system, record.roster.army, entry, choices.groups)
    groups = [
        _option_group(group, choices, f"c{warrior.id}-{place}", changes)
        for place, group in enumerate(choices.groups)
    ]
    name = f"c{warrior.id}-magic"
    magic = [
        (kind, [_option_line(choice, choices, name, "checkbox") for choice in items])
        for kind, items in choices.magic
    ]
    # What the points are made of: of each miniature, then of all together.
    lines, once = [], []
    for item in choices.selection.receipt:
        if item.is_once:
            once.append((f"{item.label}, once", item.points))
            continue
        times = f", {item.times} of them" if item.times > 1 else ""
        lines.append((f"{item.label}{times}", item.points))
    count = choices.selection.entry.count
    if count > 1:
        lines.append((f"Each of the {count}", choices.selection.points_each))
    return {
        "id": str(choices.warrior_id),
        "choices": choices,
        "groups": groups,
        "magic": magic,
        "has_magic": bool(choices.selection.magic_items),
        "magic_left": magic_left(choices),
        "receipt": lines + once,
        "measured_against": yardstick_words(system) if changes else "",
    }


def _option_group(
    group: ChoiceGroup, choices: WarriorChoices, name: str, changes: TextByKey
) -> Fields:
    """The choices of one group; ``changes`` are what options change in the odds, by key."""
    kind, hint = "checkbox", "any"
    if group.is_exclusive:
        is_needed = group.is_required or not group.nothing
        kind, hint = "radio", "choose one" if is_needed else "one or none"
    lines = []
    for choice in (group.nothing, *group.choices):
        if choice is None:
            continue
        line = _option_line(choice, choices, name, kind)
        effect = changes.get(choice.key)
        line["group"] = group.key if group.is_exclusive else ""
        line["effect"] = f"{capital(effect)}." if effect else ""
        lines.append(line)
    return {"title": group.name, "hint": hint, "lines": lines}


def magic_left(choices: WarriorChoices) -> str:
    """What is spent on magic items of what may be, in words."""
    selection, unit = choices.selection, choices.currency.name
    allowance = selection.profile.magic_allowance if selection.profile else 0
    if not allowance:
        return "none allowed to this unit"
    return f"{selection.magic_spent} of {allowance} {unit}"


def _option_line(choice: Choice, choices: WarriorChoices, name: str, kind: str) -> Fields:
    """One choice with its input: the warband's total if it is taken, and how far above the limit
    that is.

    Below it stand a long detail and its note.
    """
    if choice.maximum > 1:
        name, kind = f"n{choices.warrior_id}-{choice.key}", "number"
    is_short = len(choice.detail) <= SHORT_DETAIL
    below = ("" if is_short else f"{capital(choice.detail)}.", choice.note)
    total = choices.total + choice.change
    return {
        "choice": choice,
        "name": name,
        "kind": kind,
        "total": total,
        "over": points_over(choices.limit, total),
        "why": " ".join(filter(None, below)),
        "group": "",
        "effect": "",
        "detail": choice.detail if is_short else "",
        # To take nothing is no part of a profile.
        "is_included": bool(choice.key) and choice.is_taken and not choice.times,
        # What to take off and what to take instead.
        "swap": f"{choice.swaps[0]} {choice.key}" if choice.swaps else "",
    }


def first_choices(categories: Iterable[PickerCategory]) -> list[PickerProfile]:
    """Whom an empty roster might begin with: whom the list calls a leader, else characters
    that fit, else others.
    """
    characters: list[PickerProfile] = []
    others: list[PickerProfile] = []
    for category, profiles in categories:
        able = [profile for profile in profiles if profile.is_offered and not profile.over]
        (characters if category.is_character else others).extend(able)
    leaders = [profile for profile in characters if profile.is_leader]
    return leaders or characters[:6] or others[:4]


@lru_cache(maxsize=4000)
def army_line(profile: PickerProfile, currency: Currency | None) -> SafeString:
    """A line of the army list, drawn; without a ``currency`` it shows no price.

    It is the same in every warband, so most have been drawn before.
    """
    return render_to_string(
        "warbands/builder/profile.html", {"profile": profile, "currency": currency}
    )


def _issues(record: WarbandRecord, sheet: RosterSheet) -> Fields:
    """The first error or warning, and the other issues with their number by level."""
    lines = finding_lines(record, sheet.findings[:FINDINGS_SHOWN])
    urgent = [line for line in lines[:1] if line["level"] in URGENT]
    further = lines[len(urgent) :]
    badges = [
        (level, f"{number} {level}{'s' if number > 1 and level in COUNTED else ''}")
        for level, number in Counter(line["level"] for line in further).items()
    ]
    return {"urgent": urgent, "further": further, "further_badges": badges}


def roster_context(
    record: WarbandRecord,
    *,
    opened: Iterable[int] = (),
    notice: Fields | None = None,
    message: str = "",
) -> Fields:
    """Everything the roster, its findings and the bar are drawn from."""
    sheet, roster = sheet_of(record), record.roster
    system = registry.system_of(roster)
    army = registry.printed_army(roster.system, roster.army)
    home = reverse("warband-read", args=[record.token])
    lines = roll_rows(record, sheet, home, opened)
    panels = [row["panel"]["id"] for row in lines if row["panel"]]
    # What the list calls those who lead, in the order of the builder: Heroes.
    characters = (kind.plural for kind in reversed(army.categories) if kind.is_character)
    # How many models the system advises at most.
    advised = (rule for rule in system.guidelines if rule.kind == "models_max")
    maximums = (int(rule.parameters["maximum"]) for rule in advised)
    is_empty = not lines and record.may_build
    key = page_key()
    return {
        "record": record,
        "sheet": sheet,
        "rows": lines,
        "head_lines": head_lines(sheet.growth),
        **_issues(record, sheet),
        "firsts": first_choices(load_picker(record)) if is_empty else (),
        "stat_names": [stat.key for stat in sheet.stats],
        "models_max": next(maximums, None),
        "key": key,
        "forms": {"version": record.version, "key": key, "open": ",".join(panels)},
        "characters": next(characters, "characters"),
        "army_note": army.note,
        "notice": notice,
        "said": message,
        "home": home,
    }
