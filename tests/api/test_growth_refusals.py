"""Calls of a growing campaign that are refused, who may call, and each act."""

import pytest

from campaigns.models import GrowthRow
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from tests.api.growth_programs import Item, Programs
from tests.campaigns.growing import roster

pytestmark = pytest.mark.django_db


# Bad input


def test_rules_of_10_megabytes_are_refused_and_nothing_is_lost(programs: Programs) -> None:
    document = {"format": "campaign-rules/1", "name": "x" * 10_000_000}
    before = programs.campaign.ledger.position
    club = programs.campaign.league.club.slug
    sent: Item = {"document": document}
    since = {"from": "now", "reason": "Larger."}
    for method, address, body in (
        ("POST", "campaign-rules/check/", sent),
        ("POST", f"clubs/{club}/campaign-rules/", sent),
        ("PUT", programs.growth, {**sent, **since}),
        ("PATCH", programs.growth, {"changes": document, **since}),
    ):
        programs.olga(method, address, body, 413, If_Match="*")
    assert programs.campaign.ledger.position == before


def test_faulty_rules_are_told_whole_and_those_in_force_stay(programs: Programs) -> None:
    since = {"from": "now", "reason": "Other."}
    document = programs.olga("GET", "campaign-rules/muster-campaign/").json()["document"]
    document["tables"]["lasting"]["rows"].pop()
    document["tables"]["hero-injury"]["rows"][0]["effect"] = {"lower": "Luck"}
    document["kinds"].append({"id": "late", "name": "Late", "match": {"categories": ["x"]}})
    document["currencies"].append({"id": "fame", "name": "fame"})
    sent = {"document": document, **since}
    told = programs.olga("PUT", programs.growth, sent, 400, If_Match="*").json()
    fields = {one["field"] for one in told["errors"]}
    assert {
        "document.tables.lasting.rows", "document.tables.hero-injury.rows[0].effect.lower",
        "document.kinds[4].match", "document.currencies[2]",
    } <= fields  # fmt: skip
    assert all(one["message"].endswith(".") for one in told["errors"])
    assert programs.campaign.ledger.rules_name == ("muster-campaign", 1)
    assert programs.position == 3


def test_nothing_is_bought_with_nothing_in_the_purse(programs: Programs) -> None:
    acts = programs.own("Ada", "acts/")
    for amount, words in ((-76, "has 0."), (-10, "has -10.")):
        fine = {
            "kind": "adjust",
            "currency": "crowns",
            "amount": amount,
            "reason": "A fine.",
        }
        programs.olga("POST", acts, fine, 201)
        for act in (
            {"kind": "recruit", "into": "w3"},
            {"kind": "recruit", "profile": "pathfinder", "hired": True},
            {"kind": "buy", "for": "w1", "option": "physick"},
            {"kind": "search", "good": "long-glass", "seeker": "w2", "for": "w2"},
        ):
            told = programs.ada("POST", acts, act, 400).json()
            assert words in told["errors"][0]["message"], act
    # The fines alone are written: no dice were thrown for the search.
    assert GrowthRow.objects.filter(kind="act").count() == 2
    programs.act(kind="sell", item="shield", **{"from": "w1"})


def test_rules_that_change_under_an_open_page_lose_no_answer(programs: Programs) -> None:
    fixture = programs.fight()
    answers, due = programs.own("Ben", "answers/"), f"{fixture}/injury/w3#1"
    row = {"least": 2, "most": 12, "name": "Bruised", "effect": {}}
    table = {"dice": "2D6", "rows": [row]}
    changes = {"tables": {"soldier-injury": table}}
    sent = {"changes": changes, "from": "start", "reason": "Milder."}
    programs.ben("POST", answers, {"answers": [{"due": due, "faces": [1]}]})
    programs.olga("PATCH", programs.growth, sent)
    # The one die does not fit any more: it is kept aside, and two are asked for.
    told = programs.ben("GET", programs.growth).json()
    (aside,) = [one for one in told["aside"] if one["due"] == due]
    assert aside["faces"] == [1]
    assert due in {one["due"] for one in told["open"]}
    refused = programs.ben("POST", answers, {"answers": [{"due": due, "faces": [1]}]}, 400)
    message = {"field": "answers[0].faces", "message": "2D6 cannot show 1."}
    assert refused.json()["errors"] == [message]
    done = programs.ben(
        "POST", answers, {"answers": [{"due": due, "faces": [1, 5]}]}
    ).json()
    assert (done["answers"][0]["state"], done["answers"][0]["words"]) == (
        "counts",
        "Bruised",
    )


# Conflicts, and who may do what


