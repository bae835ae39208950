// The site without a signal, as its pages show it: has the worker keep what is read, says of a kept page how old it is,
// and shuts what needs the server.
(() => {
  const root = document.documentElement;
  const { worker, signOut, outbox, kept } = root.dataset;
  const serving = navigator.serviceWorker;
  const tell = (...message) => serving?.controller?.postMessage(message);
  const here = location.href.split("#")[0]; // as it came: a pane that is chosen changes the address
  const RETRY = 5000; // ms
  const PATIENCE = 3000; // ms: less than the worker's own, or the page would come back kept
  const NEEDED = "Needs a connection. Nothing can be saved now.";
  const FIELDS = 'form[method="post" i] :is(button, input, select, textarea):not([type="hidden"])';
  const CONTROLS = `${FIELDS}, button[form], [hx-post], [data-in-place], [data-less], [data-share]`;

  const when = (at) => {
    const date = new Date(Number(at));
    const time = { hour: "2-digit", minute: "2-digit" };
    const isToday = date.toDateString() === new Date().toDateString();
    return date.toLocaleString("en-GB", isToday ? time : { day: "numeric", month: "long", ...time });
  };
  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };

  function shut() {
    const places = new Set();
    for (const control of document.querySelectorAll(CONTROLS)) {
      if (control.disabled || control.hasAttribute("aria-disabled")) continue;
      if (control.matches("a")) control.ariaDisabled = "true";
      else control.disabled = true;
      control.dataset.needs = "server";
      if (!control.title) control.title = NEEDED;
      const isTyped = control.matches("input:not([type=submit]), select, textarea");
      places.add(control.closest("section") ?? (isTyped ? control.closest("form") : null));
    }
    for (const place of places) {
      if (!place || place.parentElement.closest("section")) continue;
      const words = element("p", { className: "needs" }, NEEDED);
      const head = place.querySelector(":scope > header");
      if (head) head.after(words);
      else place.prepend(words);
    }
  }
  function reopen() {
    for (const words of document.querySelectorAll(".needs, #as-of")) words.remove();
    for (const control of document.querySelectorAll("[data-needs]")) {
      delete control.dataset.needs;
      control.disabled = false;
      control.ariaDisabled = null;
      if (control.title === NEEDED) control.removeAttribute("title");
    }
  }
  function sayAge(at) {
    if (document.getElementById("as-of")) return;
    const again = element("a", { href: here }, "Try again");
    const words = element("p", {}, element("b", {}, "No connection."), ` This page is as of ${when(at)}. `, again);
    document.querySelector(".mast")?.after(element("div", { id: "as-of", role: "status" }, words));
    shut();
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest?.('a[aria-disabled="true"]')) event.preventDefault();
  }, true);
  if (kept) {
    document.querySelector("#toasts")?.replaceChildren();
    sayAge(kept);
    let timer = setTimeout(comeBack, RETRY);
    async function comeBack() {
      clearTimeout(timer);
      try {
        const options = { headers: { "X-Keep": "1" }, signal: AbortSignal.timeout(PATIENCE) };
        if ((await fetch(here, options)).status < 500) location.reload();
      } catch {
        // Still nothing.
      }
      timer = setTimeout(comeBack, RETRY);
    }
    window.addEventListener("online", comeBack);
  } else {
    window.addEventListener("offline", () => sayAge(Date.now()));
    window.addEventListener("online", reopen);
  }

  // Signing out forgets what is kept, battles and their keys too, but for what is not yet sent.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!signOut || form.action !== new URL(signOut, location).href) return;
    event.preventDefault();
    tell("empty");
    const forgotten = import(outbox).then(({ tidy }) => tidy(Infinity));
    const late = new Promise((done) => setTimeout(done, 1000));
    Promise.race([forgotten, late]).catch(() => {}).finally(() => form.submit());
  });
  if (!serving) return;

  // What changed on this page is kept as it is now, once nothing more is tapped.
  let isKept = false;
  let isChanged = false;
  let timer = 0;
  let stamp = 0;
  const renew = () => {
    clearTimeout(timer);
    timer = 0;
    stamp = performance.now();
    tell("renew", { url: here, stamp });
  };
  const changed = () => {
    isChanged = true;
    stamp = 0; // what is on its way is of before
    delete root.dataset.atHand;
    clearTimeout(timer);
    timer = isKept ? setTimeout(renew, 1500) : 0;
  };
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.xhr.status === 401) tell("empty");
    else if (detail.successful && detail.requestConfig.verb !== "get") changed();
  });
  window.addEventListener("pagehide", () => timer && renew());
  serving.addEventListener("message", ({ data }) => {
    if (data.kept) {
      const isFirst = !isKept;
      isKept = data.kept.includes(here);
      if (timer || !isKept) return;
      if (stamp && data.renewed === stamp) isChanged = false;
      if (!isChanged) root.dataset.atHand = "ready";
      else if (isFirst) renew();
    }
    if (data.list) showList(data.list);
  });
  function showList(pages) {
    const place = document.getElementById("kept-pages");
    const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent.trim();
    const line = ({ url, title, at }) =>
      element("li", {}, element("a", { href: url }, plain(title).replace(" · Muster Roll", "")), ` as of ${when(at)}`);
    place?.replaceChildren(...pages.map(line));
    if (pages.length) place.closest("section").hidden = false;
  }
  if (document.getElementById("kept-pages")) tell("list");

  const cameByWorker = performance.getEntriesByType("navigation")[0]?.workerStart > 0;
  const register = async () => {
    const registration = await serving.register(worker);
    // The recorder had a worker of its own before, and caches for it.
    const others = (await serving.getRegistrations()).filter(({ scope }) => scope !== registration.scope);
    for (const other of others) await other.unregister();
    const old = others.length ? [] : (await caches.keys()).filter((name) => name.startsWith("battle-"));
    for (const name of old) await caches.delete(name);
    if (!serving.controller) await new Promise((done) => serving.addEventListener("controllerchange", done));
    if (cameByWorker) tell("ask");
    else renew();
  };
  if (worker) register().catch(() => {}); // the browser allows none here: the site works, but not without a network
})();
