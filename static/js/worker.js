// The site without a signal. The view that serves this puts RELEASE in front: {version, shell, offline, files, …}.
//
// The files of a release lie in a cache of their own, all of them or none, and beside them the pages that this release
// drew: an old page keeps its old files. The server says with each answer who reads (X-Reader), and of some pages that
// they may be kept and what belongs to them (X-Keep). Only one reader's pages are ever here.
const FILES = `files-${RELEASE.version}`;
const READER = "reader";
const PATIENCE = 4000; // ms until a page counts as out of reach
const DAYS = 14 * 864e5;
const PAGES_MAX = 80;
const PAGE_MAX = 1.5e6; // characters
const ALL_MAX = 12e6;
const FRESH = 5 * 60_000; // ms for which what belongs to a page is not fetched again
const RECORDER = new RegExp(`^${RELEASE.recorder.replace(/0{16}/, "[\\w-]{16}")}$`);
const isRecorder = (url) => RECORDER.test(new URL(url).pathname);

self.addEventListener("install", (event) => {
  const fill = async () => {
    const urls = [RELEASE.shell, RELEASE.offline, ...RELEASE.files];
    const cache = await caches.open(FILES);
    await cache.addAll(urls.map((url) => new Request(url, { cache: "no-cache" })));
  };
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(inTurn(tidy));
  self.clients.claim(); // not waited for: a page that is just being opened waits for this worker itself
});

// One after the other: what is kept never depends on which answer was quicker.
let last = Promise.resolve();
function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

const named = async (start) => (await caches.keys()).filter((name) => name.startsWith(start));
const reader = async () => (await (await caches.open(READER)).match("/"))?.text();

/** Every kept page, the newest first. */
async function pages() {
  const rows = [];
  for (const name of await named("pages-")) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const page = await cache.match(url);
      const told = JSON.parse(decodeURIComponent(page.headers.get("X-Kept")));
      rows.push({ ...told, url, page, cache, files: name.replace("pages-", "files-") });
    }
  }
  return rows.sort((a, b) => b.at - a.at);
}

/** The pages that may be shown: of who read last, not too old, and with all of their files here. */
async function shown() {
  const [rows, who] = [await pages(), await reader()];
  const whole = new Set();
  for (const name of await named("files-")) if ((await (await caches.open(name)).keys()).length) whole.add(name);
  return rows.filter(({ by, at, files }) => by === who && Date.now() - at < DAYS && whole.has(files));
}

const forget = async () => {
  for (const name of await named("pages-")) await caches.delete(name);
};

/** Forget everything, and who read: an answer that is still on its way keeps nothing either. */
async function empty() {
  decided = ++asked;
  await caches.delete(READER);
  await forget();
}

const drop = async (url) => {
  for (const name of await named("pages-")) await (await caches.open(name)).delete(url);
};

/** Drop what is too old or too much, then the files that no page needs any more. */
async function tidy() {
  let size = 0;
  const used = new Set([FILES]);
  for (const [index, row] of (await pages()).entries()) {
    size += row.size;
    if (index < PAGES_MAX && size < ALL_MAX && Date.now() - row.at < DAYS) used.add(row.files);
    else await row.cache.delete(row.url);
  }
  const releases = await named("files-");
  used.add(releases.at(-1)); // a newer one may wait while this worker still answers
  for (const name of releases.filter((release) => !used.has(release))) await caches.delete(name);
}

