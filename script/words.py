"""Guard over the words that people read. Prints each fault as `file:line: what is wrong`.

Standard library only. It reads the text of templates, sentences in Python and JavaScript, rule
packs and documents, and counts

- words that died: each has a successor in docs/words.md;
- buttons that leave a form by another word than "Cancel", and buttons whose object is a pronoun;
- internal codes such as F000-07 in templates and messages;
- words of the watch list, for 1,000 words of the pages;
- sentences over 25 words, in percent of the documents' sentences.

The figures of `words.json` are the most there may be. They only fall: `script/words.py --record`
writes the figures of today, and refuses to write a higher one.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIMITS = Path(__file__).with_name("words.json")

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
    r"\btell afterwards\b|\benter afterwards\b": "enter result with casualties",
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
SAID_IN_TAG = re.compile(
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


class Said(NamedTuple):
    """A piece of text that people read: its file, its line, and the words."""

    path: str
    line: int
    text: str


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _blank(match: re.Match[str]) -> str:
    """As many empty lines as the match had, so that the lines of the rest stay."""
    return " " + "\n" * match[0].count("\n")


def template_texts(path: str, source: str) -> Iterator[Said]:
    """The words of a template: between tags, and in the attributes that are shown or read out."""
    source = COMMENT.sub(_blank, source)
    for tag in TAG.finditer(source):
        for said in SAID_IN_TAG.finditer(tag[0]):
            words = TAG.sub(" ", said[1])
            yield Said(path, _line(source, tag.start() + said.start()), words)
    for number, line in enumerate(TAG.sub(_blank, source).splitlines(), start=1):
        if line.strip():
            yield Said(path, number, line.strip())


def _docstrings(tree: ast.AST) -> set[int]:
    """The ids of constants that are no messages: docstrings, and the parts of f-strings."""
    found = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            found |= {id(part) for part in node.values}
    return found


def _message(node: ast.AST) -> str:
    """The text of a constant or an f-string, with an ellipsis for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else "…"
            for part in node.values
        )
        return "".join(parts)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def python_texts(path: str, source: str) -> Iterator[Said]:
    """The messages of a module: its strings of several words, without docstrings and markup."""
    tree = ast.parse(source)
    passed = _docstrings(tree)
    for node in ast.walk(tree):
        text = _message(node) if id(node) not in passed else ""
        if re.search(r"[a-z…,] [A-Za-z…]", text) and not re.search(
            r"^\s*<|SELECT |\(\?", text
        ):
            yield Said(path, getattr(node, "lineno", 1), text)


def script_texts(path: str, source: str) -> Iterator[Said]:
    """The sentences of a script of the pages."""
    for number, line in enumerate(source.splitlines(), start=1):
        code = re.sub(r"(^|\s)(//|/?\*).*", "", line)
        for match in JS_TEXT.finditer(code):
            yield Said(path, number, re.sub(r"\$\{[^}]*\}", "…", match[1] or match[2]))


def pack_texts(path: str, source: str) -> Iterator[Said]:
    """The sentences of a rule pack, without comments, keys and sources.

    A block has a sentence on a line; a record written in one line has its words in quotes or
    after a key of `PACK_WORDS`.
    """
    for number, line in enumerate(source.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            continue
        if "- {" in line:
            for match in PACK_WORDS.finditer(line):
                yield Said(path, number, next(filter(None, match.groups())))
            continue
        _, _, value = line.partition(": ")
        if re.search(r"[a-z]{2}.* .*[a-z]{2}.*[.!?][\"'”]?\s*$", value):
            yield Said(path, number, re.sub(r"\{[^}]*\}", "…", value))


READERS: dict[str, Callable[[str, str], Iterator[Said]]] = {
    ".html": template_texts,
    ".txt": template_texts,
    ".py": python_texts,
    ".js": script_texts,
    ".yaml": pack_texts,
}


def _read(root: Path, patterns: Iterable[str]) -> dict[str, str]:
    paths = {path for pattern in patterns for path in root.glob(pattern)}
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
    }


def page_files(root: Path) -> dict[str, str]:
    """The files whose words reach a page, a mail or paper, by their path."""
    patterns = ["templates/**/*.html", "templates/**/*.txt", "static/js/**/*.js"]
    files = _read(root, [*patterns, *(f"{app}/**/*.py" for app in APPS)])
    return {
        path: text
        for path, text in files.items()
        if path not in NOT_PAGES and not FOR_PROGRAMS.search(path)
    }


def texts_of(files: dict[str, str]) -> list[Said]:
    """All the words of these files."""
    return [
        said
        for path, text in files.items()
        for said in READERS[Path(path).suffix](path, text)
    ]


def dead_words(texts: Iterable[Said]) -> Iterator[str]:
    """Each word that died."""
    patterns = {old: re.compile(old, re.IGNORECASE) for old in DEAD}
    for path, line, text in texts:
        for old, pattern in patterns.items():
            if old in ALLOWED.get(path, ()):
                continue
            for match in pattern.finditer(text):
                yield f"{path}:{line}: “{match[0]}” is “{DEAD[old]}” now"


