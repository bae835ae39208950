// The states that combatants are in, and whether a side is to test for Rout. As in engine/battles/state.py.
import { hasFigure, told } from "./ground.js";

export const isOut = (game, man) => game.ground.tables.out.has(man.state);
/** Whether a combatant takes no further part, out or not. */
export const isGone = (game, man) => game.ground.tables.gone.has(man.state);
export const outOf = (game, flank) => flank.men.filter((man) => isOut(game, man)).length;
export const stateName = (game, man) => game.ground.tables.names.get(man.state);
export const stepOf = (game, man, to) => game.ground.tables.steps.get(`${man.state} ${to}`);
export const say = (game, key, fields) => told(game.rules, key, fields);

/** Whether a side must test for Rout now, on what, and why. */
export function routState(game, flank) {
  const table = game.rules.rout;
  if (!table) {
    const none = { leadership: null, taken_on: null, why: "", out_from: null };
    return { due: false, now: false, ...none, may_ask: false, taken: false, passed: null };
  }
  const { size } = routLosses(game, flank);
  const isReached = routIsReached(game, flank);
  const excuse = routExcuse(game, flank);
  const isOpen = !game.end && !flank.hasRouted && !flank.routTaken && !excuse;
  const due = isOpen && isReached;
  return {
    due,
    now: due && isItsMoment(game, flank),
    ...lent(game, flank),
    ...(excuse && { why: excuse }),
    // Of points nobody sees how many models they are.
    out_from: size === flank.side.size ? routThreshold(table, size) : null,
    may_ask: isOpen && !isReached && table.voluntary_from !== null && outOf(game, flank) >= table.voluntary_from,
    taken: flank.routTaken,
    passed: flank.routPassed,
  };
}

export function routIsReached(game, flank) {
  const { rout } = game.rules;
  if (!rout || routExcuse(game, flank)) return false;
  const { lost, size } = routLosses(game, flank);
  const isNew = !rout.anew || lost > flank.routLosses;
  return isNew && flank.side.size > 0 && rout.denominator * lost >= rout.numerator * size;
}

/** What a side has lost, and of how much: models, or points where those count for Rout. */
export function routLosses(game, flank) {
  const sum = (men) => men.reduce((points, { combatant }) => points + (combatant.points ?? 0), 0);
  const size = game.rules.rout.by_points ? sum(flank.men) : 0;
  if (size) return { lost: sum(flank.men.filter((man) => isOut(game, man))), size };
  return { lost: outOf(game, flank), size: flank.side.size };
}

/** How much of a side must be lost before it tests; null of a side of nobody. */
export const routThreshold = (table, size) => (size > 0 ? Math.ceil((size * table.numerator) / table.denominator) : null);

/** Why the scenario spares a side its Rout tests as it stands, or "". */
export function routExcuse(game, flank) {
  const part = game.rules.parts[flank.side.part];
  const { name } = flank.side;
  if (!part) return "";
  if (!part.takes_rout) return say(game, "rout_spared", { side: name });
  if (!part.waits_for || flank.men.every((man) => man.state !== part.waits_for)) return "";
  return say(game, "rout_waits", { side: name, state: game.ground.tables.names.get(part.waits_for) });
}

/** Whether a test is taken now: as the side's turn starts, or later where it was due then. */
function isItsMoment(game, flank) {
  if (!game.active.length) return true;
  if (!game.active.includes(flank.side.id)) return false;
  return flank.routOwed || game.phase === game.rules.turn_phase;
}

/** The Leadership a side tests on, whose it is, and why his. */
function lent(game, flank) {
  const { leader_barred: leaderBarred, others_barred: othersBarred } = game.rules.rout;
  const on = (man, why) => ({
    leadership: man ? man.combatant.leadership : flank.side.leadership,
    taken_on: man ? man.combatant.id : null,
    why,
  });
  if (flank.side.leadership !== null) return on(null, say(game, "rout_quick"));
  const leader = flank.men.find((man) => man.combatant.is_leader);
  const state = leader && stateName(game, leader);
  if (leader && leader.combatant.leadership !== null && !leaderBarred.includes(leader.state)) {
    return on(leader, say(game, "rout_leader", { name: leader.combatant.name, state }));
  }
  let best = null;
  for (const man of flank.men) {
    const { leadership } = man.combatant;
    if (man === leader || leadership === null || othersBarred.includes(man.state)) continue;
    if (!best || leadership > best.combatant.leadership) best = man;
  }
  if (!best) return on(null, say(game, hasFigure(flank.side) ? "rout_nobody" : "rout_unknown"));
  const { name } = best.combatant;
  if (!leader) return on(best, say(game, "rout_highest", { name }));
  return on(best, say(game, "rout_best", { leader: leader.combatant.name, state, name }));
}
