import { type NativeRegExp, nativeRegExp } from "../../../native-regexp.ts";
import { loadLinearEngine } from "../../../linear-regexp/load.ts";
import type { LinearRegExp } from "../../../linear-regexp/linear-regexp.ts";
import { ToolFailure } from "../../failure.ts";
import type { SoughtTexts } from "../../../ports/file-system.ts";
import type { Find } from "./prefilter.ts";
import { caseInsensitiveNeedle } from "./case-insensitive-needle.ts";
import { findByNeedle } from "./needle.ts";

/** A search pattern, ready to be asked about single lines. */
export interface LinePattern {
  readonly matches: (line: string) => boolean;
  /** Start of the first match; 0 without one. */
  readonly position: (line: string) => number;
  /** `false` only for a text in which no line can match. */
  readonly mayMatch: (text: string) => boolean;
  /** Finds a literal part of every match, free of line feeds, in the text of many files; absent without such a part. */
  readonly find?: Find | undefined;
  /** True when `mayMatch` is mostly as fast as a literal search. */
  readonly isQuick: boolean;
  /** Texts of which each matching text contains at least one, for file systems with a faster search. */
  readonly sought?: Pick<SoughtTexts, "anyOf" | "ignoreCase"> | undefined;
  /** Matches in a text of several lines, in order; for patterns that may span lines. */
  readonly spans?: (text: string) => Iterable<[start: number, end: number]>;
}

export interface PatternOptions {
  ignoreCase?: boolean | undefined;
  /** Lets matches span lines, and `.` match line breaks. */
  multiline?: boolean | undefined;
}

const MAX_PATTERN_LENGTH = 2000;

/** Metacharacters of a regular expression. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/**
 * Compiles a regular expression in RE2 syntax, whose matching time is linear in the text, for any pattern. A pattern
 * without metacharacters is searched as plain text.
 * @throws {ToolFailure} `invalid_pattern` with the position
 */
export async function compileLinePattern(
  pattern: string,
  { ignoreCase = false, multiline = false }: PatternOptions = {},
): Promise<LinePattern> {
  if (!multiline && pattern.includes("\n")) {
    throw new ToolFailure("invalid_pattern", "A pattern can't contain a line break.", {
      hint: "Lines are searched one by one unless multiline is true.",
    });
  }
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new ToolFailure("invalid_pattern", "The pattern is too long.", {
      hint: `It may have up to ${MAX_PATTERN_LENGTH} characters.`,
    });
  }
  if (multiline) return compileRegex(pattern.replaceAll("\r\n", "\n"), { ignoreCase, multiline });
  if (SPECIAL.test(pattern)) return compileRegex(pattern, { ignoreCase });
  return ignoreCase ? anyCase(pattern) : literal(pattern);
}

function literal(text: string): LinePattern {
  const matches = (line: string) => line.includes(text);
  return {
    matches,
    mayMatch: matches,
    isQuick: true,
    find: text === "" ? undefined : findByNeedle(text),
    position: (line) => Math.max(0, line.indexOf(text)),
    sought: soughtTexts([text], false),
  };
}

function finder(regex: RegExp): Find {
  return (text, from) => {
    regex.lastIndex = from;
    return regex.exec(text)?.index ?? -1;
  };
}

/** The pattern is free of special characters, so the host's engine has nothing to try twice. */
function anyCase(text: string): LinePattern {
  const regex = new RegExp(text, "iu");
  // Without the rules of Unicode it is found, or mostly not found, in half the time.
  const sure = caseInsensitiveNeedle(text);
  const part = new RegExp(sure, "i");
  const matches = (line: string) => part.test(line) && regex.test(line);
  return {
    matches,
    mayMatch: matches,
    isQuick: true,
    find: sure === "" ? undefined : finder(new RegExp(sure, "gi")),
    position: (line) => Math.max(0, line.search(regex)),
    sought: soughtTexts([text], true),
  };
}

async function compileRegex(
  pattern: string,
  { ignoreCase = false, multiline = false }: PatternOptions,
): Promise<LinePattern> {
  const regex = await compileLinear(pattern, { ignoreCase, multiline });
  const parts = nativeRegExp(pattern, { ignoreCase, dotAll: multiline });
  const quick = multiline ? undefined : compileQuick(parts, ignoreCase);
  const linear: LinePattern = {
    matches: (line) => regex.test(line),
    isQuick: false,
    mayMatch: (text) => !multiline || regex.test(text.replaceAll("\r\n", "\n")),
    ...(multiline && {
      *spans(text: string) {
        let match = regex.find(text);
        while (match) {
          yield [match.start, match.end];
          const { start, end } = match;
          match = regex.find(text, start === end ? behind(text, end) : end);
        }
      },
    }),
    position: (line) => regex.find(line)?.start ?? 0,
    sought: soughtTexts(parts?.needles ?? [], ignoreCase),
  };
  return quick ? quickly(quick, linear) : linear;
}

/** Characters that a file may encode in more than one way, or not at all. */
const UNSURE = /[\r\n\0\ufeff\ufffd]/;

/** The literal parts of matches that have the same form in every file. */
function soughtTexts(needles: readonly string[], ignoreCase: boolean): LinePattern["sought"] {
  const anyOf = needles.map((needle) => {
    const parts = needle
      .split(UNSURE)
      .map((part) => (ignoreCase ? caseInsensitiveNeedle(part) : part));
    const sure = parts.filter((part) => part.isWellFormed());
    return sure.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
  });
  return anyOf.length === 0 || anyOf.includes("") ? undefined : { anyOf, ignoreCase };
}

interface Quick {
  line: RegExp;
  /** Finds at least the lines that `line` finds, in a text of many. */
  text: RegExp;
  needle: string;
  longest: number;
}

function compileQuick(quick: NativeRegExp | undefined, ignoreCase: boolean): Quick | undefined {
  if (!quick) return undefined;
  const flags = `su${ignoreCase ? "i" : ""}`;
  try {
    return {
      ...quick,
      line: new RegExp(quick.source, flags),
      text: new RegExp(quick.source, `m${flags}`),
    };
  } catch {
    return undefined;
  }
}

/** Uses the host's own engine where it is safe, and the linear one for lines that are too long for it. */
function quickly(
  { line: regex, text: anywhere, needle, longest }: Quick,
  linear: LinePattern,
): LinePattern {
  return {
    sought: linear.sought,
    isQuick: needle !== "",
    find: /^[^\n]+$/.test(needle) ? findByNeedle(needle) : undefined,
    matches: (line) => (line.length > longest ? linear.matches(line) : regex.test(line)),
    mayMatch: (text) => text.includes(needle) && (text.length > longest || anywhere.test(text)),
    position: (line) =>
      line.length > longest ? linear.position(line) : Math.max(0, line.search(regex)),
  };
}

/** The position behind the character at `at`. */
function behind(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/** @throws {ToolFailure} `invalid_pattern` with the position */
async function compileLinear(
  pattern: string,
  { ignoreCase, multiline }: PatternOptions,
): Promise<LinearRegExp> {
  const engine = await loadLinearEngine();
  try {
    return engine.compileLinear(pattern, { ignoreCase, multiline, dotAll: multiline });
  } catch (error) {
    if (!(error instanceof engine.LinearSyntaxError)) throw error;
    const { message, position } = error;
    throw new ToolFailure(
      "invalid_pattern",
      `Invalid pattern: ${message} at position ${position}.`,
      {
        cause: error,
        hint: "The syntax is RE2's. Put a backslash before ( ) [ { . * + ? | $ ^ to search for the character itself; lookaround and back-references are not available.",
      },
    );
  }
}
