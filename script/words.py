"""Guard over the words that people read. Prints each fault as `file:line: what is wrong`.

Standard library only. It reads the text of templates, sentences in Python and JavaScript, rule
packs and documents, and counts

- words that died: each has a successor in docs/words.md;
- buttons that leave a form by another word than "Cancel", and buttons whose object is a pronoun;
- internal codes such as F000-07 in templates and messages;
- words of the watch list, for 1,000 words of the pages;
- sentences over 25 words, in percent of the documents' sentences.

Each has a limit below. `script/words.py --list` prints every place, also where a limit is met.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

# Apps whose sentences people meet on pages, in mails and on paper.
APPS = (
    "accounts",
    "battles",
    "campaigns",
    "clubs",
    "config",
    "engine",
    "interchange",
    "jobs",
    "notices",
    "odds",
    "rulesdata",
    "warbands",
)
# Programs keep the old names: keys and addresses do not change with a word.
FOR_PROGRAMS = re.compile(
    r"(^|/)(api|api_tokens|migrations|management)(/|\.py$)|serializers|schema"
)
# Shown to developers alone.
NOT_PAGES = {
    "templates/api/docs.html",
    "templates/api/fields.html",
}
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md")
# Rows for the check of coverage, in words of their own.
NOT_SHOWN = "coverage.yaml"

# A word that died, as it stood on pages, and the word that took its place.
DEAD = {
    r"\bfixtures?\b": "game",
    r"\bfindings?\b": "issue",
    r"\bwarriors?\b": "unit or model",
    r"\bminiatures?\b": "model",
    r"\bcombatants?\b": "model",
    r"\bprofiles?\b": "unit",
    r"\btie-breaks?\b": "tie-breaker",
    r"\blevel (on|in)\b": "tied on",
    r"\bout difference\b": "casualty difference",
    r"\bfewest lost\b": "fewest models lost",
    r"\bopponents[’'] scores?\b": "strength of schedule",
    r"\bwho meets whom\b": "pairings",
    r"\b(draw|drawn) back\b": "discard pairings",
    r"\bsits? out\b": "bye",
    r"\btable of three\b": "three-player game",
    r"\bwhoever\b": "the person, by role",
    r"\bwho is in\b": "players",
    r"\bput out\b": "taken out",
    r"\bput(s|ting)? away\b": "archive",
    r"\bout of sight\b": "hide",
    r"\bset aside\b": "ignored",
    r"\bnot by the rules\b": "against the rules",
    r"\bquick sides?\b": "side without a list",
    r"\bthe other side\b": "your opponent",
    r"\bnobody won\b": "draw",
    r"\b(make|made|makes|making) (it )?void\b": "void",
    r"\bby silence\b": "automatically",
    r"\bwon without a battle\b": "walkover",
    r"\bcalled off\b": "cancelled",
    r"\bchronicles?\b": "round summaries",
    r"\bhonours\b": "awards",
    r"\bcareers?\b": "battle record",
    r"\b(let|lets) (it )?pass\b": "waive",
    r"\bwas let pass\b": "was waived",
    r"\btell afterwards\b|\benter afterwards\b": "Result",
    r"\blaid over\b": "based on",
    r"\(ours\)": "by Muster Roll",
    r"\bnot offered\b": "hidden",
    r"\bprice (kept|paid)\b": "old price",
    r"\bfoes?\b": "enemy",
    r"\bmake an account\b|\bsign up\b": "create account",
    r"\bsecond step\b": "two-step sign-in",
    r"\be-mails?\b": "email",
    r"\bgo(es)? (with it|on \d)": "is deleted",
    r"\bno more mail\b": "stop these emails",
    r"\bput (it|this|that|them) right\b": "correct it",
    r"\btook over\b": "copied",
}
# Where a dead word is a proper name or a rule term: path to the words allowed there.
ALLOWED: dict[str, set[str]] = {
    # Keys of events and of packs, which programs and the authors of packs write.
    "engine/battles/sentences.py": {r"\bcombatants?\b"},
    "rulesdata/checks/systems.py": {r"\bcombatants?\b"},
    # The product of a calendar and a column of a file: programs look for them.
    "campaigns/exports.py": {r"\bfixtures?\b", r"\bput out\b"},
    # Names of columns in the administration, as migrations have written them down.
    "accounts/models.py": {r"\be-mails?\b"},
    "warbands/models.py": {r"\bminiatures?\b"},
}

LEAVING = re.compile(
    r"^(keep (it|them|everything|the old)|do not|don.t|leave (it|them|everything|as)\b|stay$|"
    r"not now|never mind|no, )",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(it|them|this|that|these|those|one|ones)$", re.IGNORECASE)
CODE = re.compile(r"\b[FGCR]\d{2,3}-\d{2}\b|\bG\d{2}\b")
WATCHED = re.compile(
    r"\b(told|tells?|stands?|stood|keeps?|kept|whoever|nobody|somebody|everybody|anybody|counts|"
    r"gone|goes|anew)\b",
    re.IGNORECASE,
)
WATCHED_MOST = 8.0
LONG = 25
LONG_MOST = 3.0

WORD = re.compile(r"[A-Za-zÀ-ÿ’']+")
COMMENT = re.compile(r"{%\s*comment\b.*?{%\s*endcomment\s*%}|{#.*?#}|<!--.*?-->", re.DOTALL)
MENU = re.compile(r"{%\s*menu\b.*?{%\s*endmenu\s*%}", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}|<[^>]*>", re.DOTALL)
TEXT_IN_TAG = re.compile(
    r"\b(?:label|title|lead|text|message|aside|caption|legend|help|placeholder|aria-label|alt|why)"
    r'="([^"]*)"'
)
BUTTON = re.compile(
    r'{%\s*(?:post_button|button)\b[^%]*?\blabel="([^"]+)"|<button[^>]*>\s*([A-Za-z][^<{]*?)\s*</button'
)
JS_BUTTON = re.compile(r'\b(?:press\(|h\("button)[^\n]*?"([A-Z][^"]*)"\)?,?$', re.MULTILINE)
PACK_WORDS = re.compile(
    r"\b(?:text|summary|title|default|by|note): (?:'((?:[^']|'')*)'|([^',{}\[\]]+))"
)
JS_TEXT = re.compile(r'"([^"\n]*[a-z] [a-z][^"\n]*)"|`([^`\n]*[a-z] [a-z][^`\n]*)`')
MESSAGE = re.compile(r"[a-z…,] [A-Za-z…]")

Texts = Iterator[tuple[int, str]]
"""Pieces of text that people read, each behind the number of its line."""


class Figure(NamedTuple):
    """One figure, the most there may be, and the places behind it."""

    value: float
    most: float
    places: list[str]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _blank(match: re.Match[str]) -> str:
    """As many empty lines as the match had, so that the lines of the rest stay."""
    return " " + "\n" * match[0].count("\n")


def template_texts(source: str) -> Texts:
    """The words of a template: between tags, and in the attributes that are shown or read out."""
    source = COMMENT.sub(_blank, source)
    for tag in TAG.finditer(source):
        for match in TEXT_IN_TAG.finditer(tag[0]):
            yield _line(source, tag.start() + match.start()), TAG.sub(" ", match[1])
    yield from enumerate(TAG.sub(_blank, source).splitlines(), start=1)


def python_texts(source: str) -> Texts:
    """The messages of a module: its strings of several words, without docstrings and markup.

    An ellipsis stands for what is filled in.
    """
    nodes = list(ast.walk(ast.parse(source)))
    # Docstrings are no messages, and the parts of an f-string no messages of their own.
    passed = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            passed |= set(map(id, node.values))
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in passed:
            text = _string(node)
            if MESSAGE.search(text) and not re.search(r"^\s*<|SELECT |\(\?", text):
                yield node.lineno, text


def _string(node: ast.JoinedStr | ast.Constant) -> str:
    """The text of a string; empty for another constant."""
    if isinstance(node, ast.JoinedStr):
        # Only the parts between the braces are constants, and those are strings.
        parts = [
            part.value if isinstance(part, ast.Constant) else "…" for part in node.values
        ]
        return "".join(map(str, parts))
    return node.value if isinstance(node.value, str) else ""


def script_texts(source: str) -> Texts:
    """The sentences of a script of the pages."""
    for number, line in enumerate(source.splitlines(), start=1):
        code = re.sub(r"(^|\s)(//|/?\*).*", "", line)
        for match in JS_TEXT.finditer(code):
            yield number, re.sub(r"\$\{[^}]*\}", "…", match[1] or match[2])


def pack_texts(source: str) -> Texts:
    """The sentences of a rule pack, without comments, keys and sources.

    A block has a sentence on a line; a record written in one line has its words in quotes or
    after a key of `PACK_WORDS`.
    """
    for number, line in enumerate(source.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            continue
        if "- {" in line:
            for match in PACK_WORDS.finditer(line):
                yield number, match[1] or match[2]
            continue
        _, _, value = line.partition(": ")
        if re.search(r"[a-z]{2}.* .*[a-z]{2}.*[.!?][\"'”]?\s*$", value):
            yield number, re.sub(r"\{[^}]*\}", "…", value)


READERS: dict[str, Callable[[str], Texts]] = {
    ".html": template_texts,
    ".txt": template_texts,
    ".py": python_texts,
    ".js": script_texts,
    ".yaml": pack_texts,
}


def read_files(root: Path, *patterns: str) -> dict[str, str]:
    """The text of the files of these patterns, by their path."""
    paths = {path for pattern in patterns for path in root.glob(pattern)}
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
    }


def button_faults(files: dict[str, str]) -> tuple[list[str], list[str]]:
    """The buttons that leave a form without saying Cancel, and those that name their object by a
    pronoun. Those of menus have their object above.
    """
    leaving: list[str] = []
    pronouns: list[str] = []
    for path, text in files.items():
        if path.endswith((".py", ".txt")):
            continue
        source = MENU.sub(_blank, COMMENT.sub(_blank, text))
        for match in (JS_BUTTON if path.endswith(".js") else BUTTON).finditer(source):
            label = next(filter(None, match.groups())).strip()
            button = f"{path}:{_line(source, match.start())}: the button “{label}”"
            if LEAVING.search(label):
                leaving.append(f"{button} leaves a form; call it “Cancel”")
            elif PRONOUN.search(label):
                pronouns.append(f"{button} does not name its object")
    return leaving, pronouns


def sentences(text: str) -> Iterator[str]:
    """The sentences of a document: of its paragraphs and list items, without code and tables."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<=\n\n)(?: {4}.*\n)+", "\n", text)
    text = re.sub(r"^(\||#|!|\s*$|\s*<).*", "\n", text, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.)\s", "\n" + text):
        plain = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", block))
        yield from filter(str.strip, re.split(r"(?<=[.!?])\s+", " ".join(plain.split())))


