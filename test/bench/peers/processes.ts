import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const SETTLE_MS = 120_000;

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill();
});

export interface StartOptions {
  /** A folder of `packedModules`, to measure the packages as they are published; otherwise they run from their sources. */
  packed?: string;
  flags?: readonly string[];
}

/** Starts a module of this folder; it ends with this process or by `stop`. */
export function start(
  module: string,
  args: readonly string[],
  { packed, flags = [] }: StartOptions = {},
): ChildProcess {
  const child = fork(join(packed ?? import.meta.dirname, module), args, {
    cwd: ROOT,
    execArgv: [
      ...(packed === undefined ? ["--conditions=@robota/source"] : []),
      "--experimental-import-meta-resolve",
      "--no-warnings",
      ...flags,
    ],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** The child's next message. Rejects when it ends before, or takes too long. */
export async function answer<Answer>(child: ChildProcess, timeoutMs = SETTLE_MS): Promise<Answer> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const ended = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`a measured process ended with ${String(code)}`);
    });
    const [message] = (await Promise.race([once(child, "message", { signal }), ended])) as [Answer];
    return message;
  } finally {
    over.abort();
  }
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}

/** The model services; resolves to their address. */
export async function startServer(): Promise<{ root: string; server: ChildProcess }> {
  const server = start("server.ts", []);
  return { root: `http://127.0.0.1:${await answer<number>(server)}`, server };
}
