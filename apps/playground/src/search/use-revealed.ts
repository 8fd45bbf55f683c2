import { useEffect, useEffectEvent } from "react";
import { revealed } from "./search-state.ts";

/** Calls `open` when a search leads to a part, which may be folded in, and when it was led to before it is drawn. */
export function useRevealed(itemId: string, open: () => void): void {
  const look = useEffectEvent(() => {
    if (revealed.get()?.itemId === itemId) open();
  });
  useEffect(() => {
    look();
    return revealed.subscribe(() => look());
  }, []);
}
