import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants as system } from "node:os";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { ShellError } from "@robota/runtime";
import { type ShellOptions, type ShellResult } from "@robota/runtime/ports";
import { BoundedOutput } from "./bounded-output.ts";
import { openChannels, type Channels, type Readers } from "./channels.ts";
import { endFamily, type Family } from "./process-family.ts";

/** A text can't be much longer in JavaScript, so more output is never kept. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
/** Linux takes 128 KiB for one argument of a program. Longer scripts go through a file. */
const MAX_ARGUMENT_BYTES = 100 * 1024;
const RUN_FROM_FILE = 'robota_script=$(cat <&3); exec 3<&-; eval "$robota_script"';
/**
 * Makes bash report its final directory and exports. Uses a descriptor outside of those for scripts, which are below
 * ten. A script that sets an EXIT trap of its own, or replaces the shell by `exec`, ends without a report.
 */
const reportState = (descriptor: number): string =>
  `exec 250>&${descriptor} ${descriptor}>&-; ` +
  `trap '{ pwd -P; printf "\\0"; /usr/bin/env -0; printf "\\0"; } >&250 2>/dev/null' EXIT; `;
/** Time to wait for the rest of the report after the shell has ended. */
const STATE_MS = 50;
const MAX_STATE = 1024 * 1024;
/** Set by the shell itself. */
const OWN_VARIABLES = ["PWD", "OLDPWD", "SHLVL", "_"];
/** `setTimeout` takes a longer delay for none. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
// Bounds the wait for output held open by background processes after the shell has ended. Two rounds, so that the event
// loop has polled for output in between however late the timers are.
const QUIET_MS = 25;
const QUIET_ROUNDS = 2;
const MAX_DRAIN_MS = 500;

export interface CommandOptions extends Omit<ShellOptions, "env"> {
  /** The shell, and its arguments before `-c`. */
  program: string;
  programArguments: readonly string[];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
}

interface StartedShell {
  child: ChildProcess;
  pid: number;
  marker: string;
  readers: Readers;
  /** Bash's report of its last working directory and its environment. */
  directory: Readable | undefined;
}

const READ_BYTES = 64 * 1024;

type StopReason = "aborted" | "timed out";

/** A command line that was started, until nothing holds its output any more. */
export class RunningCommand {
  readonly #child: ChildProcess;
  readonly #readers: readonly Socket[];
  readonly #family: Family;
  readonly #output: BoundedOutput;
  readonly #exited: Promise<undefined>;
  readonly #stopped = Promise.withResolvers<StopReason>();
  readonly #directory: Readable | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #stateRead = Promise.withResolvers<void>();
  #stateText = "";
  #chunks = 0;
  #isDetached = false;
  #listenerError: { error: unknown } | undefined;

  /** Resolves to its result, also after an abort or a timeout. */
  readonly result: Promise<ShellResult>;
  /** Resolves when its background processes have ended too, or have closed its output. */
  readonly finished: Promise<void>;

  /** @throws {ShellError} When the shell can't be started. */
  static async start(script: string, options: CommandOptions): Promise<RunningCommand> {
    const isLong = Buffer.byteLength(script) > MAX_ARGUMENT_BYTES;
    const marker = `ROBOTA_COMMAND_${randomUUID().replaceAll("-", "")}`;
    let channels: Channels | undefined;
    try {
      channels = await openChannels({ stdin: options.stdin, script: isLong ? script : undefined });
      const { stdin, stdout, stderr } = channels;
      const tells = basename(options.program) === "bash";
      const preamble = tells ? reportState(isLong ? 4 : 3) : "";
      const child = spawn(
        options.program,
        [...options.programArguments, "-c", preamble + (isLong ? RUN_FROM_FILE : script)],
        {
          cwd: options.cwd,
          env: { ...options.env, [marker]: "1" },
          // A session of its own: a signal reaches all of it, and no terminal can be asked.
          detached: true,
          stdio: [
            stdin,
            stdout,
            stderr,
            ...(isLong ? [channels.script] : []),
            ...(tells ? ["pipe" as const] : []),
          ],
        },
      );
      await once(child, "spawn");
      const { pid } = child;
      if (pid === undefined) throw new Error("it has no process");
      const directory = tells ? (child.stdio.at(isLong ? 4 : 3) as Readable) : undefined;
      return new RunningCommand(
        { child, pid, marker, readers: channels.readers, directory },
        options,
      );
    } catch (cause) {
      if (channels) for (const descriptor of Object.values(channels.readers)) closeSync(descriptor);
      throw new ShellError(`${options.program} can't be started: ${String(cause)}`, {
        cause,
        hint: "Check that the machine can start another process, and has room for temporary files.",
      });
    } finally {
      channels?.handOver();
    }
  }

