// What comes next and what a tap does, read off the rules' tables. No DOM.
import { refusal } from "./guards.js";

export const isLegal = (rules, from, to) => rules.steps.some((step) => step.before === from && step.after === to);

/**
 * The state a tap leads to: the next of the ring that the rules allow from here at this moment, else the next one they
 * allow at all; null where they allow none.
 */
export function tapFrom(rules, from, isOpen = () => true) {
  const ring = rules.taps;
  const here = ring.includes(from) ? ring.indexOf(from) : ring.indexOf(rules.begins);
  const ways = ring.map((_, step) => ring[(here + 1 + step) % ring.length]);
  const legal = ways.filter((to) => to !== from && isLegal(rules, from, to));
  return legal.find(isOpen) ?? legal[0] ?? null;
}

/** The steps there are from a state, each with what brings it about. */
export function waysFrom(rules, from) {
  const ways = rules.steps.filter((step) => step.before === from && step.after !== from);
  return ways.map((step) => ({ ...step, name: rules.states[step.after].name }));
}

/** Whether a turn was begun at all. */
export const hasBegun = (events, verdicts) =>
  events.some((event) => event.kind === "turn" && verdicts[event.id] === "");

/** The sides in the order they take their turns: from the one that had the first. */
export function turnOrder(bundle, events, verdicts) {
  const ids = bundle.sides.map((side) => side.id);
  const first = events.find((event) => event.kind === "turn" && verdicts[event.id] === "" && event.payload.side);
  const at = Math.max(0, ids.indexOf(first?.payload.side ?? bundle.first));
  return [...ids.slice(at), ...ids.slice(0, at)];
}

/** Whether a round begins with everybody, in phases of its own, before the first side has its turn. */
export const hasOpening = (rules) => rules.alternates && rules.round_phase !== rules.turn_phase;

/** Whether somebody must say whose turn it is: at the very first, and where a round has an opening, after that. */
export function asksWhose(rules, state, begun) {
  if (!begun) return rules.alternates && !hasOpening(rules);
  return hasOpening(rules) && !state.side;
}

/** The event that begins a turn, of one side or of everybody. */
export const beginTurn = (number, side) => ["turn", { number, ...(side && { side }) }];

function nextTurn(rules, order, names, state) {
  const place = order.indexOf(state.side);
  const isLast = place === order.length - 1;
  if (!rules.alternates || (isLast && !hasOpening(rules)) || state.phase === rules.end_phase) {
    const side = rules.alternates && !hasOpening(rules) ? order[0] : null;
    const label = `${rules.turn_name} ${state.turn + 1}`;
    return {
      label: side ? names.side(side) : label,
      detail: side ? label : "",
      steps: [beginTurn(state.turn + 1, side)],
    };
  }
  const side = order[(place + 1) % order.length];
  return { label: names.side(side), detail: `${rules.turn_name} ${state.turn}`, steps: [beginTurn(state.turn, side)] };
}

/**
 * What the big button does: `{label, detail, steps}`, the next phase, the next side's turn or the next turn; null where
 * somebody must say whose turn it is. `end_phase` is taken once, when a round is over, and not in every side's turn.
 */
export function nextStep(rules, order, names, state) {
  if (asksWhose(rules, state, true)) return null;
  const at = rules.phases.findIndex((phase) => phase.id === state.phase);
  const following = rules.phases[at + 1];
  // A round that is over goes to the phase that ends it.
  const isOver = rules.end_phase && following && refusal(state.game, "phase", { phase: following.id });
  if (isOver) return { label: rules.phases.at(-1).name, detail: "", steps: [["phase", { phase: rules.end_phase }]] };
  if (!following || following.id === rules.end_phase) return nextTurn(rules, order, names, state);
  return { label: following.name, detail: "", steps: [["phase", { phase: following.id }]] };
}

/** The phase that ends a round, where any turn of it may be the last one. */
export function endPhase(rules, state) {
  if (!rules.end_phase || !state.side || state.phase === rules.end_phase) return null;
  return rules.phases.find((phase) => phase.id === rules.end_phase);
}

/** Whether this combatant may take this test now, for showing it; the fold has the last word. */
export function maySit(rules, test, now) {
  return test.when.length ? test.when.includes(now.state) : isInPlay(rules, now);
}

/** Whether a combatant still takes part: neither out nor away. */
export const isInPlay = (rules, now) => !now.is_out && !rules.states[now.state].is_away;
