// Everything recorded, the newest first, each entry with its undo.
import { h, press, unlessSame } from "./dom.js";
import { phaseName, tell } from "./words.js";

const MOST = 60; // entries shown at once; the battle page has them all

/** Where in the battle an event stands: "3.5" is the fifth phase of the third turn. */
function placeOf({ rules, ledger }, event) {
  const { turn, phase } = ledger.moment(event.id) ?? {};
  return turn ? `${turn}.${1 + rules.phases.findIndex((one) => one.id === phase)}` : "–";
}

function line(app, prefix, event) {
  const place = placeOf(app, event);
  const verdict = app.state.verdicts[event.id];
  const isUnsent = app.ledger.entry(event.id)?.sent === false;
  const id = `${prefix}-${event.id}`;
  return unlessSame(id, JSON.stringify([verdict, isUnsent, place]), () => drawLine(app, id, event, place, isUnsent));
}

function drawLine(app, id, event, place, isUnsent) {
  const { rules, names, state, ledger, isReader } = app;
  const verdict = state.verdicts[event.id];
  const find = (other) => ledger.entry(other)?.event;
  const isUndone = verdict === "undone";
  const aside = verdict && !isUndone;
  // Two devices were a phase apart: the act counts by the phase that its own one showed.
  const shown = event.payload.in_phase;
  const seen = shown && shown !== ledger.moment(event.id)?.phase && shown;
  const words = tell(rules, names, event, find);
  const note = event.kind !== "note" && (event.payload.note ?? "");
  return h(
    `li${verdict ? ".gone" : ""}`,
    { id },
    h("span.place", {}, place),
    h(
      "p",
      {},
      isUndone ? h("s", {}, words) : words,
      note && h("small", {}, note),
      aside && h("small.bad", {}, `Ignored: ${verdict}`),
      seen && h("small", {}, `Recorded in ${phaseName(rules, seen)}`),
      event.author && h("small", {}, event.author),
      isUnsent && h("small", {}, "Not sent yet"),
    ),
    !isReader &&
      !aside &&
      !isUndone &&
      press(
        "undo-one",
        { "data-id": event.id, "aria-label": `${event.kind === "undo" ? "Redo" : "Undo"}: ${words}` },
        event.kind === "undo" ? "Redo" : "Undo",
      ),
  );
}

function lines(app, prefix) {
  const { events, view } = app;
  const all = [...events].reverse();
  const shown = view.allLog ? all : all.slice(0, MOST);
  return [
    shown.length
      ? h(
          "ol.log",
          {},
          shown.map((one) => line(app, prefix, one)),
        )
      : h("p.mute", {}, "No entries. Everything you record appears here."),
    shown.length < all.length && press("all-log", {}, `All ${all.length} entries`),
  ];
}

export const logSheet = (app) => ({ title: "Log", body: lines(app, "log-sheet") });

/** The log beside the board, where there is room for it. */
export const logPane = (app) =>
  h(
    "section.sec",
    { "aria-labelledby": "log-title" },
    h("header", {}, h("h2", { id: "log-title" }, "Log")),
    lines(app, "log"),
  );
