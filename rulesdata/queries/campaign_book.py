"""Campaign rules to read: a set in sections of sentences and tables, for page and paper."""

from collections.abc import Iterator, Mapping, Sequence

from accounts.owner import Owner
from engine.growth.effects import describe_effect
from engine.growth.rules import CampaignRules, IncomeLine, KindMatch
from engine.records import NumberByKey, Texts, frozen_dataclass
from engine.text import capital, join_words, signed
from rulesdata.campaign_documents import read_for
from rulesdata.queries.campaign_rules import CampaignRulesRecord, find_campaign_rules
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.text import key_words

Rows = tuple[Texts, ...]
DEED_NAMES: Mapping[str, str] = {
    "fought": "Came back from the battle",
    "put_out": "Took an enemy out of action",
    "leader_won": "Led the winners",
    "objective": "Took an objective",
    "won": "Won",
    "drawn": "Drew",
    "lost": "Lost",
}
MEASURE_NAMES: Mapping[str, str] = {
    "price": "the price of each model",
    "experience": "experience",
    "models": "each model",
    "rating": "the rating of its list",
    "skills": "each skill",
}


@frozen_dataclass
class BookTable:
    """A table: what its columns are called, and its rows; the first column names the row."""

    caption: str
    head: Texts
    rows: Rows
    note: str = ""


Parts = Iterator[str | BookTable]
"""Sentences and tables of a section."""


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
        texts: list[str] = []
        for table in self.tables:
            texts += [table.caption, *map(" ".join, table.rows)]
        return tuple(texts)


@frozen_dataclass
class RulesBook:
    """A set of campaign rules, explained."""

    record: CampaignRulesRecord
    sections: tuple[CampaignSection, ...]


def load_rules_book(actor: Owner, id: str) -> RulesBook:
    """Return a set of the site or of one of the reader's clubs. At most one query.

    Raises NotInRuleBook.
    """
    record = find_campaign_rules(actor, id)
    if record is None:
        raise NotInRuleBook(
            "There are no such campaign rules, or they are not shared with you."
        )
    return build_rules_book(record)


def build_rules_book(record: CampaignRulesRecord) -> RulesBook:
    """Return a set, explained."""
    return RulesBook(record, tuple(build_sections(read_for(None, record.document))))


def build_sections(rules: CampaignRules) -> Iterator[CampaignSection]:
    """Yield the sections of a set in the order in which a campaign meets them."""
    ground = rules.territories.word if rules.territories else ""
    for key, title, build in (
        ("founding", "Founding a warband", _founding),
        ("kinds", "Kinds of models", _kinds),
        ("experience", "Experience", _experience),
        ("advances", "Advances", _advances),
        ("injuries", "Injuries", _injuries),
        ("skills", "Skills", _skills),
        ("income", "Income and upkeep", _income),
        ("underdog", "Warband rating and underdog", _underdog),
        ("trade", "Trade", _trade),
        ("territories", ground, _territories),
        ("hired", "Hired swords", _hired),
        ("rolls", "Further rolls", _rolls),
    ):
        parts = list(build(rules))
        lines = tuple(part for part in parts if isinstance(part, str))
        tables = (part for part in parts if isinstance(part, BookTable))
        section = CampaignSection(key, title, lines, tuple(t for t in tables if t.rows))
        if section.lines or section.tables:
            yield section


def _founding(rules: CampaignRules) -> Parts:
    """Yield what warbands begin with."""
    for currency in rules.currencies:
        if currency.start:
            yield f"Each warband begins with {rules.amount(currency.start, currency.id)}."
        else:
            ending = " to spend" if currency.is_spent else ", which buys nothing"
            yield f"Warbands collect {currency.name}{ending}."
    prices = rules.prices
    money = rules.currency_name(prices.currency)
    times = f", {prices.per_point} for each point" if prices.per_point != 1 else ""
    yield f"The prices of the army list are paid in {money}{times}."
    limits = rules.limits
    if limits.models:
        yield f"A warband has at most {limits.models} models."
    for other in limits.overrides:
        names = join_words(map(_name, (*other.races, *other.armies)))
        yield f"For {names} the most are {other.models} models."
    if limits.kinds:
        names = join_words(map(rules.kind_name, limits.kinds))
        yield f"Only these count against the most: {names}."
    if (most := limits.recruits_after_battle) is not None:
        yield f"After a battle it recruits at most {most}."
    if late := rules.late:
        paid = rules.amount(late.per_round, late.currency)
        yield f"Who joins late gets {paid} more for each closed round, at most {late.most}."


