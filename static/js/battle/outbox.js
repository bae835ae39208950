// What this browser keeps of a battle, so that neither a lost signal nor a closed page loses a tap: the battle as it
// was last read, every event known, and which of them the server has not answered for.
//
// Each record says its FORMAT. The shape of the database itself never changes, because a page of an older release may
// hold it open; an event is kept exactly as the API takes it, so that any release can send what another one left.
const DATABASE = "muster-battles";
const FORMAT = 1;
const KEPT_DAYS = 180;

const answer = (request) =>
  new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });

function openDatabase() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("battles", { keyPath: "token" });
    const events = request.result.createObjectStore("events", { keyPath: ["token", "event.id"] });
    events.createIndex("token", "token");
  };
  return answer(request);
}

/** One transaction: `work` gets the two stores. Resolves with its result once everything is on the disk. */
async function write(database, work) {
  const deal = database.transaction(["battles", "events"], "readwrite", { durability: "strict" });
  const done = new Promise((resolve, fail) => {
    deal.oncomplete = resolve;
    deal.onabort = deal.onerror = () => fail(deal.error);
  });
  await work(deal.objectStore("battles"), deal.objectStore("events"));
  deal.commit?.(); // so that it is carried out even if the page goes away now
  await done;
}

const newBattle = (token) => ({
  token,
  format: FORMAT,
  bundle: null,
  key: "",
  device: "",
  position: 0,
  at: Date.now(),
});

/** A place that forgets, for a browser that lets nothing be kept: the page still works while it stays open. */
function forgetful(token) {
  const battle = newBattle(token);
  return {
    lasts: false,
    load: async () => ({ battle, entries: [] }),
    keepBattle: async (change) => void Object.assign(battle, change),
    keepEntries: async () => {},
    dropEntries: async () => {},
  };
}

/** What is kept of one battle. An entry is `{event, sent, position, refused}` around an event of the API. */
export async function openOutbox(token) {
  let database;
  try {
    database = await openDatabase();
  } catch {
    return forgetful(token);
  }
  return {
    lasts: true,

    /** What an earlier visit left: the battle's record (empty at first) and its entries. */
    async load() {
      const deal = database.transaction(["battles", "events"]);
      const [found, entries] = await Promise.all([
        answer(deal.objectStore("battles").get(token)),
        answer(deal.objectStore("events").index("token").getAll(token)),
      ]);
      return { battle: { ...newBattle(token), ...found }, entries };
    },

    /** Keep what changed about the battle itself: `{bundle, key, device, position}` or some of them. */
    async keepBattle(change) {
      await write(database, async (battles) => {
        // Another tab may have kept something in the meantime.
        const found = await answer(battles.get(token));
        battles.put({ ...newBattle(token), ...found, ...change, at: Date.now() });
      });
    },

    /** Keep entries, new ones or known ones whose standing changed. */
    async keepEntries(entries) {
      await write(database, (_, events) => {
        for (const { event, sent, position, refused } of entries) {
          events.put({ token, format: FORMAT, event, sent, position, refused });
        }
      });
    },

    /** Forget entries the server would not take; what they said is shown before that. */
    async dropEntries(ids) {
      await write(database, (_, events) => {
        for (const id of ids) events.delete([token, id]);
      });
    },
  };
}

/** Keep the key of a battle before its page is first opened; the page where a key is handed over calls this. */
export async function keepKey(token, key) {
  const outbox = await openOutbox(token);
  await outbox.keepBattle({ key });
}

/** Forget battles nobody opened here for half a year, or until any other `now`, and of which nothing is unsent. */
export async function tidy(now = Date.now()) {
  try {
    const database = await openDatabase();
    const deal = database.transaction(["battles", "events"], "readwrite");
    const events = deal.objectStore("events");
    const old = (await answer(deal.objectStore("battles").getAll())).filter((one) => now - one.at > KEPT_DAYS * 864e5);
    for (const { token } of old) {
      const entries = await answer(events.index("token").getAll(token));
      if (entries.some((entry) => !entry.sent)) continue;
      for (const entry of entries) events.delete([token, entry.event.id]);
      deal.objectStore("battles").delete(token);
    }
  } catch {
    // Nothing can be kept here, so there is nothing to tidy.
  }
}
