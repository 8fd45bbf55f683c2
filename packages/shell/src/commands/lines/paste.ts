import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { encodeText } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../../bytes.ts";
import { parseArguments } from "../arguments.ts";
import { byteLinesOf, createPrinter, type Printer } from "../streams.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Prints the lines of files side by side, or with `-s` those of each file on one: `-d LIST`, `-z`. */
export const paste: ShellCommand = {
  name: "paste",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "sz",
      valued: "d",
      long: { serial: "s", delimiters: "d", "zero-terminated": "z" },
    });
    const files = operands.length > 0 ? operands : ["-"];
    const end = options.has("z") ? "\0" : "\n";
    const layout = { end, delimiters: delimitersOf(options.get("d") ?? "\t") };
    const printer = createPrinter(context);
    const readers = readersOf(context, files, end);
    const paste = options.has("s") ? pasteSerially : pasteSideBySide;
    await paste(context, printer, readers, layout);
    return { stdout: printer.rest() };
  },
};

/** Reads the next line of a file. */
type ReadLine = () => Promise<string | undefined>;

interface Layout {
  readonly end: string;
  readonly delimiters: readonly string[];
}

/** A reader for each file; those of standard input share its lines. */
function readersOf(
  context: ShellCommandContext,
  files: readonly string[],
  end: string,
): ReadLine[] {
  const shared = lineReader(context, "-", end);
  return files.map((file) => (file === "-" ? shared : lineReader(context, file, end)));
}

function lineReader(context: ShellCommandContext, file: string, end: string): ReadLine {
  const batches = byteLinesOf(context, file, end);
  let lines: string[] = [];
  let at = 0;
  return async () => {
    while (at === lines.length) {
      const { value, done } = await batches.next();
      if (done === true) return undefined;
      [lines, at] = [value, 0];
    }
    return lines[at++];
  };
}

async function pasteSideBySide(
  { pace }: ShellCommandContext,
  printer: Printer,
  readers: readonly ReadLine[],
  { end, delimiters }: Layout,
): Promise<void> {
  for (;;) {
    const turn = pace(readers.length);
    if (turn) await turn;
    const cells: (string | undefined)[] = [];
    for (const read of readers) cells.push(await read());
    if (cells.every((cell) => cell === undefined)) return;
    await printer.print(fromByteString(joined(cells, delimiters) + end));
  }
}

async function pasteSerially(
  { pace }: ShellCommandContext,
  printer: Printer,
  readers: readonly ReadLine[],
  { end, delimiters }: Layout,
): Promise<void> {
  for (const read of readers) {
    const cells: string[] = [];
    for (let line = await read(); line !== undefined; line = await read()) {
      const turn = pace(0.25);
      if (turn) await turn;
      cells.push(line);
    }
    await printer.print(fromByteString(joined(cells, delimiters) + end));
  }
}

function joined(cells: readonly (string | undefined)[], delimiters: readonly string[]): string {
  let text = cells[0] ?? "";
  for (let at = 1; at < cells.length; at++)
    text += (delimiters[(at - 1) % delimiters.length] ?? "") + (cells[at] ?? "");
  return text;
}

/** The delimiters of a list, one character each; `\0` is none. */
function delimitersOf(list: string): string[] {
  const found = list.match(/\\[^]|[^]/gu) ?? [];
  if (list.endsWith("\\") && !/(?:^|[^\\])(?:\\\\)+$/.test(list))
    throw new Error(`delimiter list ends with an unescaped backslash: ${list}`);
  return found.map((written) => {
    const character = written.length > 1 && written.startsWith("\\") ? written.slice(1) : undefined;
    return toByteString(
      encodeText(character === undefined ? written : (ESCAPES[character] ?? character)),
    );
  });
}