def test_answers_that_conflict_are_told_and_nothing_is_thrown(programs: Programs) -> None:
    fixture = programs.fight()
    answers, income = programs.own("Ben", "answers/"), f"{fixture}/income"
    done = programs.ben("POST", answers, {"answers": [{"due": income}]}).json()
    (answer,) = done["answers"]
    assert (answer["is_typed"], answer["state"]) == (False, "counts")
    assert all(one["due"] != income for one in done["dues"])
    again = {"answers": [{"due": income}]}
    programs.ben("POST", answers, again, 409)
    programs.ben("POST", answers, {"answers": [{"due": "advance/w1/9"}]}, 409)
    programs.ben("POST", answers, {"answers": [{"due": f"{fixture}/claim"}]}, 409)
    programs.ada("POST", answers, {"answers": [{"due": f"{fixture}/injury/w2"}]}, 403)
    # Olga takes it back: Ben's faces stay, and nobody rolls others.
    back = programs.own("Ben", "take-back/")
    programs.olga("POST", back, {"due": income}, 400)
    programs.olga("POST", back, {"due": income, "reason": "Misread."})
    typed = {"answers": [{"due": income, "faces": [7 - answer["faces"][0]]}]}
    programs.ben("POST", answers, typed, 409)
    again_done = programs.ben("POST", answers, again).json()["answers"][0]
    assert again_done["faces"] == answer["faces"]
    # What an organiser answered is not the player's to take back.
    injury = f"{fixture}/injury/w2"
    programs.olga("POST", answers, {"answers": [{"due": injury, "faces": [3, 4]}]})
    programs.ben("POST", back, {"due": injury}, 409)
    programs.ben("POST", back, {"due": "advance/w1/9"}, 409)
    kinds = GrowthRow.objects.filter(kind__in=("answer", "take_back")).count()
    assert kinds == 4


def test_organisers_alone_rule_adjust_and_set_rules(programs: Programs) -> None:
    fixture = programs.fight()
    acts, answers = programs.own("Ada", "acts/"), programs.own("Ben", "answers/")
    due = f"{fixture}/injury/w2"
    for sent in (
        {"kind": "adjust", "currency": "crowns", "amount": 5, "reason": "A gift."},
        {"kind": "adjust", "who": "w1", "experience": 2, "reason": "Forgotten."},
        {"kind": "unfought", "as": "bye"},
    ):
        programs.ada("POST", acts, sent, 403)
        programs.olga("POST", acts, sent, 201)
    rules = {"rules": "muster-campaign", "from": "now", "reason": "Again."}
    programs.ada("PUT", programs.growth, rules, 403, If_Match="*")
    patch = {"changes": {"upkeep": {"each": 1}}, "from": "now", "reason": "Dear."}
    programs.ada("PATCH", programs.growth, patch, 403)
    ruling = {"answers": [{"due": due, "row": 2, "reason": "Seen by all."}]}
    told = programs.ben("POST", answers, ruling, 400).json()
    assert told["errors"][0]["field"] == "answers[0].row"
    told = programs.olga(
        "POST", answers, {"answers": [{**ruling["answers"][0], "reason": ""}]}, 400
    ).json()
    assert told["errors"][0]["field"] == "answers[0].reason"
    (row,) = programs.olga("POST", answers, ruling).json()["answers"]
    assert row["row"] == 2
    assert (
        programs.campaign.ledger.state.warbands[programs.campaign.warbands["Ben"]]
        .warriors["w2"]
        .gone
    )
    league = programs.campaign.league
    disband = {"kind": "disband", "reason": "Lost heart."}
    programs.ada("POST", acts, disband, 201)
    sent = {"entry": league.entry("Ada").token, "roster": roster(name="Anew")}
    late = {**sent, "late_rounds": 2}
    programs.ada("POST", f"{programs.growth}warbands/", late, 400)
    programs.ada("POST", f"{programs.growth}warbands/", sent, 201)
    programs.ada("POST", f"{programs.growth}warbands/", sent, 409)


# Acts