def _kinds(rules: CampaignRules) -> Parts:
    """Yield the kinds of warriors."""
    rows = tuple(
        (
            kind.name,
            _match(kind.match),
            str(kind.most or "–"),
            ", ".join(map(str, kind.steps)) or "None",
            join_words(map(key_words, kind.lists)) or "–",
        )
        for kind in rules.kinds.values()
    )
    head = ("Kind", "Who", "Most", "Advances at", "Skills")
    yield (
        "The first kind that matches a new model is its kind. At each step of experience "
        "an advance is rolled."
    )
    groups = [kind.name for kind in rules.kinds.values() if kind.is_group]
    if groups:
        yield f"Several models under one entry are a group: {join_words(groups)}."
    if rules.successors:
        followers = join_words(map(rules.kind_name, rules.successors))
        yield f"A lost leader is followed by one of: {followers}."
    yield BookTable("Kinds", head, rows)


def _experience(rules: CampaignRules) -> Parts:
    """Yield what a battle teaches."""
    rows = tuple(
        (
            award.name or DEED_NAMES[award.when],
            f"{award.amount}" + (f", at most {award.most}" if award.most else ""),
            _kind_names(rules, award.kinds),
        )
        for award in rules.experience
    )
    yield BookTable("Experience", ("For", "Experience", "Who"), rows)


def _advances(rules: CampaignRules) -> Parts:
    """Yield the tables of advances, and how far they lead."""
    used = _used(rules, [kind.advances for kind in rules.kinds.values()])
    yield from _tables(rules, used)
    gains = [
        (_kind_names(rules, (key,)), _figures(gain))
        for key, gain in rules.maxima.gain.items()
    ]
    if rules.maxima.most:
        gains.append(("Highest for all", _figures(rules.maxima.most)))
    for other in rules.maxima.overrides:
        names = join_words(map(_name, (*other.armies, *other.profiles, *other.races)))
        gains.append((f"Highest for {names}", _figures(other.most)))
    if used:
        head = ("Advances add at most", "Characteristics")
        yield BookTable("Maxima", head, tuple(gains))


def _injuries(rules: CampaignRules) -> Parts:
    """Yield the tables of injuries, those they lead to, and what becomes of captives."""
    names = _used(rules, [kind.injuries for kind in rules.kinds.values()])
    if not names:
        return
    yield "Each model that was taken out of action rolls after the battle."
    places = ("is lost", "goes to the stash")
    yield f"What the fallen carried {places[rules.is_gear_kept]}."
    if rules.is_dismissed_gear_kept != rules.is_gear_kept:
        yield f"What the dismissed carried {places[rules.is_dismissed_gear_kept]}."
    if captive := rules.captives:
        sold = f"{captive.sold} × {captive.times}" if captive.sold else captive.refused
        exception = " unless the captor names another" if captive.is_named else ""
        yield (
            f"A captive's ransom is {_share(captive.part)} of its price, at least "
            f"{rules.amount(captive.least)}{exception}. Refused, the captive is "
            f"lost and the captor gets {sold}."
        )
    yield from _tables(rules, names)
    # What stays after injuries.
    rows = tuple(
        (mark.name, " ".join((mark.words, _changes(mark.effects))).strip() or "–")
        for mark in rules.marks.values()
    )
    yield BookTable("Marks", ("Mark", "Rule"), rows)


def _used(rules: CampaignRules, names: Sequence[str]) -> dict[str, str]:
    """Return each table that kinds roll on with the names of these kinds."""
    kinds: dict[str, list[str]] = {}
    for kind, name in zip(rules.kinds.values(), names, strict=True):
        if name:
            kinds.setdefault(name, []).append(kind.name)
    return {name: join_words(users) for name, users in kinds.items()}


