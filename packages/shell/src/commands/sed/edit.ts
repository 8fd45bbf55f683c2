import { decodeText, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readTextOperand, type Arguments } from "../arguments.ts";
import type { GroupPattern } from "../search/pattern.ts";
import type { NextLines } from "../streams.ts";
import { fillIn } from "./replacement.ts";
import type { Address, Command, Substitution } from "./script.ts";
import { visible } from "./visible.ts";

/** Characters of the pattern space per additional step. */
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
class Editor {
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
  readonly #output: string[] = [];
  #isOpen = false;
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
    const text = this.#output.join("");
    return { text, exitCode: this.#exitCode };
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
      if (this.#isChosen(command) === command.isNegated) {
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
          this.#output.push(`${command.text}\n`);
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
        this.#output.push(await runText(this.#shared.context, this.#pattern));
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
    if (next !== undefined && (next !== "" || rest.length > 0))
      this.#appended.push(async () => `${next}\n`);
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
        this.#output.push(this.#firstLine(), this.#end);
        break;
      case "=":
        this.#output.push(`${this.#line}\n`);
        break;
      case "F":
        this.#output.push(`${this.#files.find((file) => this.#line <= file.end)?.name ?? "-"}\n`);
        break;
      case "l":
        this.#output.push(visible(this.#pattern, number ?? 70));
        break;
      case "a":
        this.#appended.push(async () => `${text}\n`);
        break;
      case "i":
        this.#output.push(`${text}\n`);
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
        this.#write(text, this.#firstLine());
        break;
    }
  }

  #firstLine(): string {
    return this.#pattern.split("\n")[0] ?? "";
  }

  #write(file: string, line: string): void {
    const { wFiles } = this.#shared;
    wFiles.set(file, `${wFiles.get(file) ?? ""}${line}\n`);
  }

  #addLines({ name, text }: { name: string; text: string }): void {
    if (text === "") return;
    this.#isOpen = !text.endsWith(this.#end);
    for (const line of (this.#isOpen ? text : text.slice(0, -1)).split(this.#end))
      this.#lines.push(line);
    this.#files.push({ name, end: this.#lines.length });
  }

  async #hasNext(): Promise<boolean> {
    if (this.#line < this.#lines.length || !this.#coming) return this.#line < this.#lines.length;
    // Flushes the output so far before waiting for the next lines.
    const turn = this.#shared.context.print?.(encodeText(this.#output.splice(0).join("")));
    if (turn) await turn;
    const next = await this.#coming();
    for (const text of next?.lines ?? []) this.#lines.push(text);
    this.#isOpen = next?.isLastOpen ?? this.#isOpen;
    return next !== undefined;
  }

  async #takeLine(): Promise<string> {
    const text = this.#lines[this.#line++] ?? "";
    if (this.#asksForLast) await this.#hasNext();
    return text;
  }

  /** The last line keeps its ending of the input. */
  #emit(text: string): void {
    const isOpenEnd = this.#line === this.#lines.length && this.#isOpen;
    this.#output.push(text, isOpenEnd ? "" : this.#end);
  }

  #print(text: string): void {
    if (this.#output.at(-1) === "" && this.#output.length > 1)
      this.#output[this.#output.length - 1] = this.#end;
    this.#emit(text);
  }

  async #flush(): Promise<void> {
    for (const read of this.#appended) {
      const text = await read();
      if (text === "") continue;
      if (this.#output.at(-1) === "") this.#output[this.#output.length - 1] = this.#end;
      this.#output.push(text);
    }
    this.#appended = [];
  }

  #patternOf(own: GroupPattern | undefined): GroupPattern {
    this.#lastPattern = own ?? this.#lastPattern;
    if (!this.#lastPattern) throw new Error("no previous regular expression");
    return this.#lastPattern;
  }

  #meets(address: Address): boolean {
    switch (address.kind) {
      case "line":
        return this.#line === address.line;
      case "last":
        return this.#line === this.#lines.length;
      case "step":
        return address.step <= 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0;
      case "match":
        return this.#patternOf(address.pattern).find(this.#pattern, 0) !== undefined;
      default:
        return false;
    }
  }

  #isChosen({ from, to, range }: Command): boolean {
    if (!from) return true;
    if (!to) return this.#meets(from);
    if (range.isOpen) {
      if (to.kind === "match" || to.kind === "last") {
        if (this.#meets(to)) range.isOpen = false;
        return true;
      }
      if (this.#line >= range.until) range.isOpen = false;
      return this.#line <= range.until;
    }
    const isFromZero = from.kind === "line" && from.line === 0 && this.#line === 1;
    if (isFromZero) {
      range.isOpen = !this.#meets(to);
      return true;
    }
    if (!this.#meets(from)) return false;
    if (to.kind === "match" || to.kind === "last")
      range.isOpen = to.kind === "match" || this.#line < this.#lines.length;
    else {
      range.until =
        to.kind === "line"
          ? to.line
          : to.kind === "plus"
            ? this.#line + to.lines
            : to.kind === "multiple" && to.of > 0
              ? Math.ceil(this.#line / to.of) * to.of
              : this.#line;
      range.isOpen = this.#line < range.until;
    }
    return true;
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
    if (own.isRun)
      this.#pattern = (await runText(this.#shared.context, this.#pattern)).replace(/\n$/, "");
    if (own.isPrinted) this.#print(this.#pattern);
    if (own.file !== undefined) this.#write(own.file, this.#pattern);
    return true;
  }
}

function missing(label: string): never {
  throw new Error(`can't find label for jump to \`${label}'`);
}

async function runText(context: ShellCommandContext, script: string): Promise<string> {
  const { stdout } = await context.run("bash", ["-c", script]);
  return typeof stdout === "string" ? stdout : decodeText(stdout);
}