def test_each_act_is_done_and_told(programs, monkeypatch):
    start = programs.act(kind="recruit", into="w3", count=2)
    assert (start["paid"], start["warrior"], start["act"]) == (14, None, 1)
    assert start["warband"]["treasury"]["crowns"] == 76 - 14
    spearman = programs.act(
        kind="recruit", profile="spearmen", name="Hal", count=1, options=["shields"]
    )
    assert spearman["warrior"] == "w5"
    assert spearman["warband"]["warriors"]["w5"]["gear"] == ["shields"]
    hired = programs.act(kind="recruit", profile="pathfinder", hired=True)
    assert (hired["paid"], hired["warrior"]) == (20, "w6")
    assert hired["warband"]["warriors"]["w6"]["kind"] == "hired"
    bought = programs.act(kind="buy", option="physick", **{"for": "stash"})
    assert (bought["paid"], bought["warband"]["stash"]) == (12, ["physick"])
    given = programs.act(kind="give", item="physick", to="w2", **{"from": "stash"})
    assert given["warband"]["warriors"]["w2"]["gear"] == ["physick"]
    assert given["warband"]["stash"] == []
    sold = programs.act(kind="sell", item="physick", **{"from": "w2"})
    crowns = given["warband"]["treasury"]["crowns"]
    assert sold["warband"]["treasury"]["crowns"] == crowns + 6
    adjust = {"kind": "adjust", "currency": "crowns", "amount": 60, "reason": "A find."}
    programs.olga("POST", programs.own("Ada", "acts/"), adjust, 201)
    search = {"kind": "search", "good": "long-glass", "seeker": "w2", "for": "w2"}
    none = programs.act(**search, faces=[1, 1])
    assert (none["paid"], none["words"], none["faces"]) == (
        None, "Nothing was found.", [1, 1],
    )  # fmt: skip
    found = programs.act(**search, faces=[6, 6])
    assert found["warband"]["warriors"]["w2"]["gear"] == ["long-glass"]
    rich = {**adjust, "amount": 90}
    programs.olga("POST", programs.own("Ada", "acts/"), rich, 201)
    monkeypatch.setattr("campaigns.growth.operations.acts.throw", lambda dice: (6, 5))
    assert programs.act(**search)["faces"] == [6, 5]
    gone = programs.act(kind="dismiss", who="w3", count=3)
    assert gone["warband"]["warriors"]["w3"]["count"] == 4
    experience = {"kind": "adjust", "who": "w1", "experience": 3, "reason": "Forgotten."}
    told = programs.olga("POST", programs.own("Ada", "acts/"), experience, 201).json()
    assert told["warband"]["warriors"]["w1"]["experience"] == 3
    before = told["warband"]["treasury"]["crowns"]
    sums = []
    for word in ("bye", "walkover"):
        sent = {"kind": "unfought", "as": word}
        told = programs.olga("POST", programs.own("Ada", "acts/"), sent, 201).json()
        sums.append(told["warband"]["treasury"]["crowns"] - before)
        before = told["warband"]["treasury"]["crowns"]
    assert sums[0] == sums[1] > 0
    closed = programs.act(kind="disband", reason="Lost heart.")
    assert closed["warband"]["closed"] is True
    told = programs.ada(
        "POST", programs.own("Ada", "acts/"), {"kind": "recruit", "into": "w3"}, 400
    )
    assert told.json()["errors"]


def test_who_fights_is_named_or_left_to_the_defaults(programs: Programs) -> None:
    campaign = programs.campaign
    entries = [campaign.league.entry(name).token for name in ("Ada", "Ben")]
    sent = {"one": entries[0], "other": entries[1], "scenario": None}
    address = f"events/{campaign.league.token}/rounds/1/fixtures/"
    fixture = programs.olga("POST", address, sent, 201).json()["id"]
    choice = {"absent": {entries[0]: ["w4"]}, "fielded": {entries[1]: ["w2"]}}
    # Who fights of the other side is not hers to say.
    programs.ada("POST", f"fixtures/{fixture}/field/", choice, 403)
    told = programs.olga("POST", f"fixtures/{fixture}/field/", choice, 201).json()
    assert set(told) == {"battle", "key", "sides", "findings"}
    one, two = told["sides"]
    assert {who["who"].partition("#")[0] for who in one["combatants"]} == {"w1", "w2", "w3"}
    assert {who["who"].partition("#")[0] for who in two["combatants"]} >= {"w1", "w2"}
    assert (one["entry"], one["rating"], one["underdog"]) == (entries[0], 174, None)
    programs.ada("POST", f"fixtures/{fixture}/field/", {}, 409)
    second = add_fixture(campaign.asked, 1, FixtureDraft(entries=(entries[0], entries[1])))
    defaults = programs.ben("POST", f"fixtures/{second}/field/", {}, 201).json()
    assert {one["code"] for one in defaults["findings"]} == {"growth_two_open"}


def test_no_preview_throws_dice(programs, monkeypatch):
    fixture = programs.fight()
    for module in ("answers", "acts"):
        name = f"campaigns.growth.operations.{module}.throw"
        monkeypatch.setattr(
            name, lambda dice: pytest.fail("thrown") if dice == "D6" else (1, 1)
        )
    sent = {"answers": [{"due": f"{fixture}/income"}]}
    address = f"{programs.own('Ben', 'answers/')}?preview=1"
    told = programs.ben("POST", address, sent).json()["preview"]
    assert (told["warbands"], told["closed"]) == ([], [])
