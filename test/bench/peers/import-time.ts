// A fresh process: what importing the runtime alone takes.
const begun = performance.now();
await import("@robota/runtime");
process.send?.({ ms: performance.now() - begun }, () => process.exit());
