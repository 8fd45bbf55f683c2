import { decodeText, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readTextOperand, type Arguments } from "../arguments.ts";
import type { GroupPattern } from "../search/pattern.ts";
import type { NextLines } from "../streams.ts";
import { LineOutput } from "./output.ts";
import { isChosen, type Place } from "./ranges.ts";
import { fillIn } from "./replacement.ts";
import type { Command, Substitution } from "./script.ts";
import { visible } from "./visible.ts";

/** Characters of the pattern space per additional step. */
const CHARACTERS_PER_STEP = 256;

export interface Shared {
  context: ShellCommandContext;
  commands: readonly Command[];
  isQuiet: boolean;
  options: Arguments["options"];
  wFiles: Map<string, LineOutput>;
}

export interface Edited {
  text: string;
  /** The exit code once the program has quit. */
  exitCode?: number | undefined;
}

/** Runs the program over the concatenated lines of the inputs, and then over lines that are still to come. */
export function edit(
  shared: Shared,
  inputs: readonly { name: string; text: string }[],
  coming?: NextLines,
): Promise<Edited> {
  return new Editor(shared, inputs, coming).run();
}

/** A program over the lines of its inputs, with the pattern space, the hold space and pending output. */
class Editor implements Place {
  readonly #shared: Shared;
  readonly #coming: NextLines | undefined;
  readonly #end: string;
  readonly #lines: string[] = [];
  /** The end of each file's lines. */
  readonly #files: { name: string; end: number }[] = [];
  readonly #labels: ReadonlyMap<string, number>;
  /** True if some address is the last line, which requires lookahead. */
  readonly #asksForLast: boolean;
  readonly #readPositions = new Map<string, string[]>();
  readonly #output: LineOutput;
  /** Numbers of the lines that end without a line feed. */
  readonly #open = new Set<number>();
  #lastPattern: GroupPattern | undefined;
  #line = 0;
  #hold = "";
  #pattern = "";
  #exitCode: number | undefined;
  #appended: (() => Promise<string>)[] = [];
  /** Index of the next command. */
  #at = 0;
  #hasSubstituted = false;
  /** True if the next cycle continues with the current pattern space. */
  #isRestarted = false;

