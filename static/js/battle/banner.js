// What needs a decision now, above the board: who begins, a Rout test that is due, what a phase suggests, how it ended.
// Each is opened in full once and folds to one line as soon as something else is done.
import { chance, percent } from "./dice.js";
import { fill, h, icon, press } from "./dom.js";
import { likelyEnd, suggestions } from "./fold.js";
import { asksWhose } from "./turns.js";
import { diceName, needWords, phaseName, plural } from "./words.js";

/** Who has the first turn: of the battle, or of a round that begins with everybody. */
function begin({ bundle, rules, state, begun, order, isReader }) {
  if (isReader) return begun ? null : h("section.todo", {}, h("h2", {}, "The battle has not started"));
  const number = begun ? state.turn : 1;
  const turn = `${rules.turn_name} ${number}`;
  if (!asksWhose(rules, state, begun)) {
    if (begun) return null;
    const button = press("begin", { css: "btn pri", "data-number": number }, `Start ${turn.toLowerCase()}`);
    return h(
      "section.todo",
      { "aria-labelledby": "begin" },
      h("h2", { id: "begin" }, "Ready to start"),
      h("div.row", {}, button),
    );
  }
  const sides = bundle.sides.map(({ id, name }) =>
    press("begin", { css: id === order[0] ? "btn pri" : "btn", "data-number": number, "data-side": id }, name),
  );
  const title = begun ? `Who goes first in ${turn.toLowerCase()}?` : "Who goes first?";
  return h("section.todo", { "aria-labelledby": "begin" }, h("h2", { id: "begin" }, title), h("div.row", {}, sides));
}

/** The end is at hand, because everybody of all sides but one is out. */
function nearEnd({ bundle, rules, state, isReader }) {
  const likely = likelyEnd(rules, bundle, state);
  if (!likely || isReader) return null;
  const button = press("likely-end", { css: "btn pri" }, "End battle");
  return h(
    "section.todo",
    { "aria-labelledby": "near-end" },
    h("h2", { id: "near-end" }, likely.why),
    h("div.row", {}, button),
  );
}

function ended({ rules, names, state, links, isReader }) {
  const { winner, how } = state.end;
  const words = winner ? `${names.side(winner)} won` : "Draw";
  return h(
    "section.todo.ended",
    { "aria-labelledby": "ended" },
    h("h2", { id: "ended" }, words),
    h("p", {}, `${rules.endings[how]?.name ?? how}, ${rules.turn_name.toLowerCase()} ${state.turn}.`),
    h(
      "div.row",
      {},
      h("a.btn.pri", { href: links.battle }, "Open result"),
      !isReader && press("unend", {}, "Reopen battle"),
    ),
  );
}

function routButtons(test, side, dice) {
  const given = { "data-test": test.id, "data-side": side.id };
  return h(
    "div.row",
    {},
    press("roll", { css: "btn pri", ...given }, icon("dices"), `Roll ${dice}`),
    press("test", { ...given, "aria-haspopup": "dialog" }, "Type dice"),
  );
}

/** Names a Rout test, so that it opens when it is called and once more when its time has come. */
export const routKey = (side, now) => `rout ${side} ${now}`;

function rout(app, side) {
  const { rules, state, view, isReader } = app;
  const test = rules.tests[rules.rout.test];
  const { leadership, why, now } = state.sides[side.id].rout;
  const key = routKey(side.id, now);
  const isFolded = view.looked.has(key);
  const odds = leadership === null ? null : percent(chance(diceName(test.dice), leadership, test.passes));
  const dice = diceName(test.dice);
  const title = `Rout test ${now ? "due" : "to come"}: ${side.name}`;
  return h(
    `section.rout${isFolded ? ".folded" : ""}`,
    { id: `rout-${side.id}`, "aria-labelledby": `rout-${side.id}-title` },
    h("p.n", {}, h("small", {}, "on Ld"), leadership ?? "–"),
    h(
      "div",
      {},
      h("h2", { id: `rout-${side.id}-title` }, title),
      !isFolded &&
        h(
          "p",
          {},
          why,
          odds && ` ${dice}, ${needWords(test, leadership)} holds: ${odds}.`,
          !now && " Taken at the start of their turn.",
        ),
    ),
    isFolded &&
      press(
        "unfold",
        { css: "btn icon", "data-key": key, "aria-expanded": "false", "aria-label": `Open: ${title}` },
        icon("chevron-down"),
      ),
    !isFolded && now && !isReader && routButtons(test, side, dice),
  );
}