def codes(texts: Iterable[Said]) -> Iterator[str]:
    """Each internal code in a text of the pages."""
    for path, line, text in texts:
        for match in CODE.finditer(text):
            yield f"{path}:{line}: the code {match[0]} says nothing to a reader; name its section"


def buttons(path: str, source: str) -> Iterator[Said]:
    """The labels of a template's or a script's buttons; those of menus have their object above."""
    pattern = JS_BUTTON if path.endswith(".js") else BUTTON
    source = MENU.sub(_blank, COMMENT.sub(_blank, source))
    for match in pattern.finditer(source):
        label = next(filter(None, match.groups()))
        yield Said(path, _line(source, match.start()), label.strip())


def button_faults(path: str, source: str) -> Iterator[str]:
    """Each button that leaves a form without saying Cancel, or names its object by a pronoun."""
    for _, line, label in buttons(path, source):
        if LEAVING.search(label):
            yield f"{path}:{line}: the button “{label}” leaves a form; call it “Cancel”"
        elif PRONOUN.search(label):
            yield f"{path}:{line}: the button “{label}” does not name its object"


def watched(texts: Iterable[Said]) -> float:
    """How many words of the watch list stand among 1,000 words."""
    hits = words = 0
    for _, _, text in texts:
        hits += len(WATCHED.findall(text))
        words += len(WORD.findall(text))
    return round(1000 * hits / max(words, 1), 1)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a document: of its paragraphs and list items, without code and tables."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<=\n\n)(?: {4}.*\n)+", "\n", text)
    text = re.sub(r"^(\||#|!|\s*$|\s*<).*", "\n", text, flags=re.MULTILINE)
    for block in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.)\s", "\n" + text):
        plain = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", block))
        yield from filter(str.strip, re.split(r"(?<=[.!?])\s+", " ".join(plain.split())))


def long_sentences(path: str, text: str) -> tuple[list[str], int]:
    """The sentences of more than 25 words, as faults, and how many sentences there are."""
    said = list(sentences(text))
    long = [
        f"{path}:1: {len(one.split())} words in one sentence: {one[:70]}…"
        for one in said
        if len(one.split()) > LONG
    ]
    return long, len(said)


def documents(root: Path) -> tuple[list[str], float]:
    """The long sentences of all documents, and their percentage."""
    files = _read(root, DOCUMENTS)
    told = [long_sentences(path, text) for path, text in files.items()]
    found = [fault for long, _ in told for fault in long]
    return found, round(100 * len(found) / max(sum(count for _, count in told), 1), 1)


class Figure(NamedTuple):
    """One figure, its goal, and the places behind it."""

    value: float
    goal: float
    places: list[str]


def figures(root: Path = ROOT) -> dict[str, Figure]:
    """Every figure of this guard, by its name."""
    files = page_files(root)
    texts = texts_of(files)
    dead = list(dead_words([*texts, *_pack_texts(root)]))
    coded = list(codes(texts))
    pressed = _button_faults(files)
    leaving = [fault for fault in pressed if "Cancel" in fault]
    pronouns = [fault for fault in pressed if "Cancel" not in fault]
    long, percent = documents(root)
    return {
        "dead words": Figure(len(dead), 0, dead),
        "internal codes": Figure(len(coded), 0, coded),
        "buttons that leave by another word": Figure(len(leaving), 0, leaving),
        "buttons without an object": Figure(len(pronouns), 0, pronouns),
        "watched words per 1000": Figure(watched(texts), WATCHED_MOST, []),
        "sentences over 25 words, percent": Figure(percent, LONG_MOST, long),
    }


def _pack_texts(root: Path) -> list[Said]:
    """What the rule packs show."""
    found = _read(root, ["rulesdata/packs/**/*.yaml"])
    shown = [path for path in found if not path.endswith(NOT_SHOWN)]
    return texts_of({path: found[path] for path in shown})


def _button_faults(files: dict[str, str]) -> list[str]:
    """The faults of the buttons of all pages."""
    found: list[str] = []
    for path, text in files.items():
        if not path.endswith((".py", ".txt")):
            found += button_faults(path, text)
    return found


def faults(found: dict[str, Figure], limits: dict[str, float]) -> Iterator[str]:
    """What is over its limit, with the places; a limit is never below the goal."""
    for name, figure in found.items():
        most = max(limits.get(name, figure.goal), figure.goal)
        if figure.value > most:
            yield from figure.places
            yield f"script/words.json:1: {name}: {figure.value:g}, the most is {most:g}"


def record(found: dict[str, Figure], limits: dict[str, float]) -> dict[str, float]:
    """The new limits: the figures of today where they fell; a goal that is reached needs none."""
    return {
        name: min(figure.value, limits.get(name, figure.value))
        for name, figure in found.items()
        if figure.value > figure.goal
    }


def main(arguments: list[str]) -> int:
    limits: dict[str, float] = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    found = figures()
    if "--list" in arguments:
        print("\n".join(place for figure in found.values() for place in figure.places))
    for name, figure in found.items():
        print(f"{name}: {figure.value:g} (goal {figure.goal:g})")
    wrong = list(faults(found, limits))
    if "--record" in arguments:
        LIMITS.write_text(json.dumps(record(found, limits), indent=2) + "\n")
    else:
        print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
