// A battle while its events are folded: the only values that change, and what one event does to them.
// What engine/battles/state.py and event_effects.py are on the server.
import { hasFigure } from "./ground.js";
import { price, refusal } from "./guards.js";
import { isGone, outOf, routIsReached, routLosses, routState, say, stateName, stepOf } from "./rout.js";
import { ownFigure, furtherOf, resultOf, rowOf, scoreOf } from "./throws.js";

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
      fell: false,
      felledBy: null,
      worsened: false,
      sank: false,
      woundsBegan: combatant.wounds,
      phaseBegan: begun(ofMen, combatant),
      phaseTaken: new Set(),
      taken: [],
    }));
    own.forEach((man) => men.set(man.combatant.id, man));
    const routs = { hasRouted: false, routOwed: false, routTaken: false, routPassed: null, routLosses: 0, taken: [], failed: new Set(), bought: {}, reached: new Set(), ledTo: new Set() };
    flanks.set(side.id, { side, men: own, counters: begun(ofSides), ...routs });
  }
  const turn = { turn: 1, active: [], side: null, phase: rules.round_phase };
  return { ground, rules, ofMen, ofSides, flanks, men, ...turn, rows: new Set(), end: null };
}

/** Put a combatant into a state, whatever the steps say; marks fall off that it may not carry, or are left by it. */
function move(game, man, to, by = null) {
  const { out, gone, rank } = game.ground.tables;
  const flank = game.flanks.get(man.combatant.side);
  const rules = Object.values(game.rules.marks);
  for (const { id, carries, when } of rules.filter((rule) => rule.carries)) {
    if (man.state === carries && when.includes(to)) man.marks.add(id);
    else if (man.marks.has(id) && !when.includes(to) && !gone.has(to)) to = carries;
  }
  flank.reached.add(to);
  if (man.combatant.is_leader) flank.ledTo.add(to);
  man.putOutBy = out.has(to) ? by : null;
  if (rank(to) > rank(man.state)) Object.assign(man, { worsened: true, sank: true, phaseTaken: new Set() });
  if (rank(to) && !rank(man.state)) Object.assign(man, { fell: true, felledBy: by });
  man.state = to;
  man.asks = null;
  for (const mark of man.marks) {
    const { when } = game.rules.marks[mark];
    if (gone.has(to) || (when.length && !when.includes(to))) man.marks.delete(mark);
  }
  for (const { id, left_by: leftBy, traits } of rules) {
    const has = !traits.length || traits.some((trait) => (man.combatant.traits ?? []).includes(trait));
    if (has && leftBy.includes(to)) man.marks.add(id);
  }
}

/** Begin a phase: nothing has happened in it yet. */
function beginPhase(game, phase) {
  Object.assign(game, { phase, rows: new Set() });
  for (const flank of game.flanks.values()) Object.assign(flank, { reached: new Set(), ledTo: new Set() });
  for (const man of game.men.values()) {
    Object.assign(man, { fell: false, felledBy: null, sank: false, phaseBegan: { ...man.counters }, woundsBegan: man.wounds, phaseTaken: new Set() });
  }
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
  if (game.active.length) moment(game, "turn_end", game.flanks.keys());
  moment(game, "own_turn_end", game.active);
  if (said.number !== game.turn) {
    moment(game, "turn_change", game.flanks.keys());
    for (const { failed } of game.flanks.values()) failed.clear();
    lapse(game, ["round", "turn", "phase"]);
  } else lapse(game, ["turn", "phase"]);
  Object.assign(game, { turn: said.number, active, side: said.side ?? null });
  beginPhase(game, isRound ? game.rules.round_phase : game.rules.turn_phase);
  for (const flank of game.flanks.values()) {
    flank.bought = {};
    for (const taker of [flank, ...flank.men]) taker.taken = [];
  }
  for (const man of game.men.values()) if (game.rules.tests[man.asks]?.lapses) man.asks = null;
  moment(game, "own_turn_start", active);
  for (const id of active) {
    const flank = game.flanks.get(id);
    flank.routTaken = false;
    flank.routOwed = routIsReached(game, flank);
    for (const man of flank.men) Object.assign(man, { turnBegan: man.state, worsened: false });
  }
  return "";
}

function phase(game, said) {
  if (said.phase !== game.phase) {
    lapse(game, ["phase"]);
    beginPhase(game, said.phase);
  }
  return "";
}

/** Why a combatant, or a side, takes no part in anything more, or "". */
function inactive(game, said) {
  if (said.combatant === undefined) {
    const flank = game.flanks.get(said.side);
    return flank.hasRouted ? say(game, "side_routed", { side: flank.side.name }) : "";
  }
  const man = game.men.get(said.combatant);
  const { side, hasRouted } = game.flanks.get(man.combatant.side);
  const { name } = man.combatant;
  if (hasRouted) return say(game, "routed", { name, side: side.name });
  return isGone(game, man) ? say(game, "is_out", { name, state: stateName(game, man) }) : "";
}

