import type { PromptQueue, QueuedPrompt } from "@robota/runtime/sessions";
import { useMemo } from "react";
import { refuse } from "./refuse.ts";
import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import type { SessionView } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

export interface UseQueue {
  /** Prompts behind the running turn, next one first. */
  prompts: readonly QueuedPrompt[];
  /** True when none of them begins by itself. */
  isPaused: boolean;
  /** Changes, each as `PromptQueue` of the session has it. */
  edit: PromptQueue["edit"];
  move: PromptQueue["move"];
  remove: PromptQueue["remove"];
  pause: PromptQueue["pause"];
  resume: PromptQueue["resume"];
  /** Drops all of them; the running turn continues. */
  clear: () => void;
}

/**
 * The prompts that wait for the running turn.
 * @param session nothing while the session is not open yet; changes are refused then with `NOT_FOUND`
 * @example
 * function Queue({ session }: { session: InteractiveSession }) {
 *   const { prompts, clear } = useQueue(session);
 *   return prompts.length > 0 && <button onClick={clear}>Drop {prompts.length} queued</button>;
 * }
 */
export function useQueue(session: SessionConnection | undefined): UseQueue {
  const state = useSelected(viewOf(session), queueOf);
  const changes = useMemo(() => changesOf(session), [session]);
  return { ...state, ...changes };
}

function queueOf({ queue, isQueuePaused }: SessionView): Pick<UseQueue, "prompts" | "isPaused"> {
  return { prompts: queue, isPaused: isQueuePaused };
}

function changesOf(session: SessionConnection | undefined): Omit<UseQueue, "prompts" | "isPaused"> {
  return {
    edit: async (id, text) => session?.queue.edit(id, text) ?? refuse(),
    move: async (id, place) => session?.queue.move(id, place) ?? refuse(),
    remove: async (id) => session?.queue.remove(id) ?? refuse(),
    pause: async () => session?.queue.pause() ?? refuse(),
    resume: async () => session?.queue.resume() ?? refuse(),
    clear: () => session?.cancelQueue(),
  };
}
