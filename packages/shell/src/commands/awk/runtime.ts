import type { LinearEngine } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../../command.ts";
import { compileLoaded, plainPattern, type Pattern } from "../search/pattern.ts";
import { toPosix } from "./expressions.ts";
import { unescaped } from "./lexer.ts";
import { afterwards, type Later, type Reader, type Separator } from "./records.ts";
import { createStreams, type Streams } from "./streams.ts";
import { input, LimitReached, toNumber, toText, type List, type Value } from "./values.ts";

/** A variable. An unset one passed to a function becomes a list when used as one. */
export interface Cell {
  value: Value;
  list?: List | undefined;
  origin?: Cell | undefined;
}

const MAX_FIELDS = 1_000_000;
/** Maximum elements of one list, each of which takes some hundred bytes. */
const MAX_ELEMENTS = 1_000_000;
/** Building or scanning this many characters counts as one more step. */
const CHARACTERS_PER_STEP = 256;

/** A running program: its variables, the record and its fields, and its input and output. */
export interface Machine {
  readonly context: ShellCommandContext;
  readonly streams: Streams;
  readonly operands: string[];
  cell(name: string): Cell;
  text(name: string): string;
  assign(name: string, value: Value): void;
  pattern(source: string): Pattern;
  /** Returns `text` if it is within the maximum length. @throws {LimitReached} */
  bounded(text: string): string;
  /** Adds an element to a list. @throws {LimitReached} When the list is full */
  put(list: List, key: string, value: Value): void;
  /** Counts characters that were built or scanned, for `pace`. */
  note(characters: number): void;
  /** Counts a step and the characters noted since the last one, and pauses when due. */
  pace(): Promise<void> | undefined;
  setRecord(text: string): void;
  field(index: number): Value;
  setField(index: number, value: Value): void;
  fieldCount(): number;
  setFieldCount(count: number): void;
  split(text: string, separator: string | Pattern): string[];
  /** Reads the next record of the program's input and counts it; `undefined` at the end. */
  nextRecord(): Later<string | undefined>;
  skipFile(): void;
}

export function listOf(cell: Cell): List {
  if (!cell.list) cell.list = cell.origin ? listOf(cell.origin) : new Map<string, Value>();
  return cell.list;
}

/** Predefined variables. */
const defaults: Readonly<Record<string, Value>> = {
  FS: " ",
  OFS: " ",
  ORS: "\n",
  RS: "\n",
  SUBSEP: "\x1c",
  CONVFMT: "%.6g",
  OFMT: "%.6g",
  FILENAME: "",
  NR: 0,
  FNR: 0,
  RSTART: 0,
  RLENGTH: -1,
};

export function createMachine(
  context: ShellCommandContext,
  operands: string[],
  engine: LinearEngine | undefined,
): Machine {
  return new AwkMachine(context, operands, engine);
}

class AwkMachine implements Machine {
  readonly context: ShellCommandContext;
  readonly operands: string[];
  readonly streams: Streams;
  readonly #engine: LinearEngine | undefined;
  readonly #cells = new Map<string, Cell>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #ofs = this.cell("OFS");
  readonly #convfmt = this.cell("CONVFMT");
  readonly #argv = listOf(this.cell("ARGV"));
  #noted = 0;
  /** The record; undefined while the fields have changed, and rebuilt on demand. */
  #record: string | undefined = "";
  #fields: string[] | undefined = [];
  #fieldSeparator: string | Pattern = " ";
  #recordSeparator: Separator = "\n";
  #reader: Reader | undefined;
  /** Index of the operand to open next. */
  #next = 1;
  #hasFile = false;

