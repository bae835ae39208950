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
            required=False,
            choices=[NOW, START],
            help_text="From when on; asked for once somebody has founded, as is the reason.",
        )
        return {**super().get_fields(), "from": since}


class GrowthRulesBody(DatedBody):
    """The rules of a campaign: a set or a document. Any other key is refused."""

    rules = Text(required=False, max_length=ID_MAX, help_text="The id of a set.")
    document = WholeDocument(required=False, help_text="Rules of campaign-rules/1.")


class GrowthChangesBody(DatedBody):
    """What changes in the rules of a campaign. Any other key is refused."""

    changes = WholeDocument(help_text="Objects are merged key by key, lists replaced.")


class FoundingBody(Body):
    """A warband to found, of a roster or of a warband. Any other key is refused."""

    entry = Text(refuses_null=True, help_text="Whose warband it is.")
    roster = RosterDocument(required=False)
    warband = Text(required=False, help_text="The id of a warband you may open.")
    late_rounds = Whole(
        **OPTIONAL,
        min_value=0,
        max_value=LATE_MOST,
        help_text="For organisers; left out, one for each closed round.",
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
    choice = Text(**OPTIONAL, max_length=CHOICE_MAX, help_text="The id of a choice.")
    row = Whole(**OPTIONAL, help_text="An organiser's ruling: the least of a row.")
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
    profile = OptionalKey(
        help_text="Who is recruited: a unit of the army list, or a hired sword."
    )
    name = Text(
        required=False,
        max_length=NAME_MAX,
        help_text="What a recruit is called, or a unit from now on.",
    )
    count = Whole(
        required=False,
        min_value=1,
        help_text="How many models are recruited or dismissed, or how much is sold.",
    )
    options = Texts(
        child=Text(max_length=KEY_MAX),
        required=False,
        help_text="What a recruit buys of its army list.",
    )
    hired = Flag(
        required=False,
        help_text="The recruit is a hired sword, of the rules or of the army list.",
    )
    into = OptionalKey(help_text="The group that new models join.")
    option = OptionalKey(
        help_text="What is bought: a good of the rules, or of the army list."
    )
    seeker = OptionalKey(help_text="Who looks for a rare thing, or for a rare recruit.")
    good = OptionalKey(
        help_text="The rare thing that is looked for: a good, or of the army list."
    )
    faces = FacesList(**OPTIONAL)
    item = OptionalKey(help_text="What is sold or given: the id of a piece.")
    who = OptionalKey(
        help_text="Who is dismissed or adjusted, whom a ruling befalls, or a captive."
    )
    currency = OptionalKey(help_text="Which currency an organiser adjusts, or is sold.")
    amount = Whole(
        required=False,
        help_text="By how much; below 0 takes it away. Of a captive the ransom, 0: free.",
    )
    experience = Whole(
        required=False,
        help_text="By how much experience is adjusted.",
    )

    act = Whole(
        **OPTIONAL,
        min_value=1,
        max_value=ACT_NUMBER_MOST,
        help_text="The purchase that was set aside and is redirected.",
    )
    effect = WholeDocument(
        required=False,
        help_text='What an organiser rules, as a row of a table: {"raise": ["S"]}.',
    )

    def get_fields(self) -> Any:
        """Return the fields; some have names that Python keeps for itself."""
        more = {key: OptionalKey(source=name) for key, name in ACT_KEYS.items()}
        return {**super().get_fields(), **more}


class TakeBackBody(ReasonedBody):
    """What is taken back. Any other key is refused."""

    due = Text(required=False, max_length=DUE_MAX)
    act = Whole(
        **OPTIONAL,
        min_value=1,
        max_value=ACT_NUMBER_MOST,
        help_text="The number of an act.",
    )


class FieldBody(Body):
    """Who stays away and who is sent, by entry. Any other key is refused."""

    absent = WholeDocument(required=False, help_text='Such as {"<entry>": ["w4"]}.')
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

    due = Text(help_text="Its key, by which it is answered.")
    warband = Text(help_text="The id of the warband that owes it.")
    kind = Text(help_text="Such as injury, advance, income, claim or ransom.")
    warrior = Text(
        allow_null=True,
        help_text="Whom it is about; null for the warband.",
    )
    fixture = Text(
        allow_null=True,
        help_text="The game that it follows from.",
    )
    round = Whole(
        allow_null=True,
        help_text="The number of its round.",
    )
    dice = Text(
        allow_null=True,
        help_text="What is thrown, such as 2D6; null for a choice.",
    )
    faces = ListField(child=Whole(), allow_null=True, help_text="Thrown; a choice is open.")
    choices = ChoiceAnswer(
        many=True,
        help_text="What may be chosen.",
    )
    words = Text(
        help_text="The row that was rolled, where a choice is open.",
    )
    is_offer = Flag(help_text="A throw that may be made again, and need not.")


class WarbandGrowthAnswer(PlainAnswer):
    """A warband as its campaign has made it."""

    id = Text(help_text="Of the warband in the campaign.")
    entry = Text(help_text="The id of whose it is.")
    name = Text(help_text="Of the entry.")
    position = Whole(help_text="The last row of the log that it is folded from.")
    treasury = AnyObject(help_text="An amount by currency.")
    rating = Whole(
        allow_null=True,
        help_text="What it is worth by the rules; null while that is secret.",
    )
    closed_round = Whole(
        required=False,
        allow_null=True,
        help_text="Of a secret list: the round at whose close its figures were stored.",
    )
    stash = Texts(help_text="Pieces that no model carries.")
    territories = Texts(help_text="What it holds, by name.")
    veterans = Whole(
        required=False,
        help_text="How much experience may join groups now, where the rules limit it.",
    )
    closed = Flag(required=False)
    warriors = AnyObject(help_text="By key: kind, count, experience and what differs.")


class PreviewedAnswer(PlainAnswer):
    """What a call came to, or in its place what it would change."""

    preview: Any = AnyObject(help_text="Where ?preview=1 asks for it, and nothing else.")

    def get_fields(self) -> Any:
        """Return the fields, none of which must be there."""
        fields: Any = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


class GrowthRulesName(Answer):
    """Which rules a campaign plays by."""

    id = Text(help_text="Of the set, or of the document that was sent.")
    version = Whole(help_text="Of the set.")


class GrowthAnswer(PreviewedAnswer):
    """A campaign in which warbands grow."""

    position = Whole(help_text="Also in the header ETag.")
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
    notes = Texts(help_text="What is unusual and asks for no answer.")


class AnsweredAnswer(PreviewedAnswer):
    """What became of answers."""

    position = Whole(help_text="Of the last row of the log.")
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

    position = Whole(help_text="Of the last row of the log.")
    act = Whole(help_text="Its number, by which it is taken back.")
    words = Text(
        help_text="Why it does not count, where it does not.",
    )
    paid = Whole(allow_null=True, help_text="In points of the army list.")
    warrior = Text(allow_null=True, help_text="Who joined.")
    faces = ListField(child=Whole(), allow_null=True)
    warband = WarbandGrowthAnswer(help_text="As it is after the act.")


class FoundedAnswer(PreviewedAnswer, WarbandGrowthAnswer):
    """A warband that was founded."""


class DuesAnswer(PlainAnswer):
    """What a warband owes."""

    results = DueAnswerRow(many=True)


class LedgerRowAnswer(Answer):
    """A row of a warband's log."""

    position = Whole(help_text="Of the row in the log.")
    kind = Text(help_text="Such as found, result, answer, act or take_back.")
    due = Text(
        allow_null=True,
        help_text="What was answered or taken back.",
    )
    act = Whole(
        allow_null=True,
        help_text="The number of an act.",
    )
    said = AnyObject(source="payload", help_text="What the row holds.")
    is_typed = Flag(help_text="Faces were typed, and not thrown by the site.")
    reason = Text(
        help_text="Why an organiser did it.",
    )
    author = Text(
        source="author.display_name",
        allow_null=True,
        help_text="Who wrote it; null where that is not known.",
    )
    at = Moment(help_text="When it was written.")


class FieldedAnswer(Answer):
    """A battle that was locked with those who fight."""

    battle = Text(help_text="The id of the battle.")
    key = Text(help_text="Lets its holder record the battle.")
    sides: Any = ListField(
        child=AnyObject(),
        help_text="Each side with its rating, bonus and models.",
    )
    findings: Any = ListField(
        child=AnyObject(),
        help_text="What is unusual about those who fight.",
    )
