// What a phase asks for, in its order, and an end that is at hand. tests/engine/battles/suggestions.py says the same in Python.
import { told } from "./ground.js";

/**
 * `[{prompt, sides, who}]`: the rules' prompt, the ids of the sides that should take its test, or of the combatants it
 * is for; with neither it is a reminder. Nothing once the battle has ended.
 */
export function suggestions(rules, field, state) {
  if (state.end) return [];
  const asked = new Set(Object.values(rules.tests).map((test) => test.asks));
  return rules.prompts
    .filter((prompt) => prompt.phase === state.phase)
    .map((prompt) => suggestion(rules, field, state, prompt, asked))
    .filter((one) => one !== null);
}

function suggestion(rules, field, state, prompt, asked) {
  const sides = field.sides.filter((side) => prompt.whose === "all" || state.side === null || state.side === side.id);
  const ifAny = (found) => (found.sides.length || found.who.length ? { prompt, ...found } : null);
  const men = () => sides.flatMap((side) => standing(rules, state, side));
  if (prompt.test && rules.tests[prompt.test].of === "side") {
    const isRout = prompt.test === rules.rout?.test;
    const due = sides.filter(({ id }) => isDue(state.sides[id], prompt.test, isRout));
    return ifAny({ sides: due.map((side) => side.id), who: [] });
  }
  if (prompt.test && (prompt.when.length || asked.has(prompt.test))) {
    const takes = ({ asks, state: now, taken }) =>
      asks === prompt.test || (!asks && prompt.when.includes(now) && !taken.includes(prompt.test));
    return ifAny({ sides: [], who: men().filter(([, now]) => takes(now)).map(([id]) => id) });
  }
  if (prompt.to) {
    const changes = (now) =>
      prompt.when.includes(now.state) && (now.turn_began === now.state || prompt.whose === "all");
    return ifAny({ sides: [], who: men().filter(([, now]) => changes(now)).map(([id]) => id) });
  }
  return { prompt, sides: [], who: [] };
}

const isDue = (side, test, isRout) => (isRout ? side.rout.due : !side.taken.includes(test) && !side.has_routed);

function standing(rules, state, side) {
  if (state.sides[side.id].has_routed) return [];
  const now = side.combatants.map((one) => [one.id, state.combatants[one.id]]);
  return now.filter(([, one]) => !one.is_out && !rules.states[one.state].is_away);
}

/** `{how, winner, why}` when everybody of all sides but one, or of all, is out; null while it goes on. */
export function likelyEnd(rules, field, state) {
  if (state.end || field.sides.length < 2) return null;
  const left = field.sides.filter((side) => side.combatants.some((one) => !state.combatants[one.id].is_out));
  if (left.length === 1 && rules.endings.wiped_out) {
    return { how: "wiped_out", winner: left[0].id, why: told(rules, "suggest_end", { side: left[0].name }) };
  }
  if (!left.length && rules.endings.drawn) return { how: "drawn", winner: null, why: told(rules, "suggest_drawn") };
  return null;
}
