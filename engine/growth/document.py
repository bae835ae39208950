"""Reads campaign rules out of a document (``campaign-rules/1``), or tells all its faults."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from engine.growth.cross_checks import check_rules
from engine.growth.rules import (
    CampaignCurrency,
    CampaignRules,
    CaptiveRule,
    ExperienceAward,
    ExtraRoll,
    GrowthKind,
    GrowthLimits,
    HiredSword,
    IncomeLine,
    KindMatch,
    LateRule,
    Maxima,
    MaximaOverride,
    PriceRule,
    RatingTerm,
    SkillRule,
    TerritoryRule,
    TradeGood,
    TradeRule,
    UnderdogRow,
    UpkeepRule,
)
from engine.growth.sections import (
    AMOUNT,
    WORDS_MAX,
    DocumentSection,
    FaultList,
    FaultyRules,
    RulesFault,
)
from engine.growth.table_document import read_tables
from engine.growth.tables import DICE
from engine.records import Texts

FORMAT = "campaign-rules/1"
DOCUMENT_MAX = 256 * 1024
KINDS_MOST, CURRENCIES_MOST, SKILLS_MOST = 12, 6, 200
GOODS_MOST, TERRITORIES_MOST, LINES_MOST = 200, 40, 60
RESULTS = ("won", "drawn", "lost")
UNFOUGHT = ("bye", "walkover")
DEEDS = ("fought", "put_out", "leader_won", "objective", *RESULTS)
MEASURED = ("price", "experience", "models", "skills")


def read_rules(document: object, stats: Collection[str] | None = None) -> CampaignRules:
    """Return the rules of a document.

    ``stats`` are the characteristics of the system it is for; None leaves them unchecked. Raises
    FaultyRules with every fault and its path.
    """
    check_document_size(document)
    faults = FaultList()
    section = DocumentSection({}, "", faults).as_section(document, "")
    section.one_of("format", (FORMAT,))
    rules = CampaignRules(
        id=section.id(),
        name=section.text("name"),
        version=section.number("version", 1, default=1),
        summary=section.text("summary", "", WORDS_MAX),
        source=section.text("source", "", WORDS_MAX),
        systems=section.words("systems"),
        currencies=_currencies(section),
        prices=_prices(section),
        kinds=_kinds(section),
    )
    rules = _with_earnings(rules, section)
    rules = _with_growth(rules, section)
    rules = _with_others(rules, section)
    section.check_known()
    # Checked even where faults were found already, so that one reading tells them all.
    check_rules(rules, faults, stats)
    faults.raise_any()
    return rules


def check_document_size(document: object) -> None:
    """Raise FaultyRules for a document of more than 256 KiB."""
    try:
        size = len(json.dumps(document, default=str, ensure_ascii=False).encode())
    except (RecursionError, ValueError, TypeError):
        raise FaultyRules(
            [RulesFault("document", "is nested too deeply to be read.")]
        ) from None
    if size > DOCUMENT_MAX:
        words = f"is larger than {DOCUMENT_MAX // 1024} KiB."
        raise FaultyRules([RulesFault("document", words)])


# Head


def _currencies(document: DocumentSection) -> tuple[CampaignCurrency, ...]:
    """Read what warbands collect.

    currencies:
    - {id: crowns, name: crowns, start: 250, is_spent: true}
    """
    return tuple(
        CampaignCurrency(
            one.id(),
            one.text("name"),
            one.number("start", 0, default=0),
            one.flag("is_spent", default=True),
        )
        for one in document.sections("currencies", CURRENCIES_MOST, may_lack=False)
    )


def _prices(document: DocumentSection) -> PriceRule:
    """Read what prices are paid in.

    prices: {currency: crowns, per_point: 1}
    """
    prices = document.section("prices")
    rule = PriceRule(prices.id("currency"), prices.number("per_point", 1, 1000, default=1))
    prices.check_known()
    return rule


def _kinds(document: DocumentSection) -> dict[str, GrowthKind]:
    """Read the kinds of warriors, in the order in which they are tried.

    - id: hero
      name: Hero
      match: {leader: true, categories: [lord, hero]}
      most: 5
      steps: [4, 8, 13]
      advances: hero-advance
      injuries: hero-injury
      lists: [arms, road]
    """
    kinds: dict[str, GrowthKind] = {}
    for one in document.sections("kinds", KINDS_MOST, may_lack=False):
        kind = GrowthKind(
            id=one.id(),
            name=one.text("name"),
            match=_match(one.section("match", may_lack=True)),
            most=one.maybe_number("most", 1, 200),
            is_group=one.flag("is_group"),
            steps=one.rising("steps"),
            advances=one.id("advances", ""),
            injuries=one.id("injuries", ""),
            lists=one.words("lists"),
        )
        # Warriors name their kind by its id, so two kinds cannot share one.
        if kind.id in kinds:
            one.fault("id", "is that of another kind.")
        kinds[kind.id] = kind
    return kinds


def _match(match: DocumentSection) -> KindMatch:
    """Read who belongs to a kind. Nothing at all is everybody."""
    rule = KindMatch(
        match.flag("leader"),
        match.flag("hired"),
        match.words("categories"),
        match.words("troop_types"),
        match.words("profiles"),
    )
    match.check_known()
    return rule


# What is earned and paid


def _with_earnings(rules: CampaignRules, document: DocumentSection) -> CampaignRules:
    """Return the rules with what battles earn and cost, and how warbands are rated."""
    return replace(
        rules,
        limits=_limits(document.section("limits", may_lack=True)),
        experience=tuple(map(_award, document.sections("experience", LINES_MOST))),
        underdog=_underdog(document),
        income=tuple(map(_income, document.sections("income", LINES_MOST))),
        upkeep=_upkeep(document) if document.has("upkeep") else None,
        rating=tuple(map(_term, document.sections("rating", LINES_MOST))),
    )


def _limits(limits: DocumentSection) -> GrowthLimits:
    """Read how many models and recruits go without a finding.

    limits: {models: 15, recruits_after_battle: 3}
    """
    models = limits.maybe_number("models", 1, 200)
    rule = GrowthLimits(models, limits.maybe_number("recruits_after_battle", 0, 200))
    limits.check_known()
    return rule


def _award(one: DocumentSection) -> ExperienceAward:
    """Read what earns experience.

    - {id: led, name: Led the winners, when: leader_won, amount: 1, kinds: [hero]}
    """
    return ExperienceAward(
        one.id(),
        one.text("name"),
        one.one_of("when", DEEDS),
        one.number("amount", 1, 100),
        one.maybe_number("most", 1, 1000),
        one.words("kinds"),
    )


def _underdog(document: DocumentSection) -> tuple[UnderdogRow, ...]:
    """Read what those get who are far below; the rows rise.

    - {from: 20, experience: 1, kinds: [hero], amount: 6}
    """
    rows: list[UnderdogRow] = []
    for one in document.sections("underdog", LINES_MOST):
        lead = one.number("from", 1)
        # The last row that is reached counts, so they must rise.
        if rows and lead <= rows[-1].lead:
            one.fault("from", "must rise from each row to the next.")
        experience = one.number("experience", 0, 100, default=0)
        amount = one.number("amount", 0, default=0)
        rows.append(UnderdogRow(lead, experience, one.words("kinds"), amount))
    return tuple(rows)


def _income(one: DocumentSection) -> IncomeLine:
    """Read a line of income; what else it needs depends on when it pays."""
    when = one.one_of("when", INCOMES)
    currency, name = one.id("currency"), one.text("name", "")
    return INCOMES[when](one, IncomeLine(currency, when, name))


def _amounts(one: DocumentSection, words: Texts) -> dict[str, int]:
    """Read an amount for each of some words; one that is left out is nothing."""
    return {word: one.number(word, 0, default=0) for word in words}


def _result_income(one: DocumentSection, line: IncomeLine) -> IncomeLine:
    """Read pay by result.

    - {currency: crowns, when: result, won: 22, drawn: 20, lost: 18}
    """
    return replace(line, amounts=_amounts(one, RESULTS))


def _unfought_income(one: DocumentSection, line: IncomeLine) -> IncomeLine:
    """Read pay for games that are not fought.

    - {currency: crowns, when: unfought, bye: 18, walkover: 18}
    """
    return replace(line, amounts=_amounts(one, UNFOUGHT))


def _dice_income(one: DocumentSection, line: IncomeLine) -> IncomeLine:
    """Read pay by a throw.

    - {currency: crowns, when: dice, dice: D6, times: 2}
    """
    return replace(
        line, dice=one.one_of("dice", DICE), times=one.number("times", 1, 1000, 1)
    )


def _objective_income(one: DocumentSection, line: IncomeLine) -> IncomeLine:
    """Read pay for objectives.

    - {currency: crowns, when: objective, objective: loot, each: 4, most: 3}
    """
    objective, each = one.id("objective"), one.number("each", 1)
    return replace(
        line, objective=objective, each=each, most=one.maybe_number("most", 1, 1000)
    )


INCOMES = {
    "result": _result_income,
    "dice": _dice_income,
    "objective": _objective_income,
    "unfought": _unfought_income,
}


def _upkeep(document: DocumentSection) -> UpkeepRule:
    """Read what models cost after each battle.

    upkeep: {currency: crowns, free_models: 8, each: 3}
    """
    upkeep = document.section("upkeep")
    free, each = upkeep.number("free_models", 0, 200, default=0), upkeep.number("each", 0)
    rule = UpkeepRule(upkeep.id("currency"), free, each)
    upkeep.check_known()
    return rule


def _term(one: DocumentSection) -> RatingTerm:
    """Read a part of the rating.

    - {of: experience, times: [1, 2], kinds: [soldier]}
    """
    return RatingTerm(
        one.one_of("of", MEASURED), one.part("times", (1, 1)), one.words("kinds")
    )


# How warriors grow


def _with_growth(rules: CampaignRules, document: DocumentSection) -> CampaignRules:
    """Return the rules with how far warriors grow, their tables, skills and further rolls."""
    lists, skills = _skills(document)
    return replace(
        rules,
        maxima=_maxima(document.section("maxima", may_lack=True)),
        tables=read_tables(document),
        skill_lists=lists,
        skills=skills,
        rolls=tuple(map(_roll, document.sections("rolls", LINES_MOST))),
    )


def _maxima(maxima: DocumentSection) -> Maxima:
    """Read how high characteristics may rise.

    maxima:
      gain: {hero: {WS: 2}}
      most: {WS: 7}
      for:
      - {armies: [dwarfs], most: {M: 4}}
    """
    gain = maxima.section("gain", may_lack=True)
    gains = {kind: gain.figures(kind, 0, 10) for kind in list(gain.data)}
    overrides = tuple(
        MaximaOverride(
            one.words("armies"), one.words("profiles"), one.figures("most", 0, 10)
        )
        for one in maxima.sections("for", LINES_MOST)
    )
    rule = Maxima(gains, maxima.figures("most", 0, 10), overrides)
    maxima.check_known()
    return rule


def _skills(document: DocumentSection) -> tuple[dict[str, Texts], dict[str, SkillRule]]:
    """Read lists of skills; each id stands once in all of them.

    skills:
      eye:
      - {id: marksman, name: Marksman, words: Aims at anybody., effects: {BS: 1}}
    """
    lists: dict[str, Texts] = {}
    skills: dict[str, SkillRule] = {}
    section = document.section("skills", may_lack=True)
    for name in list(section.data):
        known = []
        for one in section.sections(name, SKILLS_MOST):
            skill = SkillRule(
                one.id(),
                one.text("name"),
                one.text("words", "", WORDS_MAX),
                one.figures("effects", -10, 10),
                one.number("search", -10, 10, default=0),
            )
            # A warrior keeps the id alone, whichever list it came from.
            if skill.id in skills:
                one.fault("id", "is that of another skill.")
            skills[skill.id] = skill
            known.append(skill.id)
        lists[name] = tuple(known)
    if len(skills) > SKILLS_MOST:
        document.fault(
            "skills", f"holds {len(skills)} skills, and {SKILLS_MOST} is the most."
        )
    return lists, skills


def _roll(one: DocumentSection) -> ExtraRoll:
    """Read a further roll after a battle, of the warband or of some kinds.

    - {id: find, name: What was found, who: warband, table: finds}
    """
    who = one.data.get("who")
    kinds = () if who == "warband" else one.words("who", None)
    one.read.add("who")
    if who != "warband" and not kinds:
        one.fault("who", "must be warband or a list of kinds.")
    return ExtraRoll(one.id(), one.text("name"), one.id("table"), kinds)


# What is bought, held and lost


def _with_others(rules: CampaignRules, document: DocumentSection) -> CampaignRules:
    """Return the rules with what is bought, held and lost."""
    leader = document.section("leader", may_lack=True)
    successors = leader.words("successors")
    leader.check_known()
    recruits = document.section("recruits", may_lack=True)
    per_experience = recruits.number("per_experience", 0, 1000, default=0)
    recruits.check_known()
    return replace(
        rules,
        trade=_trade(document.section("trade", may_lack=True)),
        recruit_per_experience=per_experience,
        hired=tuple(map(_hired, document.sections("hired", LINES_MOST))),
        late=_late(document.section("late")) if document.has("late") else None,
        captives=_captives(document.section("captives"))
        if document.has("captives")
        else None,
        is_gear_kept=document.one_of("gone_gear", ("stash", "lost"), "stash") == "stash",
        successors=successors,
        territories=_ground(document.section("territories"))
        if document.has("territories")
        else None,
    )


def _trade(trade: DocumentSection) -> TradeRule:
    """Read what may be bought, and how rare things are found.

    trade:
      sell: [1, 2]
      lists: true
      search: {dice: 2D6, who: [hero]}
      goods: [...]
    """
    search = trade.section("search", may_lack=True)
    dice, seekers = "", search.words("who")
    if trade.has("search"):
        dice = search.one_of("dice", DICE)
    search.check_known()
    goods = [_good(one) for one in trade.sections("goods", GOODS_MOST)]
    by_id: dict[str, TradeGood] = {}
    for place, good in enumerate(goods):
        if good.id in by_id:
            trade.fault(f"goods[{place}].id", "is that of another good.")
        by_id[good.id] = good
    sell, has_lists = trade.part("sell", (1, 2)), trade.flag("lists", default=True)
    trade.check_known()
    return TradeRule(sell, has_lists, dice, seekers, by_id)


def _good(one: DocumentSection) -> TradeGood:
    """Read something that is sold.

    - {id: long-glass, name: Long glass, price: 15, rare: 8, effects: {BS: 1}}
    """
    return TradeGood(
        one.id(),
        one.text("name"),
        one.text("words", "", WORDS_MAX),
        one.figures("effects", -10, 10),
        one.number("price", 0),
        one.maybe_number("rare", 1, 66),
        one.words("kinds"),
    )


def _hired(one: DocumentSection) -> HiredSword:
    """Read a hired sword.

    - {id: pathfinder, name: Pathfinder, price: 20, upkeep: 7, stats: {M: 4}, gear: [longbow]}
    """
    price, upkeep = one.number("price", 0), one.number("upkeep", 0, default=0)
    stats, gear = one.figures("stats", 0, 10), one.words("gear")
    return HiredSword(
        one.id(), one.text("name"), price, upkeep, one.words("armies"), stats, gear
    )


def _late(late: DocumentSection) -> LateRule:
    """Read what those get who join late.

    late: {currency: crowns, per_round: 15, most: 75}
    """
    rule = LateRule(
        late.id("currency"), late.number("per_round", 0), late.number("most", 0, AMOUNT)
    )
    late.check_known()
    return rule


def _captives(captives: DocumentSection) -> CaptiveRule:
    """Read what a captive costs, and what a captor gets whose captive nobody ransoms.

    captives: {ransom: {part: [1, 2], least: 10}, refused: 10}
    """
    ransom = captives.section("ransom")
    part, least = ransom.part("part"), ransom.number("least", 0, default=0)
    ransom.check_known()
    rule = CaptiveRule(part, least, captives.number("refused", 0, default=0))
    captives.check_known()
    return rule


def _ground(ground: DocumentSection) -> TerritoryRule:
    """Read the places that winners claim.

    territories:
      names: [The Mill, The Ford]
      most: 2
      income: {currency: crowns, amount: 2}
    """
    names = ground.words("names", None, TERRITORIES_MOST)
    ground.one_of("claimed_by", ("winner",), "winner")
    income = ground.section("income", may_lack=True)
    currency, amount = income.id("currency", ""), income.number("amount", 0, default=0)
    income.check_known()
    rule = TerritoryRule(
        ground.text("word", "Territory"),
        names,
        ground.number("most", 1, 40),
        currency,
        amount,
    )
    ground.check_known()
    return rule