def read_texts(root: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The sources of what people read, by their path: pages with their code, and packs."""
    scripts = "static/js/**/*.js"
    modules = [f"{app}/**/*.py" for app in APPS]
    pages = read_files(root, "templates/**/*.html", "templates/**/*.txt", scripts, *modules)
    packs = read_files(root, "rulesdata/packs/**/*.yaml")
    for path in [*pages, *packs]:
        if path in NOT_PAGES or FOR_PROGRAMS.search(path) or path.endswith(NOT_SHOWN):
            pages.pop(path, None)
            packs.pop(path, None)
    return pages, packs


def dead_words(files: dict[str, str]) -> list[str]:
    """The words that died, each with its successor."""
    return [
        f"{path}:{line}: “{match[0]}” is “{new}” now"
        for path, source in files.items()
        for line, text in READERS[Path(path).suffix](source)
        for old, new in DEAD.items()
        if old not in ALLOWED.get(path, ())
        for match in re.finditer(old, text, re.IGNORECASE)
    ]


def long_sentences(documents: dict[str, str]) -> tuple[float, list[str]]:
    """How many sentences of the documents are too long, in percent, and which."""
    count, places = 0, []
    for path, text in documents.items():
        for sentence in sentences(text):
            count += 1
            length = len(sentence.split())
            if length > LONG:
                places.append(f"{path}:1: {length} words in one sentence: {sentence[:70]}…")
    return round(100 * len(places) / max(count, 1), 1), places


def figures(root: Path = ROOT) -> dict[str, Figure]:
    """Every figure of this guard, by its name."""
    pages, packs = read_texts(root)
    dead = dead_words(pages | packs)
    codes: list[str] = []
    hits = word_count = 0
    for path, source in pages.items():
        for line, text in READERS[Path(path).suffix](source):
            codes += [
                f"{path}:{line}: the code {code} says nothing to a reader; name its section"
                for code in CODE.findall(text)
            ]
            hits += len(WATCHED.findall(text))
            word_count += len(WORD.findall(text))
    watched = round(1000 * hits / max(word_count, 1), 1)
    leaving, pronouns = button_faults(pages)
    percent, long = long_sentences(read_files(root, *DOCUMENTS))
    return {
        "dead words": Figure(len(dead), 0, dead),
        "internal codes": Figure(len(codes), 0, codes),
        "buttons that leave by another word": Figure(len(leaving), 0, leaving),
        "buttons without an object": Figure(len(pronouns), 0, pronouns),
        "watched words per 1000": Figure(watched, WATCHED_MOST, []),
        "sentences over 25 words, percent": Figure(percent, LONG_MOST, long),
    }


def faults(results: dict[str, Figure]) -> Iterator[str]:
    """What is over its limit, with the places."""
    for name, (value, most, places) in results.items():
        if value > most:
            yield from places
            yield f"script/words.py:1: {name}: {value:g}, the most is {most:g}"


def main() -> int:
    results = figures()
    if "--list" in sys.argv:
        print("\n".join(place for figure in results.values() for place in figure.places))
    for name, figure in results.items():
        print(f"{name}: {figure.value:g} (at most {figure.most:g})")
    wrong = list(faults(results))
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
