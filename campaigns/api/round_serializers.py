"""Bodies and answers about rounds and fixtures of clubs' events."""

from typing import Any

from rest_framework.exceptions import ValidationError

from accounts.api.endpoints import RefusalAnswer
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Flag,
    ListOf,
    Moment,
    ObjectOf,
    OneOf,
    Text,
    Texts,
    Whole,
    WholeDocument,
    is_whole,
)
from battles.models import REASON_MAX
from campaigns.api.serializers import OPTIONAL, STATED, EntryNameAnswer, listed
from campaigns.fixture_totals import DESTROYED, OUT, SCORE
from campaigns.growth.api.serializers import DueAnswerRow
from campaigns.growth.operations.results import OUT_MOST
from campaigns.models import (
    ENTRIES_MAX,
    SEED_MAX,
    TABLES_MAX,
    Decision,
    FixtureStatus,
    RoundStatus,
)
from campaigns.queries.fixtures import ScheduledFixture
from engine.records import Fields
from engine.roster import MAX_LIMIT
from warbands.models import KEY_MAX, NAME_MAX
from warbands.pdf.press import PAPERS

PUBLISHED = "Needed once the round is published."


def optional_text(help_text: str = "", most: int = REASON_MAX) -> Text:
    """Return a text that may be left out or blank, such as the reason of a change."""
    return Text(help_text or None, required=False, max_length=most)


class RoundBody(Body):
    """A round to plan. Any other key is refused."""

    name = optional_text(most=NAME_MAX)
    points_limit = Whole(
        "Null is as the event says.", **OPTIONAL, min_value=0, max_value=MAX_LIMIT
    )
    scenarios = Texts(
        "Empty is as the event says.",
        child=Text(max_length=KEY_MAX),
        required=False,
    )
    starts_at = Moment(**OPTIONAL)
    lists_due_at = Moment(**OPTIONAL)


class PlanBody(Body):
    """How a schedule is planned. Any other key is refused."""

    seed = optional_text("The same seed, the same order.", SEED_MAX)


class PlanAnswer(Answer):
    """What was planned."""

    rounds = Whole("How many are to come.")


class RoundStepBody(Body):
    """What a step of a round takes. Any other key is refused."""

    seed = optional_text("To draw: the same seed, the same pairs.", SEED_MAX)
    as_drawn = Flag(
        "To publish: also where results changed after a Swiss round was drawn.",
        required=False,
    )
    closes = Flag(
        "To accept: the round is closed too, or nothing is accepted.",
        required=False,
    )
    present = Texts(
        "Ids of the entries who are here. To draw: everybody else is away; left out, the "
        "ticks stay as they are. To pair latecomers: the players present.",
        required=False,
        max_length=ENTRIES_MAX,
    )

    def get_fields(self) -> Fields:
        """Return what this step takes: a draw has a seed, publishing whether as it was drawn."""
        # A field of another step is an unknown key, and refused like one.
        fields: Fields = super().get_fields()
        if "step" not in self.context:
            return fields
        names = STEP_FIELDS.get(self.context["step"], ())
        return {name: fields[name] for name in fields if name in names}


STEP_FIELDS: dict[str, tuple[str, ...]] = {
    "draw": ("seed", "present"),
    "late": ("present",),
    "publish": ("as_drawn",),
    "accept": ("closes",),
}


class RoundFixtureAnswer(Answer):
    """A game: its players, table, scenario and result."""

    id = Text(source="record.token")
    version = Whole("Also in the header ETag of the fixture.", source="record.version")
    round = Whole(source="round.number")
    table = Whole(source="record.table", allow_null=True)
    entries = EntryNameAnswer(
        source="sides", many=True, help_text="The players; one alone has a bye."
    )
    attacker = Text("Id of an entry.", source="attacker.token", allow_null=True)
    scenario = Text(source="record.scenario", allow_null=True)
    scenario_name = Text(source="record.scenario_name")
    reason = Text("Why they were paired.", source="record.reason")
    status = listed(FixtureStatus.values, source="record.status")
    decision = Text(
        "unplayed or walkover, where an organiser decided it.",
        source="record.decision",
        allow_null=True,
    )
    winner = Text(
        "Id of an entry; null in a final one is a draw.",
        source="winner.token",
        allow_null=True,
    )
    winner_entry = Text(
        "The same id, under a name that no side of a battle has.",
        source="winner.token",
        allow_null=True,
    )
    how = Text(source="record.how")
    figures = AnyObject(
        "By entry: out (models lost), destroyed (points), and score, null for none."
    )
    is_friendly = Flag("It does not count.", source="record.is_friendly")
    is_rematch = Flag(source="record.is_rematch")
    is_kept = Flag("Pairing the round again leaves it.", source="record.is_kept")
    plays_at = Moment(allow_null=True)
    played_at = Moment(source="record.played_at", allow_null=True)
    confirm_by = Moment(
        "When silence confirms it.", source="record.waits_until", allow_null=True
    )
    battle = Text(
        "The id of the battle that holds its result.",
        source="record.battle_token",
        allow_null=True,
    )

    def get_figures(self, fixture: ScheduledFixture) -> dict[str, dict[str, int | None]]:
        """Return what each side lost, destroyed and scored."""
        record = fixture.record
        columns = zip(fixture.sides, OUT, DESTROYED, SCORE, strict=False)
        return {
            entry.token: {
                "out": getattr(record, out),
                "destroyed": getattr(record, destroyed),
                "score": getattr(record, score),
            }
            for entry, out, destroyed, score in columns
        }


