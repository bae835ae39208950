"""Changes to a warband as a whole: make, rename, share, copy, archive, undo, delete."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypedDict, Unpack

from django.db import transaction
from django.utils import timezone

from accounts.access import is_club_member, owned_by
from accounts.errors import Fault, FaultyDocument, NotFound, Refusal, Stale
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.records import Fields, NamedValues, grouped, is_int_within, named_values
from engine.roster import MAX_LIMIT, Roster
from engine.selection import select_all
from engine.text import capital
from rulesdata.own_lists import is_own
from rulesdata.queries.clubs import may_muster_from
from rulesdata.queries.scenarios import load_carried_scenario, may_choose_scenario
from warbands.exchange import document
from warbands.exchange.document import shown
from warbands.hooks import check_naming
from warbands.models import (
    NAME_MAX,
    AcknowledgedFigure,
    Warband,
    WarbandEvent,
    WarbandVisibility,
)
from warbands.operations.rows import restore_snapshot
from warbands.operations.transaction import (
    ARCHIVED,
    GROWN,
    UNCHANGED,
    ChangeResult,
    LockedWarband,
    WriteContext,
    WriteResult,
    apply_change,
    apply_creation,
    insert_warband,
    lock_warband,
    warband_operation,
)
from warbands.queries.lists import starter
from warbands.queries.records import NO_NAME, WarbandRecord
from warbands.queries.warbands import (
    CHANGED_ROSTER,
    build_roster,
    read_warband,
    uncertain_figures,
)
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


def create_warband(context: WriteContext, wanted: Roster) -> ChangeResult:
    """Make a private warband without warriors.

    Raises Refusal that names the field which cannot be.
    """
    roster = _checked_roster(context, wanted)
    arguments = (
        wanted.system, wanted.army, wanted.name, wanted.points_limit, wanted.variant,
        wanted.scenario, roster.house_rules, roster.rulings, roster.tags,
        WarbandVisibility.PRIVATE, None, wanted.note,
    )  # fmt: skip
    made = WriteResult(roster, f"Created the warband {roster.name}".strip())
    return apply_creation(context, "create_warband", arguments, lambda: made)


def _checked_roster(context: WriteContext, wanted: Roster) -> Roster:
    """What a warband says of itself, without warriors, as a document of it could say it."""
    bare = replace(
        wanted,
        warriors=(),
        name=wanted.name.strip(),
        note=wanted.note.replace("\r\n", "\n").strip(),
        scenario=wanted.scenario or None,
        tags=tuple(dict.fromkeys(wanted.tags)),
    )
    try:
        return _parse(context, document.to_document(bare))
    except FaultyDocument as error:
        fault = error.faults[0]
        field = fault.path.partition(".")[0].partition("[")[0]
        message = capital(fault.message.replace("_", " "))
        raise Refusal(message, field=field) from None


def create_from_starter(context: WriteContext, starter_key: str) -> ChangeResult:
    """A copy of a starter warband, to be changed like any other."""
    source = starter(starter_key)
    if source is None:
        raise NotFound("starter")
    made = WriteResult(source.roster, f"Copied from the starter “{source.roster.name}”")
    return apply_creation(context, "create_from_starter", (starter_key,), lambda: made)


def import_document(context: WriteContext, data: object) -> ChangeResult:
    """A new warband from a roster document; raises FaultyDocument with everything that is wrong with
    it.
    """
    # What a campaign made of it elsewhere is told in notes: no campaign of this site wrote it.
    roster = with_growth_as_notes(_parse(context, data))
    made = WriteResult(roster, f"Read {len(roster.warriors)} entries from a document")
    arguments = (document.to_document(roster),)
    return apply_creation(context, "import_document", arguments, lambda: made)


def store_for_campaign(owner: Owner, roster: Roster) -> WarbandRecord:
    """Make a copy of a roster that belongs to a campaign; nobody changes it but the campaign.

    Call it within a transaction.
    """
    made = WriteResult(roster, "Founded in a campaign", fields={"is_grown": True})
    record = insert_warband(owner, made, "found").record
    assert record is not None
    return record


def _parse(context: WriteContext, data: object) -> Roster:
    """The roster of a document, read with what its sender may choose.

    A warband keeps a list that its club has put away since, so the army that the context's warband
    has counts as known.
    """
    actor, token = context.actor, context.token

    def knows_army(system: str, key: str) -> bool:
        # Packs and clubs first: the warband's own row takes a query.
        if may_muster_from(actor, system, key):
            return True
        rows = Warband.objects.filter(owned_by(actor), token=token, army=key)
        return is_token(token) and rows.exists()

    return document.parse(
        data,
        knows_scenario=lambda system, key: may_choose_scenario(actor, system, key),
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
                sentence = f"{name} must be {mine}, the warband's own, not {theirs}."
                raise FaultyDocument([Fault(name, sentence)])
        # New entries keep the ids of old ones of the same profile, in order: open pages and careers
        # stay on the right entry.
        free = grouped((old.profile, old.id) for old in draft.roster.warriors)
        warriors = tuple(
            replace(entry, id=free[entry.profile].pop(0))
            if free.get(entry.profile)
            else entry
            for entry in roster.warriors
        )
        summary = f"Replaced by a document of {len(warriors)} entries"
        return WriteResult(replace(roster, warriors=warriors), summary)

    return apply_change(context, "replace_roster", (document.to_document(roster),), work)


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
_SHARING = frozenset({"visibility", "club_id"})
# What a campaign leaves to the player of a warband.
_OF_ITS_PLAYER = _SHARING | {"name", "note"}


def change_warband(
    context: WriteContext, **changes: Unpack[WarbandChanges]
) -> ChangeResult:
    """Its name, limit, scenario, house rules, note, and who may read it; an undo leaves the sharing
    alone.
    """
    new: Fields = {**changes}

    def work(draft: LockedWarband) -> WriteResult:
        old = draft.roster
        wanted = {name: value for name, value in new.items() if name not in _SHARING}
        # A scenario that nobody may choose any more stays where it was chosen before.
        if wanted.get("scenario") == old.scenario:
            wanted.pop("scenario", None)
        if draft.warband.is_grown and wanted:
            check_naming(draft.warband.pk)
        bare = Roster(old.system, old.army, variant=old.variant, **wanted)
        roster = replace(old, **named_values(_checked_roster(context, bare), *wanted))
        fields = _changed_sharing(draft, new)
        return WriteResult(roster, _describe_change(old, roster, fields), fields=fields)

    arguments = tuple(new.get(name, UNCHANGED) for name in _CHANGED_FIELDS)
    also = (GROWN,) if new.keys() <= _OF_ITS_PLAYER else ()
    return apply_change(context, "change_warband", arguments, work, also=also)


def _describe_change(old: Roster, new: Roster, fields: NamedValues) -> str:
    sentences = []
    if new.name != old.name:
        sentences.append(f"Renamed “{new.name or NO_NAME}”")
    if new.points_limit != old.points_limit:
        limit = new.points_limit
        sentences.append("No points limit" if limit is None else f"Points limit {limit}")
    if new.scenario != old.scenario:
        scenario = load_carried_scenario(new.system, new.scenario)
        sentences.append(f"Scenario “{scenario.name}”" if scenario else "No scenario")
    labels = {
        "house_rules": "House rules",
        "rulings": "Rulings",
        "tags": "Tags",
        "note": "Note",
    }
    changed = [name for name in labels if getattr(new, name) != getattr(old, name)]
    sentences += [f"{labels[name]} changed" for name in changed]
    if "visibility" in fields:
        label = WarbandVisibility(fields["visibility"]).label.lower()
        sentences.append(f"Visible to: {label}")
    return "; ".join(sentences) or "Nothing changed"


WITHOUT_ACCOUNT = (WarbandVisibility.PRIVATE, WarbandVisibility.LINK)


def _changed_sharing(draft: LockedWarband, new: NamedValues) -> Fields:
    """Who may read the warband, where that changes."""
    warband = draft.warband
    visibility = new.get("visibility", warband.visibility)
    club_id = new.get("club_id", warband.club_id)
    if (visibility, club_id) == (warband.visibility, warband.club_id):
        return {}
    if visibility not in WarbandVisibility.values:
        ways = ", ".join(WarbandVisibility.values)
        raise Refusal(
            f"{shown(visibility)} is not one of the ways to share: {ways}.",
            field="visibility",
        )
    # Lists name the owners of what they show, and an unclaimed warband has none.
    is_unclaimed = warband.owner_id is None
    if is_unclaimed and (visibility not in WITHOUT_ACCOUNT or club_id is not None):
        raise Refusal(
            "Sign in first. Without an account you can share a warband by link only.",
            field="visibility",
        )
    if club_id is not None and not is_club_member(draft.actor, club_id):
        raise Refusal("Choose one of the clubs you belong to.", field="club_id")
    if visibility == WarbandVisibility.CLUB and club_id is None:
        raise Refusal("Choose the club whose members can see it.", field="club_id")
    return {"visibility": visibility, "club_id": club_id}


@warband_operation
def undo_last_change(draft: LockedWarband) -> WriteResult:
    """Takes back the last change of the roster; again, the one before.

    Sharing and the archive stay as they are.
    """
    event, head = None, draft.warband.undo_head
    if head:
        event = WarbandEvent.objects.filter(warband=draft.warband, version=head).first()
    if event is None or event.before is None:
        raise Refusal("There is nothing to undo.")
    roster, paid = restore_snapshot(draft.roster, event.before)
    return WriteResult(roster, f"Undid: {event.summary}", paid=paid, undoes=event)


@warband_operation
def restore_version(draft: LockedWarband, number: int) -> WriteResult:
    """The roster as the change of that version left it, at the prices paid then; undo takes it back.

    Sharing and the archive stay as they are. Raises Refusal where no such roster is kept.
    """
    later = WarbandEvent.objects.filter(warband=draft.warband, version__gt=number)
    event = later.filter(CHANGED_ROSTER).order_by("version").first()
    if event is None or event.before is None or number < 1:
        raise Refusal(f"Version {number} cannot be restored.", field="to")
    roster, paid = restore_snapshot(draft.roster, event.before)
    summary = f"Went back to version {number}"
    return WriteResult(roster, summary, paid=paid, buys_nothing=True)


def duplicate_warband(context: WriteContext) -> ChangeResult:
    """A private copy of a warband that the actor may see, without its history.

    Of a campaign's warband it is a plain one, with what happened there in its notes.
    """
    actor = context.actor

    def make() -> WriteResult:
        source = read_warband(actor, context.token)
        if source is None:
            raise NotFound("warband")
        roster = with_growth_as_notes(build_roster(*source))
        if is_own(roster.army) and not may_muster_from(actor, roster.system, roster.army):
            raise Refusal(
                "Its army list belongs to a club, whose members alone muster from it while "
                "it is offered."
            )
        scenario = roster.scenario
        # A scenario that was shared with the other owner alone does not come along.
        if scenario and not may_choose_scenario(actor, roster.system, scenario):
            scenario = None
        old_name = roster.name or NO_NAME
        name = f"{old_name[: NAME_MAX - len(COPY_WORDS)]}{COPY_WORDS}"
        warriors = tuple(replace(entry, id=None, kept=None) for entry in roster.warriors)
        copy = replace(roster, name=name, scenario=scenario, warriors=warriors)
        return WriteResult(copy, f"Copied from “{old_name}”")

    return apply_creation(context, "duplicate_warband", (), make)


def archive_warband(context: WriteContext) -> ChangeResult:
    """Out of the way, kept as it is."""
    return _set_archived(context, "archive_warband", "Archived", timezone.now())


def restore_warband(context: WriteContext) -> ChangeResult:
    """Back among the others."""
    return _set_archived(context, "restore_warband", "Restored from the archive", None)


def _set_archived(
    context: WriteContext, verb: str, summary: str, moment: datetime | None
) -> ChangeResult:
    def work(draft: LockedWarband) -> WriteResult:
        is_same = bool(moment) == bool(draft.warband.archived_at)
        fields = {} if is_same else {"archived_at": moment}
        return WriteResult(draft.roster, summary, fields=fields)

    return apply_change(context, verb, (), work, also=(ARCHIVED,))


def delete_warband(context: WriteContext, typed_name: str | None = None) -> None:
    """Gone for good, with its history. A person types its name as it is shown, a program names the
    version it has seen. Raises NotFound, Stale.
    """
    with transaction.atomic():
        warband = lock_warband(context.actor, context.token)
        if context.version not in (None, warband.version):
            raise Stale("warband", warband.version, context.version or 0)
        name = warband.name or NO_NAME
        if typed_name is not None and typed_name.strip() != name.strip():
            raise Refusal(f"To delete it, type its name: {name}", field="typed_name")
        warband.delete()


# Uncertain figures of a warband: acknowledged by its owner, who then reads no warning of them.


@warband_operation
def acknowledge_figures(draft: LockedWarband) -> WriteResult:
    """Keep that the owner knows of every uncertain figure of the roster as it is now.

    An uncertain figure that joins later is a warning again. Raises Refusal where there is none,
    NotFound, Stale, KeyReused.
    """
    pairs = uncertain_figures(select_all(draft.army, draft.roster.warriors))
    if not pairs:
        raise Refusal("No figure of this roster is uncertain.", field="figures")
    rows = AcknowledgedFigure.objects.filter(warband=draft.warband)
    acknowledged = set(rows.values_list("profile", "figure"))
    AcknowledgedFigure.objects.bulk_create(
        AcknowledgedFigure(
            warband=draft.warband,
            profile=profile,
            figure=figure,
            author_id=draft.actor.user_id,
        )
        for profile, figure in pairs
        if (profile, figure) not in acknowledged
    )
    is_new = not acknowledged >= set(pairs)
    summary = "Acknowledged the uncertain figures."
    return WriteResult(draft.roster, summary, is_beside=is_new)


@warband_operation
def withdraw_acknowledgement(draft: LockedWarband) -> WriteResult:
    """Read the warning of uncertain figures again.

    Nothing changes where none is acknowledged. Raises NotFound, Stale, KeyReused.
    """
    rows = AcknowledgedFigure.objects.filter(warband=draft.warband)
    count, _ = rows.delete()
    summary = "Withdrew the acknowledgement of uncertain figures."
    return WriteResult(draft.roster, summary, is_beside=bool(count))
