// Keeps the page's files, so that it works without a network and an open page finds its own files after a release. The build
// writes their list and version to `precache.js`. Nothing but these files is ever kept, and only they are answered here.
importScripts("precache.js");

const { version, files } = self.PRECACHE;
const PREFIX = "robota-page-";
const NAME = PREFIX + version;
/** Files that carry a hash of their content in their name. */
const HASHED = /^assets\//;
/** Requests that are under way at once while the files are fetched. */
const AT_ONCE = 6;

self.addEventListener("install", (event) => event.waitUntil(keepAll()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", (event) => {
  if (event.data === "activate") self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (!url.href.startsWith(self.registration.scope)) return;
  event.respondWith(answer(request, url));
});

async function keepAll() {
  const cache = await caches.open(NAME);
  const left = [...files];
  const work = async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop()) await keep(cache, file);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function keep(cache, file) {
  const isHashed = HASHED.test(file);
  const known = isHashed && (await caches.match(file));
  if (known) return cache.put(file, known);
  const response = await fetch(file, { cache: isHashed ? "default" : "reload" });
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  await cache.put(file, response);
}

/** The version before stays for pages that still run it. */
async function takeOver() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request, url) {
  const cache = await caches.open(NAME);
  const isPage =
    request.mode === "navigate" && url.href.split(/[?#]/)[0] === self.registration.scope;
  const kept = await cache.match(isPage ? "index.html" : request, { ignoreSearch: isPage });
  return kept ?? (await caches.match(request)) ?? fetch(request);
}
