"""Campaign rules to read: a set in sections of sentences and tables, for page and paper."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from accounts.owner import Owner
from engine.growth.effects import describe_effect
from engine.growth.rules import CampaignRules, IncomeLine, KindMatch
from engine.records import NumberByKey, Texts, frozen_dataclass
from engine.words import capital, join_words, signed
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
    rules = read_for(None, record.document)
    return RulesBook(
        record.id,
        rules.name,
        record.version,
        rules.summary,
        rules.source,
        record.club,
        tuple(build_sections(rules)),
    )


def build_sections(rules: CampaignRules) -> Iterator[CampaignSection]:
    """Yield the sections of a set in the order in which a campaign meets them."""
    for build in (
        _founding, _kinds, _experience, _advances, _injuries, _skills, _income, _underdog,
        _trade, _territories, _hired, _rolls,
    ):  # fmt: skip
        section = build(rules)
        if section.lines or section.tables:
            yield section


def _section(
    key: str, title: str, lines: Iterable[str] = (), *tables: BookTable
) -> CampaignSection:
    """Return a section with those of the tables that have rows."""
    return CampaignSection(
        key, title, tuple(lines), tuple(table for table in tables if table.rows)
    )


def _founding(rules: CampaignRules) -> CampaignSection:
    """Return what warbands begin with."""
    lines = []
    for currency in rules.currencies:
        if currency.start:
            lines.append(
                f"Each warband begins with {rules.amount(currency.start, currency.id)}."
            )
        else:
            ending = " to spend" if currency.is_spent else ", which buys nothing"
            lines.append(f"Warbands collect {currency.name}{ending}.")
    prices = rules.prices
    money = rules.currency_name(prices.currency)
    times = f", {prices.per_point} for each point" if prices.per_point != 1 else ""
    lines.append(f"The prices of the army list are paid in {money}{times}.")
    limits = rules.limits
    if limits.models:
        lines.append(f"A warband has at most {limits.models} models.")
    for other in limits.overrides:
        names = join_words(map(_name, (*other.races, *other.armies)))
        lines.append(f"For {names} the most are {other.models} models.")
    if limits.kinds:
        names = join_words(map(rules.kind_name, limits.kinds))
        lines.append(f"Only these count against the most: {names}.")
    if (most := limits.recruits_after_battle) is not None:
        lines.append(f"After a battle it recruits at most {most}.")
    if rules.late:
        late = rules.late
        paid = rules.amount(late.per_round, late.currency)
        lines.append(
            f"Who joins late gets {paid} more for each closed round, at most {late.most}."
        )
    return _section("founding", "Founding a warband", lines)


def _kinds(rules: CampaignRules) -> CampaignSection:
    """Return the kinds of warriors."""
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
    return _section("kinds", "Kinds of models", lines, BookTable("Kinds", head, rows))


def _experience(rules: CampaignRules) -> CampaignSection:
    """Return what a battle teaches."""
    rows = tuple(
        (
            award.name or DEED_NAMES[award.when],
            f"{award.amount}" + (f", at most {award.most}" if award.most else ""),
            _kind_names(rules, award.kinds),
        )
        for award in rules.experience
    )
    table = BookTable("Experience", ("For", "Experience", "Who"), rows)
    return _section("experience", "Experience", (), table)


def _advances(rules: CampaignRules) -> CampaignSection:
    """Return the tables of advances, and how far they lead."""
    used = _used(rules, [kind.advances for kind in rules.kinds.values()])
    tables = [_table(rules, key, used.get(key, "")) for key in _with_below(rules, used)]
    gains = [
        (_kind_names(rules, (key,)), _figures(gain))
        for key, gain in rules.maxima.gain.items()
    ]
    if rules.maxima.most:
        gains.append(("Highest for all", _figures(rules.maxima.most)))
    for other in rules.maxima.overrides:
        names = join_words(map(_name, (*other.armies, *other.profiles, *other.races)))
        gains.append((f"Highest for {names}", _figures(other.most)))
    if tables:
        head = ("Advances add at most", "Characteristics")
        tables.append(BookTable("Maxima", head, tuple(gains)))
    return _section("advances", "Advances", (), *tables)


def _injuries(rules: CampaignRules) -> CampaignSection:
    """Return the tables of injuries, those they lead to, and what becomes of captives."""
    names = _used(rules, [kind.injuries for kind in rules.kinds.values()])
    if not names:
        return _section("injuries", "Injuries")
    lines = ["Each model that was taken out of action rolls after the battle."]
    place = "goes to the stash" if rules.is_gear_kept else "is lost"
    lines.append(f"What the fallen carried {place}.")
    if rules.is_dismissed_gear_kept != rules.is_gear_kept:
        place = "goes to the stash" if rules.is_dismissed_gear_kept else "is lost"
        lines.append(f"What the dismissed carried {place}.")
    if rules.captives:
        captive = rules.captives
        sold = f"{captive.sold} × {captive.times}" if captive.sold else captive.refused
        exception = " unless the captor names another" if captive.is_named else ""
        lines.append(
            f"A captive's ransom is {_share(captive.part)} of its price, at least "
            f"{rules.amount(captive.least)}{exception}. Refused, the captive is "
            f"lost and the captor gets {sold}."
        )
    tables = [_table(rules, key, names.get(key, "")) for key in _with_below(rules, names)]
    tables += _marks(rules)
    return _section("injuries", "Injuries", lines, *tables)


def _marks(rules: CampaignRules) -> list[BookTable]:
    """Return the table of what stays after injuries, where there is any."""
    rows = tuple(
        (mark.name, " ".join((mark.words, _changes(mark.effects))).strip() or "–")
        for mark in rules.marks.values()
    )
    return [BookTable("Marks", ("Mark", "Rule"), rows)] if rows else []


def _used(rules: CampaignRules, names: Sequence[str]) -> dict[str, str]:
    """Return each table that kinds roll on with the names of these kinds."""
    kinds: dict[str, list[str]] = {}
    for kind, name in zip(rules.kinds.values(), names, strict=True):
        if name:
            kinds.setdefault(name, []).append(kind.name)
    return {name: join_words(users) for name, users in kinds.items()}


def _with_below(rules: CampaignRules, names: Iterable[str]) -> list[str]:
    """Return tables, and behind them those that their rows lead to."""
    keys = list(names)
    # It grows while it is walked.
    for key in keys:
        for row in rules.tables[key].rows:
            effects = (row.effect, *row.otherwise)
            parts = (part for effect in effects for part in (effect, *effect.parts))
            below = (part.name for part in parts if part.verb == "table")
            keys += (name for name in below if name not in keys)
    return keys


def _table(rules: CampaignRules, key: str, kinds: str = "") -> BookTable:
    """Return a table that is rolled on."""
    table = rules.tables[key]
    rows = tuple(
        (
            str(row.least) if row.least == row.most else f"{row.least}–{row.most}",
            row.name,
            ". If it cannot: ".join(
                describe_effect(rules, effect, in_book=True) or "Nothing happens"
                for effect in (row.effect, *row.otherwise)
            ),
        )
        for row in table.rows
    )
    head = (table.dice, "Result", "What happens")
    return BookTable(key_words(key), head, rows, kinds)


def _skills(rules: CampaignRules) -> CampaignSection:
    """Return the lists of skills."""
    tables = []
    for key, names in rules.skill_lists.items():
        rows = []
        for skill in (rules.skills[name] for name in names):
            search = f"{skill.search:+} to searches" if skill.search else ""
            texts = (skill.words, _changes(skill.effects), search)
            rows.append((skill.name, " ".join(filter(None, texts)) or "–"))
        tables.append(BookTable(key_words(key), ("Skill", "Rule"), tuple(rows)))
    return _section("skills", "Skills", (), *tables)


def _income(rules: CampaignRules) -> CampaignSection:
    """Return what a battle pays and costs."""
    rows = tuple(_pay(rules, line) for line in rules.income)
    lines = []
    if rules.upkeep:
        upkeep = rules.upkeep
        pay = rules.amount(upkeep.each, upkeep.currency)
        lines.append(
            f"Upkeep after each battle: {pay} for each model over {upkeep.free_models}. "
            "What is not there is forgiven."
        )
    table = BookTable("Income", ("For", "Pay"), rows)
    return _section("income", "Income and upkeep", lines, table)


def _underdog(rules: CampaignRules) -> CampaignSection:
    """Return how warbands are rated, and what the weaker one gets."""
    terms = [
        MEASURE_NAMES[term.of]
        + (f" × {_share(term.times)}" if term.times != (1, 1) else "")
        + (f" ({_kind_names(rules, term.kinds)})" if term.kinds else "")
        for term in rules.rating
    ]
    lines = [f"The warband rating is {join_words(terms)}."] if terms else []
    money = rules.currency_name(rules.prices.currency)
    rows = tuple(
        (str(row.lead), str(row.experience), _kind_names(rules, row.kinds), str(row.amount))
        for row in rules.underdog
    )
    head = ("Opponent above by", "Experience", "Who", key_words(money))
    table = BookTable("Underdog", head, rows)
    return _section("underdog", "Warband rating and underdog", lines, table)


def _share(part: tuple[int, int]) -> str:
    """Return a share."""
    if part[0] == part[1]:
        return "all"
    return str(part[0]) if part[1] == 1 else f"{part[0]}/{part[1]}"


def _trade(rules: CampaignRules) -> CampaignSection:
    """Return what can be bought and sold."""
    trade = rules.trade
    lines = [f"Selling pays {_share(trade.sell)} of the price, rounded down."]
    if trade.has_lists:
        lines.append("Options of the army list are for sale at their price.")
    if trade.search:
        seekers = _kind_names(rules, trade.seekers)
        lines.append(
            f"Rare goods are searched for with {trade.search}. Who may search: {seekers}."
        )
    if any(good.listed for good in trade.goods.values()):
        lines.append("Weapons and armour are for units whose army list sells them.")
        lines.append("Those who may search may have rare ones too.")
    group = rules.recruits
    if more := group.per_experience:
        lines.append(
            f"Joining a group costs {rules.amount(more)} more for each point of its experience."
        )
    if group.pool:
        lines.append(
            f"After each battle {group.pool} say how much experience may join groups."
        )
    if group.group_most:
        lines.append(f"A group has at most {group.group_most} models.")
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
    return _section("trade", "Trade", lines, BookTable("Goods", head, rows))


def _territories(rules: CampaignRules) -> CampaignSection:
    """Return the places that winners claim."""
    ground = rules.territories
    if ground is None:
        return _section("territories", "")
    lines = [
        f"The winner of a battle claims one, at most {ground.most} for a warband: "
        f"{', '.join(ground.names)}."
    ]
    if ground.amount:
        pay = rules.amount(ground.amount, ground.currency)
        lines.append(f"Each pays {pay} after a battle.")
    return _section("territories", ground.word, lines)


def _hired(rules: CampaignRules) -> CampaignSection:
    """Return the hired swords."""
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
    table = BookTable("Hired swords", head, rows)
    lines = ["Who is not paid its upkeep leaves."] if rules.is_unpaid_gone else []
    return _section("hired", "Hired swords", lines, table)


def _rolls(rules: CampaignRules) -> CampaignSection:
    """Return the further rolls after a battle, and what is sold then."""
    lines, keys = [], []
    for roll in rules.rolls:
        who = _kind_names(rules, roll.kinds) if roll.kinds else "once for each warband"
        if pool := roll.pool:
            who = f"{pool.die} for each {_kind_names(rules, pool.each)} who stands, "
            who += f"{pool.won} more for the winner, at most {pool.most}"
        lines.append(f"{roll.name}: {who}, on {key_words(roll.table)}.")
        for number, table in roll.alike.items():
            lines.append(f"{number} dice alike: their face, on {key_words(table)}.")
        keys += [roll.table, *roll.alike.values()]
    tables = [_table(rules, key) for key in _with_below(rules, dict.fromkeys(keys))]
    for sale in rules.sales:
        head = ("Sold", *(f"Up to {most} models" for most in sale.models), "More")
        rows = tuple(
            (str(count), *map(str, row)) for count, row in enumerate(sale.rows, start=1)
        )
        currency, paid_in = map(rules.currency_name, (sale.currency, sale.paid_in))
        tables.append(BookTable(f"{currency} for {paid_in}", head, rows))
    return _section("rolls", "Further rolls", lines, *tables)


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
