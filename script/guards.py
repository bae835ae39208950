"""Guards over the text of the project's files. Prints each fault as `file:line: what is wrong`.

Standard library only.

- No file names the host of a package registry: where packages come from is the reader's own choice.
- No template holds an inline script, style or event handler: the content security policy would not run it.
- No two public classes of the product bear one name, and no module is named by a participle (checking, telling).
  The exceptions below may only become fewer: one that is not needed any more is a fault too.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {
    ".git",
    ".venv",
    "var",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
}

# Written in two parts, or this file would be the first fault.
REGISTRIES = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("jsdelivr", "net"),
        ("unpkg", "com"),
    ]
]
REGISTRY = re.compile("|".join(re.escape(host) for host in REGISTRIES), re.IGNORECASE)

INLINE = {
    "an inline <script>; put it in static/js and give its src": re.compile(
        r"<script(?![^>]*\ssrc\s*=)", re.IGNORECASE
    ),
    "a <style> element; put it in static/css": re.compile(r"<style[\s>]", re.IGNORECASE),
    "a style attribute; use a class": re.compile(r"<[a-z][^<>]*\sstyle\s*=", re.IGNORECASE),
    "an event handler; add it in a script": re.compile(
        r"<[a-z][^<>]*\son[a-z]+\s*=", re.IGNORECASE
    ),
    "a javascript: address": re.compile(r"=\s*[\"']?\s*javascript:", re.IGNORECASE),
}

# Folders whose Python files are not the product's.
OTHER_FOLDERS = {"tests", "script", "docs", "migrations"}
# Every command of manage.py has a class of this name: Django asks for it.
SHARED_CLASS_NAMES = {"Command"}
SAME_NAME_ALLOWED = {"Fault"}
ING_NOUNS = {"pairing", "matching", "rating"}


def project_files(root: Path) -> list[Path]:
    """The files git knows or would add; without git, all but what tools leave behind."""
    command = [
        "git",
        "-C",
        str(root),
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = (
        subprocess.run(command, capture_output=True, check=False)
        if (root / ".git").exists()
        else None
    )
    if listed and listed.returncode == 0:
        paths = [root / name for name in listed.stdout.decode().split("\0") if name]
    else:
        paths = [
            path
            for path in root.rglob("*")
            if not NOT_OURS & set(path.relative_to(root).parts)
        ]
    return sorted(path for path in paths if path.is_file())


def registry_faults(name: str, text: str) -> Iterator[str]:
    """Each line of a file that names a package registry."""
    for number, line in enumerate(text.splitlines(), start=1):
        if REGISTRY.search(line):
            yield f"{name}:{number}: names a package registry"


def inline_faults(name: str, text: str) -> Iterator[str]:
    """Each piece of a template that a strict content security policy refuses."""
    for what, pattern in INLINE.items():
        for match in pattern.finditer(text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {what}"


def public_classes(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """The places of each public class by its name."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, text in texts.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{name}:{node.lineno}")
    return places


def class_faults(texts: Mapping[str, str], allowed: Iterable[str] = ()) -> Iterator[str]:
    """Each public class whose name another module uses too; ``texts`` is the modules by path."""
    classes = public_classes(texts)
    doubles = {
        name: places
        for name, places in classes.items()
        if len(places) > 1
        and name not in SHARED_CLASS_NAMES
        and not _is_stored_value(places)
    }
    for name in sorted(doubles.keys() - set(allowed)):
        yield f"{doubles[name][-1]}: the class {name} has the name of {doubles[name][0]}"
    for name in sorted(set(allowed) - doubles.keys()):
        yield f"script/guards.py:1: {name} is one class now; take it off SAME_NAME_ALLOWED"


def _is_stored_value(places: list[str]) -> bool:
    """Whether these are a value of the engine and the Django model that stores it."""
    values = [place for place in places if place.startswith("engine/")]
    models = [place for place in places if "/models.py:" in place or "/models/" in place]
    return len(places) == 2 and len(values) == len(models) == 1


def module_faults(names: Iterable[str], allowed: Iterable[str] = ()) -> Iterator[str]:
    """Each module or package whose name ends in -ing and is no noun of the field."""
    participles = set()
    for name in names:
        path = Path(name)
        stem = path.parent.name if path.name == "__init__.py" else path.stem
        if stem.endswith("ing") and stem.rpartition("_")[2] not in ING_NOUNS:
            participles.add(name)
    for name in sorted(participles - set(allowed)):
        yield f"{name}:1: name the module by a noun, not by a participle"
    for name in sorted(set(allowed) - participles):
        yield f"{name}:1: is not there any more; allow it no longer"


def faults(root: Path = ROOT) -> Iterator[str]:
    """Every fault of every file under a folder."""
    product = {}
    for path in project_files(root):
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        yield from registry_faults(name, text)
        if path.suffix == ".py" and not OTHER_FOLDERS & set(path.relative_to(root).parts):
            product[name] = text
        # The print templates never reach a browser.
        if (
            name.startswith("templates/")
            and not name.startswith("templates/print/")
            and path.suffix == ".html"
        ):
            yield from inline_faults(name, text)
    yield from class_faults(product, SAME_NAME_ALLOWED)
    yield from module_faults(product)


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "No faults.")
    sys.exit(bool(found))