  private constructor(
    { child, pid, marker, readers, directory }: StartedShell,
    options: CommandOptions,
  ) {
    this.#child = child;
    this.#directory = directory;
    this.#env = options.env;
    directory?.setEncoding("utf8").on("data", (text: string) => {
      if (this.#stateText.length < MAX_STATE) this.#stateText += text;
      if (this.#stateText.endsWith("\0\0")) this.#stateRead.resolve();
    });
    // The reader may be gone before its writers.
    directory?.on("error", () => {});
    this.#readers = [
      openReader(readers.stdout, (chunk) => this.#take("stdout", chunk)),
      openReader(readers.stderr, (chunk) => this.#take("stderr", chunk)),
    ];
    const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
    this.#family = { pid, marker, isRunning };
    this.#output = new BoundedOutput(
      Math.min(options.maxOutputBytes ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES),
      (chunk) => options.onOutput?.(chunk),
    );
    this.#exited = new Promise((resolve) => child.once("exit", () => resolve(undefined)));
    this.finished = Promise.all(this.#readers.map(untilClosed)).then(() => undefined);
    this.result = this.#run(options);
  }

  /** Ends the command and its background processes. */
  async end(): Promise<void> {
    this.#stopped.resolve("aborted");
    await this.result.catch(() => {});
    if (!this.#isClosed()) await endFamily(this.#family);
  }

  async #run({
    signal,
    timeoutMs = Infinity,
    endsLeftovers,
  }: CommandOptions): Promise<ShellResult> {
    const onAbort = (): void => this.#stopped.resolve("aborted");
    const onTimeout = (): void => this.#stopped.resolve("timed out");
    const timer = timeoutMs <= MAX_TIMEOUT_MS ? setTimeout(onTimeout, timeoutMs) : undefined;
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    try {
      const stopped = this.#stopped.promise;
      let stopReason = await Promise.race([this.#exited, stopped]);
      stopReason ??= await Promise.race([this.#drained(), stopped]);
      if (stopReason || endsLeftovers) {
        await endFamily(this.#family);
        await this.#drained();
      }
      if (!stopReason && this.#stateText !== "") {
        await Promise.race([this.#stateRead.promise, delay(STATE_MS)]);
      }
      return this.#toResult(stopReason);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#detach();
    }
  }

  #take(stream: "stdout" | "stderr", chunk: Buffer): void {
    if (this.#isDetached) return;
    this.#chunks++;
    try {
      this.#output.write(stream, chunk);
    } catch (error) {
      this.#listenerError ??= { error };
      this.#stopped.resolve("aborted");
    }
  }

  /** Resolves when the output has ended, or when no more of it comes for a while after the shell ended. */
  async #drained(): Promise<undefined> {
    const deadline = performance.now() + MAX_DRAIN_MS;
    let chunks = this.#chunks;
    for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < deadline;) {
      if (this.#isClosed()) return undefined;
      await Promise.race([this.finished, delay(QUIET_MS)]);
      quiet = chunks === this.#chunks ? quiet + 1 : 0;
      chunks = this.#chunks;
    }
    return undefined;
  }

  #isClosed(): boolean {
    return this.#readers.every((reader) => reader.closed);
  }

  #toResult(stopReason: StopReason | undefined): ShellResult {
    if (this.#listenerError) {
      throw new ShellError("The command was ended, because onOutput threw.", {
        cause: this.#listenerError.error,
        hint: "Handle errors inside of onOutput.",
      });
    }
    const { exitCode, signalCode } = this.#child;
    const ownCode = exitCode ?? 128 + (signalCode ? system.signals[signalCode] : 0);
    const codes = { aborted: 130, "timed out": 124 };
    return {
      exitCode: stopReason ? codes[stopReason] : ownCode,
      ...this.#output.end(),
      timedOut: stopReason === "timed out",
      ...(stopReason === undefined ? this.#leftState() : {}),
    };
  }

  #leftState(): Pick<ShellResult, "cwd" | "env"> {
    const [directory = "", ...variables] = this.#stateText.split("\0");
    if (!directory.endsWith("\n")) return {};
    const cwd = directory.slice(0, -1);
    if (!this.#stateText.endsWith("\0\0")) return { cwd };
    const left = new Map<string, string>();
    for (const variable of variables) {
      const at = variable.indexOf("=");
      if (at > 0) left.set(variable.slice(0, at), variable.slice(at + 1));
    }
    const names = new Set([...Object.keys(this.#env), ...left.keys()]);
    for (const name of [...OWN_VARIABLES, this.#family.marker]) names.delete(name);
    const changed = [...names].filter(
      (name) => left.get(name) !== this.#env[name] && !name.startsWith("BASH_FUNC_"),
    );
    if (changed.length === 0) return { cwd };
    return { cwd, env: Object.fromEntries(changed.map((name) => [name, left.get(name)])) };
  }

  /**
   * Background processes keep their pipes, whose output is discarded: a server that logs to an unread pipe would block,
   * and one whose pipe was closed would die. Neither keeps this process alive.
   */
  #detach(): void {
    this.#isDetached = true;
    for (const reader of this.#readers) reader.unref();
    this.#directory?.destroy();
    this.#child.unref();
  }
}

/** Reads a pipe into one buffer over and over, so that no amount of output needs more memory than that. */
function openReader(descriptor: number, take: (chunk: Buffer) => void): Socket {
  const buffer = Buffer.alloc(READ_BYTES);
  const callback = (length: number): boolean => {
    take(buffer.subarray(0, length));
    return true;
  };
  const onread = { buffer, callback };
  const reader = new Socket({ fd: descriptor, readable: true, writable: false, onread });
  // A broken pipe has ended; its close event follows.
  reader.on("error", () => {});
  return reader.resume();
}

function untilClosed(reader: Socket): Promise<void> {
  return new Promise((resolve) => reader.once("close", () => resolve()));
}
