import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { type Moment, formatTime } from "../../engine/text/time-format.ts";
import { type TimeZone, timeZone, UTC } from "../../engine/text/time-zone.ts";
import { explain, parseArguments, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";
import { parseDate } from "./date-words.ts";

type Options = ReadonlyMap<string, string>;

const USUAL = "%a %b %e %H:%M:%S %Z %Y";
const EMAIL = "%a, %d %b %Y %H:%M:%S %z";

const ISO: Readonly<Record<string, string>> = {
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};
const RFC_3339: Readonly<Record<string, string>> = {
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%d %H:%M:%S%:z",
  ns: "%Y-%m-%d %H:%M:%S.%N%:z",
};

/** Prints a time: `-u`, `-d TEXT`, `-f FILE`, `-r FILE`, `-I`, `-R`, `--rfc-3339`, `+FORMAT`. */
export const date: ShellCommand = {
  name: "date",
  async run(args, context) {
    // The precision of -I is a part of the same word.
    const words = args.map((arg) => (arg.startsWith("-I") ? `--iso-8601=${arg.slice(2)}` : arg));
    const { options, operands } = parseArguments(words, {
      flags: "uR",
      valued: "dfrs",
      long: {
        date: "d",
        file: "f",
        "iso-8601": "iso",
        reference: "r",
        "rfc-2822": "R",
        "rfc-3339": "rfc",
        "rfc-email": "R",
        set: "s",
        universal: "u",
        utc: "u",
      },
    });
    const format = formatOf(options, operands);
    if (options.has("s")) throw new Error("cannot set date: Operation not permitted");
    const zone = options.has("u") ? UTC : timeZone(context.env["TZ"]);
    const file = options.get("f");
    if (file === undefined) {
      const moment = await momentOf(context, options, zone);
      return { stdout: `${formatTime(format, moment, zone)}\n` };
    }
    let [stdout, stderr] = ["", ""];
    for (const line of splitLines(await readTextOperand(context, file))) {
      const moment = parseDate(line, now(), zone);
      if (moment) stdout += `${formatTime(format, moment, zone)}\n`;
      else stderr += `date: invalid date '${line}'\n`;
    }
    return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
  },
};

function formatOf(options: Options, operands: readonly string[]): string {
  const [operand, extra] = operands;
  if (extra !== undefined) throw new Error(`extra operand '${extra}'`);
  if (operand !== undefined) {
    if (!operand.startsWith("+")) throw new Error(`invalid date '${operand}'`);
    return operand.slice(1);
  }
  if (options.has("R")) return EMAIL;
  if (options.has("iso")) return precise(ISO, options.get("iso") || "date", "--iso-8601");
  if (options.has("rfc")) return precise(RFC_3339, options.get("rfc") ?? "", "--rfc-3339");
  return USUAL;
}

/** The format of a precision, which may be abbreviated. */
function precise(formats: Readonly<Record<string, string>>, name: string, option: string): string {
  const found = Object.keys(formats).find((precision) => name !== "" && precision.startsWith(name));
  if (found === undefined) throw new Error(`invalid argument '${name}' for '${option}'`);
  return formats[found] ?? "";
}

async function momentOf(
  { fs, resolve }: ShellCommandContext,
  options: Options,
  zone: TimeZone,
): Promise<Moment> {
  const [text, reference] = [options.get("d"), options.get("r")];
  if (reference !== undefined) {
    const stat = await fs.stat(resolve(reference)).catch((error: unknown) => {
      throw new Error(`${reference}: ${explain(error)}`, { cause: error });
    });
    return momentAt(stat.mtimeMs);
  }
  if (text === undefined) return now();
  const moment = parseDate(text, now(), zone);
  if (!moment) throw new Error(`invalid date '${text}'`);
  return moment;
}

function now(): Moment {
  return momentAt(Date.now());
}

function momentAt(ms: number): Moment {
  const seconds = Math.floor(ms / 1_000);
  return { seconds, nanoseconds: Math.floor((ms - seconds * 1_000) * 1e6) };
}