class FixtureAnswer(RoundFixtureAnswer):
    """A fixture with the event it belongs to."""

    event = Text(source="event.token")


class RoundRowAnswer(Answer):
    """A round without its fixtures."""

    number = Whole()
    name = Text(source="title")
    status = listed(RoundStatus.values)
    points_limit = Whole(allow_null=True)
    scenarios = Texts()
    starts_at = Moment(allow_null=True)
    lists_due_at = Moment(allow_null=True)
    published_at = Moment(allow_null=True)
    lists_published_at = Moment("When its lists were revealed.", allow_null=True)
    seed = Text("For organisers.")


class RoundAnswer(RoundRowAnswer):
    """A round with its fixtures."""

    fixtures = RoundFixtureAnswer(many=True)


class FiguresBody(Body):
    """What one entry lost, destroyed and scored."""

    out = Whole(**OPTIONAL, min_value=0)
    destroyed = Whole(**OPTIONAL, min_value=0)
    score = Whole(
        "Where the event has a score_name; at most its score_max.",
        **OPTIONAL,
        min_value=0,
    )


class Figures(ObjectOf):
    """What entries lost, destroyed and scored, by their ids."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the figures by id as sent; raises ValidationError for another shape."""
        if not isinstance(data, dict) or not all(map(_is_figures, data.values())):
            sentence = (
                "figures must be an object of ids, each with out, destroyed and score as "
                "whole numbers or null."
            )
            raise ValidationError([sentence])
        return data


def _is_figures(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= {"out", "destroyed", "score"}:
        return False
    return all(figure is None or is_whole(figure) for figure in value.values())


class ReportBody(Body):
    """How a fixture ended. Any other key is refused."""

    winner = Text("Id of an entry; null for nobody.", **OPTIONAL)
    winner_entry = Text(
        "The same, as fixtures tell it; where both stand they are alike.",
        **OPTIONAL,
    )
    how = Text(
        "An ending of the system, such as rout, objective, conceded, time or drawn. Left "
        "out: played or drawn.",
        required=False,
    )
    figures = Figures(
        "By entry. The score always counts, out and destroyed where nobody recorded who "
        "went out.",
        child=FiguresBody(),
        required=False,
    )
    fates = WholeDocument(
        "In a campaign: by entry, all its models that were put out, such as "
        '[{"who": "w3#2", "by": "<entry>/w1"}].',
        required=False,
    )
    objectives = WholeDocument('By entry, what it took: {"loot": 2}.', required=False)
    objective_by = Texts(
        "Who took an objective, as <entry>/w2; once for each.", required=False
    )
    reason = optional_text("Needed to correct.")

    def to_internal_value(self, data: Any) -> Any:
        """Return the body; what is told by entry has the shape it needs."""
        values = super().to_internal_value(data)
        for name, is_right in (("fates", _are_fates), ("objectives", _are_counts)):
            by_entry = values.get(name, {})
            if not isinstance(by_entry, dict) or not all(map(is_right, by_entry.values())):
                raise ValidationError({name: [f"{name} must be as the document says."]})
        return values


def _are_fates(value: Any) -> bool:
    is_list = isinstance(value, list) and len(value) <= OUT_MOST
    return is_list and all(
        isinstance(fate, dict) and set(fate) <= {"who", "by"} for fate in value
    )


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_whole, value.values()))


class RoundReportBody(ReportBody):
    """How one game of a round ended, as it was seen. Any other key is refused."""

    fixture = Text(refuses_null=True)
    version = Whole(min_value=1)


class RoundReportsBody(Body):
    """How games of a round ended. Any other key is refused."""

    results = ListOf(child=RoundReportBody(), max_length=ENTRIES_MAX)


class RoundReportAnswer(Answer):
    """What became of one of the reports."""

    id = Text("Of the game.")
    game = RoundFixtureAnswer(allow_null=True, help_text="As it is now.")
    refusal = RefusalAnswer(allow_null=True, help_text="Null where it was saved.")


class RoundReportsAnswer(Answer):
    """What became of each report, in their order."""

    results = RoundReportAnswer(many=True)


