"""A list of another app made into a warband, and what was chosen for its names remembered."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.errors import Refusal
from interchange.tree import ForeignRoster
from warbands.exchange import document
from warbands.exchange.foreign.matches import plain_name
from warbands.exchange.foreign.preview import Preview
from warbands.models import NAME_MAX, LearnedName
from warbands.operations.transaction import ChangeResult, WriteContext
from warbands.operations.warbands import import_document
from warbands.queries.foreign_lists import ListWishes, load_list_preview

# Of one person; the oldest are forgotten.
LEARNED_KEPT = 2000
Learned = tuple[str, str, str]
"""Who buys it (empty for a unit), their name as it is compared, and our key."""


def import_list(
    context: WriteContext,
    tree: ForeignRoster,
    wishes: ListWishes,
) -> ChangeResult:
    """Make a warband of what the army has; the rest stands in its notes.

    What a person chose for a name is taken the next time. Raises Refusal while the army is not
    known, and where the list is more than a warband holds.
    """
    found = load_list_preview(context.actor, tree, wishes)
    if found.preview is None:
        raise Refusal("Choose the army of this list.", field="army")
    with transaction.atomic():
        done = import_document(context, document.to_document(found.preview.roster))
        if context.actor.user_id is not None:
            _remember(context.actor.user_id, found.army, tuple(_chosen(found.preview)))
    return done


# What is remembered of the choices


def _chosen(preview: Preview) -> Iterator[Learned]:
    """Yield what was chosen by hand; a key is empty where somebody left a name as a note."""
    for line in preview.lines:
        if line.is_decided:
            yield "", _name(line.theirs.name), line.match.key
        for part in line.parts:
            if part.is_decided and part.profile:
                yield part.profile, _name(part.theirs.name), part.match.key


def _name(name: str) -> str:
    """Return a name as it is compared, as long as a row holds."""
    return plain_name(name)[:NAME_MAX]


def _remember(
    person_id: int,
    army: str,
    chosen: tuple[Learned, ...],
) -> None:
    """Store choices by their names, and forget the names that were left as a note."""
    now = timezone.now()
    # A list may name one thing twice; the last choice holds.
    keys = {(profile, name): key for profile, name, key in chosen if name}
    own = LearnedName.objects.filter(person_id=person_id)
    gone = Q(pk__in=())
    for profile, name in (pair for pair, key in keys.items() if not key):
        gone |= Q(profile=profile, name=name)
    own.filter(gone, army=army).delete()
    rows = [
        LearnedName(
            person_id=person_id,
            army=army,
            profile=profile,
            name=name,
            key=key,
            at=now,
        )
        for (profile, name), key in keys.items()
        if key
    ]
    LearnedName.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["person", "army", "profile", "name"],
        update_fields=["key", "at"],
    )
    newest = own.order_by("-at", "-id").values_list("pk", flat=True)
    too_old = list(newest[LEARNED_KEPT : LEARNED_KEPT * 2])
    LearnedName.objects.filter(pk__in=too_old).delete()
