// What a battle is called on the screen: names, states, turns and the sentence of every event. No DOM, nothing decided.
import { lowered } from "./ground.js";
import { resultOf, rowOf, scoreOf } from "./throws.js";

export const possessive = (name) => (/s$/i.test(name) ? `${name}’` : `${name}’s`);
export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Names by id: `{side, combatant, sides, combatants}`; a name that stands twice on a side gets its number. */
export function namesOf(bundle) {
  const sides = new Map(bundle.sides.map((side) => [side.id, side]));
  const combatants = new Map();
  for (const side of bundle.sides) {
    for (const one of side.combatants) combatants.set(one.id, { ...one, side: side.id });
  }
  return {
    sides,
    combatants,
    side: (id) => sides.get(id)?.name ?? "a side",
    combatant: (id) => combatants.get(id)?.name ?? "somebody",
    subject: ({ combatant, side }) =>
      combatant ? (combatants.get(combatant)?.name ?? "somebody") : (sides.get(side)?.name ?? "a side"),
  };
}

export const stateName = (rules, id) => rules.states[id]?.name ?? id;
export const phaseName = (rules, id) => rules.phases.find((phase) => phase.id === id)?.name ?? "";

/** "Turn 3", and before the first "Before the battle". */
export const turnTitle = (rules, state, begun) => (begun ? `${rules.turn_name} ${state.turn}` : "Before the battle");

/** "Ferrymen’s turn, close combat". */
export function turnWords(rules, names, state) {
  const phase = phaseName(rules, state.phase).toLowerCase();
  const whose = state.side ? `${possessive(names.side(state.side))} turn` : "";
  return [whose, phase].filter(Boolean).join(", ");
}

/** Dice as they are written: "2D6", "D10", "D6 + D4". */
export function diceName(sides) {
  const counts = new Map();
  for (const faces of sides) counts.set(faces, (counts.get(faces) ?? 0) + 1);
  return [...counts].map(([faces, count]) => `${count > 1 ? count : ""}D${faces}`).join(" + ");
}

/** "8 or less", "6 or more", "" where nothing is to be reached. */
export function needWords(test, need) {
  if (need === null || need === undefined || !test.passes.startsWith("at_")) return "";
  return test.passes === "at_most" ? `${need} or less` : `${need} or more`;
}

function testWords(rules, names, payload) {
  const test = rules.tests[payload.test];
  if (!test) return `${names.subject(payload)}: ${payload.test}`;
  const { dice = [], modifier = 0, need } = payload;
  const score = dice.length ? scoreOf(test, dice) : null;
  const shown = dice.length > 1 ? `${dice.join(", ")} (${score})` : (score ?? "no dice");
  const row = dice.length ? rowOf(test, dice, modifier)?.name : "";
  const target = needWords(test, need ?? test.needs);
  const parts = [shown, payload.source === "app" ? "rolled here" : "typed", target && `needed ${target}`];
  if (modifier) parts.push(`modifier ${modifier > 0 ? "+" : "−"}${Math.abs(modifier)}`);
  if (row) parts.push(row);
  if (target && dice.length && need !== undefined)
    parts.push(resultOf(test, dice, need, modifier) ? "passed" : "failed");
  const cause = test.causes.find((one) => one.id === payload.cause);
  const why = cause ? ` (${lowered(cause.name)})` : "";
  const whose = payload.lent_by ? ` on the Leadership of ${names.combatant(payload.lent_by)}` : "";
  return `${names.subject(payload)}: ${test.name}${why}${whose}, ${parts.filter(Boolean).join(", ")}`;
}

function endWords(rules, names, payload) {
  const how = rules.endings[payload.how]?.name ?? payload.how;
  return payload.winner
    ? `The battle ends: ${names.side(payload.winner)} won. ${how}`
    : `The battle ends without a winner. ${how}`;
}

const by = (names, payload) => (payload.by ? `, by ${names.combatant(payload.by)}` : "");

const TOLD = {
  turn: (rules, names, { number, side }) => `${rules.turn_name} ${number}${side ? `, ${names.side(side)}` : ""} begins`,
  phase: (rules, _, { phase }) => phaseName(rules, phase) || phase,
  state: (rules, names, payload) =>
    `${names.combatant(payload.combatant)}: ${lowered(stateName(rules, payload.to))}${by(names, payload)}` +
    (payload.forced ? " (against the rules)" : ""),
  wounds: (_, names, payload) =>
    `${names.combatant(payload.combatant)}: ${plural(payload.to, "wound")} left${by(names, payload)}`,
  mark: (rules, names, { combatant, mark, on }) =>
    `${names.combatant(combatant)}: ${on ? "" : "no longer "}${(rules.marks[mark]?.name ?? mark).toLowerCase()}`,
  counter: (rules, names, payload) =>
    `${names.subject(payload)}: ${lowered(rules.counters[payload.counter]?.name ?? payload.counter)} ${payload.to}`,
  test: testWords,
  note: (_, names, { combatant, text }) => `${combatant ? `${names.combatant(combatant)}: ` : ""}“${text}”`,
  end: endWords,
};

/** The sentence of one event; `find(id)` gives the event an undo takes back. */
export function tell(rules, names, event, find) {
  if (event.kind !== "undo") return TOLD[event.kind]?.(rules, names, event.payload) ?? event.kind;
  const target = find(event.payload.event);
  if (!target) return "Undone: a change this browser has not loaded yet";
  return target.kind === "undo"
    ? `Redone: ${tell(rules, names, find(target.payload.event) ?? target, () => null)}`
    : `Undone: ${tell(rules, names, target, find)}`;
}

/** The counters worth telling of a combatant: how many models are left says nothing of somebody who is alone. */
export const countersOf = (rules, one, values) =>
  Object.entries(values).filter(([id]) => rules.counters[id].begins !== "models" || one.models > 1);

/** What a tile says under the name: whatever is not as it was at the start; at rest what kind it is. */
export function standing(rules, one, now) {
  const parts = [];
  if (now.state !== rules.begins) parts.push(stateName(rules, now.state));
  if (one.wounds !== null && (one.wounds > 1 || now.wounds !== one.wounds)) parts.push(`W ${now.wounds}/${one.wounds}`);
  for (const [id, value] of countersOf(rules, one, now.counters)) parts.push(`${rules.counters[id].name} ${value}`);
  for (const id of now.marks) if (rules.marks[id].shown_by !== now.state) parts.push(rules.marks[id].name);
  if (now.kills) parts.push(plural(now.kills, "kill"));
  return parts.join(", ") || (one.title !== one.name ? one.title : "") || stateName(rules, now.state);
}
