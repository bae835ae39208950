// What a phase asks for, in its order, and an end that is at hand. tests/engine/battles/suggestions.py says the same in Python.
import { isGone, routState } from "./rout.js";
import { told } from "./ground.js";
import { refusal } from "./guards.js";

/**
 * `[{prompt, sides, who}]`: the rules' prompt, the ids of the sides that should take its test, or of the combatants it
 * is for; with neither it is a reminder. Nobody is asked for what the guards refuse. Nothing once the battle has ended.
 */
export function suggestions(rules, field, { game, end }) {
  if (end) return [];
  const asked = new Set(Object.values(rules.tests).map((test) => test.asks));
  return rules.prompts
    .filter((prompt) => !prompt.phase || prompt.phase === game.phase)
    .map((prompt) => suggestion(game, prompt, asked))
    .filter((one) => one !== null);
}

function suggestion(game, prompt, asked) {
  const { rules } = game;
  const isFor = ({ side }) => prompt.whose === "all" || game.side === null || game.side === side.id;
  const flanks = [...game.flanks.values()].filter(isFor);
  const ifAny = (found) => (found.sides.length || found.who.length ? { prompt, ...found } : null);
  const act = prompt.test ? ["test", { test: prompt.test }] : prompt.to ? ["state", { to: prompt.to }] : ["mark", { mark: prompt.mark }];
  const may = (man) => !refusal(game, act[0], { ...act[1], combatant: man.combatant.id });
  const who = (takes) => {
    const men = flanks.filter((flank) => !flank.hasRouted && concerns(game, prompt, flank)).flatMap((flank) => flank.men);
    const taking = men.filter((man) => !isGone(game, man) && isMeant(prompt, man) && takes(man) && may(man));
    return ifAny({ sides: [], who: taking.map((man) => man.combatant.id) });
  };
  if (prompt.test && rules.tests[prompt.test].of === "side") {
    const due = flanks.filter((flank) => isDue(game, flank, prompt.test));
    return ifAny({ sides: due.map(({ side }) => side.id), who: [] });
  }
  const isHappening = prompt.after.length || prompt.after_row || prompt.quarter;
  const isAbout = [prompt.when, prompt.traits, prompt.enemies, prompt.friends].some((list) => list.length) || asked.has(prompt.test);
  if (prompt.test && (isHappening || isAbout)) {
    return who(({ asks, state, taken, phaseTaken }) => {
      if (asks === prompt.test) return true;
      const isOpen = isHappening ? !phaseTaken.has(prompt.test) : !taken.includes(prompt.test);
      return !asks && isOpen && (!prompt.when.length ? !asked.has(prompt.test) : prompt.when.includes(state));
    });
  }
  if (prompt.to) {
    return who((man) => prompt.when.includes(man.state) && (man.turnBegan === man.state || prompt.whose === "all"));
  }
  return prompt.mark ? who((man) => !man.marks.has(prompt.mark)) : { prompt, sides: [], who: [] };
}

/** Whether what a prompt waits for has happened to a side, or to anybody, in this phase. */
function concerns(game, prompt, flank) {
  const reached = prompt.is_leader ? flank.ledTo : flank.reached;
  const foes = [...game.flanks.values()].filter((other) => other !== flank).flatMap(({ men }) => men);
  const isFeared = ({ combatant }) => prompt.enemies.some((trait) => (combatant.traits ?? []).includes(trait));
  return (
    (!prompt.after.length || prompt.after.some((state) => reached.has(state))) &&
    (!prompt.after_row || game.rows.has(prompt.after_row)) &&
    (!prompt.friends.length || flank.men.some((man) => prompt.friends.includes(man.state))) &&
    (!prompt.enemies.length || foes.some((man) => isFeared(man) && !isGone(game, man)))
  );
}

/** Whether a prompt means a combatant of this kind, with what is left of it. */
function isMeant({ traits, others, below, quarter, not_with: barring }, man) {
  const { combatant, counters, marks, phaseBegan, wounds, woundsBegan } = man;
  const has = (words, of) => words.some((word) => (of ?? []).includes(word));
  const [began, left] = quarter === "wounds" ? [woundsBegan, wounds] : [phaseBegan[quarter], counters[quarter]];
  return (
    (!traits.length || has(traits, combatant.traits)) &&
    !has(others, combatant.kinds) &&
    !has(barring, [...marks]) &&
    (!below || counters[below[0]] < below[1]) &&
    (!quarter || (began > left && (began - left) * 4 >= began))
  );
}

function isDue(game, flank, test) {
  if (test !== game.rules.rout?.test) return !flank.taken.includes(test) && !flank.hasRouted;
  return routState(game, flank).due;
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
