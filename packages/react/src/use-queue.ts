import { useMemo } from "react";
import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import type { SessionView } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

export interface UseQueue {
  /** Prompts behind the running turn, next one first. */
  prompts: readonly string[];
  /** Drops the first one with this text. */
  drop: (text: string) => void;
  /** Drops all of them; the running turn continues. */
  clear: () => void;
}

/**
 * The prompts that wait for the running turn.
 * @example
 * function Queue({ session }: { session: InteractiveSession }) {
 *   const { prompts, clear } = useQueue(session);
 *   return prompts.length > 0 && <button onClick={clear}>Drop {prompts.length} queued</button>;
 * }
 */
export function useQueue(session: SessionConnection | undefined): UseQueue {
  const prompts = useSelected(viewOf(session), queueOf);
  return useMemo(
    () => ({
      prompts,
      drop: (text) => session?.cancelQueue(text),
      clear: () => session?.cancelQueue(),
    }),
    [prompts, session],
  );
}

function queueOf({ queue }: SessionView): readonly string[] {
  return queue;
}