def _tables(rules: CampaignRules, users: Mapping[str, str]) -> Iterator[BookTable]:
    """Yield tables with who rolls on each, and behind them those that their rows lead to."""
    keys = list(users)
    # It grows while it is walked.
    for key in keys:
        for row in rules.tables[key].rows:
            effects = (row.effect, *row.otherwise)
            parts = (part for effect in effects for part in (effect, *effect.parts))
            keys += (
                part.name
                for part in parts
                if part.verb == "table" and part.name not in keys
            )
        rows = tuple(
            (
                str(row.least) if row.least == row.most else f"{row.least}–{row.most}",
                row.name,
                ". If it cannot: ".join(
                    describe_effect(rules, effect, in_book=True) or "Nothing happens"
                    for effect in (row.effect, *row.otherwise)
                ),
            )
            for row in rules.tables[key].rows
        )
        head = (rules.tables[key].dice, "Result", "What happens")
        yield BookTable(key_words(key), head, rows, users.get(key, ""))


def _skills(rules: CampaignRules) -> Parts:
    """Yield the lists of skills."""
    for key, names in rules.skill_lists.items():
        rows = []
        for skill in (rules.skills[name] for name in names):
            search = f"{skill.search:+} to searches" if skill.search else ""
            texts = (skill.words, _changes(skill.effects), search)
            rows.append((skill.name, " ".join(filter(None, texts)) or "–"))
        yield BookTable(key_words(key), ("Skill", "Rule"), tuple(rows))


def _income(rules: CampaignRules) -> Parts:
    """Yield what a battle pays and costs."""
    if upkeep := rules.upkeep:
        pay = rules.amount(upkeep.each, upkeep.currency)
        yield (
            f"Upkeep after each battle: {pay} for each model over {upkeep.free_models}. "
            "What is not there is forgiven."
        )
    rows = tuple(_pay(rules, line) for line in rules.income)
    yield BookTable("Income", ("For", "Pay"), rows)


def _underdog(rules: CampaignRules) -> Parts:
    """Yield how warbands are rated, and what the weaker one gets."""
    terms = [
        MEASURE_NAMES[term.of]
        + (f" × {_share(term.times)}" if term.times != (1, 1) else "")
        + (f" ({_kind_names(rules, term.kinds)})" if term.kinds else "")
        for term in rules.rating
    ]
    if terms:
        yield f"The warband rating is {join_words(terms)}."
    money = rules.currency_name(rules.prices.currency)
    rows = tuple(
        (str(row.lead), str(row.experience), _kind_names(rules, row.kinds), str(row.amount))
        for row in rules.underdog
    )
    head = ("Opponent above by", "Experience", "Who", key_words(money))
    yield BookTable("Underdog", head, rows)


def _share(part: tuple[int, int]) -> str:
    """Return a share."""
    if part[0] == part[1]:
        return "all"
    return str(part[0]) if part[1] == 1 else f"{part[0]}/{part[1]}"


def _trade(rules: CampaignRules) -> Parts:
    """Yield what can be bought and sold."""
    trade = rules.trade
    yield f"Selling pays {_share(trade.sell)} of the price, rounded down."
    if trade.has_lists:
        yield "Options of the army list are for sale at their price."
    if trade.search:
        seekers = _kind_names(rules, trade.seekers)
        yield f"Rare goods are searched for with {trade.search}. Who may search: {seekers}."
    if any(good.listed for good in trade.goods.values()):
        yield "Weapons and armour are for units whose army list sells them."
        yield "Those who may search may have rare ones too."
    group = rules.recruits
    if group.per_experience:
        more = f"{rules.amount(group.per_experience)} more"
        yield f"Joining a group costs {more} for each point of its experience."
    if group.pool:
        yield f"After each battle {group.pool} say how much experience may join groups."
    if group.group_most:
        yield f"A group has at most {group.group_most} models."
    rows = tuple(
        (
            good.name,
            " + ".join(filter(None, (str(good.price), good.price_dice))),
            f"{good.rare}+" if good.rare else "–",
            " ".join(filter(None, (good.words, _changes(good.effects)))) or "–",
        )
        for good in trade.goods.values()
    )
    head = ("Good", "Price", "Found on", "Rule")
    yield BookTable("Goods", head, rows)


