"""A catalogue of another app, as large as the largest of a single game: 40,800 options to price.

What it takes is measured in this process, and memory is that of the whole process at its peak.
"""

import time

from interchange.catalogues import choose_catalogue, close, read_catalogue_file
from interchange.files import OpenedFile
from interchange.translation import Frame, Translation, translate
from tests.bench.measure import peak_mib, sized, table, verdict

READ_S, MEMORY_MIB = 10.0, 384.0
ROUNDS = 5
SYSTEM = (
    '<gameSystem id="s" name="Lantern Gangs" battleScribeVersion="2.03"><costTypes>'
    '<costType id="gc" name="gc"/></costTypes></gameSystem>'
)
# Each costs more with every model, as most of a skirmish game's do.
CHANGE = (
    '<modifiers><modifier type="increment" field="gc" value="6"><repeats><repeat '
    'field="selections" scope="root-entry" childId="model" value="1" repeats="1" '
    'includeChildSelections="true"/></repeats></modifier></modifiers>'
)


def catalogue(units: int, things: int) -> str:
    """A catalogue whose units all buy from the same shared group."""
    shared = "".join(
        f'<selectionEntry id="t{n}" name="Thing {n}" type="upgrade">{CHANGE}<costs>'
        f'<cost typeId="gc" value="{n % 20}"/></costs></selectionEntry>'
        for n in range(things)
    )
    links = "".join(f'<entryLink id="l{n}" targetId="t{n}"/>' for n in range(things))
    roots = "".join(
        f'<selectionEntry id="u{n}" name="Unit {n}" type="model"><entryLinks><entryLink '
        f'id="g{n}" targetId="g"/></entryLinks><costs><cost typeId="gc" value="{n}"/></costs>'
        "</selectionEntry>"
        for n in range(units)
    )
    return (
        '<catalogue id="c" name="The Wardens" battleScribeVersion="2.03" gameSystemId="s">'
        f"<selectionEntries>{roots}</selectionEntries>"
        f"<sharedSelectionEntries>{shared}</sharedSelectionEntries><sharedSelectionEntryGroups>"
        f'<selectionEntryGroup id="g" name="Gear"><entryLinks>{links}</entryLinks>'
        "</selectionEntryGroup></sharedSelectionEntryGroups></catalogue>"
    )


def read(text: str) -> Translation:
    """The catalogue as units with prices, from its text."""
    texts = {"a.gst": SYSTEM, "b.cat": text}
    files = [
        read_catalogue_file(OpenedFile(name, "xml", one)) for name, one in texts.items()
    ]
    main_file = choose_catalogue(files)
    return translate(close(main_file, files), Frame(("M", "Ld"), {}))


def main() -> None:
    units, things = sized((120, 340), (2, 3))
    text = catalogue(units, things)
    times = []
    for _ in range(sized(ROUNDS, 1)):
        began = time.perf_counter()
        found = read(text)
        times.append(time.perf_counter() - began)
        assert found.counts["options"] == units * things
    slowest = max(times)
    rows = [
        ["seconds, the slowest of all", slowest, READ_S, verdict(slowest, READ_S)],
        ["MiB at the peak", peak_mib(), MEMORY_MIB, verdict(peak_mib(), MEMORY_MIB)],
    ]
    table([f"{units * things:,} options", "measured", "budget", ""], rows)
