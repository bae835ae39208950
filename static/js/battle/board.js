// Both sides, or all of them: a column of tiles each. The state block steps on a tap, the name opens the dock.
import { fill, h, icon, press, unlessSame } from "./dom.js";
import { isInPlay } from "./turns.js";
import { standing, stateName } from "./words.js";

/** The token of a state: the pose on the table, filled only where it needs a decision. */
export function token(rules, state, given = {}) {
  const { pose } = rules.states[state];
  return h(`span.st.is-${pose}`, given, icon(`pose-${pose}`));
}

function tile(app, one) {
  const { rules, state, view } = app;
  const now = state.combatants[one.id];
  const isChosen = view.chosen?.combatant === one.id;
  const to = app.tapOf(one.id);
  return unlessSame(`tile-${one.id}`, JSON.stringify([now, isChosen, to]), () => drawTile(rules, one, now, isChosen, to));
}

function drawTile(rules, one, now, isChosen, to) {
  const does = `${one.name}: ${stateName(rules, now.state).toLowerCase()}. `;
  const next = to ? `Change to ${stateName(rules, to).toLowerCase()}` : "Show options";
  return h(
    `li.cb${isInPlay(rules, now) ? "" : ".out"}${isChosen ? ".sel" : ""}${now.asks ? ".asks" : ""}`,
    { id: `tile-${one.id}` },
    press("tap", { css: "cb-state", "data-id": one.id, "aria-label": does + next }, token(rules, now.state)),
    press(
      "choose",
      { css: "cb-name", "data-id": one.id, "aria-pressed": String(isChosen) },
      h("b", {}, one.name),
      h(
        "span",
        {},
        one.is_leader && [icon("lead"), h("span.vh", {}, "Leader. ")],
        now.asks ? `Must take ${rules.tests[now.asks].name.toLowerCase()}` : standing(rules, one, now),
      ),
    ),
  );
}

function counted(rules, now) {
  const out = `${now.out} of ${now.size}`;
  if (!now.rout.out_from) return [h("b", {}, out), " out"];
  return [h("b", {}, out), ` out, rout from ${now.rout.out_from}`];
}

function column(app, side) {
  const { rules, state, view } = app;
  const now = state.sides[side.id];
  const counters = Object.entries(now.counters).map(([id, value]) => `${rules.counters[id].name} ${value}`);
  const isChosen = view.chosen?.side === side.id;
  const isNear = now.has_routed || (now.rout.out_from && now.out >= now.rout.out_from);
  return h(
    `section.side${state.side === side.id ? ".on" : ""}`,
    { id: `side-${side.id}`, "aria-labelledby": `side-${side.id}-name` },
    h(
      "header",
      {},
      h(
        "h2",
        { id: `side-${side.id}-name` },
        press(
          "choose-side",
          { css: `side-name${isChosen ? " sel" : ""}`, "data-id": side.id, "aria-pressed": String(isChosen) },
          h("span", {}, side.name),
          h(`small.num${isNear ? ".bad" : ""}`, {}, now.has_routed ? h("b", {}, "Routed") : counted(rules, now)),
          counters.length > 0 && h("small", {}, counters.join(", ")),
        ),
      ),
    ),
    h(
      "ul",
      {},
      side.combatants.map((one) => tile(app, one)),
    ),
  );
}

/** Draw all sides into `place`. */
export function drawBoard(place, app) {
  fill(
    place,
    app.bundle.sides.map((side) => column(app, side)),
  );
}
