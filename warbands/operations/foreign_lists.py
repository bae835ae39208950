"""Making warbands of lists of other apps, and remembering what people chose for their names."""

from django.db import transaction
from django.db.models import Q

from accounts.errors import Refusal
from interchange.catalogues import plain_name
from interchange.tree import ForeignRoster
from warbands.exchange import document
from warbands.models import NAME_MAX, LearnedName
from warbands.operations.transaction import ChangeResult, WriteContext
from warbands.operations.warbands import import_document
from warbands.queries.foreign_lists import ListWishes, load_list_preview

LEARNED_KEPT = 2000
"""Names that are remembered of one person; the oldest are forgotten."""


def import_list(
    context: WriteContext, tree: ForeignRoster, wishes: ListWishes
) -> ChangeResult:
    """Make a warband of what the army has; the rest stands in its notes.

    What a person chose for a name is taken the next time. Raises Refusal while the army is not
    known, and where the list is more than a warband holds.
    """
    result = load_list_preview(context.actor, tree, wishes)
    preview = result.preview
    if preview is None:
        raise Refusal("Choose the army of this list.", field="army")
    # By who buys it (empty for a unit) and their name as it is compared. A list may name one
    # thing twice; the last choice holds.
    choices: dict[tuple[str, str], str] = {}
    for line in preview.lines:
        if line.is_decided:
            choices["", plain_name(line.theirs.name)[:NAME_MAX]] = line.match.key
        for part in line.parts:
            if part.is_decided and part.profile:
                name = plain_name(part.theirs.name)[:NAME_MAX]
                choices[part.profile, name] = part.match.key
    person_id, army = context.actor.user_id, result.army
    with transaction.atomic():
        made = import_document(context, document.to_document(preview.roster))
        if person_id is None:
            return made
        rows = LearnedName.objects.filter(person_id=person_id)
        # Names that were left as a note, without a key, are forgotten.
        forgotten, learned = Q(pk__in=()), []
        for (profile, name), key in choices.items():
            row = LearnedName(
                person_id=person_id, army=army, profile=profile, name=name, key=key
            )
            if name and key:
                learned.append(row)
            elif name:
                forgotten |= Q(profile=profile, name=name)
        rows.filter(forgotten, army=army).delete()
        LearnedName.objects.bulk_create(
            learned,
            update_conflicts=True,
            unique_fields=["person", "army", "profile", "name"],
            update_fields=["key", "at"],
        )
        newest = rows.order_by("-at", "-id").values_list("pk", flat=True)
        too_old = list(newest[LEARNED_KEPT : LEARNED_KEPT * 2])
        LearnedName.objects.filter(pk__in=too_old).delete()
    return made
