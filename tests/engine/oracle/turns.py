"""Who may do what when, from the five texts, as far as a recorder can know it.

Written from the texts alone, with the words of the texts, before any pack was read. A line says
of one act in which texts it holds, whose turn and which phases it needs, what bars it and what it
needs. An act is allowed where one of its lines with `phase` lets it and no line bars it; of an
act without a line the texts are silent, and nothing is compared.

Texts: S skirmish (000), E civil war (001), D Mordheim draft (002), A B C the rulings (003), X d10
(004). `C09` and the like are rulings. A fact such as "lay before the phase" is worked out from the
acts so far by `moments.py`.
"""

from dataclasses import dataclass, field

LYING = {"down", "stunned"}
STILL = LYING | {"fleeing", "out"}


@dataclass(frozen=True)
class Line:
    texts: str
    act: str
    heading: str
    row: str = ""
    of: str = "own"  # own | enemy | either: whose turn it is for the warrior's side
    phase: tuple = ()  # () is every phase
    needs: set = field(default_factory=set)  # all of them
    bars: set = field(default_factory=set)  # none of them


MOVE, SHOOT, FIGHT, RECOVER, MAGIC = ("move",), ("shoot",), ("fight",), ("recover",), ("magic",)

# fmt: off
LINES = (
    # Recovery and Rally
    Line("SDABC", "stand up", "KNOCKED DOWN; RECOVERY", "T1", phase=RECOVER, needs={"down"}, bars={"out", "turned over this turn"}),
    Line("SDABC", "turn over", "STUNNED; RECOVERY", "T1", phase=RECOVER, needs={"stunned"}, bars={"out"}),
    Line("SA", "rally", "THE RECOVERY PHASE; Recovery", "T13", phase=RECOVER, needs={"fleeing"}, bars={"out", "rally tested this turn"}),
    Line("E", "rally", "BREAK AND FLEE", "T6", phase=MOVE, needs={"fleeing"}, bars={"out", "under five", "rally tested this turn"}),
    # Injuries and what follows
    Line("SDABC", "injury", "RESOLVING INJURIES; INJURIES", "T12", of="either", needs={"no wounds"}, bars={"out", "wounds left"}),
    Line("S", "injury", "SWARMS (House Rule)", "T3", of="either", bars={"swarm"}),
    Line("SDABC", "injury in a fight", "ATTACKING STUNNED AND DOWNED; WARRIORS KNOCKED DOWN", "T11", of="either", bars={"lay before the phase"}),
    Line("SDABC", "improve", "RESOLVING INJURIES; Multiple Wounds; G14", "T1", of="either", bars={"not in recovery"}),
    Line("SEDABCX", "back from out", "OUT OF ACTION; PURSUIT; Casualty Test", "T1", of="either", bars={"out"}),
    Line("DBC", "out in a fight", "WARRIORS STUNNED", "T16", of="either", bars={"fell in this phase"}),
    # Leadership
    Line("SA", "rout", "THE ROUT TEST; Rout-test", "T2", phase=RECOVER, needs={"rout due"}, bars={"rout tested this turn"}),
    Line("S", "all alone", "ALL ALONE", "T11", phase=FIGHT, bars=STILL),
    Line("A", "all alone", "Panic!", "T11", of="either", phase=FIGHT, bars=STILL),
    Line("SE", "panic", "PANIC", "T14", of="either", phase=("start", "recover", "move", "magic", "shoot", "fight"), bars={"out"}),
    Line("E", "break", "COMBAT RESULTS", "T6", of="either", phase=FIGHT, bars={"out", "fleeing", "under five"}),
    Line("E", "hold back", "PURSUIT", "T5", of="either", phase=FIGHT, bars={"out", "fleeing"}),
    Line("A", "stupidity", "Stupidity test", "T15", phase=RECOVER, needs={"stupid"}, bars={"out", "stupidity tested this turn"}),
    Line("A", "dare the feared", "Charge!", "T15", phase=MOVE, bars=STILL),
    # Movement
    Line("SDABC", "charge", "CHARGE!; Charge", "T7", phase=MOVE, bars=STILL | {"ran"}),
    Line("SDAC", "charge", "KNOCKED DOWN; Injury", "T7", phase=MOVE, bars={"stood up"}),
    Line("SA", "charge", "THE RECOVERY PHASE; Recovery", "T7", phase=MOVE, bars={"rallied"}),
    Line("SDABC", "run", "RUNNING; Running", "T7", phase=MOVE, bars=STILL | {"charged", "stood up"}),
    Line("SA", "run", "THE RECOVERY PHASE; Recovery", "T7", phase=MOVE, bars={"rallied"}),
    Line("A", "run", "Running", "T7", phase=MOVE, bars={"hidden"}),
    Line("S", "hide", "HIDING; FALLING", "T7", phase=MOVE, bars={"ran", "charged", "fleeing", "stunned", "out"}),
    Line("A", "hide", "The move itself", "T7", phase=MOVE, bars={"fleeing", "stunned", "out"}),
    Line("E", "charge", "CHARGE AND REACTIONS; BREAK AND FLEE", "T8", phase=MOVE, bars={"out", "fleeing", "rallied", "marched", "reformed"}),
    Line("E", "counter-charge", "CHARGE AND REACTIONS", "T5", of="enemy", phase=MOVE, bars={"out", "fleeing"}),
    Line("E", "march", "MARCHING; BREAK AND FLEE", "T8", phase=MOVE, bars={"out", "fleeing", "rallied", "charged", "reformed"}),
    Line("E", "reform", "MANOEUVRES; MARCHING", "T8", phase=MOVE, bars={"out", "fleeing", "charged", "marched"}),
    # Shooting and magic
    Line("SDABC", "shoot", "WHO CAN SHOOT?; SHOOTING; C17", "T7", phase=SHOOT, bars=STILL | {"ran", "charged", "failed charge", "shot"}),
    Line("SA", "shoot", "WHO CAN SHOOT?; Shooting", "T7", phase=SHOOT, bars={"rallied"}),
    Line("E", "shoot", "SHOOTING CHART; MARCHING; MANOEUVRES; BREAK AND FLEE", "T8", phase=SHOOT, bars={"out", "fleeing", "rallied", "marched", "reformed", "shot"}),
    Line("E", "stand and shoot", "CHARGE AND REACTIONS", "T8", of="enemy", phase=MOVE, bars={"out", "fleeing"}),
    Line("S", "cast", "THE TURN; KNOCKED DOWN; STUNNED", "T7", phase=MAGIC, bars=LYING | {"out"}),
    # Close combat
    Line("SA", "critical", "CRITICAL HITS; Shooting (C04)", "T21", of="either", phase=FIGHT, bars={"critical this phase"} | LYING | {"out"}),
    Line("S", "critical of a shot", "CRITICAL HITS (G28)", "T21", phase=SHOOT, bars={"out"}),
    # d10
    Line("X", "roll for points", "Roll for Action Points", "T19", phase=("command",), bars={"rolled this turn"}),
    Line("X", "buy", "Spend Action Points on Bonus Dice", "T17", phase=("buy",), needs={"dice affordable"}, bars={"holds six"}),
    Line("X", "begin action", "Round; Player Turns and Sequence (G36)", "T19", bars={"rolled a 1"}),
    Line("X", "activate", "Activate models", "T17", phase=("action",), bars={"out", "down", "activated this turn"}),
    Line("X", "casualty", "Recovery Phase", "T18", of="either", phase=("recovery",), needs={"down or near an explosion"}, bars={"out"}),
    Line("X", "use dice", "Spend Action Points on Bonus Dice (G39)", "T17", of="either", needs={"dice held"}),
)
# fmt: on


def judge(text, act, *, whose, phase, facts):
    """True, False with the line that says so, or None where the text is silent."""
    lines = [line for line in LINES if text in line.texts and line.act == act]
    for line in lines:
        if (
            (line.of not in ("either", whose))
            or (line.phase and phase not in line.phase)
            or (line.bars & facts)
            or (line.needs - facts)
        ):
            return False, line
    return (True, lines[0]) if lines else (None, None)
