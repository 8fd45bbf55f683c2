import { encodeText, resolvePath } from "@robota/runtime/ports";
import { parseOptions } from "../builtins/builtin.ts";
import { filesOf, forkProcess, print, type Process, type Program, report } from "../run/process.ts";
import { runProgram } from "./runners.ts";

const MISUSED = 125;
const PORTABLE = "real %e\nuser %U\nsys %S";
const USUAL =
  "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n" +
  "%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
const VERBOSE =
  '\tCommand being timed: "%C"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n' +
  "\tPercent of CPU this job got: %P\n\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n" +
  "\tMaximum resident set size (kbytes): %M\n\tExit status: %x";
const LONG: Readonly<Record<string, string>> = {
  "--append": "-a",
  "--format": "-f",
  "--output": "-o",
  "--portability": "-p",
  "--quiet": "-q",
  "--verbose": "-v",
};

/** `time` as a program: runs another one and reports its time. `-f -o -a -p -q -v` and their long forms. */
export const time: Program = {
  name: "time",
  async run({ process, args }) {
    const { options, rest, wrong } = parseOptions(args.flatMap(shortened), {
      flags: "apqv",
      valued: "fo",
    });
    if (wrong !== undefined || rest.length === 0) {
      const reason = wrong === undefined ? "missing operand" : `invalid option ${wrong}`;
      await report(process, `time: ${reason}`);
      return MISUSED;
    }
    const started = performance.now();
    const status = await runProgram(forkProcess(process), rest);
    const seconds = (performance.now() - started) / 1_000;
    const format = options.has("v")
      ? VERBOSE
      : (options.get("f") ?? (options.has("p") ? PORTABLE : USUAL));
    const failed =
      status === 0 || options.has("q") || options.has("f")
        ? ""
        : `Command exited with non-zero status ${status}\n`;
    const text = `${failed}${formatted(format, { seconds, status, words: rest })}\n`;
    const file = options.get("o");
    if (file === undefined) await print(process, 2, text);
    else await write(process, file, text, options.has("a"));
    return status;
  },
};

function shortened(arg: string, at: number, args: readonly string[]): string[] {
  // Options behind the program are its own.
  const isOwn = args.slice(0, at).every((before) => before.startsWith("-"));
  const [, name = arg, value] = /^(--[a-z]+)(?:=(.*))?$/s.exec(arg) ?? [];
  const short = isOwn ? LONG[name] : undefined;
  if (short === undefined) return [arg];
  return value === undefined ? [short] : [short + value];
}

interface Timing {
  readonly seconds: number;
  readonly status: number;
  readonly words: readonly string[];
}

function formatted(format: string, { seconds, status, words }: Timing): string {
  const facts: Readonly<Record<string, string>> = {
    "%": "%",
    C: words.join(" "),
    E: clockOf(seconds),
    P: "0%",
    S: "0.00",
    U: "0.00",
    e: seconds.toFixed(2),
    x: String(status),
  };
  return format
    .replace(/\\([nt\\])/g, (_whole, letter: string) => ({ n: "\n", t: "\t" })[letter] ?? "\\")
    .replace(/%([A-Za-z%])/g, (_whole, letter: string) => facts[letter] ?? "0");
}

/** `1:02.34`, or `1:02:34` from an hour on. */
function clockOf(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  const padded = (number: number): string => String(number).padStart(2, "0");
  if (hours > 0) return `${hours}:${padded(minutes)}:${padded(Math.floor(seconds % 60))}`;
  return `${minutes}:${(seconds % 60).toFixed(2).padStart(5, "0")}`;
}

async function write(
  process: Process,
  name: string,
  text: string,
  isAdded: boolean,
): Promise<void> {
  const path = resolvePath(process.state.cwd, name);
  const files = filesOf(process);
  await (isAdded
    ? files.appendFile(path, encodeText(text))
    : files.writeFile(path, encodeText(text)));
}
