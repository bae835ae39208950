"""Who may do what when, from the five texts, as far as a recorder can know it.

Written from the texts alone, with the words of the texts, before any pack was read. A line says
of an act in which texts it holds; whose turn (own or enemy, of the warrior's side) and which
phase it needs; which facts it needs, which bar it, and with which the text says nothing; then the
row of the plan and the headings. A line with ``!`` only forbids. Of an act without a line the texts
are silent, and nothing is compared.

Texts: S skirmish (000), E civil war (001), D Mordheim draft (002), A B C the rulings (003), X d10
(004). ``C09`` and the like are rulings. ``moments.py`` works out the facts.
"""

from dataclasses import dataclass

LYING = frozenset({"down", "stunned"})
ALIASES = {"lying": LYING, "running": {"fleeing", "broken"}}
TABLE = """
# Recovery
SDABC | stand up       | own recover | needs down | bars out, turned over | T1 KNOCKED DOWN; RECOVERY (G15)
SDABC | turn over      | own recover | needs stunned | bars out | T1 STUNNED; RECOVERY
SDABC | improve !      | | bars lying, running | T1 KNOCKED DOWN; STUNNED (G14, G15)
E     | improve !      | | bars running | T1 BREAK AND FLEE
SDABCE | shake off !   | | bars risen, eased | T1 KNOCKED DOWN; THE RECOVERY PHASE; BREAK AND FLEE
X     | shake off !    | | bars done | T17 Activate models (G40)
X     | improve !      | | bars down | T18 Recovery Phase
X     | recover        | recovery | needs down | bars out | T18 Recovery Phase
SEDABCX | come back !  | | bars out | T1 OUT OF ACTION; PURSUIT; Casualty Test
SA    | rally          | own recover | needs fleeing | bars out | silent lying | T13 THE RECOVERY PHASE; The phases
E     | rally          | own move | needs fleeing | bars out, under five | T6 BREAK AND FLEE
SADCE | rally again !  | | bars rally tested | T13 THE RECOVERY PHASE; The phases; BREAK AND FLEE
SDABC | rise at once ! | | bars fell this turn | T1 KNOCKED DOWN; STUNNED; RECOVERY
DC    | rally          | own move | needs fleeing | bars out | silent lying | T20 GETTING STARTED (G07)
# Injuries
SDABC | injury         | | bars out, wounds left | T12 RESOLVING INJURIES; INJURIES; INJURY
S     | injury         | | bars swarm | T3 SWARMS (House Rule)
S     | injury         | | bars in the saddle | T3 INJURING CAVALRY MODELS (House Rule)
SDABC | injury         | | bars lay before the fight | T11 ATTACKING STUNNED AND DOWNED; WARRIORS KNOCKED DOWN
SA    | injury         | | bars felled by another hand | T11 ATTACKING STUNNED AND DOWNED; Fighting against stunned
DBC   | injury by another | | bars out, wounds left | T11 WARRIORS STUNNED (C09)
BC    | helmet         | | needs stunned, just stunned | bars out, helmet tried | T12 ARMOUR (G49)
DBC   | put out !      | | bars fell in this fight | T16 WARRIORS STUNNED; HAND TO HAND COMBAT (C09)
SA    | put out !      | | bars fell by him in this fight | T16 ATTACKING STUNNED AND DOWNED; Fighting against stunned (C09)
SDABC | run away !     | | bars lying, out | T13 KNOCKED DOWN; STUNNED
E     | become broken  | fight | bars running, out | silent rallied | T6 COMBAT RESULTS
# The turn
SEDABCX | go back !    | | bars later phase | T2 THE TURN; TURN SEQUENCE; The phases; Player Turns and Sequence
# Leadership
SADBC | rout           | own recover | needs rout due | bars rout tested | T2 THE ROUT TEST; The phases (C23, G20, G52)
S     | all alone      | own fight | bars lying, running, out | silent hidden | T11 ALL ALONE
A     | all alone      | fight | bars lying, running, out | silent hidden | T11 Panic!
SE    | panic          | | bars out | silent lying, running | T14 PANIC
S     | panic !        | | bars immune | T14 THE ROUT TEST
DC    | panic          | | bars out, immune, frenzied | silent lying, running | T20 GETTING STARTED (G07)
DC    | terror         | | bars out, immune, frenzied | silent lying, running | T20 GETTING STARTED (G07)
E     | break          | fight | bars running, out, under five | silent rallied | T6 COMBAT RESULTS (C52)
E     | break away     | fight | bars out | T6 COMBAT RESULTS
E     | throw again !  | | bars no standard | T21 GENERAL AND BATTLE STANDARD
E     | hold back      | fight | bars running, out | silent rallied | T5 PURSUIT
E     | pursue         | fight | bars running, out | silent rallied | T5 PURSUIT
S     | flight         | | needs fleeing, dice as he moves | bars out | silent lying | T9 BREAKING FROM COMBAT (C18)
E     | flight         | | needs fleeing, dice as he moves | bars out | T9 FLEEING TROOPS
E     | pursue         | | needs dice as he moves | T9 PURSUIT
SDABC | pass initiative | | needs low enough | bars out | T4 CHARGE!; JUMPING DOWN; Glossary
SDBC  | pass initiative | | bars natural 6 | T4 CHARGE! (C14)
E     | break          | | bars helped | T10 COMBAT RESULTS
A     | stupidity      | own | bars out | silent lying, running | T15 The phases
A     | dare           | own move | bars lying, running, out, frenzied | silent stood up, rallied | T15 The phases (Charge!)
DC    | stupidity      | own recover | bars out, immune | silent lying, running | T20 GETTING STARTED (G07)
DC    | dare           | own move | bars out, immune, frenzied | silent lying, running, stood up, rallied | T20 GETTING STARTED (G07)
DC    | face a charge  | enemy move | bars out, immune, frenzied | silent lying, running, stood up, rallied | T20 GETTING STARTED (G07)
# Movement
SDABC | charge         | own move | bars lying, running, out, ran | silent charged | T7 CHARGE!; CHARGES
SDABC | charge         | | bars stood up | T7 KNOCKED DOWN; Shooting (C44)
SA    | charge         | | bars rallied | T7 THE RECOVERY PHASE; The phases
SDABC | run            | own move | bars lying, running, out, charged, stood up | T7 RUNNING (C44)
SA    | run            | | bars rallied | T7 THE RECOVERY PHASE; The phases
A     | run            | | bars hidden | T7 The move itself
ADC   | charge !       | | bars stupid, afraid | T15 The phases (G07)
ADC   | run !          | | bars stupid, afraid | T15 The phases (G07)
DC    | charge !       | | bars rallied | T20 GETTING STARTED (G07)
DC    | run !          | | bars rallied | T20 GETTING STARTED (G07)
DC    | shoot !        | | bars rallied | T20 GETTING STARTED (G07)
ADC   | shoot !        | | bars stupid, afraid | T15 The phases; Shooting (G07)
S     | hide           | own move | bars ran, charged, fleeing, stunned, out | silent down, rallied | T7 HIDING
A     | hide !         | | bars fleeing, stunned, out | T7 The move itself
SA    | charge !       | | bars fallen | T7 FALLING; The move itself
SA    | run !          | | bars fallen | T7 FALLING; The move itself
S     | hide !         | | bars fallen | T7 FALLING
E     | charge         | own move | bars running, out, rallied, marched, reformed | T8 CHARGE AND REACTIONS; MANOEUVRES
E     | counter-charge | enemy move | bars running, out | silent rallied | T5 CHARGE AND REACTIONS
E     | clash          | fight | bars running, out | silent rallied | T5 PURSUIT
E     | march          | own move | bars running, out, rallied, charged, reformed | T8 MARCHING; BREAK AND FLEE
E     | reform         | own move | bars running, out, charged, marched | T8 MANOEUVRES; MARCHING
# Shooting and magic
SDABC | shoot          | own shoot | bars lying, running, out, ran, charged, shot | T7 WHO CAN SHOOT?; SHOOTING (C17)
S     | stand and shoot | enemy move | bars lying, running, out | silent hidden, shot, rallied | T7 CHARGE! (G08)
BC    | shoot !        | | bars reloading | T7 WEAPON LIST (G51)
BC    | stand and shoot ! | | bars reloading | T7 WEAPON LIST (G51)
BC    | fire once !    | | bars fired | T7 WEAPON LIST (G51)
SA    | shoot !        | | bars unarmed | T7 WHO CAN SHOOT?; Shooting (G63)
S     | stand and shoot ! | | bars unarmed | T7 WHO CAN SHOOT? (G63)
SA    | shoot          | | bars rallied | T7 WHO CAN SHOOT?; Shooting
E     | shoot          | own shoot | bars running, out, rallied, marched, reformed, shot | silent charged | T8 MARCHING; MANOEUVRES; BREAK AND FLEE
E     | stand and shoot | enemy move | bars running, out | silent shot | T8 CHARGE AND REACTIONS
S     | cast           | own magic | bars lying, out | silent fleeing | T7 THE MAGIC PHASE; KNOCKED DOWN; STUNNED
# Close combat
SA    | critical !     | | bars critical in this fight | T21 CRITICAL HITS; Shooting (C04, G28)
SA    | critical blow ! | move/shoot/fight | bars lying, out | T21 CRITICAL HITS; Shooting
# d10
X     | roll for initiative | initiative | T19 Round
X     | go down        | action | bars out | T17 Ranged; Melee
X     | roll for points | own command | T19 Roll for Action Points
X     | roll again !   | | bars points rolled | T19 Roll for Action Points
X     | enter action ! | | bars round over | T19 Round; Player Turns and Sequence (G36)
X     | buy            | own buy | needs points enough | T17 Spend Action Points on Bonus Dice (C01)
X     | activate       | own action | bars out, down, activated | silent recovered, immobilised | T17 Activate models (G40)
X     | casualty       | recovery | needs in danger | bars out | T18 Recovery Phase
X     | casualty       | | bars too many dice | T17 Recovery Phase (G41)
X     | damage         | recovery | needs down, failed while big | bars out | T18 Recovery Phase
"""  # noqa: E501


