import { shortPath } from "../ui/format.ts";
import { allUnsaved, isUnsaved } from "./unsaved.ts";

/** A part of the page that gives its sessions back. */
export interface Closable {
  close: () => Promise<void>;
}

/** Files with something to save, of all sets. */
export function unsavedPaths(): string[] {
  const drafts = [...allUnsaved()].flatMap(({ byPath }) => [...byPath.get()]);
  return [...new Set(drafts.filter(([, draft]) => isUnsaved(draft)).map(([path]) => path))];
}

/** Gives up everything that is not saved. */
export function dropUnsaved(): void {
  for (const texts of allUnsaved()) for (const path of texts.byPath.get().keys()) texts.drop(path);
}

/**
 * Closes the page's sessions and leaves by `go`, unless the person wants to keep what is not saved. The browser's own question
 * comes with `go`, and so too late: whoever stays then has a page without sessions.
 */
export async function leavePage(page: Closable, go: () => void): Promise<void> {
  const names = unsavedPaths().map((path) => shortPath(path));
  if (names.length > 0 && !confirm(`Not saved: ${names.join(", ")}. Leave without saving?`)) return;
  await page.close();
  dropUnsaved();
  go();
}

/** Leaves the page for a new version of it. */
export function switchToVersion(page: Closable, worker: ServiceWorker): Promise<void> {
  return leavePage(page, () => {
    const reload = (): void => location.reload();
    navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
    worker.postMessage("activate");
  });
}
