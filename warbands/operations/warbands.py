"""Changes to a warband as a whole: make, rename, share, copy, archive, undo, delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.access import is_club_member
from accounts.errors import Fault, FaultyDocument, NotFound, Refusal
from accounts.owner import Owner
from engine.roster import MAX_LIMIT, Roster, RosterEntry
from engine.types.systems import System
from rulesdata import registry
from warbands import rulebook
from warbands.access import changeable_by
from warbands.exchange import document
from warbands.exchange.document import clean_text, shown
from warbands.models import NAME_MAX, NOTE_MAX, Warband, WarbandEvent, WarbandVisibility
from warbands.operations.rows import restore_snapshot
from warbands.operations.transaction import (
    UNSET,
    ChangeResult,
    LockedWarband,
    Unset,
    WriteContext,
    WriteResult,
    apply_change,
    apply_creation,
    insert_warband,
    lock_warband,
)
from warbands.queries.records import NO_NAME
from warbands.queries.starters import starter
from warbands.queries.warbands import is_token, read_warband, roster_of

COPY_WORDS = " (copy)"


def checked_limit(limit: int | None) -> int | None:
    """A points limit, or None for none agreed; raises Refusal outside 0 to 100,000."""
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MAX_LIMIT:
        raise Refusal(
            f"The points limit must be a whole number from 0 to {MAX_LIMIT:,}, or empty.",
            field="points_limit",
        )
    return limit


@dataclass(frozen=True, slots=True)
class WarbandDraft:
    """A warband to be made: its roster as somebody asked for it, not checked yet.

    With ``has_usual_limit`` it takes the system's usual points limit, whatever the roster says.
    """

    roster: Roster
    has_usual_limit: bool = False
    visibility: str = WarbandVisibility.PRIVATE
    club_id: int | None = None


def create_warband(actor: Owner, draft: WarbandDraft, *, key: str = "") -> ChangeResult:
    """Make a warband without warriors.

    Raises Refusal that names the field which cannot be.
    """
    asked, roster = draft.roster, _checked_draft(actor, draft)
    shared = _checked_sharing(actor, actor.user_id, draft.visibility, draft.club_id)
    limit = "default" if draft.has_usual_limit else asked.points_limit
    arguments = (
        asked.system, asked.army, asked.name, limit, asked.variant, asked.scenario, roster.house_rules, roster.tags,
        draft.visibility, draft.club_id, asked.note,
    )  # fmt: skip
    words = f"Made the warband {roster.name}".strip()
    return apply_creation(
        WriteContext(actor, "", "create_warband", arguments, key=key),
        lambda: insert_warband(actor, roster, "create_warband", words, **shared),
    )


def _checked_draft(actor: Owner, draft: WarbandDraft) -> Roster:
    """The roster of a draft, every field of it checked."""
    asked = draft.roster
    system = _system(asked.system)
    if not rulebook.may_choose_army(actor, asked.system, asked.army):
        raise Refusal(
            f"{system.name} has no army {shown(asked.army)}. Choose one of its armies.",
            field="army",
        )
    system = _variant(system, asked.variant)
    usual = system.default_limit
    return Roster(
        system=asked.system,
        army=asked.army,
        name=clean_text("name", asked.name, NAME_MAX),
        points_limit=usual if draft.has_usual_limit else checked_limit(asked.points_limit),
        variant=asked.variant,
        scenario=_checked_scenario(actor, asked.system, asked.scenario),
        house_rules=_checked_rules(system, asked.house_rules),
        tags=_checked_tags(system, asked.tags),
        note=clean_text("note", asked.note, NOTE_MAX, many_lines=True),
    )


def create_from_starter(actor: Owner, starter_key: str, *, key: str = "") -> ChangeResult:
    """A copy of a starter warband, to be changed like any other."""
    found = starter(starter_key)
    if found is None:
        raise NotFound("starter")
    call = WriteContext(actor, "", "create_from_starter", (starter_key,), key=key)
    return apply_creation(
        call,
        lambda: insert_warband(
            actor, found.roster, "create_from_starter", f"Took over “{found.name}”"
        ),
    )


def import_document(actor: Owner, data: object, *, key: str = "") -> ChangeResult:
    """A new warband from a roster document; raises FaultyDocument with everything that is wrong with
    it.
    """
    roster = _parse(actor, data)
    call = WriteContext(actor, "", "import_document", (document.to_document(roster),), key=key)
    words = f"Read {len(roster.warriors)} entries from a document"
    return apply_creation(call, lambda: insert_warband(actor, roster, "import_document", words))


def _parse(actor: Owner, data: object, token: str = "") -> Roster:
    return document.parse(
        data,
        knows_scenario=lambda system, key: rulebook.may_choose_scenario(actor, system, key),
        knows_army=lambda system, key: (
            rulebook.may_choose_army(actor, system, key) or _has_army(actor, token, key)
        ),
    )


def _has_army(actor: Owner, token: str, key: str) -> bool:
    """Whether the actor's warband is of this army: it keeps a list that its club has put away
    since.
    """
    return (
        bool(token) and Warband.objects.filter(changeable_by(actor), token=token, army=key).exists()
    )


def replace_roster(
    actor: Owner, token: str, data: object, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """The document's roster in the place of what is there; its system, variant and army must be the
    warband's own.
    """
    roster = _parse(actor, data, token if is_token(token) else "")

    def work(draft: LockedWarband) -> WriteResult:
        for name in ("system", "variant", "army"):
            mine, theirs = getattr(draft.roster, name), getattr(roster, name)
            if mine != theirs:
                raise FaultyDocument(
                    [Fault(name, f"{name} must be {mine}, the warband's own, not {theirs}.")]
                )
        new = replace(roster, warriors=_with_ids(draft.roster.warriors, roster.warriors))
        return WriteResult(new, f"Replaced by a document of {len(roster.warriors)} entries")

    return apply_change(
        WriteContext(actor, token, "replace_roster", (document.to_document(roster),), version, key),
        work,
    )


def _with_ids(
    old: tuple[RosterEntry, ...], new: tuple[RosterEntry, ...]
) -> tuple[RosterEntry, ...]:
    """New entries keep the ids of old ones of the same profile, in order."""
    free: dict[str, list[int]] = {}
    for entry in old:
        if entry.id is not None:
            free.setdefault(entry.profile, []).append(entry.id)
    return tuple(replace(e, id=free[e.profile].pop(0)) if free.get(e.profile) else e for e in new)


def change_warband(
    actor: Owner,
    token: str,
    *,
    name: str | Unset = UNSET,
    points_limit: int | Unset | None = UNSET,
    scenario: str | Unset | None = UNSET,
    house_rules: Mapping[str, bool] | Unset = UNSET,
    tags: Sequence[str] | Unset = UNSET,
    note: str | Unset = UNSET,
    visibility: str | Unset = UNSET,
    club_id: int | Unset | None = UNSET,
    version: int | None = None,
    key: str = "",
) -> ChangeResult:
    """Its name, limit, scenario, house rules, note, and who may read it; an undo leaves the sharing
    alone.
    """
    asked = {
        "name": name,
        "points_limit": points_limit,
        "scenario": scenario,
        "house_rules": house_rules,
        "tags": tags,
        "note": note,
    }
    given = {field: value for field, value in asked.items() if value is not UNSET}
    for field, check in _CHECKED_AT_ONCE.items():
        if field in given:
            given[field] = check(given[field])

    def work(draft: LockedWarband) -> WriteResult:
        old = draft.roster
        roster = replace(old, **_checked_changes(draft, given))
        fields = _new_sharing(draft, visibility, club_id)
        return WriteResult(roster, _words(old, roster, fields), fields=fields)

    values = (name, points_limit, scenario, house_rules, tags, note, visibility, club_id)
    arguments = tuple("KEEP" if value is UNSET else value for value in values)
    return apply_change(WriteContext(actor, token, "change_warband", arguments, version, key), work)


# What can be checked before the warband is locked.
_CHECKED_AT_ONCE: dict[str, Callable[[Any], Any]] = {
    "name": lambda name: clean_text("name", name, NAME_MAX),
    "note": lambda note: clean_text("note", note, NOTE_MAX, many_lines=True),
    "points_limit": checked_limit,
}


def _checked_changes(draft: LockedWarband, given: Mapping[str, Any]) -> dict[str, Any]:
    """The new fields of the roster; raises Refusal for what its system does not have."""
    new, system = dict(given), draft.system
    # A scenario that nobody may choose any more stays where it was chosen before.
    if new.get("scenario", draft.roster.scenario) != draft.roster.scenario:
        new["scenario"] = _checked_scenario(draft.actor, system.key, new["scenario"])
    if "house_rules" in new:
        new["house_rules"] = _checked_rules(system, new["house_rules"])
    if "tags" in new:
        new["tags"] = _checked_tags(system, new["tags"])
    return new


def _new_sharing(
    draft: LockedWarband, visibility: str | Unset, club_id: int | Unset | None
) -> dict[str, Any]:
    warband = draft.warband
    seen = warband.visibility if visibility is UNSET else visibility
    club = warband.club_id if club_id is UNSET else club_id
    if (seen, club) == (warband.visibility, warband.club_id):
        return {}
    return _checked_sharing(draft.actor, warband.owner_id, seen, club)


def _words(old: Roster, new: Roster, fields: Mapping[str, Any]) -> str:
    """What was changed, in words."""
    words = [
        told(new) for name, told in _CHANGES.items() if getattr(old, name) != getattr(new, name)
    ]
    if "visibility" in fields:
        words.append(f"May be read by: {WarbandVisibility(fields['visibility']).label.lower()}")
    return "; ".join(words) or "Nothing changed"


def _limit_words(new: Roster) -> str:
    return "No points limit" if new.points_limit is None else f"Points limit {new.points_limit}"


def _scenario_words(new: Roster) -> str:
    found = rulebook.load_scenario(new.system, new.scenario)
    return f"Scenario “{found.name}”" if found else "No scenario"


# How a change of each field is told, in this order.
_CHANGES: dict[str, Callable[[Roster], str]] = {
    "name": lambda new: f"Renamed “{new.name or NO_NAME}”",
    "points_limit": _limit_words,
    "scenario": _scenario_words,
    "house_rules": lambda new: "House rules changed",
    "tags": lambda new: "Tags changed",
    "note": lambda new: "Note changed",
}


def _system(key: str) -> System:
    try:
        return registry.load_base(key)
    except registry.UnknownKey:
        raise Refusal(
            f"There is no rule system {shown(key)}. Choose one of the list.", field="system"
        ) from None


def _variant(base: System, variant: str | None) -> System:
    """The system to play by; Refusal where it has variants and none of them is named, or where it
    has none.
    """
    if variant is not None and variant not in base.variant_keys:
        known = (
            f"Choose one of {', '.join(base.variant_keys)}." if base.variants else "It has none."
        )
        raise Refusal(f"{base.name} has no variant {shown(variant)}. {known}", field="variant")
    if variant is None and base.variants:
        raise Refusal(
            f"Choose a variant of {base.name}: {', '.join(base.variant_keys)}.", field="variant"
        )
    return registry.load_system(base.key, variant)


def _checked_tags(system: System, tags: Sequence[str]) -> tuple[str, ...]:
    known = {tag.key for tag in system.tags}
    for key in tags:
        if key not in known:
            raise Refusal(f"{system.name} has no tag {shown(key)}.", field="tags")
    return tuple(dict.fromkeys(tags))


def _checked_scenario(actor: Owner, system: str, key: str | None) -> str | None:
    if not key:
        return None
    if not rulebook.may_choose_scenario(actor, system, key):
        raise Refusal(
            f"There is no scenario {shown(key)}. Choose one of the list, or none.", field="scenario"
        )
    return key


def _checked_rules(system: System, rules: Mapping[str, bool]) -> dict[str, bool]:
    known = {rule.key for rule in system.house_rules}
    for key, flag in rules.items():
        if key not in known:
            raise Refusal(f"{system.name} has no house rule {shown(key)}.", field="house_rules")
        if not isinstance(flag, bool):
            raise Refusal(f"The house rule {shown(key)} must be on or off.", field="house_rules")
    return dict(rules)


def _checked_sharing(
    actor: Owner, owner_id: int | None, visibility: str, club_id: int | None
) -> dict[str, Any]:
    if visibility not in WarbandVisibility.values:
        raise Refusal(
            (
                f"{shown(visibility)} is not one of the ways to share: "
                f"{', '.join(WarbandVisibility.values)}."
            ),
            field="visibility",
        )
    if owner_id is None and (visibility != WarbandVisibility.PRIVATE or club_id is not None):
        raise Refusal(
            "Sign in first: a warband made without an account is shown to nobody else.",
            field="visibility",
        )
    if club_id is not None and not is_club_member(actor, club_id):
        raise Refusal("Choose one of the clubs you belong to.", field="club_id")
    if visibility == WarbandVisibility.CLUB and club_id is None:
        raise Refusal("Choose the club whose members may read it.", field="club_id")
    return {"visibility": visibility, "club_id": club_id}


def undo_last_change(
    actor: Owner, token: str, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """Takes back the last change of the roster; again, the one before.

    Sharing and the archive stay as they are.
    """

    def work(draft: LockedWarband) -> WriteResult:
        head = draft.warband.undo_head
        event = (
            WarbandEvent.objects.filter(warband=draft.warband, version=head).first()
            if head
            else None
        )
        if event is None or event.before is None:
            raise Refusal("There is nothing to undo.")
        roster, paid = restore_snapshot(draft.roster, event.before)
        return WriteResult(roster, f"Undid: {event.summary}", paid=paid, undoes=event)

    return apply_change(WriteContext(actor, token, "undo_last_change", (), version, key), work)


def duplicate_warband(actor: Owner, token: str, *, key: str = "") -> ChangeResult:
    """A private copy of a warband that the actor may see, without its history."""

    def make() -> ChangeResult:
        source = read_warband(actor, token)
        if source is None:
            raise NotFound("warband")
        roster = roster_of(*source)
        if rulebook.is_of_a_club(roster.army) and not rulebook.may_choose_army(
            actor, roster.system, roster.army
        ):
            raise Refusal(
                "Its army list belongs to a club, whose members alone muster from it while "
                "it is offered."
            )
        scenario = roster.scenario
        if scenario and not rulebook.may_choose_scenario(actor, roster.system, scenario):
            scenario = None
        name = f"{(roster.name or NO_NAME)[: NAME_MAX - len(COPY_WORDS)]}{COPY_WORDS}"
        warriors = tuple(replace(entry, id=None, kept=None) for entry in roster.warriors)
        copy = replace(roster, name=name, scenario=scenario, warriors=warriors)
        return insert_warband(
            actor, copy, "duplicate_warband", f"Copied from “{roster.name or NO_NAME}”"
        )

    return apply_creation(WriteContext(actor, token, "duplicate_warband", key=key), make)


def archive_warband(
    actor: Owner, token: str, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """Out of the way, kept as it is."""
    return _set_archived(actor, token, True, version, key)


def restore_warband(
    actor: Owner, token: str, *, version: int | None = None, key: str = ""
) -> ChangeResult:
    """Back among the others."""
    return _set_archived(actor, token, False, version, key)


def _set_archived(
    actor: Owner, token: str, is_archived: bool, version: int | None, key: str
) -> ChangeResult:
    verb = "archive_warband" if is_archived else "restore_warband"

    def work(draft: LockedWarband) -> WriteResult:
        is_same = (draft.warband.archived_at is not None) == is_archived
        fields = {} if is_same else {"archived_at": timezone.now() if is_archived else None}
        return WriteResult(
            draft.roster,
            "Put into the archive" if is_archived else "Taken out of the archive",
            fields=fields,
        )

    return apply_change(
        WriteContext(actor, token, verb, (), version, key, is_for_archived=True), work
    )


def delete_warband(actor: Owner, token: str, typed_name: str) -> None:
    """Gone for good, with its history. The name must be typed as it is shown."""
    with transaction.atomic():
        warband = lock_warband(actor, token)
        if typed_name.strip() != (warband.name or NO_NAME).strip():
            raise Refusal(
                f"To delete it, type its name: {warband.name or NO_NAME}", field="typed_name"
            )
        warband.delete()
