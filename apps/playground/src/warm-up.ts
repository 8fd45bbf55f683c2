import { loadConversation } from "./lazy.ts";

/**
 * Loads what the first prompt needs as soon as the page has nothing else to do: the code of sessions and turns, and the files
 * of the shell's worker. What can't be had now is loaded with its first use.
 */
export function warmUp(): void {
  whenIdle(() => {
    loadConversation();
    for (const code of [import("./open-session.ts"), import("./provider.ts")])
      code.catch(() => undefined);
    const later = document.querySelector<HTMLTemplateElement>("template#later");
    if (later) document.head.append(later.content);
  });
}

/** Safari has no idle callbacks. */
function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work);
  else setTimeout(work, 500);
}
