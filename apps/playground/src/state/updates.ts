import { createCell, type Readable } from "@robota/react/store";

const waiting = createCell<ServiceWorker | undefined>(undefined);

/** The new version of the page that waits to be used, if there is one. */
export const newVersion: Readable<ServiceWorker | undefined> = waiting;

/** Keeps the page's files for use without a network, and looks for new versions of them. */
export async function keepPage(): Promise<void> {
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register(new URL("sw.js", document.baseURI), {
    updateViaCache: "none",
  });
  const note = (): void => {
    // The first version replaces nothing.
    waiting.set(serviceWorker.controller ? (registration.waiting ?? undefined) : undefined);
  };
  note();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", note);
  });
  // A page that stays open for days learns of releases when a person comes back to it.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") registration.update().catch(() => undefined);
  });
}
