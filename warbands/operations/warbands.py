"""Changes to a warband as a whole: make, rename, share, copy, archive, undo, delete."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from django.db import transaction
from django.utils import timezone

from accounts.access import is_club_member, owned_by
from accounts.errors import Fault, FaultyDocument, NotFound, Refusal, Stale
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.records import Fields, NamedValues, Texts, frozen_dataclass, is_int_within
from engine.roster import MAX_LIMIT, Roster, RosterEntry
from engine.types.systems import System
from rulesdata import registry
from rulesdata.agreements import checked_rulings
from rulesdata.own_lists import is_own
from rulesdata.queries.clubs import may_muster_from
from warbands import rulebook
from warbands.exchange import document
from warbands.exchange.document import clean_text, shown
from warbands.hooks import check_naming
from warbands.models import NAME_MAX, NOTE_MAX, Warband, WarbandEvent, WarbandVisibility
from warbands.operations.rows import restore_snapshot
from warbands.operations.transaction import (
    ARCHIVED,
    GROWN,
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
    apply_creation,
    insert_warband,
    lock_warband,
)
from warbands.queries.records import NO_NAME, WarbandRecord
from warbands.queries.starters import starter
from warbands.queries.warbands import read_warband, roster_of
from warbands.sheet.structure import with_growth_as_notes

COPY_WORDS = " (copy)"


def checked_limit(limit: int | None) -> int | None:
    """A points limit, or None for none agreed; raises Refusal outside 0 to 100,000."""
    if limit is None:
        return None
    if not is_int_within(limit, 0, MAX_LIMIT):
        raise Refusal(
            f"The points limit must be a whole number from 0 to {MAX_LIMIT:,}, or empty.",
            field="points_limit",
        )
    return limit


@frozen_dataclass
class WarbandDraft:
    """A warband to be made: its roster as somebody asked for it, not checked yet.

    With ``has_usual_limit`` it takes the system's usual points limit, whatever the roster says.
    """

    roster: Roster
    has_usual_limit: bool = False
    visibility: str = WarbandVisibility.PRIVATE
    club_id: int | None = None


def create_warband(context: WriteContext, draft: WarbandDraft) -> ChangeResult:
    """Make a warband without warriors.

    Raises Refusal that names the field which cannot be.
    """
    actor, asked = context.actor, draft.roster
    roster = _checked_draft(actor, draft)
    shared = _checked_sharing(actor, actor.user_id, draft.visibility, draft.club_id)
    limit = "default" if draft.has_usual_limit else asked.points_limit
    arguments = (
        asked.system, asked.army, asked.name, limit, asked.variant, asked.scenario,
        roster.house_rules, roster.rulings, roster.tags,
        draft.visibility, draft.club_id, asked.note,
    )  # fmt: skip
    made = WriteResult(roster, f"Created the warband {roster.name}".strip(), fields=shared)
    return apply_creation(context, "create_warband", arguments, lambda: made)


def _checked_draft(actor: Owner, draft: WarbandDraft) -> Roster:
    """The roster of a draft, every field of it checked."""
    asked = draft.roster
    system = _system(asked.system)
    if not may_muster_from(actor, asked.system, asked.army):
        raise Refusal(
            f"{system.name} has no army {shown(asked.army)}. Choose one of its armies.",
            field="army",
        )
    system = _variant(system, asked.variant)
    values = {name: check(getattr(asked, name)) for name, check in _CHECKS.items()}
    for name, check_for in _SYSTEM_CHECKS.items():
        values[name] = check_for(actor, system, getattr(asked, name))
    if draft.has_usual_limit:
        own = registry.printed_army(asked.system, asked.army).default_limit
        values["points_limit"] = system.usual_limit(own)
    return replace(asked, warriors=(), **values)


def create_from_starter(context: WriteContext, starter_key: str) -> ChangeResult:
    """A copy of a starter warband, to be changed like any other."""
    found = starter(starter_key)
    if found is None:
        raise NotFound("starter")
    made = WriteResult(found.roster, f"Copied from the starter “{found.name}”")
    return apply_creation(context, "create_from_starter", (starter_key,), lambda: made)


def import_document(context: WriteContext, data: object) -> ChangeResult:
    """A new warband from a roster document; raises FaultyDocument with everything that is wrong with
    it.
    """
    # What a campaign made of it elsewhere is told in notes: no campaign of this site wrote it.
    roster = with_growth_as_notes(_parse(context, data))
    made = WriteResult(roster, f"Read {len(roster.warriors)} entries from a document")
    asked = (document.to_document(roster),)
    return apply_creation(context, "import_document", asked, lambda: made)


def store_for_campaign(owner: Owner, roster: Roster) -> WarbandRecord:
    """Make a copy of a roster that belongs to a campaign; nobody changes it but the campaign.

    Call it within a transaction.
    """
    words = "Founded in a campaign"
    made = WriteResult(roster, words, fields={"is_grown": True})
    done = insert_warband(owner, made, "found")
    assert done.record is not None
    return done.record


def _parse(context: WriteContext, data: object) -> Roster:
    """The roster of a document, read with what its sender may choose.

    A warband keeps a list that its club has put away since, so the army that the context's warband
    has counts as known.
    """
    actor, token = context.actor, context.token

    # Asked of the packs and clubs first: the warband's own row takes a query.
    def knows_army(system: str, key: str) -> bool:
        if may_muster_from(actor, system, key):
            return True
        own = Warband.objects.filter(owned_by(actor), token=token, army=key)
        return is_token(token) and own.exists()

    return document.parse(
        data,
        knows_scenario=lambda system, key: rulebook.may_choose_scenario(actor, system, key),
        knows_army=knows_army,
    )


def replace_roster(context: WriteContext, data: object) -> ChangeResult:
    """The document's roster in the place of what is there; its system, variant and army must be the
    warband's own.
    """
    roster = with_growth_as_notes(_parse(context, data))

    def work(draft: LockedWarband) -> WriteResult:
        # Another army would make a roster nobody built; it is imported as a warband of its own.
        for name in ("system", "variant", "army"):
            mine, theirs = getattr(draft.roster, name), getattr(roster, name)
            if mine != theirs:
                raise FaultyDocument(
                    [
                        Fault(
                            name, f"{name} must be {mine}, the warband's own, not {theirs}."
                        )
                    ]
                )
        # Kept ids keep open pages and careers of warriors on the right entry.
        new = replace(roster, warriors=_with_ids(draft.roster.warriors, roster.warriors))
        return WriteResult(new, f"Replaced by a document of {len(roster.warriors)} entries")

    return apply_change(context, "replace_roster", (document.to_document(roster),), work)


def _with_ids(
    old: tuple[RosterEntry, ...], new: tuple[RosterEntry, ...]
) -> tuple[RosterEntry, ...]:
    """New entries keep the ids of old ones of the same profile, in order."""
    free: dict[str, list[int]] = {}
    for entry in old:
        if entry.id is not None:
            free.setdefault(entry.profile, []).append(entry.id)
    return tuple(
        replace(e, id=free[e.profile].pop(0)) if free.get(e.profile) else e for e in new
    )


class WarbandChanges(TypedDict, total=False):
    """The fields of a warband that somebody changes; one that is left out stays as it is."""

    name: str
    points_limit: int | None
    scenario: str | None
    house_rules: Mapping[str, bool]
    rulings: Mapping[str, int]
    tags: Sequence[str]
    note: str
    visibility: str
    club_id: int | None


_CHANGED_FIELDS = tuple(WarbandChanges.__annotations__)
# What a campaign leaves to the player of a warband.
_OF_ITS_PLAYER = frozenset({"name", "note", "visibility", "club_id"})


def change_warband(
    context: WriteContext, **changes: Unpack[WarbandChanges]
) -> ChangeResult:
    """Its name, limit, scenario, house rules, note, and who may read it; an undo leaves the sharing
    alone.
    """
    asked: Fields = {**changes}
    checked = {name: check(asked[name]) for name, check in _CHECKS.items() if name in asked}

    def work(draft: LockedWarband) -> WriteResult:
        old = draft.roster
        if draft.warband.is_grown and checked:
            check_naming(draft.warband.pk)
        roster = replace(old, **checked, **_checked_by_system(draft, asked))
        warband = draft.warband
        seen = asked.get("visibility", warband.visibility)
        club = asked.get("club_id", warband.club_id)
        if (seen, club) == (warband.visibility, warband.club_id):
            fields = {}
        else:
            fields = _checked_sharing(draft.actor, warband.owner_id, seen, club)
        return WriteResult(roster, _words(old, roster, fields), fields=fields)

    arguments = tuple(asked.get(name, "KEEP") for name in _CHANGED_FIELDS)
    also = (GROWN,) if asked.keys() <= _OF_ITS_PLAYER else ()
    return apply_change(context, "change_warband", arguments, work, also=also)


def _checked_by_system(draft: LockedWarband, asked: NamedValues) -> Fields:
    """The new fields that depend on the system; raises Refusal for what it does not have."""
    new = {name: asked[name] for name in _SYSTEM_CHECKS if name in asked}
    for name, value in new.items():
        # A scenario that nobody may choose any more stays where it was chosen before.
        if name != "scenario" or value != draft.roster.scenario:
            new[name] = _SYSTEM_CHECKS[name](draft.actor, draft.system, value)
    return new


def _words(old: Roster, new: Roster, fields: NamedValues) -> str:
    """What was changed, in words."""
    words = [
        told(new)
        for name, told in _CHANGES.items()
        if getattr(old, name) != getattr(new, name)
    ]
    if "visibility" in fields:
        words.append(f"Visible to: {WarbandVisibility(fields['visibility']).label.lower()}")
    return "; ".join(words) or "Nothing changed"


def _limit_words(new: Roster) -> str:
    return (
        "No points limit"
        if new.points_limit is None
        else f"Points limit {new.points_limit}"
    )


def _scenario_words(new: Roster) -> str:
    found = rulebook.load_scenario(new.system, new.scenario)
    return f"Scenario “{found.name}”" if found else "No scenario"


# How a change of each field is told, in this order.
_CHANGES: dict[str, Callable[[Roster], str]] = {
    "name": lambda new: f"Renamed “{new.name or NO_NAME}”",
    "points_limit": _limit_words,
    "scenario": _scenario_words,
    "house_rules": lambda new: "House rules changed",
    "rulings": lambda new: "Rulings changed",
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
    # A variant is never guessed: texts of one system disagree in prices.
    if variant is not None and variant not in base.variant_keys:
        known = (
            f"Choose one of {', '.join(base.variant_keys)}."
            if base.variants
            else "It has none."
        )
        raise Refusal(
            f"{base.name} has no variant {shown(variant)}. {known}", field="variant"
        )
    if variant is None and base.variants:
        raise Refusal(
            f"Choose a variant of {base.name}: {', '.join(base.variant_keys)}.",
            field="variant",
        )
    return registry.load_system(base.key, variant)


def _checked_tags(actor: Owner, system: System, tags: Sequence[str]) -> Texts:
    known = {tag.key for tag in system.tags}
    for key in tags:
        if key not in known:
            raise Refusal(f"{system.name} has no tag {shown(key)}.", field="tags")
    return tuple(dict.fromkeys(tags))


def _checked_scenario(actor: Owner, system: System, key: str | None) -> str | None:
    if not key:
        return None
    if not rulebook.may_choose_scenario(actor, system.key, key):
        raise Refusal(
            f"There is no scenario {shown(key)}. Choose one of the list, or none.",
            field="scenario",
        )
    return key


def _checked_rules(
    actor: Owner, system: System, rules: Mapping[str, bool]
) -> dict[str, bool]:
    known = {rule.key for rule in system.house_rules}
    for key, flag in rules.items():
        if key not in known:
            raise Refusal(
                f"{system.name} has no house rule {shown(key)}.", field="house_rules"
            )
        if not isinstance(flag, bool):
            raise Refusal(
                f"The house rule {shown(key)} must be on or off.", field="house_rules"
            )
    return dict(rules)


# What can be checked before the warband is locked.
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": lambda name: clean_text("name", name, NAME_MAX),
    "note": lambda note: clean_text("note", note, NOTE_MAX, many_lines=True),
    "points_limit": checked_limit,
}
# What depends on who asks and on the system; a person's own scenario takes a query.
_SYSTEM_CHECKS: dict[str, Callable[[Owner, System, Any], Any]] = {
    "scenario": _checked_scenario,
    "house_rules": _checked_rules,
    "rulings": lambda actor, system, rulings: checked_rulings(system, rulings),
    "tags": _checked_tags,
}


WITHOUT_ACCOUNT = (WarbandVisibility.PRIVATE, WarbandVisibility.LINK)


def _checked_sharing(
    actor: Owner, owner_id: int | None, visibility: str, club_id: int | None
) -> Fields:
    if visibility not in WarbandVisibility.values:
        known = ", ".join(WarbandVisibility.values)
        raise Refusal(
            f"{shown(visibility)} is not one of the ways to share: {known}.",
            field="visibility",
        )
    # Lists name the owners of what they show, and an unclaimed warband has none.
    if owner_id is None and (visibility not in WITHOUT_ACCOUNT or club_id is not None):
        raise Refusal(
            "Sign in first. Without an account you can share a warband by link only.",
            field="visibility",
        )
    if club_id is not None and not is_club_member(actor, club_id):
        raise Refusal("Choose one of the clubs you belong to.", field="club_id")
    if visibility == WarbandVisibility.CLUB and club_id is None:
        raise Refusal("Choose the club whose members can see it.", field="club_id")
    return {"visibility": visibility, "club_id": club_id}


def undo_last_change(context: WriteContext) -> ChangeResult:
    """Takes back the last change of the roster; again, the one before.

    Sharing and the archive stay as they are.
    """

    def work(draft: LockedWarband) -> WriteResult:
        event = None
        if head := draft.warband.undo_head:
            event = WarbandEvent.objects.filter(warband=draft.warband, version=head).first()
        if event is None or event.before is None:
            raise Refusal("There is nothing to undo.")
        roster, paid = restore_snapshot(draft.roster, event.before)
        return WriteResult(roster, f"Undid: {event.summary}", paid=paid, undoes=event)

    return apply_change(context, "undo_last_change", (), work)


def duplicate_warband(context: WriteContext) -> ChangeResult:
    """A private copy of a warband that the actor may see, without its history.

    Of a campaign's warband it is a plain one, with what happened there in its notes.
    """
    actor = context.actor

    def make() -> WriteResult:
        source = read_warband(actor, context.token)
        if source is None:
            raise NotFound("warband")
        roster = with_growth_as_notes(roster_of(*source))
        if is_own(roster.army) and not may_muster_from(actor, roster.system, roster.army):
            raise Refusal(
                "Its army list belongs to a club, whose members alone muster from it while "
                "it is offered."
            )
        scenario = roster.scenario
        # A scenario that was shared with the other owner alone does not come along.
        if scenario and not rulebook.may_choose_scenario(actor, roster.system, scenario):
            scenario = None
        old_name = roster.name or NO_NAME
        name = f"{old_name[: NAME_MAX - len(COPY_WORDS)]}{COPY_WORDS}"
        warriors = tuple(replace(entry, id=None, kept=None) for entry in roster.warriors)
        copy = replace(roster, name=name, scenario=scenario, warriors=warriors)
        return WriteResult(copy, f"Copied from “{old_name}”")

    return apply_creation(context, "duplicate_warband", (), make)


def archive_warband(context: WriteContext) -> ChangeResult:
    """Out of the way, kept as it is."""

    def work(draft: LockedWarband) -> WriteResult:
        fields = {} if draft.warband.archived_at else {"archived_at": timezone.now()}
        return WriteResult(draft.roster, "Archived", fields=fields)

    return apply_change(context, "archive_warband", (), work, also=(ARCHIVED,))


def restore_warband(context: WriteContext) -> ChangeResult:
    """Back among the others."""

    def work(draft: LockedWarband) -> WriteResult:
        fields = {"archived_at": None} if draft.warband.archived_at else {}
        return WriteResult(draft.roster, "Restored from the archive", fields=fields)

    return apply_change(context, "restore_warband", (), work, also=(ARCHIVED,))


def delete_warband(actor: Owner, token: str, typed_name: str) -> None:
    """Gone for good, with its history. The name must be typed as it is shown."""
    with transaction.atomic():
        warband = lock_warband(actor, token)
        name = warband.name or NO_NAME
        if typed_name.strip() != name.strip():
            raise Refusal(f"To delete it, type its name: {name}", field="typed_name")
        warband.delete()


def delete_seen_warband(context: WriteContext) -> None:
    """The same for a program, which names the version it has seen, not the name.

    Raises NotFound, Stale.
    """
    with transaction.atomic():
        warband = lock_warband(context.actor, context.token)
        if context.version not in (None, warband.version):
            raise Stale("warband", warband.version, context.version or 0)
        warband.delete()
