// The recorder while it runs: the battle with its state, the view of it, and what acts may ask for.
import { drawBanner, routKey, todoKey } from "./banner.js";
import { drawBoard } from "./board.js";
import { drawDock } from "./dock.js";
import { fill, h, icon, press, say } from "./dom.js";
import { logPane } from "./log.js";
import { drawNotice, drawTop } from "./strip.js";
import { refusal, withMoment } from "./guards.js";
import { hasBegun, tapFrom, turnOrder } from "./turns.js";
import { namesOf, tell } from "./words.js";

const UNDO_SECONDS = 10;
const at = (id) => document.getElementById(id);

const newView = () => ({
  chosen: null, // {combatant} or {side}
  more: false, // whether the dock shows everything of the chosen one
  later: new Set(), // those whose test is put off
  forcing: null, // the act against the rules that is asked for: {kind, payload, reason}
  last: null, // what can be undone: {ids, label, isUndo}
  seconds: 0, // for how long
  shown: null, // the dice of the last test: {dice, words}
  looked: new Set(), // what above the board was opened and may stay folded
  opened: new Set(),
  sheet: null,
});

/** Make it. `why` is "" for who may record, or why this page only watches. */
export function makeApp({ bundle, links, ledger, outbox, why }) {
  const isReader = Boolean(why);
  const app = {
    bundle,
    links,
    ledger,
    outbox,
    isReader,
    rules: bundle.rules,
    names: namesOf(bundle),
    view: newView(),
    sync: null,
  };
  const find = (id) => ledger.entry(id)?.event;
  const keyOf = (id) => routKey(id, app.state.sides[id].rout.now);
  const isDue = (id) => app.state.sides[id].rout.due;
  const dueNow = () => new Set(bundle.sides.map((side) => side.id).filter(isDue));
  let sync = { reached: true, blocked: "" };
  let keeping = 0;

  app.standing = () => ({
    sync,
    why,
    unsent: ledger.unsent().length,
    refused: ledger.notTaken(),
    lasts: outbox.lasts,
    isSecure: window.isSecureContext,
    isUnkept: Boolean(app.view.isUnkept),
  });

  /** The state that a tap on this combatant leads to. */
  app.tapOf = (combatant) => {
    const isOpen = (to) => !refusal(app.state.game, "state", { combatant, to });
    return tapFrom(app.rules, app.state.combatants[combatant].state, isOpen);
  };

  /** Whether closing the page now would lose something. */
  app.isAtRisk = () => keeping > 0 || ((!outbox.lasts || app.view.isUnkept) && ledger.unsent().length > 0);

  function read() {
    app.state = ledger.state();
    app.events = ledger.events();
    app.begun = hasBegun(app.events, app.state.verdicts);
    app.order = turnOrder(bundle, app.events, app.state.verdicts);
  }

  function drawSheet() {
    const { title, body } = app.view.sheet(app);
    const close = press("close", { css: "btn icon push", "aria-label": "Close" }, icon("x"));
    fill(at("sheet-body"), h("header.row", {}, h("h2", { id: "sheet-title" }, title), close), body);
  }

  /** The dock grows over the board: whoever was just chosen stays in sight. */
  let inSight = null;
  function showChosen() {
    const { chosen } = app.view;
    if (chosen?.combatant && chosen !== inSight) at(`tile-${chosen.combatant}`)?.scrollIntoView({ block: "nearest" });
    inSight = chosen;
  }

  app.draw = () => {
    drawNotice(at("notice"), app);
    drawTop(at("top"), app);
    drawBanner(at("banner"), app);
    drawBoard(at("board"), app);
    drawDock(at("dock"), app);
    fill(at("log"), hasLogPane && logPane(app));
    if (app.view.sheet) drawSheet();
    showChosen();
  };
  let isPlanned = false;
  app.drawSoon = () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      app.draw();
    });
  };

  // Whether the style sheet has room for the log beside the board; asked seldom, because it makes the browser lay out.
  let hasLogPane = false;
  const measure = () => {
    hasLogPane = getComputedStyle(at("log")).display !== "none";
    app.drawSoon();
  };
  window.addEventListener("resize", measure);
  measure();

  app.open = (sheet) => {
    app.view.sheet = sheet;
    drawSheet();
    if (!at("sheet").open) at("sheet").showModal();
    at("sheet").scrollTop = 0;
  };
  app.close = () => at("sheet").close();
  at("sheet").addEventListener("close", () => {
    app.view.sheet = null;
  });

  let undoTimer;
  function offerUndo(last) {
    clearInterval(undoTimer);
    Object.assign(app.view, { last, seconds: UNDO_SECONDS });
    undoTimer = setInterval(() => {
      app.view.seconds -= 1;
      if (app.view.seconds <= 0) {
        clearInterval(undoTimer);
        app.view.last = null;
      }
      drawDock(at("dock"), app);
    }, 1000);
  }

  /** What stood open above the board has been looked at once something else is done. */
  function foldBanners(kinds) {
    if (!kinds.includes("test")) for (const id of dueNow()) app.view.looked.add(keyOf(id));
    if (kinds.some((kind) => kind !== "state" && kind !== "test")) app.view.looked.add(todoKey(app));
  }
  function unfoldNews(before) {
    for (const { id, name } of bundle.sides) {
      if (!isDue(id)) [true, false].forEach((now) => app.view.looked.delete(routKey(id, now)));
      else if (!before.has(id)) say(`Rout test due: ${name}`);
    }
  }

  const keepingChanged = (by) => {
    keeping += by;
    document.documentElement.dataset.keeping = keeping;
  };
  async function whileKeeping(kept) {
    keepingChanged(1);
    try {
      await kept;
    } catch {
      app.view.isUnkept = true;
      app.drawSoon();
    }
    keepingChanged(-1);
    app.sync?.wake();
  }

  /** Record `[[kind, payload], …]`: it shows at once, is kept, and goes to the server when it can. */
  app.record = (steps, label, shown = null, isUndo = false) => {
    if (isReader) return;
    const before = dueNow();
    foldBanners(steps.map(([kind]) => kind));
    const { events, kept } = ledger.act(steps.map(([kind, payload]) => [kind, withMoment(app.state, kind, payload)]));
    read();
    app.view.shown = shown;
    offerUndo({ ids: events.map((event) => event.id), label, isUndo });
    unfoldNews(before);
    const told = events.map((event) => app.state.verdicts[event.id] || tell(app.rules, app.names, event, find));
    say(shown?.words ?? told.at(-1));
    whileKeeping(kept);
    app.draw();
  };

  /** Undo these, the latest first; of undoings that is a redo. */
  app.takeBack = (ids, label, isUndo) => {
    const last = tell(app.rules, app.names, find(ids.at(-1)), find);
    app.record(
      [...ids].reverse().map((event) => ["undo", { event }]),
      label || last,
      null,
      isUndo,
    );
  };

  /** Others recorded something (`news`), or the server said something of ours. */
  app.changed = (news) => {
    const before = dueNow();
    read();
    unfoldNews(before);
    for (const event of news.slice(-3)) say(tell(app.rules, app.names, event, find));
    app.drawSoon();
  };

  /** Whether the server can be reached, and what it has against us. */
  app.report = (told) => {
    if (sync.reached !== told.reached) say(told.reached ? "Signal is back" : "No signal. Changes are saved on this device.");
    else if (sync.blocked === told.blocked) return;
    sync = told;
    app.drawSoon();
  };

  /** What is not sent, as a file; its text can be posted to the API as it is. */
  app.exportUnsent = () => {
    const events = [...ledger.unsent(), ...ledger.notTaken().map((entry) => entry.event)];
    const file = new Blob([JSON.stringify({ events }, null, 2)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: `battle-${bundle.id}-not-sent.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  keepingChanged(0);
  read();
  return app;
}
