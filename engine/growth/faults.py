"""What can be wrong with campaign rules: each fault by a code, with one table of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import Refusal
from engine.records import frozen_dataclass

UNREADABLE = "cannot be read."
SENTENCES: Mapping[str, str] = {
    # The shape of one value, by the codes of pydantic and those of the schema's own checks.
    "missing": "is missing.",
    "extra_forbidden": "is not a key here.",
    "no_value": "has no value; words with a comma need quotes.",
    "model_type": "must be a mapping of keys and values.",
    "model_attributes_type": "must be a mapping of keys and values.",
    "dict_type": "must be a mapping of keys and values.",
    "list_type": "must be a list.",
    "string_type": "must be a text.",
    "int_type": "must be a whole number.",
    "bool_type": "must be true or false.",
    "string_too_short": "must not be empty.",
    "string_too_long": "must have at most {max_length} characters.",
    "string_pattern_mismatch": "must be a word of 1 to 40 letters, digits, - and _.",
    "greater_than_equal": "must be at least {ge}.",
    "less_than_equal": "must be at most {le}.",
    "literal_error": "must be {expected}.",
    "union_tag_invalid": "must be {expected_tags}.",
    "union_tag_not_found": "is missing.",
    "too_long": "holds {actual_length}, and {max_length} is the most.",
    "too_short": "must be a share such as [1, 2].",
    "no_share": "must be a share such as [1, 2], of which the second is not 0.",
    "no_line": "must be one line.",
    "twice": "names something twice.",
    "empty": "must name at least one.",
    "not_rising": "must rise from each to the next.",
    "several_verbs": "has {verbs}, and one row does one thing.",
    "no_amount": "is missing.",
    # What must hold between values.
    "unknown": "names “{name}”, which is no {what} here.",
    "unknown_stat": "names “{name}”; the characteristics are {stats}.",
    "repeated": "is that of another {what}.",
    "in_use": "“{name}” is in use and cannot be left out.",
    "other_system": "do not name {system}: these rules are for others.",
    "no_currency": "needs at least one currency.",
    "unearned": "starts at 0 and nothing in the rules earns it.",
    "not_all": "needs a kind that everybody else belongs to (match: {{}}).",
    "nobody": "matches nobody: the kinds before it take them all.",
    "no_advances": "is missing: the kind has steps.",
    "below_least": "must not be below {least}.",
    "needless": "needs an effect that may be impossible.",
    "beyond_dice": "{dice} comes to {least} to {most}.",
    "no_row": "has no row for a roll of {roll}.",
    "several_rows": "has {count} rows for a roll of {roll}.",
    "circular": "leads back to itself by its rows.",
    "no_captives": "needs the section captives.",
    "not_of_groups": "cannot befall one of a group (“{name}” rolls here).",
    "not_of_warbands": "needs a model, and “{name}” is rolled for the warband.",
    "same_kind": "names the kind that rolls on this table.",
    "no_advance": "stands in a table that no kind advances by.",
    "no_search": "needs the dice of trade.search.",
    # The document whole.
    "too_deep": "is nested too deeply to be read.",
    "too_large": "is larger than {most} KiB.",
}
"""What is told of each fault; the values in braces stand beside its code."""


@frozen_dataclass
class RulesFault:
    """One thing wrong with a document, and the path of the place."""

    path: str
    message: str
    code: str = ""


def rules_fault(path: str, code: str, **values: object) -> RulesFault:
    """Return a fault with its sentence."""
    return RulesFault(path, SENTENCES.get(code, UNREADABLE).format(**values), code)


class FaultyRules(Refusal):
    """A document that cannot be used; ``faults`` is the whole work list."""

    def __init__(self, faults: Sequence[RulesFault]) -> None:
        """Keep all faults; the message tells the first and how many more there are."""
        self.faults = tuple(faults)
        first = self.faults[0]
        more = len(self.faults) - 1
        ending = f" ({more} more)" if more else ""
        super().__init__(f"{first.path}: {first.message}{ending}", field="document")
