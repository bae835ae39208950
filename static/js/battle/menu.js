// What is not needed at every tap: tests, notes, turn and phase, the end, what is not sent, and how the page behaves.
import { h, icon, press, stepper } from "./dom.js";
import { refusal } from "./guards.js";
import { hasOpening, maySit } from "./turns.js";
import { phaseName, plural, tell } from "./words.js";

const row = (does, picture, label, given = {}) =>
  h("li", {}, press(does, { css: "btn", ...given }, icon(picture), h("span", {}, label)));

/** What this browser can and cannot do here, in words for the menu. */
function means({ view, standing }) {
  const { lasts, isSecure } = standing();
  const told = [];
  if (!isSecure)
    told.push(
      "This address is plain http. The page cannot open again without a signal, and cannot keep the screen on. " +
        "Both need https. Keep the page open; your changes are saved in this browser.",
    );
  else if (!view.isReady) told.push("The page cannot open without a signal yet.");
  if (!lasts) told.push("This browser saves nothing for this page. Unsent changes are lost when you close it.");
  return told;
}

export function menuSheet(app) {
  const { view, state, begun, links, isReader, access } = app;
  const { unsent, isSecure } = app.standing();
  return {
    title: "More",
    body: [
      h(
        "ul.menu-list",
        {},
        !isReader && begun && !state.end && row("tests", "dices", "Take a test"),
        !isReader && row("note", "pencil", "Write a note"),
        row("log", "file-text", "Log"),
        !isReader && !state.end && row("turn-sheet", "refresh", "Set turn and phase"),
        !isReader && !state.end && row("end-sheet", "flag", "End the battle"),
        !isReader && !view.isPerson && row("name", "user", `Your name in the log: ${access?.author || "none"}`),
        row("unsent", "upload", unsent ? `Not sent: ${unsent}` : "All changes sent"),
        isSecure &&
          "wakeLock" in navigator &&
          row("wake", "eye", view.isAwake ? "Let the screen sleep" : "Keep the screen on", {
            "aria-pressed": String(view.isAwake),
          }),
        h("li", {}, h("a.btn", { href: links.battle }, icon("book"), h("span", {}, "Battle page"))),
      ),
      means(app).map((words) => h("p.small", {}, words)),
    ],
  };
}

export function testsSheet(app) {
  const { rules, bundle, state } = app;
  const all = Object.values(rules.tests);
  const whose = (test) =>
    test.of === "side"
      ? bundle.sides.map((side) => [{ "data-side": side.id }, side.name])
      : bundle.sides.flatMap((side) =>
          side.combatants
            .filter((one) => maySit(rules, test, state.combatants[one.id]) && !refusal(state.game, "test", { test: test.id, combatant: one.id }))
            .map((one) => [{ "data-combatant": one.id }, one.name]),
        );
  return {
    title: "Take a test",
    body: all.map((test) => {
      const who = whose(test);
      return h(
        "details.fold",
        { id: `tests-${test.id}` },
        h("summary", {}, test.name, h("span.mute.push", {}, String(who.length))),
        h(
          "div.chips",
          {},
          who.length
            ? who.map(([given, name]) => press("test", { css: "chip", "data-test": test.id, ...given }, name))
            : h("p.mute", {}, "No model can take this test now."),
        ),
      );
    }),
  };
}

export function noteSheet(app) {
  const { combatant } = app.view.noting;
  const about = combatant ? ` on ${app.names.combatant(combatant)}` : "";
  return {
    title: `Note${about}`,
    body: h(
      "form.stack",
      { "data-do": "do-note" },
      h(
        "label.field",
        {},
        h("span.label", {}, "What happened"),
        h("textarea", { name: "text", required: true, maxlength: app.rules.limits.text, rows: 4 }),
      ),
      h("button.btn.pri", { type: "submit" }, "Save note"),
    ),
  };
}

/** What somebody without an account is called in the log. */
export const nameSheet = (app) => ({
  title: "Your name in the log",
  body: h(
    "form.stack",
    { "data-do": "do-name" },
    h(
      "label.field",
      {},
      h("span.label", {}, "Name"),
      h("input", { name: "author", maxlength: 60, value: app.access.author, autocomplete: "nickname" }),
    ),
    h("button.btn.pri", { type: "submit" }, "Save name"),
  ),
});

