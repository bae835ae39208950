// What every button of the recorder does. An act gets the app and what the button carries; most record something.
import { endSheet, menuSheet, nameSheet, noteSheet, testsSheet, turnSheet, unsentSheet } from "./menu.js";
import { likelyEnd } from "./fold.js";
import { logSheet } from "./log.js";
import { refusal } from "./guards.js";
import { beginTest, furtherDice, mayThrowAgain, payloadOf, resultWords, rollTest, testSheet, typedSides } from "./testing.js";
import { beginTurn, nextStep } from "./turns.js";
import { say } from "./dom.js";
import { stateName } from "./words.js";

const subjectOf = ({ combatant, side }) => (side ? { side } : { combatant });

/** Record an act, or show in the dock what the rules say against it, and the way past them. */
function attempt(app, kind, payload, label = app.names.subject(payload)) {
  const reason = payload.forced ? "" : refusal(app.state.game, kind, payload);
  if (reason) return showForcing(app, kind, payload, reason);
  app.view.forcing = null;
  return app.record([[kind, payload]], label);
}

function showForcing(app, kind, payload, reason) {
  const chosen = payload.combatant || payload.side ? subjectOf(payload) : null;
  Object.assign(app.view, { chosen, forcing: { kind, payload, reason } });
  if (app.view.sheet) app.close();
  say(`Against the rules: ${reason}`);
  app.draw();
  // With large letters the dock may be scrolled past it.
  document.querySelector("#forcing > *")?.scrollIntoView({ block: "nearest" });
}

const setState = (app, combatant, to) => attempt(app, "state", { combatant, to });

function choose(app, chosen) {
  const { view } = app;
  const isSame = JSON.stringify(view.chosen) === JSON.stringify(chosen);
  Object.assign(view, { chosen: isSame ? null : chosen, forcing: null, more: false });
  app.draw();
}

function recordTest(app, dice, source) {
  const { taking } = app.view;
  const words = resultWords(app, taking, dice);
  app.close();
  app.record([["test", payloadOf(taking, dice, source)]], app.names.subject(taking), { dice, words });
}

/** Say afterwards who did it: the event is taken back and recorded again with the name. */
function nameBy(app, { id }, by) {
  const { events, state } = app;
  const putOut = events.findLast(
    (event) =>
      state.verdicts[event.id] === "" &&
      event.payload.combatant === id &&
      ["state", "counter", "test", "wounds"].includes(event.kind),
  );
  if (!putOut || putOut.payload.by === by) return;
  const { by: _, ...rest } = putOut.payload;
  app.record(
    [
      ["undo", { event: putOut.id }],
      [putOut.kind, by ? { ...rest, by } : rest],
    ],
    app.names.combatant(id),
  );
}

