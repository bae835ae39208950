"""The doors of the project are well formed, and its files keep to what the guards say."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest

SCRIPTS = [
    "script/bootstrap", "script/server", "script/worker", "script/manage", "script/backup",
    "script/restore", "script/test", "script/check", "script/bench", "script/lock",
    ".ci/run",
]  # fmt: skip


@pytest.fixture(scope="module")
def guards(project_root):
    spec = spec_from_file_location("script_guards", project_root / "script" / "guards.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_runs_and_reads_as_plain_shell(project_root, name):
    path = project_root / name
    assert os.access(path, os.X_OK)
    assert path.read_text().startswith("#!/bin/sh\n")
    for shell in filter(None, map(shutil.which, ["sh", "bash"])):
        result = subprocess.run(
            [shell, "-n", str(path)], capture_output=True, text=True, check=False
        )
        assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.soak
def test_the_program_that_builds_the_fonts_begins(project_root):
    command = [sys.executable, str(project_root / "script" / "fonts")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, "usage: script/fonts ORIGINALS" in result.stderr) == (
        2,
        True,
    )


@pytest.mark.parametrize("name", ["base", "dev"])
def test_lock_pins_with_hashes_and_names_no_index(project_root, name):
    text = (project_root / "requirements" / f"{name}.txt").read_text()
    assert not re.search(
        r"^\s*(-i|--(extra-)?index-url|--find-links|-f)\b", text, re.MULTILINE
    )
    assert "://" not in text
    pins = [
        line
        for line in text.replace("\\\n", " ").splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    assert len(pins) > 30
    assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []


def test_dev_lock_agrees_with_base(project_root):
    def pins(name: str) -> dict[str, str]:
        text = (project_root / "requirements" / f"{name}.txt").read_text()
        return dict(
            re.findall(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==(\S+)", text, re.MULTILINE)
        )

    base, dev = pins("base"), pins("dev")
    assert {name: dev.get(name) for name in base} == base


def test_project_keeps_to_the_guards(guards, project_root):
    assert len(guards.project_files(project_root)) > 30
    assert list(guards.faults(project_root)) == []


def test_guards_see_a_registry(guards):
    host = "files." + "pythonhosted" + ".org"
    assert list(guards.registry_faults("x.txt", f"fine\nfrom https://{host}/simple")) == [
        "x.txt:2: names a package registry"
    ]


@pytest.mark.parametrize("html,is_fault", [
    ('<script src="{% static "x.js" %}" defer></script>', False),
    ("<script>go()</script>", True),
    ('<script type="module">go()</script>', True),
    ("<p class='style'>style = x</p>", False),
    ("<p\n  style='top: 0'>", True),
    ("<style>p {}</style>", True),
    ('<button onclick="go()">', True),
    ('<button data-on="x">', False),
    ('<a href="javascript:go()">', True),
])  # fmt: skip
def test_guards_see_inline_code(guards, html, is_fault):
    assert bool(list(guards.inline_faults("x.html", html))) is is_fault


CLASS = "class Army:\n    pass\n"


@pytest.mark.parametrize("texts,allowed,count", [
    ({"a/x.py": CLASS, "b/y.py": CLASS}, (), 1),
    ({"a/x.py": CLASS, "b/y.py": CLASS}, ("Army",), 0),
    ({"a/x.py": CLASS, "b/y.py": "class Foe:\n    pass\n"}, ("Army",), 1),
    ({"engine/x.py": CLASS, "a/models.py": CLASS}, (), 0),
    ({"engine/x.py": CLASS, "a/models.py": CLASS, "b/y.py": CLASS}, (), 1),
    ({"engine/x.py": CLASS, "engine/y.py": CLASS}, (), 1),
    ({"a/x.py": "class _Army: ...", "b/y.py": "class _Army: ..."}, (), 0),
    ({"a/x.py": "class Command: ...", "b/y.py": "class Command: ..."}, (), 0),
])  # fmt: skip
def test_guards_see_two_classes_of_one_name(guards, texts, allowed, count):
    assert len(list(guards.class_faults(texts, allowed))) == count


@pytest.mark.parametrize("names,allowed,count", [
    (["a/telling.py", "a/rounds.py"], (), 1),
    (["a/telling/__init__.py", "a/telling/rounds.py"], (), 1),
    (["a/telling.py"], ("a/telling.py",), 0),
    (["a/rounds.py"], ("a/telling.py",), 1),
    (["a/pairing.py", "a/matching.py", "a/round_pairing.py"], (), 0),
])  # fmt: skip
def test_guards_see_a_participle(guards, names, allowed, count):
    assert len(list(guards.module_faults(names, allowed))) == count


def test_needs_names_a_missing_browser(project_root):
    command = [sys.executable, "script/needs.py", "browser"]
    environment = {**os.environ, "CHROMIUM": "/no/such/browser"}
    result = subprocess.run(
        command,
        cwd=project_root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "chromium-headless-shell"


# The words that people read


@pytest.fixture(scope="module")
def words(project_root):
    spec = spec_from_file_location("script_words", project_root / "script" / "words.py")
    module = module_from_spec(spec)
    sys.modules["script_words"] = module  # a NamedTuple looks for its module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site_of_faults(tmp_path):
    page = (
        '{% comment %}a finding{% endcomment %}{{ finding.code }}\n<p data-finding="x">Whoever plays</p>\n'
        '{% button label="Keep it" %}{% post_button action=x label="Show them" %}\n'
        '{% menu label="More" %}{% button label="Delete it" %}{% endmenu %}\n'
        "<p>LEADERS (F000-07)</p>"
    )
    files = {
        "templates/page.html": page,
        "templates/api/docs.html": "<p>A finding</p>",
        "battles/rules.py": '"""A finding."""\n\nSAID = f"{3} fixtures stand here"\nKEY = "fixture"\n',
        "battles/api/views.py": 'SAID = "one fixture is missing"\n',
        "static/js/a.js": 'press("x", {}, "End it"),\nsay("no foe is left"); // a foe of it\n',
        "rulesdata/packs/a.yaml": "# a foe in a note.\nname: Foe of old\nmessage: The foe is near.\n",
        "README.md": "# It\n\n"
        + "word " * 26
        + "end.\n\n    "
        + "code " * 30
        + "\n\nShort.\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_words_guard_finds_each_kind_of_fault(words, site_of_faults):
    found = words.figures(site_of_faults)
    assert sorted(found["dead words"].places) == [
        "battles/rules.py:3: “fixtures” is “game” now",
        "rulesdata/packs/a.yaml:3: “foe” is “enemy” now",
        "static/js/a.js:2: “foe” is “enemy” now",
        "templates/page.html:2: “Whoever” is “the person, by role” now",
    ]
    assert found["internal codes"].places == [
        "templates/page.html:5: the code F000-07 says nothing to a reader; name its section"
    ]
    assert found["buttons that leave by another word"].places == [
        "templates/page.html:3: the button “Keep it” leaves a form; call it “Cancel”"
    ]
    assert sorted(found["buttons without an object"].places) == [
        "static/js/a.js:1: the button “End it” does not name its object",
        "templates/page.html:3: the button “Show them” does not name its object",
    ]
    assert found["watched words per 1000"].value > words.WATCHED_MOST
    assert found["sentences over 25 words, percent"].value == 50.0


def test_words_guard_is_silent_at_its_limits(words, site_of_faults):
    found = words.figures(site_of_faults)
    at_limits = {name: one._replace(most=one.value) for name, one in found.items()}
    assert list(words.faults(at_limits)) == []
    dead = found["dead words"]
    assert list(words.faults({"dead words": dead._replace(most=3)})) == [
        *dead.places,
        "script/words.py:1: dead words: 4, the most is 3",
    ]
