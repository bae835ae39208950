"""Campaign rules to read: a set in sections of sentences and tables, for page and paper."""

from collections.abc import Iterator, Sequence

from accounts.owner import Owner
from engine.growth.rules import CampaignRules
from engine.records import Texts, frozen_dataclass
from engine.words import join_words
from rulesdata.campaign_documents import read_for
from rulesdata.campaign_words import (
    DEED_NAMES,
    MEASURE_NAMES,
    changes_words,
    figures_words,
    income_words,
    kinds_words,
    match_words,
    roll_words,
    row_words,
    steps_words,
)
from rulesdata.queries.campaign_rules import (
    CampaignRulesRecord,
    find_campaign_rules,
    load_campaign_sets,
)
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.text import key_words

Rows = tuple[Texts, ...]


# What a page is drawn from


@frozen_dataclass
class BookTable:
    """A table: what its columns are called, and its rows; the first column names the row."""

    caption: str
    head: Texts
    rows: Rows
    note: str = ""


@frozen_dataclass
class CampaignSection:
    """A section of the rules: sentences, then tables."""

    key: str
    title: str
    lines: Texts
    tables: tuple[BookTable, ...] = ()

    @property
    def words(self) -> Texts:
        """What a search finds the section by: the names of its tables and of their rows."""
        found: list[str] = []
        for table in self.tables:
            found += [table.caption, *map(" ".join, table.rows)]
        return tuple(found)


@frozen_dataclass
class RulesBook:
    """A set of campaign rules, explained. ``club`` is "" for a set of the site."""

    id: str
    name: str
    version: int
    summary: str
    source: str
    club: str
    sections: tuple[CampaignSection, ...]

    @property
    def token(self) -> str:
        """The token of a club's set; "" for a set of the site."""
        return self.id.removeprefix("own/") if self.club else ""


# Reading the sets


def load_rules_list(actor: Owner) -> tuple[CampaignRulesRecord, ...]:
    """Return the sets somebody may read: the site's, then their clubs'. At most one query."""
    return load_campaign_sets(actor)


def load_rules_book(actor: Owner, id: str) -> RulesBook:
    """Return a set of the site or of one of the reader's clubs. At most one query.

    Raises NotInRuleBook.
    """
    record = find_campaign_rules(actor, id)
    if record is None:
        words = "There are no such campaign rules, or they are not shared with you."
        raise NotInRuleBook(words)
    return book_of(record)


def book_of(record: CampaignRulesRecord) -> RulesBook:
    """Return a set, explained."""
    rules = read_for(None, record.document)
    return RulesBook(
        record.id,
        rules.name,
        record.version,
        rules.summary,
        rules.source,
        record.club,
        tuple(sections_of(rules)),
    )


# Sections, in the order in which a campaign meets them


def sections_of(rules: CampaignRules) -> Iterator[CampaignSection]:
    """Yield the sections of a set in the order in which a campaign meets them."""
    for make in (
        _founding,
        _kinds,
        _experience,
        _advances,
        _injuries,
        _skills,
        _income,
        _underdog,
        _trade,
        _territories,
        _hired,
        _rolls,
    ):
        section = make(rules)
        if section is not None:
            yield section


def _founding(rules: CampaignRules) -> CampaignSection:
    """Return what warbands begin with."""
    lines = [
        f"Each warband begins with {one.start} {one.name}."
        if one.start
        else f"Warbands collect {one.name}"
        + (", and spend it." if one.is_spent else ", which buys nothing.")
        for one in rules.currencies
    ]
    prices = rules.prices
    money = rules.currency_name(prices.currency)
    times = f", {prices.per_point} for each point" if prices.per_point != 1 else ""
    lines.append(f"The prices of the army list are paid in {money}{times}.")
    if rules.limits.models:
        lines.append(f"A warband has at most {rules.limits.models} models.")
    if rules.limits.recruits_after_battle is not None:
        most = rules.limits.recruits_after_battle
        lines.append(f"After a battle it recruits at most {most}.")
    if rules.late:
        late = rules.late
        paid = rules.currency_name(late.currency)
        lines.append(
            f"Who joins late gets {late.per_round} {paid} more for each closed round, at "
            f"most {late.most}."
        )
    return CampaignSection("founding", "Founding a warband", tuple(lines))


