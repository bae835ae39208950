// A battle while its events are folded: the only values that change, and what one event does to them.
// What engine/battles/state.py, rout.py and event_effects.py are on the server.
import { hasFigure, told } from "./ground.js";
import { leadershipOf, resultOf, rowOf, scoreOf } from "./throws.js";

const starts = (rule, combatant) => (rule.begins === "models" ? (combatant?.models ?? 0) : rule.begins);
const begun = (rules, combatant) => Object.fromEntries(rules.map((rule) => [rule.id, starts(rule, combatant)]));

/** The battle before its first event. `active`: the sides whose turn it is, none before the first turn. */
export function newGame(ground) {
  const { rules, field } = ground;
  const counters = Object.values(rules.counters);
  const ofMen = counters.filter((rule) => rule.of === "combatant");
  const ofSides = counters.filter((rule) => rule.of === "side");
  const flanks = new Map();
  const men = new Map();
  for (const side of field.sides) {
    const own = side.combatants.map((combatant) => ({
      combatant,
      state: rules.begins,
      wounds: combatant.wounds,
      marks: new Set(),
      counters: begun(ofMen, combatant),
      putOutBy: null,
      asks: null,
      turnBegan: rules.begins,
      taken: [],
    }));
    own.forEach((man) => men.set(man.combatant.id, man));
    const routs = { hasRouted: false, routOwed: false, routTaken: false, routPassed: null, taken: [] };
    flanks.set(side.id, { side, men: own, counters: begun(ofSides), ...routs });
  }
  const turn = { turn: 1, active: [], side: null, phase: rules.round_phase };
  return { ground, rules, ofMen, ofSides, flanks, men, ...turn, end: null };
}

export const isOut = (game, man) => game.ground.tables.out.has(man.state);
/** Whether a combatant takes no further part, out or not. */
const isGone = (game, man) => game.ground.tables.gone.has(man.state);
export const outOf = (game, flank) => flank.men.filter((man) => isOut(game, man)).length;
const stateName = (game, man) => game.ground.tables.names.get(man.state);
const stepOf = (game, man, to) => game.ground.tables.steps.get(`${man.state} ${to}`);
const say = (game, key, fields) => told(game.rules, key, fields);

/** Put a combatant into a state, whatever the steps say; marks fall off that it may not carry, or are left by it. */
function move(game, man, to, by = null) {
  const { out, gone } = game.ground.tables;
  man.putOutBy = out.has(to) ? by : null;
  man.state = to;
  man.asks = null;
  for (const mark of man.marks) {
    const { when } = game.rules.marks[mark];
    if (gone.has(to) || (when.length && !when.includes(to))) man.marks.delete(mark);
  }
  for (const { id, left_by: leftBy } of Object.values(game.rules.marks)) if (leftBy === to) man.marks.add(id);
}

/** What changes by itself for these sides when a moment comes. */
function moment(game, at, sides) {
  const becomes = game.ground.tables.becomes[at];
  for (const id of becomes.size ? sides : []) {
    for (const man of game.flanks.get(id).men) if (becomes.has(man.state)) move(game, man, becomes.get(man.state));
  }
}

/** Take off the marks that lasted so long, and start the counters anew. */
function lapse(game, lasting) {
  const gone = Object.values(game.rules.marks).filter((mark) => lasting.includes(mark.lasts));
  const ofMen = game.ofMen.filter((rule) => lasting.includes(rule.lasts));
  const ofSides = game.ofSides.filter((rule) => lasting.includes(rule.lasts));
  for (const flank of game.flanks.values()) {
    Object.assign(flank.counters, begun(ofSides));
    for (const man of flank.men) {
      if (man.marks.size) gone.forEach((mark) => man.marks.delete(mark.id));
      Object.assign(man.counters, begun(ofMen, man.combatant));
    }
  }
}