export function turnSheet(app) {
  const { rules, state, begun, bundle, view } = app;
  const wanted = view.turning ?? { number: Math.max(1, state.turn), side: state.side };
  const pick = (key, value, label, isOn) =>
    press("turning", { css: "chip", [`data-${key}`]: value, "aria-pressed": String(isOn) }, label);
  return {
    title: "Turn and phase",
    body: [
      stepper(rules.turn_name, wanted.number, { does: "turning", least: 1, most: rules.limits.turn }),
      rules.alternates &&
        h(
          "div.chips",
          { role: "group", "aria-label": "Whose turn" },
          bundle.sides.map((side) => pick("side", side.id, side.name, wanted.side === side.id)),
        ),
      press(
        "set-turn",
        { css: "btn pri wide-btn", disabled: rules.alternates && !hasOpening(rules) && !wanted.side },
        `Begin ${rules.turn_name.toLowerCase()} ${wanted.number}`,
      ),
      begun && [
        h("p.label", {}, `Or go to a phase of ${rules.turn_name.toLowerCase()} ${state.turn}`),
        h(
          "div.chips",
          {},
          rules.phases.map((phase) =>
            press(
              "set-phase",
              { css: "chip", "data-phase": phase.id, "aria-pressed": String(phase.id === state.phase) },
              phaseName(rules, phase.id),
            ),
          ),
        ),
      ],
    ],
  };
}

export function endSheet(app) {
  const { rules, bundle, view } = app;
  const { how, winner } = view.ending;
  const ending = rules.endings[how];
  const isWhole = Boolean(ending) && (!ending.has_winner || winner);
  const chip = (key, value, label, isOn) =>
    press("ending", { css: "chip", [`data-${key}`]: value, "aria-pressed": String(isOn) }, label);
  return {
    title: "End the battle",
    body: h(
      "form.stack",
      { "data-do": "do-end" },
      h(
        "div.chips",
        { role: "group", "aria-label": "How it ended" },
        Object.values(rules.endings).map((one) => chip("how", one.id, one.name, one.id === how)),
      ),
      ending?.has_winner && [
        h("p.label", {}, "Who won"),
        h(
          "div.chips",
          { role: "group", "aria-label": "Who won" },
          bundle.sides.map((side) => chip("winner", side.id, side.name, side.id === winner)),
        ),
      ],
      h(
        "label.field",
        {},
        h("span.label", {}, "Note (optional)"),
        h("input", { name: "note", maxlength: rules.limits.text, autocomplete: "off" }),
      ),
      h("button.btn.pri", { type: "submit", disabled: !isWhole }, "End battle"),
    ),
  };
}

export function unsentSheet(app) {
  const { ledger, rules, names } = app;
  const find = (id) => ledger.entry(id)?.event;
  const waiting = ledger.unsent();
  const refused = ledger.notTaken();
  const told = (event, reason = "") =>
    h("li", {}, h("p", {}, tell(rules, names, event, find), reason && h("small.bad", {}, reason)));
  return {
    title: waiting.length ? `${plural(waiting.length, "change")} not sent` : "All changes sent",
    body: [
      waiting.length > 0 &&
        h(
          "p",
          {},
          "We send them when the server can be reached. Save them as a file if this device may stay offline.",
        ),
      h(
        "ol.log.plain",
        {},
        waiting.map((event) => told(event)),
      ),
      refused.length > 0 && [
        h("h3", {}, "Refused by the server"),
        h(
          "ol.log.plain",
          {},
          refused.map((entry) => told(entry.event, entry.refused)),
        ),
        press("forget", {}, "Discard these changes"),
      ],
      h(
        "div.row",
        {},
        press(
          "export",
          { css: "btn", disabled: !waiting.length && !refused.length },
          icon("download"),
          "Save to file",
        ),
        press("send", { css: "btn", disabled: !waiting.length }, icon("upload"), "Send now"),
      ),
    ],
  };
}
