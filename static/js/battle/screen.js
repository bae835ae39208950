// The live recorder: brings the battle up, from the page or from this browser's own store, and listens.
import { acts } from "./acts.js";
import { makeApp } from "./app.js";
import { keepAwake, keepPage } from "./device.js";
import { uuid } from "./dice.js";
import { fill, h, icon } from "./dom.js";
import { openLedger } from "./ledger.js";
import { openOutbox, tidy } from "./outbox.js";
import { eventsAfter, startSync } from "./sync.js";

const ANY_TOKEN = "0".repeat(16); // stands in the page's links for the token of the battle
const CLOSED = ["confirmed", "void"];
const HOUR = 3_600_000;
const at = (id) => document.getElementById(id);

const linksOf = (page, token) =>
  Object.fromEntries(Object.entries(page.links).map(([name, url]) => [name, url.replace(ANY_TOKEN, token)]));

function listen(app) {
  const run = (does, data, extra) => acts[does]?.(app, data, extra);
  for (const place of [at("recorder"), at("sheet")]) {
    place.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-do]");
      if (button && !button.disabled) run(button.dataset.do, button.dataset, button);
      else if (event.target === at("sheet")) app.close();
    });
    place.addEventListener("submit", (event) => {
      event.preventDefault();
      run(event.target.dataset.do, event.target.dataset, new FormData(event.target));
    });
    place.addEventListener("change", ({ target }) => {
      if (target.dataset.change) run(target.dataset.change, target.dataset, target.value);
    });
  }
  window.addEventListener("beforeunload", (event) => {
    if (app.isAtRisk()) event.preventDefault();
  });
}

/** Nothing to show: this battle was never opened here, and there is no signal to fetch it by. */
function showNothing(links) {
  at("notice").hidden = false;
  const words = h("p", {}, h("b", {}, "No signal."), " This battle was not opened on this device before.");
  fill(at("notice"), icon("wifi-off"), words);
  const again = h("div.row", {}, h("a.btn", { href: links.record }, "Try again"));
  fill(at("banner"), h("section.todo", {}, h("h2", {}, "Battle not loaded"), again));
}

/** Why this page only watches, or "". */
function watching(bundle, mayRecord, key) {
  if (CLOSED.includes(bundle.result.status)) return "closed";
  return mayRecord || key ? "" : "reader";
}

/** How far this device's clock is off, in ms. Clocks decide nothing, but one that is days off would be refused. */
function clockError(now) {
  const error = now ? Date.parse(now) - Date.now() : 0;
  return Math.abs(error) > HOUR ? error : 0;
}

/** The page holds the first megabyte of a long battle. What cannot be fetched now comes with the first look. */
async function fetchRest(bundle, access) {
  try {
    const { events, position } = await eventsAfter(access, bundle.position);
    bundle.events.push(...events);
    bundle.position = position;
  } catch {
    // No signal: the recorder says so itself.
  }
}

async function start() {
  const page = JSON.parse(at("battle").textContent);
  const token = page.token || location.pathname.split("/").at(-3);
  const links = linksOf(page, token);
  const outbox = await openOutbox(token);
  const { battle, entries } = await outbox.load();
  const bundle = page.bundle ?? battle.bundle;
  if (!bundle) return showNothing(links);

  const isFresh = Boolean(page.bundle);
  const access = { api: links.api, key: page.key || battle.key, author: battle.author ?? "", stream: page.stream ?? "" };
  if (page.bundle?.more) await fetchRest(bundle, access);
  const device = battle.device || uuid();
  const mayRecord = isFresh ? page.may_record : battle.mayRecord;
  const late = isFresh ? clockError(page.now) : (battle.late ?? 0);
  let app;
  const ledger = openLedger({
    bundle,
    kept: entries,
    device,
    late,
    position: isFresh ? bundle.position : battle.position,
    outbox,
    changed: (news) => app.changed(news),
  });
  app = makeApp({ bundle, links, ledger, outbox, why: watching(bundle, mayRecord, battle.key) });
  listen(app);
  app.draw();
  document.documentElement.dataset.recorder = "ready";

  const { events, ...locked } = bundle;
  try {
    await outbox.keepBattle({ bundle: locked, device, mayRecord, late, ...(page.key && { key: page.key }) });
    await ledger.keepAll();
  } catch {
    app.view.isUnkept = true;
  }
  app.access = access;
  app.view.isPerson = Boolean(page.is_person);
  app.sync = startSync({ ledger, access, report: app.report, outdated: () => location.reload() });
  keepPage(links.worker, app);
  keepAwake(app);
  tidy();
  return undefined;
}

start();
