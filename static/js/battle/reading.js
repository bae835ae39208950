// Reads one payload by itself: each key in its place, of its type and inside its limits, every word a known one.
// What engine/battles/payloads.py is on the server, in the same order and with the same sentences.
import { hasFigure, lowered, plainly, told } from "./ground.js";
import { diceTold, ownFigure, mayBeLent, resultOf, scoreOf } from "./throws.js";

const UNWANTED = /[\x00-\x08\x0b-\x1f\x7f]|\p{Cs}/u;
const MANY = 9999;

class Unsound extends Error {}

/** The payload of an event, understood: `{said}`, or `{fault}` with the sentence to tell. */
export function read(ground, id, kind, payload) {
  try {
    return { said: understood(ground, id, kind, payload), fault: "" };
  } catch (error) {
    if (error instanceof Unsound) return { said: {}, fault: error.message };
    throw error;
  }
}

function understood(ground, id, kind, payload) {
  if (!KINDS.has(kind)) stop(ground, "kind", { value: shown(ground, kind), known: [...KINDS.keys()].join(", ") });
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) stop(ground, "payload");
  const { keys, further } = KINDS.get(kind);
  for (const key of Object.keys(payload)) {
    if (Object.hasOwn(keys, key)) continue;
    stop(ground, "unknown_key", { value: shown(ground, key), kind, known: Object.keys(keys).join(", ") });
  }
  const said = {};
  for (const [key, [reader, isNeeded]] of Object.entries(keys)) {
    const value = payload[key] ?? null;
    if (value !== null) said[key] = reader(ground, key, value);
    else if (isNeeded) stop(ground, "missing", { key });
  }
  checkForced(ground, said);
  further?.(ground, said, id);
  return said;
}

function stop(ground, key, fields) {
  throw new Unsound(told(ground.rules, key, fields));
}

function shown(ground, value) {
  const most = ground.rules.limits.shown;
  return typeof value === "string" ? [...value.slice(0, 2 * most)].slice(0, most).join("") : "?";
}

function word(ground, key, value) {
  return typeof value === "string" ? value : stop(ground, "word", { key });
}

function combatant(ground, key, value) {
  if (!ground.combatants.has(word(ground, key, value))) stop(ground, "nobody", { key, value: shown(ground, value) });
  return value;
}

function side(ground, key, value) {
  if (!ground.sides.has(word(ground, key, value))) stop(ground, "no_side", { key, value: shown(ground, value) });
  return value;
}

const known = (what) => (ground, key, value) => {
  const words = ground.tables.words[what];
  const found = words.get(word(ground, key, value)) ?? words.get(plainly(value));
  if (found !== undefined) return found;
  const all = [...new Set(words.values())].join(", ");
  return stop(ground, all ? "unknown" : "none_known", { key, value: shown(ground, value), known: all });
};

function whole(ground, key, value, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) stop(ground, "whole", { key, least, most });
  return value;
}

const number = (ground, key, value) => whole(ground, key, value, 1, ground.rules.limits.turn);
const count = (ground, key, value) => whole(ground, key, value, 0, MANY);
const score = (ground, key, value) => whole(ground, key, value, 0, ground.rules.limits.score);

function modifier(ground, key, value) {
  return whole(ground, key, value, -ground.rules.limits.modifier, ground.rules.limits.modifier);
}

function flag(ground, key, value) {
  return typeof value === "boolean" ? value : stop(ground, "flag", { key });
}

function text(ground, key, value) {
  const most = ground.rules.limits.text;
  const isText = typeof value === "string" && /[^ \t\n]/.test(value) && [...value].length <= most;
  if (!isText) stop(ground, "text", { key, most });
  if (UNWANTED.test(value)) stop(ground, "characters", { key });
  return value;
}

function dice(ground, key, value) {
  return Array.isArray(value) ? value : stop(ground, "dice_list");
}

/** An event's id as it is compared: small letters, with hyphens where a UUID has them. */
export function eventKey(id) {
  const bare = id.toLowerCase().replaceAll("-", "");
  if (bare.length !== 32) return id;
  return [bare.slice(0, 8), bare.slice(8, 12), bare.slice(12, 16), bare.slice(16, 20), bare.slice(20)].join("-");
}

function checkForced(ground, said) {
  if (said.forced && said.note === undefined) stop(ground, "note_needed");
}

function checkBy(ground, said) {
  if (said.by !== undefined && said.by === said.combatant) stop(ground, "by_itself");
}

function checkWounds(ground, said) {
  const { name, wounds } = ground.combatants.get(said.combatant);
  if (wounds === null) stop(ground, "no_wounds", { name });
  whole(ground, "to", said.to, 0, wounds);
  checkBy(ground, said);
}

function checkOf(ground, said, of, value) {
  const other = of === "combatant" ? "side" : "combatant";
  if (said[of] === undefined || said[other] !== undefined) stop(ground, `of_${of}`, { value });
}

function checkCounter(ground, said) {
  const rule = ground.rules.counters[said.counter];
  checkOf(ground, said, rule.of, rule.id);
  const models = rule.of === "combatant" ? ground.combatants.get(said.combatant).models : MANY;
  whole(ground, "to", said.to, rule.least, rule.most ?? models);
  checkBy(ground, said);
}

