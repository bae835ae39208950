"""The fields an event's policy has in its system: scenario pool, house rules, the level of each guideline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from campaigns.policies import LEVELS
from campaigns.queries.events.records import ClubEventRecord
from engine.types import Guideline, HouseRule, System

AS_BOOK = ""
NO_LONGER = "A scenario that is not shared with you any more"


class PolicyFields(forms.Form):
    """Adds the fields of a system to a form, and reads them back."""

    rules: dict[str, HouseRule]
    guidelines: dict[str, Guideline]

    def add_policy(
        self, system: System, pool: Sequence[tuple[str, str]], event: ClubEventRecord | None
    ) -> None:
        """The fields, filled as the event has them; of a new one as the system does."""
        same = event is not None and (event.system, event.variant) == (
            system.key,
            system.variant or "",
        )
        before = event if same else None
        self._add_pool(pool, before)
        self.rules = {f"rule-{rule.key}": rule for rule in system.house_rules}
        for name, rule in self.rules.items():
            is_on = before.house_rules.get(rule.key, rule.default) if before else rule.default
            self.fields[name] = forms.BooleanField(
                label=rule.name, help_text=rule.summary, required=False, initial=is_on
            )
        self.guidelines = {f"level-{one.code}": one for one in system.guidelines if one.is_waivable}
        for name, guideline in self.guidelines.items():
            usual = [(AS_BOOK, f"{guideline.level.capitalize()}, as usual")]
            others = [(level, level.capitalize()) for level in LEVELS if level != guideline.level]
            level = before.levels.get(guideline.code, AS_BOOK) if before else AS_BOOK
            self.fields[name] = forms.ChoiceField(
                label=guideline.title or guideline.code,
                required=False,
                choices=usual + others,
                initial=level,
            )

    def _add_pool(self, pool: Sequence[tuple[str, str]], before: ClubEventRecord | None) -> None:
        offered = {key for key, _ in pool}
        kept = [key for key in (before.scenarios if before else ()) if key not in offered]
        self.fields["scenarios"] = forms.MultipleChoiceField(
            label="Scenarios to draw from",
            required=False,
            choices=[*pool, *((key, NO_LONGER) for key in kept)],
            initial=list(before.scenarios) if before else [],
            widget=forms.CheckboxSelectMultiple,
            help_text="None ticked leaves the scenario to the players.",
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

    @property
    def policy_kwargs(self) -> dict[str, Any]:
        """Pool, house rules and levels as a draft takes them; only of a valid form."""
        cleaned = self.cleaned_data
        return {
            "scenarios": tuple(cleaned["scenarios"]),
            "house_rules": {
                rule.key: cleaned[name]
                for name, rule in self.rules.items()
                if cleaned[name] != rule.default
            },
            "levels": {
                one.code: cleaned[name]
                for name, one in self.guidelines.items()
                if cleaned[name] != AS_BOOK
            },
        }