@dataclass(frozen=True)
class Line:
    texts: str
    act: str
    only_forbids: bool
    turns: frozenset  # none: anybody's
    phases: frozenset  # none: any
    needs: frozenset
    bars: frozenset
    silent: frozenset
    row: str
    heading: str


def read(line):
    texts, act, moment, *facts, place = (part.strip() for part in line.split("|"))
    lists = {"needs": set(), "bars": set(), "silent": set()}
    for part in facts:
        name, words = part.split(" ", 1)
        for word in words.split(", "):
            lists[name] |= ALIASES.get(word, {word})
    row, heading = place.split(" ", 1)
    words = frozenset(moment.replace("/", " ").split())
    turns = words & {"own", "enemy"}
    only_forbids, act = act.endswith("!"), act.removesuffix(" !")
    sets = lists.values()
    return Line(texts, act, only_forbids, turns, words - turns, *sets, row, heading)


LINES = [read(line) for line in TABLE.strip().splitlines() if "|" in line]
BY_ACT = {
    (text, act): [line for line in LINES if text in line.texts and line.act == act]
    for act in {line.act for line in LINES}
    for text in "SEDABCX"
}


def judge(text, act, whose, phase, facts):
    """True; False with the line that forbids it; None where the text is silent."""
    lines = BY_ACT.get((text, act), ())
    for line in lines:
        is_moment = (not line.turns or whose in line.turns) and (
            not line.phases or phase in line.phases
        )
        if not is_moment or line.bars & facts or line.needs - facts:
            return False, line
    if any(line.silent & facts for line in lines):
        return None, None
    return next(((True, line) for line in lines if not line.only_forbids), (None, None))
