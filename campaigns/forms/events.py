"""Shapes of what people type when they make or change an event, and when they look for one."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.errors import Refusal, Stale
from accounts.forms import (
    UNFILLED,
    LongTextField,
    MomentField,
    NumberField,
    PageForm,
    PickField,
    RefusalForm,
    TextField,
    TickField,
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
    ADDRESS_MAX,
    PLACE_MAX,
    POINTS_MAX,
    SCORE_MAX,
    SCORE_NAME_MAX,
    default_ties,
)
from campaigns.operations.event_terms import METHODS
from campaigns.operations.screens import CLOCK_MAX, SCREEN_STEPS, STEPS
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EventTerms,
)
from engine.records import Fields, copy_fields, named_values
from engine.roster import MAX_LIMIT
from engine.tournament.standings import CAMPAIGN_POINTS, TIE_BREAKS, TieBreak
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata.campaign_documents import MUSTER_CAMPAIGN, find_default_rules
from rulesdata.forms.rulings import HouseRuleFields, RulingFields

AS_BOOK = ""
DUE_AT_START = "Leave empty for the start of the event."
ROUNDS_NEEDED = "Leave empty for as many as the players need, at least 3."
READ_BY_MEMBERS = "Members of the club and players of this event can read it."
NO_LONGER = "A scenario that is no longer shared with you"

SHOWS = (("", "Yours"), ("clubs", "Your clubs"), ("archived", "Archived"))
LISTS: Mapping[str, tuple[str, tuple[bool, bool, bool]]] = {
    "": ("No lists", (False, False, False)),
    "one": ("One list for the whole event", (True, True, False)),
    "each": ("A list for each round", (True, False, False)),
    "core": (
        "A list for each round, no model of the last may be missing",
        (True, False, True),
    ),
}
"""How players hand in lists: in words, and as ``needs_list``, ``has_one_list``, ``has_core``."""
LIST_TERMS = ("needs_list", "has_one_list", "has_core")
LISTS_OF_KIND = {
    EventKind.NIGHT: ("", "each"),
    EventKind.ONE_DAY: ("", "one", "each"),
}
"""The ways of each kind; the others have all of them."""
LEAGUE, NIGHT, CAMPAIGN, ONE_DAY = EventKind
UNUSED = {
    "legs": (NIGHT, CAMPAIGN, ONE_DAY),
    "odd": (LEAGUE, ONE_DAY),
    "missed_round": (NIGHT, CAMPAIGN),
    "shows_treasury": (LEAGUE, NIGHT, ONE_DAY),
}
"""The fields that some kinds do not use."""
LEGS = (
    (1, "One leg: everyone plays everyone once"),
    (2, "Two legs, the second with sides swapped"),
)


CONFIRMATIONS = (
    (Confirmation.PLAYERS, "The opponent confirms it"),
    (Confirmation.ORGANISER, "An organiser accepts it"),
    (Confirmation.REPORTS, "Nobody: final unless disputed"),
)


class EventListForm(PageForm):
    """Which events to list."""

    show = PickField("Which", choices=SHOWS)


class WorthField(NumberField):
    """What one kind of result is worth."""

    def __init__(self, label: str, initial: int) -> None:
        super().__init__(label, POINTS_MAX, -POINTS_MAX, required=True, initial=initial)


class SettingsForm(RefusalForm):
    """What changes the settings of an event, seen at a version."""

    reason = TextField("Reason for the change", REASON_MAX, help_text=READ_BY_MEMBERS)
    version: int | str = 0

    def add_refusal(self, refusal: Refusal) -> None:
        """Show why the event was not saved; if it was stale, take its present version."""
        if isinstance(refusal, Stale):
            # what was typed stays, and sent once more it changes the event as it is now
            self.version = refusal.current
            refusal = Refusal(f"{refusal.message} Your entries are still in the form.")
        super().add_refusal(refusal)


class EventForm(SettingsForm):
    """All that an event of one kind and system agrees on, but how the rules are played.

    Its tie-breaks are no field, for their order is what counts.
    """

    refused_fields = dict.fromkeys(LIST_TERMS, "lists")

    name = TextField("Name", EVENT_NAME_MAX, required=True)
    starts_at = MomentField("Starts")
    place = TextField("Place", PLACE_MAX)
    capacity = NumberField(
        "Places for players",
        ENTRIES_MAX,
        least=1,
        help_text="Leave empty to take everyone. Later players wait for a place.",
    )
    points_limit = NumberField(
        "Points limit", MAX_LIMIT, help_text="Leave empty for no limit."
    )
    lists = PickField("Players hand in")
    lists_due_at = MomentField("Lists due")
    rounds_planned = NumberField(
        "Rounds", ROUNDS_MAX, help_text="Leave empty for no fixed number."
    )

    visibility = forms.ChoiceField(
        label="Who can see it",
        choices=EventVisibility.choices,
        initial=EventVisibility.CLUB,
    )
    method = forms.ChoiceField(label="Pairing method")
    legs = forms.TypedChoiceField(
        label="Legs",
        required=False,
        coerce=int,
        empty_value=None,
        choices=LEGS,
        help_text="Two legs are possible in a round robin only.",
    )
    odd = PickField("With an odd number of players", choices=OddNumber.choices)
    tables = NumberField(
        "Tables", TABLES_MAX, help_text="Leave empty for as many as needed."
    )
    entries_close_at = MomentField("Entries close")
    description = LongTextField("Description", NOTE_MAX, rows=3)
    scenarios = forms.MultipleChoiceField(
        label="Scenarios to draw from",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is ticked, players choose the scenario.",
    )
    is_secret = TickField("Lists are secret until revealed", initial=True)
    points_win = WorthField("Win", initial=3)
    points_draw = WorthField("Draw", initial=1)
    points_loss = WorthField("Loss", initial=0)
    points_bye = WorthField("Bye", initial=3)
    points_unplayed = WorthField("Not played", initial=0)
    missed_round = PickField(
        "For rounds missed, a late player gets", choices=MissedRound.choices
    )
    shows_treasury = TickField(
        "Standings show treasuries",
        help_text="Where warbands grow: what each of them can spend.",
    )
    score_name = TextField(
        "Points scored are called",
        SCORE_NAME_MAX,
        help_text="One number a side in each game, such as “Victory points”. "
        "Leave empty to count none.",
    )
    score_max = NumberField("Most points scored in a game", SCORE_MAX, least=1)
    player_score_name = TextField(
        "Points for a player are called",
        SCORE_NAME_MAX,
        help_text="One number a player from an organiser, such as “Painting”.",
    )
    confirmation = forms.TypedChoiceField(
        label="Who confirms a reported result",
        choices=CONFIRMATIONS,
        required=False,
        coerce=str,
        empty_value=Confirmation.PLAYERS.value,
        initial=Confirmation.PLAYERS,
    )
    confirm_days = NumberField(
        "Days to answer a result",
        CONFIRM_DAYS_MAX,
        least=1,
        required=True,
        initial=CONFIRM_DAYS,
        help_text="If nobody disputes a result in this time, it is confirmed automatically.",
    )

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
        self.kind, self.system, self.event = kind, system, event
        initial = self._event_values(event) if event else self._preset(kind, system)
        super().__init__(data, initial=initial)
        self.version = event.version if event else 0
        # Scenarios of another system mean nothing here.
        address = (system.key, system.variant or "")
        self.is_other_system = event and (event.system, event.variant) != address
        if self.is_other_system:
            self.initial["scenarios"] = []
        self._offer_choices(pool)
        self._leave_out_unused()
        ties = event.tie_breaks if event else default_ties()
        self.ties = list(ties) if data is None else data.getlist("tie")

    def _offer_choices(self, pool: Choices) -> None:
        methods = METHODS[self.kind]
        ways = LISTS_OF_KIND.get(EventKind(self.kind), tuple(LISTS))
        # What an event has already stays on offer until somebody chooses otherwise.
        ways = tuple(dict.fromkeys((*ways, self.initial.get("lists", ""))))
        offered, chosen = dict(pool), self.initial.get("scenarios", ())
        others = [(key, NO_LONGER) for key in chosen if key not in offered]
        choices: dict[str, Choices] = {
            "lists": [(way, LISTS[way][0]) for way in ways],
            "method": [(method, PairingMethod(method).label) for method in methods],
            "scenarios": [*pool, *others],
        }
        for name, pairs in choices.items():
            self.fields[name].choices = pairs  # type: ignore[attr-defined]
        self.fields["method"].initial = methods[0]

    def _leave_out_unused(self) -> None:
        for name, kinds in UNUSED.items():
            # What a program has set all the same stays in sight.
            usual = EventTerms.__dataclass_fields__[name].default
            if self.kind in kinds and getattr(self.event, name, usual) == usual:
                del self.fields[name]
        if self.event is None:
            del self.fields["reason"]
            if self.kind == ONE_DAY:
                self.fields["lists_due_at"].help_text = DUE_AT_START
                self.fields["rounds_planned"].help_text = ROUNDS_NEEDED

    @staticmethod
    def _preset(kind: str, system: System) -> Fields:
        """What the fields of a new event begin with."""
        values: Fields = {"points_limit": system.usual_limit()}
        if kind == CAMPAIGN:
            # Warbands that grow fight with all they have.
            values["points_limit"] = None
        if kind in (NIGHT, ONE_DAY):
            values["scenarios"] = list(system.scenarios)
        if kind == ONE_DAY:
            values |= {"lists": "one", "confirmation": Confirmation.REPORTS}
        return values

    def _event_values(self, event: ClubEventRecord) -> Fields:
        """What the fields show of an event as it is now."""
        names = [name for name in self.base_fields if hasattr(event, name)]
        values = named_values(event, *names)
        values["scenarios"] = list(event.scenarios)
        terms = tuple(named_values(event, *LIST_TERMS).values())
        values["lists"] = next((way for way, (_, has) in LISTS.items() if has == terms), "")
        # 0 is shown as empty where empty means the same.
        values["rounds_planned"] = event.rounds_planned or None
        values["tables"] = event.tables or None
        for key, worth in asdict(event.scoring).items():
            values[f"points_{key}"] = worth
        return values

    def offer_growth(self, sets: Choices) -> None:
        """Ask by which campaign rules warbands grow; nothing chosen is results alone."""
        usual = find_default_rules(self.system) or MUSTER_CAMPAIGN
        self.fields["growth"] = PickField(
            "Campaign rules",
            # A system may lack a characteristic that the set names.
            initial=usual if usual in dict(sets) else "",
            choices=[("", "None: results and standings alone"), *sets],
            help_text="With campaign rules, warbands earn experience, get hurt and get paid. "
            "Leave the points limit empty to let them fight with all they have.",
        )

    def show_typed(self, typed: MultiValueDict[str, str]) -> None:
        """Show what was typed so far again, unchecked."""
        for name, field in self.fields.items():
            self.initial[name] = field.widget.value_from_datadict(typed, self.files, name)
        keys = (key for key in typed.getlist("tie") if key in TIE_BREAKS)
        self.ties = list(dict.fromkeys(keys))
        self.version = typed.get("version", self.version)

    def move_tie(self, move: str) -> None:
        """Put the tie-breaks into another order.

        ``move`` is of a button: "up wins", "down wins", "drop wins", "add wins". Anything else
        changes nothing.
        """
        order = self.ties
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
    def chosen_scenarios(self) -> list[tuple[str, str]]:
        """The (key, name) of those that are ticked; unknown ones are left to be refused."""
        names = dict(self.fields["scenarios"].choices)  # type: ignore[attr-defined]
        return [(key, names.get(key, key)) for key in self["scenarios"].value() or ()]

    @property
    def points_fields(self) -> list[forms.BoundField]:
        return [self[f"points_{field.name}"] for field in fields(Scoring)]

    @property
    def draft(self) -> EventTerms:
        """What the operation takes; only of a valid form."""
        cleaned, event = self.cleaned_data, self.event
        # What is left empty is as a new event has it.
        terms: dict[str, Any] = {
            name: field.default
            if cleaned[name] in (None, "") and field.default is not MISSING
            else cleaned[name]
            for name, field in EventTerms.__dataclass_fields__.items()
            if name in cleaned
        }
        terms |= dict(zip(LIST_TERMS, LISTS[cleaned["lists"]][1], strict=True))
        terms |= {
            "kind": self.kind,
            "system": self.system.key,
            "variant": self.system.variant or "",
            "scoring": Scoring(*(cleaned[field.name] for field in self.points_fields)),
            "tie_breaks": self.ties,
        }
        if event is None:
            # A day's lists are due when it starts, unless its organiser says otherwise.
            if self.kind == ONE_DAY and terms["needs_list"]:
                terms["lists_due_at"] = terms["lists_due_at"] or terms["starts_at"]
            return EventTerms(**terms)
        if self.is_other_system:
            terms |= {"house_rules": {}, "levels": {}, "ruling_layers": {}}
        return replace(copy_fields(EventTerms, event), **terms)


class EventRulesForm(SettingsForm):
    """How an event plays the rules of its system: house rules, rulings, levels of guidelines."""

    def __init__(
        self, data: MultiValueDict[str, str] | None = None, *, event: ClubEventRecord
    ) -> None:
        super().__init__(data)
        self.event, self.version = event, event.version
        system = event.load_system()
        self.house_rules = HouseRuleFields(self, system, event.house_rules)
        layers = event.ruling_layers
        club = {"club": layers.get("club", {})}
        self.rulings = RulingFields(self, system, layers.get("event", {}), club)
        guidelines = [rule for rule in system.guidelines if rule.is_waivable]
        self.guidelines = {f"level-{rule.code}": rule for rule in guidelines}
        for name, rule in self.guidelines.items():
            choices = [(AS_BOOK, f"{rule.level.capitalize()}, as usual")]
            choices += [
                (level, level.capitalize()) for level in LEVELS if level != rule.level
            ]
            initial = event.levels.get(rule.code, AS_BOOK)
            self.fields[name] = PickField(rule.title, choices=choices, initial=initial)

    @property
    def level_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.guidelines]

    @property
    def levels_set(self) -> int:
        """How many guidelines have another level than usual, before anything new is typed."""
        return sum(bool(self[name].value()) for name in self.guidelines)

    @property
    def draft(self) -> EventTerms:
        """What the operation takes; only of a valid form."""
        cleaned = self.cleaned_data
        return replace(
            copy_fields(EventTerms, self.event),
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


class DiscordForm(RefusalForm):
    """What a button of the page of Discord does, and the address of its webhook."""

    step = forms.ChoiceField(choices=[(step, step) for step in STEPS])
    # A secret is not shown again, not even with what is wrong in it.
    address = TextField(
        "Webhook address",
        ADDRESS_MAX,
        widget=forms.PasswordInput({**UNFILLED, "type": "text"}),
    )


class CopyForm(RefusalForm):
    """What a copy of an event is called, when it starts, and whether its players come along."""

    name = TextField("Name", EVENT_NAME_MAX, required=True)
    starts_at = MomentField("Starts")
    players = TickField("Add the same players")
