import { decodeText, encodeText } from "@robota/runtime/ports";
import { isBrokenPipe, type ShellCommandContext } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";
import { createPrinter, inputOf } from "../streams.ts";
import type { Destination } from "./syntax.ts";
import { createReader, type Reader, type Separator } from "./records.ts";
import { LimitReached } from "./values.ts";

const PART = 65_536;

interface Output {
  kind: ">" | ">>" | "|";
  text: string[];
  /** Characters in `text`. */
  size: number;
}

/** What a program reads and writes beside its records. */
export interface Streams {
  print(text: string, destination?: Destination["kind"], to?: string): void;
  /** Hands on what was printed; with `force` also where nobody waits for it. Await what it answers. */
  flush(force?: boolean): Promise<void> | undefined;
  /** Writes, runs or forgets what has this name, and answers how it ended. */
  close(name: string): Promise<number>;
  closeAll(): Promise<void>;
  system(command: string): Promise<number>;
  /** What is read from a file or a command, opened when it is first asked for; `undefined` when it can't be. */
  reader(kind: "file" | "command", name: string): Promise<Reader | undefined>;
  open(name: string): Promise<Reader>;
  result(): { stdout: Uint8Array; stderr: string };
  warn(text: string): void;
}

export function createStreams(context: ShellCommandContext, separator: () => Separator): Streams {
  const printer = createPrinter(context);
  const outputs = new Map<string, Output>();
  const readers = new Map<string, Reader>();
  let pending: string[] = [];
  let size = 0;
  /** Characters that nobody has taken yet. */
  let kept = 0;
  let stderr = "";

  const bounded = (characters: number): number => {
    const { mostCharacters } = context;
    if (characters <= mostCharacters) return characters;
    throw new LimitReached(`what is printed has more than ${mostCharacters} characters`);
  };
  const flush = (force = false): Promise<void> | undefined => {
    if (size === 0 || (!force && size < PART)) return undefined;
    const text = pending.join("");
    pending = [];
    size = 0;
    return printer.print(encodeText(text));
  };
  const print = (text: string): void => {
    pending.push(text);
    size += text.length;
    if (!context.print) kept = bounded(kept + text.length);
  };
  const run = async (command: string, stdin: string): Promise<string> => {
    await flush(true);
    const result = await context.run("bash", ["-c", command], stdin);
    stderr += result.stderr;
    const { stdout } = result;
    status = result.exitCode;
    return typeof stdout === "string" ? stdout : decodeText(stdout);
  };
  let status = 0;

  const write = async (name: string, output: Output): Promise<number> => {
    const { kind, text } = output;
    const all = text.join("");
    if (kind === "|") {
      print(await run(name, all));
      return status;
    }
    if (text.length === 0) return 0;
    text.length = 0;
    output.size = 0;
    const path = context.resolve(name);
    await (kind === ">>" ? context.fs.appendFile(path, all) : context.fs.writeFile(path, all));
    return 0;
  };
  /** Files are there for every program that this one starts; commands run when they are closed. */
  const writeFiles = async (): Promise<void> => {
    for (const [name, output] of outputs) {
      if (output.kind === "|") continue;
      await write(name, output);
      // What comes later goes behind it.
      output.kind = ">>";
    }
  };
  const textReader = (text: string): Reader => {
    let rest: string | undefined = text;
    return createReader(async () => {
      const part = rest;
      rest = undefined;
      return part;
    }, separator);
  };
  let standard: Reader | undefined;
  const standardReader = (): Reader => {
    if (standard) return standard;
    const next = inputOf(context);
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    standard = createReader(async () => {
      context.assertReader?.();
      // Whoever waits for what was printed gets it before this waits for more.
      if (context.nextInput) await flush(true);
      const part = await next();
      return part && decoder.decode(part, { stream: true });
    }, separator);
    return standard;
  };
  const open = async (name: string): Promise<Reader> => {
    if (name === "-" || name === "/dev/stdin") return standardReader();
    return textReader(await readTextOperand(context, name));
  };

  return {
    print(text, kind, to = "") {
      if (kind === undefined || to === "/dev/stdout" || (to === "-" && kind !== "|")) print(text);
      else if (to === "/dev/stderr") stderr += text;
      else {
        let output = outputs.get(to);
        if (!output) {
          outputs.set(to, (output = { kind, text: kind === ">" ? [""] : [], size: 0 }));
        }
        output.size = bounded(output.size + text.length);
        output.text.push(text);
      }
    },
    flush,
    async close(name) {
      const output = outputs.get(name);
      const wasRead = readers.delete(name);
      if (!output) return wasRead ? 0 : -1;
      outputs.delete(name);
      return write(name, output);
    },
    async closeAll() {
      for (const [name, output] of outputs) {
        outputs.delete(name);
        await write(name, output);
      }
    },
    async system(command) {
      await writeFiles();
      print(await run(command, ""));
      return status;
    },
    async reader(kind, name) {
      let known = readers.get(name);
      if (!known) {
        await writeFiles();
        try {
          known = kind === "command" ? textReader(await run(name, "")) : await open(name);
        } catch (error) {
          if (isBrokenPipe(error)) throw error;
          return undefined;
        }
        readers.set(name, known);
      }
      return known;
    },
    open,
    result: () => ({ stdout: printer.rest(), stderr }),
    warn: (text) => void (stderr += text),
  };
}
