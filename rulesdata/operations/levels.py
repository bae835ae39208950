"""How seriously a club takes the guidelines of a system; its events begin with these levels."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from accounts.owner import Owner
from engine.errors import Refusal
from rulesdata import registry
from rulesdata.models import ClubLevels, System
from rulesdata.operations.own_lists import organised_club
from rulesdata.queries.lookup import NotInRuleBook, guidelines_of

LEVELS = ("error", "warning", "note", "off")


def set_levels(actor: Owner, club_slug: str, system_key: str, levels: Mapping[str, str]) -> None:
    """Keep the levels that differ from the system's own; the others are left to the system.

    Raises Refusal naming the code, NotAllowed for members who do not run the club, NotInTheBook for
    everybody else.
    """
    try:
        guidelines = {
            guideline.code: guideline for guideline in guidelines_of(registry.load_base(system_key))
        }
    except registry.UnknownKey as error:
        raise NotInRuleBook(str(error)) from None
    for code, level in levels.items():
        if code not in guidelines:
            raise Refusal(f"“{code[:40]}” is no guideline of this system.", field=code)
        if level not in LEVELS:
            raise Refusal(
                f"{guidelines[code].title or code}: choose one of {', '.join(LEVELS)}.", field=code
            )
    kept = {code: level for code, level in levels.items() if level != guidelines[code].level}
    with transaction.atomic():
        club = organised_club(actor, club_slug)
        system = System.objects.filter(key=system_key, retired_at__isnull=True).first()
        if system is None:
            raise NotInRuleBook(f"There is no rule system '{system_key[:60]}'.")
        ClubLevels.objects.update_or_create(club=club, system=system, defaults={"levels": kept})