function line(app, { prompt, who, sides }) {
  const { names, isReader } = app;
  const name = (id) => names.combatant(id);
  const buttons = prompt.test
    ? [
        ...who.map((id) =>
          press(
            "test",
            { css: "chip", "data-test": prompt.test, "data-combatant": id, "aria-haspopup": "dialog" },
            name(id),
          ),
        ),
        ...sides.map((id) =>
          press(
            "test",
            { css: "chip", "data-test": prompt.test, "data-side": id, "aria-haspopup": "dialog" },
            names.side(id),
          ),
        ),
      ]
    : prompt.mark
      ? who.map((id) => press("mark", { css: "chip", "data-id": id, "data-mark": prompt.mark }, name(id)))
      : who.map((id) => press("state", { css: "chip", "data-id": id, "data-to": prompt.to }, name(id)));
  const all = prompt.to && prompt.is_must && who.length > 1;
  // Where they stand only the players see: the names are at hand, and count as nothing to do.
  const key = `${todoKey(app)} ${prompt.text}`;
  if (prompt.near && !app.view.opened.has(key)) {
    const open = press("fold", { css: "chip", "data-key": key, "aria-expanded": "false" }, `Who (${who.length})`);
    return h("li", {}, h("p", {}, prompt.text), !isReader && h("div.chips", {}, open));
  }
  return h(
    "li",
    {},
    h("p", {}, prompt.text),
    buttons.length > 0 &&
      !isReader &&
      h(
        "div.chips",
        {},
        all && press("all", { css: "chip all", "data-ids": who.join(" "), "data-to": prompt.to }, "All"),
        buttons,
      ),
  );
}

const MOST_LINES = 3; // of a phase's order shown at once

/** Names what a phase suggests, so that it opens once for each. */
export const todoKey = ({ begun, state }) => `todo ${begun} ${state.turn} ${state.side} ${state.phase}`;

/** The order of things in this phase; open where somebody has something to do, else one line that can be opened. */
function order(app) {
  const { rules, bundle, state, view } = app;
  const found = suggestions(rules, bundle, state).filter((one) => one.prompt.test !== rules.rout?.test);
  if (!found.length) return null;
  const due = found.filter((one) => !one.prompt.near);
  const open = due.reduce((count, one) => count + one.who.length + one.sides.length, 0);
  const key = todoKey(app);
  const isWhole = found.length <= MOST_LINES || view.opened.has(`${key} whole`);
  const isOpen = view.opened.has(key) || ((open > 0 || due.length < found.length) && !view.looked.has(key));
  return h(
    "section.todo",
    { "aria-labelledby": "todo" },
    h(
      "h2",
      { id: "todo" },
      press(
        "fold",
        { css: "todo-head", "data-key": key, "aria-expanded": String(isOpen) },
        h(
          "span",
          {},
          `${phaseName(rules, state.phase)}: ${open ? `${plural(open, "thing")} to do` : "sequence"}`,
        ),
        icon(isOpen ? "chevron-down" : "chevron-right"),
      ),
    ),
    isOpen &&
      h(
        "ol",
        {},
        found.slice(0, isWhole ? found.length : MOST_LINES).map((one) => line(app, one)),
      ),
    isOpen &&
      !isWhole &&
      press("fold", { css: "btn quiet", "data-key": `${key} whole`, "aria-expanded": "false" }, `${found.length - MOST_LINES} more`),
  );
}

function outcome({ view }) {
  const { shown } = view;
  if (!shown) return null;
  return h(
    "section.todo.shown",
    { "aria-labelledby": "shown" },
    h(
      "p.dice",
      {},
      shown.dice.map((die) => h("b.die", {}, die)),
    ),
    h("h2", { id: "shown" }, shown.words),
  );
}

export function drawBanner(place, app) {
  const { state, bundle, begun } = app;
  if (state.end) return fill(place, outcome(app), ended(app));
  const due = bundle.sides.filter((side) => state.sides[side.id].rout.due);
  const routs = due.map((side) => rout(app, side));
  return fill(place, outcome(app), nearEnd(app), begin(app), routs, begun && order(app));
}
