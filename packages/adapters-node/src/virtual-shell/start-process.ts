import { type ChildProcess, fork } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { parse } from "node:path";
import { ShellError } from "@robota/runtime";
import { errorMessage } from "@robota/runtime/ports";
import type { FromWorker, ShellWorker } from "@robota/shell";

/** Bytes kept of what a process writes to stderr, which says why it ended. */
const MAX_SAID = 16 * 1024;
/** Maximum idle time of a process: a resting session should not hold its memory for longer. */
const IDLE_MS = 5 * 60_000;
/** Memory of the engine itself, outside of its heap. */
const BASE_MEGABYTES = 256;

// Source code runs in this repository, with imports of sources.
const isSource = import.meta.url.endsWith(".ts");
const file = new URL(isSource ? "./shell-process.ts" : "./shell-process.js", import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
/** Name of the permission model's flag; the older one is from when it was experimental. */
const permissionFlag = major > 22 || minor >= 13 ? "--permission" : "--experimental-permission";

export interface ProcessOptions {
  heapMegabytes: number;
  /** A module that exports `customCommands`. */
  commands: URL | undefined;
}

/**
 * Starts a child process for a virtual shell. A thread is not a boundary: V8 aborts the whole process when one exceeds its
 * heap limit. The child has a channel to this process and nothing else: no environment, no standard input or output, and
 * no right to write files or start programs, which a shell over its host's files never needs.
 */
export function startProcess({ heapMegabytes, commands }: ProcessOptions): ShellWorker {
  const child = forkShell(heapMegabytes, commands);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-MAX_SAID);
  });
  let fail: (reason: string) => void = () => {};
  let idle: NodeJS.Timeout | undefined;
  return {
    // A message to an ended process is dropped: `onFailure` reports the end.
    post: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    listen: (listener) => child.on("message", (message: FromWorker) => listener(message)),
    onFailure(listener) {
      fail = listener;
      child.on("error", ({ message }) => fail(message));
      // Comes after the last message.
      child.on("close", (code, signal) => fail(reasonOf(code, signal, said)));
    },
    terminate() {
      clearTimeout(idle);
      child.kill("SIGKILL");
    },
    keepsAlive(isNeeded) {
      clearTimeout(idle);
      if (!isNeeded) idle = setTimeout(() => fail("it was idle"), IDLE_MS).unref();
      const change = isNeeded ? "ref" : "unref";
      child[change]();
      child.channel?.[change]();
    },
  };
}

function forkShell(heapMegabytes: number, commands: URL | undefined): ChildProcess {
  // As much again outside of the heap, for buffers with file contents.
  const maxMegabytes = 2 * heapMegabytes + BASE_MEGABYTES;
  try {
    const child = fork(
      file,
      [process.pid, maxMegabytes, ...(commands ? [commands.href] : [])].map(String),
      {
        serialization: "advanced",
        stdio: ["ignore", "ignore", "pipe", "ipc"],
        env: process.env.TZ === undefined ? {} : { TZ: process.env.TZ },
        cwd: parse(process.execPath).root,
        // A session of its own, so that a terminal's interrupt does not reach it.
        detached: true,
        execArgv: [
          `--max-old-space-size=${heapMegabytes}`,
          "--expose-gc",
          "--no-warnings",
          permissionFlag,
          "--allow-fs-read=*",
          "--allow-worker",
          ...(isSource ? ["--conditions=@robota/source"] : []),
        ],
      },
    );
    preferForOom(child);
    // An open pipe would keep this process alive.
    if (child.stderr instanceof Socket) child.stderr.unref();
    return child;
  } catch (cause) {
    throw new ShellError(`The virtual shell's process can't be started: ${errorMessage(cause)}`, {
      cause,
      hint: "Check that this process may start others (`--allow-child-process` of Node's permission model).",
    });
  }
}

/** Makes Linux choose the child, and not this process, when the machine or container runs out of memory before any limit. */
function preferForOom({ pid }: ChildProcess): void {
  if (process.platform !== "linux" || pid === undefined) return;
  writeFile(`/proc/${pid}/oom_score_adj`, "1000").catch(() => {});
}

function reasonOf(code: number | null, signal: string | null, said: string): string {
  if (said.includes("out of memory")) return "it ran out of memory";
  if (signal === "SIGKILL") return "it was killed, which systems do when memory runs out";
  const [error] = /^\w*Error\b.*$/m.exec(said) ?? [];
  return error ?? (signal ? `it ended by ${signal}` : `it ended with exit code ${code}`);
}
