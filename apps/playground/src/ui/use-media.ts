import { useSyncExternalStore } from "react";

/** Whether the media query holds now. */
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

/** One column with tabs at the bottom. The same widths stand in the style sheets. */
export const PHONE = "(max-width: 720px)";
/** No room for the list of sessions beside the conversation. */
export const NARROW = "(max-width: 1099px)";
