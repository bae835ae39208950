"""The only writers of people's scenarios. What the packs hold is written by the load alone."""

import secrets
import unicodedata
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from accounts.access import is_club_member
from accounts.owner import Owner
from engine.errors import Refusal
from engine.records import NamedValues, frozen_dataclass
from engine.types.systems import Scenario
from rulesdata import access
from rulesdata.models import Origin, ScenarioVisibility
from rulesdata.models import Scenario as ScenarioRow
from rulesdata.operations.own_lists import clean_field, find_system_row
from rulesdata.queries.lookup import NotInRuleBook, find_book, list_guidelines
from rulesdata.queries.scenarios import OWN_PREFIX
from rulesdata.signals import scenario_changed
from rulesdata.text import folded

NAME_MAX = 100
LINE_MAX = 300
TEXT_MAX = 2000
RULES_MAX = 12
SIDES_MAX = 4
POINTS_MAX = 100_000
OWN_MAX = 200


@frozen_dataclass
class ScenarioDraft:
    """A scenario as a person wrote it, who may see it, and the id of the club it is shared with.

    Of the scenario's sides each has a ``name``, ``points`` of its warband (None: as agreed), and a
    ``role``: what it does there.
    """

    scenario: Scenario
    visibility: str = ScenarioVisibility.PRIVATE
    club: int | None = None


def create_scenario(actor: Owner, system_key: str, draft: ScenarioDraft) -> str:
    """Store a scenario of this person's own and return its token.

    Raises Refusal naming the field, or NotInRuleBook.
    """
    if not actor.is_person:
        raise Refusal("Sign in to write scenarios.")
    fields = _checked(actor, system_key, draft)
    with transaction.atomic():
        system = find_system_row(system_key)
        if ScenarioRow.objects.filter(access.changeable_by(actor)).count() >= OWN_MAX:
            raise Refusal(f"You have {OWN_MAX} scenarios, the maximum for one person.")
        row = ScenarioRow.objects.create(
            system=system,
            # The token is all that protects a scenario shared by its link.
            key=secrets.token_urlsafe(12),
            origin=Origin.OWN,
            author_id=actor.user_id,
            **fields,
        )
    return row.key


def change_scenario(
    actor: Owner, system_key: str, token: str, draft: ScenarioDraft
) -> None:
    """Write a scenario anew.

    Raises Refusal naming the field, or NotInRuleBook when it is not this person's.
    """
    fields = _checked(actor, system_key, draft)
    with transaction.atomic():
        row = _locked(actor, system_key, token)
        waived = row.waives
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        # Warbands that carry the scenario count their findings again, which is work.
        if row.waives != waived:
            transaction.on_commit(
                lambda: scenario_changed.send(sender=None, key=f"{OWN_PREFIX}{token}")
            )


def archive_scenario(
    actor: Owner, system_key: str, token: str, *, is_archived: bool = True
) -> None:
    """Put a scenario away, or bring it back where it is not to be archived.

    Warbands that carry an archived one keep it, lists leave it out. Raises NotInRuleBook.
    """
    with transaction.atomic():
        row = _locked(actor, system_key, token)
        row.retired_at = (row.retired_at or timezone.now()) if is_archived else None
        row.save(update_fields=["retired_at", "changed_at"])


def _locked(actor: Owner, system_key: str, token: str) -> ScenarioRow:
    """Return the scenario, locked, if the actor may change it, else NotInRuleBook."""
    rows = ScenarioRow.objects.select_for_update(of=("self",)).filter(
        access.changeable_by(actor), system__key=system_key
    )
    row = rows.filter(key=token).first()
    if row is None:
        raise NotInRuleBook("There is no such scenario, or it is not yours to change.")
    return row


def _checked(actor: Owner, system_key: str, draft: ScenarioDraft) -> dict[str, object]:
    """The columns of a scenario, everything in them checked."""
    system, scenario = find_book(system_key), draft.scenario
    name = clean_field(scenario.name, "name", "Name", NAME_MAX)
    if not name:
        raise Refusal(
            "Name: give the scenario a name, so that others can choose it.", field="name"
        )
    summary = _text(scenario.summary, "summary", "Summary", LINE_MAX)
    waivable = {
        guideline.code for guideline in list_guidelines(system) if guideline.is_waivable
    }
    for code in scenario.waives:
        if code not in waivable:
            message = f"Waived guidelines: “{code[:40]}” is none that a scenario may waive."
            raise Refusal(message, field="waives")
    if draft.visibility not in ScenarioVisibility.values:
        choices = ", ".join(ScenarioVisibility.values)
        raise Refusal(f"Who can see it: choose one of {choices}.", field="visibility")
    if draft.visibility == ScenarioVisibility.CLUB and not is_club_member(
        actor, draft.club
    ):
        raise Refusal("Club: choose one of your clubs.", field="club")
    if not 1 <= len(scenario.sides) <= SIDES_MAX:
        raise Refusal(f"Sides: a scenario has 1 to {SIDES_MAX} sides.", field="sides")
    return {
        "name": name,
        "summary": summary,
        "sides": [
            _side(f"Side {number}", side) for number, side in enumerate(scenario.sides, 1)
        ],
        "setup": _text(scenario.setup, "setup", "Setup", TEXT_MAX),
        "objectives": _text(scenario.objectives, "objectives", "Objectives", TEXT_MAX),
        "special_rules": _rules(scenario.special_rules),
        "length": clean_field(scenario.length, "length", "Length", LINE_MAX),
        "waives": list(dict.fromkeys(scenario.waives)),
        "visibility": draft.visibility,
        "club_id": draft.club if draft.visibility == ScenarioVisibility.CLUB else None,
        "search": folded(f"{name} {summary}"),
    }


def _side(what: str, side: NamedValues) -> dict[str, object]:
    """Return a side with its name, points and role; raise Refusal for a bad one."""
    name = clean_field(side["name"], "sides", f"{what}, name,", NAME_MAX)
    if not name:
        raise Refusal(
            f"{what}, name: give this side a name, such as Attacker.", field="sides"
        )
    points = side.get("points")
    if points is not None and (isinstance(points, bool) or not 0 <= points <= POINTS_MAX):
        limits = f"a whole number from 0 to {POINTS_MAX:,}, or nothing for as agreed"
        raise Refusal(f"{what}, points: {limits}.", field="sides")
    role = clean_field(side.get("role", ""), "sides", f"{what}, role,", LINE_MAX)
    return {"name": name, "points": points, "role": role}


def _rules(rules: Iterable[str]) -> list[str]:
    """Return the special rules, one for each line; raise Refusal for too many."""
    what = "Special rules: one line"
    lines = (clean_field(rule, "special_rules", what, LINE_MAX) for rule in rules)
    cleaned = list(filter(None, lines))
    if len(cleaned) > RULES_MAX:
        message = f"Special rules: at most {RULES_MAX} lines; there are {len(cleaned)}."
        raise Refusal(message, field="special_rules")
    return cleaned


def _text(value: str, name: str, label: str, limit: int) -> str:
    """Text of several lines, each cleaned; the limit is for all of it."""
    # A text far too long is refused as it is, so that composing its signs works on little.
    plain = value
    if len(value) <= limit * 2:
        composed = unicodedata.normalize("NFC", value)
        plain = composed.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(plain) > limit:
        message = f"{label} may have at most {limit} characters; this has {len(plain)}."
        raise Refusal(message, field=name)
    return "\n".join(clean_field(line, name, label, limit) for line in plain.split("\n"))
