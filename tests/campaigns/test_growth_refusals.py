"""What campaigns refuse of grown warbands, each with its field."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Stale, WrongState
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    ANSWERS_MAX,
    GivenAnswer,
    Withdrawal,
    answer_dues,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.results import (
    CHOSEN_MOST,
    FieldChoice,
    remind_of_dues,
    tell_objectives,
)
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    preview_founding,
    set_growth_rules,
)
from campaigns.models import GrowthRow
from campaigns.operations.entries import add_entry, drop_entry
from campaigns.operations.events import settle_event
from campaigns.operations.results import field_fixture, open_fixture, report_result
from campaigns.queries.records import Outcome
from engine.errors import Refusal
from rulesdata.campaign_documents import packed_rules
from tests.campaigns.growing import Campaign, roster
from tests.campaigns.leagues import make_league
from tests.campaigns.test_growth import fought

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
RENTED = GivenAct("search", good="long-glass", seeker="w1", bearer="w1", faces=(1, 1))


def refused(campaign: Campaign, do: Callable[[], object]) -> tuple[str, str]:
    """The field and the words of a refusal, which wrote nothing."""
    before = GrowthRow.objects.count()
    with pytest.raises(Refusal) as error:
        do()
    assert GrowthRow.objects.count() == before
    return error.value.field, str(error.value)


# Results


@pytest.mark.parametrize("told, field", [
    ({"fates": {"nobody": []}}, "fates"),
    ({"fates": {"Zoe": []}}, "fates"),
    ({"fates": {"Ada": [{"who": "w1"}] * 401}}, "fates"),
    ({"fates": {"Ada": [{"who": "w9"}]}}, "fates.Ada[0].who"),
    ({"fates": {"Ada": [{"who": "w1"}, {"who": 3}]}}, "fates.Ada[1].who"),
    ({"fates": {"Ada": [{"who": "w1", "by": 3}]}}, "fates.Ada[0].by"),
    ({"fates": {"Ada": [{"who": "w1", "by": "Ada/w9"}]}}, "fates.Ada[0].by"),
    ({"fates": {"Ada": [{"who": "w1", "by": "Zoe/w1"}]}}, "fates.Ada[0].by"),
    ({"objectives": {"nobody": {}}}, "objectives"),
    ({"objectives": {"Ada": {"x" * 41: 1}}}, "objectives"),
    ({"objectives": {"Ada": {f"o{n}": 1 for n in range(21)}}}, "objectives"),
    ({"objectives": {"Ada": {"loot": 101}}}, "objectives"),
    ({"objectives": {"Ada": {"loot": -1}}}, "objectives"),
    ({"objective_by": ("Ada/w1", "nobody/w1")}, "objective_by[1]"),
    ({"objective_by": ("Ada",)}, "objective_by[0]"),
    ({"objective_by": ("Ada/" + "w" * 41,)}, "objective_by[0]"),
    ({"objective_by": ("Ada/w1",) * 401}, "objective_by"),
])  # fmt: skip
def test_a_report_that_cannot_be_names_its_field(campaign, told, field):
    add_entry(campaign.asked, name="Zoe")
    fixture = campaign.game("Ada", "Zoe")
    tokens = {name: campaign.league.entry(name).token for name in ("Ada", "Zoe")}
    said = {key: _with_tokens(value, tokens) for key, value in told.items()}
    outcome = Outcome(how="rout", winner=tokens["Ada"], **said)
    found, words = refused(
        campaign, lambda: report_result(campaign.asked, fixture, outcome)
    )
    assert found == field.replace("Ada", tokens["Ada"])
    assert words


def _with_tokens(said: Any, tokens: dict[str, str]) -> Any:
    """What is said by players' names, by the tokens of their entries."""
    if isinstance(said, dict):
        return {
            tokens.get(key, key): _with_tokens(value, tokens) for key, value in said.items()
        }
    if isinstance(said, list | tuple):
        return type(said)(_with_tokens(one, tokens) for one in said)
    if isinstance(said, str) and "/" in said:
        entry, _, who = said.partition("/")
        return f"{tokens.get(entry, entry)}/{who}"
    return said