  constructor(
    shared: Shared,
    inputs: readonly { name: string; text: string }[],
    coming: NextLines | undefined,
  ) {
    this.#shared = shared;
    this.#coming = coming;
    this.#end = shared.options.has("z") ? "\0" : "\n";
    this.#output = new LineOutput(this.#end);
    const { commands } = shared;
    for (const input of inputs) this.#addLines(input);
    this.#asksForLast = commands.some(
      ({ from, to }) => from?.kind === "last" || to?.kind === "last",
    );
    this.#labels = new Map(
      commands.flatMap(({ name, text }, at) => (name === ":" ? [[text, at] as const] : [])),
    );
    for (const { name, text } of commands) {
      if ("btT".includes(name) && text !== "" && !this.#labels.has(text)) missing(text);
    }
  }

  async run(): Promise<Edited> {
    while (this.#isRestarted || (await this.#hasNext())) {
      if (!this.#isRestarted) this.#pattern = await this.#takeLine();
      this.#isRestarted = false;
      const isDeleted = await this.#cycle();
      if (!isDeleted && !this.#shared.isQuiet) this.#print(this.#pattern);
      await this.#flush();
      if (this.#exitCode !== undefined) break;
    }
    return { text: this.#output.take(), exitCode: this.#exitCode };
  }

  get line(): number {
    return this.#line;
  }

  get isLast(): boolean {
    return this.#line === this.#lines.length;
  }

  matches({ pattern }: { pattern: GroupPattern | undefined }): boolean {
    return this.#patternOf(pattern).find(this.#pattern, 0) !== undefined;
  }

  /** Runs all commands on the pattern space. Returns whether to suppress its output. */
  async #cycle(): Promise<boolean> {
    const { commands, context } = this.#shared;
    this.#hasSubstituted = false;
    let steps = 0;
    for (this.#at = 0; this.#at < commands.length; this.#at++) {
      const command = commands[this.#at];
      if (!command) break;
      steps += 1;
      if (steps > context.maxIterations)
        throw new Error(`more than ${context.maxIterations} commands for one line`);
      const turn = context.pace(1 + this.#pattern.length / CHARACTERS_PER_STEP);
      if (turn) await turn;
      if (command.name === ":" || command.name === "}") continue;
      if (isChosen(command, this) === command.isNegated) {
        if (command.name === "{") this.#at = command.end;
        continue;
      }
      const ending = await this.#execute(command);
      if (ending) return ending === "deleted";
    }
    return false;
  }

  /** Executes a command. Returns how the cycle ends, if it does so here. */
  async #execute(command: Command): Promise<"deleted" | "printed" | undefined> {
    switch (command.name) {
      case "d":
        return "deleted";
      case "D":
        if (this.#pattern.includes("\n")) {
          this.#pattern = this.#pattern.slice(this.#pattern.indexOf("\n") + 1);
          this.#isRestarted = true;
        }
        return "deleted";
      case "c":
        if (!command.to || !command.range.isOpen || command.isNegated)
          this.#output.write(`${command.text}\n`);
        return "deleted";
      case "q":
      case "Q":
        this.#exitCode = command.number ?? 0;
        return command.name === "Q" ? "deleted" : "printed";
      case "b":
        this.#jump(command);
        break;
      case "t":
      case "T":
        if (this.#hasSubstituted === (command.name === "t")) this.#jump(command);
        this.#hasSubstituted = false;
        break;
      case "n":
      case "N":
        await this.#readNext(command.name === "N");
        break;
      case "s":
        if (command.substitution && (await this.#substitute(command.substitution)))
          this.#hasSubstituted = true;
        break;
      case "e":
        await this.#run(command.text);
        break;
      case "R":
        await this.#readLineOf(command.text);
        break;
      default:
        this.#change(command);
        this.#show(command);
    }
    return undefined;
  }

  /** Runs a command and writes what it prints, or runs the pattern space, which then is what it printed. */
  async #run(script: string): Promise<void> {
    const { context } = this.#shared;
    if (script === "") this.#pattern = withoutEnd(await runText(context, this.#pattern));
    else this.#output.write(await runText(context, script));
  }

  #jump({ text }: Command): void {
    if (text === "") this.#at = this.#shared.commands.length;
    else this.#at = this.#labels.get(text) ?? missing(text);
  }

  async #readNext(isAppended: boolean): Promise<void> {
    if (!(await this.#hasNext())) {
      this.#at = this.#shared.commands.length;
      return;
    }
    if (!isAppended && !this.#shared.isQuiet) this.#print(this.#pattern);
    await this.#flush();
    const next = await this.#takeLine();
    this.#pattern = isAppended ? `${this.#pattern}\n${next}` : next;
  }

  async #readLineOf(file: string): Promise<void> {
    const rest =
      this.#readPositions.get(file) ??
      (await readTextOperand(this.#shared.context, file).catch(() => "")).split("\n");
    this.#readPositions.set(file, rest);
    const next = rest.shift();
    // An empty rest behind the last line feed is no line.
    if (next !== undefined && (next !== "" || rest.length > 0)) {
      const line = rest.length > 0 ? `${next}\n` : next;
      this.#appended.push(async () => line);
    }
  }

  /** Commands on the pattern space and the hold space. */
  #change({ name, letters }: Command): void {
    switch (name) {
      case "y":
        this.#pattern = Array.from(this.#pattern, (letter) => letters?.get(letter) ?? letter).join(
          "",
        );
        break;
      case "g":
        this.#pattern = this.#hold;
        break;
      case "G":
        this.#pattern += `\n${this.#hold}`;
        break;
      case "h":
        this.#hold = this.#pattern;
        break;
      case "H":
        this.#hold += `\n${this.#pattern}`;
        break;
      case "x":
        [this.#pattern, this.#hold] = [this.#hold, this.#pattern];
        break;
      case "z":
        this.#pattern = "";
        break;
    }
  }

  /** Commands that print, now or after the line, or write to a file. */
  #show({ name, text, number }: Command): void {
    switch (name) {
      case "p":
        this.#print(this.#pattern);
        break;
      case "P":
        this.#output.line(this.#firstLine(), false);
        break;
      case "=":
        this.#output.write(`${this.#line}\n`);
        break;
      case "F":
        this.#output.write(`${this.#files.find((file) => this.#line <= file.end)?.name ?? "-"}\n`);
        break;
      case "l":
        this.#output.write(visible(this.#pattern, number ?? 70));
        break;
      case "a":
        this.#appended.push(async () => `${text}\n`);
        break;
      case "i":
        this.#output.write(`${text}\n`);
        break;
      case "r":
        this.#appended.push(() =>
          readTextOperand(this.#shared.context, text === "/dev/stdin" ? "-" : text).catch(() => ""),
        );
        break;
      case "w":
        this.#write(text, this.#pattern);
        break;
      case "W":
        this.#write(text, this.#firstLine(), false);
        break;
    }
  }

  #firstLine(): string {
    return this.#pattern.split("\n")[0] ?? "";
  }

  #write(file: string, line: string, isOpen = this.#isOpen()): void {
    const output = file === "/dev/stdout" ? this.#output : this.#shared.wFiles.get(file);
    output?.line(line, isOpen);
  }

  #isOpen(): boolean {
    return this.#open.has(this.#line);
  }

  #addLines({ name, text }: { name: string; text: string }): void {
    if (text === "") return;
    const isOpen = !text.endsWith(this.#end);
    for (const line of (isOpen ? text : text.slice(0, -1)).split(this.#end)) this.#lines.push(line);
    if (isOpen) this.#open.add(this.#lines.length);
    this.#files.push({ name, end: this.#lines.length });
  }

  async #hasNext(): Promise<boolean> {
    if (this.#line < this.#lines.length || !this.#coming) return this.#line < this.#lines.length;
    // Flushes the output so far before waiting for the next lines.
    const turn = this.#shared.context.print?.(encodeText(this.#output.take()));
    if (turn) await turn;
    const next = await this.#coming();
    for (const text of next?.lines ?? []) this.#lines.push(text);
    if (next?.isLastOpen) this.#open.add(this.#lines.length);
    return next !== undefined;
  }

  async #takeLine(): Promise<string> {
    const text = this.#lines[this.#line++] ?? "";
    if (this.#asksForLast) await this.#hasNext();
    return text;
  }

  /** Prints a line with the ending that it has in its input. */
  #print(text: string): void {
    this.#output.line(text, this.#isOpen());
  }

  async #flush(): Promise<void> {
    for (const read of this.#appended) this.#output.text(await read());
    this.#appended = [];
  }

  #patternOf(own: GroupPattern | undefined): GroupPattern {
    this.#lastPattern = own ?? this.#lastPattern;
    if (!this.#lastPattern) throw new Error("no previous regular expression");
    return this.#lastPattern;
  }

  async #substitute(own: Substitution): Promise<boolean> {
    const expression = this.#patternOf(own.pattern);
    let [text, reached, count, from, hasChanged] = ["", 0, 0, 0, false];
    while (from <= this.#pattern.length) {
      const match = expression.find(this.#pattern, from);
      const [whole] = match ?? [];
      if (!match || !whole) break;
      const turn = this.#shared.context.pace();
      if (turn) await turn;
      const [start, stop] = whole;
      // An empty match directly after the last one does not count.
      const isRepeat = start === stop && start === reached && count > 0;
      if (!isRepeat) count += 1;
      if (!isRepeat && (own.isGlobal ? count >= own.nth : count === own.nth)) {
        const groupOf = (group: number): string => {
          const [first, last] = match[group] ?? [-1, -1];
          return first === -1 ? "" : this.#pattern.slice(first, last);
        };
        text += this.#pattern.slice(reached, start) + fillIn(own.replacement, groupOf);
        reached = stop;
        hasChanged = true;
        if (!own.isGlobal) break;
      } else if (!isRepeat) {
        text += this.#pattern.slice(reached, stop);
        reached = stop;
      }
      from = stop > start ? stop : stop + 1;
    }
    if (!hasChanged) return false;
    this.#pattern = text + this.#pattern.slice(reached);
    if (own.isRun) await this.#run("");
    if (own.isPrinted) this.#print(this.#pattern);
    if (own.file !== undefined) this.#write(own.file, this.#pattern);
    return true;
  }
}

function missing(label: string): never {
  throw new Error(`can't find label for jump to \`${label}'`);
}

function withoutEnd(text: string): string {
  return text.replace(/\n$/, "");
}

async function runText(context: ShellCommandContext, script: string): Promise<string> {
  const { stdout } = await context.run("bash", ["-c", script]);
  return typeof stdout === "string" ? stdout : decodeText(stdout);
}
