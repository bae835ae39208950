"""Guards over the text of the project's files. Prints each fault as `file:line: what is wrong`.

Standard library only.

- No file names the host of a package registry: where packages come from is the reader's own choice.
- No template holds an inline script, style or event handler: the content security policy would not run it.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
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
            path for path in root.rglob("*") if not NOT_OURS & set(path.relative_to(root).parts)
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


def faults(root: Path = ROOT) -> Iterator[str]:
    """Every fault of every file under a folder."""
    for path in project_files(root):
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        yield from registry_faults(name, text)
        # The print templates never reach a browser.
        if (
            name.startswith("templates/")
            and not name.startswith("templates/print/")
            and path.suffix == ".html"
        ):
            yield from inline_faults(name, text)


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "No faults.")
    sys.exit(bool(found))
