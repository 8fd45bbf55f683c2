// The session in the page's address: `#/sessions/<id>`. A new session has none until its first turn.

/** How an address gets into the browser's history: as a new entry, in place of the present one, or not at all. */
export type HistoryStep = "push" | "replace" | "none";

export function sessionInAddress(): string | undefined {
  const encoded = /^#\/sessions\/([^/]+)$/.exec(location.hash)?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Names a session, or a new one, in the address. */
export function writeAddress(id: string | undefined, step: HistoryStep): void {
  if (step === "none" || sessionInAddress() === id) return;
  const hash = id ? `#/sessions/${encodeURIComponent(id)}` : "";
  const address = location.pathname + location.search + hash;
  if (step === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
