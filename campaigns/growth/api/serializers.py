"""Bodies and answers about campaigns in which warbands grow."""

from functools import partial
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.serializers import ListField

from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    ListOf,
    Moment,
    OneOf,
    Text,
    Texts,
    Whole,
    WholeDocument,
    is_whole,
)
from battles.models import REASON_MAX
from campaigns.growth.operations.acts import KINDS
from campaigns.growth.operations.answers import ACT_NUMBER_MOST, CHOICE_MAX, FACES_MOST
from campaigns.growth.operations.setup import NOW, START
from campaigns.growth.queries.ledger import LATE_MOST
from campaigns.models.growth import DUE_MAX
from rulesdata.models import KEY_MAX
from warbands.api.rosters import RosterDocument
from warbands.models import NAME_MAX

ID_MAX = 60
OPTIONAL: Any = {"required": False, "allow_null": True}
NullText, NullWhole = partial(Text, allow_null=True), partial(Whole, allow_null=True)
OptionalKey = partial(Text, required=False, max_length=KEY_MAX)


class FacesList(ListOf):
    """The faces of dice; null or left out where the site throws."""

    child = Whole()

    def to_internal_value(self, data: Any) -> Any:
        """Return the die faces as a tuple; raises ValidationError for anything else.

        More than ``FACES_MOST`` faces are refused too.
        """
        if not isinstance(data, list) or not all(map(is_whole, data)):
            raise ValidationError(["must be a list of whole numbers, or null."])
        if len(data) > FACES_MOST:
            raise ValidationError([f"At most {FACES_MOST} faces."])
        return tuple(data)


class ReasonedBody(Body):
    """A change with a reason."""

    reason = Text(required=False, max_length=REASON_MAX)


class DatedBody(ReasonedBody):
    """A change of rules with a reason, and from when on it counts."""

    def get_fields(self) -> Any:
        """Return the fields; one has a name that Python keeps for itself."""
        since = OneOf(
            "From when on; asked for once somebody has founded, as is the reason.",
            required=False,
            choices=[NOW, START],
        )
        return {**super().get_fields(), "from": since}


class GrowthRulesBody(DatedBody):
    """The rules of a campaign: a set or a document. Any other key is refused."""

    rules = Text("The id of a set.", required=False, max_length=ID_MAX)
    document = WholeDocument("Rules of campaign-rules/1.", required=False)


class GrowthChangesBody(DatedBody):
    """What changes in the rules of a campaign. Any other key is refused."""

    changes = WholeDocument("Objects are merged key by key, lists replaced.")


class FoundingBody(Body):
    """A warband to found, of a roster or of a warband. Any other key is refused."""

    entry = Text("Whose warband it is.", refuses_null=True)
    roster = RosterDocument(required=False)
    warband = Text("The id of a warband you may open.", required=False)
    late_rounds = Whole(
        "For organisers; left out, one for each closed round.",
        **OPTIONAL,
        min_value=0,
        max_value=LATE_MOST,
    )

    def to_internal_value(self, data: Any) -> Any:
        """Return the body; a roster is read whole where it is founded."""
        roster = data.get("roster") if isinstance(data, dict) else None
        if roster is not None and not isinstance(roster, dict):
            raise ValidationError({"roster": ["roster must be a roster document."]})
        plain = {key: value for key, value in data.items() if key != "roster"}
        values = super().to_internal_value(plain)
        return {**values, **({"roster": roster} if roster is not None else {})}


class GivenAnswerBody(Body):
    """The answer to one due."""

    due = Text(refuses_null=True, max_length=DUE_MAX)
    faces = FacesList(**OPTIONAL)
    choice = Text("The id of a choice.", **OPTIONAL, max_length=CHOICE_MAX)
    row = Whole("An organiser's ruling: the least of a row.", **OPTIONAL)
    reason = Text(required=False, max_length=REASON_MAX)


class AnswersList(ListOf):
    """The answers of a warband."""

    child = GivenAnswerBody()


class AnswersBody(Body):
    """Answers to dues, all of them or none. Any other key is refused."""

    answers = AnswersList()