def test_the_largest_objectives_are_kept(campaign: Campaign) -> None:
    fixture, ada = campaign.game("Ada", "Ben"), campaign.league.entry("Ada").token
    taken = {"x" * 40: 100} | {f"o{n}": 0 for n in range(19)}
    by_whom = (f"{ada}/w1",) * 400
    campaign.report(fixture, "Ada")
    tell_objectives(
        campaign.asked, fixture, Outcome(objectives={ada: taken}, objective_by=by_whom)
    )
    told = campaign.league.fixtures(1)[0].told
    assert (told["a"]["objectives"], len(told["a"]["objective_by"])) == (taken, 400)
    assert (told["b"]["objectives"], told["b"]["objective_by"]) == (None, [])
    # Of the two, what is not told stays; what is told already adds no line.
    tell_objectives(campaign.asked, fixture, Outcome(objectives={ada: {"loot": 1}}))
    lines = campaign.league.event.log.filter(verb="growth_objectives").count()
    tell_objectives(campaign.asked, fixture, Outcome(objectives={ada: {"loot": 1}}))
    told = campaign.league.fixtures(1)[0].told
    assert (told["a"]["objectives"], len(told["a"]["objective_by"])) == ({"loot": 1}, 400)
    assert campaign.league.event.log.filter(verb="growth_objectives").count() == lines == 2


def test_objectives_are_told_of_a_game_whose_result_is_known(campaign: Campaign) -> None:
    ada = campaign.league.entry("Ada").token
    told, fixture = Outcome(objectives={ada: {"loot": 1}}), campaign.game("Ada", "Ben")
    with pytest.raises(WrongState, match="Report the result first"):
        tell_objectives(campaign.asked, fixture, told)
    open_fixture(campaign.asked, fixture)
    with pytest.raises(WrongState, match="Report the result first"):
        tell_objectives(campaign.asked, fixture, told)
    player = campaign.league.by("Ada")
    report_result(player, fixture, Outcome(how="rout", winner=ada))
    tell_objectives(player, fixture, told)
    campaign.report(fixture, "Ada")
    with pytest.raises(WrongState, match="The result is final"):
        tell_objectives(player, fixture, Outcome(objectives={ada: {"loot": 2}}))
    tell_objectives(campaign.asked, fixture, Outcome(objectives={ada: {"loot": 2}}))
    assert campaign.league.fixtures(1)[0].told["a"]["objectives"] == {"loot": 2}


def test_nobody_is_reminded_where_nobody_owes(campaign: Campaign) -> None:
    with pytest.raises(WrongState, match="No player owes"):
        remind_of_dues(campaign.asked)
    fought(campaign)
    assert remind_of_dues(campaign.asked) == 2


# Who fights


def test_who_fights_is_chosen_once_of_those_who_meet(campaign: Campaign) -> None:
    fixture, ada = campaign.game("Ada", "Ben"), campaign.league.entry("Ada").token
    for choice, field in (
        (FieldChoice(absent={"nobody": ()}), "absent"),
        (FieldChoice(fielded={"nobody": ()}), "fielded"),
        (FieldChoice(absent={ada: ("w1",) * (CHOSEN_MOST + 1)}), "absent"),
        (FieldChoice(fielded={ada: ("w1",) * (CHOSEN_MOST + 1)}), "fielded"),
        (FieldChoice(absent={ada: ("w1", "w2", "w3", "w4")}), "absent"),
    ):
        do = partial(field_fixture, campaign.asked, fixture, choice)
        assert refused(campaign, do)[0] == field
    most = FieldChoice(absent={ada: ("w2",) * CHOSEN_MOST})
    field_fixture(campaign.asked, fixture, most)
    with pytest.raises(WrongState, match="locked already"):
        field_fixture(campaign.asked, fixture, most)
    league = make_league(players=2, organiser=campaign.league.organiser)
    with pytest.raises(NotFound):
        field_fixture(replace(campaign.asked, token=league.token), fixture, most)