async function keep(url, { headers: told, html: drawn }, by, version) {
  const at = Date.now();
  const html = drawn
    .replace(/(csrfmiddlewaretoken" value=")[^"]*/g, "$1")
    .replace("<html ", `<html data-kept="${at}" `);
  await drop(url);
  if (html.length > PAGE_MAX) return;
  const title = html.match(/<title>([^<]*)/)?.[1] ?? "";
  const headers = new Headers(told);
  for (const name of ["Content-Encoding", "Content-Length", "Vary", "X-Keep", "X-Reader"]) headers.delete(name);
  headers.set("X-Kept", encodeURIComponent(JSON.stringify({ at, by, title, size: html.length })));
  await (await caches.open(`pages-${version}`)).put(url, new Response(html, { headers }));
  await tidy();
}

let asked = 0;
let decided = 0; // the request whose answer last said who reads: an answer to an earlier one does not count

/** Take from an answer who reads, and the page if it may be kept. Returns the addresses that belong to it. */
async function note(url, answer, order) {
  if (answer.status === 401) await empty();
  const by = answer.headers.get("X-Reader");
  const before = await reader();
  if (!by || answer.status === 401 || (by !== before && order < decided)) return [];
  decided = Math.max(order, decided);
  if (by !== before) {
    await forget();
    await (await caches.open(READER)).put("/", new Response(by));
  }
  const [version, ...along] = (answer.headers.get("X-Keep") ?? "").split(" ");
  if (version) await keep(url, answer, by, version);
  else if (answer.status < 500) await drop(url);
  return along.map((path) => new URL(path, self.location).href);
}

const busy = new Set(); // the pages of which not all that belongs to them is here yet

/** Note an answer, then fetch what belongs to it: all for a page that asks with its stamp, else what is not fresh. */
async function take(url, response, order, stamp = 0) {
  busy.add(url);
  try {
    const { status, headers } = response;
    const html = headers.has("X-Keep") ? await response.text() : "";
    const along = await inTurn(() => note(url, { status, headers, html }, order));
    const fresh = stamp ? [] : (await pages()).filter(({ at }) => Date.now() - at < FRESH).map((row) => row.url);
    for (const href of along) if (!fresh.includes(href)) await renew(href);
  } finally {
    busy.delete(url);
    for (const client of await self.clients.matchAll()) await tellKept(client, stamp);
  }
}

async function tellKept(client, renewed) {
  const kept = (await pages()).map((row) => row.url).filter((url) => !busy.has(url));
  client.postMessage({ kept, renewed });
}

/** Fetch a page in order to keep it. */
async function renew(url, stamp) {
  const order = ++asked;
  const signal = AbortSignal.timeout(2 * PATIENCE);
  await take(url, await fetch(url, { headers: { "X-Keep": "1" }, redirect: "manual", signal }), order, stamp);
}

/** The server's page where it answers in time, else the kept one; for the recorder the shell. */
async function page(url, answer) {
  const spare = async () => {
    if (isRecorder(url)) return (await caches.open(FILES)).match(RELEASE.shell);
    const rows = await shown();
    const row = rows.find((row) => row.url === url) ?? rows.find((row) => row.url === url.split("?")[0]);
    return row?.page;
  };
  try {
    const late = new Promise((_, fail) => setTimeout(fail, PATIENCE));
    const response = await Promise.race([answer, late]);
    return response.status < 500 ? response : ((await spare()) ?? response);
  } catch {
    const offline = async () => (await (await caches.open(FILES)).match(RELEASE.offline)) ?? Response.error();
    return (await spare()) ?? answer.catch(offline);
  }
}

/** A file of this release, or of the older one that a kept page belongs to. */
async function file(request) {
  const kept = async () => (await (await caches.open(FILES)).match(request.url)) ?? caches.match(request.url);
  if (!RELEASE.is_fixed) return fetch(request).catch(async () => (await kept()) ?? Response.error());
  return (await kept()) ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, href } = new URL(request.url.split("#")[0]);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    const order = ++asked;
    const answer = fetch(request);
    const copied = answer.then((response) => (response.headers.has("X-Keep") ? response.clone() : response));
    event.respondWith(page(href, answer));
    // What never comes must hold nothing up.
    const late = new Promise((done) => setTimeout(done, 2 * PATIENCE));
    event.waitUntil(Promise.race([copied.then((response) => take(href, response, order)).catch(() => {}), late]));
  } else if (pathname.startsWith(RELEASE.static)) event.respondWith(file(request));
});

const acts = {
  empty: () => inTurn(empty),
  ask: (_, client) => inTurn(() => tellKept(client)),
  renew: ({ url, stamp }) => renew(url, stamp).catch(() => {}),
  list: async (_, client) => {
    const list = (await shown()).map(({ url, title, at }) => ({ url, title, at }));
    client.postMessage({ list });
  },
};
self.addEventListener("message", (event) => {
  const [act, value] = event.data;
  event.waitUntil(acts[act]?.(value, event.source));
});
