// A system's tables and the sides, with everything looked up by key. What engine/battles/ground.py is on the server.

/** A key as it is compared: hyphens, underscores and spaces are alike, and so are capitals. */
export const plainly = (word) => word.toLowerCase().replace(/[- ]/g, "_");

/** A name inside a sentence. */
export const lowered = (name) => name.slice(0, 1).toLowerCase() + name.slice(1);

/** A sentence of the rules with its fields filled in. */
export const told = (rules, key, fields = {}) =>
  rules.sentences[key].replace(/\{(\w+)\}/g, (_, field) => String(fields[field]));

const words = (keys) => new Map([...keys.map((key) => [plainly(key), key]), ...keys.map((key) => [key, key])]);

/** The acts a guard stands against: "test rout", "state hidden". */
const actsOf = (guard) => [
  ...["test", "mark", "counter", "phase"].flatMap((kind) => guard[`${kind}s`].map((id) => `${kind} ${id}`)),
  ...guard.to.map((id) => `state ${id}`),
  ...(guard.next_turn ? ["turn next"] : []),
];

const made = new WeakMap();

const LISTS = ["tests", "marks", "to", "counters", "phases", "before", "during", "kinds", "traits", "others", "moments", "when", "not_with", "needs", "began"];
// What a guard has where it says nothing: the server leaves it out.
const GUARD = {
  ...Object.fromEntries(LISTS.map((list) => [list, []])),
  ...{ wounds: null, least: null, not_failed: "", felled: "", never: false, once: false, asked: false, untaken: "", until_row: "", next_turn: false },
};

const PROMPT = {
  ...Object.fromEntries(["when", "traits", "others", "not_with", "enemies", "after", "friends"].map((list) => [list, []])),
  ...{ phase: "", whose: "own", test: "", to: "", mark: "", is_must: false, is_leader: false, near: false, below: null, after_row: "", quarter: "" },
};

/** What the rules of a battle lack that this browser has kept since an earlier release. */
function fillIn(rules) {
  Object.assign(rules, { guards: [], hurts: [], ranks: [], ...rules });
  rules.guards = rules.guards.map((guard) => ({ ...GUARD, ...guard }));
  for (const mark of Object.values(rules.marks)) {
    Object.assign(mark, { ends: [], traits: [], carries: "", flight: null, ...mark, left_by: [mark.left_by].flat().filter(Boolean) });
  }
  for (const test of Object.values(rules.tests)) {
    Object.assign(test, { rerolls_near: [], throws: "", extra_from: "", ...test, leaves: [test.leaves].flat().filter(Boolean) });
  }
  rules.prompts = rules.prompts.map((prompt) => ({ ...PROMPT, ...prompt }));
}

/** The tables of these rules, made once. */
function tablesOf(rules) {
  if (made.has(rules)) return made.get(rules);
  fillIn(rules);
  const states = Object.values(rules.states);
  const tables = {
    words: {
      state: words(Object.keys(rules.states)),
      phase: words(rules.phases.map((phase) => phase.id)),
      mark: words(Object.keys(rules.marks)),
      counter: words(Object.keys(rules.counters)),
      test: words(Object.keys(rules.tests)),
      ending: words(Object.keys(rules.endings)),
      source: words(["app", "typed"]),
    },
    steps: new Map(),
    after: new Map(states.map((state) => [state.id, []])),
    out: new Set(states.filter((state) => state.is_out).map((state) => state.id)),
    gone: new Set(states.filter((state) => state.is_out || state.is_away).map((state) => state.id)),
    names: new Map(states.map((state) => [state.id, lowered(state.name)])),
    guards: new Map(),
    rank: (state) => rules.ranks.indexOf(state) + 1,
    becomes: { own_turn_start: new Map(), own_turn_end: new Map(), turn_end: new Map(), turn_change: new Map() },
  };
  for (const step of rules.steps) {
    const key = `${step.before} ${step.after}`;
    if (!tables.steps.has(key)) tables.steps.set(key, step);
    const after = tables.after.get(step.before);
    if (step.after !== step.before && !after.includes(step.after)) after.push(step.after);
  }
  for (const { state, to, at } of rules.becomes) tables.becomes[at].set(state, to);
  for (const guard of rules.guards) for (const act of actsOf(guard)) tables.guards.set(act, [...(tables.guards.get(act) ?? []), guard]);
  made.set(rules, tables);
  return tables;
}

/** Rules and field together: `{rules, field, tables, sides, combatants}`, the last two by id. */
export function groundOf(rules, field) {
  const sides = new Map(field.sides.map((side) => [side.id, side]));
  const combatants = new Map(field.sides.flatMap((side) => side.combatants.map((one) => [one.id, one])));
  return { rules, field, tables: tablesOf(rules), sides, combatants };
}

/** Whether anybody's Leadership is known on a side. */
export const hasFigure = (side) => side.leadership !== null || side.combatants.some((one) => one.leadership !== null);
