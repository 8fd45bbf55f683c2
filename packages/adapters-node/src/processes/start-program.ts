import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { ShellError } from "@robota/runtime";
import type { ProcessOptions, RunningProcess } from "@robota/runtime/ports";
import { endFamily } from "./process-family.ts";

/** Time to end by itself once its input has ended, before it is told to. */
const END_MS = 200;

/**
 * Starts a program in a session of its own, without a shell. `env`: the variables that every command gets. It keeps
 * nothing of this process alive, and ends with everything that it started.
 * @throws {ShellError} when it can't be started
 */
export async function startProgram(
  asked: ProcessOptions,
  env: Readonly<Record<string, string>>,
): Promise<RunningProcess> {
  const { command, args, cwd, env: added } = asked;
  const marker = `ROBOTA_PROGRAM_${randomUUID().replaceAll("-", "")}`;
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env, ...added, [marker]: "1" },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new ShellError(`${command} can't be started: ${String(cause)}`, {
      cause,
      hint: "Check that the program and the working directory exist.",
    });
  }
  const { pid = 0, stdin, stdout, stderr } = child;
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  stderr.setEncoding("utf8").on("data", (text: string) => asked.onErrorOutput?.(text));
  // A reader that is gone; writes report it.
  for (const stream of [child, stdin, stderr]) stream.on("error", () => undefined);
  letGo(child);
  let ending: Promise<void> | undefined;
  return {
    output: Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
    exited,
    write: (text) =>
      new Promise((resolve, reject) => {
        stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    end: () =>
      (ending ??= (async () => {
        stdin.end();
        await Promise.race([exited, delay(END_MS, undefined, { ref: false })]);
        await endFamily({ pid, marker, isRunning });
      })()),
  };
}

function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null)?.unref();
}
