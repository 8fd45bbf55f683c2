import { viewOf } from "./store-of.ts";
import type { SessionConnection } from "./store/connection.ts";
import { type ContextUse, hasEstimates, type SessionView } from "./store/session-view.ts";
import { useSelected } from "./use-readable.ts";

export interface ContextUsage extends ContextUse {
  /** True when the provider does not count tokens, so that the numbers are its estimates. */
  isEstimated: boolean;
}

/**
 * Use of the model's window, in tokens; `undefined` until it is known.
 * @example
 * function Meter({ session }: { session: InteractiveSession }) {
 *   const usage = useContextUsage(session);
 *   return usage && <meter min={0} max={usage.maxTokens} value={usage.usedTokens} />;
 * }
 */
export function useContextUsage(session: SessionConnection | undefined): ContextUsage | undefined {
  return useSelected(viewOf(session), usageOf);
}

function usageOf(view: SessionView): ContextUsage | undefined {
  return view.context && { ...view.context, isEstimated: hasEstimates(view) };
}