class ReportAnswer(Answer):
    """How a report stands."""

    battle = Text()
    status = Text()
    number = Whole("How many steps the result has.")
    winner = Text("Id of an entry; null for nobody.", allow_null=True)
    winner_entry = Text("The same id.", source="winner", allow_null=True)
    position = Whole("Of the campaign's log, if warbands grow.", allow_null=True)
    dues = DueAnswerRow(many=True, help_text="What the game leaves open.")

    def to_representation(self, record: Any) -> Any:
        """Return the answer; dues are plain already."""
        return {**super().to_representation(record), "dues": record.dues}

    def get_dues(self, record: Any) -> Any:
        """Return the dues as they are; they are put in whole."""
        return None


class SwapBody(Body):
    """Who changes places. Any other key is refused."""

    one = Text("Id of an entry of this fixture: who goes.", refuses_null=True)
    other = Text("Id of who comes in their place.", refuses_null=True)
    reason = optional_text(PUBLISHED)


class SwapAnswer(Answer):
    """What a swap came to, or would come to."""

    preview = Flag("Nothing was changed.", source="is_preview")
    before = Texts("Who met whom.")
    after = Texts("The new pairings.")
    rematches = Texts("Those of them who met before.")
    left = Text("Who is in no game any more.", allow_null=True)


class AcceptBody(Body):
    """What an organiser says to a reported result. Any other key is refused."""

    reason = optional_text()


class PrintBody(Body):
    """How a round is printed. Any other key is refused."""

    paper = OneOf(refuses_null=True, choices=PAPERS, default=PAPERS[0])


# Single games by hand, and challenges


class GameBody(Body):
    """A game to add to a round. Any other key is refused."""

    entries: Any = Texts(
        "Ids of the two players, or of three, in the order of sides.",
        max_length=3,
        required=False,
    )
    one: Any = Text("With other, in place of entries.", required=False)
    other: Any = Text("Id of the entry that one meets.", required=False)
    table = Whole(
        "Null is the lowest that is free.",
        **OPTIONAL,
        min_value=1,
        max_value=TABLES_MAX,
    )
    scenario = Text("Null is as agreed at the table.", **OPTIONAL, max_length=KEY_MAX)
    attacker = Text("Id of an entry of this game; null is nobody.", **OPTIONAL)
    is_friendly = Flag("It does not count.", required=False)
    plays_at = Moment("Null is with its round.", **OPTIONAL)

    def to_internal_value(self, data: Any) -> Any:
        """Return the game; two players may be named one by one."""
        values = super().to_internal_value(data)
        pair = [values.pop(name) for name in ("one", "other") if name in values]
        # One name for them: the operation takes those who meet in their order.
        if len(pair) == 2 and "entries" not in values:
            return {**values, "entries": tuple(pair)}
        if pair or ("entries" in self.fields and "entries" not in values):
            raise ValidationError({"entries": ["Name entries, or one and other."]})
        return values


class GameChange(GameBody):
    """What is to change of a game; what is left out stays. Any other key is refused."""

    entries = one = other = None
    is_kept = Flag("Pairing the round again leaves it.", required=False)
    reason = optional_text("Needed for is_friendly once the round is published.")


class GameRemovalBody(Body):
    """Why a game is taken out of its round. Any other key is refused."""

    reason = optional_text(PUBLISHED)


class DecisionBody(Body):
    """What an organiser decides of a game. Any other key is refused."""

    decision = Text(
        f"{' or '.join(Decision.values)}; null reverses the decision.",
        allow_null=True,
    )
    decided_for = Text("Id of the entry that gets the walkover.", **OPTIONAL)
    reason = Text("Needed.", **STATED, max_length=REASON_MAX)


class PlaceChangeAnswer(Answer):
    """A player whose place or points would change."""

    name = Text()
    place_before = Whole()
    place_after = Whole()
    points_before = Whole()
    points_after = Whole()


class StandingsChangeAnswer(Answer):
    """What would change in the standings; empty where nothing does."""

    changes = PlaceChangeAnswer(many=True)


class GameSizesBody(Body):
    """How many models sides without a list bring. Any other key is refused."""

    sizes = ObjectOf(
        "Models by the id of an entry that brings neither list nor warband.",
        child=Whole(min_value=1),
        required=False,
    )


class GameBattleAnswer(Answer):
    """The battle of a game."""

    id = Text("Of the game.")
    battle = Text("The id of its battle.")
    key = Text("Lets its holder record.", allow_null=True)


class ChallengeBody(Body):
    """Whom to challenge. Any other key is refused."""

    other = Text("Id of the entry that is challenged.", refuses_null=True)
    plays_at = Moment(**OPTIONAL)


ANSWERED = {"accept": "accepted", "decline": "declined", "withdraw": "withdrawn"}


class ChallengeReasonBody(Body):
    """What is said to an answer. Any other key is refused."""

    reason = optional_text()


class ChallengeAnswer(Answer):
    """What became of a challenge; one that was declined or withdrawn leaves no game."""

    id = Text("Of the game.")
    status = listed([*ANSWERED.values()])
