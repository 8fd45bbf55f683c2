import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

/** Bundles the worker, because a process that has to be started a hundred times should start fast. */
export async function bundleWorker(directory: string, entry = "death-worker.ts"): Promise<string> {
  const outdir = join(directory, "bundle");
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Chunks that are loaded on demand are not read with each start.
    splitting: true,
    platform: "node",
    format: "esm",
    conditions: ["@robota/source"],
    // The virtual shell's engine, which no machine's session loads, and what drivers use only where it is installed.
    external: ["pg-native"],
    // Drivers of databases are CommonJS.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return join(outdir, basename(entry).replace(/\.ts$/, ".mjs"));
}

export interface WorkerProcess {
  readonly pid: number;
  /** The lines it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it has printed `count` lines. */
  waitForLines(count: number): Promise<void>;
  /** Kills it so that it can do nothing about it, and resolves when all that it printed has arrived. */
  kill(): Promise<void>;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts one that is killed with its test at the latest: a run waits for whoever still holds its output open. */
export function startWorker(bundle: string, ...args: string[]): WorkerProcess {
  const child = spawn(process.execPath, [bundle, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr, { end: false });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    async waitForLines(count) {
      while (lines.length < count) {
        await Promise.race([once(reader, "line"), ended]);
        if (child.exitCode !== null && lines.length < count) {
          throw new Error(`the worker ended after ${lines.length} lines`);
        }
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
