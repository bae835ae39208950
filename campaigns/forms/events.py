"""Shapes of what people type when they make or change an event, and when they look for one."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.errors import Refusal, Stale
from accounts.forms import (
    LongTextField,
    MomentField,
    NumberField,
    PageForm,
    PickField,
    RefusalForm,
    TextField,
    TickField,
    TicksField,
)
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    REASON_MAX,
    Confirmation,
)
from campaigns.list_checks import LEVELS
from campaigns.models import (
    ENTRIES_MAX,
    EVENT_NAME_MAX,
    ROUNDS_MAX,
    TABLES_MAX,
    EventKind,
    EventVisibility,
    MissedRound,
    OddNumber,
    PairingMethod,
)
from campaigns.models.leagues import (
    PLACE_MAX,
    POINTS_MAX,
    SCORE_MAX,
    SCORE_NAME_MAX,
    default_ties,
)
from campaigns.operations.events import METHODS
from campaigns.operations.screens import CLOCK_MAX, SCREEN_STEPS
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EventTerms,
)
from engine.records import (
    Fields,
    NamedValues,
    named_values,
)
from engine.roster import MAX_LIMIT
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS, TieBreak
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata.campaign_documents import find_default_rules
from rulesdata.forms.rulings import HouseRuleFields, RulingFields

AS_BOOK = ""
READ_BY_MEMBERS = "Members of the club and players of this event can read it."
NO_LONGER = "A scenario that is no longer shared with you"

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
    starts_at = MomentField("Starts")
    place = TextField("Place", PLACE_MAX)
    capacity = NumberField(
        "Places for players",
        ENTRIES_MAX,
        least=1,
        help_text="Leave empty to take everyone. Later players wait for a place.",
    )
    entries_close_at = MomentField("Entries close")
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
    lists_due_at = MomentField(
        "Lists due", help_text="A round may have a deadline of its own."
    )
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
    missed_round = PickField(
        "For rounds missed, a late player gets", choices=MissedRound.choices
    )
    score_name = TextField(
        "Points scored are called",
        SCORE_NAME_MAX,
        help_text="One number a side in each game, such as “Victory points”. Leave empty if you do not count any.",
    )
    score_max = NumberField("Most points scored in a game", SCORE_MAX, least=1)
    player_score_name = TextField(
        "Points for a player are called",
        SCORE_NAME_MAX,
        help_text="One number a player from an organiser, such as “Painting”.",
    )
    confirm_days = NumberField(
        "Days to answer a result",
        CONFIRM_DAYS_MAX,
        least=1,
        required=True,
        initial=CONFIRM_DAYS,
        help_text="If nobody disputes a result in this time, it is confirmed automatically.",
    )
    confirmation = forms.TypedChoiceField(
        label="Who confirms a reported result",
        choices=CONFIRMATIONS,
        required=False,
        coerce=str,
        empty_value=Confirmation.PLAYERS.value,
        initial=Confirmation.PLAYERS,
        widget=forms.RadioSelect,
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
        # Whoever grows by rules of the system fights with all they have.
        is_growing = kind == EventKind.CAMPAIGN and find_default_rules(system)
        initial = {"points_limit": None if is_growing else system.usual_limit()}
        super().__init__(data, initial=self._event_values(event) if event else initial)
        self.kind, self.system = kind, system
        self.version: int | str = event.version if event else 0
        # Scenarios and rules of another system mean nothing here.
        address = (system.key, system.variant or "")
        terms = EventTerms(name="", kind=kind, method="", system=system.key)
        if event and (event.system, event.variant) == address:
            terms = event
        self._offer_scenarios(pool, terms.scenarios)
        self.house_rules = HouseRuleFields(self, system, terms.house_rules)
        self._offer_levels(terms.levels)
        self.offer_rulings(terms.ruling_layers)
        self._offer_methods(METHODS[kind])
        if event is None:
            del self.fields["reason"]
        ties = event.tie_breaks if event else default_ties()
        self.ties = list(ties) if data is None else data.getlist("tie")

    def _event_values(self, event: ClubEventRecord) -> Fields:
        """What the fields show of an event as it is now."""
        names = [name for name in self.base_fields if hasattr(event, name)]
        values = named_values(event, *names)
        # 0 is shown as empty where empty means the same.
        values["rounds_planned"] = event.rounds_planned or None
        values["tables"] = event.tables or None
        for key, worth in asdict(event.scoring).items():
            values[f"points_{key}"] = worth
        return values

    def _offer_scenarios(self, pool: Choices, chosen: Sequence[str]) -> None:
        # A scenario that is shared no more stays ticked until somebody unticks it.
        offered = dict(pool)
        others = [(key, NO_LONGER) for key in chosen if key not in offered]
        self.fields["scenarios"] = TicksField(
            "Scenarios to draw from",
            choices=[*pool, *others],
            initial=list(chosen),
            help_text="If none is ticked, players choose the scenario.",
        )

    def _offer_levels(self, levels: Mapping[str, str]) -> None:
        guidelines = [rule for rule in self.system.guidelines if rule.is_waivable]
        self.guidelines = {f"level-{rule.code}": rule for rule in guidelines}
        for name, rule in self.guidelines.items():
            choices = [(AS_BOOK, f"{rule.level.capitalize()}, as usual")]
            choices += [
                (level, level.capitalize()) for level in LEVELS if level != rule.level
            ]
            initial = levels.get(rule.code, AS_BOOK)
            self.fields[name] = PickField(rule.title, choices=choices, initial=initial)

    def _offer_methods(self, methods: Sequence[str]) -> None:
        """Ask how to pair; the first method is the usual one of this kind of event."""
        choices = [(method, PairingMethod(method).label) for method in methods]
        self.fields["method"].choices = choices  # type: ignore[attr-defined]
        self.fields["method"].initial = methods[0]
        if PairingMethod.ROBIN not in methods:
            del self.fields["legs"]
        if PairingMethod.PRESENT not in methods:
            del self.fields["odd"]

    def offer_rulings(self, rulings: NamedValues) -> None:
        """Ask which rulings are played otherwise; the club's stand where none is chosen."""
        club = {"club": rulings.get("club", {})}
        self.rulings = RulingFields(self, self.system, rulings.get("event", {}), club)

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
            initial=find_default_rules(self.system),
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
        """Show what was typed so far again, unchecked, with the tie-breaks in another order.

        ``move`` is of a button: "up wins", "down wins", "drop wins", "add wins". Anything else
        changes nothing.
        """
        for name, field in self.fields.items():
            self.initial[name] = field.widget.value_from_datadict(typed, self.files, name)
        order = list(
            dict.fromkeys(key for key in typed.getlist("tie") if key in TIE_BREAKS)
        )
        self.ties = order
        verb, _, key = move.partition(" ")
        if key in order:
            place = order.index(key)
            order.remove(key)
            if verb != "drop":
                # Behind the last place it is the last: insert takes any number past the end as it.
                steps = {"up": -1, "down": 1}.get(verb, 0)
                order.insert(max(place + steps, 0), key)
        elif verb == "add" and key in TIE_BREAKS:
            order.append(key)

    @property
    def chosen_ties(self) -> list[TieBreak]:
        """Those that are chosen, in their order; unknown ones are left for the operation to refuse."""
        return [TIE_BREAKS[key] for key in self.ties if key in TIE_BREAKS]

    @property
    def further_ties(self) -> list[TieBreak]:
        """Those that may still be added."""
        excluded = set(self.ties)
        if self.kind != EventKind.CAMPAIGN:
            excluded.add(CAMPAIGN_POINTS)
        return [tie for key, tie in TIE_BREAKS.items() if key not in excluded]

    @property
    def points_fields(self) -> list[forms.BoundField]:
        return [self[f"points_{field.name}"] for field in fields(Scoring)]

    @property
    def draft(self) -> EventTerms:
        """What the operation takes; only of a valid form."""
        cleaned = self.cleaned_data
        # What is left empty is as a new event has it.
        terms = {
            name: cleaned[name]
            for name in EventTerms.__dataclass_fields__.keys() & cleaned.keys()
            if cleaned[name] not in (None, "")
        }
        return EventTerms(
            **terms,
            kind=self.kind,
            system=self.system.key,
            variant=self.system.variant or "",
            scoring=Scoring(*(cleaned[field.name] for field in self.points_fields)),
            tie_breaks=self.ties,
            house_rules=self.house_rules.cleaned_choices(cleaned),
            ruling_layers=self.rulings.cleaned_choices(cleaned),
            levels={
                guideline.code: cleaned[name]
                for name, guideline in self.guidelines.items()
                if cleaned[name] != AS_BOOK
            },
        )


class ScreenForm(RefusalForm):
    """What a button of the hall screen does, and the minutes of its clock."""

    step = forms.ChoiceField(choices=[(step, step) for step in SCREEN_STEPS])
    minutes = NumberField("Minutes", CLOCK_MAX, least=1)