# Answers


def test_answers_are_counted_and_fit_what_is_asked(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    income, injury = f"{fixture}/income", f"{fixture}/injury/w2"
    ben = campaign.league.by("Ben")

    def answer(*given: GivenAnswer) -> tuple[str, str]:
        return refused(campaign, lambda: answer_dues(ben, band, given))

    assert answer()[0] == "answers"
    many = [GivenAnswer(f"due{n}") for n in range(ANSWERS_MAX + 1)]
    assert answer(*many)[0] == "answers"
    assert answer(GivenAnswer(income, (3,)), GivenAnswer(injury, (9, 1)))[0] == (
        "answers[1].faces"
    )
    assert answer(GivenAnswer(injury, row=1, reason="So."))[0] == "answers[0].row"
    for reason in ("", "  "):
        ruling = [GivenAnswer(income, (3,)), GivenAnswer(injury, row=1, reason=reason)]
        do = partial(answer_dues, campaign.asked, band, ruling)
        assert refused(campaign, do)[0] == "answers[1].reason"
    # A player answers what is asked, an organiser what will be.
    with pytest.raises(WrongState, match="is not asked for now"):
        answer_dues(ben, band, [GivenAnswer("later", (1,))])
    with pytest.raises(WrongState, match="is not asked for now"):
        answer_dues(campaign.asked, band, [GivenAnswer("later")])
    answer_dues(campaign.asked, band, [GivenAnswer("later", (1,))])
    with pytest.raises(WrongState, match="later was thrown already: 1"):
        answer_dues(campaign.asked, band, [GivenAnswer("later", (2,))])
    answer_dues(campaign.asked, band, [GivenAnswer("later", (1,), choice="so")])
    assert roll_dues(ben, band)
    for due in [one.key for one in campaign.ledger.state.open if one.dice]:
        assert not campaign.ledger.state.find_due(band, due)
    with pytest.raises(WrongState, match="nothing to roll"):
        roll_dues(ben, band)


def test_a_choice_is_one_of_those_that_are_left(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (5, 6))])
    ransom, ben = (f"ransom/{fixture}/w2", campaign.league.by("Ben"))

    def answer(given: GivenAnswer) -> tuple[str, str]:
        return refused(campaign, lambda: answer_dues(ben, band, [given]))

    assert answer(GivenAnswer(ransom, choice="run"))[0] == "answers[0].choice"
    assert answer(GivenAnswer(ransom))[0] == "answers[0].choice"
    field, words = answer(GivenAnswer(ransom, (1,), choice="pay"))
    assert (field, words) == ("answers[0].faces", f"{ransom} asks for no dice.")
    # What an organiser writes down waits.
    answer_dues(campaign.asked, band, [GivenAnswer(ransom, choice="run")])
    assert campaign.ledger.answers[band, ransom].choice == "run"


# Acts, and taking back


def test_acts_are_within_their_bounds(campaign: Campaign) -> None:
    band = campaign.warbands["Ada"]

    def act(given: GivenAct) -> tuple[str, str]:
        return refused(campaign, lambda: take_act(campaign.asked, band, given))

    assert act(GivenAct("dismiss", who="w3", count=0))[0] == "count"
    assert act(GivenAct("redirect", act=1, bearer="w1"))[0] == "act"
    take_act(campaign.asked, band, GivenAct("unfought", word="bye"))
    assert campaign.ledger.state.warbands[band].treasury["crowns"] == 94


def test_a_search_is_paid_before_its_dice_are_thrown(campaign: Campaign) -> None:
    band = campaign.warbands["Ada"]
    poor = GivenAct("adjust", currency="crowns", amount=-75, reason="Robbed.")
    take_act(campaign.asked, band, poor)
    field, words = refused(campaign, lambda: take_act(campaign.asked, band, RENTED))
    assert field == "kind"
    assert words.endswith("the treasury has 1.")


