import { ExpansionError, resolveName, variableOf } from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { inLocale } from "../state/locale.ts";
import { entriesInOrder } from "../state/map-order.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Attribute, Variable } from "../state/variables.ts";
import { decodeAnsiC } from "../text/ansi-c.ts";
import { joinBytes } from "../text/bytes.ts";
import { separatorsOf } from "./expansion.ts";
import { quoteText } from "./quoting.ts";

interface Transformed {
  readonly name: string;
  readonly subscript: string | undefined;
  readonly value: string | readonly string[] | undefined;
  readonly state: ShellState;
}

const LETTERS: readonly (readonly [Attribute, string])[] = [
  ["integer", "i"],
  ["reference", "n"],
  ["readonly", "r"],
  ["traced", "t"],
  ["exported", "x"],
  ["lowercase", "l"],
  ["uppercase", "u"],
];

/** The letters of `declare` for the attributes of the variable that a name leads to. */
export function attributeLetters(state: ShellState, given: string): string {
  const variable = variableOf(state, resolveName(state, given));
  return variable ? lettersOf(variable) : "";
}

export function lettersOf({ value, attributes }: Variable): string {
  const kind = value instanceof IndexedArray ? "a" : value instanceof Map ? "A" : "";
  return kind + LETTERS.flatMap(([name, letter]) => (attributes.has(name) ? letter : "")).join("");
}

/** `${x@Q}` and its like, for a value or for each of several. */
export function transform(letter: string, target: Transformed): string | readonly string[] {
  const { value } = target;
  if (letter === "A") return assignmentOf(target);
  if (letter === "K" || letter === "k") return pairsOf(letter, target);
  if (value === undefined) return "";
  const each = EACH[letter];
  if (!each) throw new ExpansionError(`@${letter}: bad substitution`, { isFatal: true });
  const eachByLocale = (text: string): string => joinBytes(each(inLocale(target.state, text)));
  return typeof value === "string" ? eachByLocale(value) : value.map(eachByLocale);
}

const EACH: Readonly<Record<string, ((text: string) => string) | undefined>> = {
  Q: quoteText,
  U: (text) => text.toUpperCase(),
  L: (text) => text.toLowerCase(),
  u: (text) => text.charAt(0).toUpperCase() + text.slice(1),
  E: decodeAnsiC,
};

function assignmentOf({ name: given, value, state }: Transformed): string | readonly string[] {
  if ((given === "@" || given === "*") && typeof value === "object") {
    const [first = "", ...rest] = value.map(quoteText);
    return value.length === 0 ? "" : [...partsOf("set -- ", first, state), ...rest];
  }
  if (/^\d/.test(given)) return "";
  const name = resolveName(state, given);
  const letters = attributeLetters(state, name);
  const variable = variableOf(state, name);
  const stored = variable?.value;
  if (stored !== undefined && typeof stored !== "string" && typeof value === "object")
    return variable?.isBlank
      ? partsOf(`declare -${letters} ${name}`, "", state)
      : partsOf(`declare -${letters} ${name}=`, describeArray(stored), state);
  if (typeof value === "object" && value.length === 0) return [];
  if (value === undefined) return letters === "" ? "" : `declare -${letters} ${name}`;
  const text = `${name}=${quoteText(typeof value === "string" ? value : value.join(" "))}`;
  return letters === "" ? text : `declare -${letters} ${text}`;
}

/** A command, which bash takes apart where it joins other lists, and what follows it, which is quoted. */
function partsOf(command: string, quoted: string, state: ShellState): string[] {
  const parts = command.split(separatorsOf(state).charAt(0) || " ");
  return [...parts.slice(0, -1), (parts.at(-1) ?? "") + quoted];
}

/** An array as `declare -p` writes it. */
export function describeArray(value: IndexedArray | Map<string, string>): string {
  if (value instanceof IndexedArray)
    return `(${value
      .entries()
      .map(([index, element]) => `[${index}]=${doubleQuoted(element)}`)
      .join(" ")})`;
  const entries = entriesInOrder(value).map(
    ([key, element]) => `[${keyOf(key)}]=${doubleQuoted(element)} `,
  );
  return `(${entries.join("")})`;
}

/** Characters that bash puts between quotes in a key. */
const NEEDS_QUOTES = /[\s\p{Cc}'"\\|&;()<>!{}*[\]?^$`]|(?:^|[:=])~|^#|^@$/u;

function keyOf(key: string): string {
  return NEEDS_QUOTES.test(key) ? doubleQuoted(key) : key;
}

/** The text between double quotes, or as `$'…'` when it has control characters. */
export function doubleQuoted(text: string): string {
  const quoted = quoteText(text);
  return quoted.startsWith("$") ? quoted : `"${text.replace(/["$`\\]/g, String.raw`\$&`)}"`;
}

function pairsOf(
  letter: "K" | "k",
  { name, value, state }: Transformed,
): string | readonly string[] {
  const stored = variableOf(state, resolveName(state, name))?.value;
  if (value === undefined) return "";
  if (typeof value === "string") return quoteText(value);
  if (value.length === 0) return [];
  if (stored === undefined || typeof stored === "string") return value.map(quoteText);
  const entries = stored instanceof Map ? entriesInOrder(stored) : stored.entries();
  if (letter === "k") return entries.flatMap(([key, element]) => [String(key), element]);
  const text = entries
    .map(([key, element]) => `${keyOf(String(key))} ${doubleQuoted(element)}`)
    .join(" ");
  return stored instanceof Map ? `${text} ` : text;
}
