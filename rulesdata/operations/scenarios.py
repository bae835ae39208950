"""The only writers of people's scenarios. What the packs hold is written by the load alone."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.access import is_club_member
from accounts.owner import Owner
from accounts.text import clean_line
from engine.errors import Refusal
from rulesdata import access, registry
from rulesdata.models import Origin, Scenario, ScenarioVisibility, System
from rulesdata.queries.lookup import NotInRuleBook, guidelines_of
from rulesdata.queries.scenarios import OWN_PREFIX
from rulesdata.queries.search_index import folded
from rulesdata.signals import scenario_changed

NAME_MAX = 100
LINE_MAX = 300
TEXT_MAX = 2000
RULES_MAX = 12
SIDES_MAX = 4
POINTS_MAX = 100_000
OWN_MAX = 200


@dataclass(frozen=True, slots=True)
class ScenarioSide:
    """One side: ``points`` of its warband, None for as agreed; ``role`` is what it does there."""

    name: str
    points: int | None = None
    role: str = ""


@dataclass(frozen=True, slots=True)
class ScenarioDraft:
    """A scenario as a person wrote it.

    ``waives`` are codes of guidelines, ``club`` the id it is shared with.
    """

    name: str
    summary: str = ""
    sides: tuple[ScenarioSide, ...] = ()
    setup: str = ""
    objectives: str = ""
    special_rules: tuple[str, ...] = ()
    length: str = ""
    waives: tuple[str, ...] = ()
    visibility: str = ScenarioVisibility.PRIVATE
    club: int | None = None


def create_scenario(actor: Owner, system_key: str, draft: ScenarioDraft) -> str:
    """Store a scenario of this person's own and return its token.

    Raises Refusal naming the field, or NotInTheBook.
    """
    if not actor.is_person:
        raise Refusal("Sign in to write scenarios.")
    fields = _checked(actor, system_key, draft)
    with transaction.atomic():
        system = System.objects.filter(key=system_key, retired_at__isnull=True).first()
        if system is None:
            raise NotInRuleBook(f"There is no rule system '{system_key[:60]}'.")
        if Scenario.objects.filter(access.changeable_by(actor)).count() >= OWN_MAX:
            raise Refusal(f"You have {OWN_MAX} scenarios, which is the most one person may keep.")
        row = Scenario.objects.create(
            system=system,
            key=secrets.token_urlsafe(12),
            origin=Origin.OWN,
            author_id=actor.user_id,
            **fields,
        )
    return row.key


def change_scenario(actor: Owner, system_key: str, token: str, draft: ScenarioDraft) -> None:
    """Write a scenario anew.

    Raises Refusal naming the field, or NotInTheBook when it is not this person's.
    """
    fields = _checked(actor, system_key, draft)
    with transaction.atomic():
        row = _locked(actor, system_key, token)
        waived = row.waives
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        if row.waives != waived:
            transaction.on_commit(
                lambda: scenario_changed.send(sender=None, key=f"{OWN_PREFIX}{token}")
            )


def archive_scenario(actor: Owner, system_key: str, token: str) -> None:
    """Put a scenario away: warbands that carry it keep it, lists leave it out.

    Raises NotInTheBook.
    """
    with transaction.atomic():
        row = _locked(actor, system_key, token)
        row.retired_at = row.retired_at or timezone.now()
        row.save(update_fields=["retired_at", "changed_at"])


def restore_scenario(actor: Owner, system_key: str, token: str) -> None:
    """Bring an archived scenario back. Raises NotInTheBook."""
    with transaction.atomic():
        row = _locked(actor, system_key, token)
        row.retired_at = None
        row.save(update_fields=["retired_at", "changed_at"])


def _locked(actor: Owner, system_key: str, token: str) -> Scenario:
    rows = Scenario.objects.select_for_update(of=("self",)).filter(
        access.changeable_by(actor), system__key=system_key
    )
    row = rows.filter(key=token).first()
    if row is None:
        raise NotInRuleBook("There is no such scenario, or it is not yours to change.")
    return row


def _checked(actor: Owner, system_key: str, draft: ScenarioDraft) -> dict[str, object]:
    """The columns of a scenario, everything in them checked."""
    try:
        system = registry.load_base(system_key)
    except registry.UnknownKey as error:
        raise NotInRuleBook(str(error)) from None
    name = _line(draft.name, "name", "Name", NAME_MAX)
    if not name:
        raise Refusal("Name: give the scenario a name, so that others can choose it.", field="name")
    summary = _text(draft.summary, "summary", "Summary", LINE_MAX)
    known = {guideline.code for guideline in guidelines_of(system) if guideline.is_waivable}
    for code in draft.waives:
        if code not in known:
            raise Refusal(
                f"Waived guidelines: “{code[:40]}” is none that a scenario may waive.",
                field="waives",
            )
    _check_sharing(actor, draft)
    return {
        "name": name,
        "summary": summary,
        "sides": _sides(draft.sides),
        "setup": _text(draft.setup, "setup", "Setup", TEXT_MAX),
        "objectives": _text(draft.objectives, "objectives", "Objectives", TEXT_MAX),
        "special_rules": _rules(draft.special_rules),
        "length": _line(draft.length, "length", "Length", LINE_MAX),
        "waives": list(dict.fromkeys(draft.waives)),
        "visibility": draft.visibility,
        "club_id": draft.club if draft.visibility == ScenarioVisibility.CLUB else None,
        "search": folded(f"{name} {summary}"),
    }


def _check_sharing(actor: Owner, draft: ScenarioDraft) -> None:
    if draft.visibility not in ScenarioVisibility.values:
        raise Refusal(
            f"Who may see it: choose one of {', '.join(ScenarioVisibility.values)}.",
            field="visibility",
        )
    if draft.visibility == ScenarioVisibility.CLUB and not is_club_member(actor, draft.club):
        raise Refusal("Club: choose one of your clubs.", field="club")


def _sides(sides: Sequence[ScenarioSide]) -> list[dict[str, object]]:
    if not 1 <= len(sides) <= SIDES_MAX:
        raise Refusal(f"Sides: a scenario has 1 to {SIDES_MAX} sides.", field="sides")
    found: list[dict[str, object]] = []
    for number, side in enumerate(sides, 1):
        what = f"Side {number}"
        name = _line(side.name, "sides", f"{what}, name,", NAME_MAX)
        if not name:
            raise Refusal(f"{what}, name: give this side a name, such as Attacker.", field="sides")
        points = side.points
        if points is not None and (isinstance(points, bool) or not 0 <= points <= POINTS_MAX):
            message = (
                f"{what}, points: a whole number from 0 to {POINTS_MAX:,}, or nothing for as "
                "agreed."
            )
            raise Refusal(message, field="sides")
        found.append(
            {
                "name": name,
                "points": points,
                "role": _line(side.role, "sides", f"{what}, role,", LINE_MAX),
            }
        )
    return found


def _rules(rules: Iterable[str]) -> list[str]:
    found = [
        line
        for rule in rules
        if (line := _line(rule, "special_rules", "Special rules: one line", LINE_MAX))
    ]
    if len(found) > RULES_MAX:
        raise Refusal(
            f"Special rules: at most {RULES_MAX} lines; there are {len(found)}.",
            field="special_rules",
        )
    return found


def _line(value: str, name: str, label: str, limit: int) -> str:
    try:
        return clean_line(value, field=label, limit=limit)
    except Refusal as refusal:
        raise Refusal(refusal.message, field=name) from None


def _text(value: str, name: str, label: str, limit: int) -> str:
    """Text of several lines, each cleaned; the limit is for all of it."""
    if len(value) > limit * 2:  # so that the rest works on little
        raise Refusal(
            f"{label} may have at most {limit} characters; this has {len(value)}.", field=name
        )
    plain = unicodedata.normalize("NFC", value).replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(plain) > limit:
        raise Refusal(
            f"{label} may have at most {limit} characters; this has {len(plain)}.", field=name
        )
    return "\n".join(_line(line, name, label, limit) for line in plain.split("\n"))
