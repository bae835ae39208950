// Under the thumb: the chosen warrior or side with all that can be said of it, undo, and what comes next.
import { fill, h, icon, press, stepper } from "./dom.js";
import { token } from "./board.js";
import { endPhase, isInPlay, isLegal, maySit, nextStep, waysFrom } from "./turns.js";
import { isNever, refusal } from "./guards.js";
import { countersOf, diceName, stateName } from "./words.js";

function stateButton(app, one, now, id, css) {
  const { rules } = app;
  const isNow = now.state === id;
  const isOpen = isNow || !refusal(app.state.game, "state", { combatant: one.id, to: id });
  return press(
    "state",
    {
      css: `${css}${isOpen ? "" : " no"}`,
      "data-id": one.id,
      "data-to": id,
      "aria-pressed": String(isNow),
    },
    token(rules, id),
    h("span", {}, stateName(rules, id), !isOpen && h("span.vh", {}, ", against the rules")),
  );
}

/** What the rules say against a step, and the way past them, which needs a reason. */
function forcing(app) {
  const { rules, view, state } = app;
  if (!view.forcing) return null;
  const { kind, payload, reason } = view.forcing;
  const now = state.combatants[payload.combatant];
  const isStep = kind === "state" && isLegal(rules, now.state, payload.to);
  const isOut = isStep && rules.states[payload.to].is_out;
  return h(
    "form.forcing",
    { id: "forcing", "data-do": "do-force" },
    kind === "state" && !isStep ? noStep(rules, now, payload.to) : h("p", {}, h("b", {}, reason)),
    isOut && h("label.field.by", {}, h("span.label", {}, "Taken out by"), byWhom(app, payload.combatant, "finish", payload.by)),
    h(
      "label.field",
      {},
      h("span.label", {}, "Reason"),
      h("input", { name: "note", required: true, maxlength: rules.limits.text, autocomplete: "off" }),
    ),
    h("div.row", {}, h("button.btn", { type: "submit" }, "Record anyway"), press("unforce", {}, "Cancel")),
  );
}

function noStep(rules, now, to) {
  const ways = waysFrom(rules, now.state);
  const from = stateName(rules, now.state).toLowerCase();
  return [
    h("p", {}, h("b", {}, `The rules have no step from ${from} to ${stateName(rules, to).toLowerCase()}.`)),
    ways.length
      ? h(
          "ul",
          {},
          ways.map((way) => h("li", {}, `${way.name}: ${way.by}.`)),
        )
      : h("p", {}, `${stateName(rules, now.state)} lasts for the rest of the battle. If you tapped by mistake, undo it in the log.`),
  ];
}

/** The test it must take next, as whoever lost its last Wound: at once, or later. */
function deciding(app, one, now) {
  if (!now.asks || app.view.forcing) return null;
  const test = app.rules.tests[now.asks];
  const given = { "data-test": test.id, "data-combatant": one.id };
  if (app.view.later.has(one.id)) {
    return press("sooner", { css: "btn", "data-id": one.id }, icon("dices"), `Decide: ${test.name.toLowerCase()}`);
  }
  const why = test.at_last_wound ? "The last Wound is lost. " : "";
  return h(
    "section.deciding",
    { "aria-labelledby": "deciding" },
    h("h3", { id: "deciding" }, `${why}${test.name}: what becomes of ${one.name}?`),
    h(
      "div.row",
      {},
      press("roll", { css: "btn pri", ...given }, icon("dices"), `Roll ${diceName(test.dice)}`),
      press("test", { ...given, "aria-haspopup": "dialog" }, "Type the dice"),
      press("later", { css: "btn quiet", "data-id": one.id }, "Decide later"),
    ),
  );
}

/** Who put it out: only asked once it is, and never needed. */
function putOutBy(app, one, now) {
  if (!now.is_out || app.view.forcing) return null;
  return h("label.field.by", {}, h("span.label", {}, "Taken out by"), byWhom(app, one.id, "by", now.put_out_by));
}

/** A choice of everybody else, the enemies first. */
function byWhom(app, id, change, by) {
  const own = app.names.combatants.get(id).side;
  const sides = [...app.bundle.sides].sort((a, b) => Number(a.id === own) - Number(b.id === own));
  return h(
    "select",
    { "data-change": change, "data-id": id, id: `${change}-${id}-${by ?? ""}` },
    h("option", { value: "", selected: !by }, "not recorded"),
    sides.map((side) =>
      h(
        "optgroup",
        { label: side.name },
        side.combatants
          .filter((other) => other.id !== id)
          .map((other) => h("option", { value: other.id, selected: other.id === by }, other.name)),
      ),
    ),
  );
}

/** Movement and save of a rider whose mount is gone: by the mark that gives him his own dice of flight. */
function onFoot(app, one, now) {
  const isOnFoot = one.on_foot && now.marks.some((id) => app.rules.marks[id].flight);
  return isOnFoot ? h("p", {}, `On foot: ${one.on_foot}.`) : null;
}

function marks(app, one, now) {
  const { game } = app.state;
  const offered = Object.values(app.rules.marks).filter((mark) => {
    if (isNever(game, `mark ${mark.id}`, game.men.get(one.id))) return false;
    const isOffered = mark.when.length ? mark.when.includes(now.state) : isInPlay(app.rules, now);
    const fits = (!mark.left_by.length || mark.traits.length) && !mark.carries && isOffered;
    // Where a state says the same, its button is there already.
    const isState = mark.shown_by && (mark.shown_by === now.state || isLegal(app.rules, now.state, mark.shown_by));
    return (fits || now.marks.includes(mark.id)) && !isState;
  });
  if (!offered.length) return null;
  return h(
    "div.chips",
    { role: "group", "aria-label": `Marks of ${one.name}` },
    offered.map((mark) => {
      const isOn = now.marks.includes(mark.id);
      const isOpen = isOn || !refusal(game, "mark", { combatant: one.id, mark: mark.id });
      return press(
        "mark",
        { css: isOpen ? "chip" : "chip no", "data-id": one.id, "data-mark": mark.id, "aria-pressed": String(isOn) },
        mark.name,
      );
    }),
  );
}

