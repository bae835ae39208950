"""Shapes of what people type when they make or change an event, and when they look for one."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.errors import Refusal, Stale
from accounts.form_fields import (
    LongTextField,
    NumberField,
    PickField,
    TextField,
    TickField,
    TicksField,
)
from accounts.forms import PageForm, RefusalForm
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    REASON_MAX,
    Confirmation,
)
from campaigns.list_checks import LEVELS
from campaigns.models import (
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EventKind,
    EventVisibility,
    OddNumber,
    PairingMethod,
)
from campaigns.models.leagues import (
    PLACE_MAX,
    POINTS_MAX,
    default_ties,
)
from campaigns.operations.events import METHODS
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EventTerms,
)
from engine.records import (
    NamedValues,
    TextByKey,
    named_values,
)
from engine.roster import MAX_LIMIT
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS, TieBreak
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata.forms.rulings import RulingFields

AS_BOOK = ""
READ_BY_MEMBERS = "Members of the club and players of this event can read it."
NO_LONGER = "A scenario that is no longer shared with you"


MOVES = {"up": -1, "down": 1}


def move_tie(keys: Sequence[str], move: str) -> list[str]:
    """The order after a button: "up wins", "down wins", "drop wins", "add wins".

    Anything else changes nothing.
    """
    order = list(dict.fromkeys(key for key in keys if key in TIE_BREAKS))
    verb, _, key = move.partition(" ")
    if verb == "add" and key in TIE_BREAKS and key not in order:
        return [*order, key]
    if key not in order:
        return order
    place = order.index(key)
    order.remove(key)
    if verb == "drop":
        return order
    # behind the last place it is the last: insert takes any number past the end as the end
    order.insert(max(place + MOVES.get(verb, 0), 0), key)
    return order


SHOWS = (("", "Yours"), ("clubs", "Your clubs"), ("archived", "Archived"))
LEGS = (
    (1, "One leg: everyone plays everyone once"),
    (2, "Two legs, the second with sides swapped"),
)


CONFIRMATIONS = (
    (Confirmation.PLAYERS, "The opponent confirms it"),
    (Confirmation.ORGANISER, "An organiser accepts it"),
    (Confirmation.REPORTS, "Nobody: results are final at once unless disputed"),
)


class UsualField(forms.TypedChoiceField):
    """One of a few that are all shown; nothing chosen is the usual one."""

    widget = forms.RadioSelect


class EventListForm(PageForm):
    """Which events to list."""

    show = PickField("Which", choices=SHOWS)


class WorthField(NumberField):
    """What one kind of result is worth."""

    def __init__(self, label: str, initial: int) -> None:
        super().__init__(label, POINTS_MAX, -POINTS_MAX, required=True, initial=initial)


class EventForm(RefusalForm):
    """All that an event of one kind and system agrees on.

    Its tie-breaks are no field, for their order is what counts.
    """

    name = TextField("Name", EVENT_NAME_MAX, required=True)
    place = TextField("Place", PLACE_MAX)
    description = LongTextField("Description", NOTE_MAX, rows=3)
    visibility = forms.ChoiceField(
        label="Who can see it",
        choices=EventVisibility.choices,
        initial=EventVisibility.CLUB,
    )
    method = forms.ChoiceField(label="Pairing method")
    legs = forms.TypedChoiceField(
        label="Legs", required=False, coerce=int, empty_value=None, choices=LEGS
    )
    rounds_planned = NumberField(
        "Rounds", ROUNDS_MAX, help_text="Leave empty for no fixed number."
    )
    odd = PickField("With an odd number of players", choices=OddNumber.choices)
    tables = NumberField(
        "Tables", TABLES_MAX, help_text="Leave empty for as many as needed."
    )
    points_limit = NumberField(
        "Points limit",
        MAX_LIMIT,
        help_text="Leave empty for no limit. A round may set another.",
    )
    needs_list = TickField("Players hand in lists")
    is_secret = TickField("Lists are secret until revealed", initial=True)
    has_one_list = TickField(
        "One list for the whole event",
        help_text="Handed in once and locked once. Otherwise each round asks for a list.",
    )
    has_core = TickField("Every model of the last list must be in the next one")
    shows_treasury = TickField(
        "Standings show treasuries",
        help_text="Where warbands grow: what each of them can spend.",
    )
    points_win = WorthField("Win", initial=3)
    points_draw = WorthField("Draw", initial=1)
    points_loss = WorthField("Loss", initial=0)
    points_bye = WorthField("Bye", initial=3)
    points_unplayed = WorthField("Not played", initial=0)
    confirm_days = NumberField(
        "Days to answer a result",
        CONFIRM_DAYS_MAX,
        least=1,
        required=True,
        initial=CONFIRM_DAYS,
        help_text="If nobody disputes a result in this time, it is confirmed automatically.",
    )
    confirmation = UsualField(
        label="Who confirms a reported result",
        choices=CONFIRMATIONS,
        required=False,
        coerce=str,
        empty_value=Confirmation.PLAYERS.value,
        initial=Confirmation.PLAYERS,
    )
    reason = TextField("Reason for the change", REASON_MAX, help_text=READ_BY_MEMBERS)

    def __init__(
        self,
        data: MultiValueDict[str, str] | None = None,
        *,
        kind: str,
        system: System,
        pool: Choices,
        event: ClubEventRecord | None = None,
    ) -> None:
        """``pool`` are the (key, name) of scenarios on offer."""
        super().__init__(data, initial=dict(_initial(event, system)))
        self.kind, self.system, self.event = kind, system, event
        self.version: int | str = event.version if event else 0
        before = _in_same_system(event, system)
        self._add_pool(pool, before)
        self.rules = {f"rule-{rule.key}": rule for rule in self.system.house_rules}
        agreed = before.house_rules if before else {}
        for name, rule in self.rules.items():
            is_on = agreed.get(rule.key, rule.default)
            self.fields[name] = TickField(rule.name, help_text=rule.summary, initial=is_on)
        self._add_levels(before)
        self.offer_rulings(before.ruling_layers if before else {})
        ways = METHODS[kind]
        # The first way is the usual one of this kind of event.
        choices = [(way, PairingMethod(way).label) for way in ways]
        self.fields["method"].choices = choices  # type: ignore[attr-defined]
        self.fields["method"].initial = choices[0][0]
        if PairingMethod.ROBIN not in ways:
            del self.fields["legs"]
        if PairingMethod.PRESENT not in ways:
            del self.fields["odd"]
        if event is None:
            del self.fields["reason"]
        given = event.tie_breaks if event else default_ties()
        self.ties = list(given) if data is None else data.getlist("tie")

    def offer_rulings(self, rulings: NamedValues) -> None:
        """Ask which rulings are played otherwise; the club's stand where none is chosen."""
        club, own = rulings.get("club", {}), rulings.get("event", {})
        self.rulings = RulingFields(self, self.system, own, {"club": club})

    def _add_levels(self, before: ClubEventRecord | None) -> None:
        """Add a choice of level for each guideline that may be waived, usual first."""
        self.guidelines = {
            f"level-{one.code}": one for one in self.system.guidelines if one.is_waivable
        }
        agreed = before.levels if before else {}
        for name, guideline in self.guidelines.items():
            usual = [(AS_BOOK, f"{guideline.level.capitalize()}, as usual")]
            others = [
                (level, level.capitalize()) for level in LEVELS if level != guideline.level
            ]
            self.fields[name] = PickField(
                guideline.title,
                choices=usual + others,
                initial=agreed.get(guideline.code, AS_BOOK),
            )

    def _add_pool(self, pool: Choices, before: ClubEventRecord | None) -> None:
        """Add the ticks for scenarios: those of ``pool`` and those kept from before."""
        offered = {key for key, _ in pool}
        # A scenario that is shared no more stays ticked until somebody unticks it.
        kept = [key for key in (before.scenarios if before else ()) if key not in offered]
        self.fields["scenarios"] = TicksField(
            "Scenarios to draw from",
            choices=[*pool, *((key, NO_LONGER) for key in kept)],
            initial=list(before.scenarios) if before else [],
            help_text="If none is ticked, players choose the scenario.",
        )

    @property
    def rule_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.rules]

    @property
    def level_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.guidelines]

    @property
    def levels_set(self) -> int:
        """How many guidelines have another level than usual, before anything new is typed."""
        return sum(bool(self[name].value()) for name in self.guidelines)

    def offer_growth(self, sets: Choices) -> None:
        """Ask by which campaign rules warbands grow; nothing chosen is results alone."""
        self.fields["growth"] = PickField(
            "Campaign rules",
            choices=[("", "None: results and standings alone"), *sets],
            help_text="With campaign rules, warbands earn experience, get hurt and get paid. "
            "Leave the points limit empty to let them fight with all they have.",
        )

    def add_refusal(self, refusal: Refusal) -> None:
        """Show why the event was not saved; if it was stale, take its present version."""
        if isinstance(refusal, Stale):
            # what was typed stays, and sent once more it changes the event as it is now
            self.version = refusal.current
            refusal = Refusal(f"{refusal.message} Your entries are still in the form.")
        super().add_refusal(refusal)

    def move_tie(self, typed: MultiValueDict[str, str], move: str) -> None:
        """Show what was typed so far again, unchecked, with the tie-breaks in another order."""
        self.ties = move_tie(typed.getlist("tie"), move)
        for name, field in self.fields.items():
            self.initial[name] = field.widget.value_from_datadict(typed, self.files, name)

    @property
    def chosen_ties(self) -> list[TieBreak]:
        """Those that are chosen, in their order; unknown ones are left for the operation to refuse."""
        return [TIE_BREAKS[key] for key in self.ties if key in TIE_BREAKS]

    @property
    def further_ties(self) -> list[TieBreak]:
        """Those that may still be added."""
        others = [] if self.kind == EventKind.CAMPAIGN else [CAMPAIGN_POINTS]
        shown = {*self.ties, *others}
        return [one for one in TIE_BREAKS.values() if one.key not in shown]

    @property
    def points_fields(self) -> list[forms.BoundField]:
        return [self[f"points_{one.name}"] for one in fields(Scoring)]

    def _house_rules(self) -> dict[str, bool]:
        """The house rules that differ from what the system has."""
        said, rules = self.cleaned_data, self.rules.items()
        return {one.key: said[name] for name, one in rules if said[name] != one.default}

    def _levels(self) -> TextByKey:
        """The levels of guidelines that differ from the book."""
        said, guidelines = self.cleaned_data, self.guidelines.items()
        return {one.code: said[name] for name, one in guidelines if said[name] != AS_BOOK}

    @property
    def draft(self) -> EventTerms:
        """What the operation takes; only of a valid form."""
        cleaned = self.cleaned_data
        return EventTerms(
            **{name: cleaned[name] for name in TAKEN},
            kind=self.kind,
            system=self.system.key,
            variant=self.system.variant or "",
            legs=cleaned.get("legs") or 1,
            rounds_planned=cleaned["rounds_planned"] or 0,
            odd=cleaned.get("odd") or OddNumber.BYE,
            tables=cleaned["tables"] or 0,
            confirmation=cleaned["confirmation"],
            scoring=Scoring(*(cleaned[one.name] for one in self.points_fields)),
            tie_breaks=self.ties,
            scenarios=tuple(cleaned["scenarios"]),
            house_rules=self._house_rules(),
            ruling_layers=self.rulings.choices_of(cleaned),
            levels=self._levels(),
        )


TAKEN = (
    "name",
    "place",
    "description",
    "visibility",
    "method",
    "points_limit",
    "needs_list",
    "is_secret",
    "has_core",
    "has_one_list",
    "shows_treasury",
    "confirm_days",
)
"""Fields that the form shows as the event has them, and keeps as they are typed."""


def _in_same_system(
    event: ClubEventRecord | None, system: System
) -> ClubEventRecord | None:
    """The event, but where it has another system, whose scenarios and rules mean nothing here."""
    if event and (event.system, event.variant) == (system.key, system.variant or ""):
        return event
    return None


def _initial(event: ClubEventRecord | None, system: System) -> NamedValues:
    """What stands in the form before anything is typed. 0 is shown as empty where empty means the
    same.
    """
    if event is None:
        return {"points_limit": system.usual_limit()}
    return {
        **named_values(event, *TAKEN, "legs", "odd", "confirmation"),
        **{f"points_{name}": worth for name, worth in asdict(event.scoring).items()},
        "rounds_planned": event.rounds_planned or None,
        "tables": event.tables or None,
    }
