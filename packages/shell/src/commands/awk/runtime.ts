import type { ShellCommandContext } from "../../command.ts";
import { compileLoaded, plainPattern, type Pattern, type Re2Module } from "../search/pattern.ts";
import { toPosix } from "./expressions.ts";
import { afterwards, type Later, type Reader, type Separator } from "./records.ts";
import { createStreams, type Streams } from "./streams.ts";
import { input, LimitReached, toNumber, toText, type List, type Value } from "./values.ts";

/** A variable. One that a function was handed without a value becomes a list with it. */
export interface Cell {
  value: Value;
  list?: List;
  origin?: Cell;
}

const MAX_FIELDS = 1_000_000;
/** Of one list. Each takes some hundred bytes. */
const MAX_ELEMENTS = 1_000_000;
/** To make or to look through so much text counts as one step more. */
const CHARACTERS_PER_STEP = 256;

/** A running program: its variables, the record and its fields, and where it reads and writes. */
export interface Machine {
  readonly context: ShellCommandContext;
  readonly streams: Streams;
  readonly operands: string[];
  cell(name: string): Cell;
  text(name: string): string;
  assign(name: string, value: Value): void;
  pattern(source: string): Pattern;
  /** `text`, if it is not longer than one may be. @throws {LimitReached} */
  bounded(text: string): string;
  /** Puts an element into a list. @throws {LimitReached} When the list has as many as one may have */
  put(list: List, key: string, value: Value): void;
  /** Notes that so many characters were made or looked through, for `pace`. */
  note(characters: number): void;
  /** Counts a step, and what was noted since the one before, and pauses when it is time. */
  pace(): Promise<void> | undefined;
  setRecord(text: string): void;
  field(index: number): Value;
  setField(index: number, value: Value): void;
  fieldCount(): number;
  setFieldCount(count: number): void;
  split(text: string, separator: string | Pattern): string[];
  /** The next record of the program's input, counted; `undefined` at the end. */
  nextRecord(): Later<string | undefined>;
  skipFile(): void;
}

export function listOf(cell: Cell): List {
  if (!cell.list) cell.list = cell.origin ? listOf(cell.origin) : new Map<string, Value>();
  return cell.list;
}

