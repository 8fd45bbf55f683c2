import { PREFIX } from "./link-prefix.ts";

/**
 * Calls `onSession` with the fragment of the page's address when it holds a session, now or after a link was followed. It is
 * taken out of the address: a reload does not ask again, and the tab's history keeps no copy.
 */
export function watchLinks(onSession: (fragment: string) => void): void {
  const look = (former: string): void => {
    const { hash } = location;
    if (!hash.startsWith(PREFIX)) return;
    history.replaceState(null, "", former);
    onSession(hash);
  };
  // The session that the page shows stays.
  addEventListener("hashchange", ({ oldURL }) => look(oldURL));
  look(location.pathname + location.search);
}
