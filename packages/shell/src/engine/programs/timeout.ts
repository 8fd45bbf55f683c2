import { parseOptions } from "../builtins/builtin.ts";
import { deliver } from "../jobs/deliver.ts";
import { type Signal, signalNumber } from "../jobs/signals.ts";
import { endable, type Process, type Program, report, spawnProcess } from "../run/process.ts";
import { runProgram } from "./runners.ts";

const MISUSED = 125;
const TIMED_OUT = 124;
const KILL: Signal = { number: 9, name: "KILL" };
/** Time for a program to run the trap of the signal. */
const PICKUP_MS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;
const LONG: Readonly<Record<string, string>> = {
  "--foreground": "-f",
  "--preserve-status": "-p",
  "--verbose": "-v",
  "--kill-after": "-k",
  "--signal": "-s",
};

/** `timeout`: ends a program after some time. `-k -s -v -f -p` and their long forms. */
export const timeout: Program = {
  name: "timeout",
  async run({ process, args }) {
    const { options, rest, wrong } = parseOptions(args.flatMap(shortened), {
      flags: "fpv",
      valued: "ks",
    });
    const [duration, ...words] = rest;
    const limit = limitOf(duration, options);
    const reason = wrong === undefined ? misuse(words, limit) : `invalid option ${wrong}`;
    if (reason !== undefined || typeof limit === "string") {
      await report(process, `timeout: ${reason ?? ""}`);
      return MISUSED;
    }
    const { status, signal } = await runFor(process, words, limit);
    if (!signal) return status;
    if (options.has("v"))
      await report(
        process,
        `timeout: sending signal ${signal.name} to command '${words[0] ?? ""}'`,
      );
    return options.has("p") || signal.name === KILL.name ? status : TIMED_OUT;
  },
};

interface Limit {
  readonly ms: number;
  readonly signal: Signal;
  /** Time from the signal to another one that ends the program in any case. */
  readonly killMs: number | undefined;
}

interface Outcome {
  readonly status: number;
  /** The last signal that the program got. */
  readonly signal: Signal | undefined;
}

function shortened(arg: string, at: number, args: readonly string[]): string[] {
  // Behind the duration begins the program.
  const isOwn = args.slice(0, at).every((before) => before.startsWith("-"));
  const [, name = arg, value] = /^(--[a-z-]+)(?:=(.*))?$/.exec(arg) ?? [];
  const short = isOwn ? LONG[name] : undefined;
  if (short === undefined) return [arg];
  return value === undefined ? [short] : [short + value];
}

/** @returns what is wrong with it */
function limitOf(
  duration: string | undefined,
  options: ReadonlyMap<string, string>,
): Limit | string {
  if (duration === undefined) return "missing operand";
  const given = options.get("k");
  for (const text of [duration, ...(given === undefined ? [] : [given])])
    if (millisecondsOf(text) === undefined) return `invalid time interval '${text}'`;
  const signal = signalNumber(options.get("s") ?? "TERM");
  if (!signal) return "invalid signal";
  const killMs = given === undefined ? undefined : millisecondsOf(given);
  return { ms: millisecondsOf(duration) ?? 0, signal, killMs };
}

function misuse(words: readonly string[], limit: Limit | string): string | undefined {
  if (typeof limit === "string") return limit;
  return words.length === 0 ? "missing operand" : undefined;
}

function millisecondsOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (!match) return undefined;
  const unit = { m: 60, h: 3_600, d: 86_400 }[match[2] ?? ""] ?? 1;
  return Number(match[1]) * unit * 1_000;
}

/** Runs a program, which gets the signal when it takes longer, and is killed when it then does not end for some time more. */
async function runFor(process: Process, words: readonly string[], limit: Limit): Promise<Outcome> {
  if (limit.ms === 0)
    return { status: await runProgram(spawnProcess(process), words), signal: undefined };
  const child = endable(spawnProcess(process), process.run);
  let sent: Signal | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const after = (ms: number, signal: Signal, next: () => void): void => {
    timer = setTimeout(
      () => {
        sent = signal;
        send(child, signal);
        next();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  };
  after(limit.ms, limit.signal, () => {
    if (limit.killMs !== undefined) after(limit.killMs, KILL, () => {});
  });
  try {
    const status = await runProgram(child, words);
    return { status, signal: sent };
  } finally {
    clearTimeout(timer);
    // Its jobs in the background end with it.
    if (sent) child.run.ending.end(sent);
  }
}

/** Sends a signal to a program. One that is busy in the foreground, so that it can't run its trap, ends in any case. */
function send(child: Process, signal: Signal): void {
  const target = child.run.processes.get(child.state.processId) ?? child;
  deliver(target, signal);
  setTimeout(() => {
    if (target.state.signals.length > 0) target.run.ending.end(signal);
  }, PICKUP_MS);
}
