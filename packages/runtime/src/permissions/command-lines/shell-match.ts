import { wildcard } from "../rules/wildcard.ts";
import { BRACES } from "./shell-rewrite.ts";

/** The words of a rule. `rm:*` is another way to write `rm *`. */
export function wordsOf(argument: string): string[] {
  const text = argument.trim();
  return (text.endsWith(":*") ? `${text.slice(0, -2)} *` : text).trim().split(/\s+/);
}

/**
 * The same for a rule that denies or asks: a star behind a colon may also stand for the end of a word, as in
 * `deploy:*`.
 */
export function forbiddenWords(argument: string): string[][] {
  const words = wordsOf(argument);
  return argument.trim().endsWith(":*") ? [words, argument.trim().split(/\s+/)] : [words];
}

/**
 * Matches word by word, so `ls *` does not match `lsof`. A final `*` stands for any number of further words, including
 * none.
 */
export function coversWords(pattern: readonly string[], words: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "*";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((token, index) => wildcard(token, words[index] ?? ""));
}

/**
 * The same for rules that forbid or ask, where one more is better than one less: options count in any place and order,
 * apart or together, abbreviated or with a value, and a command called by a pattern is any that the pattern fits.
 */
export function mayCoverWords(pattern: readonly string[], words: readonly string[]): boolean {
  if (coversWords(pattern, words)) return true;
  const [name = "", ...tokens] = pattern;
  const [command = "", ...args] = words;
  if (!wildcard(name, command) && !isPatternFor(command, name)) return false;
  const isOpen = tokens.at(-1) === "*";
  const fixed = isOpen ? tokens.slice(0, -1) : tokens;
  const options = fixed.filter((token) => token.startsWith("-"));
  if (!options.every((option) => hasOption(args, option))) return false;
  const operands = fixed.filter((token) => !token.startsWith("-"));
  const given = args.filter((arg) => !arg.startsWith("-"));
  if (options.length === 0) return isOpen ? startsWith(given, operands) : equals(args, operands);
  return isOpen ? startsWith(given, operands) : equals(given, operands);
}

/**
 * Reports whether a deny rule may concern a command with unknown words: an expansion may stand for any words, including
 * options and none.
 */
export function mightCoverWords(pattern: readonly string[], words: readonly string[]): boolean {
  const [name = "", ...tokens] = pattern;
  const [command = "", ...args] = words;
  if (!wildcard(name, command) || !args.some(isUnknown)) return false;
  const operands = tokens.filter((token) => !token.startsWith("-") && token !== "*");
  let at = 0;
  for (const arg of args) {
    if (at >= operands.length || isUnknown(arg)) return true;
    if (arg.startsWith("-")) continue;
    if (!wildcard(operands[at] ?? "", arg)) return false;
    at += 1;
  }
  return false;
}

function isUnknown(word: string): boolean {
  return /\$[\w({@*#?!-]|`/.test(word) || BRACES.test(word);
}

function startsWith(given: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every(
    (token, index) => index < given.length && wildcard(token, given[index] ?? ""),
  );
}

function equals(given: readonly string[], wanted: readonly string[]): boolean {
  return given.length === wanted.length && startsWith(given, wanted);
}

/** Reports whether an option is among these words, in any form that programs accept. */
export function hasOption(args: readonly string[], option: string): boolean {
  if (option.startsWith("--")) {
    const [name = ""] = option.split("=");
    return args.some((arg) => {
      const [given = ""] = arg.split("=");
      // Programs take a long option by its first letters.
      return (
        wildcard(option, arg) ||
        wildcard(name, given) ||
        (given.length > 3 && name.startsWith(given))
      );
    });
  }
  const letters = args.filter((arg) => /^-[^-]/.test(arg)).join("");
  if (option.includes("*")) return args.some((arg) => wildcard(option, arg));
  return (
    args.includes(option) ||
    option
      .slice(1)
      .split("")
      .every((letter) => letters.includes(letter))
  );
}

/** Reports whether a word with `*`, `?` or `[…]` may expand to a command's name, as the end of a path or alone. */
export function isPatternFor(word: string, name: string): boolean {
  if (!/[*?[]/.test(word) || name === "") return false;
  const last = word
    .slice(word.lastIndexOf("/") + 1)
    .replace(/\[[!^]?\]?(?:\[:\w+:\]|[^\]])*\]?/g, "?");
  // Places of the name that the pattern so far may end at.
  let places = new Set([0]);
  for (const char of last) {
    const next = new Set<number>();
    for (const place of places) {
      if (char === "*") for (let at = place; at <= name.length; at++) next.add(at);
      else if (place < name.length && (char === "?" || char === name[place])) next.add(place + 1);
    }
    places = next;
  }
  return places.has(name.length);
}
