"""The pages on which campaign rules are written, but for those that depend on the document."""

from collections.abc import Mapping, Sequence

from engine.growth.tables import DICE
from engine.records import TextPairs
from rulesdata.campaign_editor.parts import EditorPage, RuleField, RulesPart

# Fields that several pages share


def pairs_of(words: Sequence[str]) -> TextPairs:
    """Return words as choices that are called what they are."""
    return tuple((word, word) for word in words)


DICE_NAMES = (("", "None"), *pairs_of(DICE))
DEED_NAMES: Mapping[str, str] = {
    "fought": "Came back from the battle",
    "put_out": "Took an enemy out of action",
    "leader_won": "Led the winners",
    "objective": "Took an objective",
    "won": "Won",
    "drawn": "Drew",
    "lost": "Lost",
}
INCOME_NAMES: Mapping[str, str] = {
    "result": "By the result",
    "dice": "By a roll",
    "objective": "For each objective",
    "unfought": "For a game that is not fought",
}
MEASURE_NAMES: Mapping[str, str] = {
    "price": "The price of each model",
    "experience": "Experience",
    "models": "Each model",
    "skills": "Each skill",
}
ID = RuleField("id", "Id", help="Other sections name it by this. Empty: made of the name.")
NAME = RuleField("name", "Name")
KIND_TICKS = RuleField("kinds", "Kinds", "ticks", "None ticked: all of them.", "kinds")
WORDS = RuleField("words", "Rule in your words", "words")
EFFECTS = RuleField("effects", "Changes characteristics", "figures", "For example BS 1.")


def _currency(key: str = "currency", label: str = "Currency") -> RuleField:
    """Return the field of a currency."""
    return RuleField(key, label, "pick", names="currencies")


