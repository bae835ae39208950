// Taking a test: rolled here or typed, with what is needed, a modifier, and further dice where the test knows them.
import { chance, percent, rollOne } from "./dice.js";
import { h, icon, press, stepper } from "./dom.js";
import { flightOf, mayReroll } from "./guards.js";
import { resultOf, rowOf, scoreOf } from "./throws.js";
import { isInPlay } from "./turns.js";
import { diceName, needWords, possessive } from "./words.js";

const FIGURES = { leadership: "Leadership", initiative: "Initiative" };
const MOST_BUTTONS = 10; // faces shown as buttons; a D20 is typed

/** What a test begins with: whose it is, what is needed, and no dice yet. */
export function beginTest(app, { test: id, combatant, side }) {
  const { rules, state, names } = app;
  const test = rules.tests[id];
  const figure = side ? state.sides[side].rout.leadership : (names.combatants.get(combatant)[test.against] ?? null);
  const own = test.needs ?? (test.against ? figure : null);
  const isScored = test.passes.startsWith("at_");
  // A score that only the table knows begins in the middle of the die.
  const need = isScored && test.against !== "leadership" ? (own ?? Math.ceil(test.dice[0] / 2)) : own;
  return {
    test: id,
    ...(side ? { side } : { combatant }),
    need,
    modifier: 0,
    extra: furtherDice(app, { test: id, combatant }),
    again: false,
    dice: [],
    rolled: null,
  };
}

/** The dice a test takes beyond those always thrown, where its taker has so many and no others. */
export function furtherDice({ rules, state }, { test: id, combatant, cause }) {
  const test = rules.tests[id];
  const own = test.throws && combatant ? flightOf(state.game, state.game.men.get(combatant)) : null;
  if (own === null) return 0;
  return Math.max(0, own - test.dice.length - (test.causes.find((one) => one.id === cause)?.fewer ?? 0));
}

const isScored = (test, taking) => test.passes.startsWith("at_") && taking.need !== null;

/** The sides of the dice of one throw. */
export const sidesOf = (test, { extra }) => [...test.dice, ...Array(extra).fill(test.extra)];

/** The sides of all dice to type: those of a throw that was repeated come twice. */
export const typedSides = (test, taking) => (taking.again ? [...test.dice, ...test.dice] : sidesOf(test, taking));

export const rollTest = (test, taking) => sidesOf(test, taking).map(rollOne);

/** Whether these dice fail a test that may be thrown once more. */
export const mayThrowAgain = (app, test, taking, dice) =>
  test.rerolls && hasReroll(app, test, taking) && isScored(test, taking) && !resultOf(test, dice, taking.need, taking.modifier);

/** Whether a test may be thrown twice here: where that needs somebody near, he is on the side and not out. */
function hasReroll({ state: { game } }, test, { combatant }) {
  const man = game.men.get(combatant);
  return !test.rerolls_near.length || mayReroll(game, test, game.flanks.get(man.combatant.side).men);
}

/** The payload to record for these dice. */
export function payloadOf({ test, combatant, side, need, modifier, cause, lentBy, force }, dice, source) {
  const who = side ? { side } : { combatant };
  const why = { ...(cause && { cause }), ...(lentBy && { lent_by: lentBy }) };
  return { test, ...who, dice, source, ...(need !== null && { need }), ...(modifier && { modifier }), ...why, ...force };
}

/** The leader who may lend this test a better Leadership than its own, as the rules and his state have it; or null. */
function lenderOf({ rules, state, names, bundle }, test, { combatant }) {
  const own = names.combatants.get(combatant);
  if (!own || !rules.lends?.tests.includes(test.id)) return null;
  const leader = bundle.sides.find((side) => side.id === own.side).combatants.find((one) => one.is_leader);
  if (!leader || leader.id === combatant || (leader.leadership ?? 0) <= (own.leadership ?? 0)) return null;
  const now = state.combatants[leader.id];
  return isInPlay(rules, now) && !rules.lends.barred.includes(now.state) ? leader : null;
}

/** What is settled before the dice: what brought the test about, and whose Leadership it is taken on. */
function circumstances(app, test, taking) {
  const lender = lenderOf(app, test, taking);
  const given = (id, isOn) => ({ css: "chip", "data-to": id, "aria-pressed": String(isOn) });
  const causes = test.causes.map(({ id, name }) => press("cause", given(id, taking.cause === id), name));
  const lent = lender && `${possessive(lender.name)} Leadership ${lender.leadership}, within ${app.rules.lends.within}"`;
  return [
    test.note && h("p", {}, test.note),
    causes.length > 0 && [h("p.label", {}, "Cause"), h("div.chips", { role: "group", "aria-label": "Cause" }, causes)],
    lender &&
      h("div.chips", {}, press("lend", { ...given(lender.id, taking.lentBy === lender.id), "data-need": lender.leadership }, lent)),
  ];
}

