import { decodeText, errorMessage, basename } from "@robota/runtime/ports";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments, readOperand } from "../arguments.ts";
import {
  type Change,
  formatContext,
  formatEd,
  formatNormal,
  formatSideBySide,
  formatUnified,
  type Lines,
  toLines,
} from "./diff-format.ts";
import { changesBetween } from "./line-changes.ts";
import { patternToRegExp } from "../shell-pattern.ts";

type Options = ReadonlyMap<string, string>;

interface Comparison {
  context: ShellCommandContext;
  options: Options;
  /** The options as written, for the line that introduces a pair of a recursive comparison. */
  words: string;
  /** Labels that replace the file names in the header. */
  labels: readonly string[];
  /** Names that a recursive comparison leaves out. */
  excluded: readonly RegExp[];
}

const SAME = 0;
const DIFFERENT = 1;
const TROUBLE = 2;

export const diff: ShellCommand = {
  name: "diff",
  async run(args, context) {
    try {
      const { options, given, operands } = parseArguments(args, {
        flags: "uqsrNiwbBaEZceydtp",
        valued: "UCWxIL",
        long: {
          unified: "u",
          context: "c",
          ed: "e",
          "side-by-side": "y",
          "suppress-common-lines": "suppress",
          width: "W",
          label: "L",
          exclude: "x",
          "strip-trailing-cr": "cr",
          "ignore-tab-expansion": "E",
          minimal: "d",
          "show-c-function": "p",
          "no-dereference": "no-dereference",
          brief: "q",
          "report-identical-files": "s",
          recursive: "r",
          "new-file": "N",
          "ignore-case": "i",
          "ignore-all-space": "w",
          "ignore-space-change": "b",
          "ignore-blank-lines": "B",
          "ignore-trailing-space": "Z",
          text: "a",
          color: "a",
        },
      });
      const [one, other, ...more] = operands;
      if (one === undefined || other === undefined) throw new Error("missing operand");
      if (more.length > 0) throw new Error(`extra operand '${more[0]}'`);
      const words = args.filter((arg) => arg.startsWith("-") && arg !== "-").join(" ");
      const named = (name: string): string[] =>
        given.filter(([option]) => option === name).map(([, value]) => value);
      const excluded = named("x").map(patternToRegExp);
      const comparison = { context, options, words, labels: named("L"), excluded };
      return await compareOperands(comparison, one, other);
    } catch (error) {
      return { stderr: `diff: ${errorMessage(error)}\n`, exitCode: TROUBLE };
    }
  },
};

async function compareOperands(
  comparison: Comparison,
  one: string,
  other: string,
): Promise<ShellCommandResult> {
  const [isTree, isOtherTree] = await Promise.all([
    isDirectory(comparison, one),
    isDirectory(comparison, other),
  ]);
  if (isTree && isOtherTree) return compareTrees(comparison, one, other);
  if (isTree) return compareFiles(comparison, `${one}/${basename(other)}`, other);
  if (isOtherTree) return compareFiles(comparison, one, `${other}/${basename(one)}`);
  return compareFiles(comparison, one, other);
}

async function isDirectory({ context }: Comparison, path: string): Promise<boolean> {
  if (path === "-") return false;
  const stat = await context.fs.stat(context.resolve(path)).catch(() => undefined);
  return stat?.type === "directory";
}

async function compareTrees(
  comparison: Comparison,
  one: string,
  other: string,
): Promise<ShellCommandResult> {
  const { context, options, words } = comparison;
  const list = async (path: string): Promise<string[]> =>
    (await context.fs.readdir(context.resolve(path)))
      .map(({ name }) => name)
      .filter((name) => !comparison.excluded.some((pattern) => pattern.test(name)));
  const [names, otherNames] = [new Set(await list(one)), new Set(await list(other))];
  let [stdout, stderr, exitCode] = ["", "", SAME];
  for (const name of [...new Set([...names, ...otherNames])].sort((a, b) => (a < b ? -1 : 1))) {
    const [path, otherPath] = [`${one}/${name}`, `${other}/${name}`];
    if (!options.has("N") && names.has(name) !== otherNames.has(name)) {
      stdout += `Only in ${names.has(name) ? one : other}: ${name}\n`;
      exitCode = Math.max(exitCode, DIFFERENT);
      continue;
    }
    const isTree =
      (await isDirectory(comparison, path)) || (await isDirectory(comparison, otherPath));
    if (isTree && !options.has("r")) {
      stdout += `Common subdirectories: ${path} and ${otherPath}\n`;
      continue;
    }
    const result = await (isTree ? compareTrees : compareFiles)(comparison, path, otherPath);
    const isListing = !isTree && !options.has("q") && result.exitCode === DIFFERENT;
    if (isListing) stdout += `diff ${words} ${path} ${otherPath}\n`;
    stdout += String(result.stdout ?? "");
    stderr += result.stderr ?? "";
    exitCode = Math.max(exitCode, result.exitCode ?? SAME);
  }
  return { stdout, stderr, exitCode };
}

