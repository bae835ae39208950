"""What a page of the editor is made of: fields, parts and pages, with their paths in a document."""

from engine.records import TextPairs, Texts, frozen_dataclass

ROWS_SHOWN = 40
"""How many rows one page shows; of a longer list the next page shows the rest."""
ROWS_ADDED = 3


@frozen_dataclass
class RuleField:
    """One value of the rules as a form asks for it.

    ``key`` is its path below its part, with full stops. ``names`` says what may be chosen: a fixed
    list of pairs, or the word of something that the document itself names. Left empty, it is the
    ``same_as`` another field.
    """

    key: str
    label: str
    shape: str = "line"
    help: str = ""
    names: TextPairs | str = ()
    default: bool = False
    same_as: str = ""

    @property
    def name(self) -> str:
        """The name of its input."""
        return self.key.replace(".", "_")

    @property
    def path(self) -> Texts:
        """The keys that lead to it from its part."""
        return tuple(self.key.split("."))


@frozen_dataclass
class RulesPart:
    """Some fields of a mapping, or, where it ``is_rows``, of each entry of a list.

    Rows are put in the order of the number in ``order_by``, or of places that are asked for.
    """

    path: Texts
    title: str
    fields: tuple[RuleField, ...]
    is_rows: bool = False
    noun: str = ""
    note: str = ""
    added: int = ROWS_ADDED
    order_by: str = ""

    @property
    def place(self) -> str:
        """Its path as faults name it."""
        return ".".join(self.path)

    @property
    def has_ids(self) -> bool:
        """Whether its entries have an id, which is made of the name where it is left empty."""
        return any(field.key == "id" for field in self.fields)


@frozen_dataclass
class EditorPage:
    """One page of the editor."""

    key: str
    title: str
    lead: str
    parts: tuple[RulesPart, ...]

    @property
    def paths(self) -> tuple[Texts, ...]:
        """The places of a document that the page writes."""
        found = []
        for part in self.parts:
            if part.is_rows:
                found.append(part.path)
            else:
                found += [(*part.path, *field.path) for field in part.fields]
        return tuple(found)