/** The score needed once the modifier is counted. */
const needed = (test, { need, modifier }) => (test.passes === "at_most" ? need + modifier : need - modifier);

/** What came of it in words: "Gorrak’s Lads, Rout test: 7, needed 8 or less, passed". */
export function resultWords(app, taking, dice) {
  const test = app.rules.tests[taking.test];
  const score = scoreOf(test, dice);
  const parts = [`${app.names.subject(taking)}, ${test.name}: ${score}`];
  if (test.passes === "table") parts.push(rowOf(test, dice, taking.modifier)?.name);
  if (isScored(test, taking)) {
    parts.push(`needed ${needWords(test, needed(test, taking))}`);
    parts.push(resultOf(test, dice, taking.need, taking.modifier) ? "passed" : "failed");
  }
  return parts.filter(Boolean).join(", ");
}

function odds(test, taking) {
  if (!isScored(test, taking) || test.takes !== "sum" || taking.extra || new Set(test.dice).size !== 1) return "";
  const score = Math.min(needed(test, taking), test.fails_on ? test.fails_on - 1 : Infinity);
  return `${needWords(test, score)} passes: ${percent(chance(diceName(test.dice), score, test.passes))}.`;
}

const field = (label, value, key, least, most) =>
  stepper(label, value, { does: "taking", least, most, "data-key": key });

function pad(faces, place, chosen) {
  const name = `Die ${place + 1}, D${faces}`;
  if (faces > MOST_BUTTONS) {
    const given = {
      type: "number",
      inputmode: "numeric",
      min: 1,
      max: faces,
      "data-change": "die",
      "data-place": place,
    };
    return h("label.field", {}, h("span.label", {}, name), h("input", given));
  }
  const face = (number) =>
    press(
      "die",
      { css: "die", "data-place": place, "data-to": number, "aria-pressed": String(chosen === number) },
      String(number),
    );
  return h(
    `div.pad.of-${faces}`,
    { role: "group", "aria-label": name },
    h("span.label", {}, name),
    Array.from({ length: faces }, (_, at) => face(at + 1)),
  );
}

/** A throw that failed and may be repeated: nothing is recorded yet. */
function thrown(app, taking) {
  return [
    h(
      "p.dice",
      {},
      taking.rolled.map((die) => h("b.die", {}, die)),
    ),
    h("p", {}, h("b", {}, resultWords(app, taking, taking.rolled))),
    press("keep-taking", { css: "btn pri wide-btn" }, "Record dice"),
    press("again-taking", { css: "btn wide-btn" }, icon("dices"), "Roll again (the second roll counts)"),
  ];
}

function typing(app, test, taking) {
  const sides = typedSides(test, taking);
  const isWhole = sides.every((faces, place) => taking.dice[place] >= 1 && taking.dice[place] <= faces);
  const words = isWhole
    ? `Record: ${resultWords(app, taking, taking.dice.slice(0, sides.length))}`
    : "Record typed dice";
  const again = press(
    "thrown-again",
    { css: "chip", "aria-pressed": String(taking.again) },
    "This is the second roll",
  );
  return [
    h("p.label", {}, "Or type the dice"),
    test.rerolls && hasReroll(app, test, taking) && again,
    sides.map((faces, place) => pad(faces, place, taking.dice[place])),
    press("record-taking", { css: "btn wide-btn", disabled: !isWhole }, words),
  ];
}

/** The sheet of a test. */
export function testSheet(app) {
  const { taking } = app.view;
  const { limits } = app.rules;
  const test = app.rules.tests[taking.test];
  const why = taking.side && test.loses ? app.state.sides[taking.side].rout.why : "";
  const title = `${test.name}: ${app.names.subject(taking)}`;
  const { game } = app.state;
  const man = game.men.get(taking.combatant);
  const isFixed = test.throws && flightOf(game, man) !== null;
  const most = test.extra_from ? Math.min(test.extra_most, game.flanks.get(man.combatant.side).counters[test.extra_from]) : test.extra_most;
  if (taking.rolled) return { title, body: thrown(app, taking) };
  return {
    title,
    body: [
      circumstances(app, test, taking),
      h("p", {}, [why, odds(test, taking)].filter(Boolean).join(" ")),
      test.passes.startsWith("at_") && field(FIGURES[test.against] ?? "Needed", taking.need ?? 0, "need", 0, 20),
      test.subtracts
        ? field(test.subtracts, -taking.modifier, "lost", 0, limits.modifier)
        : test.passes !== "none" && field("Modifier", taking.modifier, "modifier", -limits.modifier, limits.modifier),
      test.extra_most > 0 && !isFixed && field(`Further D${test.extra}`, taking.extra, "extra", 0, most),
      press("roll-taking", { css: "btn pri wide-btn" }, icon("dices"), `Roll ${diceName(sidesOf(test, taking))}`),
      typing(app, test, taking),
    ],
  };
}
