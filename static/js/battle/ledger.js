// The events of one battle as this browser knows them, its own and everybody's, and the state they fold to.
import { fold, inOrder, nextSeq } from "./fold.js";
import { uuid } from "./dice.js";

/**
 * Open it. `bundle` is what the API tells of the battle, `kept` the entries an earlier visit left, `late` by how many ms
 * the clock is behind, `position` up to where the server was read, `changed(news)` hears what came from elsewhere.
 * Nothing here waits: a change is in the state at once, then in the outbox, and `sync.js` takes it from there.
 */
export function openLedger({ bundle, kept, device, late, position, outbox, changed }) {
  const entries = new Map();
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(`battle-${bundle.id}`) : null;
  let state, moments;

  const add = (entry) => entries.set(entry.event.id, entry);
  const isNotTaken = (entry) => Boolean(entry.refused);
  const events = () => [...entries.values()].filter((entry) => !isNotTaken(entry)).map((entry) => entry.event);
  const refold = () => {
    moments = new Map();
    const note = ({ id }, verdict, { turn, phase }) => moments.set(id, { turn, phase });
    state = fold(bundle.rules, bundle, events(), note);
  };
  const fromServer = ({ position: at, ...event }) => ({ event, sent: true, position: at, refused: "" });
  const keep = (list) => outbox.keepEntries(list);
  const moveTo = async (upTo) => {
    if (upTo <= position) return;
    position = upTo;
    await outbox.keepBattle({ position });
  };

  kept.forEach(add);
  for (const event of bundle.events ?? []) add(fromServer(event));
  refold();

  // Another tab of this browser records the same battle.
  channel?.addEventListener("message", ({ data }) => {
    const fresh = data.filter((entry) => !entries.has(entry.event.id));
    fresh.forEach(add);
    refold();
    changed(fresh.map((entry) => entry.event));
  });

  return {
    bundle,
    device,
    position: () => position,
    state: () => state,

    /** Every event that counts or was set aside, in the order they are folded. */
    events: () => inOrder(events()),
    entry: (id) => entries.get(id),

    /** The turn and the phase of the battle once this event was folded. */
    moment: (id) => moments.get(id),

    /** Events the server has not answered for, in their order. */
    unsent: () => inOrder([...entries.values()].filter((entry) => !entry.sent).map((entry) => entry.event)),

    /** Entries the server would not store, each with its reason. */
    notTaken: () => [...entries.values()].filter(isNotTaken),

    /** Record what happened: `[[kind, payload], …]`, in this order. Returns the events and when they are kept. */
    act(steps) {
      const at = new Date(Date.now() + late).toISOString();
      const first = nextSeq(bundle.rules, events());
      const made = steps.map(([kind, payload], place) => {
        const seq = Math.min(first + place, bundle.rules.limits.seq);
        const event = { id: uuid(), device, seq, at, kind, payload };
        const entry = { event, sent: false, position: null, refused: "" };
        add(entry);
        return entry;
      });
      refold();
      channel?.postMessage(made);
      return { events: made.map((entry) => entry.event), kept: keep(made) };
    },

    /**
     * What the server said of events it was sent: `[{id, status, reason, stored}]`, and how many it holds now.
     * Returns whether there are others among those, not seen here.
     */
    async settle(answers, upTo = position) {
      const told = [];
      for (const { id, status, reason, stored } of answers) {
        const entry = entries.get(id);
        if (!entry) continue;
        entry.sent = true;
        // One that is kept without an effect stays in the log, where the fold says the same reason.
        entry.refused = status === "refused" && !stored ? reason || "The server did not say why." : "";
        told.push(entry);
      }
      await keep(told);
      if (told.some(isNotTaken)) refold();
      const added = answers.filter(({ status, stored }) => stored && status !== "duplicate").length;
      const isNext = upTo === position + added;
      if (isNext) await moveTo(upTo);
      changed([]);
      return !isNext;
    },

    /** What the server has that was not seen yet, up to `upTo`. Returns whether there was anything from elsewhere. */
    async merge(list, upTo) {
      const news = list.filter((event) => !entries.has(event.id));
      const met = list.map((event) => ({ ...entries.get(event.id), ...fromServer(event) }));
      met.forEach(add);
      if (met.length) await keep(met);
      await moveTo(upTo);
      if (news.length) refold();
      if (met.length) changed(news);
      return news.length > 0;
    },

    /** Keep what came with the page and is not kept yet. */
    async keepAll() {
      const before = new Set(kept.filter((entry) => entry.sent).map((entry) => entry.event.id));
      await keep([...entries.values()].filter((entry) => !before.has(entry.event.id)));
      await outbox.keepBattle({ position });
    },

    /** Forget the entries the server would not take. */
    async forget() {
      const ids = [...entries.values()].filter(isNotTaken).map((entry) => entry.event.id);
      ids.forEach((id) => entries.delete(id));
      await outbox.dropEntries(ids);
      refold();
      changed([]);
    },
  };
}
