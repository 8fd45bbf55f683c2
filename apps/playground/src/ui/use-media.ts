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
    // The first screen is drawn for a wide window; style sheets fit it to others.
    () => false,
  );
}

/** One column with tabs at the bottom. The same widths are in the style sheets, in ems so that large text counts as a narrow page. */
export const PHONE = "(max-width: 45em)";
/** Too narrow for the list of sessions beside the conversation. */
export const NARROW = "(max-width: 68.6875em)";