def _kinds(rules: CampaignRules) -> CampaignSection:
    """Return the kinds of warriors."""
    rows = tuple(
        (
            kind.name,
            match_words(kind.match),
            str(kind.most or "–"),
            steps_words(kind),
            join_words(map(key_words, kind.lists)) or "–",
        )
        for kind in rules.kinds.values()
    )
    head = ("Kind", "Who", "Most", "Advances at", "Skills")
    lines = [
        "The first kind that matches a new model is its kind. At each step of experience "
        "an advance is rolled."
    ]
    groups = [kind.name for kind in rules.kinds.values() if kind.is_group]
    if groups:
        lines.append(f"Several models under one entry are a group: {join_words(groups)}.")
    if rules.successors:
        followers = join_words(rules.kinds[key].name for key in rules.successors)
        lines.append(f"A lost leader is followed by one of: {followers}.")
    return CampaignSection(
        "kinds", "Kinds of models", tuple(lines), (BookTable("Kinds", head, rows),)
    )


# What a battle gives and takes


def _experience(rules: CampaignRules) -> CampaignSection | None:
    """Return what a battle teaches."""
    if not rules.experience:
        return None
    rows = tuple(
        (
            award.name or DEED_NAMES[award.when],
            f"{award.amount}" + (f", at most {award.most}" if award.most else ""),
            kinds_words(rules, award.kinds),
        )
        for award in rules.experience
    )
    table = BookTable("Experience", ("For", "Experience", "Who"), rows)
    return CampaignSection("experience", "Experience", (), (table,))


def _advances(rules: CampaignRules) -> CampaignSection | None:
    """Return the tables of advances, and how far they lead."""
    names = _used(rules, [kind.advances for kind in rules.kinds.values()])
    if not names:
        return None
    tables = [_table(rules, name, kinds) for name, kinds in names]
    gains = [
        (kinds_words(rules, (key,)), figures_words(gain))
        for key, gain in rules.maxima.gain.items()
    ]
    if rules.maxima.most:
        gains.append(("Highest for all", figures_words(rules.maxima.most)))
    for other in rules.maxima.overrides:
        named = join_words(map(key_words, (*other.armies, *other.profiles)))
        gains.append((f"Highest for {named}", figures_words(other.most)))
    if gains:
        head = ("Advances add at most", "Characteristics")
        tables.append(BookTable("Maxima", head, tuple(gains)))
    return CampaignSection("advances", "Advances", (), tuple(tables))


def _injuries(rules: CampaignRules) -> CampaignSection | None:
    """Return the tables of injuries, those they lead to, and what becomes of captives."""
    names = _used(rules, [kind.injuries for kind in rules.kinds.values()])
    if not names:
        return None
    lines = ["Each model that was taken out of action rolls after the battle."]
    kept = "goes to the stash" if rules.is_gear_kept else "is lost"
    lines.append(f"What the fallen carried {kept}.")
    if rules.captives:
        held, money = rules.captives, rules.currency_name(rules.prices.currency)
        lines.append(
            f"A captive's ransom is {_share(held.part)} of its price, at least "
            f"{held.least} {money}. Refused, the captive is lost and the captor gets "
            f"{held.refused}."
        )
    tables = [_table(rules, key, kinds) for key, kinds in names]
    tables += [_table(rules, key, "") for key in _other_tables(rules)]
    return CampaignSection("injuries", "Injuries", tuple(lines), tuple(tables))


# Tables


def _other_tables(rules: CampaignRules) -> list[str]:
    """Return the tables that are rolled on by rows of other tables alone."""
    known = {roll.table for roll in rules.rolls}
    for kind in rules.kinds.values():
        known |= {kind.advances, kind.injuries}
    return [key for key in rules.tables if key not in known]