/** Whether a side must test for Rout now, on what, and why. */
export function routState(game, flank) {
  const table = game.rules.rout;
  if (!table) {
    const none = { leadership: null, taken_on: null, why: "", out_from: null };
    return { due: false, now: false, ...none, may_ask: false, taken: false, passed: null };
  }
  const { size } = flank.side;
  const out = outOf(game, flank);
  const isReached = routIsReached(game, flank);
  const excuse = routExcuse(game, flank);
  const isOpen = !game.end && !flank.hasRouted && !flank.routTaken && !excuse;
  const due = isOpen && isReached;
  return {
    due,
    now: due && isItsMoment(game, flank),
    ...lent(game, flank),
    ...(excuse && { why: excuse }),
    out_from: size > 0 ? Math.ceil((size * table.numerator) / table.denominator) : null,
    may_ask: isOpen && !isReached && table.voluntary_from !== null && out >= table.voluntary_from,
    taken: flank.routTaken,
    passed: flank.routPassed,
  };
}

function routIsReached(game, flank) {
  const { rout } = game.rules;
  if (!rout || routExcuse(game, flank)) return false;
  return flank.side.size > 0 && rout.denominator * outOf(game, flank) >= rout.numerator * flank.side.size;
}

/** Why the scenario spares a side its Rout tests as it stands, or "". */
function routExcuse(game, flank) {
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

/** A side has routed; where only one other is left, that one has won. */
function lose(game, flank, event) {
  flank.hasRouted = true;
  const standing = [...game.flanks.values()].filter((other) => !other.hasRouted);
  const able = standing.filter((other) => outOf(game, other) < other.men.length);
  const left = able.length ? able : standing;
  if (left.length < 2) game.end = { winner: left[0]?.side.id ?? null, how: "rout", side: flank.side.id, event: event.id };
}

function turn(game, said) {
  const active = said.side === undefined ? [...game.flanks.keys()] : [said.side];
  const isSame = active.length === game.active.length && active.every((id, place) => id === game.active[place]);
  if (said.number === game.turn && isSame) return "";
  const isRound = said.number !== game.turn || !game.active.length;
  moment(game, "own_turn_end", game.active);
  if (said.number !== game.turn) {
    moment(game, "turn_change", game.flanks.keys());
    lapse(game, ["round", "turn", "phase"]);
  } else lapse(game, ["turn", "phase"]);
  Object.assign(game, { turn: said.number, active, side: said.side ?? null });
  game.phase = isRound ? game.rules.round_phase : game.rules.turn_phase;
  for (const flank of game.flanks.values()) for (const taker of [flank, ...flank.men]) taker.taken = [];
  for (const man of game.men.values()) if (game.rules.tests[man.asks]?.lapses) man.asks = null;
  moment(game, "own_turn_start", active);
  for (const id of active) {
    const flank = game.flanks.get(id);
    flank.routTaken = false;
    flank.routOwed = routIsReached(game, flank);
    for (const man of flank.men) man.turnBegan = man.state;
  }
  return "";
}

function phase(game, said) {
  if (said.phase !== game.phase) {
    lapse(game, ["phase"]);
    game.phase = said.phase;
  }
  return "";
}

/** Why a combatant takes no part in anything more, or "". */
function gone(game, man) {
  const { side, hasRouted } = game.flanks.get(man.combatant.side);
  const { name } = man.combatant;
  if (hasRouted) return say(game, "routed", { name, side: side.name });
  return isGone(game, man) ? say(game, "is_out", { name, state: stateName(game, man) }) : "";
}

/** The names in a row, the last one after "or". */
const either = (names) => (names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);

function state(game, said) {
  const man = game.men.get(said.combatant);
  const { side, hasRouted } = game.flanks.get(man.combatant.side);
  const { name } = man.combatant;
  if (hasRouted) return say(game, "routed", { name, side: side.name });
  if (!stepOf(game, man, said.to)) {
    if (said.to === man.state) return say(game, "already", { name, state: stateName(game, man) });
    if (!said.forced) return noStep(game, man, said.to);
  } else if (!said.forced && barOf(game, man, said.to)) return tooFar(game, man, said.to);
  move(game, man, said.to, said.by);
  return "";
}

/** What makes a step one too many in this turn, or nothing. */
function barOf(game, man, to) {
  if (!game.active.includes(man.combatant.side)) return undefined;
  return game.rules.bars.find((bar) => bar.began === man.turnBegan && bar.to === to);
}

function tooFar(game, man, to) {
  const { names } = game.ground.tables;
  return say(game, "too_far", { name: man.combatant.name, began: names.get(man.turnBegan), to: names.get(to) });
}

function noStep(game, man, to) {
  const { after, names } = game.ground.tables;
  const ways = after.get(man.state).map((key) => names.get(key));
  const fields = { name: man.combatant.name, state: stateName(game, man) };
  if (!ways.length) return say(game, "no_way", fields);
  return say(game, "no_step", { ...fields, known: either(ways), to: names.get(to) });
}

function wounds(game, said) {
  const man = game.men.get(said.combatant);
  const reason = gone(game, man);
  if (reason) return reason;
  const before = man.wounds;
  man.wounds = said.to;
  const rule = Object.values(game.rules.tests).find((test) => test.at_last_wound);
  if (!rule) return "";
  if (man.wounds && man.asks === rule.id) man.asks = null;
  // Whoever lies as an injury left it has been decided on already.
  const isDecided = rule.rows.some((row) => row.to === man.state);
  if (before && !man.wounds && !isDecided) man.asks = rule.id;
  return "";
}

function mark(game, said) {
  const man = game.men.get(said.combatant);
  const rule = game.rules.marks[said.mark];
  const reason = gone(game, man);
  if (reason) return reason;
  if (said.on ?? true) {
    if (rule.when.length && !rule.when.includes(man.state) && man.state !== rule.shown_by) {
      return say(game, "no_mark", { name: man.combatant.name, mark: rule.name, state: stateName(game, man) });
    }
    const other = rule.not_with.find((id) => man.marks.has(id));
    if (other) {
      const fields = { mark: rule.name, other: game.rules.marks[other].name };
      return say(game, "mark_barred", { name: man.combatant.name, ...fields });
    }
    man.marks.add(rule.id);
    return "";
  }
  man.marks.delete(rule.id);
  if (rule.shown_by && man.state === rule.shown_by) move(game, man, game.rules.begins);
  return "";
}

function counter(game, said) {
  const rule = game.rules.counters[said.counter];
  if (rule.of === "side") {
    const flank = game.flanks.get(said.side);
    if (flank.hasRouted) return say(game, "side_routed", { side: flank.side.name });
    flank.counters[rule.id] = said.to;
    return "";
  }
  const man = game.men.get(said.combatant);
  const reason = gone(game, man);
  if (reason) return reason;
  man.counters[rule.id] = said.to;
  if (rule.out_to && said.to === rule.out_at) move(game, man, rule.out_to, said.by);
  return "";
}

const noteTaken = (taker, test) => taker.taken.includes(test.id) || taker.taken.push(test.id);

function test(game, said, event) {
  const rule = game.rules.tests[said.test];
  if (rule.of === "side") return testOfSide(game, rule, said, event);
  const man = game.men.get(said.combatant);
  const reason = gone(game, man) || (said.forced ? "" : barred(game, rule, man) || unlent(game, said));
  if (reason) return reason;
  const result = resultIn(rule, said, said.need ?? rule.needs ?? leadershipOf(game.ground, rule, said));
  noteTaken(man, rule);
  if (man.asks === rule.id) man.asks = null;
  const { to, asks } = leadsTo(rule, result, man.combatant);
  if (to && stepOf(game, man, to)) move(game, man, to, said.by);
  if (asks) man.asks = asks;
  return "";
}

/** Why a combatant takes no such test as it stands, or "". */
function barred(game, rule, man) {
  const fields = { name: man.combatant.name, test: rule.name };
  if (rule.when.length && !rule.when.includes(man.state)) {
    const ways = either(rule.when.map((key) => game.ground.tables.names.get(key)));
    return say(game, "not_when", { ...fields, known: ways, state: stateName(game, man) });
  }
  if (rule.once && man.taken.includes(rule.id)) return say(game, "once", fields);
  const isAlone = (man.combatant.kinds ?? []).some((kind) => rule.alone.includes(kind));
  if (!rule.needs_counter || isAlone) return "";
  const [id, least] = rule.needs_counter;
  const value = man.counters[id];
  if (value >= least) return "";
  return say(game, "counter_low", { ...fields, least, counter: game.rules.counters[id].name, value });
}

/** Why the leader lends nobody his Leadership as he stands, or "". */
function unlent(game, said) {
  if (said.lent_by === undefined) return "";
  const lender = game.men.get(said.lent_by);
  if (!isGone(game, lender) && !game.rules.lends.barred.includes(lender.state)) return "";
  return say(game, "lends_not", { name: lender.combatant.name, state: stateName(game, lender) });
}

/** What the dice, or the word that stands for them, come to. */
function resultIn(rule, said, need) {
  const dice = said.dice ?? [];
  const modifier = said.modifier ?? 0;
  const score = dice.length ? scoreOf(rule, dice) : null;
  if (rule.passes === "table") return { score, need: null, passed: null, row: rowOf(rule, dice, modifier) };
  if (rule.passes === "none") return { score, need: null, passed: null, row: null };
  const isKnown = dice.length > 0 && need !== null;
  return { score, need, passed: isKnown ? resultOf(rule, dice, need, modifier) : (said.passed ?? null), row: null };
}

/** The state a test leads to, and the test that must follow; "" for none. */
function leadsTo(rule, { row, passed }, combatant) {
  if (row) return { to: row.to, asks: "" };
  if (passed) return { to: rule.passes_to, asks: "" };
  if (passed === null) return { to: "", asks: "" };
  const isSpared = (combatant.kinds ?? []).some((kind) => rule.spares.includes(kind));
  return isSpared || !rule.fails_to ? { to: "", asks: rule.asks } : { to: rule.fails_to, asks: "" };
}

function testOfSide(game, rule, said, event) {
  const flank = game.flanks.get(said.side);
  if (flank.hasRouted) return say(game, "side_routed", { side: flank.side.name });
  if (rule.loses) return routTest(game, rule, flank, said, event);
  const { score } = resultIn(rule, said, said.need ?? rule.needs);
  noteTaken(flank, rule);
  if (rule.sets && score !== null) flank.counters[rule.sets] = score >= rule.sets_from ? score : 0;
  return "";
}

function routTest(game, rule, flank, said, event) {
  const rout = routState(game, flank);
  const { name, size } = flank.side;
  if (!rout.due && !rout.may_ask && !said.forced) {
    const excuse = routExcuse(game, flank);
    if (excuse) return excuse;
    if (rout.taken) return say(game, "rout_taken", { side: name });
    return say(game, "rout_not_due", { side: name, out: outOf(game, flank), size, from: rout.out_from });
  }
  const { score, need, passed } = resultIn(rule, said, said.need ?? rout.leadership);
  if (need === null && hasFigure(flank.side) && said.passed && !said.forced) return rout.why;
  if (need !== null && passed !== (said.passed ?? passed)) {
    return say(game, "rout_disagree", { side: name, score, need, result: passed ? "passed" : "failed" });
  }
  noteTaken(flank, rule);
  flank.routTaken = true;
  flank.routPassed = need === null ? Boolean(said.passed) : passed;
  if (!flank.routPassed) lose(game, flank, event);
  return "";
}

function end(game, said, event) {
  const winner = said.winner ?? null;
  const others = [...game.flanks.keys()].filter((id) => id !== winner);
  const side = winner !== null && others.length === 1 ? others[0] : null;
  game.end = { winner, how: said.how, side, event: event.id };
  return "";
}

const APPLY = { turn, phase, state, wounds, mark, counter, test, end, note: () => "" };

/** Let an event count (""), or say why it is set aside and do nothing. */
export function apply(game, event, said) {
  if (game.end && event.kind !== "note") return say(game, "ended");
  return APPLY[event.kind](game, said, event);
}
