// The session in the page's address: `#/sessions/<id>`, or `#/servers/<address>/sessions/<id>` for one that runs on a server. A new
// session has none until its first turn or its name.

import { PREFIX } from "../inspector/transfer/link-prefix.ts";

/** How an address gets into the browser's history: as a new entry, in place of the present one, or not at all. */
export type HistoryStep = "push" | "replace" | "none";

/** The session that an address names. */
export interface SessionAddress {
  id: string;
  /** Address of its server; runs in this browser when missing. */
  server?: string | undefined;
}

export function sessionInAddress(): SessionAddress | undefined {
  const [, server, id] = /^#(?:\/servers\/([^/]+))?\/sessions\/([^/]+)$/.exec(location.hash) ?? [];
  try {
    return id
      ? { id: decodeURIComponent(id), server: server && decodeURIComponent(server) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** True while the address is a link with a session in it, which is no place to go to. */
export function isLink(): boolean {
  return location.hash.startsWith(PREFIX);
}

/** Names a session, or a new one, in the address. */
export function writeAddress(named: SessionAddress | undefined, step: HistoryStep): void {
  if (step === "none") return;
  const { id, server } = named ?? {};
  const place = server ? `/servers/${encodeURIComponent(server)}` : "";
  const hash = id ? `#${place}/sessions/${encodeURIComponent(id)}` : "";
  if (hash === location.hash) return;
  const address = location.pathname + location.search + hash;
  if (step === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
