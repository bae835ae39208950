// The top of the screen: what is not sent, whose turn it is, and how far through it.
import { fill, h, icon, press } from "./dom.js";
import { plural, turnTitle, turnWords } from "./words.js";

const WATCHING = {
  reader: {
    words: "You may watch this battle.",
    rest: "To record it, open its join link or type its key.",
    join: true,
  },
  closed: { words: "The result stands.", rest: "Nothing more is recorded; the battle’s page tells what can be done." },
};

/** The line above everything: what keeps changes from being made, kept or sent. Null when all is well. */
function noticeOf({ sync, why, unsent, refused, lasts, isUnkept }) {
  if (isUnkept) {
    const rest = "Save what is not sent, and keep this page open.";
    return { words: "This browser would not keep the last change.", rest, unsent: true };
  }
  if (refused.length) return { words: `${refused.length} not taken.`, rest: refused.at(-1).refused, unsent: true };
  if (why && !unsent) return WATCHING[why];
  if (sync.blocked)
    return { words: unsent ? `${unsent} not sent.` : "Refused.", rest: sync.blocked, unsent: unsent > 0 };
  if (sync.reached) return null;
  const where = lasts ? "all kept on this device." : "kept only while this page stays open.";
  const rest = unsent ? `${unsent} not sent, ${where}` : "What you tap is kept and sent later.";
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
