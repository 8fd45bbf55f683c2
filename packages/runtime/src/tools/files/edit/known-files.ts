import { ToolFailure } from "../../failure.ts";
import { sessionState } from "../../session-state.ts";
import type { ToolContext } from "../../tool.ts";

/** Key of the SHA-256 of the content that the model has seen or written last. Paths have their symlinks resolved. */
const keyOf = (path: string): string => `file:${path}`;

/** Records that the model knows this content of the file. */
export async function remember(
  { memory }: Pick<ToolContext, "memory">,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  memory.set(keyOf(path), await hash(bytes));
}

/**
 * Makes sure that a change is based on the file's present content, so that nobody's work is lost unnoticed.
 * @throws {ToolFailure} `not_read` when the model never saw the file, `stale` when it changed since
 */
export async function requireKnown(
  { memory }: Pick<ToolContext, "memory">,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const known = memory.get(keyOf(path));
  if (known === (await hash(bytes))) return;
  if (known === undefined) {
    throw new ToolFailure("not_read", `${path} has not been read in this session.`, {
      hint: "Read it first, so that the change is based on its present content.",
    });
  }
  throw new ToolFailure("stale", `${path} has changed since it was read.`, {
    hint: "Read it again and make the change on its present content.",
  });
}

/** Runs one change of a file at a time: calls of one batch run side by side, and a change reads before it writes. */
export async function oneAtATime<T>(
  context: Pick<ToolContext, "state">,
  path: string,
  work: () => Promise<T>,
): Promise<T> {
  const running = sessionState(
    context,
    "runningChanges",
    () => new Map<string, Promise<unknown>>(),
  );
  const before = running.get(path);
  const mine = (async () => {
    // The outcome of the previous change belongs to its own caller.
    await before?.catch(() => undefined);
    return work();
  })();
  running.set(path, mine);
  try {
    return await mine;
  } finally {
    if (running.get(path) === mine) running.delete(path);
  }
}

async function hash(bytes: Uint8Array): Promise<string> {
  // The bytes of a port are the caller's own, so never of a shared buffer.
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