def _territories(rules: CampaignRules) -> Parts:
    """Yield the places that winners claim."""
    if ground := rules.territories:
        yield (
            f"The winner of a battle claims one, at most {ground.most} for a warband: "
            f"{', '.join(ground.names)}."
        )
        if ground.amount:
            pay = rules.amount(ground.amount, ground.currency)
            yield f"Each pays {pay} after a battle."


def _hired(rules: CampaignRules) -> Parts:
    """Yield the hired swords."""
    rows = tuple(
        (
            unit.name,
            str(unit.price),
            str(unit.upkeep),
            _figures(unit.stats) or "–",
            join_words(map(key_words, unit.gear)) or "–",
        )
        for unit in rules.hired
    )
    head = ("Hired sword", "Price", "Upkeep", "Stat line", "Carries")
    if rules.is_unpaid_gone:
        yield "Who is not paid its upkeep leaves."
    yield BookTable("Hired swords", head, rows)


def _rolls(rules: CampaignRules) -> Parts:
    """Yield the further rolls after a battle, and what is sold then."""
    keys: list[str] = []
    for roll in rules.rolls:
        who = _kind_names(rules, roll.kinds) if roll.kinds else "once for each warband"
        if pool := roll.pool:
            who = f"{pool.die} for each {_kind_names(rules, pool.each)} who stands, "
            who += f"{pool.won} more for the winner, at most {pool.most}"
        yield f"{roll.name}: {who}, on {key_words(roll.table)}."
        for number, table in roll.alike.items():
            yield f"{number} dice alike: their face, on {key_words(table)}."
        keys += [roll.table, *roll.alike.values()]
    yield from _tables(rules, dict.fromkeys(keys, ""))
    for sale in rules.sales:
        head = ("Sold", *(f"Up to {most} models" for most in sale.models), "More")
        rows = tuple(
            (str(count), *map(str, row)) for count, row in enumerate(sale.rows, start=1)
        )
        currency, paid_in = map(rules.currency_name, (sale.currency, sale.paid_in))
        yield BookTable(f"{currency} for {paid_in}", head, rows)


# What rules say, in words


def _kind_names(rules: CampaignRules, kinds: Texts) -> str:
    """Return the names of kinds; none named are all."""
    return join_words(map(rules.kind_name, kinds)) or "All"


def _figures(figures: NumberByKey) -> str:
    """Return characteristics with their figures: WS 2, BS 1."""
    return ", ".join(f"{stat} {number}" for stat, number in figures.items())


def _changes(figures: NumberByKey) -> str:
    """Return what is added to characteristics: +1 BS, −1 M."""
    return ", ".join(f"{signed(number)} {stat}" for stat, number in figures.items())


def _match(match: KindMatch) -> str:
    """Return whom a kind takes."""
    if match.is_everybody:
        return "Everybody else"
    names = ["the leader"] * match.leader + ["hired swords"] * match.hired
    names += [key_words(key).lower() for key in (*match.categories, *match.troop_types)]
    names += map(_name, match.profiles)
    return capital(join_words(names))


def _name(key: str) -> str:
    """Return the key of an army, a unit or a race as its name: Johann the Knife."""
    name = key_words(key).title()
    return name.replace(" The ", " the ").replace(" And ", " and ").replace(" Of ", " of ")


def _pay(rules: CampaignRules, line: IncomeLine) -> tuple[str, str]:
    """Return when a line of income pays, and what."""
    money = rules.currency_name(line.currency)
    if line.when == "dice":
        times = f" × {line.times}" if line.times != 1 else ""
        return line.name or "Roll", f"{line.dice}{times} {money}"
    if line.when == "objective":
        most = f", at most {line.most} of them" if line.most else ""
        return line.name or key_words(
            line.objective
        ), f"{rules.amount(line.each, line.currency)} each{most}"
    usual = "Every battle" if line.when == "result" else "Game not fought"
    amounts = ", ".join(f"{word} {amount}" for word, amount in line.amounts.items())
    return line.name or usual, f"{amounts} {money}"