export function createMachine(
  context: ShellCommandContext,
  operands: string[],
  re2: Re2Module | undefined,
): Machine {
  const cells = new Map<string, Cell>();
  const patterns = new Map<string, Pattern>();
  const cell = (name: string): Cell => {
    let known = cells.get(name);
    if (!known) cells.set(name, (known = { value: undefined }));
    return known;
  };
  const [ofs, convfmt] = [cell("OFS"), cell("CONVFMT")];
  const defaults = {
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
    ARGC: operands.length + 1,
  };
  for (const [name, value] of Object.entries(defaults)) cell(name).value = value;
  const environ = listOf(cell("ENVIRON"));
  for (const [name, value] of Object.entries(context.env)) environ.set(name, input(value));
  const argv = listOf(cell("ARGV"));
  ["awk", ...operands].forEach((operand, at) => argv.set(String(at), input(operand)));

  const text = (name: string): string => toText(cell(name).value, toText(convfmt.value));
  const pattern = (source: string): Pattern => {
    let known = patterns.get(source);
    if (!known) {
      const options = { dialect: "extended" } as const;
      const sources = [toPosix(source)];
      known = plainPattern(sources, options) ?? (re2 && compileLoaded(re2, sources, options));
      if (!known) throw new Error(`the expression ${source} was not compiled in time`);
      patterns.set(source, known);
    }
    return known;
  };

  let noted = 0;
  const note = (characters: number): void => void (noted += characters);
  const bounded = (whole: string): string => {
    const { mostCharacters } = context;
    note(whole.length);
    if (whole.length <= mostCharacters) return whole;
    throw new LimitReached(`a text has more than ${mostCharacters} characters`);
  };

  // ---- the record

  let record: string | undefined = "";
  let fields: string[] | undefined = [];
  let fieldSeparator: string | Pattern = " ";
  let recordSeparator: Separator = "\n";

  const separatorOf = (source: string): string | Pattern =>
    source.length > 1 && source !== "\\|" ? pattern(source) : source === "\\|" ? "|" : source;
  const split = (whole: string, by: string | Pattern): string[] => {
    if (whole === "") return [];
    note(whole.length);
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
        recordSeparator === undefined && by !== "\n"
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
  };
  const fieldsNow = (): string[] => (fields ??= split(record ?? "", fieldSeparator));
  const setFieldCount = (count: number): void => {
    if (count < 0 || count > MAX_FIELDS) throw new Error(`a record can't have ${count} fields`);
    const now = fieldsNow();
    while (now.length < count) now.push("");
    now.length = count;
    record = undefined;
  };
  const wholeRecord = (): string =>
    (record ??= bounded(fieldsNow().join(toText(ofs.value, toText(convfmt.value)))));
  const setRecord = (next: string): void => {
    record = next;
    fields = undefined;
  };
  const asIndex = (index: number): number => {
    const at = Math.trunc(index);
    if (!(at >= 0)) throw new Error(`attempt to access field ${at}`);
    return at;
  };

  const assign = (name: string, value: Value): void => {
    cell(name).value = value;
    if (name === "NF") setFieldCount(toNumber(value));
    else if (name === "FS") {
      fieldsNow();
      const source = toText(value);
      fieldSeparator = separatorOf(source === "\\t" ? "\t" : source);
    } else if (name === "RS") {
      const source = toText(value);
      recordSeparator = source === "" ? undefined : source.length > 1 ? pattern(source) : source;
    }
  };

  // ---- the input

  const streams = createStreams(context, () => recordSeparator);
  let reader: Reader | undefined;
  let next = 1;
  let hasFile = false;
  const openNext = async (): Promise<Reader | undefined> => {
    for (; next < toNumber(cell("ARGC").value); next++) {
      const operand = toText(argv.get(String(next)));
      const assignment = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand);
      if (assignment) assign(assignment[1] ?? "", input(unescapedOperand(assignment[2] ?? "")));
      else if (operand !== "") {
        next += 1;
        hasFile = true;
        cell("FILENAME").value = operand;
        cell("FNR").value = 0;
        return streams.open(operand);
      }
    }
    if (hasFile) return undefined;
    hasFile = true;
    return streams.open("-");
  };
  const nextRecord = (): Later<string | undefined> => {
    if (!reader) {
      return openNext().then((opened) => {
        reader = opened;
        return opened ? nextRecord() : undefined;
      });
    }
    return afterwards(reader.read(), (found) => {
      if (found === undefined) {
        reader = undefined;
        return nextRecord();
      }
      const [all, own] = [cell("NR"), cell("FNR")];
      all.value = toNumber(all.value) + 1;
      own.value = toNumber(own.value) + 1;
      return found;
    });
  };

  return {
    context,
    streams,
    operands,
    cell,
    text,
    assign,
    pattern,
    bounded,
    put(list, key, value) {
      if (list.size >= MAX_ELEMENTS && !list.has(key))
        throw new LimitReached(`a list has more than ${MAX_ELEMENTS} elements`);
      list.set(key, value);
    },
    note,
    pace() {
      const steps = 1 + noted / CHARACTERS_PER_STEP;
      noted = 0;
      return context.pace(steps);
    },
    setRecord,
    field(index) {
      const at = asIndex(index);
      if (at === 0) return input(wholeRecord());
      const found = fieldsNow()[at - 1];
      return found === undefined ? undefined : input(found);
    },
    setField(index, value) {
      const at = asIndex(index);
      const content = toText(value, toText(convfmt.value));
      if (at === 0) return setRecord(content);
      if (at > fieldsNow().length) setFieldCount(at);
      fieldsNow()[at - 1] = content;
      record = undefined;
    },
    fieldCount: () => fieldsNow().length,
    setFieldCount,
    split,
    nextRecord,
    skipFile: () => void (reader = undefined),
  };
}

function tooMany(fields: number): LimitReached {
  return new LimitReached(
    `a text was split into ${fields} parts, of ${MAX_FIELDS} that it may have`,
  );
}

function unescapedOperand(value: string): string {
  return value.replace(/\\([nt\\])/g, (_whole, letter: string) =>
    letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
  );
}