function checkTest(ground, said) {
  const test = ground.rules.tests[said.test];
  checkOf(ground, said, test.of, test.id);
  checkBy(ground, said);
  if (test.subtracts && said.modifier > 0) {
    stop(ground, "whole", { key: "modifier", least: -ground.rules.limits.modifier, most: 0 });
  }
  checkCircumstances(ground, test, said);
  const thrown = said.dice ?? [];
  if (thrown.length) checkDice(ground, test, thrown);
  if (test.passes === "table" || test.passes === "none") {
    if (!thrown.length) stop(ground, "table_dice", { name: test.name });
    if (said.passed !== undefined) stop(ground, "table_passed", { name: test.name });
    return;
  }
  let need = said.need ?? test.needs;
  if (need === null) {
    need = ownFigure(ground, test, said);
    const isKnown = (test.loses && hasFigure(ground.sides.get(said.side))) || ground.combatants.get(said.combatant)?.is_hidden;
    if (need === null && !isKnown && said.passed === undefined) stop(ground, "need_or_passed");
  }
  if (!thrown.length) {
    if (said.passed === undefined) stop(ground, "missing", { key: "passed" });
  } else if (need !== null && said.passed !== undefined) {
    const passed = resultOf(test, thrown, need, said.modifier ?? 0);
    const result = passed ? "passed" : "failed";
    if (passed !== said.passed) stop(ground, "disagree", { score: scoreOf(test, thrown), need, result });
  }
}

/** What brought the test about, and whose Leadership it is taken on. */
function checkCircumstances(ground, test, said) {
  if (said.cause !== undefined) {
    const causes = test.causes.map((cause) => cause.id);
    const found = causes.find((id) => id === plainly(said.cause));
    const fields = { key: "cause", value: shown(ground, said.cause), known: causes.join(", ") };
    if (found === undefined) stop(ground, causes.length ? "unknown" : "none_known", fields);
    said.cause = found;
  }
  if (said.lent_by !== undefined && !mayBeLent(ground, test, said)) stop(ground, "no_lender");
}

function checkDice(ground, test, thrown) {
  const further = thrown.length - test.dice.length;
  let sides = test.dice;
  if (test.rerolls && further === sides.length) sides = [...sides, ...sides];
  else if (test.extra_most && further >= 0 && further <= test.extra_most) {
    sides = [...sides, ...Array(further).fill(test.extra)];
  }
  if (thrown.length !== sides.length) stop(ground, "dice_count", { name: test.name, dice: diceTold(test) });
  thrown.forEach((face, place) => {
    const isFace = Number.isInteger(face) && face >= 1 && face <= sides[place];
    if (!isFace) stop(ground, "die_face", { sides: sides[place] });
  });
}

function checkEnd(ground, said) {
  const ending = ground.rules.endings[said.how];
  if (said.winner !== undefined && !ending.has_winner) stop(ground, "winner_none", { how: lowered(ending.name) });
}

/** What keeps a readable event from being new: an end that leaves out who won. "" for nothing. */
export function winnerFault(ground, kind, said) {
  if (kind !== "end" || said.winner !== undefined) return "";
  const ending = ground.rules.endings[said.how];
  return ending.has_winner ? told(ground.rules, "winner_needed", { how: ending.name }) : "";
}

function checkUndo(ground, said, id) {
  if (said.event === eventKey(id)) stop(ground, "undo_self");
}

const FORCE = { forced: [flag, false], note: [text, false] };
// What a device showed when the act was recorded, for moments that others had passed by then.
const SEEN = { in_phase: [known("phase"), false], in_turn_of: [side, false], unseen: [flag, false] };
const FORCED = { by: [combatant, false], ...FORCE, ...SEEN };
const KINDS = new Map(
  Object.entries({
    turn: { keys: { number: [number, true], side: [side, false], ...FORCE } },
    phase: { keys: { phase: [known("phase"), true], ...FORCE } },
    state: { keys: { combatant: [combatant, true], to: [known("state"), true], ...FORCED }, further: checkBy },
    wounds: { keys: { combatant: [combatant, true], to: [count, true], by: [combatant, false] }, further: checkWounds },
    mark: { keys: { combatant: [combatant, true], mark: [known("mark"), true], on: [flag, false], ...FORCE, ...SEEN } },
    counter: {
      keys: {
        combatant: [combatant, false],
        side: [side, false],
        counter: [known("counter"), true],
        to: [count, true],
        ...FORCED,
      },
      further: checkCounter,
    },
    test: {
      keys: {
        test: [known("test"), true],
        combatant: [combatant, false],
        side: [side, false],
        dice: [dice, false],
        source: [known("source"), false],
        need: [score, false],
        passed: [flag, false],
        modifier: [modifier, false],
        cause: [text, false],
        lent_by: [combatant, false],
        ...FORCED,
      },
      further: checkTest,
    },
    note: { keys: { text: [text, true], combatant: [combatant, false] } },
    end: { keys: { winner: [side, false], how: [known("ending"), true], note: [text, false] }, further: checkEnd },
    undo: {
      keys: { event: [(ground, key, value) => eventKey(word(ground, key, value)), true] },
      further: checkUndo,
    },
  }),
);