/** Why a combatant comes to no other state whatever the rules say, or "". */
function standing(game, said) {
  const man = game.men.get(said.combatant);
  const { side, hasRouted } = game.flanks.get(man.combatant.side);
  const { name } = man.combatant;
  if (hasRouted) return say(game, "routed", { name, side: side.name });
  const isSame = said.to === man.state && !stepOf(game, man, said.to);
  return isSame ? say(game, "already", { name, state: stateName(game, man) }) : "";
}

function state(game, said) {
  move(game, game.men.get(said.combatant), said.to, said.by);
  return "";
}

function wounds(game, said) {
  const man = game.men.get(said.combatant);
  const before = man.wounds;
  for (const hurt of game.rules.hurts) {
    if (!hurt.kinds.some((kind) => (man.combatant.kinds ?? []).includes(kind))) continue;
    if (hurt.mark && said.to < before && !man.marks.has(hurt.mark)) {
      man.marks.add(hurt.mark);
      return "";
    }
    if (hurt.to && before && !said.to) {
      man.wounds = 0;
      move(game, man, hurt.to, said.by);
      return "";
    }
  }
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
  if (said.on ?? true) {
    for (const id of rule.ends) man.marks.delete(id);
    if (rule.ends.includes(man.state)) move(game, man, game.rules.begins);
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
    const more = said.to - flank.counters[rule.id];
    if (rule.pays && more > 0) {
      flank.counters[rule.pays] = Math.max(0, flank.counters[rule.pays] - price(rule, flank, said.to));
      flank.bought[rule.id] = (flank.bought[rule.id] ?? 0) + more;
    }
    flank.counters[rule.id] = said.to;
    return "";
  }
  const man = game.men.get(said.combatant);
  man.counters[rule.id] = said.to;
  if (rule.out_to && said.to === rule.out_at) move(game, man, rule.out_to, said.by);
  return "";
}

const noteTaken = (taker, test) => taker.taken.includes(test.id) || taker.taken.push(test.id);

function test(game, said, event) {
  const rule = game.rules.tests[said.test];
  if (rule.of === "side") return testOfSide(game, rule, said, event);
  const man = game.men.get(said.combatant);
  const result = resultIn(rule, said, said.need ?? rule.needs ?? ownFigure(game.ground, rule, said));
  noteTaken(man, rule);
  man.phaseTaken.add(rule.id);
  if (!result.passed) rule.leaves.forEach((id) => man.marks.add(id));
  const { counters } = game.flanks.get(man.combatant.side);
  const further = furtherOf(rule, said);
  if (further) counters[rule.extra_from] = Math.max(0, counters[rule.extra_from] - further);
  if (result.row) game.rows.add(result.row.name);
  if (man.asks === rule.id) man.asks = null;
  const { to, asks } = leadsTo(rule, result, man.combatant);
  const isBetter = rule.worsens && game.ground.tables.rank(to) < game.ground.tables.rank(man.state);
  if (to && !isBetter && stepOf(game, man, to)) move(game, man, to, said.by);
  if (asks) man.asks = asks;
  return "";
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
  if (rule.loses) return routTest(game, rule, flank, said, event);
  const { score, passed } = resultIn(rule, said, said.need ?? rule.needs);
  noteTaken(flank, rule);
  if (passed === false) flank.failed.add(rule.id);
  if (rule.sets && score !== null) flank.counters[rule.sets] = score >= rule.sets_from ? score : 0;
  return "";
}

function routTest(game, rule, flank, said, event) {
  const rout = routState(game, flank);
  const { name } = flank.side;
  const { score, need, passed } = resultIn(rule, said, said.need ?? rout.leadership);
  if (need === null && hasFigure(flank.side) && said.passed && !said.forced) return rout.why;
  if (need !== null && passed !== (said.passed ?? passed)) {
    return say(game, "rout_disagree", { side: name, score, need, result: passed ? "passed" : "failed" });
  }
  noteTaken(flank, rule);
  flank.routTaken = true;
  flank.routLosses = routLosses(game, flank).lost;
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

// Kinds that only those may record who have neither routed nor gone out.
const OF_ACTIVE = new Set(["wounds", "mark", "counter", "test"]);
const APPLY = { turn, phase, state, wounds, mark, counter, test, end, note: () => "" };

/** Let an event count (""), or say why it is set aside and do nothing. */
export function apply(game, event, said) {
  if (game.end && event.kind !== "note") return say(game, "ended");
  const reason =
    (OF_ACTIVE.has(event.kind) && inactive(game, said)) ||
    (event.kind === "state" && standing(game, said)) ||
    (!said.forced && refusal(game, event.kind, said));
  return reason || APPLY[event.kind](game, said, event);
}
