"""Lists of other apps for programs: read into our document, or written from it. Nothing is stored.

A file comes and goes as base64.
"""

import binascii
from base64 import b64decode, b64encode
from typing import Any

from rest_framework.settings import api_settings

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    Joined,
    OneOf,
    Text,
    Texts,
    Whole,
    WholeDocument,
)
from accounts.api_tokens.http import BearerToken, StoresNothing
from accounts.errors import Refusal
from engine.errors import refused_at
from engine.records import Fields, JsonObject
from warbands.api.rosters import RosterDocument, WarriorDocument
from warbands.exchange.document import parse, to_document
from warbands.exchange.foreign.export import FORMS, write_roster
from warbands.exchange.foreign.preview import LineChoice, PartLine, PreviewLine
from warbands.exchange.foreign.reader import read_list, read_text
from warbands.models import KEY_MAX, NAME_MAX
from warbands.queries.foreign_lists import (
    ListPreview,
    ListWishes,
    load_list_preview,
    outgoing_roster,
)
from warbands.roster_fields import entry_document
from warbands.sheet.frozen import to_json

Strict: Any = api_settings.DEFAULT_PARSER_CLASSES[0]
LISTS_BODY_MAX = 4_194_304
LINE_DIGITS = 3
WAYS = "id, name, alias, learned, chosen, carried, suggested or none."


# Bodies


class ListParser(Strict):
    """JSON of at most 4 MiB; the reader of the list looks at its texts."""

    max_body = LISTS_BODY_MAX
    refuses_texts = False


LISTS = Section(
    "interchange",
    noun="list",
    fields={"rules": "system", "file": "content"},
    authentication=BearerToken,
    permission=StoresNothing,
    settings={"parser_classes": [ListParser]},
)


class ListText(Text):
    """A whole list or file; the body bounds it."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class ListBody(Body):
    """A list of another app: its text, or its file as base64."""

    text = ListText(required=False, help_text="The list as an app or a chat shows it.")
    content = ListText(required=False, help_text="In place of text: the file in base64.")
    file_name = Text(
        required=False,
        max_length=NAME_MAX,
        help_text="Told in no answer: the content decides which form it is.",
    )
    system = Text(
        max_length=KEY_MAX, help_text="Key of a rule system, with its variant: a-system.B."
    )
    army = Text(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Key of an army, or of a list of a club you are in; null finds it.",
    )
    choices = WholeDocument(
        required=False,
        help_text='By line: {"3": {"profile": "captain", "options": {"0": null}}}. '
        "null leaves a unit or a part as a note.",
    )


# Answers


class SuggestionAnswer(Answer):
    """What may be meant."""

    key = Text()
    name = Text()
    points = Whole()


class PartAnswer(Answer):
    """A part of a unit, by its number in choices."""

    part = Whole(source="number")
    name = Text(source="theirs.name")
    count = Whole(source="theirs.count", help_text="0 where the list names no number.")
    points = Text(source="theirs.points", help_text="A decimal number.")
    key = Text(source="match.key", allow_null=True)
    how = Text(source="match.how", help_text=WAYS)
    suggestions = SuggestionAnswer(many=True, source="match.suggestions")

    def get_points(self, part: PartLine) -> str:
        """The price in their list, of all pieces."""
        return f"{part.theirs.points:f}"


class ListLineAnswer(Answer):
    """A unit of the list, and what it becomes."""

    line = Whole(source="theirs.line", help_text="Its number in choices, from 1.")
    name = Text(source="theirs.name")
    count = Whole(source="theirs.count")
    parts = PartAnswer(many=True)
    ours = WarriorDocument(many=True, help_text="The entries of our document.")
    how = Text(source="match.how", help_text=WAYS)
    suggestions = SuggestionAnswer(many=True, source="match.suggestions")
    points_theirs = Text(help_text="A decimal number.")
    points_ours = Whole()

    def get_ours(self, line: PreviewLine) -> list[Fields]:
        """The entries it becomes, as the document writes them."""
        return [entry_document(entry) for entry in line.entries]

    def get_points_theirs(self, line: PreviewLine) -> str:
        """The price in their list."""
        return f"{line.theirs.points:f}"


class ArmyShareAnswer(Answer):
    """An army of the system, or a list of a club of the caller's."""

    key = Text()
    name = Text()
    share = Whole(help_text="How many units of the list it has for certain.")


class TotalsAnswer(Answer):
    """The prices of the whole list, as decimal numbers."""

    stated = Text(allow_null=True, help_text="What the file says.")
    sum = Text(help_text="What its lines come to.")
    ours = Whole(allow_null=True)