def test_a_recruit_is_paid_with_what_it_carries(campaign: Campaign) -> None:
    band = campaign.warbands["Ada"]
    given = GivenAct("recruit", profile="halberdiers", name="New", options=("shields",))
    take_act(campaign.asked, band, given)
    joined = campaign.ledger.state.warbands[band].warriors["w5"]
    assert (joined.joined.name, [piece.id for piece in joined.gear]) == ("New", ["shields"])


def test_taking_back_names_one_thing_that_was_done(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], campaign.league.by("Ada")

    def back(what: Withdrawal) -> tuple[str, str]:
        return refused(campaign, lambda: take_back(ada, band, what))

    assert back(Withdrawal())[0] == "due"
    assert back(Withdrawal("due", 1))[0] == "due"
    assert [back(Withdrawal(act=n))[0] for n in (0, 10**6 + 1)] == ["act", "act"]
    for what in (Withdrawal(act=1), Withdrawal(act=10**6), Withdrawal("due")):
        with pytest.raises(WrongState, match="Nothing was done"):
            take_back(ada, band, what)
    search = take_act(ada, band, RENTED)
    with pytest.raises(NotAllowed, match="search was thrown"):
        take_back(ada, band, Withdrawal(act=search))
    take_back(replace(campaign.asked, reason="Not so."), band, Withdrawal(act=search))


# Rules and founding


def test_rules_are_named_or_sent(campaign: Campaign) -> None:
    document = packed_rules()["muster-campaign"].document

    def rules(**draft: Any) -> str:
        asked = replace(campaign.asked, reason="Other rules.")
        do = partial(set_growth_rules, asked, RulesDraft(since="now", **draft))
        return refused(campaign, do)[0]

    assert rules() == "rules"
    assert rules(rules="muster-campaign", document=document) == "rules"
    assert rules(rules="no-such-rules") == "rules"
    new = make_league(players=0, kind="campaign", method="challenge")
    asked = replace(campaign.asked, actor=new.organiser, token=new.token)
    with pytest.raises(NotFound):
        set_growth_rules(asked, RulesDraft(changes={"name": "Ours"}))
    own = {**document, "id": "x" * 40, "version": 3}
    set_growth_rules(asked, RulesDraft(document=own))
    payload = GrowthRow.objects.get(event=new.event).payload
    assert (payload["rules"], payload["version"]) == ("x" * 40, 3)


def test_founding_is_looked_at_before_and_refused_with_its_field(campaign):
    zoe = add_entry(campaign.asked, name="Zoe")
    draft = FoundingDraft(zoe, roster())
    rows = GrowthRow.objects.count()
    moved = preview_founding(campaign.asked, draft)
    assert moved.warbands
    assert GrowthRow.objects.count() == rows
    drop_entry(campaign.asked, zoe)
    with pytest.raises(WrongState, match="Zoe dropped out"):
        found_warband(campaign.asked, draft)
    ada = campaign.league.by("Ada")
    late = replace(draft, entry=campaign.league.entry("Ada").token, late_rounds=0)
    assert refused(campaign, lambda: found_warband(ada, late))[0] == "late_rounds"


def test_a_campaign_in_the_archive_takes_nothing(campaign: Campaign) -> None:
    settle_event(campaign.asked, "archive")
    with pytest.raises(WrongState, match="is archived"):
        take_act(campaign.asked, campaign.warbands["Ada"], RENTED)
    with pytest.raises(WrongState, match="is archived"):
        roll_dues(campaign.asked, campaign.warbands["Ada"])


def test_who_has_seen_an_older_state_is_stale(campaign: Campaign) -> None:
    seen = campaign.ledger.position
    fought(campaign)
    asked = replace(campaign.asked, position=seen)
    with pytest.raises(Stale):
        roll_dues(asked, campaign.warbands["Ben"])
    roll_dues(replace(asked, position=campaign.ledger.position), campaign.warbands["Ben"])