async function compareFiles(
  { context, options, labels }: Comparison,
  one: string,
  other: string,
): Promise<ShellCommandResult> {
  const read = (path: string): Promise<Uint8Array> =>
    options.has("N")
      ? readOperand(context, path).catch(() => new Uint8Array())
      : readOperand(context, path);
  const contents = [await read(one), await read(other)] as const;
  const textOf = (bytes: Uint8Array): string => {
    const whole = decodeText(bytes);
    return options.has("cr") ? whole.replaceAll("\r\n", "\n") : whole;
  };
  const [text, otherText] = [textOf(contents[0]), textOf(contents[1])];
  const [lines, otherLines] = [toLines(text), toLines(otherText)];
  const changes =
    text === otherText ? [] : await findChanges(lines, otherLines, options, context.pace);
  if (changes.length === 0) {
    const stdout = options.has("s") ? `Files ${one} and ${other} are identical\n` : "";
    return { stdout, exitCode: SAME };
  }
  if (options.has("q")) {
    return { stdout: `Files ${one} and ${other} differ\n`, exitCode: DIFFERENT };
  }
  if (contents.some((bytes) => bytes.subarray(0, 8000).includes(0)) && !options.has("a")) {
    return { stdout: `Binary files ${one} and ${other} differ\n`, exitCode: DIFFERENT };
  }
  const isContext = options.has("c") || options.has("C");
  const head = async (path: string, at: number): Promise<string> =>
    labels[at] ?? `${path}\t${await timeOf(context, path)}`;
  if (isContext) {
    const around = Number(options.get("C") ?? 3);
    const title = `*** ${await head(one, 0)}\n--- ${await head(other, 1)}\n`;
    const stdout = title + formatContext(lines, otherLines, changes, around);
    return { stdout, exitCode: DIFFERENT };
  }
  if (options.has("e")) return { stdout: formatEd(otherLines, changes), exitCode: DIFFERENT };
  if (options.has("y")) {
    const width = Number(options.get("W") ?? 130);
    const stdout = formatSideBySide(lines, otherLines, changes, width, options.has("suppress"));
    return { stdout, exitCode: DIFFERENT };
  }
  if (!options.has("u") && !options.has("U")) {
    return { stdout: formatNormal(lines, otherLines, changes), exitCode: DIFFERENT };
  }
  const around = Number(options.get("U") ?? 3);
  const title = `--- ${await head(one, 0)}\n+++ ${await head(other, 1)}\n`;
  return {
    stdout: title + formatUnified(lines, otherLines, changes, around),
    exitCode: DIFFERENT,
  };
}

async function findChanges(
  one: Lines,
  other: Lines,
  options: Options,
  pace: ShellCommandContext["pace"],
): Promise<Change[]> {
  const key = (line: string): string => {
    let text = options.has("i") ? line.toLowerCase() : line;
    if (options.has("w")) text = text.replace(/\s+/g, "");
    if (options.has("b")) text = text.replace(/\s+/g, " ").trimEnd();
    if (options.has("Z")) text = text.trimEnd();
    return text;
  };
  // A last line without a newline differs from the same line with one.
  const keys = ({ lines, isOpen }: Lines): string[] =>
    lines.map((line, at) => key(line) + (isOpen && at === lines.length - 1 ? "\n" : ""));
  const changes = await changesBetween(keys(one), keys(other), pace);
  if (!options.has("B")) return changes;
  const isBlank = ({ lines }: Lines, from: number, to: number): boolean =>
    lines.slice(from, to).every((line) => line.trim() === "");
  return changes.filter(
    ({ from, to, otherFrom, otherTo }) =>
      !(isBlank(one, from, to) && isBlank(other, otherFrom, otherTo)),
  );
}

async function timeOf({ fs, resolve }: ShellCommandContext, path: string): Promise<string> {
  const stat = await fs.stat(resolve(path)).catch(() => undefined);
  const time = new Date(stat?.mtimeMs ?? 0).toISOString();
  return `${time.slice(0, 10)} ${time.slice(11, 23)}000000 +0000`;
}
