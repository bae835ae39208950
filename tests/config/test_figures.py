"""The figures of the code are counted right, and one that got worse is named."""

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

UPPER = '''"""Above."""

import app.lower
from app import nothing_of_ours
from .lower import decide


def ask(a, b, c, d, e, f):
    """Six parameters."""
    import app.late  # a late import

    return decide(a)
'''

LOWER = """from dataclasses import dataclass


def decide(number):
    if number and number > 1 or number < -1:
        return [one for one in range(number) if one]
    if number == 7 or number == 8:
        return _twice(_next_of(number)) or _twice(number)

    def inner(what):
        for one in what:
            return one
        else:
            return None

    try:
        return 1 if number else 2
    except NotFound:
        return inner


def _next_of(number):
    return number + 1


def _twice(number):
    return 2 * number


@dataclass
class First:
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int


@dataclass(frozen=True)
class Second:
    f: int
    e: int
    d: int
    c: int
    b: int
    a: int
"""

LATE = "from app.upper import ask  # noqa: F401\n"


@pytest.fixture(scope="module")
def script(project_root):
    loader = SourceFileLoader("script_figures", str(project_root / "script" / "figures"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    # Its dataclasses look for their own module.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, loader.name, module)
        loader.exec_module(module)
        yield module


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "checkout"
    files = {
        "app/__init__.py": "", "app/upper.py": UPPER, "app/lower.py": LOWER,
        "app/late.py": LATE, "app/migrations/0001_made.py": "import app.upper\n",
        "other/apps.py": "X = 1\n", "other/waiting.py": "X = 1  # " + "x" * 100 + "\n",
        "tests/__init__.py": "X = 1\n\nY = 2\n", "tools/measure.py": "X = 1\n",
        "docs/about/reading.md": "Three short words\n", "no_package/what.py": "X = 1\n",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_figures_of_a_small_tree(script, tree):
    figures = {name: figure.value for name, figure in script.measure(tree).items()}
    assert figures == {
        "modules": 6, "non-blank lines": 46, "tokens": 210, "tokens per line": 4.57,
        "lines over 100 columns": 1, "comments per 100 lines": 4.35,
        "functions with a docstring, %": 20, "functions": 5,
        "functions over complexity 12": 1, "functions over 5 parameters": 1,
        "functions that end in _of": 1, "private functions called once, %": 50,
        "vague names bound": 2, "classes": 2, "except clauses for refusals": 1,
        "dataclasses": 2, "look-alike dataclass pairs": 1, "dataclasses in such a pair": 2,
        "longest import chain": 3, "modules in a top-level cycle": 0,
        "modules in a cycle, late imports too": 2, "modules imported by one": 4,
        "imported by one per 100 modules": 66.67, "modules under 30 lines": 4,
        "-ing module names": 1, "modules of the biggest app, %": 66.67, "modules of app": 4,
        "modules of other": 2, "lines of tests": 2, "lines of tools": 1, "words of docs": 3,
    }  # fmt: skip


def test_names_behind_the_figures(script, tree):
    figures = script.measure(tree)
    assert figures["functions over complexity 12"].names == [" 14 app.lower.decide"]
    assert figures["functions over 5 parameters"].names == ["  6 app.upper.ask"]
    assert figures["private functions called once, %"].names == ["app.lower._next_of"]
    assert figures["vague names bound"].names == ["app.lower one"] * 2
    assert figures["longest import chain"].names == ["app.late", "app.upper", "app"]
    assert figures["modules in a cycle, late imports too"].names == [
        "app.late",
        "app.upper",
    ]
    assert figures["look-alike dataclass pairs"].names == [
        "  6 app.lower.First ~ app.lower.Second"
    ]


@pytest.fixture
def ratchet(tmp_path):
    def write(**entries: dict) -> str:
        path = tmp_path / "ratchet.json"
        path.write_text(
            json.dumps({name.replace("_", " "): one for name, one in entries.items()})
        )
        return str(path)

    return write


@pytest.mark.parametrize("entry,status,said", [
    ({"limit": 6, "direction": "falls"}, 0, "1 figures within their limits.\n"),
    (
        {"limit": 5, "direction": "falls"},
        1,
        "modules: 6, but it falls and its limit is 5\n",
    ),
    (
        {"limit": 7, "direction": "rises"},
        1,
        "modules: 6, but it rises and its limit is 7\n",
    ),
    ({"limit": 5, "direction": "rises"}, 0, "tighten it with script/figures --record"),
    ({"limit": 7, "direction": "falls"}, 0, "tighten it with script/figures --record"),
    (
        {"limit": 7, "direction": "falls", "fixed": True},
        0,
        "1 figures within their limits.\n",
    ),
    ({"limit": 5, "direction": "falls", "fixed": True}, 1, "its limit is 5\n"),
])  # fmt: skip
def test_check_names_what_got_worse(script, tree, ratchet, capsys, entry, status, said):
    arguments = [str(tree), "--check", "--ratchet", ratchet(modules=entry)]
    assert script.main(arguments) == status
    printed = capsys.readouterr().out
    assert said in printed
    assert ("tighten" in said) == ("tighten" in printed)


def test_check_fails_on_a_figure_nobody_measures(script, tree, ratchet, capsys):
    path = ratchet(lines_of_poetry={"limit": 0, "direction": "falls"})
    assert script.main([str(tree), "--check", "--ratchet", path]) == 1
    assert (
        "lines of poetry: stands in the ratchet, but is not measured"
        in capsys.readouterr().out
    )


def test_record_writes_what_is_not_fixed(script, tree, ratchet):
    path = ratchet(
        modules={"limit": 9, "direction": "falls"},
        dataclasses={"limit": 9, "direction": "falls", "fixed": True},
        tokens={"limit": 1, "direction": "rises"},
    )
    assert script.main([str(tree), "--record", "--ratchet", path]) == 0
    with open(path) as file:
        assert json.load(file) == {
            "modules": {"limit": 6, "direction": "falls"},
            "dataclasses": {"limit": 9, "direction": "falls", "fixed": True},
            "tokens": {"limit": 210, "direction": "rises"},
        }


def test_every_limit_of_the_project_is_of_a_known_kind(script, project_root):
    ratchet = json.loads((project_root / "script" / "ratchet.json").read_text())
    assert len(ratchet) > 15
    for name, entry in ratchet.items():
        assert set(entry) <= {"limit", "direction", "fixed"}, name
        assert entry["direction"] in ("falls", "rises"), name
