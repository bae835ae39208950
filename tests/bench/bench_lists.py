"""Lists of other apps: reading a file, and the preview beside an army.

The first preview is that of a process which has read no pack yet.
"""

from accounts.owner import NOBODY
from rulesdata import registry
from tests.bench.measure import interleaved, sized, table, verdict
from tests.bench.rosters import document
from warbands.exchange.document import parse
from warbands.exchange.foreign.export import write_roster
from warbands.exchange.foreign.reader import read_list
from warbands.queries.foreign_lists import ListWishes, load_list_preview, outgoing_roster

READ_MS, PREVIEW_MS = 500.0, 300.0
WISHES = ListWishes("warhammer-skirmish")


def main() -> None:
    usual, largest = sized((15, 200), (2, 3))
    files = {}
    for size in (usual, largest):
        out = outgoing_roster(parse(document(size)))
        files[size] = {form: write_roster(out, form).write() for form in out.forms}
    trees = {size: read_list("", files[size]["ros"]) for size in files}

    def cold() -> object:
        registry.clear_cache()
        return load_list_preview(NOBODY, trees[usual], WISHES)

    tasks = {
        f"read .{form} of {largest} units": lambda data=data: read_list("", data)
        for form, data in files[largest].items()
    }
    budgets = dict.fromkeys(tasks, READ_MS)
    for size, tree in trees.items():
        name = f"preview of {size} units"
        tasks[name] = lambda tree=tree: load_list_preview(NOBODY, tree, WISHES)
        budgets[name] = PREVIEW_MS
    tasks["first preview of a process"] = cold
    budgets["first preview of a process"] = PREVIEW_MS
    times = interleaved(tasks, rounds=sized(15, 2))
    # Where others use the machine, only its own work is fair.
    rows: list[list[object]] = [
        [name, ms, times.cpu[name], budgets[name], verdict(times.cpu[name], budgets[name])]
        for name, ms in times.items()
    ]
    table(["lists of other apps", "ms", "of it work", "budget ms", ""], rows)