def _used(rules: CampaignRules, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each table that kinds roll on, once, with the names of these kinds."""
    kinds = [kind.name for kind in rules.kinds.values()]
    found: dict[str, list[str]] = {}
    for kind, name in zip(kinds, names, strict=True):
        if name:
            found.setdefault(name, []).append(kind)
    return [(name, join_words(kinds)) for name, kinds in found.items()]


def _table(rules: CampaignRules, key: str, kinds: str) -> BookTable:
    """Return a table that is rolled on."""
    table = rules.tables[key]
    rows = tuple((roll_words(row), row.name, row_words(rules, row)) for row in table.rows)
    head = (table.dice, "Result", "What happens")
    return BookTable(key_words(key), head, rows, kinds)


def _skills(rules: CampaignRules) -> CampaignSection | None:
    """Return the lists of skills."""
    if not rules.skills:
        return None
    tables = []
    for key, names in rules.skill_lists.items():
        rows = []
        for name in names:
            skill = rules.skills[name]
            search = f"{skill.search:+} to searches" if skill.search else ""
            told = (skill.words, changes_words(skill.effects), search)
            rows.append((skill.name, " ".join(one for one in told if one) or "–"))
        tables.append(BookTable(key_words(key), ("Skill", "Rule"), tuple(rows)))
    return CampaignSection("skills", "Skills", (), tuple(tables))


# Money


def _income(rules: CampaignRules) -> CampaignSection | None:
    """Return what a battle pays and costs."""
    if not rules.income and not rules.upkeep:
        return None
    rows = tuple(income_words(rules, line) for line in rules.income)
    lines = []
    if rules.upkeep:
        upkeep, money = rules.upkeep, rules.currency_name(rules.upkeep.currency)
        lines.append(
            f"Upkeep after each battle: {upkeep.each} {money} for each model over "
            f"{upkeep.free_models}. What is not there is forgiven."
        )
    tables = (BookTable("Income", ("For", "Pay"), rows),) if rows else ()
    return CampaignSection("income", "Income and upkeep", tuple(lines), tables)


def _underdog(rules: CampaignRules) -> CampaignSection | None:
    """Return how warbands are rated, and what the weaker one gets."""
    if not rules.rating and not rules.underdog:
        return None
    terms = [
        MEASURE_NAMES[term.of].lower()
        + (f" × {_share(term.times)}" if term.times != (1, 1) else "")
        + (f" ({kinds_words(rules, term.kinds)})" if term.kinds else "")
        for term in rules.rating
    ]
    lines = [f"The warband rating is {join_words(terms)}."] if terms else []
    money = rules.currency_name(rules.prices.currency)
    rows = tuple(
        (str(row.lead), str(row.experience), kinds_words(rules, row.kinds), str(row.amount))
        for row in rules.underdog
    )
    head = ("Opponent above by", "Experience", "Who", key_words(money))
    tables = (BookTable("Underdog", head, rows),) if rows else ()
    return CampaignSection("underdog", "Warband rating and underdog", tuple(lines), tables)


def _share(part: tuple[int, int]) -> str:
    """Return a share."""
    return str(part[0]) if part[1] == 1 else f"{part[0]}/{part[1]}"


def _trade(rules: CampaignRules) -> CampaignSection:
    """Return what can be bought and sold."""
    trade, money = rules.trade, rules.currency_name(rules.prices.currency)
    lines = [f"Selling pays {_share(trade.sell)} of the price, rounded down."]
    if trade.has_lists:
        lines.append("Options of the army list are for sale at their price.")
    if trade.search:
        seekers = kinds_words(rules, trade.seekers)
        lines.append(
            f"Rare goods are searched for with {trade.search}. Who may search: {seekers}."
        )
    if rules.recruit_per_experience:
        more = rules.recruit_per_experience
        lines.append(
            f"Joining a group costs {more} {money} more for each point of its experience."
        )
    rows = tuple(
        (
            good.name,
            str(good.price),
            f"{good.rare}+" if good.rare else "–",
            " ".join(one for one in (good.words, changes_words(good.effects)) if one)
            or "–",
        )
        for good in trade.goods.values()
    )
    head = ("Good", "Price", "Found on", "Rule")
    tables = (BookTable("Goods", head, rows),) if rows else ()
    return CampaignSection("trade", "Trade", tuple(lines), tables)


# What only some rules have


def _territories(rules: CampaignRules) -> CampaignSection | None:
    """Return the places that winners claim."""
    ground = rules.territories
    if ground is None:
        return None
    lines = [
        f"The winner of a battle claims one, at most {ground.most} for a warband: "
        f"{', '.join(ground.names)}."
    ]
    if ground.amount:
        money = rules.currency_name(ground.currency)
        lines.append(f"Each pays {ground.amount} {money} after a battle.")
    return CampaignSection("territories", ground.word, tuple(lines))


def _hired(rules: CampaignRules) -> CampaignSection | None:
    """Return the hired swords."""
    if not rules.hired:
        return None
    rows = tuple(
        (
            one.name,
            str(one.price),
            str(one.upkeep),
            figures_words(one.stats) or "–",
            join_words(map(key_words, one.gear)) or "–",
        )
        for one in rules.hired
    )
    head = ("Hired sword", "Price", "Upkeep", "Stat line", "Carries")
    return CampaignSection(
        "hired", "Hired swords", (), (BookTable("Hired swords", head, rows),)
    )


def _rolls(rules: CampaignRules) -> CampaignSection | None:
    """Return the further rolls after a battle."""
    if not rules.rolls:
        return None
    lines = [
        f"{roll.name}: "
        + (kinds_words(rules, roll.kinds) if roll.kinds else "once for each warband")
        + f", on {key_words(roll.table)}."
        for roll in rules.rolls
    ]
    tables = tuple(
        _table(rules, key, "") for key in dict.fromkeys(one.table for one in rules.rolls)
    )
    return CampaignSection("rolls", "Further rolls", tuple(lines), tables)
