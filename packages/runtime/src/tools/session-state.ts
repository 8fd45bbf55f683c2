import type { ToolContext } from "./tool.ts";

/**
 * A value that tools keep over the calls of one session, made on first use. A key belongs to the one module that calls
 * this with it, so the type under it is always the same. One that is disposable is disposed of with the session.
 */
export function sessionState<T>(
  context: Pick<ToolContext, "state">,
  key: string,
  create: () => T,
): T {
  if (!context.state.has(key)) context.state.set(key, create());
  return context.state.get(key) as T;
}

/** Ends what tools have left running, when the session is closed: every value kept that can be disposed of. */
export async function disposeSessionState(state: ReadonlyMap<string, unknown>): Promise<void> {
  const values = [...state.values()].filter(isDisposable);
  await Promise.allSettled(values.map((value) => value[Symbol.asyncDispose]()));
}

function isDisposable(value: unknown): value is AsyncDisposable {
  return typeof value === "object" && value !== null && Symbol.asyncDispose in value;
}