ACT_KEYS = {
    "for": "bearer",
    "from": "source",
    "to": "target",
    "as": "word",
}
"""Keys of an act that have another name in the code."""


class ActBody(ReasonedBody):
    """One act; which keys it takes follows from its kind. Any other key is refused."""

    kind = OneOf(refuses_null=True, choices=list(KINDS))
    profile = OptionalKey("Who is recruited: a unit of the army list, or a hired sword.")
    name = Text(
        "What a recruit is called, or a unit from now on.",
        required=False,
        max_length=NAME_MAX,
    )
    count = Whole(
        "How many models are recruited or dismissed, or how much is sold.",
        required=False,
        min_value=1,
    )
    options = Texts(
        "What a recruit buys of its army list.",
        child=Text(max_length=KEY_MAX),
        required=False,
    )
    hired = Flag(
        "The recruit is a hired sword, of the rules or of the army list.",
        required=False,
    )
    into = OptionalKey("The group that new models join.")
    option = OptionalKey("What is bought: a good of the rules, or of the army list.")
    seeker = OptionalKey("Who looks for a rare thing, or for a rare recruit.")
    good = OptionalKey("The rare thing that is looked for: a good, or of the army list.")
    faces = FacesList(**OPTIONAL)
    item = OptionalKey("What is sold or given: the id of a piece.")
    who = OptionalKey("Who is dismissed or adjusted, whom a ruling befalls, or a captive.")
    currency = OptionalKey("Which currency an organiser adjusts, or is sold.")
    amount = Whole(
        "By how much; below 0 takes it away. Of a captive the ransom, 0: free.",
        required=False,
    )
    experience = Whole(
        "By how much experience is adjusted.",
        required=False,
    )

    act = Whole(
        "The purchase that was set aside and is redirected.",
        **OPTIONAL,
        min_value=1,
        max_value=ACT_NUMBER_MOST,
    )
    effect = WholeDocument(
        'What an organiser rules, as a row of a table: {"raise": ["S"]}.',
        required=False,
    )

    def get_fields(self) -> Any:
        """Return the fields; some have names that Python keeps for itself."""
        more = {key: OptionalKey(source=name) for key, name in ACT_KEYS.items()}
        return {**super().get_fields(), **more}


class TakeBackBody(ReasonedBody):
    """What is taken back. Any other key is refused."""

    due = Text(required=False, max_length=DUE_MAX)
    act = Whole(
        "The number of an act.",
        **OPTIONAL,
        min_value=1,
        max_value=ACT_NUMBER_MOST,
    )


class FieldBody(Body):
    """Who stays away and who is sent, by entry. Any other key is refused."""

    absent = WholeDocument('Such as {"<entry>": ["w4"]}.', required=False)
    fielded = WholeDocument(required=False)

    def to_internal_value(self, data: Any) -> Any:
        """Return lists of keys by entry."""
        values = super().to_internal_value(data)
        for name, value in values.items():
            if not isinstance(value, dict) or not all(map(_are_texts, value.values())):
                raise ValidationError({name: [f"{name} must be lists of texts by entry."]})
        return {
            name: {entry: tuple(keys) for entry, keys in value.items()}
            for name, value in values.items()
        }


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


class PlainAnswer(Answer):
    """An answer that is drawn up already: as it is, or the preview of a change."""

    def to_representation(self, answer: Any) -> Any:
        """Return it as it is."""
        return answer


class ChoiceAnswer(Answer):
    """Something that may be chosen."""

    id = Text()
    name = Text()


class DueAnswerRow(Answer):
    """A roll or a choice that the rules call for."""

    due = Text("Its key, by which it is answered.")
    warband = Text("The id of the warband that owes it.")
    kind = Text("Such as injury, advance, income, claim or ransom.")
    warrior = NullText("Whom it is about; null for the warband.")
    fixture = NullText("The game that it follows from.")
    round = NullWhole("The number of its round.")
    dice = NullText("What is thrown, such as 2D6; null for a choice.")
    faces = ListField(child=Whole(), allow_null=True, help_text="Thrown; a choice is open.")
    choices = ChoiceAnswer(
        many=True,
        help_text="What may be chosen.",
    )
    words = Text("The row that was rolled, where a choice is open.")
    is_offer = Flag("A throw that may be made again, and need not.")


