// What the device is asked for: to open the page without a signal, and to keep its screen on. Both need https.

/** Have the site's service worker keep the page; `app.view.isReady` says when it has. */
export async function keepPage(url, app) {
  if (!("serviceWorker" in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(url);
    // The recorder had a worker of its own before.
    for (const other of await navigator.serviceWorker.getRegistrations()) {
      if (other.scope !== registration.scope) await other.unregister();
    }
    await navigator.serviceWorker.ready;
    app.view.isReady = true;
    document.documentElement.dataset.offline = "ready";
    app.draw();
  } catch {
    // The browser allows none here; the page works while it stays open, and the menu says so.
  }
}

/** Keep the screen on from the first tap until the battle is over or somebody lets it sleep. */
export function keepAwake(app) {
  let lock = null;
  let isWanted = true;

  async function hold() {
    if (!isWanted || lock || !navigator.wakeLock || document.visibilityState !== "visible" || app.state.end) return;
    try {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => {
        lock = null;
        app.view.isAwake = false;
      });
      app.view.isAwake = true;
    } catch {
      // Low battery, or not allowed: the screen sleeps as it would anyway.
    }
  }
  app.setAwake = async (wanted) => {
    isWanted = wanted;
    if (wanted) await hold();
    else await lock?.release();
    app.draw();
  };
  document.addEventListener("pointerdown", hold);
  document.addEventListener("visibilitychange", hold);
  // The store of a site nobody asked to keep may be emptied when the device runs short of room.
  document.addEventListener("pointerdown", () => navigator.storage?.persist?.(), { once: true });
}
