// The state of a battle out of the set of its events, as the server folds it: the same tables, order and sentences, so
// that both come to the same state. It decides nothing by itself; tests/vectors/battles/ holds both to the same answers.
// No DOM, no clock, no chance.
import { apply, newGame } from "./game.js";
import { groundOf, told } from "./ground.js";
import { eventKey, read, winnerFault } from "./reading.js";
import { isOut, outOf, routState } from "./rout.js";

export { likelyEnd, suggestions } from "./suggest.js";

export const UNDONE = "undone";
const DEVICE = /[\x00-\x1f\x7f]|\p{Cs}/u;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What the events come to: `{turn, side, phase, combatants, sides, end, verdicts}`. `rules` and `field` are the tables
 * and sides as the server sends them. A verdict is "" (it counts), "undone", or why the event was set aside.
 * `watch(event, verdict, game)` is called after each event.
 */
export function fold(rules, field, events, watch) {
  const game = newGame(groundOf(rules, field));
  const ordered = inOrder(events);
  const { undone, verdicts: undos } = undoings(rules, ordered);
  const verdicts = {};
  for (const event of ordered) {
    const settled = undone.has(event.id) ? UNDONE : undos.get(event.id);
    verdicts[event.id] = step(game, event, settled);
    watch?.(event, verdicts[event.id], game);
  }
  return stateOf(game, verdicts);
}

function step(game, event, settled) {
  if (settled !== undefined && settled !== "") return settled;
  const { said, fault } = read(game.ground, event.id, event.kind, event.payload);
  return settled ?? (fault || apply(game, event, said));
}

/** Why an event is impossible whatever the others are; "" when it is sound. For one that is about to be recorded. */
export function check(rules, field, event) {
  const { limits } = rules;
  if (typeof event.id !== "string" || !ID.test(event.id)) return told(rules, "id");
  const { device, seq } = event;
  const isDevice = typeof device === "string" && device && [...device].length <= limits.device && !DEVICE.test(device);
  if (!isDevice) return told(rules, "device", { most: limits.device });
  if (!Number.isInteger(seq) || seq < 0 || seq > limits.seq) return told(rules, "seq", { most: limits.seq });
  if (weight(event.payload) > limits.payload) return told(rules, "payload_large", { most: limits.payload });
  const ground = groundOf(rules, field);
  const { said, fault } = read(ground, event.id, event.kind, event.payload);
  return fault || winnerFault(ground, event.kind, said);
}

/** What would come of recording this now, after everything else: "" when it counts, or the reason why it would not. */
export function draft(rules, field, events, kind, payload) {
  const event = { id: "00000000-0000-4000-8000-000000000000", device: "\uffff", seq: nextSeq(rules, events), kind, payload };
  return fold(rules, field, [...events, event]).verdicts[event.id];
}

const sizeOf = (value) => {
  if (typeof value === "string") return new TextEncoder().encode(value).length;
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === "object" ? Object.keys(value).length : 0;
};

/** The bytes of texts and the lengths of lists in a payload: what could be large. */
function weight(payload) {
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) return 0;
  return Object.entries(payload).reduce((sum, [key, value]) => sum + sizeOf(key) + sizeOf(value), 0);
}

/** The `seq` of an event recorded by someone who has seen these. */
export const nextSeq = (rules, events) =>
  Math.min(events.reduce((most, event) => Math.max(most, event.seq), 0) + 1, rules.limits.seq);

/** Each event once, by seq, then device, then id. */
export function inOrder(events) {
  const ordered = [...events].sort(compare);
  const seen = new Set();
  return ordered.filter((event) => !seen.has(event.id) && seen.add(event.id));
}

const compare = (one, other) => one.seq - other.seq || byPoint(one.device, other.device) || byPoint(one.id, other.id);

/** Texts by code points, as the server has them; JavaScript compares halves of characters. */
function byPoint(one, other) {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at += 1) {
    const [left, right] = [pointAt(one, at), pointAt(other, at)];
    if (left !== right) return left - right;
  }
  return one.length - other.length;
}

const pointAt = (text, at) => {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
};

/** What is undone in the end, and for each undo why it was set aside ("" where it worked). */
function undoings(rules, ordered) {
  const place = new Map(ordered.map((event, number) => [event.id, number]));
  const working = new Map();
  const against = new Map();
  const verdicts = new Map();
  ordered.forEach((event, number) => {
    if (event.kind !== "undo") return;
    const target = targetOf(event);
    const depth = (working.get(target)?.depth ?? 0) + 1;
    const isKnown = place.has(target) && place.get(target) < number;
    const fault = isKnown ? (against.get(target) ? "undo_again" : depth > rules.limits.undo_depth && "undo_deep") : "undo_unknown";
    verdicts.set(event.id, fault ? told(rules, fault) : "");
    if (fault) return;
    working.set(event.id, { target, depth });
    settle(target, working, against);
  });
  return { undone: new Set([...against].filter(([, count]) => count).map(([id]) => id)), verdicts };
}

/** One more undo stands against the target; where that is an undo itself, one less against its own, and so on. */
function settle(first, working, against) {
  for (let target = first, change = 1; ; change = -change) {
    const before = against.get(target) ?? 0;
    against.set(target, before + change);
    if (Boolean(before) === Boolean(before + change) || !working.has(target)) return;
    target = working.get(target).target;
  }
}

function targetOf({ payload }) {
  const named = payload !== null && typeof payload === "object" ? payload.event : null;
  return typeof named === "string" ? eventKey(named) : "";
}

function stateOf(game, verdicts) {
  const kills = new Map();
  for (const { putOutBy } of game.men.values()) if (putOutBy !== null) kills.set(putOutBy, (kills.get(putOutBy) ?? 0) + 1);
  const combatants = {};
  for (const [id, man] of game.men) combatants[id] = combatantOf(game, man, kills.get(id) ?? 0);
  const sides = {};
  for (const [id, flank] of game.flanks) sides[id] = sideOf(game, flank);
  const { turn, side, phase, end } = game;
  const state = { turn, side, phase, combatants, sides, end, verdicts };
  // What the guards are asked with: no part of what is kept or compared.
  return Object.defineProperty(state, "game", { value: game });
}

function combatantOf(game, man, kills) {
  const marks = Object.values(game.rules.marks).filter(
    (mark) => man.marks.has(mark.id) || (mark.shown_by && mark.shown_by === man.state),
  );
  return {
    state: man.state,
    is_out: isOut(game, man),
    wounds: man.wounds,
    marks: marks.map((mark) => mark.id),
    counters: man.counters,
    kills,
    put_out_by: man.putOutBy,
    asks: man.asks,
    turn_began: man.turnBegan,
    taken: man.taken,
  };
}

const sideOf = (game, flank) => ({
  out: outOf(game, flank),
  size: flank.side.size,
  counters: flank.counters,
  rout: routState(game, flank),
  has_routed: flank.hasRouted,
  taken: flank.taken,
});
