import { decodeText, encodeText } from "@robota/runtime/ports";
import { isBrokenPipe, type ShellCommandContext } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";
import { createPrinter, inputOf, type Printer } from "../streams.ts";
import type { Destination } from "./syntax.ts";
import { createReader, type Reader, type Separator } from "./records.ts";
import { LimitReached } from "./values.ts";

const PART = 65_536;

interface Output {
  kind: ">" | ">>" | "|";
  text: string[];
  /** Length of `text` in characters. */
  size: number;
}

/** The input and output of a program beside its records. */
export interface Streams {
  print(text: string, destination?: Destination["kind"], to?: string): void;
  /** Flushes printed output; with `force` even without a waiting reader. Await the result. */
  flush(force?: boolean): Promise<void> | undefined;
  /**
   * Closes the stream of this name: writes the file, runs the command or drops the reader. Resolves to its exit status.
   */
  close(name: string): Promise<number>;
  closeAll(): Promise<void>;
  system(command: string): Promise<number>;
  /** Opens a file or a command for reading on first use; `undefined` when it can't be opened. */
  reader(kind: "file" | "command", name: string): Promise<Reader | undefined>;
  open(name: string): Promise<Reader>;
  result(): { stdout: Uint8Array; stderr: string };
  warn(text: string): void;
}

export function createStreams(context: ShellCommandContext, separator: () => Separator): Streams {
  return new ProgramStreams(context, separator);
}

class ProgramStreams implements Streams {
  readonly #context: ShellCommandContext;
  readonly #separator: () => Separator;
  readonly #printer: Printer;
  readonly #outputs = new Map<string, Output>();
  readonly #readers = new Map<string, Reader>();
  #pending: string[] = [];
  #size = 0;
  /** Characters of buffered output. */
  #kept = 0;
  #stderr = "";
  /** Exit status of the last command. */
  #status = 0;
  /** Standard input, once it was opened. */
  #standard: Reader | undefined;

  constructor(context: ShellCommandContext, separator: () => Separator) {
    this.#context = context;
    this.#separator = separator;
    this.#printer = createPrinter(context);
  }

  print(text: string, kind?: Destination["kind"], to = ""): void {
    if (kind === undefined || to === "/dev/stdout" || (to === "-" && kind !== "|")) this.#put(text);
    else if (to === "/dev/stderr") this.#stderr += text;
    else {
      let output = this.#outputs.get(to);
      if (!output) {
        output = { kind, text: kind === ">" ? [""] : [], size: 0 };
        this.#outputs.set(to, output);
      }
      output.size = this.#bounded(output.size + text.length);
      output.text.push(text);
    }
  }

  async close(name: string): Promise<number> {
    const output = this.#outputs.get(name);
    const wasRead = this.#readers.delete(name);
    if (!output) return wasRead ? 0 : -1;
    this.#outputs.delete(name);
    return this.#write(name, output);
  }

  async closeAll(): Promise<void> {
    for (const [name, output] of this.#outputs) {
      this.#outputs.delete(name);
      await this.#write(name, output);
    }
  }

  async system(command: string): Promise<number> {
    await this.#writeFiles();
    this.#put(await this.#run(command, ""));
    return this.#status;
  }

  async reader(kind: "file" | "command", name: string): Promise<Reader | undefined> {
    let known = this.#readers.get(name);
    if (!known) {
      await this.#writeFiles();
      try {
        known =
          kind === "command" ? this.#textReader(await this.#run(name, "")) : await this.open(name);
      } catch (error) {
        if (isBrokenPipe(error)) throw error;
        return undefined;
      }
      this.#readers.set(name, known);
    }
    return known;
  }

  result(): { stdout: Uint8Array; stderr: string } {
    return { stdout: this.#printer.rest(), stderr: this.#stderr };
  }

  warn(text: string): void {
    this.#stderr += text;
  }

  #bounded(characters: number): number {
    const { maxCharacters } = this.#context;
    if (characters <= maxCharacters) return characters;
    throw new LimitReached(`what is printed has more than ${maxCharacters} characters`);
  }

  flush(force = false): Promise<void> | undefined {
    if (this.#size === 0 || (!force && this.#size < PART)) return undefined;
    const text = this.#pending.join("");
    this.#pending = [];
    this.#size = 0;
    return this.#printer.print(encodeText(text));
  }

  #put(text: string): void {
    this.#pending.push(text);
    this.#size += text.length;
    if (!this.#context.print) this.#kept = this.#bounded(this.#kept + text.length);
  }

  async #run(command: string, stdin: string): Promise<string> {
    await this.flush(true);
    const result = await this.#context.run("bash", ["-c", command], stdin);
    this.#stderr += result.stderr;
    const { stdout } = result;
    this.#status = result.exitCode;
    return typeof stdout === "string" ? stdout : decodeText(stdout);
  }

  async #write(name: string, output: Output): Promise<number> {
    const { kind, text } = output;
    const all = text.join("");
    if (kind === "|") {
      this.#put(await this.#run(name, all));
      return this.#status;
    }
    if (text.length === 0) return 0;
    text.length = 0;
    output.size = 0;
    const path = this.#context.resolve(name);
    await (kind === ">>"
      ? this.#context.fs.appendFile(path, all)
      : this.#context.fs.writeFile(path, all));
    return 0;
  }

  /** Files are written before any program that this one starts; commands run when they are closed. */
  async #writeFiles(): Promise<void> {
    for (const [name, output] of this.#outputs) {
      if (output.kind === "|") continue;
      await this.#write(name, output);
      // Later output is appended.
      output.kind = ">>";
    }
  }

  #textReader(text: string): Reader {
    let rest: string | undefined = text;
    return createReader(async () => {
      const part = rest;
      rest = undefined;
      return part;
    }, this.#separator);
  }

  #standardReader(): Reader {
    if (this.#standard) return this.#standard;
    const next = inputOf(this.#context);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    this.#standard = createReader(async () => {
      this.#context.assertReader?.();
      // A reader gets the printed output before this waits for more input.
      if (this.#context.nextInput) await this.flush(true);
      const part = await next();
      return part && decoder.decode(part, { stream: true });
    }, this.#separator);
    return this.#standard;
  }

  async open(name: string): Promise<Reader> {
    if (name === "-" || name === "/dev/stdin") return this.#standardReader();
    return this.#textReader(await readTextOperand(this.#context, name));
  }
}
