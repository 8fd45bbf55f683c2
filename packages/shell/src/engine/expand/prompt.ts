import { parseDocument } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import { readVariable } from "../state/access.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Word } from "../syntax/word.ts";
import { formatTime } from "../text/time-format.ts";
import { timeZone } from "../text/time-zone.ts";

const ESCAPES = /\\(?:D\{([^}]*)\}?|([0-7]{3}|[0-7]{1,2}$)|([^]))/g;
/** Formats of the times that letters stand for. */
const TIMES: Readonly<Record<string, string>> = {
  "@": "%I:%M %p",
  A: "%H:%M",
  T: "%I:%M:%S",
  d: "%a %b %d",
  t: "%H:%M:%S",
};
const LETTERS: Readonly<Record<string, (state: ShellState) => string>> = {
  "!": () => "1",
  "#": () => "1",
  '"': () => '"',
  "[": () => "",
  "]": () => "",
  "\\": () => "\\",
  $: ({ options }) => (options.has("promptvars") ? String.raw`\$` : "$"),
  H: (state) => hostName(state),
  V: (state) => versionOf(state).split("(")[0] ?? "",
  W: (state) => literal(state, shownDirectory(state).replace(/^.*\/(?=.)/, "")),
  a: () => "\x07",
  e: () => "\x1b",
  h: (state) => hostName(state).split(".")[0] ?? "",
  j: () => "0",
  l: () => "tty",
  n: () => "\n",
  r: () => "\r",
  s: (state) => literal(state, state.name.replace(/^.*\//, "")),
  u: () => "user",
  v: (state) => versionOf(state).split(".").slice(0, 2).join("."),
  w: (state) => literal(state, trimmed(state, shownDirectory(state))),
};

/** Expands a text as `PS1` and `PS4` are: the escapes of prompts, then parameters, commands and calculations. */
export async function expandPrompt(
  text: string,
  state: ShellState,
  expand: (word: Word) => Promise<string>,
): Promise<string> {
  const decoded = text.replace(ESCAPES, (whole, format?: string, octal?: string, letter = "") => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    const time = format === undefined ? TIMES[letter] : format || "%X";
    return time === undefined ? (LETTERS[letter]?.(state) ?? whole) : now(state, time);
  });
  const hasExpansions = state.options.has("promptvars") && /[\\$`]/.test(decoded);
  if (!hasExpansions) return decoded;
  try {
    return await expand(parseDocument(decoded));
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    state.warnings.push(error.message);
    return decoded;
  }
}

function now(state: ShellState, format: string): string {
  const seconds = Math.floor(Date.now() / 1_000);
  return literal(state, formatTime(format, { seconds }, timeZone(readVariable(state, "TZ"))));
}

/** Text that is not expanded again. */
function literal({ options }: ShellState, text: string): string {
  return options.has("promptvars") ? text.replace(/[\\$`]/g, String.raw`\$&`) : text;
}

function shownDirectory(state: ShellState): string {
  const home = readVariable(state, "HOME");
  const path = readVariable(state, "PWD") ?? state.cwd;
  const isHome = home && (path === home || path.startsWith(`${home}/`));
  return isHome ? `~${path.slice(home.length)}` : path;
}

/** The last directories of a path, as many as `PROMPT_DIRTRIM` says. */
function trimmed(state: ShellState, path: string): string {
  const count = Number(readVariable(state, "PROMPT_DIRTRIM") ?? 0);
  const start = path.startsWith("~") ? "~/" : "";
  const names = path.slice(1).split("/").filter(Boolean);
  return count > 0 && names.length > count ? `${start}.../${names.slice(-count).join("/")}` : path;
}

function hostName(state: ShellState): string {
  return readVariable(state, "HOSTNAME") ?? "";
}

function versionOf(state: ShellState): string {
  return readVariable(state, "BASH_VERSION") ?? "";
}
