"""The sentences of the fold, why an event is impossible or set aside, and its limits."""

LIMITS = {
    "turn": 99,
    "text": 500,
    "payload": 4096,
    "device": 100,
    "seq": 9_007_199_254_740_991,
    "score": 99,
    "modifier": 20,
    "shown": 40,
    "undo_depth": 20,
}
"""The highest turn number; characters of a text; bytes of a payload; characters of a device's name;
the highest ``seq`` (what a number of JavaScript holds exactly); the highest score and modifier
of a test; characters of a wrong value told back; how many undos may stand on one another.
"""

SENTENCES = {
    # An event by itself.
    "id": "id: give a UUID.",
    "device": "device: give a name of 1 to {most} characters.",
    "seq": "seq: give a whole number from 0 to {most}.",
    "at": "at: give a time such as 2026-03-01T19:30:00Z.",
    "kind": "kind: '{value}' is not known; there are {known}.",
    "payload": "payload: give an object.",
    "payload_large": "payload: at most {most} bytes.",
    "unknown_key": "payload: '{value}' is not known for {kind}; there may be {known}.",
    "missing": "payload.{key}: a value is needed here.",
    "word": "payload.{key}: give a text.",
    "nobody": "payload.{key}: nobody in this battle has the id '{value}'.",
    "no_side": "payload.{key}: no side of this battle has the id '{value}'.",
    "unknown": "payload.{key}: '{value}' is not known here; there are {known}.",
    "none_known": "payload.{key}: '{value}' is not known; this system has none.",
    "whole": "payload.{key}: give a whole number from {least} to {most}.",
    "flag": "payload.{key}: give true or false.",
    "text": "payload.{key}: give a text of 1 to {most} characters.",
    "characters": "payload.{key}: control characters and halves of characters cannot be kept.",
    "note_needed": "payload.note: a forced step needs a note that says why.",
    "by_itself": "payload.by: must be somebody else; leave it out if nobody did it.",
    "no_wounds": "payload.combatant: no Wounds are kept for {name}.",
    "of_combatant": "payload: '{value}' belongs to a combatant: give combatant, and no side.",
    "of_side": "payload: '{value}' belongs to a side: give side, and no combatant.",
    "dice_list": "payload.dice: give a list of faces.",
    "dice_count": "payload.dice: {name} takes {dice}.",
    "die_face": "payload.dice: the D{sides} shows a number from 1 to {sides}.",
    "table_dice": "payload.dice: {name} is read off the dice: give them.",
    "table_passed": "payload.passed: {name} is neither passed nor failed.",
    "need_or_passed": "payload.need: give the score that was needed, or passed.",
    "disagree": "payload.passed: {score} on the dice with {need} needed is {result}.",
    "no_lender": "payload.lent_by: give the leader of its side, in a test that friends "
    "may take on his Leadership.",
    "winner_needed": "payload.winner: with the ending {how}, one side wins.",
    "winner_none": "payload.winner: a battle that is {how} has no winner.",
    "undo_self": "payload.event: an event cannot undo itself.",
    # An event where it stands.
    "undo_unknown": "There is no such event to undo before this one.",
    "undo_again": "That was undone already.",
    "undo_deep": "Undone and brought back too often: undo the event itself.",
    "ended": "The battle had ended. Undo the end first.",
    "routed": "{name}: {side} has routed and left.",
    "already": "{name}: {state} already.",
    "no_step": "{name}: from {state} the rules lead to {known}, not to {to}.",
    "no_way": "{name}: from {state} the rules lead nowhere.",
    "is_out": "{name}: {state}, and takes no further part.",
    "no_mark": "{name}: no {mark} while {state}.",
    "mark_barred": "{name}: no {mark} in a turn with {other}.",
    "not_when": "{name}: {test} is for those who are {known}, not {state}.",
    "counter_low": "{name}: {test} needs {least} or more in {counter}, and there are {value}.",
    "once": "{name}: {test} was taken this turn already; the rules allow one.",
    "dice_other": "{name}: {test} takes {count} dice here.",
    "no_reroll": "{name}: nobody near gives {test} a second throw.",
    "price": "{side}: {counter} to {to} costs {cost}; {value} left to pay.",
    "spent": "{side}: {value} left of {counter}.",
    "lends_not": "{name} lends nobody Leadership while {state}.",
    "too_far": "{name} was {began} as the turn began, so the rules allow one step: not {to} yet.",
    "rout_not_due": "{side}: {out} of {size} are out; Rout is tested from {from}.",
    "rout_taken": "{side}: the Rout test of this turn was taken.",
    "rout_spared": "{side}: the scenario spares this side its Rout tests.",
    "rout_waits": "{side}: no Rout test while any of its models is {state}.",
    "rout_disagree": "{side}: {score} on the dice with {need} needed is {result}.",
    "side_routed": "{side} has routed already.",
    # Whose Leadership.
    "rout_leader": "{name} leads and is {state}.",
    "rout_best": "{leader} cannot lend it, {state}; {name} has the highest Leadership left.",
    "rout_highest": "Nobody leads; {name} has the highest Leadership.",
    "rout_quick": "The leader's Leadership, as it was given for this side.",
    "rout_unknown": "No Leadership was given for this side: say what is needed.",
    "rout_nobody": "Nobody is left to lend Leadership: the test fails.",
    # What may be done next.
    "suggest_end": "Everybody else is out: {side} has won.",
    "suggest_drawn": "Nobody is left on either side.",
}


def message(key: str, /, **fields: object) -> str:
    """A sentence with its fields filled in. Raises KeyError for a field that was not given."""
    return SENTENCES[key].format_map(fields)