  constructor(context: ShellCommandContext, operands: string[], engine: LinearEngine | undefined) {
    this.context = context;
    this.operands = operands;
    this.#engine = engine;
    this.streams = createStreams(context, () => this.#recordSeparator);
    for (const [name, value] of Object.entries(defaults)) this.cell(name).value = value;
    this.cell("ARGC").value = operands.length + 1;
    const environ = listOf(this.cell("ENVIRON"));
    for (const [name, value] of Object.entries(context.env)) environ.set(name, input(value));
    ["awk", ...operands].forEach((operand, at) => this.#argv.set(String(at), input(operand)));
  }

  cell(name: string): Cell {
    let known = this.#cells.get(name);
    if (!known) this.#cells.set(name, (known = { value: undefined }));
    return known;
  }

  text(name: string): string {
    return toText(this.cell(name).value, toText(this.#convfmt.value));
  }

  pattern(source: string): Pattern {
    let known = this.#patterns.get(source);
    if (!known) {
      const options = { dialect: "extended" } as const;
      const sources = [toPosix(source)];
      known =
        plainPattern(sources, options) ??
        (this.#engine && compileLoaded(this.#engine, sources, options));
      if (!known) throw new Error(`the expression ${source} was not compiled in time`);
      this.#patterns.set(source, known);
    }
    return known;
  }

  note(characters: number): void {
    return void (this.#noted += characters);
  }

  bounded(whole: string): string {
    const { maxCharacters } = this.context;
    this.note(whole.length);
    if (whole.length <= maxCharacters) return whole;
    throw new LimitReached(`a text has more than ${maxCharacters} characters`);
  }

  // ---- the record

  #separatorOf(source: string): string | Pattern {
    return source.length > 1 && source !== "\\|"
      ? this.pattern(source)
      : source === "\\|"
        ? "|"
        : source;
  }

  split(whole: string, by: string | Pattern): string[] {
    if (whole === "") return [];
    this.note(whole.length);
    if (by === "" && whole.length > MAX_FIELDS) throw tooMany(whole.length);
    if (by === " ") {
      const words = whole.split(/[ \t\n]+/, MAX_FIELDS + 2);
      if (words.length > MAX_FIELDS) throw tooMany(words.length);
      if (words[0] === "") words.shift();
      if (words.at(-1) === "") words.pop();
      return words;
    }
    if (by === "") return Array.from(whole);
    if (typeof by === "string") {
      const all =
        this.#recordSeparator === undefined && by !== "\n"
          ? whole.split("\n", MAX_FIELDS + 1).flatMap((line) => line.split(by, MAX_FIELDS + 1))
          : whole.split(by, MAX_FIELDS + 1);
      if (all.length > MAX_FIELDS) throw tooMany(all.length);
      return all;
    }
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at <= whole.length;) {
      const match = by.find(whole, at);
      if (!match) break;
      if (match.end === match.start) at = match.end + 1;
      else {
        if (parts.push(whole.slice(from, match.start)) > MAX_FIELDS) throw tooMany(parts.length);
        from = at = match.end;
      }
    }
    parts.push(whole.slice(from));
    return parts;
  }

  #fieldsNow(): string[] {
    return (this.#fields ??= this.split(this.#record ?? "", this.#fieldSeparator));
  }

  setFieldCount(count: number): void {
    if (count < 0 || count > MAX_FIELDS) throw new Error(`a record can't have ${count} fields`);
    const now = this.#fieldsNow();
    while (now.length < count) now.push("");
    now.length = count;
    this.#record = undefined;
  }

  #wholeRecord(): string {
    return (this.#record ??= this.bounded(
      this.#fieldsNow().join(toText(this.#ofs.value, toText(this.#convfmt.value))),
    ));
  }

  setRecord(next: string): void {
    this.#record = next;
    this.#fields = undefined;
  }

  #asIndex(index: number): number {
    const at = Math.trunc(index);
    if (!(at >= 0)) throw new Error(`attempt to access field ${at}`);
    return at;
  }

  assign(name: string, value: Value): void {
    // A changed record has the separator that was in force when it was changed.
    if (name === "OFS") this.#wholeRecord();
    this.cell(name).value = value;
    if (name === "NF") this.setFieldCount(toNumber(value));
    else if (name === "FS") {
      this.#fieldsNow();
      const source = toText(value);
      this.#fieldSeparator = this.#separatorOf(source === "\\t" ? "\t" : source);
    } else if (name === "RS") {
      const source = toText(value);
      this.#recordSeparator =
        source === "" ? undefined : source.length > 1 ? this.pattern(source) : source;
    }
  }

  // ---- the input

  async #openNext(): Promise<Reader | undefined> {
    for (; this.#next < toNumber(this.cell("ARGC").value); this.#next++) {
      const operand = toText(this.#argv.get(String(this.#next)));
      const assignment = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand);
      if (assignment) this.assign(assignment[1] ?? "", input(unescaped(assignment[2] ?? "")));
      else if (operand !== "") {
        this.#next += 1;
        this.#hasFile = true;
        this.cell("FILENAME").value = operand;
        this.cell("FNR").value = 0;
        return this.streams.open(operand);
      }
    }
    if (this.#hasFile) return undefined;
    this.#hasFile = true;
    return this.streams.open("-");
  }

  nextRecord(): Later<string | undefined> {
    if (!this.#reader) {
      return this.#openNext().then((opened) => {
        this.#reader = opened;
        return opened ? this.nextRecord() : undefined;
      });
    }
    return afterwards(this.#reader.read(), (found) => {
      if (found === undefined) {
        this.#reader = undefined;
        return this.nextRecord();
      }
      const [all, own] = [this.cell("NR"), this.cell("FNR")];
      all.value = toNumber(all.value) + 1;
      own.value = toNumber(own.value) + 1;
      return found;
    });
  }

  put(list: List, key: string, value: Value): void {
    if (list.size >= MAX_ELEMENTS && !list.has(key))
      throw new LimitReached(`a list has more than ${MAX_ELEMENTS} elements`);
    list.set(key, value);
  }

  pace(): Promise<void> | undefined {
    const steps = 1 + this.#noted / CHARACTERS_PER_STEP;
    this.#noted = 0;
    return this.context.pace(steps);
  }

  field(index: number): Value {
    const at = this.#asIndex(index);
    if (at === 0) return input(this.#wholeRecord());
    const found = this.#fieldsNow()[at - 1];
    return found === undefined ? undefined : input(found);
  }

  setField(index: number, value: Value): void {
    const at = this.#asIndex(index);
    const content = toText(value, toText(this.#convfmt.value));
    if (at === 0) return this.setRecord(content);
    if (at > this.#fieldsNow().length) this.setFieldCount(at);
    this.#fieldsNow()[at - 1] = content;
    this.#record = undefined;
  }

  fieldCount(): number {
    return this.#fieldsNow().length;
  }

  skipFile(): void {
    this.#reader = undefined;
  }
}

function tooMany(fields: number): LimitReached {
  return new LimitReached(
    `a text was split into ${fields} parts, of ${MAX_FIELDS} that it may have`,
  );
}