class ReadListAnswer(Answer):
    """A list of another app and what becomes of it."""

    form = Text(
        source="tree.form",
        help_text="battlescribe, nr-json, owb, muster-roll, or a text: battlescribe-text, "
        "new-recruit-text, owb-text, chat-text.",
    )
    tree = AnyObject(help_text="What the list says: source, sections, units, settings.")
    army = Text(allow_null=True, help_text="null where it is not certain: send one.")
    armies = ArmyShareAnswer(many=True)
    lines = ListLineAnswer(many=True, help_text="Empty while the army is not known.")
    document = RosterDocument(allow_null=True)
    totals = TotalsAnswer()
    remarks = Texts(help_text="What seemed odd, as sentences.")

    def get_tree(self, result: ListPreview) -> JsonObject:
        """The neutral tree."""
        return to_json(result.tree)


class RosterForListBody(Body):
    """A roster to be written for another app."""

    document = WholeDocument(help_text="A roster document.")
    to = OneOf(choices=list(FORMS))


class WrittenListAnswer(Answer):
    """The file, and what its form does not keep."""

    file_name = Text()
    media_type = Text()
    content = Text(help_text="The file in base64.")
    complete = Flag(
        source="is_complete",
        help_text="The other app knows every unit, so that it can change the list.",
    )
    lost = Texts(help_text="What this form does not keep, as sentences.")


# Lists in


@Endpoint("POST", ReadListAnswer, body=ListBody)
def convert_in(call: ApiCall) -> Joined:
    """Read a list of another app and put it beside an army. Nothing is stored."""
    body = call.body
    text, content = body.get("text", ""), body.get("content", "")
    if bool(text) == bool(content):
        raise Refusal("Send the list as text, or its file as content.", field="text")
    if text:
        with refused_at("text"):
            tree = read_text(text)
    else:
        with refused_at("content"):
            tree = read_list(body.get("file_name", ""), decoded(content))
    sent = body.get("choices", {})
    choices = {_number(line): _choice(line, choice) for line, choice in sent.items()}
    wishes = ListWishes(body["system"], body.get("army") or "", choices)
    result = load_list_preview(call.actor, tree, wishes)
    preview, stated = result.preview, tree.stated_total
    return Joined(
        result,
        lines=preview.lines if preview else (),
        document=to_document(preview.roster) if preview else None,
        totals={
            "stated": None if stated is None else f"{stated:f}",
            "sum": f"{tree.total:f}",
            "ours": preview.points_ours if preview else None,
        },
        remarks=preview.remarks if preview else tree.remarks,
    )


def decoded(content: str) -> bytes:
    """The bytes of base64; raises Refusal."""
    try:
        return b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal("content must be the file in base64.", field="content") from None


def _choice(line: str, sent: Any) -> LineChoice:
    """What was decided of one line; null is a note, a key that is left out no decision."""
    if not isinstance(sent, dict) or not sent.keys() <= {"profile", "options"}:
        sentence = f"choices.{line} must be an object of profile and options."
        raise Refusal(sentence, field="choices")
    options = sent.get("options", {})
    # What is no object holds no keys.
    parts = options.values() if isinstance(options, dict) else [0]
    for key in (sent.get("profile"), *parts):
        if not isinstance(key, str | None) or len(key or "") > KEY_MAX:
            sentence = f"choices.{line} must name keys of the army, or null."
            raise Refusal(sentence, field="choices")
    profile = (sent["profile"] or "") if "profile" in sent else None
    return LineChoice(profile, {_number(part): key or "" for part, key in options.items()})


def _number(text: str) -> int:
    """The number of a line or a part."""
    if text.isascii() and text.isdigit() and len(text) <= LINE_DIGITS:
        return int(text)
    raise Refusal(
        "The keys of choices must be numbers of lines, those of options of parts.",
        field="choices",
    )


# Lists out


@Endpoint("POST", WrittenListAnswer, body=RosterForListBody)
def convert_out(call: ApiCall) -> Joined:
    """Write a roster as a file of another app. Nothing is stored."""
    out = outgoing_roster(parse(call.body["document"]))
    form = call.body["to"]
    if form not in out.forms:
        raise Refusal(f"This army can be written as {', '.join(out.forms)}.", field="to")
    file = write_roster(out, form)
    content = b64encode(file.write()).decode()
    return Joined(file, file_name=f"roster.{file.ending}", content=content)


urlpatterns = [
    LISTS.address("convert/in/", convert_in, name="api-list-read"),
    LISTS.address("convert/out/", convert_out, name="api-list-write"),
]
