import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { splitLines } from "../byte-lines.ts";
import { createPrinter, type Printer } from "../streams.ts";

const MAX_NUMBERS = 5_000_000;

const NUMBERS_PER_PART = 4096;

const NUMBERS_PER_STEP = 64;

/** Adds `-f` and a fast path for integers; everything else is the bundle's own. */
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

export async function count(
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