class WarbandGrowthAnswer(PlainAnswer):
    """A warband as its campaign has made it."""

    id = Text("Of the warband in the campaign.")
    entry = Text("The id of whose it is.")
    name = Text("Of the entry.")
    position = Whole("The last row of the log that it is folded from.")
    treasury = AnyObject("An amount by currency.")
    rating = NullWhole("What it is worth by the rules; null while that is secret.")
    closed_round = Whole(
        "Of a secret list: the round at whose close its figures were stored.",
        required=False,
        allow_null=True,
    )
    stash = Texts("Pieces that no model carries.")
    territories = Texts("What it holds, by name.")
    veterans = Whole(
        "How much experience may join groups now, where the rules limit it.",
        required=False,
    )
    closed = Flag(required=False)
    warriors = AnyObject("By key: kind, count, experience and what differs.")


class PreviewedAnswer(PlainAnswer):
    """What a call came to, or in its place what it would change."""

    preview: Any = AnyObject("Where ?preview=1 asks for it, and nothing else.")

    def get_fields(self) -> Any:
        """Return the fields, none of which must be there."""
        fields: Any = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


class GrowthRulesName(Answer):
    """Which rules a campaign plays by."""

    id = Text("Of the set, or of the document that was sent.")
    version = Whole("Of the set.")


class GrowthAnswer(PreviewedAnswer):
    """A campaign in which warbands grow."""

    position = Whole("Also in the header ETag.")
    rules = GrowthRulesName(help_text="The set that was chosen last.")
    warbands = WarbandGrowthAnswer(
        many=True,
        help_text="In the order in which they were founded.",
    )
    open = DueAnswerRow(
        many=True,
        help_text="Rolls and choices that somebody owes.",
    )
    aside: Any = ListField(child=AnyObject(), help_text="What nothing asks for now.")
    notes = Texts("What is unusual and asks for no answer.")


class AnsweredAnswer(PreviewedAnswer):
    """What became of answers."""

    position = Whole("Of the last row of the log.")
    answers: Any = ListField(
        child=AnyObject(),
        help_text="What became of each.",
    )
    warband = WarbandGrowthAnswer(help_text="As it is after the answers.")
    dues = DueAnswerRow(
        many=True,
        help_text="What it still owes.",
    )


class ActAnswer(PreviewedAnswer):
    """An act that was written."""

    position = Whole("Of the last row of the log.")
    act = Whole("Its number, by which it is taken back.")
    words = Text("Why it does not count, where it does not.")
    paid = NullWhole("In points of the army list.")
    warrior = NullText("Who joined.")
    faces = ListField(child=Whole(), allow_null=True)
    warband = WarbandGrowthAnswer(help_text="As it is after the act.")


class FoundedAnswer(PreviewedAnswer, WarbandGrowthAnswer):
    """A warband that was founded."""


class DuesAnswer(PlainAnswer):
    """What a warband owes."""

    results = DueAnswerRow(many=True)


class LedgerRowAnswer(Answer):
    """A row of a warband's log."""

    position = Whole("Of the row in the log.")
    kind = Text("Such as found, result, answer, act or take_back.")
    due = NullText("What was answered or taken back.")
    act = NullWhole("The number of an act.")
    said = AnyObject("What the row holds.", source="payload")
    is_typed = Flag("Faces were typed, and not thrown by the site.")
    reason = Text("Why an organiser did it.")
    author = Text(
        "Who wrote it; null where that is not known.",
        source="author.display_name",
        allow_null=True,
    )
    at = Moment("When it was written.")


class FieldedAnswer(Answer):
    """A battle that was locked with those who fight."""

    battle = Text("The id of the battle.")
    key = Text("Lets its holder record the battle.")
    sides: Any = ListField(
        child=AnyObject(),
        help_text="Each side with its rating, bonus and models.",
    )
    findings: Any = ListField(
        child=AnyObject(),
        help_text="What is unusual about those who fight.",
    )
