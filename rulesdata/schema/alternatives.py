"""The file of what an alternative of a ruling, or a house rule, changes in the others."""

from typing import Annotated, Any

from pydantic import Field

from rulesdata.schema.base import Sentence, StrictModel, True_

Choice = Annotated[
    str, Field(pattern=r"^([A-Z][0-9]{2,3}(-[0-9]{2})?\.[1-9]|[a-z0-9_]+)$", max_length=60)
]
Target = Annotated[str, Field(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$", max_length=100)]
FileName = Annotated[str, Field(pattern=r"^[a-z_]+\.yaml$", max_length=40)]


class AlternativeRecord(StrictModel):
    """What is otherwise while a choice is played: ``C03.1`` is the first alternative of ruling C03,
    a word alone a house rule.

    ``words``: in the record of that id, or in the records of that list, a phrase and the one that
    takes its place. ``sets``: by file, what is laid over it: records of a list by their id, ``drop:
    true`` for one that goes, ``after`` for one that comes behind another, null for a value that
    goes. ``told``: what only people at the table can do, so that the rules in short say it.
    """

    id: Choice
    words: dict[Target, Annotated[dict[Sentence, Sentence], Field(min_length=1)]] = {}
    sets: dict[FileName, dict[str, Any]] = {}
    told: True_ | None = None


class AlternativesFile(StrictModel):
    alternatives: list[AlternativeRecord]
