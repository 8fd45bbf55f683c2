import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { readOperand } from "../arguments.ts";
import { inputOf } from "../streams.ts";
import { streamed } from "./builtins/streams.ts";
import { PAUSE } from "./filter.ts";
import { parseValue, skipBlank } from "./text/json.ts";
import type { Inputs, JqMachine } from "./machine.ts";
import type { Value } from "./values.ts";

export interface InputOptions {
  readonly files: readonly string[];
  /** Lines of text instead of JSON. */
  readonly isRaw: boolean;
  /** All values in one array; all text in one string if raw. */
  readonly isSlurped: boolean;
  /** The parts of each value, one by one. */
  readonly isStreamed: boolean;
}

/** A key that objects keep in another form, or text that parsers differ about. */
const UNUSUAL = /"(?:\d|__proto__|\\u00)(?:[^"\\]|\\.)*"\s*:|\\ud[89a-f]|\u007f/i;
/** Failures of the host's parser on single lines after which it is no longer tried. */
const MAX_FAILURES = 8;

/** Reads the values of files, or of standard input while it is written. */
export class ValueReader implements Inputs {
  readonly #context: ShellCommandContext;
  readonly #options: InputOptions;
  readonly #waiting: string[];
  #nextChunk: (() => Promise<Uint8Array | undefined>) | undefined;
  #decoder = new TextDecoder();
  #text = "";
  #at = 0;
  /** Length below which parsing the text again is not worth while. */
  #enough = 0;
  #isWhole = true;
  #isUsual = true;
  #failures = 0;
  #isSlurpDone = false;
  #slurped: Value[] = [];
  #counted = { at: 0, lines: 0 };
  #name: string | null = null;
  #isOpen = false;
  #events: Generator<Value | typeof PAUSE> | undefined;
  /** Set while a value has to be read before the program can go on. */
  isWaiting = false;
  /** Messages about files that can't be read. */
  errors = "";
  machine: JqMachine | undefined;

  constructor(context: ShellCommandContext, options: InputOptions) {
    this.#context = context;
    this.#options = options;
    this.#waiting = options.files.length > 0 ? [...options.files] : ["-"];
  }

  get fileName(): string | null {
    return this.#name === "-" ? null : this.#name;
  }

  /** Newlines up to the end of the line that was read last. */
  get lineNumber(): number {
    const end = this.#text.indexOf("\n", Math.max(0, this.#at - 1));
    const limit = end === -1 ? this.#text.length : end + 1;
    for (let at = this.#counted.at; ; at++) {
      at = this.#text.indexOf("\n", at);
      if (at === -1 || at >= limit) break;
      this.#counted = { at: at + 1, lines: this.#counted.lines + 1 };
    }
    return this.#counted.lines;
  }

