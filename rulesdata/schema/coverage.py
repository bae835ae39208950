"""The file coverage.yaml: every rule of a system's text by its lines, and what became of it.

No page reads it: it is checked, and `manage.py rules_coverage` prints it.
"""

from typing import Annotated, Literal

from pydantic import Field

from rulesdata.schema.base import Key, Name, Sentence, StrictModel

Line = Annotated[int, Field(ge=1, le=9_999)]
Lines = Annotated[list[Line], Field(min_length=2, max_length=2)]
CoverageState = Literal["worked-out", "recorded", "told", "table", "missing"]
Where = Annotated[str, Field(pattern=r"^[\w./-]+(:[\w./–-]+)?$", max_length=120)]


class TextSectionRecord(StrictModel):
    """A heading of the text and the first and last lines of the paragraphs under it.

    ``no_rules`` says why a section rules nothing.
    """

    title: Name
    lines: Annotated[list[Lines], Field(min_length=1)]
    no_rules: Sentence | None = None


class CoverageRowRecord(StrictModel):
    """One rule of the text in our own words.

    ``where`` names code (``engine/dice.py:at_least``), a key of a pack file
    (``rulings.yaml:C59``) or a page (``page:odds-read``).
    """

    id: Key
    lines: Lines
    rule: Sentence
    state: CoverageState
    where: list[Where] = []
    reason: Sentence | None = None


class CoverageFile(StrictModel):
    """coverage.yaml; ``text`` is the title of the text."""

    text: Name
    sections: Annotated[list[TextSectionRecord], Field(min_length=1)]
    rows: Annotated[list[CoverageRowRecord], Field(min_length=1)]
