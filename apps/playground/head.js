// Inlined into the page's head, so that nothing waits for it: `page-head-plugin.ts`.

// The only addresses that become scripts at run time are those of workers: files of this site, and what the page itself has made.
globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(address) {
    const url = new URL(address, location.href);
    const isOwn = url.origin === location.origin && /^(?:https?|blob):$/.test(url.protocol);
    return isOwn ? address : null;
  },
});

// Before the first paint, so that a chosen theme never flashes. The key is the one of src/state/preferences.ts.
try {
  const theme = JSON.parse(localStorage.getItem("robota.theme") ?? "null");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be closed to this page, or hold something else; the system's theme is right then.
}

// The first screen is that of a first visit. Whoever has been here before waits for their own.
try {
  const isKnown = Object.keys(localStorage).some((key) => /^robota\.(?!theme$)/.test(key));
  if (isKnown || location.hash || location.search) document.documentElement.dataset.known = "";
} catch {
  // As above.
}

// It can be clicked before the page's code is there: `src/first-input.ts`.
addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-first-screen]")) globalThis.clickedFirst = target.closest("button");
});