export const acts = {
  tap(app, { id }) {
    app.view.chosen = { combatant: id };
    return setState(app, id, app.tapOf(id) ?? app.rules.begins);
  },
  state: (app, { id, to }) => app.state.combatants[id].state !== to && setState(app, id, to),
  all: (app, { ids, to }) =>
    app.record(
      ids.split(" ").map((combatant) => ["state", { combatant, to }]),
      stateName(app.rules, to),
    ),
  unforce(app) {
    app.view.forcing = null;
    app.draw();
  },
  "do-force"(app, _, form) {
    const { kind, payload } = app.view.forcing;
    const force = { forced: true, note: form.get("note").trim() };
    if (kind !== "test") {
      const label = ["phase", "turn"].includes(kind) ? "Turn" : undefined;
      return attempt(app, kind, { ...payload, ...force }, label);
    }
    app.view.forcing = null;
    app.view.taking = { ...beginTest(app, payload), force };
    return app.open(testSheet);
  },
  finish(app, _, by) {
    const { payload } = app.view.forcing;
    return attempt(app, "state", { ...payload, by: by || undefined });
  },
  by: (app, given, value) => nameBy(app, given, value),
  choose: (app, { id }) => choose(app, { combatant: id }),
  "choose-side": (app, { id }) => choose(app, { side: id }),
  more(app) {
    app.view.more = !app.view.more;
    app.draw();
  },

  wounds: (app, { id, to }) => app.record([["wounds", { combatant: id, to: Number(to) }]], app.names.combatant(id)),
  later(app, { id }) {
    app.view.later.add(id);
    app.draw();
  },
  sooner(app, { id }) {
    app.view.later.delete(id);
    app.draw();
  },
  counter: (app, { counter, to, ...who }) =>
    attempt(app, "counter", { ...subjectOf(who), counter, to: Number(to) }),
  mark(app, { id, mark }) {
    const on = !app.state.combatants[id].marks.includes(mark);
    attempt(app, "mark", { combatant: id, mark, on });
  },

  begin: (app, { number, side }) => app.record([beginTurn(Number(number), side)], `${app.rules.turn_name} ${number}`),
  "end-round": (app, { phase }) => app.record([["phase", { phase }]], app.rules.turn_name),
  next(app) {
    const { label, steps } = nextStep(app.rules, app.order, app.names, app.state);
    if (steps[0][0] === "turn") app.view.chosen = null;
    attempt(app, ...steps[0], label);
  },
  undo(app) {
    const { last } = app.view;
    if (last) app.takeBack(last.ids, last.label, !last.isUndo);
  },
  "undo-one"(app, { id }) {
    const { event } = app.ledger.entry(id);
    app.takeBack([id], "", event.kind !== "undo");
  },
  unend: (app) => app.takeBack([app.state.end.event], "The end", true),

  unfold(app, { key }) {
    app.view.looked.delete(key);
    app.draw();
  },
  fold(app, { key }, button) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    app.view.looked[isOpen ? "add" : "delete"](key);
    app.view.opened[isOpen ? "delete" : "add"](key);
    app.draw();
  },

  test(app, given) {
    const { test, ...who } = given;
    const payload = { test, ...subjectOf(who) };
    const reason = refusal(app.state.game, "test", payload);
    if (reason) return showForcing(app, "test", payload, reason);
    app.view.taking = beginTest(app, given);
    return app.open(testSheet);
  },
  roll(app, given) {
    app.view.taking = beginTest(app, given);
    acts["roll-taking"](app);
  },
  taking(app, { key, to }) {
    const value = Number(to);
    app.view.taking = { ...app.view.taking, ...(key === "lost" ? { modifier: -value } : { [key]: value }) };
    app.draw();
  },
  cause(app, { to }) {
    const { taking } = app.view;
    const cause = taking.cause === to ? "" : to;
    app.view.taking = { ...taking, cause, extra: furtherDice(app, { ...taking, cause }), dice: [] };
    app.draw();
  },
  lend(app, { to, need }) {
    const { taking } = app.view;
    const isOff = taking.lentBy === to;
    const own = app.names.combatants.get(taking.combatant).leadership;
    app.view.taking = { ...taking, lentBy: isOff ? "" : to, need: isOff ? own : Number(need) };
    app.draw();
  },
  die(app, { place, to }, typed) {
    app.view.taking.dice[place] = Number(to ?? typed);
    app.draw();
  },
  "roll-taking"(app) {
    const { taking } = app.view;
    const test = app.rules.tests[taking.test];
    const dice = rollTest(test, taking);
    if (!mayThrowAgain(app, test, taking, dice)) return recordTest(app, dice, "app");
    taking.rolled = dice;
    return app.draw();
  },
  "keep-taking": (app) => recordTest(app, app.view.taking.rolled, "app"),
  "again-taking"(app) {
    const { taking } = app.view;
    recordTest(app, [...taking.rolled, ...rollTest(app.rules.tests[taking.test], taking)], "app");
  },
  "thrown-again"(app) {
    const { taking } = app.view;
    taking.again = !taking.again;
    app.draw();
  },
  "record-taking"(app) {
    const { taking } = app.view;
    const { length } = typedSides(app.rules.tests[taking.test], taking);
    recordTest(app, taking.dice.slice(0, length), "typed");
  },

  menu: (app) => app.open(menuSheet),
  tests: (app) => app.open(testsSheet),
  log: (app) => app.open(logSheet),
  "all-log"(app) {
    app.view.allLog = true;
    app.draw();
  },
  close: (app) => app.close(),
  note(app, { id }) {
    app.view.noting = { combatant: id };
    app.open(noteSheet);
  },
  "do-note"(app, _, form) {
    const { combatant } = app.view.noting;
    app.close();
    app.record([["note", { text: form.get("text").trim(), ...(combatant && { combatant }) }]], "Note");
  },
  name: (app) => app.open(nameSheet),
  "do-name"(app, _, form) {
    app.access.author = form.get("author").trim();
    app.outbox.keepBattle({ author: app.access.author }).catch(() => {});
    app.close();
  },
  "turn-sheet"(app) {
    app.view.turning = null;
    app.open(turnSheet);
  },
  turning(app, { to: number, side }) {
    const { state, view } = app;
    const wanted = view.turning ?? { number: Math.max(1, state.turn), side: state.side };
    view.turning = { number: Number(number ?? wanted.number), side: side ?? wanted.side };
    app.draw();
  },
  "set-turn"(app) {
    const { state, view } = app;
    const { number, side } = view.turning ?? { number: Math.max(1, state.turn), side: state.side };
    app.close();
    app.record([beginTurn(number, side)], app.rules.turn_name);
  },
  "set-phase"(app, { phase }) {
    app.close();
    attempt(app, "phase", { phase }, "Phase");
  },
  "end-sheet"(app) {
    app.view.ending = { how: "", winner: undefined };
    app.open(endSheet);
  },
  ending(app, { how, winner }) {
    const { view } = app;
    view.ending = { how: how ?? view.ending.how, winner: how ? undefined : (winner ?? view.ending.winner) };
    app.draw();
  },
  "do-end"(app, _, form) {
    const { how, winner } = app.view.ending;
    const note = form.get("note").trim();
    app.close();
    app.record([["end", { how, winner: winner || null, ...(note && { note }) }]], "The end");
  },

  "likely-end"(app) {
    const { how, winner } = likelyEnd(app.rules, app.bundle, app.state);
    app.record([["end", { how, winner }]], "The end");
  },

  unsent: (app) => app.open(unsentSheet),
  send: (app) => app.sync.wake(),
  forget: (app) => app.ledger.forget(),
  export: (app) => app.exportUnsent(),
  wake: (app) => app.setAwake(!app.view.isAwake),
};
