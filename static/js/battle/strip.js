// The top of the screen: what is not sent, whose turn it is, and how far through it.
import { fill, h, icon, press } from "./dom.js";
import { plural, turnTitle, turnWords } from "./words.js";

const WATCHING = {
  reader: {
    words: "You can watch this battle.",
    rest: "To record it, open its join link or enter its battle code.",
    join: true,
  },
  closed: { words: "This battle has a confirmed result.", rest: "Recording is closed; correct the result on the battle page." },
};

/** The line above everything: what keeps changes from being made, kept or sent. Null when all is well. */
function noticeOf({ sync, why, unsent, refused, lasts, isUnkept }) {
  if (isUnkept) {
    const rest = "Save the unsent changes to a file, and keep this page open.";
    return { words: "This browser could not save the last change.", rest, unsent: true };
  }
  if (refused.length) return { words: `${refused.length} refused.`, rest: refused.at(-1).refused, unsent: true };
  if (why && !unsent) return WATCHING[why];
  if (sync.blocked)
    return { words: unsent ? `${unsent} not sent.` : "Refused.", rest: sync.blocked, unsent: unsent > 0 };
  if (sync.reached) return null;
  const where = lasts ? "all saved on this device." : "saved only while this page is open.";
  const rest = unsent ? `${unsent} not sent, ${where}` : "Changes are saved on this device and sent later.";
  return { words: "No signal.", rest, unsent: unsent > 0 };
}

export function drawNotice(place, app) {
  const told = noticeOf(app.standing());
  place.hidden = !told;
  fill(
    place,
    told && [
      icon("wifi-off"),
      h("p", {}, h("b", {}, told.words), " ", told.rest),
      told.unsent && press("unsent", { css: "off-more" }, "Show"),
      told.join && h("a.off-more", { href: app.links.join }, "Join"),
    ],
  );
}

function phases({ rules, state, begun }) {
  if (!begun || !rules.phases.length) return null;
  const at = rules.phases.findIndex((phase) => phase.id === state.phase);
  return h(
    "ol.phases",
    { "aria-label": "Phases" },
    rules.phases.map((phase, place) =>
      h(`li${place < at ? ".done" : ""}`, place === at ? { "aria-current": "step" } : {}, h("span", {}, phase.name)),
    ),
  );
}

export function drawTop(place, app) {
  const { rules, names, state, begun, links } = app;
  const told = state.end ? "Over" : begun ? turnWords(rules, names, state) : app.bundle.scenario_name;
  const waiting = app.standing().unsent;
  fill(
    place,
    h(
      "div.bar",
      {},
      h("a.btn.icon", { href: links.battle, "aria-label": "Leave the recorder" }, icon("x")),
      h("h1", {}, turnTitle(rules, state, begun), " ", told && h("span", {}, told)),
      waiting > 0 &&
        h("span.sending.push", { title: plural(waiting, "change") }, h("span.vh", {}, "Not sent yet: "), waiting),
      press(
        "menu",
        {
          css: `btn icon${waiting ? "" : " push"}`,
          "aria-label": "More: tests, notes, log, end the battle",
          "aria-haspopup": "dialog",
        },
        icon("ellipsis"),
      ),
    ),
    phases(app),
  );
}
