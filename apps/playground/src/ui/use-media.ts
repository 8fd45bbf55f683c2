import { useSyncExternalStore } from "react";

/** Reports whether the media query matches. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

/** One column with tabs at the bottom. The same widths are in the style sheets. */
export const PHONE = "(max-width: 720px)";
/** Too narrow for the list of sessions beside the conversation. */
export const NARROW = "(max-width: 1099px)";
