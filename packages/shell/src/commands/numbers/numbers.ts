import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";
import { createPrinter, type Printer } from "../streams.ts";

const iecUnits = ["", "K", "M", "G", "T", "P", "E"];

function readUnit(text: string, from: string): number {
  const [, digits, unit = "", suffix] = /^([-+]?[\d.]+)([KMGTPE]?)(i?)B?$/i.exec(text) ?? [];
  if (digits === undefined) throw new Error(`invalid number: '${text}'`);
  const isIec = from === "iec" || from === "iec-i" || (from === "auto" && suffix === "i");
  if (unit !== "" && from === "none") {
    throw new Error(`rejecting suffix in input: '${text}' (consider using --from)`);
  }
  return Number(digits) * (isIec ? 1024 : 1000) ** iecUnits.indexOf(unit.toUpperCase());
}

function writeUnit(value: number, to: string): string {
  if (to === "none") return String(Number(value.toFixed(6)));
  const base = to === "si" ? 1000 : 1024;
  let [size, at] = [Math.abs(value), 0];
  while (size >= base && at < iecUnits.length - 1) [size, at] = [size / base, at + 1];
  // Rounded away from zero, one place below ten.
  const rounded =
    at === 0
      ? size
      : size < 10
        ? Math.ceil(Number((size * 10).toFixed(6))) / 10
        : Math.ceil(Number(size.toFixed(6)));
  if (rounded >= base && at < iecUnits.length - 1)
    return writeUnit(Math.sign(value) * base ** (at + 1), to);
  const text = at > 0 && rounded < 10 ? rounded.toFixed(1) : String(Number(rounded.toFixed(6)));
  return `${value < 0 ? "-" : ""}${text}${iecUnits[at]}${to === "iec-i" && at > 0 ? "i" : ""}`;
}

/** `--from`, `--to`, `--field`, `-d`, `--suffix`, `--padding`, `--header`. */
export const numfmt: ShellCommand = {
  name: "numfmt",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "z",
      valued: "d",
      long: {
        from: "from",
        to: "to",
        field: "field",
        delimiter: "d",
        suffix: "suffix",
        padding: "padding",
        header: "header",
        grouping: "grouping",
        round: "round",
        format: "format",
        invalid: "invalid",
      },
    });
    const delimiter = options.get("d");
    const field = Number(options.get("field") ?? 1);
    const convert = (text: string, width: number): string => {
      const value = readUnit(text, options.get("from") ?? "none");
      const written = writeUnit(value, options.get("to") ?? "none") + (options.get("suffix") ?? "");
      return written.padStart(width);
    };
    const padding = Number(options.get("padding") ?? 0);
    const header = options.has("header") ? Number(options.get("header") || 1) : 0;
    const lines = operands.length > 0 ? operands : splitLines(await readTextOperand(context, "-"));
    const converted = (line: string, at: number): string => {
      if (at < header) return line;
      if (delimiter !== undefined) {
        const parts = line.split(delimiter);
        parts[field - 1] = convert(parts[field - 1] ?? "", padding);
        return parts.join(delimiter);
      }
      // Without a delimiter a field keeps the width that it had, blanks before it included.
      let index = 0;
      return line.replace(/\s*\S+/g, (part) => {
        index += 1;
        if (index !== field) return part;
        const isFirst = part.trimStart() === part;
        const width = isFirst ? padding : Math.max(padding, part.length - 1);
        return (isFirst ? "" : " ") + convert(part.trim(), width);
      });
    };
    const output: string[] = [];
    for (const [at, line] of lines.entries()) {
      const turn = context.pace();
      if (turn) await turn;
      output.push(converted(line, at));
    }
    return { stdout: output.map((line) => `${line}\n`).join("") };
  },
};

const LARGEST = Number.MAX_SAFE_INTEGER;
const DIVISIONS_PER_TURN = 10_000;

export const factor: ShellCommand = {
  name: "factor",
  async run(args, context) {
    const numbers =
      args.length > 0 ? args : (await readTextOperand(context, "-")).split(/\s+/).filter(Boolean);
    let stdout = "";
    for (const text of numbers) {
      let rest = Number(text);
      if (!/^\d+$/.test(text)) throw new Error(`'${text}' is not a valid positive integer`);
      if (rest > LARGEST) throw new Error(`'${text}' is too large`);
      const factors: number[] = [];
      for (let prime = 2; prime * prime <= rest; prime += prime === 2 ? 1 : 2) {
        while (rest % prime === 0) {
          factors.push(prime);
          rest /= prime;
        }
        if (prime % DIVISIONS_PER_TURN !== 1) continue;
        const turn = context.pace(DIVISIONS_PER_TURN);
        if (turn) await turn;
      }
      if (rest > 1) factors.push(rest);
      stdout += `${text}:${factors.map((factor) => ` ${factor}`).join("")}\n`;
    }
    return { stdout };
  },
};

