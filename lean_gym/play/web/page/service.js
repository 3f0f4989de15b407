// Keeps the files of the page, so that it works without a network once it was loaded.
importScripts("files.js");

const PREFIX = "lean-gym-";
const CACHE = PREFIX + self.BUNDLE.version;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(self.BUNDLE.files)));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || address.origin !== self.location.origin) return;
  if (address.pathname.endsWith("/")) address.pathname += "index.html";
  address.search = "";
  const kept = caches.open(CACHE).then((cache) => cache.match(address.href));
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
});
