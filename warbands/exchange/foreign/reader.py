"""Any file or text of a list, read into the neutral tree by what it holds."""

from collections import Counter
from decimal import Decimal

from engine.errors import refused_at
from engine.records import NamedValues
from engine.roster import Roster, RosterEntry
from engine.selection import select
from interchange.files import (
    FILE_MAX,
    OpenedFile,
    ReadingLimits,
    form_of,
    megabytes,
    read_apart,
    refusal,
)
from interchange.tree import (
    Force,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    checked_tree,
    own_id,
)
from rulesdata import registry
from warbands.exchange import document
from warbands.exchange.content import read_file, read_opened

LIMITS = ReadingLimits(10, "file", "Send a smaller list.")


def read_list(name: str, data: bytes) -> ForeignRoster:
    """Return the list in a file; raises Refusal with what is wrong and the limit."""
    return tree_of_content(read_apart(LIMITS, read_file, name, data))


def read_text(text: str) -> ForeignRoster:
    """Return the list in a pasted text, whatever its form."""
    data = text.encode("utf-8", "replace")
    if len(data) > FILE_MAX:
        raise refusal(
            f"This text is larger than {megabytes(FILE_MAX)}. Paste a shorter one."
        )
    if not text.strip():
        raise refusal("Paste a list here, or choose a file.")
    opened = OpenedFile("", form_of(text), data.decode())
    # Lines take no longer than their limits allow; a process would take longer than most of them.
    if opened.form == "text":
        return tree_of_content(read_opened(opened))
    return tree_of_content(read_apart(LIMITS, read_opened, opened))


def tree_of_content(content: ForeignRoster | NamedValues) -> ForeignRoster:
    """Return what was read; a document of ours is compared with its army first."""
    if isinstance(content, ForeignRoster):
        return content
    with refused_at("file"):
        return checked_tree(tree_of(document.parse_stored(content)))


def tree_of(roster: Roster) -> ForeignRoster:
    """Return our own roster as the neutral tree."""
    units = tuple(
        _unit(roster, number, entry) for number, entry in enumerate(roster.warriors, 1)
    )
    source = Source("Muster Roll", document.FORMAT, roster.system, roster.system)
    return ForeignRoster(
        "muster-roll",
        source,
        roster.name,
        roster.points_limit,
        sections=(Force("", roster.army, roster.army),),
        units=units,
        note=roster.note,
    )


def _unit(roster: Roster, line: int, entry: RosterEntry) -> ForeignUnit:
    """Return one of our entries as a line, with the names and prices of its army list; of an army
    that is not known here by its keys.
    """
    ids = (own_id(entry.profile),)
    try:
        army = registry.load_army(roster.system, roster.army, roster.variant)
    except registry.UnknownKey:
        parts = tuple(
            ForeignPart(key, times * entry.count, ids=(own_id(key),))
            for key, times in Counter(entry.options).items()
        )
        return ForeignUnit(
            line, entry.profile, entry.count, custom=entry.name, ids=ids, parts=parts
        )
    chosen = select(army, entry)
    parts = tuple(
        ForeignPart(
            receipt.label,
            chosen.bought[receipt.key] * entry.count,
            Decimal(receipt.total(entry.count)),
            (own_id(receipt.key),),
        )
        for receipt in chosen.receipt[1:]
        if chosen.bought.get(receipt.key, 0) * entry.count
    )
    profile = chosen.profile
    return ForeignUnit(
        line,
        profile.name if profile else entry.profile,
        entry.count,
        Decimal(chosen.points),
        custom=entry.name,
        heading=profile.category if profile else "",
        ids=ids,
        parts=parts,
        notes=entry.note,
        spells=entry.lore,
        is_leader=entry.is_leader,
    )
