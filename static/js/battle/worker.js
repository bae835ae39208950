// The recorder without a signal. The view that serves this puts RELEASE in front: {version, shell, files}.
//
// A release's shell and files go into a cache of their own, all of them or none. This worker answers with just those,
// so an open battle keeps the modules it began with; a newer worker waits until the last page of this one is closed.
const CACHE = `battle-${RELEASE.version}`;
const PATIENCE = 4000; // ms until a page counts as out of reach
const RECORDER = /^\/battles\/[\w-]{16}\/record\/$/;

self.addEventListener("install", (event) => {
  const fresh = [RELEASE.shell, ...RELEASE.files].map((url) => new Request(url, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name.startsWith("battle-") && name !== CACHE).map((name) => caches.delete(name)),
    );
  };
  event.waitUntil(tidy());
  self.clients.claim(); // not waited for: a page that is just being opened waits for this worker itself
});

const kept = async (url) => (await caches.open(CACHE)).match(url);

/** The server's page where it answers in time; the kept shell, which reads the battle from the browser, where not. */
async function page(request) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const response = await fetch(request, { signal: stop.signal });
    if (response.status < 500) return response;
    return (await kept(RELEASE.shell)) ?? response;
  } catch {
    return (await kept(RELEASE.shell)) ?? Response.error();
  } finally {
    clearTimeout(timer);
  }
}

async function file(request) {
  return (await kept(request.url)) ?? fetch(request);
}

const files = new Set(RELEASE.files.map((url) => new URL(url, self.location).href));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (RECORDER.test(new URL(request.url).pathname)) event.respondWith(page(request));
  } else if (files.has(request.url)) event.respondWith(file(request));
});