const MAX_NUMBERS = 5_000_000;
const NUMBERS_PER_PART = 4096;
const NUMBERS_PER_STEP = 64;

/** Whole numbers at once, and `-f`; everything else is the interpreter's own. */
export const seq: ShellCommand = {
  name: "seq",
  async run(args, context) {
    if (args.length > 0 && args.every((arg) => /^-?\d{1,15}$/.test(arg))) {
      const [first = 1, second = 1, third] = args.map(Number);
      const printer = createPrinter(context);
      if (args.length === 1) await count(context, printer, 1, 1, first);
      else if (third === undefined) await count(context, printer, first, 1, second);
      else await count(context, printer, first, second, third);
      return { stdout: printer.rest() };
    }
    const at = args.findIndex((arg) => /^(?:-f|--format)/.test(arg));
    const written = args[at];
    if (written === undefined) return context.original(args);
    const isAttached = written.includes("=") || (written.startsWith("-f") && written.length > 2);
    const format = isAttached ? written.replace(/^(?:--format=|-f)/, "") : (args[at + 1] ?? "");
    const rest = args.filter((_arg, index) => index !== at && (isAttached || index !== at + 1));
    const { stdout, ...result } = await context.original(rest.filter((arg) => arg !== "-w"));
    const numbers = splitLines(
      typeof stdout === "string" ? stdout : new TextDecoder().decode(stdout),
    );
    if (numbers.length === 0) return { stdout, ...result };
    return context.run("printf", [`${format}\\n`, ...numbers]);
  },
};

async function count(
  { pace, print }: ShellCommandContext,
  printer: Printer,
  first: number,
  step: number,
  last: number,
): Promise<void> {
  if (step === 0) throw new Error("invalid Zero increment value: '0'");
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (!print && length > MAX_NUMBERS) throw new Error(`more than ${MAX_NUMBERS} numbers`);
  for (let from = 0; from < length; from += NUMBERS_PER_PART) {
    const turn = pace(NUMBERS_PER_PART / NUMBERS_PER_STEP);
    if (turn) await turn;
    let part = "";
    const to = Math.min(length, from + NUMBERS_PER_PART);
    for (let at = from; at < to; at++) part += `${first + at * step}\n`;
    await printer.print(part);
  }
}

/** Orders names so that each comes after what it depends on. */
export const tsort: ShellCommand = {
  name: "tsort",
  async run(args, context) {
    const words = (await readTextOperand(context, args[0] ?? "-")).split(/\s+/).filter(Boolean);
    if (words.length % 2 === 1)
      throw new Error(`${args[0] ?? "-"}: input contains an odd number of tokens`);
    const after = new Map<string, Set<string>>();
    const waiting = new Map<string, number>();
    for (let at = 0; at < words.length; at += 2) {
      const [one = "", other = ""] = [words[at], words[at + 1]];
      for (const name of [one, other]) {
        if (!after.has(name)) after.set(name, new Set());
        if (!waiting.has(name)) waiting.set(name, 0);
      }
      if (one === other || after.get(one)?.has(other)) continue;
      after.get(one)?.add(other);
      waiting.set(other, (waiting.get(other) ?? 0) + 1);
    }
    const ready = [...waiting]
      .filter(([, count]) => count === 0)
      .map(([name]) => name)
      .sort();
    const ordered: string[] = [];
    for (const name of ready) {
      ordered.push(name);
      for (const next of after.get(name) ?? []) {
        const count = (waiting.get(next) ?? 0) - 1;
        waiting.set(next, count);
        if (count === 0) ready.push(next);
      }
    }
    const stdout = ordered.map((name) => `${name}\n`).join("");
    if (ordered.length === waiting.size) return { stdout };
    const placed = new Set(ordered);
    const looped = [...waiting.keys()].filter((name) => !placed.has(name));
    return {
      stdout: stdout + looped.map((name) => `${name}\n`).join(""),
      stderr: `tsort: -: input contains a loop:\n${looped.map((name) => `tsort: ${name}\n`).join("")}`,
      exitCode: 1,
    };
  },
};
