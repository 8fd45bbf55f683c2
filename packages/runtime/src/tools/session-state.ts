import type { ToolContext } from "./tool.ts";

/**
 * A value that tools keep across the calls of one session, created at first use. Each key belongs to the one module
 * that uses it, so its type is constant. Disposable values are disposed of with the session.
 */
export function sessionState<T>(
  context: Pick<ToolContext, "state">,
  key: string,
  create: () => T,
): T {
  if (!context.state.has(key)) context.state.set(key, create());
  return context.state.get(key) as T;
}

/** Disposes of every disposable value when the session is closed, which stops tools' background work. */
export async function disposeSessionState(state: ReadonlyMap<string, unknown>): Promise<void> {
  const values = [...state.values()].filter(isDisposable);
  if (values.length === 0) return;
  await Promise.allSettled(values.map((value) => value[Symbol.asyncDispose]()));
}

function isDisposable(value: unknown): value is AsyncDisposable {
  return typeof value === "object" && value !== null && Symbol.asyncDispose in value;
}