const counters = (app, of, subject, told, models = null) =>
  told.map(([id, value]) => {
    const { name, least, most, begins } = app.rules.counters[id];
    const top = most ?? (begins === "models" ? models : null);
    return stepper(name, value, { does: "counter", least, most: top, [`data-${of}`]: subject, "data-counter": id });
  });

function tests(app, of, id, fits) {
  const given = { [`data-${of}`]: id, "aria-haspopup": "dialog" };
  return Object.values(app.rules.tests)
    .filter((test) => test.of === of && fits(test))
    .map((test) => {
      const isOpen = !refusal(app.state.game, "test", { test: test.id, [of]: id });
      return press("test", { ...given, css: isOpen ? "chip" : "chip no", "data-test": test.id }, icon("dices"), test.name);
    });
}

function combatant(app, one) {
  const { rules, state, view, names } = app;
  const now = state.combatants[one.id];
  const man = state.game.men.get(one.id);
  const counted = countersOf(rules, one, now.counters);
  const isOfModels = ([id]) => rules.counters[id].begins === "models";
  const ofModels = counted.filter(isOfModels);
  const others = counted.filter((counter) => !isOfModels(counter));
  const rest = Object.keys(rules.states).filter((id) => !rules.taps.includes(id));
  return [
    h(
      "header.row",
      {},
      h(
        "h2",
        {},
        one.name,
        h("span", {}, [names.side(one.side), one.title].filter((part) => part && part !== one.name).join(", ")),
      ),
      one.wounds !== null &&
        stepper("Wounds", now.wounds, {
          does: "wounds",
          least: 0,
          most: one.wounds,
          text: `${now.wounds}/${one.wounds}`,
          "data-id": one.id,
        }),
      // A regiment loses models as others lose Wounds: both stand where the name does, two taps away.
      counters(app, "combatant", one.id, ofModels, one.models),
      press(
        "more",
        {
          css: "btn icon narrow",
          "aria-expanded": String(view.more),
          "aria-label": `More of ${one.name}`,
          "aria-controls": "dock-more",
        },
        icon(view.more ? "chevron-down" : "sliders"),
      ),
    ),
    h(
      "div.states",
      { role: "group", "aria-label": `State of ${one.name}` },
      rules.taps.map((id) => stateButton(app, one, now, id, "state")),
    ),
    onFoot(app, one, now),
    deciding(app, one, now),
    forcing(app),
    putOutBy(app, one, now),
    h(
      `div.more${view.more ? "" : ".folded"}`,
      { id: "dock-more" },
      rest.length > 0 &&
        h(
          "div.states.rest",
          { role: "group", "aria-label": `Other states of ${one.name}` },
          rest.map((id) => stateButton(app, one, now, id, "state small")),
        ),
      marks(app, one, now),
      counters(app, "combatant", one.id, others, one.models),
      h(
        "div.chips",
        {},
        tests(app, "combatant", one.id, (test) => maySit(rules, test, now) && !isNever(state.game, `test ${test.id}`, man)),
        press("note", { css: "chip", "data-id": one.id, "aria-haspopup": "dialog" }, icon("pencil"), "Note"),
      ),
    ),
  ];
}

function sideDock(app, side) {
  const now = app.state.sides[side.id];
  return [
    h("header.row", {}, h("h2", {}, side.name, h("span", {}, now.rout.why))),
    forcing(app),
    h(
      "div.more",
      {},
      counters(app, "side", side.id, Object.entries(now.counters)),
      h(
        "div.chips",
        {},
        tests(app, "side", side.id, () => true),
      ),
    ),
  ];
}

function acts(app) {
  const { last, seconds } = app.view;
  const isOn = app.begun && !app.state.end;
  const next = isOn ? nextStep(app.rules, app.order, app.names, app.state) : null;
  const over = isOn ? endPhase(app.rules, app.state) : null;
  return h(
    "div.act",
    {},
    last
      ? press(
          "undo",
          { css: "btn undo", "aria-label": `${last.isUndo ? "Redo" : "Undo"}: ${last.label}` },
          icon("undo"),
          h("span", {}, last.isUndo ? "Redo" : "Undo", h("small", {}, `${last.label}, ${seconds}\u00a0s`)),
        )
      : press(
          "log",
          { css: "btn log-open", "aria-haspopup": "dialog" },
          icon("undo"),
          h("span", {}, "Log", h("small", {}, "undo anything")),
        ),
    over && press("end-round", { css: "btn", "data-phase": over.id }, over.name),
    next &&
      press(
        "next",
        { css: "btn next" },
        h("span", {}, next.label, next.detail && h("small", {}, next.detail)),
        icon("arrow-right"),
      ),
  );
}

export function drawDock(place, app) {
  const { chosen } = app.view;
  const one = chosen?.combatant && app.names.combatants.get(chosen.combatant);
  const side = chosen?.side && app.names.sides.get(chosen.side);
  fill(
    place,
    !app.isReader &&
      h(
        "div.chosen",
        {},
        one
          ? combatant(app, one)
          : side
            ? sideDock(app, side)
            : forcing(app) || h("p.hint", {}, "Tap a state to change it, a name for all options."),
      ),
    !app.isReader && acts(app),
  );
}
