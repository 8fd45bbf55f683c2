import type { ToolContext } from "./tool.ts";

/**
 * A value that tools keep over the calls of one session, made on first use. A key belongs to the one module that calls
 * this with it, so the type under it is always the same.
 */
export function sessionState<T>(
  context: Pick<ToolContext, "state">,
  key: string,
  create: () => T,
): T {
  if (!context.state.has(key)) context.state.set(key, create());
  return context.state.get(key) as T;
}
