// Between this browser and the server: sends what is unsent, fetches what others recorded, and tries again for as long
// as it takes. The server knows an event by its id, so sending one twice does no harm, and no tap waits for any of it.
import { follow } from "./stream.js";

const BATCH = 200; // the server takes 500
const PATIENCE = 12_000; // ms until a call counts as lost
const QUICK = 2_000; // ms between looks where no stream tells of news
const SLOW = 16_000; // ms between looks where one does, or nobody looks at the screen
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/** A call that did not do what it should; `status` 0 is no answer at all. */
class Failed extends Error {
  constructor(status, detail = "", wait = 0) {
    super(detail || `status ${status}`);
    Object.assign(this, { status, detail, wait });
  }
}

async function call(url, { headers = {}, body } = {}) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { Accept: "application/json", ...(body && { "Content-Type": "application/json" }), ...headers },
      body: body && JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: stop.signal,
    });
    const told = await response.json();
    if (!response.ok)
      throw new Failed(response.status, told.detail, Number(response.headers.get("Retry-After")) * 1000);
    return told;
  } catch (error) {
    if (error instanceof Failed) throw error;
    throw new Failed(0);
  } finally {
    clearTimeout(timer);
  }
}

const headersOf = (access) => (access.key ? { "X-Battle-Key": access.key } : {});

/** Everything that arrived after a position, and how far that goes. One answer holds a megabyte, so ask on. */
export async function eventsAfter(access, position) {
  const events = [];
  for (let isMore = true; isMore; ) {
    const told = await call(`${access.api}events/?after=${position}`, { headers: headersOf(access) });
    events.push(...told.events);
    ({ position, more: isMore } = told);
  }
  return { events, position };
}

/** How long to wait after so many failures in a row, in ms, a little uneven so that phones do not all call at once. */
export const waitAfter = (failures) =>
  Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);

/**
 * Start. `ledger` holds the events (see ledger.js); `access` is `{api, key, author}`; `report(standing)` hears
 * `{reached, blocked, unsent}` after every call. Returns `wake()` for when there is something to send, and `stop()`.
 */
export function startSync({ ledger, access, report, outdated = () => {} }) {
  let timer;
  let running = false;
  let isWanted = false;
  let failures = 0;
  let startedAt = 0;
  let lookedAt = 0;
  let isBehind = false; // the stream told of events that are not here
  let seen = null; // the version of the battle that the stream told first

  const headers = headersOf(access);

  /** Send these. Returns whether the server had anything besides that was not seen here. */
  async function post(events) {
    try {
      const told = await call(`${access.api}events/`, {
        headers,
        body: { events, ...(access.author && { author: access.author }) },
      });
      return await ledger.settle(told.events, told.position);
    } catch (error) {
      if (![400, 413, 422].includes(error.status)) throw error;
      // One of them spoils the rest: find it by halves, and set that one aside with what the server says.
      if (events.length === 1) return ledger.settle([{ id: events[0].id, status: "refused", reason: error.detail }]);
      const half = Math.ceil(events.length / 2);
      const first = await post(events.slice(0, half));
      return (await post(events.slice(half))) || first;
    }
  }

  async function sendAll() {
    let isNews = false;
    for (let unsent = ledger.unsent(); unsent.length; unsent = ledger.unsent()) {
      isNews = (await post(unsent.slice(0, BATCH))) || isNews;
      if (ledger.unsent()[0]?.id === unsent[0].id) throw new Failed(0); // not answered for, whatever that was
    }
    return isNews;
  }

  async function look() {
    const { events, position } = await eventsAfter(access, ledger.position());
    lookedAt = Date.now();
    isBehind = false;
    await ledger.merge(events, position);
  }

  async function round() {
    const isNews = await sendAll();
    if (isNews || isBehind || Date.now() - lookedAt > QUICK * 0.9) await look();
  }

  async function run() {
    clearTimeout(timer);
    running = true;
    isWanted = false;
    startedAt = Date.now();
    let pause;
    try {
      await round();
      failures = 0;
      pause = stream.isOpen() || document.visibilityState !== "visible" ? SLOW : QUICK;
      report({ reached: true, blocked: "" });
    } catch (error) {
      failures += 1;
      pause = Math.max(waitAfter(failures), error.wait || 0);
      // No room is told of and waited for: by the site (507), or of this address for today (429 without a time).
      const isFull = error.status === 507 || (error.status === 429 && !error.wait);
      const isAnswer = isFull || (error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status));
      report({ reached: isAnswer, blocked: isAnswer ? error.detail || `The server answered ${error.status}.` : "" });
    }
    running = false;
    timer = setTimeout(run, (isWanted || isBehind) && !failures ? 0 : pause);
  }

  /** The stream says how many events there are. Before the first one a side may get another list: then all is read anew. */
  function hear(count, version) {
    seen ??= version;
    if (!count && version !== seen && !ledger.position() && !ledger.unsent().length) outdated();
    if (count <= ledger.position()) return;
    isBehind = true;
    if (!running) run();
  }
  const stream = follow(access.stream, hear);

  /** Now, unless a call is under way (then right after it) or one just failed (then when its wait is over). */
  function wake() {
    isWanted = true;
    if (!running && (!failures || Date.now() - startedAt > FIRST_WAIT)) run();
  }

  const onLine = () => {
    failures = 0;
    wake();
  };
  const onSight = () => document.visibilityState === "visible" && wake();
  window.addEventListener("online", onLine);
  document.addEventListener("visibilitychange", onSight);
  run();
  return {
    wake,
    stop() {
      clearTimeout(timer);
      stream.close();
      window.removeEventListener("online", onLine);
      document.removeEventListener("visibilitychange", onSight);
    },
  };
}
