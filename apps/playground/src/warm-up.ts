import { whenIdle } from "./idle.ts";
import { loadConversation } from "./lazy.ts";

/** Time without a key or a touch after which all of the page is fetched for use without a network. In milliseconds. */
const LEFT_ALONE_MS = 4000;

/**
 * Loads what the first prompt needs as soon as the page has nothing else to do: the code of sessions and turns, and the files
 * of the shell's worker. What can't be had now is loaded with its first use.
 */
export function warmUp(): void {
  whenIdle(() => {
    loadConversation();
    for (const code of [import("./open-session.ts"), import("./provider.ts")])
      code.catch(() => undefined);
    const later = document.querySelector<HTMLTemplateElement>("template#later")?.content;
    // Not as links that prefetch: Firefox takes those to be of no kind that the policy allows.
    for (const { href } of later?.querySelectorAll("a") ?? [])
      void fetch(href, { priority: "low" })
        .then((file) => file.arrayBuffer())
        .catch(() => undefined);
  });
}

/** Calls `work` once the page is loaded and nobody has used it for a while: hundreds of files would be in a person's way. */
export function whenLeftAlone(work: () => void): void {
  const used = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      used.abort();
      work();
    }, LEFT_ALONE_MS);
  };
  for (const sign of ["load", "keydown", "pointerdown"])
    addEventListener(sign, wait, { passive: true, signal: used.signal });
}
