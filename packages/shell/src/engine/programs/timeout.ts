import { parseOptions } from "../builtins/builtin.ts";
import { signalNumber } from "../builtins/jobs/signals.ts";
import { TerminatedError } from "../run/budget.ts";
import { forkProcess, type Process, type Program, report } from "../run/process.ts";
import { runProgram } from "./runners.ts";

const MISUSED = 125;
const TIMED_OUT = 124;
const KILL = 9;
/** Time for a program to unwind before it is left behind. */
const UNWIND_MS = 100;
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
    const signal = signalNumber(options.get("s") ?? "TERM")?.number;
    const ms = millisecondsOf(duration ?? "");
    const reason =
      wrong === undefined ? misuse({ duration, words, ms, signal }) : `invalid option ${wrong}`;
    if (reason !== undefined) {
      await report(process, `timeout: ${reason}`);
      return MISUSED;
    }
    const status = await runFor(process, words, ms ?? 0);
    if (status !== undefined) return status;
    if (options.has("v")) {
      const name = options.get("s") ?? "TERM";
      await report(process, `timeout: sending signal ${name} to command '${words[0] ?? ""}'`);
    }
    return options.has("p") || signal === KILL ? 128 + (signal ?? 0) : TIMED_OUT;
  },
};

function shortened(arg: string, at: number, args: readonly string[]): string[] {
  // Behind the duration begins the program.
  const isOwn = args.slice(0, at).every((before) => before.startsWith("-"));
  const [, name = arg, value] = /^(--[a-z-]+)(?:=(.*))?$/.exec(arg) ?? [];
  const short = isOwn ? LONG[name] : undefined;
  if (short === undefined) return [arg];
  return value === undefined ? [short] : [short + value];
}

function misuse({
  duration,
  words,
  ms,
  signal,
}: {
  duration: string | undefined;
  words: readonly string[];
  ms: number | undefined;
  signal: number | undefined;
}): string | undefined {
  if (duration === undefined || words.length === 0) return "missing operand";
  if (ms === undefined) return `invalid time interval '${duration}'`;
  return signal === undefined ? "invalid signal" : undefined;
}

function millisecondsOf(text: string): number | undefined {
  const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (!match) return undefined;
  const unit = { m: 60, h: 3_600, d: 86_400 }[match[2] ?? ""] ?? 1;
  return Number(match[1]) * unit * 1_000;
}

/** The status of a program; `undefined` when it was ended, since it took longer. */
async function runFor(
  process: Process,
  words: readonly string[],
  ms: number,
): Promise<number | undefined> {
  if (ms === 0) return runProgram(forkProcess(process), words);
  const { run } = process;
  const controller = new AbortController();
  const { signal } = controller;
  const child: Process = {
    ...forkProcess(process),
    run: {
      ...run,
      budget: run.budget.until(signal),
      signal: run.signal ? AbortSignal.any([run.signal, signal]) : signal,
    },
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = runProgram(child, words);
  const isLeft = new Promise<undefined>((resolve) => {
    timer = setTimeout(
      () => {
        controller.abort();
        // A program that waits, as for its input, does not notice.
        timer = setTimeout(() => {
          end.catch(() => {});
          void child.descriptors.closeAll().then(() => resolve(undefined));
        }, UNWIND_MS);
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  });
  try {
    const status = await Promise.race([end, isLeft]);
    return signal.aborted ? undefined : status;
  } catch (error) {
    if (error instanceof TerminatedError && signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
