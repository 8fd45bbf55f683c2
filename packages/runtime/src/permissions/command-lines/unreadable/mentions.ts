import { commandName } from "../shell-launchers.ts";
import { readOnlyCommands, type IsReadOnly } from "./read-only-names.ts";
import { hasOption, isPatternFor } from "../shell-match.ts";
import { rewritten, variablesOf } from "../shell-rewrite.ts";
import { readText } from "../shell-text.ts";
import { RESERVED_WORDS } from "../shell-words.ts";
import { wildcard } from "../../rules/wildcard.ts";

/** Words of a line as some program may read them. */
interface Phrase {
  words: readonly string[];
  /** Position of a parsed command's name, which was matched against the rules; -1 without one. */
  head: number;
}

/** A line decomposed for the names in it. */
export interface DecodedLine {
  phrases: readonly Phrase[];
  words: readonly string[];
  /** All words, separated by NUL. */
  text: string;
  /** True when a word may expand to another. */
  hasPatterns: boolean;
  /** False when there is too much in one another. */
  isComplete: boolean;
}

/** Texts within texts are read so deep. */
const MAX_DEPTH = 3;
const MAX_WORK = 400_000;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const PART = /`[^`]*`?|\$\([^)]*\)?|\$\{[^}]*\}?|\$[A-Za-z_]\w*|\$[\d@*#?!-]/g;
const EXPANSION = /[$`*?[]|\{[^{}]*(?:,|\.\.)/;
/** Text in front of a value within its word: its name, or one or two letters of options. */
const BEFORE_VALUE = [/^[\w-]+=/, /^-[A-Za-z]/, /^-[A-Za-z]{2}/];

/**
 * All words of a line, at each depth of quoting, except the operands of read-only commands. Texts that are not for a
 * shell are parsed as well: their recipient may pass them to one.
 */
export function decodeLine(line: string, isReadOnly?: IsReadOnly): DecodedLine {
  const phrases: Phrase[] = [];
  let work = MAX_WORK + 8 * line.length;
  const readOnly = readOnlyCommands(line, isReadOnly);
  const top = readText(line).commands;
  const variables = variablesOf(top);
  const isSame = readOnly?.length === top.length;
  const pending: { text: string; depth: number }[] = [];
  const add = (words: readonly string[], depth: number): void => {
    const head = depth === 0 ? headOf(words) : -1;
    const forms = rewritten(words, variables);
    if (!forms) work = -1;
    for (const form of [words, ...(forms ?? [])]) {
      phrases.push({ words: form, head: form === words ? head : Math.min(head, 0) });
      for (const word of form) work -= word.length + 1;
    }
    if (depth < MAX_DEPTH)
      for (const word of words) if (isText(word)) pending.push({ text: word, depth: depth + 1 });
  };
  const read = (text: string, depth: number, isLooking?: readonly boolean[]): void => {
    const { commands, redirects, nested } = readText(text);
    for (const [index, words] of commands.entries()) if (!isLooking?.[index]) add(words, depth);
    for (const { target } of redirects) add([target], Math.max(depth, 1));
    for (const inner of nested) pending.push({ text: inner, depth });
  };

  read(line, 0, isSame ? readOnly : undefined);
  // A quote in a comment or a here-document pairs with nothing.
  if (!isSame && /#|<</.test(line) && line.includes("\n"))
    for (const text of line.split("\n")) pending.push({ text, depth: 0 });
  for (let next = pending.pop(); next && work >= 0; next = pending.pop()) {
    work -= next.text.length + 1;
    read(next.text, next.depth);
  }
  const words = phrases.flatMap((phrase) => phrase.words);
  const text = words.join("\0");
  return { phrases, words, text, hasPatterns: /[*?[$`]/.test(text), isComplete: work >= 0 };
}

/** Position of a command's name, behind assignments and reserved words such as `if`. */
function headOf(words: readonly string[]): number {
  return words.findIndex((word) => !ASSIGNMENT.test(word) && !RESERVED_WORDS.has(word));
}

function isText(word: string): boolean {
  return /[\s'"\\`$;|&<>()]/.test(word) && word.length > 1;
}

/**
 * The words that mention the name of a rule's command where execution can't be ruled out; `undefined` when it occurs
 * only as the name of a command that was matched against the rule. `pattern` is the rule's words.
 */
export function mentionOf(pattern: readonly string[], line: DecodedLine): string | undefined {
  const [name = "", ...rest] = pattern;
  if (/^\**$/.test(name)) return undefined;
  const token = tokenFor(name);
  const isThere = token.test(line.text);
  if (!isThere && !line.hasPatterns) return undefined;
  const others = rest.filter((word) => !/^\**$/.test(word));
  const areThere = others.every((word) => occurs(word, line));
  for (const { words, head } of line.phrases) {
    let expanding: number[] | undefined;
    for (const [index, word] of words.entries()) {
      const isRead = index === head && (wildcard(name, word) || wildcard(name, commandName(word)));
      const [found] = isRead ? [] : (isThere && token.exec(word)) || [];
      const isPattern =
        line.hasPatterns && found === undefined && index !== head && isPatternAt(word, name);
      if (found === undefined && !isPattern) continue;
      const after = isPattern ? "" : word.slice(word.search(token) + (found?.length ?? 0));
      if (areThere || EXPANSION.test(after)) return words.join(" ");
      expanding ??= [...words.keys()].filter((at) => EXPANSION.test(words[at] ?? ""));
      if (expanding.some((at) => at !== index)) return words.join(" ");
    }
  }
  return undefined;
}

/**
 * Reports whether a path with a pattern in its last part, or a word with an expansion, may become the command's name. A
 * fully hidden name could be anything, and tells nothing.
 */
function isPatternAt(word: string, name: string): boolean {
  return valuesOf(word).some((value) => isPatternOf(value, name));
}

/** A word, and the values that stand in it. */
function valuesOf(word: string): string[] {
  const values = BEFORE_VALUE.map((before) => word.replace(before, ""));
  return [word, ...values.filter((value) => value !== word && value !== "")];
}

function isPatternOf(word: string, name: string): boolean {
  const pattern = word.replaceAll(PART, "*");
  if (pattern === word && !(word.includes("/") && /[*?[]/.test(word))) return false;
  const last = pattern.slice(pattern.lastIndexOf("/") + 1);
  return !/^\**$/.test(last) && isPatternFor(pattern, name);
}

function occurs(word: string, { text, words }: DecodedLine): boolean {
  return word.startsWith("-") ? hasOption(words, word) : tokenFor(word).test(text);
}

const tokens = new Map<string, RegExp>();
const MAX_TOKENS = 500;

/**
 * A name as a word, at the end of a path, behind `=` or an option's letter, ignoring case. Not the name of an option
 * (`--rm`), a part of a longer one (`rm-all`, `x.rm`), or a directory.
 */
function tokenFor(name: string): RegExp {
  const kept = tokens.get(name);
  if (kept) return kept;
  const text = name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (char) =>
    char === "*" ? String.raw`[\w.-]*` : `\\${char}`,
  );
  const before = String.raw`(?:(?<![\w.]|[\w.]-|(?<![\w-])--?)|(?<=(?<![\w-])-(?!pe)[A-Za-z]{1,2}))`;
  const token = new RegExp(String.raw`${before}${text}(?![\w/]|[.-]\w)`, "i");
  if (tokens.size >= MAX_TOKENS) tokens.clear();
  tokens.set(name, token);
  return token;
}