  /** Where the program is in its input, for messages. */
  get location(): string {
    if (!this.#isOpen) return "<unknown>";
    return `${this.#name === "-" || this.#name === null ? "<stdin>" : this.#name}:${this.lineNumber}`;
  }

  next(): { value: Value } | "wait" | "end" {
    for (;;) {
      for (let event = this.#events?.next(); event && !event.done; event = this.#events?.next())
        if (event.value !== PAUSE) return { value: event.value };
      this.#events = undefined;
      const next = this.#options.isSlurped ? this.#nextSlurped() : this.#nextOne();
      this.isWaiting = next === "wait";
      if (!this.#options.isStreamed || next === "wait" || next === "end" || !this.machine)
        return next;
      this.#events = streamed(next.value, this.machine);
    }
  }

  #nextSlurped(): { value: Value } | "wait" | "end" {
    if (this.#isSlurpDone) return "end";
    if (this.#options.isRaw) {
      if (!this.#isWhole || this.#waiting.length > 0) return "wait";
      this.#isSlurpDone = true;
      this.#at = this.#text.length;
      return { value: this.#text };
    }
    for (;;) {
      const next = this.#nextOne();
      if (next === "wait") return "wait";
      if (next === "end") break;
      this.#slurped.push(next.value);
    }
    this.#isSlurpDone = true;
    return { value: this.#slurped };
  }

  #nextOne(): { value: Value } | "wait" | "end" {
    if (this.#options.isRaw) return this.#nextLine();
    this.#at = skipBlank(this.#text, this.#at);
    if (this.#at === this.#text.length) return this.#more();
    if (!this.#isWhole && this.#text.length - this.#at < this.#enough) return "wait";
    const quick = this.#quickly();
    if (quick) return quick;
    const start = this.#at;
    let parsed: ReturnType<typeof parseValue>;
    try {
      parsed = parseValue(this.#text, start, this.#isWhole);
    } catch (error) {
      this.#at = this.#text.length;
      throw error;
    }
    if (!parsed) {
      this.#enough = (this.#text.length - start) * 2;
      return "wait";
    }
    this.#at = parsed.end;
    this.#enough = 0;
    return { value: parsed.value };
  }

  #more(): "wait" | "end" {
    if (!this.#isWhole || this.#waiting.length > 0) return "wait";
    this.#isOpen = false;
    return "end";
  }

  #nextLine(): { value: Value } | "wait" | "end" {
    const end = this.#text.indexOf("\n", this.#at);
    if (end !== -1) {
      const value = this.#text.slice(this.#at, end);
      this.#at = end + 1;
      return { value };
    }
    if (this.#at === this.#text.length || !this.#isWhole) return this.#more();
    if (this.#waiting.length > 0) return "wait";
    const value = this.#text.slice(this.#at);
    this.#at = this.#text.length;
    return { value };
  }

  /** Parses a line, or all of the text, with the host's parser, which is many times as fast. */
  #quickly(): { value: Value } | undefined {
    if (!this.#isUsual || this.#failures > MAX_FAILURES) return undefined;
    const first = this.#text.charCodeAt(this.#at);
    if (first !== 123 && first !== 91 && first !== 34) return undefined;
    let end = this.#text.indexOf("\n", this.#at);
    if (end === -1 && !this.#isWhole) return undefined;
    if (end === -1) end = this.#text.length;
    let last = end - 1;
    if (this.#text.charCodeAt(last) === 13) last--;
    const code = this.#text.charCodeAt(last);
    const isLine = last > this.#at && (code === 125 || code === 93 || code === 34);
    if (!isLine) {
      if (!this.#isWhole || this.#failures > 0) return undefined;
      end = this.#text.length;
    }
    try {
      const value = JSON.parse(this.#text.slice(this.#at, end)) as Value;
      this.#at = end;
      return { value };
    } catch {
      this.#failures++;
      return undefined;
    }
  }

  /** Reads more text: a chunk, or the next file. */
  async fill(): Promise<void> {
    if (this.#isWhole) await this.#open();
    if (this.#isWhole) return;
    const chunk = await this.#nextChunk?.();
    const text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
    if (!chunk) this.#isWhole = true;
    this.#isUsual &&= !UNUSUAL.test(text) && !hasCutKey(this.#text);
    if (this.#options.isRaw && this.#options.isSlurped) {
      this.#context.assertReader?.();
      this.#text += text;
      return;
    }
    const { lineNumber } = this;
    const kept = this.#text.slice(this.#at);
    const ahead = kept.indexOf("\n") === -1 ? 0 : 1;
    this.#counted = { at: 0, lines: lineNumber - (this.#at > 0 ? ahead : 0) };
    if (this.#at === 0) this.#counted = { at: 0, lines: 0 };
    this.#text = kept + text;
    this.#at = 0;
  }

  async #open(): Promise<void> {
    const file = this.#waiting.shift();
    if (file === undefined) return;
    const isRest = this.#options.isRaw;
    this.#text = isRest ? this.#text.slice(this.#at) : "";
    this.#at = 0;
    this.#counted = { at: 0, lines: 0 };
    this.#isWhole = false;
    this.#isUsual = true;
    this.#failures = 0;
    this.#enough = 0;
    this.#decoder = new TextDecoder();
    this.#name = file;
    this.#isOpen = true;
    if (file === "-") {
      this.#nextChunk = inputOf(this.#context);
      return;
    }
    let bytes: Uint8Array | undefined;
    try {
      bytes = await readOperand(this.#context, file);
    } catch (error) {
      this.errors += `jq: error: Could not open ${errorMessage(error)}\n`;
    }
    this.#nextChunk = async () => {
      const chunk = bytes;
      bytes = undefined;
      return chunk;
    };
  }
}

/** Tells whether the beginning of a key may be in the chunk before. */
function hasCutKey(before: string): boolean {
  return UNUSUAL.test(`${before.slice(-256)}":`);
}
