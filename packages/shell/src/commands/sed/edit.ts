import { decodeText, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readTextOperand, type Arguments } from "../arguments.ts";
import type { GroupPattern } from "../search/pattern.ts";
import type { NextLines } from "../streams.ts";
import { fillIn, type Address, type Command, type Substitution } from "./script.ts";

/** Commands of one line, after which a program that loops is given up. */
const MAX_STEPS = 500_000;
/** A step over a pattern space of this many characters counts as one more. */
const CHARACTERS_PER_STEP = 256;

export interface Shared {
  context: ShellCommandContext;
  commands: readonly Command[];
  isQuiet: boolean;
  options: Arguments["options"];
  wFiles: Map<string, string>;
}

export interface Edited {
  text: string;
  stderr: string;
  /** Set when the program quit. */
  exitCode?: number;
}

/** Runs the program over the lines of the inputs as one, and then over those that are still to come. */
export async function edit(
  shared: Shared,
  inputs: readonly { name: string; text: string }[],
  coming?: NextLines,
): Promise<Edited> {
  const { context, commands, isQuiet, options, wFiles } = shared;
  const { pace } = context;
  const end = options.has("z") ? "\0" : "\n";
  const lines: string[] = [];
  /** Where each file's lines end. */
  const files: { name: string; end: number }[] = [];
  let isOpen = false;
  for (const { name, text } of inputs) {
    if (text === "") continue;
    isOpen = !text.endsWith(end);
    for (const line of (isOpen ? text : text.slice(0, -1)).split(end)) lines.push(line);
    files.push({ name, end: lines.length });
  }
  const hasNext = async (): Promise<boolean> => {
    if (line < lines.length || !coming) return line < lines.length;
    // What was printed so far is not kept back while the next lines are waited for.
    const turn = context.print?.(encodeText(output.splice(0).join("")));
    if (turn) await turn;
    const next = await coming();
    for (const text of next?.lines ?? []) lines.push(text);
    isOpen = next?.isLastOpen ?? isOpen;
    return next !== undefined;
  };
  const asksForLast = commands.some(({ from, to }) => from?.kind === "last" || to?.kind === "last");
  const takeLine = async (): Promise<string> => {
    const text = lines[line++] ?? "";
    if (asksForLast) await hasNext();
    return text;
  };
  const labels = new Map(
    commands.flatMap(({ name, text }, at) => (name === ":" ? [[text, at] as const] : [])),
  );
  for (const { name, text } of commands) {
    if ("btT".includes(name) && text !== "" && !labels.has(text)) missing(text);
  }
  const readPositions = new Map<string, string[]>();
  const output: string[] = [];
  let stderr = "";
  let lastPattern: GroupPattern | undefined;
  let [line, hold, pattern] = [0, "", ""];
  let exitCode: number | undefined;
  let appended: (() => Promise<string>)[] = [];
  // The last line ends as it did in the input.
  const emit = (text: string): void =>
    void output.push(text, line === lines.length && isOpen ? "" : end);
  const print = (text: string): void => {
    if (output.at(-1) === "" && output.length > 1) output[output.length - 1] = end;
    emit(text);
  };
  const flush = async (): Promise<void> => {
    for (const read of appended) {
      const text = await read();
      if (text === "") continue;
      if (output.at(-1) === "") output[output.length - 1] = end;
      output.push(text);
    }
    appended = [];
  };
  const patternOf = (own: GroupPattern | undefined): GroupPattern => {
    lastPattern = own ?? lastPattern;
    if (!lastPattern) throw new Error("no previous regular expression");
    return lastPattern;
  };
  const meets = (address: Address): boolean => {
    switch (address.kind) {
      case "line":
        return line === address.line;
      case "last":
        return line === lines.length;
      case "step":
        return address.step <= 0
          ? line === address.first
          : line >= address.first && (line - address.first) % address.step === 0;
      case "match":
        return patternOf(address.pattern).find(pattern, 0) !== undefined;
      default:
        return false;
    }
  };
  const isChosen = ({ from, to, range }: Command): boolean => {
    if (!from) return true;
    if (!to) return meets(from);
    if (range.isOpen) {
      if (to.kind === "match" || to.kind === "last") {
        if (meets(to)) range.isOpen = false;
        return true;
      }
      if (line >= range.until) range.isOpen = false;
      return line <= range.until;
    }
    const isFromZero = from.kind === "line" && from.line === 0 && line === 1;
    if (isFromZero) {
      range.isOpen = !meets(to);
      return true;
    }
    if (!meets(from)) return false;
    if (to.kind === "match" || to.kind === "last")
      range.isOpen = to.kind === "match" || line < lines.length;
    else {
      range.until =
        to.kind === "line"
          ? to.line
          : to.kind === "plus"
            ? line + to.lines
            : to.kind === "multiple" && to.of > 0
              ? Math.ceil(line / to.of) * to.of
              : line;
      range.isOpen = line < range.until;
    }
    return true;
  };
  const substitute = async (own: Substitution): Promise<boolean> => {
    const expression = patternOf(own.pattern);
    let [text, reached, count, from, hasChanged] = ["", 0, 0, 0, false];
    while (from <= pattern.length) {
      const match = expression.find(pattern, from);
      const [whole] = match ?? [];
      if (!match || !whole) break;
      const turn = pace();
      if (turn) await turn;
      const [start, stop] = whole;
      // An empty match right behind the last one is none.
      const isRepeat = start === stop && start === reached && count > 0;
      if (!isRepeat) count += 1;
      if (!isRepeat && (own.isGlobal ? count >= own.nth : count === own.nth)) {
        const groupOf = (group: number): string => {
          const [first, last] = match[group] ?? [-1, -1];
          return first === -1 ? "" : pattern.slice(first, last);
        };
        text += pattern.slice(reached, start) + fillIn(own.replacement, groupOf);
        reached = stop;
        hasChanged = true;
        if (!own.isGlobal) break;
      } else if (!isRepeat) {
        text += pattern.slice(reached, stop);
        reached = stop;
      }
      from = stop > start ? stop : stop + 1;
    }
    if (!hasChanged) return false;
    pattern = text + pattern.slice(reached);
    if (own.isRun) pattern = (await runText(context, pattern)).replace(/\n$/, "");
    if (own.isPrinted) print(pattern);
    if (own.file !== undefined) wFiles.set(own.file, `${wFiles.get(own.file) ?? ""}${pattern}\n`);
    return true;
  };

  let isRestarted = false;
  while (isRestarted || (await hasNext())) {
    if (!isRestarted) pattern = await takeLine();
    isRestarted = false;
    let [hasSubstituted, isDeleted, steps] = [false, false, 0];
    loop: for (let at = 0; at < commands.length; at++) {
      const command = commands[at];
      if (!command) break;
      steps += 1;
      if (steps > MAX_STEPS) throw new Error(`more than ${MAX_STEPS} commands for one line`);
      const turn = pace(1 + pattern.length / CHARACTERS_PER_STEP);
      if (turn) await turn;
      if (command.name === ":" || command.name === "}") continue;
      if (isChosen(command) === command.isNegated) {
        if (command.name === "{") at = command.end;
        continue;
      }
      const jump = (): void => {
        if (command.text === "") at = commands.length;
        else at = labels.get(command.text) ?? missing(command.text);
      };
      switch (command.name) {
        case "{":
          break;
        case "s":
          if (command.substitution && (await substitute(command.substitution)))
            hasSubstituted = true;
          break;
        case "y":
          pattern = Array.from(pattern, (letter) => command.letters?.get(letter) ?? letter).join(
            "",
          );
          break;
        case "p":
          print(pattern);
          break;
        case "P":
          output.push(pattern.split("\n")[0] ?? "", end);
          break;
        case "d":
          isDeleted = true;
          break loop;
        case "D":
          isDeleted = true;
          if (pattern.includes("\n")) {
            pattern = pattern.slice(pattern.indexOf("\n") + 1);
            isRestarted = true;
          }
          break loop;
        case "n":
          if (!(await hasNext())) {
            at = commands.length;
            break;
          }
          if (!isQuiet) print(pattern);
          await flush();
          pattern = await takeLine();
          break;
        case "N":
          if (!(await hasNext())) {
            at = commands.length;
            break;
          }
          await flush();
          pattern += `\n${await takeLine()}`;
          break;
        case "g":
          pattern = hold;
          break;
        case "G":
          pattern += `\n${hold}`;
          break;
        case "h":
          hold = pattern;
          break;
        case "H":
          hold += `\n${pattern}`;
          break;
        case "x":
          [pattern, hold] = [hold, pattern];
          break;
        case "z":
          pattern = "";
          break;
        case "=":
          output.push(`${line}\n`);
          break;
        case "F":
          output.push(`${files.find((file) => line <= file.end)?.name ?? "-"}\n`);
          break;
        case "l":
          output.push(visible(pattern, command.number ?? 70));
          break;
        case "a":
          appended.push(async () => `${command.text}\n`);
          break;
        case "i":
          output.push(`${command.text}\n`);
          break;
        case "c":
          if (!command.to || !command.range.isOpen || command.isNegated)
            output.push(`${command.text}\n`);
          isDeleted = true;
          break loop;
        case "r":
          appended.push(() =>
            readTextOperand(context, command.text === "/dev/stdin" ? "-" : command.text).catch(
              () => "",
            ),
          );
          break;
        case "R": {
          const rest =
            readPositions.get(command.text) ??
            (await readTextOperand(context, command.text).catch(() => "")).split("\n");
          readPositions.set(command.text, rest);
          const next = rest.shift();
          if (next !== undefined && (next !== "" || rest.length > 0))
            appended.push(async () => `${next}\n`);
          break;
        }
        case "w":
          wFiles.set(command.text, `${wFiles.get(command.text) ?? ""}${pattern}\n`);
          break;
        case "W":
          wFiles.set(
            command.text,
            `${wFiles.get(command.text) ?? ""}${pattern.split("\n")[0] ?? ""}\n`,
          );
          break;
        case "b":
          jump();
          break;
        case "t":
        case "T":
          if (hasSubstituted === (command.name === "t")) jump();
          hasSubstituted = false;
          break;
        case "q":
        case "Q":
          exitCode = command.number ?? 0;
          isDeleted = command.name === "Q";
          break loop;
        case "e":
          output.push(await runText(context, pattern));
          break;
      }
    }
    if (!isDeleted && !isQuiet) print(pattern);
    await flush();
    if (exitCode !== undefined) break;
  }
  return { text: output.join(""), stderr, ...(exitCode === undefined ? {} : { exitCode }) };
}

function missing(label: string): never {
  throw new Error(`can't find label for jump to \`${label}'`);
}

async function runText(context: ShellCommandContext, script: string): Promise<string> {
  const { stdout } = await context.run("bash", ["-c", script]);
  return typeof stdout === "string" ? stdout : decodeText(stdout);
}

const named: Record<string, string> = {
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** The line with everything that can't be seen spelled out, folded at `width`. */
function visible(text: string, width: number): string {
  let [output, length] = ["", 0];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const part =
      named[character] ??
      (code >= 32 && code < 127
        ? character
        : Array.from(
            encodeText(character),
            (byte) => `\\${byte.toString(8).padStart(3, "0")}`,
          ).join(""));
    if (width > 1 && length + part.length > width - 1) {
      output += "\\\n";
      length = 0;
    }
    output += part;
    length += part.length;
  }
  return `${output}$\n`;
}