HEAD = EditorPage(
    "head",
    "Name and systems",
    "What the set is called, and which rule systems it is for.",
    (
        RulesPart(
            (),
            "Set",
            (
                NAME,
                RuleField("summary", "Summary", "words", "One or two sentences."),
                RuleField("source", "Source", "words", "Where the rules are from."),
                RuleField(
                    "systems", "Rule systems", "ticks", "None ticked: all.", "systems"
                ),
            ),
        ),
    ),
)
MONEY = EditorPage(
    "money",
    "Currencies and prices",
    "What warbands collect, what they begin with, and what prices are paid in.",
    (
        RulesPart(
            ("currencies",),
            "Currencies",
            (
                NAME,
                ID,
                RuleField("start", "At founding", "number"),
                RuleField("is_spent", "Pays for things", "tick", default=True),
            ),
            is_rows=True,
            noun="currency",
            note="A currency that pays for nothing is a column of the standings.",
        ),
        RulesPart(
            ("prices",),
            "Prices",
            (
                _currency(),
                RuleField(
                    "per_point", "For each point", "number", "1 where it is left empty."
                ),
            ),
        ),
        RulesPart(
            ("limits",),
            "Limits",
            (
                RuleField("models", "Models in a warband", "number"),
                RuleField("recruits_after_battle", "Recruits after a battle", "number"),
            ),
            note="Over a limit the warband gets a warning. Leave empty for none.",
        ),
        RulesPart(
            ("recruits",),
            "Recruits",
            (
                RuleField(
                    "per_experience",
                    "For each point of experience",
                    "number",
                    "Added to the price of models that join a group.",
                ),
            ),
        ),
    ),
)
KINDS = EditorPage(
    "kinds",
    "Kinds of models",
    "The first kind that matches a new model is its kind. The last should match all others.",
    (
        RulesPart(
            ("kinds",),
            "Kinds",
            (
                NAME,
                ID,
                RuleField("match.leader", "Is the leader", "tick"),
                RuleField("match.hired", "Is a hired sword", "tick"),
                RuleField("match.categories", "Of a category", "list", "lord, hero"),
                RuleField("match.troop_types", "Of a troop type", "list", "monster, swarm"),
                RuleField("match.profiles", "One of these units", "list", "Ids of units."),
                RuleField("most", "Most in a warband", "number"),
                RuleField("is_group", "Several models are a group", "tick"),
                RuleField(
                    "steps", "Steps", "numbers", "Experience of each advance: 4, 8, 13."
                ),
                RuleField("advances", "Table of advances", "pick", names="tables"),
                RuleField("injuries", "Table of injuries", "pick", names="tables"),
                RuleField("lists", "Lists of skills", "ticks", names="skills"),
            ),
            is_rows=True,
            noun="kind",
            note="Nothing ticked or named under “match”: the kind takes everybody.",
        ),
    ),
)
EXPERIENCE = EditorPage(
    "experience",
    "Experience",
    "What a battle teaches.",
    (
        RulesPart(
            ("experience",),
            "Awards",
            (
                NAME,
                ID,
                RuleField("when", "When", "pick", names=tuple(DEED_NAMES.items())),
                RuleField("amount", "Experience", "number"),
                RuleField("most", "Most in a battle", "number"),
                KIND_TICKS,
            ),
            is_rows=True,
            noun="award",
        ),
    ),
)
INCOME = EditorPage(
    "income",
    "Income and upkeep",
    "What a battle pays, and what models cost afterwards.",
    (
        RulesPart(
            ("income",),
            "Income",
            (
                _currency(),
                RuleField("when", "When", "pick", names=tuple(INCOME_NAMES.items())),
                RuleField("name", "Name"),
                RuleField("won", "Won", "number"),
                RuleField("drawn", "Drawn", "number"),
                RuleField("lost", "Lost", "number"),
                RuleField("dice", "Dice", "pick", names=DICE_NAMES),
                RuleField("times", "Times", "number"),
                RuleField("objective", "Objective", help="Its id, such as loot."),
                RuleField("each", "For each", "number"),
                RuleField("most", "Most of them", "number"),
                RuleField("bye", "Bye", "number"),
                RuleField("walkover", "Walkover", "number"),
            ),
            is_rows=True,
            noun="line",
            note="By the result: won, drawn, lost. By a roll: dice, times. "
            "Objective: its id, for each, most. Not fought: bye, walkover.",
        ),
        RulesPart(
            ("upkeep",),
            "Upkeep",
            (
                _currency(),
                RuleField("free_models", "Models that cost nothing", "number"),
                RuleField("each", "Each model above", "number"),
            ),
            note="Leave empty for none.",
        ),
    ),
)
UNDERDOG = EditorPage(
    "underdog",
    "Warband rating and underdog",
    "How warbands are rated, and what those get who are rated far below their opponent.",
    (
        RulesPart(
            ("rating",),
            "Warband rating",
            (
                RuleField("of", "Counts", "pick", names=tuple(MEASURE_NAMES.items())),
                RuleField("times", "Times", "part", "1, or a share such as 1/2."),
                KIND_TICKS,
            ),
            is_rows=True,
            noun="part",
        ),
        RulesPart(
            ("underdog",),
            "Underdog",
            (
                RuleField("from", "Opponent is above by", "number"),
                RuleField("experience", "Experience", "number"),
                RuleField("amount", "Money", "number", "In the currency of prices."),
                KIND_TICKS,
            ),
            is_rows=True,
            noun="row",
            order_by="from",
            note="The last row that is reached counts, so the first column must rise.",
        ),
    ),
)
TRADE = EditorPage(
    "trade",
    "Trade and goods",
    "What can be bought and sold, and how rare things are found.",
    (
        RulesPart(
            ("trade",),
            "Trade",
            (
                RuleField("sell", "Selling pays", "part", "A share of the price: 1/2."),
                RuleField(
                    "lists", "The army list's options are sold", "tick", default=True
                ),
            ),
        ),
        RulesPart(
            ("trade", "search"),
            "Rare things",
            (
                RuleField("dice", "Dice of a search", "pick", names=DICE_NAMES),
                RuleField("who", "Who may search", "ticks", names="kinds"),
            ),
        ),
        RulesPart(
            ("trade", "goods"),
            "Goods",
            (
                NAME,
                ID,
                RuleField("price", "Price", "number"),
                RuleField("rare", "Found from", "number", "Empty: always for sale."),
                EFFECTS,
                KIND_TICKS,
                WORDS,
            ),
            is_rows=True,
            noun="good",
        ),
    ),
)
EVENTS = EditorPage(
    "events",
    "Leader, captives and late players",
    "What happens when a leader is lost, somebody is held captive, or a player joins late.",
    (
        RulesPart(
            ("leader",),
            "Leader",
            (
                RuleField(
                    "successors",
                    "Who may follow a leader",
                    "list",
                    "Ids of kinds, the first is the kind of leaders: hero, soldier.",
                ),
            ),
        ),
        RulesPart(
            (),
            "The fallen",
            (
                RuleField(
                    "gone_gear",
                    "What the fallen carried",
                    "pick",
                    names=(("stash", "Goes to the stash"), ("lost", "Is lost")),
                ),
            ),
        ),
        RulesPart(
            ("captives",),
            "Captives",
            (
                RuleField("ransom.part", "Ransom", "part", "A share of the price: 1/2."),
                RuleField("ransom.least", "At least", "number"),
                RuleField("refused", "Paid to the captor if refused", "number"),
            ),
            note="Leave empty for none.",
        ),
        RulesPart(
            ("late",),
            "Late players",
            (
                _currency(),
                RuleField("per_round", "For each closed round", "number"),
                RuleField("most", "At most", "number"),
            ),
            note="Added to what a warband begins with. Leave empty for none.",
        ),
    ),
)
TERRITORIES = EditorPage(
    "territories",
    "Territories",
    "Places that winners claim. Leave everything empty for none.",
    (
        RulesPart(
            ("territories",),
            "Territories",
            (
                RuleField("word", "What they are called", help="For example Territory."),
                RuleField("names", "Names", "lines", "Each on its own line."),
                RuleField("most", "Most for a warband", "number"),
                _currency("income.currency", "Each pays in"),
                RuleField("income.amount", "Each pays", "number"),
            ),
        ),
    ),
)
HIRED = EditorPage(
    "hired",
    "Hired swords",
    "Units that can be hired, with what they cost for each battle.",
    (
        RulesPart(
            ("hired",),
            "Hired swords",
            (
                NAME,
                ID,
                RuleField("price", "Price", "number"),
                RuleField("upkeep", "Upkeep", "number", "For each battle they fight."),
                RuleField("stats", "Stat line", "figures", "M 4, WS 4, BS 3, S 3 …"),
                RuleField("gear", "Weapons and armour", "list", "Ids: pike, shield."),
                RuleField("armies", "Armies", "list", "Ids. Empty: any army."),
            ),
            is_rows=True,
            noun="hired sword",
        ),
    ),
)
ROLLS = EditorPage(
    "rolls",
    "Further rolls",
    "Rolls of your own after each battle, such as what was found.",
    (
        RulesPart(
            ("rolls",),
            "Rolls",
            (
                NAME,
                ID,
                RuleField("who", "Who rolls", "who", names="rollers"),
                RuleField("table", "Table", "pick", names="tables"),
            ),
            is_rows=True,
            noun="roll",
        ),
    ),
)


FIXED = (
    HEAD, MONEY, KINDS, EXPERIENCE, INCOME, UNDERDOG, TRADE, EVENTS, TERRITORIES, HIRED, ROLLS
)  # fmt: skip
