"""What pages, notices and files call what a campaign tells, one table for each sort of it.

A test fails where the engine knows a key that has no phrase here.
"""

from __future__ import annotations

from engine.growth import dues, happenings
from engine.growth.campaign import OUTSIDE, WENT_OUT_WOUNDED
from engine.growth.effects import VERBS

DUES = {
    dues.INJURY: "Injury",
    dues.OLD_WOUND: "Old wound",
    dues.INCOME: "Income",
    dues.CLAIM: "Claim a territory",
    dues.ROLL: "Further roll",
    dues.VETERANS: "Veterans",
    dues.ADVANCE: "Advance",
    dues.RANSOM: "Ransom",
    dues.UPKEEP: "Upkeep",
    dues.SUCCESSION: "New leader",
    dues.RULING: "Organiser’s ruling",
}
"""What a due asks, in the order of the page after a battle."""
REFUSALS = {
    dues.RANSOM: ("Refuse: lose this unit", "Refused"),
    dues.UPKEEP: ("Let this unit go", "Let go"),
}
"""What the button not to pay says, and what its answer says afterwards."""
ANSWER_STATES = {
    dues.COUNTS: "",
    dues.CHOICE: "waits for a choice",
    dues.SUPERSEDED: "no longer called for",
    dues.WAITS: "waits until it is called for",
    dues.TAKEN_BACK: "reversed",
}
"""What became of an answer."""
MONEY = {
    "result": "Result",
    "dice": "Dice",
    "objective": "Objectives",
    "unfought": "Game not fought",
    "territories": "Territories",
    "underdog": "Underdog",
    "upkeep": "Upkeep",
    "gain": "Found",
    "ransom": "Ransom",
    "refused": "Ransom refused",
    "price": "Bought",
    "sale": "Sold",
    "start": "Purse",
    "late": "Joined late",
    "adjusted": "Organiser’s adjustment",
}
"""What an amount came into a treasury for, or left it."""
NOTES = {
    OUTSIDE: "{who} fought, but is not in the warband by then: earns nothing.",
    WENT_OUT_WOUNDED: "{who} fought, though the old wound said no.",
}
"""What is said of somebody who should not have fought."""
GAINS = {verb.name: verb.gain for verb in VERBS.values() if verb.gain}
"""What an advance gave."""
HAPPENINGS = {verb.name: verb.happening for verb in VERBS.values() if verb.happening} | {
    happenings.RANSOMED: "{who} is ransomed from {other}",
    happenings.REFUSED: "{who} is not ransomed from {other}",
    happenings.RELEASED: "{who} is set free by {other}",
    happenings.LEADS: "{who} leads now",
    happenings.CLAIMED: "claims {choice}{holder}",
    happenings.JOINED: "recruits {who}{several}",
    happenings.ENLARGED: "recruits {models} more for {who}",
    happenings.DISMISSED: "dismisses {who}{several}",
    happenings.DISBANDED: "disbands",
}
"""What befell a warband, without its name."""
RARE_RECRUIT = "{seeker} looked for {joiner}{several} ({faces})"
"""What is told of a recruit whom somebody had to find."""
