// A system's tables and the sides, with everything looked up by key. What engine/battles/ground.py is on the server.

/** A key as it is compared: hyphens, underscores and spaces are alike, and so are capitals. */
export const plainly = (word) => word.toLowerCase().replace(/[- ]/g, "_");

/** A name inside a sentence. */
export const lowered = (name) => name.slice(0, 1).toLowerCase() + name.slice(1);

/** A sentence of the rules with its fields filled in. */
export const told = (rules, key, fields = {}) =>
  rules.sentences[key].replace(/\{(\w+)\}/g, (_, field) => String(fields[field]));

const words = (keys) => new Map([...keys.map((key) => [plainly(key), key]), ...keys.map((key) => [key, key])]);

const made = new WeakMap();

/** The tables of these rules, made once. */
function tablesOf(rules) {
  if (made.has(rules)) return made.get(rules);
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
    becomes: { own_turn_start: new Map(), own_turn_end: new Map(), turn_change: new Map() },
  };
  for (const step of rules.steps) {
    const key = `${step.before} ${step.after}`;
    if (!tables.steps.has(key)) tables.steps.set(key, step);
    const after = tables.after.get(step.before);
    if (step.after !== step.before && !after.includes(step.after)) after.push(step.after);
  }
  for (const { state, to, at } of rules.becomes) tables.becomes[at].set(state, to);
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
